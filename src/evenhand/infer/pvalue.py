"""The one place where statistics and draws become p values."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from evenhand.infer.design import Codes, Floats

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


def reached(statistics: Floats, chance: Floats) -> Floats:
    """p of each column: the chance of outcomes that are at least the first, the observed one.

    Outcomes are all there are, or the observed one with those drawn, each as likely: then it is
    (1 + hits)/(1 + draws).

    >>> reached(np.array([[2.0], [1.0], [2.0], [0.5]]), np.full(4, 0.25)).tolist()
    [0.5]
    """
    return np.asarray(np.minimum(1.0, chance @ (statistics >= statistics[0] * (1 - ROUNDING))))


def balanced(statistics: Floats, chance: Floats, level: float) -> Floats:
    """Statistics in units of their own quantile over the outcomes, so that columns compare.

    What is infinite becomes twice the largest that is not: a column where that is common must not
    outdo the others.
    """
    finite = np.isfinite(statistics)
    top = np.where(finite, statistics, 0.0).max(axis=0)
    top = np.where(top > 0, top, 1.0)
    found = np.where(finite, statistics, 2 * top)
    order = np.argsort(found, axis=0, kind="stable")
    place = np.argmax(np.cumsum(chance[order], axis=0) >= level - 1e-9, axis=0)
    unit = np.take_along_axis(found, order, axis=0)[place, np.arange(found.shape[1])]
    return np.asarray(found / np.where(unit > 0, unit, top))


def step_down(statistics: Floats, chance: Floats, level: float) -> Floats:
    """p of each column so that the chance of any false finding among them stays below the level.

    The largest statistic is held against the largest of all columns in each outcome, the next
    against that of the columns left, and so on; no p is below the one before (Westfall & Young
    1993, Romano & Wolf 2005). Columns that say the same cost nothing.

    >>> outcomes = np.array([[3.0, 6.0], [1.0, 2.0], [2.0, 4.0], [0.0, 0.0]])
    >>> step_down(outcomes, np.full(4, 0.25), 0.95).tolist()
    [0.25, 0.25]
    """
    s = balanced(statistics, chance, level)
    order = np.argsort(-s[0], kind="stable")
    left = np.maximum.accumulate(s[:, order[::-1]], axis=1)[:, ::-1]
    found = np.empty(len(order))
    at_least = left >= s[0, order] * (1 - ROUNDING)
    found[order] = np.minimum(1.0, np.maximum.accumulate(chance @ at_least))
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
