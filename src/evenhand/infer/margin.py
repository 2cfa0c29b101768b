"""Margin: is a difference smaller than what matters? Non-inferiority and equivalence.

Two one-sided tests (Schuirmann 1987): a system is not worse than another if the lower end of the
one-sided interval of its lead lies above −margin. The error is the one that the difference would
have at −margin (a score test): where two systems differ on few items, the error observed is
too small just when few losses happened to be seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from evenhand.core.kernel import Kernel
from evenhand.errors import InputError
from evenhand.infer.pvalue import two_sided
from evenhand.infer.quantile import quantile
from evenhand.infer.transform import farthest
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
    difference: float,
    se: float,
    margin: float,
    level: float,
    freedom: float = math.inf,
    size: float = 0.0,
    most: float = math.inf,
) -> Margin:
    """A difference with this error beside a margin; ``size`` is what one item of it adds.

    It can be no larger than ``most``, either way.

    >>> found = beside(0.01, 0.01, 0.03, 0.95)
    >>> round(found.low, 4), found.above, found.below, round(found.p_low, 6)
    (-0.0064, True, True, 3.2e-05)
    >>> beside(-0.01, 0.01, 0.03, 0.95).above  # one item of 100 was lost, none gained
    True
    >>> beside(-0.01, 0.01, 0.03, 0.95, size=0.01).above  # of three, one is seen 20 % of the time
    False
    """
    low, high = ends(difference, se, level, freedom, size, most)
    p_low = above(difference, se, -margin, freedom, size)
    p_high = above(-difference, se, -margin, freedom, size)
    return Margin(margin, low, high, p_low, p_high)


def above(
    difference: float, se: float, null: float, freedom: float = math.inf, size: float = 0.0
) -> float:
    """One-sided p of a true difference of ``null`` or less."""
    return _beyond((difference - null) / math.sqrt(_variance(difference, se, null, size)), freedom)


def end(
    difference: float, se: float, level: float, freedom: float = math.inf, size: float = 0.0
) -> float:
    """The lower end of the one-sided interval: the largest ``null`` that is not told from.

    >>> round(end(0.0, 0.01, 0.95), 5), round(end(0.0, 0.01, 0.95, size=0.005), 5)
    (-0.01645, -0.0213)
    """
    z = quantile(level, freedom)
    if not size:
        return difference - z * se
    inside, step = difference, z * se
    outside = inside - step
    while difference - outside < z * math.sqrt(_variance(difference, se, outside, size)):
        step *= 2
        outside -= step
    for _ in range(60):
        middle = (inside + outside) / 2
        if difference - middle < z * math.sqrt(_variance(difference, se, middle, size)):
            inside = middle
        else:
            outside = middle
    return inside


def ends(
    difference: float, se: float, level: float, freedom: float, size: float, most: float
) -> tuple[float, float]:
    """Of both one-sided intervals, none beyond what two scores can differ by at ``most``."""
    low, high = (end(sign * difference, se, level, freedom, size) for sign in (1, -1))
    return max(low, -most), min(-high, most)


def _variance(difference: float, se: float, null: float, size: float) -> float:
    """That of the difference if its true value were ``null``, or that observed if it is larger.

    As if it came of losses and gains of one size, V/size² of them, −d/size more losses than gains:
    Poisson numbers of which the most likely means that differ by −null/size are taken (for
    accuracy, Tango's test of 1998 where items that differ are a small share).
    """
    if not size:
        return se**2
    seen, more, wanted = (se / size) ** 2, -difference / size, -null / size
    if wanted < 0:
        more, wanted = -more, -wanted
    gains = max(0.0, (seen - more) / 2)
    fewer = seen - 2 * wanted
    expected = (fewer + math.sqrt(fewer**2 + 8 * gains * wanted)) / 4
    return max(seen, 2 * expected + wanted) * size**2


def checked_margin(margin: float | None) -> float | None:
    """The margin, if it is one."""
    if margin is not None and not 0 < margin < math.inf:
        raise InputError(f"margin must be a number above 0, got {margin}")
    return margin


def refuse_wide(margin: float | None, kernels: Iterable[Kernel]) -> None:
    """A margin that no two values of a metric can be apart by would let everything pass."""
    for kernel in kernels:
        most = farthest(kernel)
        if margin is not None and margin >= most:
            raise InputError(
                f"margin must be below {most:g}, which is as far as two values of {kernel.name} "
                f"can be apart, got {margin:g} (a point is 0.01)"
            )


def _beyond(statistic: float, freedom: float) -> float:
    """One-sided p of a statistic: the chance of a larger one."""
    half = float(two_sided(statistic, freedom)) / 2
    return half if statistic > 0 else 1 - half
