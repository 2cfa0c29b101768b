"""How many items a test would need to see a difference like the one observed."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evenhand.errors import InputError
from evenhand.infer.quantile import quantile, reach
from evenhand.notes.record import Record

SPAN = 10
"""How many times the smaller end the larger may be: beyond, the answer is no number."""
ENDLESS = 1000
"""The same: beyond, it has no upper end worth telling."""


@dataclass(frozen=True, eq=False)
class Needed(Record):
    """Items that a test needs: the number, and its ends; ``None``: too unsure, and without end."""

    items: int | None
    low: int
    high: int | None

    def __str__(self) -> str:
        if self.items is not None:
            return f"{self.items:,} [{self.low:,}, {self.high:,}]"
        return f"from {self.low:,}" + ("" if self.high is None else f" to {self.high:,}")


def needed(
    difference: float, se: float, n: int, *, power: float, level: float, freedom: float = math.inf
) -> Needed | None:
    """Test size for this power at this level, if the variance of an item stays as it is.

    n·((z_{1−α/2} + z_power)·se / d)², by the delta method, for d the observed difference and both
    ends of its interval, which the true one may be anywhere in. Without a difference ``None``.

    >>> str(needed(0.08, 0.01, 1000, power=0.8, level=0.95))
    '123 [80, 216]'
    >>> str(needed(0.03, 0.01, 1000, power=0.8, level=0.95))
    'from 320 to 7,257'
    """
    if not difference or not se:
        return None
    z = reach(level) + quantile(power)
    wide = reach(level, freedom) * se
    size = abs(difference)
    low = items_for(n, se, size + wide, z)
    high = items_for(n, se, size - wide, z) if wide < size else None
    if high is None or high > ENDLESS * low:
        return Needed(None, low, None)
    return Needed(items_for(n, se, size, z) if high <= SPAN * low else None, low, high)


def items_for(n: int, se: float, apart: float, z: float) -> int:
    """Items of which ``apart`` is ``z`` standard errors, if of ``n`` items the error is ``se``.

    >>> items_for(100, 0.05, 0.05, 2.0)
    400
    """
    return max(1, math.ceil(n * (z * se / apart) ** 2))


def checked_power(power: float | None) -> float | None:
    """The power, if it is one."""
    if power is not None and not 0 < power < 1:
        raise InputError(f"power must be between 0 and 1, got {power}")
    return power
