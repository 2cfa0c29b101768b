"""Every pair of systems on one metric: difference, its error, and what Holm leaves of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.core.kernel import Kernel
from evenhand.infer.delta import error_parts
from evenhand.infer.design import Floats
from evenhand.infer.pvalue import TIE, holm, two_sided
from evenhand.infer.rows import Rows
from evenhand.infer.variance import norm
from evenhand.infer.width import tells

BLOCK = 1 << 20
"""Numbers held at once where pairs are compared row by row."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Every pair of systems once, (0, 1), (0, 2), …: the standard error, p and p after Holm.

    They are of the difference of two scores. The error is NaN where it would have no width, and
    p is 0 for a difference that does not vary, 1 for none, NaN where the error is unknown, as
    with an infinite slope. ``freedom`` are the degrees of freedom, ∞ unless few runs were seen.
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
    found = []
    for kernel, value, spread in zip(kernels, values, spreads, strict=True):
        parts = error_parts(rows, over_runs(rows.influence(kernel, views), columns))
        found.append((pairs_of(value, parts, spread, sizes), norm(parts)))
    return found


def over_runs(influence: Floats, columns: Sequence[Sequence[int]]) -> Floats:
    """Columns × rows to systems × rows, by the mean over a system's runs."""
    if all(len(c) == 1 for c in columns):
        return np.asarray(influence[[c[0] for c in columns]])
    return np.stack([influence[list(c)].mean(axis=0) for c in columns])


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
    known = tells(se, gap)
    steady = ~known & np.isfinite(se)
    se[~known] = np.nan
    p = np.full(len(first), np.nan)
    tested = known & ~np.isnan(gap)
    p[tested] = two_sided(gap[tested] / se[tested], freedom[tested])
    p[~known & (np.abs(gap) <= TIE)] = 1.0
    p[steady & (np.abs(gap) > TIE)] = 0.0  # a difference that does not vary: infinite statistic
    adjusted = np.full(len(first), np.nan)
    adjusted[~np.isnan(p)] = holm(p[~np.isnan(p)])
    return Pairs(len(value), se, p, adjusted, freedom)
