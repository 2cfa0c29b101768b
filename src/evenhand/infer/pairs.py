"""Every pair of systems on one metric: difference, its error, and what Holm leaves of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evenhand.core.kernel import Kernel
from evenhand.infer.design import Floats
from evenhand.infer.pvalue import by_error, holm
from evenhand.infer.rows import Rows
from evenhand.infer.transform import farthest
from evenhand.infer.varied import Varied, varied_of
from evenhand.infer.width import tells


@dataclass(frozen=True, eq=False)
class Between:
    """The variance of the difference of every two scores, and its degrees of freedom."""

    variance: Floats
    freedom: Floats

    @classmethod
    def of_mean(cls, parts: Sequence[Between]) -> Between:
        """That of the plain means over parts that share no items (Satterthwaite 1946).

        >>> each = [Between(np.array([v]), np.array([f])) for v, f in ((0.04, 9.0), (0.02, np.inf))]
        >>> mean = Between.of_mean(each)
        >>> mean.variance.round(6).tolist(), mean.freedom.round(6).tolist()
        ([0.015], [20.25])
        """
        variance = np.stack([p.variance for p in parts])
        whole = variance.sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            rest = (variance**2 / np.stack([p.freedom for p in parts])).sum(axis=0)
            freedom = np.where(rest > 0, whole**2 / rest, np.inf)
        return cls(whole / len(parts) ** 2, freedom)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Every pair of systems once, (0, 1), (0, 2), …: the standard error, p and p after Holm.

    They are of the difference of two scores. The error is NaN where it would have no width, and
    p is 0 for a difference that does not vary, 1 for none, NaN where the error is unknown, as
    with an infinite slope. ``freedom`` are the degrees of freedom, ∞ unless few runs were seen.
    ``items`` is what the items alone make of the variance, with its own degrees of freedom.
    """

    systems: int
    se: Floats
    p: Floats
    p_adjusted: Floats
    freedom: Floats
    items: Between
    most: float = np.inf
    """How far two scores can be apart."""

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


def pairs_of_all(
    rows: Rows,
    kernels: Iterable[Kernel],
    values: Iterable[Floats],
    spreads: Iterable[Floats],
    columns: Sequence[Sequence[int]],
) -> list[tuple[Pairs, Floats]]:
    """All pairs on every metric, and the errors from the items; ``columns`` are systems' runs."""
    kernels, sizes = list(kernels), np.array([len(c) for c in columns])
    views = rows.views(kernels)
    means = (v.over(columns) for v in varied_of(rows, kernels, views))
    return [
        (
            replace(pairs_of(value, between(varied), spread, sizes), most=farthest(kernel)),
            varied.errors,
        )
        for kernel, value, varied, spread in zip(kernels, values, means, spreads, strict=True)
    ]


def between(varied: Varied) -> Between:
    """Every two scores, by how these vary."""
    return Between(varied.between(), varied.between_freedom())


def pairs_of(value: Floats, items: Between, spread: Floats, sizes: Floats) -> Pairs:
    """All pairs, from scores, how these vary with items, and the spread between a system's runs.

    Var = that of the items + s_i²/r_i + s_j²/r_j, with Welch and Satterthwaite's degrees of freedom
    for the runs; Holm over all pairs.
    """
    first, second = np.triu_indices(len(value), 1)
    run = spread**2 / sizes
    variance = items.variance + run[first] + run[second]
    rest = run / np.sqrt(np.maximum(sizes - 1, 1))
    with np.errstate(divide="ignore", invalid="ignore"):  # ratios: squares may leave the floats
        both = np.hypot(rest[first], rest[second])
        freedom = np.where(both > 0, (variance / both) ** 2, np.inf)
    freedom = np.minimum(freedom, items.freedom)
    gap = value[first] - value[second]
    se = np.sqrt(np.maximum(variance, 0.0))
    p = by_error(gap, se, freedom)
    adjusted = np.full(len(first), np.nan)
    adjusted[~np.isnan(p)] = holm(p[~np.isnan(p)])
    se = np.where(tells(se, gap), se, np.nan)
    return Pairs(len(value), se, p, adjusted, freedom, items)
