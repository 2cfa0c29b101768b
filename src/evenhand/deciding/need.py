"""Need: items that one metric needs, for an interval, a difference or a gate."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from evenhand.deciding.pilot import Pilot, Spread
from evenhand.errors import InputError
from evenhand.infer.margin import end
from evenhand.infer.quantile import quantile, reach
from evenhand.infer.settings import Settings
from evenhand.results.result import Entry

Purpose: TypeAlias = Literal["width", "difference", "margin"]
MOST = 10**15
"""Items beyond which nobody plans."""
ROUNDS = 4
"""How often a number of items is mended by what is to be expected of it."""


@dataclass(frozen=True, eq=False)
class Need(Entry):
    """Items that one metric needs, and between which numbers a pilot leaves that open.

    ``decides`` is the rarest class where it is that which decides: most of the variance is its
    own, or it would have too few items.

    >>> import evenhand as eh
    >>> found = eh.plan([[45, 5], [10, 40]], metrics="accuracy", width=0.1)
    >>> found["accuracy"].items, found["accuracy"].decides
    (196, None)
    """

    metric: str
    items: int
    low: int
    high: int
    points: bool
    rarest: Any = None
    share: float | None = None
    variance: float | None = None
    decides: Any = None


def need_of(
    spread: Spread, purpose: Purpose, target: float, power: float, how: Settings, pilot: Pilot
) -> Need:
    """The least items with which the ``purpose`` is met, and what the pilot leaves open of them."""

    def reached(items: int) -> float:
        se, freedom = math.sqrt(spread.variance / items), spread.freedom(items)
        if purpose == "width":
            return 2 * reach(how.level, freedom) * se
        if purpose == "difference":
            return (reach(how.level, freedom) + quantile(power)) * se
        size = spread.size / items
        return quantile(power) * se - end(0.0, se, how.level, freedom, size)

    items = sloped = _least(reached, target)
    for _ in range(ROUNDS):
        items = math.ceil(sloped * pilot.wider(spread.kernel, items, how) ** 2 - 1e-6)
    rare, decides = spread.rarest, None
    ends = [items * math.exp(sign * reach(how.level) * spread.unsure) for sign in (-1, 0, 1)]
    low, items, high = (max(math.ceil(x - 1e-6), rare.floor if rare else 1) for x in ends)
    if rare is not None and (rare.much or items == rare.floor):
        decides = rare.label
    found = Need(spread.kernel.name, items, low, high, spread.kernel.bounded)
    if rare is None:
        return found
    return replace(
        found, rarest=rare.label, share=rare.share, variance=rare.variance, decides=decides
    )


def _least(reached: Callable[[int], float], target: float) -> int:
    """The least number of items with which what is reached is not above the target."""
    low, high = 0, 1
    while reached(high) > target:
        low, high = high, 2 * high
        if high > MOST:
            raise InputError(f"so small a number needs more than {MOST:g} items, got {target:g}")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if reached(middle) > target else (low, middle)
    return high
