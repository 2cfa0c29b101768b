"""Names in pictures: visible, short, and still one name for each."""

from __future__ import annotations

from collections.abc import Iterable

from evenhand.results.text import shortened, visible

LONG = 28


def names(labels: Iterable[object], columns: int = LONG) -> list[str]:
    """Labels as a chart writes them: nothing steers the text, none is long, none coincide.

    >>> names(["a", "b" * 60], 9)
    ['a', 'bbbb…bbbb']
    >>> names(["x" * 50 + "1" + "x" * 50, "x" * 50 + "2" + "x" * 50], 9)
    ['xxxx…xxxx', 'xxxx…xxxx (2)']
    """
    found: list[str] = []
    used: dict[str, int] = {}
    for label in labels:
        text = visible(str(label)).strip() or "(empty)"
        text = shortened(text, columns)
        used[text] = used.get(text, 0) + 1
        again = used[text]
        while again > 1 and f"{text} ({again})" in used:
            again += 1
        if again > 1:
            text = f"{text} ({again})"
            used[text] = 1
        found.append(text)
    return found
