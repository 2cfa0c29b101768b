"""P values, corrections for multiple tests, and the corrected resampled t."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.inference.rows import Codes, Floats
from evenhand.inference.wilson import critical_value, is_informative, quantile
from evenhand.records import Interval, Method

TIE = 1e-12
"""Differences this close are equal up to rounding."""

ROUNDING = 1e-9
"""Relative difference of statistics that are equal up to rounding."""


def two_sided(statistic: Floats | float, df: Floats | float = math.inf) -> Floats:
    """Two-sided p of normal statistics, or of Student's where the degrees of freedom are finite.

    >>> two_sided(np.array([1.959964, 2.776445]), np.array([np.inf, 4])).round(4).tolist()
    [0.05, 0.05]
    """
    from scipy.special import ndtr, stdtr

    size, df = np.broadcast_arrays(np.abs(statistic), df)
    few = np.isfinite(df)
    return np.asarray(2 * np.where(few, stdtr(np.where(few, df, 1.0), -size), ndtr(-size)))


def sampled(draws: Floats, observed: float) -> float:
    """Two-sided p from draws under the null: (1 + as extreme) / (1 + draws), never 0.

    >>> sampled(np.array([0.1, -0.3, 0.2, 0.0]), 0.3)
    0.4
    """
    known = draws[~np.isnan(draws)]
    hits = int(np.count_nonzero(np.abs(known) >= abs(observed) - TIE))
    return (1 + hits) / (1 + len(known))


def by_error(gap: Floats, se: Floats, df: Floats) -> Floats:
    """Two-sided p of differences with these errors: 1 without a difference, NaN if unknown.

    A difference without variance has an infinite statistic, and p = 0.

    >>> gap, se = np.array([0.2, 0.0, 0.2, 0.2]), np.array([0.1, 0.0, 0.0, np.nan])
    >>> by_error(gap, se, np.full(4, np.inf)).round(4).tolist()
    [0.0455, 1.0, 0.0, nan]
    """
    size, known = np.abs(gap), is_informative(se, gap)
    p = np.where(size <= TIE, 1.0, np.where(np.isfinite(se) & ~np.isnan(gap), 0.0, np.nan))
    p[known] = two_sided(gap[known] / se[known], df[known])
    return p


def extreme_share(observed: Floats, statistics: Floats, chance: Floats) -> Floats:
    """p of each column: the probability of a statistic at least as large as the observed one.

    ``chance`` has the probability of each outcome.

    >>> statistics = np.array([[2.0], [1.0], [2.0], [0.5]])
    >>> extreme_share(np.array([2.0]), statistics, np.full(4, 0.25)).tolist()
    [0.5]
    """
    return np.asarray(np.minimum(1.0, chance @ (statistics >= observed * (1 - ROUNDING))))


def any_of(p: float, correlation: Floats) -> float:
    """An upper bound on the probability that some of these normal statistics reaches ``p``.

    Σ P(|Zᵢ| ≥ z) less P(|Zᵢ| ≥ z, |Zⱼ| ≥ z) along the tree of the strongest correlations (Hunter
    1976, Worsley 1982): between one test and Bonferroni.

    >>> any_of(0.01, np.ones((5, 5))), round(any_of(0.01, np.eye(2)), 6)
    (0.01, 0.0199)
    """
    z = -quantile(p / 2)
    strongest = np.abs(correlation[0]).clip(max=1.0)
    bound, joined = p, np.zeros(len(correlation), bool)
    joined[0] = True
    for _ in range(len(correlation) - 1):
        best = int(np.argmax(np.where(joined, -1.0, strongest)))
        bound += p - min(p, _both(z, float(strongest[best])))
        joined[best] = True
        strongest = np.maximum(strongest, np.abs(correlation[best]).clip(max=1.0))
    return min(1.0, bound)


def _both(z: float, r: float) -> float:
    """P(|Z₁| ≥ z, |Z₂| ≥ z) of two normal variables with correlation r ≥ 0.

    4·(Q(z) − T(z, a) − T(z, 1/a)) with a² = (1 − r)/(1 + r), T being that of Owen (1956).
    """
    from scipy.special import ndtr, owens_t

    if r > 1 - 1e-9:
        return float(two_sided(z))
    a = math.sqrt((1 - r) / (1 + r))
    return max(0.0, 4 * float(ndtr(-z) - owens_t(z, a) - owens_t(z, 1 / a)))


def step_down(p: Sequence[float] | Floats, correlation: Floats) -> Floats:
    """p values of correlated statistics, corrected by step-down (Romano & Wolf 2005).

    The smallest is corrected over all, the next over those left, and so on. ``correlation`` is that
    of the statistics.

    >>> step_down([0.03, 0.01], np.eye(2)).round(4).tolist()
    [0.03, 0.0199]
    """
    p_values = np.asarray(p, np.float64)
    order = np.argsort(p_values, kind="stable")
    adjusted = np.empty(len(p_values))
    for rank, i in enumerate(order):
        left = order[rank:]
        adjusted[i] = any_of(float(p_values[i]), correlation[np.ix_(left, left)])
    adjusted[order] = np.maximum.accumulate(adjusted[order])
    return adjusted


def over_families(p: Sequence[float] | Floats, family: Sequence[int] | Codes) -> Floats:
    """p values after Bonferroni's step-down over families; within a family they are corrected.

    From the smallest up, a p is multiplied by the number of families that still have one. With one
    p in each family it is Holm's correction.

    >>> over_families([0.01, 0.04, 0.01], [0, 0, 1]).tolist()
    [0.02, 0.04, 0.02]
    """
    p_values = np.asarray(p, np.float64)
    order = np.argsort(p_values, kind="stable")
    _, from_end = np.unique(np.asarray(family)[order][::-1], return_index=True)
    ends = np.bincount(len(p_values) - 1 - from_end, minlength=len(p_values))
    families_left = np.cumsum(ends[::-1])[::-1]
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.maximum.accumulate(np.minimum(1.0, families_left * p_values[order]))
    return adjusted


def holm(p: Sequence[float] | Floats) -> list[float]:
    """Holm's adjustment, which controls the family-wise error rate.

    >>> [round(x, 3) for x in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    return list(over_families(p, np.arange(len(p))).tolist())


# Means over folds of cross-validation.


@dataclass(frozen=True)
class ResampledMean:
    """A mean over folds, its standard error and the degrees of freedom behind it."""

    mean: float
    se: float
    df: int

    def interval(self, level: float, low: float = -math.inf, high: float = math.inf) -> Interval:
        """The interval by Student's distribution, cut at the metric's range."""
        if not self.se > 0:  # also if it is NaN
            return Interval(self.mean, level=level, note="no width")
        half = critical_value(level, self.df) * self.se
        ends = max(self.mean - half, low), min(self.mean + half, high)
        return Interval(self.mean, self.se, *ends, level, Method("resampled t"))

    @property
    def p(self) -> float:
        """Two-sided p of a mean of 0."""
        return float(two_sided(self.mean / self.se, self.df)) if self.se else math.nan


def resampled_mean(values: NDArray[np.float64], test_to_train: float) -> ResampledMean:
    """The corrected resampled t: error² = (1/J + n_test/n_train) · s², on J − 1 degrees of freedom.

    Scores of J folds are not independent, as their models share training items (Nadeau & Bengio
    2003; over repeats Bouckaert & Frank 2004).

    >>> folds = resampled_mean(np.array([0.8, 0.7, 0.9, 0.8, 0.8]), 1 / 4)
    >>> round(folds.mean, 3), round(folds.se, 4), round(folds.se / (0.005 / 5) ** 0.5, 4)
    (0.8, 0.0474, 1.5)
    """
    folds, variance = len(values), float(np.var(values, ddof=1))
    if variance <= 1e-24:  # rounding of equal scores
        variance = 0.0
    se = math.sqrt((1 / folds + test_to_train) * variance)
    return ResampledMean(float(np.mean(values)), se, folds - 1)
