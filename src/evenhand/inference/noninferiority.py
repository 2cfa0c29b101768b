"""Non-inferiority and power."""

from __future__ import annotations

import math
from collections.abc import Iterable

from evenhand.core.kernel import Kernel
from evenhand.errors import InputError
from evenhand.inference.multiplicity import two_sided
from evenhand.inference.wilson import boundary, critical_value, farthest, quantile
from evenhand.records import Record


def needed(difference: float, se: float, n: int, *, power: float, level: float) -> int:
    """Items with which a difference is significant, if the variance of an item stays as it is.

    n·((z_{1−α/2} + z_power)·se / d)², by the delta method.

    >>> needed(0.02, 0.01, 1000, power=0.8, level=0.95)
    1963
    """
    return items_for(n, se, difference, critical_value(level) + quantile(power))


def items_for(n: int, se: float, apart: float, z: float) -> int:
    """Items with which a difference is ``z`` standard errors, if ``n`` items have the error ``se``.

    >>> items_for(100, 0.05, 0.05, 2.0)
    400
    """
    return max(1, math.ceil(n * (z * se / apart) ** 2))


# Non-inferiority and equivalence.


class NonInferiority(Record):
    """A difference tested against a margin, at one level.

    ``low`` and ``high`` end the two one-sided intervals; ``p_low`` is that of a difference of
    −margin or less, ``p_high`` that of margin or more. ``not_worse`` names the systems that are
    shown to be not worse than the other by more than the margin.
    """

    json_fields = "margin low high p_low p_high equivalent not_worse"

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


def noninferiority(
    difference: float,
    se: float,
    margin: float,
    level: float,
    df: float = math.inf,
    size: float = 0.0,
    most: float = math.inf,
) -> NonInferiority:
    """Test a difference with this error against a margin; ``size`` is what one item adds to it.

    The difference lies between −``most`` and ``most``.

    >>> test = noninferiority(0.01, 0.01, 0.03, 0.95)
    >>> round(test.low, 4), test.above, test.below, round(test.p_low, 6)
    (-0.0064, True, True, 3.2e-05)
    >>> noninferiority(-0.01, 0.01, 0.03, 0.95).above  # one item of 100 was lost, none gained
    True
    >>> noninferiority(-0.01, 0.01, 0.03, 0.95, size=0.01).above
    False
    """
    low, high = ends(difference, se, level, df, size, most)
    p_low = above(difference, se, -margin, df, size)
    p_high = above(-difference, se, -margin, df, size)
    return NonInferiority(margin, low, high, p_low, p_high)


def above(
    difference: float, se: float, null: float, df: float = math.inf, size: float = 0.0
) -> float:
    """One-sided p of a true difference of ``null`` or less."""
    statistic = (difference - null) / math.sqrt(_variance(difference, se, null, size))
    half = float(two_sided(statistic, df)) / 2
    return half if statistic > 0 else 1 - half


def end(
    difference: float, se: float, level: float, df: float = math.inf, size: float = 0.0
) -> float:
    """The lower end of the one-sided interval: the smallest ``null`` that is not rejected.

    >>> round(end(0.0, 0.01, 0.95), 5), round(end(0.0, 0.01, 0.95, size=0.005), 5)
    (-0.01645, -0.0213)
    """
    z: float = quantile(level, df)
    if not size:
        return difference - z * se

    def rejected(null: float) -> bool:
        return not difference - null < z * math.sqrt(_variance(difference, se, null, size))

    inside, step = difference, z * se
    outside = inside - step
    while not rejected(outside):
        step *= 2
        outside -= step
    return boundary(rejected, inside, outside)


def ends(
    difference: float, se: float, level: float, df: float, size: float, most: float
) -> tuple[float, float]:
    """The ends of both one-sided intervals, cut at −``most`` and ``most``."""
    low, high = (end(sign * difference, se, level, df, size) for sign in (1, -1))
    return max(low, -most), min(-high, most)


def _variance(difference: float, se: float, null: float, size: float) -> float:
    """The variance of the difference under the null, or the observed one if it is larger.

    As if there were V/size² losses and gains of one size, −d/size more losses than gains: Poisson
    numbers, whose means are estimated under the null by maximum likelihood (for accuracy, Tango's
    test of 1998 where items that differ are a small share).
    """
    if not size:
        return se**2
    observed, excess, null_excess = (se / size) ** 2, -difference / size, -null / size
    if null_excess < 0:
        excess, null_excess = -excess, -null_excess
    gains = max(0.0, (observed - excess) / 2)
    linear = observed - 2 * null_excess
    losses = (linear + math.sqrt(linear**2 + 8 * gains * null_excess)) / 4
    return max(observed, 2 * losses + null_excess) * size**2


def refuse_wide(margin: float | None, kernels: Iterable[Kernel], what: str = "margin") -> None:
    """Refuse a margin as large as the metric's range: every system would pass."""
    for kernel in kernels:
        most = farthest(kernel)
        if margin is not None and margin >= most:
            raise InputError(
                f"{what} must be below {most:g}, which is as far as two values of {kernel.name} "
                f"can be apart, got {margin:g} (a point is 0.01)"
            )
