"""Paired tests: permutations, studentised differences, McNemar."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import take
from evenhand.core.derivatives import (
    AnyGradient,
    CellGradient,
    cell_gradient,
    gradient,
    nondifferentiable,
)
from evenhand.core.kernel import Kernel
from evenhand.data.counting import distinct_rows
from evenhand.inference.delta import satterthwaite
from evenhand.inference.jackknife import PairDifferences, score_covariances
from evenhand.inference.multiplicity import TIE, by_error, extreme_share, holm
from evenhand.inference.rows import (
    Codes,
    Floats,
    Rows,
    divide,
    incidence,
)
from evenhand.inference.wilson import boundary, critical_value, farthest, is_informative


def mid_p(only_a: int, only_b: int) -> float:
    """The exact two-sided p less half the probability of the observed table.

    >>> round(mid_p(2, 8), 6)
    0.06543
    """
    n, smaller = only_a + only_b, min(only_a, only_b)
    if only_a == only_b:
        return 1.0
    from scipy.special import bdtr

    below = bdtr(smaller - 1, n, 0.5) if smaller else 0.0
    return float(bdtr(smaller, n, 0.5) + below)


def tango(only_a: int, only_b: int, n: int, level: float) -> tuple[float, float]:
    """Tango's score interval of a − b, two shares of the same n items (1998).

    The differences δ that are not rejected by (a − b − nδ) / √(n·(2q + δ(1 − δ))), with q the share
    that only the second has right, by maximum likelihood under δ.

    >>> [round(x, 4) for x in tango(12, 2, 50, 0.95)]
    [0.0611, 0.3447]
    """
    z, observed = critical_value(level), (only_a - only_b) / n

    def rejected(delta: float) -> bool:
        linear = (2 * n - only_a + only_b) * delta - only_a - only_b
        root = math.sqrt(max(linear**2 + 8 * n * only_b * delta * (1 - delta), 0.0))
        variance = n * ((root - linear) / (2 * n) + delta * (1 - delta))
        return bool((n * (observed - delta)) ** 2 > z**2 * variance)

    low, high = (boundary(rejected, observed, outside) for outside in (-1.0, 1.0))
    return low, high


def discordant(pair: Rows, kernel: Kernel) -> tuple[int, int] | None:
    """Items that only the first, and only the second of two systems has right.

    ``None`` unless the metric is the share right of counted items.
    """
    record = kernel.record
    if record.proportion is None or kernel.target is not None:
        return None
    if pair.scores is not None and record.needs == "scores":
        trials = record.proportion(pair.scores)[1]
        if pair.cluster is not None or np.isnan(trials).any():
            return None
        a, b = (pair.scores.scores * pair.scores.truth).sum(axis=-1)
        return int((a > b).sum()), int((b > a).sum())
    if not pair.hard or not pair.counts_items or pair.items is None:
        return None
    c = kernel.prepared(pair.counts)
    hits, trials = record.proportion(c)
    share_right = np.array_equal(trials, c.total) and np.array_equal(hits, c.correct.sum(axis=-1))
    if not share_right or not np.allclose(kernel.function(c), hits / trials, rtol=0, atol=1e-12):
        return None
    right = pair.pred == pair.true[:, None]
    first, second = (int(pair.items[right[:, i] & ~right[:, 1 - i]].sum()) for i in (0, 1))
    return first, second


def pair_of(rows: Rows, i: int, j: int) -> Rows:
    """The rows of two of the systems; rows that are equal for both are merged."""
    if not rows.hard:
        scores = None if rows.scores is None else rows.scores.take([i, j])
        return replace(rows, pred=(rows.pred[i], rows.pred[j]), scores=scores)
    assert rows.items is not None and rows.square is not None
    weight_code = np.unique(rows.weight / np.maximum(rows.items, 1), return_inverse=True)[1]
    columns = (rows.true, *rows.pred[:, [i, j]].T, rows.cluster, weight_code)
    first, row = distinct_rows([x for x in columns if x is not None])
    true, pred, cluster = take(first, rows.true, rows.pred[:, [i, j]], rows.cluster)
    weight, square, items = (np.bincount(row, x) for x in (rows.weight, rows.square, rows.items))
    return Rows(rows.k, true, pred, weight, square, np.rint(items).astype(np.int64), cluster)


def correlation(pair: Rows, kernels: list[Kernel]) -> Floats:
    """The correlation of two systems' differences on several metrics, by the delta method."""
    if not kernels:
        return np.ones((0, 0))
    first, second = np.moveaxis(pair.influences(kernels), 1, 0)
    units = pair.unit_influences(pair.centred(first - second))
    with np.errstate(divide="ignore", invalid="ignore"):
        units = units / np.sqrt((units**2).sum(axis=1, keepdims=True))
        matrix = np.nan_to_num(units @ units.T)
    np.fill_diagonal(matrix, 1.0)
    return np.asarray(matrix)


