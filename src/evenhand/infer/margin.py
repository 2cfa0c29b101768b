"""Margin: is a difference smaller than what matters? Non-inferiority and equivalence.

Two one-sided tests by the difference's error (Schuirmann 1987): a system is not worse than another
if the lower end of the one-sided interval of its lead lies above −margin.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from evenhand.errors import InputError
from evenhand.infer.pvalue import two_sided
from evenhand.infer.quantile import quantile
from evenhand.notes.record import Record


@dataclass(frozen=True, eq=False)
class Margin(Record):
    """A difference beside a margin, at one level.

    ``low`` and ``high`` end the two one-sided intervals; ``p_low`` is that of a difference of
    −margin or less, ``p_high`` that of margin or more. ``not_worse`` names the systems that are
    shown to be not worse than the other by more than the margin.
    """

    told: ClassVar[tuple[str, ...]] = (
        "margin", "low", "high", "p_low", "p_high", "equivalent", "not_worse"
    )  # fmt: skip

    margin: float
    low: float
    high: float
    p_low: float
    p_high: float
    not_worse: tuple[str, ...] = ()

    @property
    def above(self) -> bool:
        """Whether the difference is shown to lie above −margin."""
        return self.low > -self.margin

    @property
    def below(self) -> bool:
        """Whether the difference is shown to lie below margin."""
        return self.high < self.margin

    @property
    def equivalent(self) -> bool:
        """Whether it is shown to lie between: neither is worse by more than the margin."""
        return self.above and self.below


def beside(
    difference: float, se: float, margin: float, level: float, freedom: float = math.inf
) -> Margin:
    """A difference with this error beside a margin.

    >>> found = beside(0.01, 0.01, 0.03, 0.95)
    >>> round(found.low, 4), found.above, found.below, round(found.p_low, 6)
    (-0.0064, True, True, 3.2e-05)
    """
    reach = quantile(level, freedom) * se
    p_low, p_high = (_beyond(x / se, freedom) for x in (margin + difference, margin - difference))
    return Margin(margin, difference - reach, difference + reach, p_low, p_high)


def checked_margin(margin: float | None) -> float | None:
    """The margin, if it is one."""
    if margin is not None and not 0 < margin < math.inf:
        raise InputError(f"margin must be a number above 0, got {margin}")
    return margin


def _beyond(statistic: float, freedom: float) -> float:
    """One-sided p of a statistic: the chance of a larger one."""
    half = float(two_sided(statistic, freedom)) / 2
    return half if statistic > 0 else 1 - half
