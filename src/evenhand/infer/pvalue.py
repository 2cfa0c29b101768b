"""The one place where statistics and draws become p values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np

from evenhand.infer.design import Codes, Floats
from evenhand.infer.quantile import quantile
from evenhand.infer.width import tells

TIE = 1e-12
"""Two differences this close are the same one, computed in another order."""

ROUNDING = 1e-9
"""The same of two statistics, as a part of them."""


def two_sided(statistic: Floats | float, freedom: Floats | float = math.inf) -> Floats:
    """Two-sided p of normal statistics, or of Student's where the degrees of freedom are finite.

    >>> two_sided(np.array([1.959964, 2.776445]), np.array([np.inf, 4])).round(4).tolist()
    [0.05, 0.05]
    """
    size = np.abs(np.asarray(statistic, np.float64))
    p = np.reshape([math.erfc(x) for x in (size / math.sqrt(2)).reshape(-1).tolist()], size.shape)
    freedom = np.broadcast_to(freedom, size.shape)
    few = np.isfinite(freedom)
    if few.any():
        from scipy.special import stdtr

        p[few] = 2 * stdtr(freedom[few], -size[few])
    return np.asarray(p)


def sampled(draws: Floats, observed: float) -> float:
    """Two-sided p from draws under the null: (1 + as extreme) / (1 + draws), never 0.

    >>> sampled(np.array([0.1, -0.3, 0.2, 0.0]), 0.3)
    0.4
    """
    known = draws[~np.isnan(draws)]
    hits = int(np.count_nonzero(np.abs(known) >= abs(observed) - TIE))
    return (1 + hits) / (1 + len(known))


def by_error(gap: Floats, se: Floats, freedom: Floats) -> Floats:
    """Two-sided p of differences with these errors: 1 without a difference, NaN where unknown.

    A difference that does not vary has an infinite statistic, and 0.

    >>> gap, se = np.array([0.2, 0.0, 0.2, 0.2]), np.array([0.1, 0.0, 0.0, np.nan])
    >>> by_error(gap, se, np.full(4, np.inf)).round(4).tolist()
    [0.0455, 1.0, 0.0, nan]
    """
    size, known = np.abs(gap), tells(se, gap)
    p = np.where(size <= TIE, 1.0, np.where(np.isfinite(se) & ~np.isnan(gap), 0.0, np.nan))
    p[known] = two_sided(gap[known] / se[known], freedom[known])
    return p


def reached(observed: Floats, statistics: Floats, chance: Floats) -> Floats:
    """p of each column: the chance of outcomes whose statistic is at least that observed.

    Outcomes are all there are, or the observed one with those drawn, each as likely: then it is
    (1 + hits)/(1 + draws).

    >>> reached(np.array([2.0]), np.array([[2.0], [1.0], [2.0], [0.5]]), np.full(4, 0.25)).tolist()
    [0.5]
    """
    return np.asarray(np.minimum(1.0, chance @ (statistics >= observed * (1 - ROUNDING))))


def any_of(p: float, correlation: Floats) -> float:
    """At most this is the chance that some of these normal statistics has a p as small as ``p``.

    Σ P(|Zᵢ| ≥ z) less P(|Zᵢ| ≥ z, |Zⱼ| ≥ z) along the tree of the strongest correlations (Hunter
    1976, Worsley 1982): what says the same costs nothing, what is apart costs what Bonferroni asks.

    >>> any_of(0.01, np.ones((5, 5))), round(any_of(0.01, np.eye(2)), 6)
    (0.01, 0.0199)
    """
    z = -quantile(p / 2)
    left = np.abs(correlation[0]).clip(max=1.0)
    found, joined = p, np.zeros(len(correlation), bool)
    joined[0] = True
    for _ in range(len(correlation) - 1):
        best = int(np.argmax(np.where(joined, -1.0, left)))
        found += p - min(p, _both(z, float(left[best])))
        joined[best] = True
        left = np.maximum(left, np.abs(correlation[best]).clip(max=1.0))
    return min(1.0, found)


def _both(z: float, r: float) -> float:
    """P(|Z₁| ≥ z, |Z₂| ≥ z) of two normal variables with correlation r ≥ 0.

    2·Σ± [Q(z)² + 1/2π ∫₀^{±asin r} exp(−z²/(1 + sin t)) dt].
    """
    if r > 1 - 1e-9:
        return math.erfc(z / math.sqrt(2))
    node, weight = _nodes()
    angle = math.asin(r) * (node + 1) / 2
    part = np.exp(-(z**2) / (1 + np.sin(angle))) - np.exp(-(z**2) / (1 - np.sin(angle)))
    slant = math.asin(r) / 2 * float(weight @ part) / (2 * math.pi)
    return math.erfc(z / math.sqrt(2)) ** 2 + 2 * slant


@cache
def _nodes() -> tuple[Floats, Floats]:
    """Where and how an integral is summed."""
    return np.polynomial.legendre.leggauss(40)


def step_down(p: Sequence[float] | Floats, correlation: Floats) -> Floats:
    """p values of correlated statistics, corrected for there being several.

    The smallest is held against all, the next against those left, and so on; none is below the one
    before (Romano & Wolf 2005). ``correlation`` is that of the statistics.

    >>> step_down([0.03, 0.01], np.eye(2)).round(4).tolist()
    [0.03, 0.0199]
    """
    given = np.asarray(p, np.float64)
    order = np.argsort(given, kind="stable")
    found = np.empty(len(given))
    for rank, i in enumerate(order):
        left = order[rank:]
        found[i] = any_of(float(given[i]), correlation[np.ix_(left, left)])
    found[order] = np.maximum.accumulate(found[order])
    return found


def over_families(p: Sequence[float] | Floats, family: Sequence[int] | Codes) -> Floats:
    """p values after Bonferroni's step-down over families.

    Within a family they must be corrected already. From the smallest up, a p is multiplied by the
    number of families that still have one; none is below the one before. With one p in each family
    it is Holm's correction; a family whose p are all the same counts once.

    >>> over_families([0.01, 0.04, 0.01], [0, 0, 1]).tolist()
    [0.02, 0.04, 0.02]
    """
    given = np.asarray(p, np.float64)
    order = np.argsort(given, kind="stable")
    _, from_end = np.unique(np.asarray(family)[order][::-1], return_index=True)
    ends = np.bincount(len(given) - 1 - from_end, minlength=len(given))
    left = np.cumsum(ends[::-1])[::-1]
    adjusted = np.empty(len(given))
    adjusted[order] = np.maximum.accumulate(np.minimum(1.0, left * given[order]))
    return adjusted


def holm(p: Sequence[float] | Floats) -> list[float]:
    """Holm's adjustment: the chance of any false finding among them stays below the level.

    >>> [round(x, 3) for x in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    return list(over_families(p, np.arange(len(p))).tolist())
