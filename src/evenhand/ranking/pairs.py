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
    """Systems × systems: first minus second, its standard error, p and p after Holm.

    NaN where the difference would have no width; ``freedom`` are the degrees of freedom, ∞
    unless few runs were seen.
    """

    difference: Floats
    se: Floats
    p: Floats
    p_adjusted: Floats
    freedom: Floats

    def apart(self, level: float) -> NDArray[np.bool_]:
        """Which pairs differ at this level, after Holm."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.p_adjusted < 1 - level)


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
    n = len(value)
    product = parts @ parts.T
    own = np.diag(product)
    whole = own[:, None] + own[None, :]
    items = whole - 2 * product
    first, second = np.nonzero(np.triu(items < 1e-6 * whole, 1))  # cancelled: once more, exactly
    each = max(1, BLOCK // max(1, parts.shape[1]))
    for at in range(0, len(first), each):
        i, j = first[at : at + each], second[at : at + each]
        items[i, j] = items[j, i] = ((parts[i] - parts[j]) ** 2).sum(axis=1)
    run = spread**2 / sizes
    variance = items + run[:, None] + run[None, :]
    rest = run / np.sqrt(np.maximum(sizes - 1, 1))
    with np.errstate(divide="ignore", invalid="ignore"):  # ratios: squares may leave the floats
        both = np.hypot(rest[:, None], rest[None, :])
        freedom = np.where(both > 0, (variance / both) ** 2, np.inf)
    gap = value[:, None] - value[None, :]
    se = np.sqrt(np.maximum(variance, 0.0))
    known = se > SAME * np.maximum(1.0, np.abs(gap))
    se = np.where(known, se, np.nan)
    p = np.full((n, n), np.nan)
    i, j = np.nonzero(np.triu(known & ~np.isnan(gap), 1))
    p[i, j] = p[j, i] = two_sided(gap[i, j] / se[i, j], freedom[i, j])
    alike = ~known & (np.abs(gap) <= SAME)
    p[alike] = 1.0
    return Pairs(gap, se, p, _adjusted(p), freedom)


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


def _adjusted(p: Floats) -> Floats:
    found = np.full(p.shape, np.nan)
    first, second = np.nonzero(np.triu(~np.isnan(p), 1))
    fixed = holm(p[first, second])
    found[first, second] = fixed
    found[second, first] = fixed
    return found