# Permutations: two systems' answers are exchanged, item by item or cluster by cluster.

EXACT = 1 << 14
"""Permutations up to which all are enumerated instead of sampled."""

TABLES = 1 << 15
"""Weightings × systems × classes whose slopes are computed at once, to stay in cache."""

BLOCK = 1 << 22
"""Rows × draws whose weights are in memory at once."""


@dataclass(frozen=True, eq=False)
class PairedPermutations:
    """The rows of two systems, followed by those where they differ with answers exchanged.

    ``units`` counts the items of each unit that is permuted, ``moving`` are the rows where the
    systems differ, each with its ``unit`` and the ``share`` of its weight per item of the unit.
    ``item_weight`` is the weight of an item in each row.
    """

    rows: Rows
    item_weight: Floats
    units: Codes
    moving: Codes
    unit: Codes
    share: Floats

    @classmethod
    def from_pair(cls, pair: Rows) -> PairedPermutations:
        """The permutations of two systems' rows."""
        first, second = pair.pred.T if pair.hard else pair.pred
        differs = first != second if pair.hard else (first != second).any(axis=1)
        moving = np.flatnonzero(differs & (pair.weight > 0))
        if pair.cluster is not None:
            names, unit = np.unique(pair.cluster[moving], return_inverse=True)
            units = np.ones(len(names), np.int64)
        else:
            assert pair.items is not None
            units, unit = pair.items[moving], np.arange(len(moving))
        assert pair.square is not None
        both = np.concatenate([np.arange(len(pair.weight)), moving])
        if pair.hard:
            pred: Any = np.concatenate([pair.pred, pair.pred[moving][:, ::-1]])
        else:
            swapped = zip(pair.pred, pair.pred[::-1], strict=True)
            pred = tuple(np.concatenate([own, other[moving]]) for own, other in swapped)
        true, cluster, true_class = take(both, pair.true, pair.cluster, pair.true_class)
        weight = np.append(pair.weight, np.zeros(len(moving)))
        doubled = Rows(pair.k, true, pred, weight, cluster=cluster, true_class=true_class)
        share = pair.weight[moving] / units[unit]
        item_weight = divide(pair.square, pair.weight)[both]
        return cls(doubled, item_weight, units, moving, unit, share)

    @property
    def enumerable(self) -> bool:
        """Whether the permutations are few enough to enumerate."""
        return len(self.units) <= 40 and math.prod(int(n) + 1 for n in self.units) <= EXACT

    def enumerate_all(self) -> tuple[Codes, Floats]:
        """Every permutation, the identity first, and its probability."""
        if not len(self.units):
            return self.identity()
        sizes = tuple(int(n) + 1 for n in self.units)
        swaps = np.stack(np.unravel_index(np.arange(math.prod(sizes)), sizes), axis=1)
        chance = np.ones(len(swaps))
        for j, n in enumerate(sizes):
            binomial = np.array([math.comb(n - 1, s) / 2 ** (n - 1) for s in range(n)])
            chance *= binomial[swaps[:, j]]
        return swaps, chance

    def identity(self) -> tuple[Codes, Floats]:
        """No exchange at all, with probability 1."""
        return np.zeros((1, len(self.units)), np.int64), np.ones(1)

    def weights(self, swaps: Codes) -> Floats:
        """The rows' weights after permutations (draws × units)."""
        moved = swaps[:, self.unit] * self.share
        weights = np.repeat(self.rows.weight[None], len(moved), axis=0)
        weights[:, self.moving] -= moved
        weights[:, weights.shape[1] - len(self.moving) :] = moved
        return weights

    @property
    def most(self) -> int:
        """Permutations that are best computed at once."""
        return max(1, min(BLOCK // len(self.item_weight), TABLES // (2 * self.rows.k)))

    def differences(self, kernels: list[Kernel], weights: Floats) -> tuple[Floats, Floats]:
        """Differences and their delta errors (weightings × metrics), for weightings × rows.

        All weightings have the same true margins. An error is 0 where it is rounding, infinite
        where a slope is.
        """
        views = self.rows.views(kernels, weights)
        gaps, errors = np.empty((2, len(weights), len(kernels)))
        by_row = np.ascontiguousarray(weights.T)
        squares = by_row * self.item_weight[:, None]
        sums = np.asarray(self._differences.T @ by_row)
        infinite = np.zeros(errors.shape, bool)
        for j, (kernel, value) in enumerate(zip(kernels, views.values(kernels), strict=True)):
            c = views.prepared(kernel)
            gaps[:, j] = value[:, 0] - value[:, 1]
            differentiate = cell_gradient if kernel.over_cells else gradient
            errors[:, j] = self._error(
                kernel, differentiate(kernel.function, c), by_row, squares, sums
            )
            if not kernel.over_cells:
                steep = nondifferentiable(kernel.function, c, np.asarray(value))
                infinite[:, j] = steep.any(axis=1)
        errors[~is_informative(errors, gaps) & ~np.isnan(errors)] = 0.0
        errors[infinite] = np.inf
        return gaps, errors

    def _error(
        self, kernel: Kernel, g: AnyGradient, by_row: Floats, squares: Floats, sums: Floats
    ) -> Floats:
        """Errors of any rows: also of clusters, at a stated class mix, or with several labels.

        ``sums`` are the margins of the first system less the second's, and the totals.
        """
        if isinstance(g, CellGradient):
            first, second = self.rows.cell_slopes(g)
            psi = np.asarray(first - second)
            if kernel.target is None:
                psi -= np.einsum("rb,rb->b", by_row, psi) / by_row.sum(axis=0)
        else:
            slopes, total = self.rows.margin_slopes(g), np.zeros(by_row.shape[1])
            if kernel.target is None:  # the mean of rows is taken off in the margins
                total = np.einsum("cb,cb->b", sums[:-1], slopes) / sums[-1]
            psi = np.asarray(self._differences @ np.concatenate([slopes, -total[None]]))
        if kernel.target is not None:
            means = divide(self._strata @ (by_row * psi), self._strata @ by_row[:, :1])
            psi -= means[self.rows.strata]
            psi *= self.rows.scale(kernel, self.rows.weight)[:, None]
        if self.rows.cluster is None:
            psi *= psi
            return np.asarray(np.sqrt(np.einsum("rb,rb->b", squares, psi)))
        sums = self._clusters @ (by_row * psi)
        clusters = len(sums)
        return np.asarray(np.sqrt((sums**2).sum(axis=0) * (clusters / (clusters - 1))))

    @cached_property
    def _differences(self) -> Any:
        """Events of the first system less those of the second, and 1 for every row."""
        from scipy import sparse

        n, matrix = len(self.rows.weight), self.rows.event_matrix
        return sparse.hstack([matrix[:n] - matrix[n:], np.ones((n, 1))], format="csr")

    @cached_property
    def _strata(self) -> Any:
        return incidence(self.rows.strata, self.rows.k)

    @cached_property
    def _clusters(self) -> Any:
        return incidence(self.rows.clusters[0], len(self.rows.clusters[1]))


# The randomisation test.

RARE = 10
"""Draws that reach a statistic below which its p is imprecise."""


class Randomisation:
    """Differences of two systems after every permutation, or after as many as were drawn.

    ``differences`` and ``errors`` are permutations × metrics, the observed ones first; ``chance``
    is the probability of each.
    """

    def __init__(self, pair: Rows, kernels: list[Kernel], *, seed: int = 0) -> None:
        permutations = self._permutations = PairedPermutations.from_pair(pair)
        self._kernels, self._rng = kernels, np.random.default_rng(seed)
        self.exact = permutations.enumerable
        self.differences, self.errors = np.empty((2, 0, len(kernels)))
        listed = permutations.enumerate_all() if self.exact else permutations.identity()
        swaps, self.chance = listed
        chunk = permutations.most
        self._append(swaps[i : i + chunk] for i in range(0, len(swaps), chunk))

    @property
    def draws(self) -> int:
        """Permutations without the observed one."""
        return len(self.chance) - 1

    @property
    def cost(self) -> int:
        """Numbers that one more draw takes."""
        return len(self._permutations.item_weight) * len(self._kernels)

    def draw(self, count: int) -> None:
        """Draw until there are ``count`` draws, unless all permutations were enumerated."""
        more, units = 0 if self.exact else count - self.draws, self._permutations.units
        if more <= 0:
            return
        chunk = self._permutations.most
        sizes = [min(chunk, more - i) for i in range(0, more, chunk)]
        self._append(self._rng.binomial(units, 0.5, (size, len(units))) for size in sizes)
        self.chance = np.full(len(self.errors), 1 / len(self.errors))

    @property
    def statistics(self) -> Floats:
        """|difference| / error, permutations × metrics."""
        return studentised(self.differences, self.errors)

    @property
    def tested(self) -> Floats:
        """Which metrics can be tested: not if undefined, or with an infinite slope."""
        gap, error = np.abs(self.differences[0]), self.errors[0]
        return np.asarray((gap <= TIE) | (~np.isnan(gap) & np.isfinite(error)))

    @property
    def rare(self) -> bool:
        """Whether some statistic was reached so rarely that more draws are needed."""
        s = self.statistics
        seldom = float(extreme_share(s[0], s, self.chance).min(initial=1.0))
        return not self.exact and seldom * len(self.chance) < 1 + RARE

    @property
    def p(self) -> list[float | None]:
        """Two-sided p of each metric, uncorrected; ``None`` where it cannot be tested."""
        s = self.statistics
        each = extreme_share(s[0], s, self.chance).tolist()
        return [p if known else None for p, known in zip(each, self.tested.tolist(), strict=True)]

    @property
    def floor(self) -> Floats:
        """The smallest p that each metric could have."""
        if not self.exact:
            return np.full(len(self._kernels), 1 / len(self.chance))
        s = self.statistics
        return extreme_share(s.max(axis=0), s, self.chance)

    def _append(self, chunks: Iterable[Codes]) -> None:
        """Add the differences and errors after these permutations."""
        parts = [(self.differences, self.errors)]
        for swaps in chunks:
            weights = self._permutations.weights(swaps)
            parts.append(self._permutations.differences(self._kernels, weights))
        self.differences, self.errors = (np.concatenate(x) for x in zip(*parts, strict=True))


def studentised(differences: Floats, errors: Floats) -> Floats:
    """|difference| / error; 0 without a difference, infinite where only the error is 0.

    Undefined ones are infinite too, so that they count as reached.

    >>> studentised(np.array([0.5, 0.0, -0.5, 0.5]), np.array([0.1, 0.0, 0.0, np.inf])).tolist()
    [5.0, 0.0, inf, 0.0]
    """
    size = np.abs(differences)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = size / errors
    statistic[np.isnan(statistic)] = np.inf
    statistic[size <= TIE] = 0.0
    return np.asarray(statistic)


# Every pair of systems on one metric.


@dataclass(frozen=True, eq=False)
class SystemPairs:
    """Every pair of systems once, (0, 1), (0, 2), …: the difference's error, p and p after Holm.

    The error is NaN where it is 0 or unknown; p is 0 for a difference without variance, 1 without
    a difference, NaN where the error is unknown. ``df`` are the degrees of freedom, infinite
    unless there are few runs. ``items`` is the variance from the items alone.
    """

    systems: int
    se: Floats
    p: Floats
    p_adjusted: Floats
    df: Floats
    items: PairDifferences
    most: float = np.inf
    """The largest difference of two scores."""

    def at(self, i: int, j: int) -> int:
        """The index of a pair."""
        i, j = min(i, j), max(i, j)
        return i * self.systems - i * (i + 1) // 2 + j - i - 1

    def apart(self, level: float) -> NDArray[np.bool_]:
        """Systems × systems: which differ at this level, after Holm."""
        differs = np.zeros((self.systems, self.systems), bool)
        with np.errstate(invalid="ignore"):
            differs[np.triu_indices(self.systems, 1)] = self.p_adjusted < 1 - level
        return np.asarray(differs | differs.T)


def pairs_of_all(
    rows: Rows,
    kernels: list[Kernel],
    values: Iterable[Floats],
    spreads: Iterable[Floats],
    columns: Sequence[Sequence[int]],
) -> list[tuple[SystemPairs, Floats, Floats]]:
    """All pairs on every metric, the errors from the items, and the variance of items within runs.

    ``columns`` are systems' runs.
    """
    sizes, pairs = np.array([len(c) for c in columns]), []
    covariances = score_covariances(rows, kernels)
    for kernel, value, each, spread in zip(kernels, values, covariances, spreads, strict=True):
        mean, interaction = each.over(columns), each.interaction(columns)
        both = pairs_of(value, mean.between(), spread, sizes, interaction)
        pairs.append((replace(both, most=farthest(kernel)), mean.errors, interaction))
    return pairs


def pairs_of(
    value: Floats, items: PairDifferences, spread: Floats, sizes: Floats, interaction: Floats
) -> SystemPairs:
    """All pairs, from scores, their variance by items, and the spread between a system's runs.

    Var = that of the items + max(0, s_i²/r_i − w_i) + max(0, s_j²/r_j − w_j), with w the variance
    of items within runs, which the spread and that of the items both have; Welch and
    Satterthwaite's degrees of freedom for the runs; Holm over all pairs.
    """
    first, second = np.triu_indices(len(value), 1)
    run, run_df = np.maximum(spread**2 / sizes - interaction, 0.0), np.maximum(sizes - 1, 1)
    variances = np.stack([items.variance, run[first], run[second]])
    run_dfs = np.stack([np.full(len(first), np.inf), run_df[first], run_df[second]])
    df = np.minimum(satterthwaite(variances, run_dfs, axis=0), items.df)
    gap = np.subtract(*items.ends(value).T)
    se = np.sqrt(np.maximum(variances.sum(axis=0), 0.0))
    p = by_error(gap, se, df)
    adjusted = np.full(len(first), np.nan)
    adjusted[~np.isnan(p)] = holm(p[~np.isnan(p)])
    se = np.where(is_informative(se, gap), se, np.nan)
    return SystemPairs(len(value), se, p, adjusted, df, items)
