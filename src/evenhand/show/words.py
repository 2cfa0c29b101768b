"""Names in pictures: visible, short, and still one name for each."""

from __future__ import annotations

import math
from collections.abc import Iterable

from evenhand.results.text import number, shortened, visible

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


def interval(value: float, low: float | None, high: float | None, digits: int = 3) -> str:
    """``0.812 [0.790, 0.834]``, or the value alone."""
    text = number(float(value), digits)
    return (
        text
        if low is None or high is None
        else f"{text} [{number(low, digits)}, {number(high, digits)}]"
    )


def amount(value: float) -> str:
    """A count with few characters: whole where it is, three digits of a weight.

    >>> amount(12), amount(0.25), amount(12345.0), amount(3456789)
    ('12', '0.25', '12,345', '3.46M')
    """
    if abs(value) >= 1e6:
        return f"{value / 1e6:.3g}M" if abs(value) < 1e9 else f"{value:.2g}"
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:.3g}"


def percent(share: float) -> str:
    """A share as a percentage, without decimals that say nothing.

    >>> percent(0.5), percent(0.004), percent(float("nan"))
    ('50 %', '0.4 %', '')
    """
    if math.isnan(share):
        return ""
    return f"{100 * share:.0f} %" if share >= 0.0995 or share == 0 else f"{100 * share:.1f} %"
