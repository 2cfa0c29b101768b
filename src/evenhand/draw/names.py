"""Names in pictures: visible, short, and still one name for each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evenhand.catalogue.titles import brief, spoken
from evenhand.errors import InputError
from evenhand.results.text import listed, shortened, visible

LONG = 28


def checked_limit(limit: int) -> int:
    """How many of something a chart names; there must be one."""
    if limit < 1:
        raise InputError(f"limit must be at least 1, got {limit}")
    return limit


def metric_names(metrics: Iterable[str], columns: int = 44) -> list[str]:
    """Metrics as a chart writes them: in the words of people.

    >>> metric_names(["macro_f1", "mcc@uniform"])
    ['Macro F1 (mean of F1)', 'MCC @uniform']
    """
    return names(map(brief, metrics), columns)


def merged_names(
    groups: Sequence[Sequence[str]], why: str, columns: int = 44
) -> tuple[list[str], str]:
    """A name for each group of metrics that are drawn as one, and ``why`` with those meant.

    >>> merged_names([["accuracy", "micro_f1"], ["mcc"]], "Equal here")
    (['Accuracy (+1)', 'MCC'], ' Equal here: accuracy = micro F1.')
    """
    first = metric_names((group[0] for group in groups), columns)
    more = [f" (+{len(group) - 1})" if len(group) > 1 else "" for group in groups]
    said = ([spoken(visible(brief(m))) for m in group] for group in groups if len(group) > 1)
    same = [f"{one} = {listed(rest, 2)}" for one, *rest in said]
    words = f" {why}: {'; '.join(same)}." if same else ""
    return [a + b for a, b in zip(first, more, strict=True)], words


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
