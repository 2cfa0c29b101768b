"""Every pair of systems on one metric: difference, its error, and what Holm leaves of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.infer.delta import clusters_in
from evenhand.infer.design import Floats
from evenhand.infer.pvalue import holm
from evenhand.infer.rows import Rows

SAME = 1e-12

BLOCK = 1 << 20
"""Numbers held at once where pairs are compared row by row."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Every pair of systems once, (0, 1), (0, 2), …: the standard error, p and p after Holm.

    They are of the difference of two scores, NaN where that would have no width; ``freedom`` are
    the degrees of freedom, ∞ unless few runs were seen.
    """

    systems: int
    se: Floats
    p: Floats
    p_adjusted: Floats
    freedom: Floats

    def at(self, i: int, j: int) -> int:
        """The place of a pair."""
        i, j = min(i, j), max(i, j)
        return i * self.systems - i * (i + 1) // 2 + j - i - 1

    def apart(self, level: float) -> NDArray[np.bool_]:
        """Systems × systems: which differ at this level, after Holm."""
        found = np.zeros((self.systems, self.systems), bool)
        with np.errstate(invalid="ignore"):
            found[np.triu_indices(self.systems, 1)] = self.p_adjusted < 1 - level
        return np.asarray(found | found.T)


def item_parts(rows: Rows, influence: Floats) -> Floats:
    """Systems × units whose inner products are the covariances of the systems' scores.

    Units are rows, or clusters where there are any: the paired delta method for all pairs at
    once.
    """
    weight = rows.weight
    centred = influence - (influence @ weight / weight.sum())[:, None]
    if rows.cluster is not None:
        c = clusters_in(rows)
        sums = np.stack([np.bincount(rows.cluster, weight * d) for d in centred])
        return np.asarray(sums * math.sqrt(c / (c - 1)))
    return np.asarray(centred * np.sqrt(np.asarray(rows.square)))


def pairs_of(value: Floats, parts: Floats, spread: Floats, sizes: Floats) -> Pairs:
    """All pairs, from scores, covariance parts, and the spread between each system's runs.

    Var = |u_i − u_j|² + s_i²/r_i + s_j²/r_j, with Welch and Satterthwaite's degrees of freedom
    for the runs; Holm over all pairs.
    """
    first, second = np.triu_indices(len(value), 1)
    product = parts @ parts.T
    own = np.diag(product)
    whole = own[first] + own[second]
    items = whole - 2 * product[first, second]
    cancelled = np.flatnonzero(items < 1e-6 * whole)  # once more, exactly
    each = max(1, BLOCK // max(1, parts.shape[1]))
    for start in range(0, len(cancelled), each):
        at = cancelled[start : start + each]
        items[at] = ((parts[first[at]] - parts[second[at]]) ** 2).sum(axis=1)
    run = spread**2 / sizes
    variance = items + run[first] + run[second]
    rest = run / np.sqrt(np.maximum(sizes - 1, 1))
    with np.errstate(divide="ignore", invalid="ignore"):  # ratios: squares may leave the floats
        both = np.hypot(rest[first], rest[second])
        freedom = np.where(both > 0, (variance / both) ** 2, np.inf)
    gap = value[first] - value[second]
    se = np.sqrt(np.maximum(variance, 0.0))
    known = se > SAME * np.maximum(1.0, np.abs(gap))
    se[~known] = np.nan
    p = np.full(len(first), np.nan)
    tested = known & ~np.isnan(gap)
    p[tested] = two_sided(gap[tested] / se[tested], freedom[tested])
    p[~known & (np.abs(gap) <= SAME)] = 1.0
    adjusted = np.full(len(first), np.nan)
    adjusted[~np.isnan(p)] = holm(p[~np.isnan(p)])
    return Pairs(len(value), se, p, adjusted, freedom)


def two_sided(statistic: Floats, freedom: Floats) -> Floats:
    """Two-sided p of normal statistics, or of Student's where the degrees of freedom are finite."""
    size = np.abs(statistic)
    p = np.fromiter(map(math.erfc, (size / math.sqrt(2)).tolist()), np.float64, len(size))
    few = np.isfinite(freedom)
    if few.any():
        from scipy.special import stdtr

        p[few] = 2 * stdtr(freedom[few], -size[few])
    return p


def quantile(level: float, freedom: float) -> float:
    """How many standard errors an interval of this level reaches."""
    from statistics import NormalDist

    if math.isinf(freedom):
        return NormalDist().inv_cdf((1 + level) / 2)
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))
