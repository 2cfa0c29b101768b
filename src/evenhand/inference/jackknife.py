"""The jackknife, effective sample sizes, covariances of scores."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations

import numpy as np

from evenhand.core.averages import leave_one_out
from evenhand.core.derivatives import nondifferentiable
from evenhand.core.kernel import Kernel
from evenhand.core.margins import Counts
from evenhand.inference.delta import (
    StandardError,
    VarianceEstimate,
    delta_estimate,
    satterthwaite,
    smoothed_estimate,
    weighs_classes_alike,
)
from evenhand.inference.rows import Codes, Floats, Rows, divide
from evenhand.inference.wilson import (
    critical_value,
    extent,
    farthest,
    is_informative,
    method_array,
)
from evenhand.records import Intervals, Method

FEW_CLASSES = 5
"""Classes up to which the bias correction costs more variance than it removes bias."""


def smoothable(rows: Rows, kernel: Kernel) -> bool:
    """Whether pseudo-items say how the metric varies: a bounded one of margins, of hard labels."""
    record = kernel.record
    if record.own or kernel.by_class or kernel.over_cells or kernel.over_items:
        return False
    return rows.hard and record.bounded and record.smooth


def variance_estimates(
    rows: Rows, kernels: Sequence[Kernel], margins: Sequence[Counts], *, stratify: bool = False
) -> list[VarianceEstimate]:
    """The estimates of which the largest counts, for smoothable metrics at one class mix.

    The jackknife's (the delta method's where it has no closed form), and those of the tables with
    pseudo-items of each true and of each predicted class. NaN where an average's slope is infinite.
    """
    values, influences = [], []
    as_observed = kernels[0].target is None and not stratify
    deletes = as_observed and rows.counts_items
    for kernel, counts in zip(kernels, margins, strict=True):
        average = kernel.record.of_own_counts
        influence = deletion_influence if average and deletes else Rows.influence
        psi = influence(rows, kernel, counts)
        value = np.asarray(kernel.function(counts), np.float64)
        if average:
            value = np.where(nondifferentiable(kernel.function, counts, value), np.nan, value)
        if kernel.target is not None:  # each class is a sample of its own
            items, (table, true, _) = np.maximum(rows.true_items, 2.0), rows.index
            psi = psi * (items / (items - 1))[table, true]
        values.append(value.reshape(-1))
        influences.append(psi)
    units = rows.unit_influences(rows.centred(np.stack(influences), by_class=stratify))
    own = np.where(np.isnan(values), np.nan, 0.0)
    df = np.broadcast_to(rows.df, own.shape)
    estimates = [VarianceEstimate(units, own, np.stack(values), df)]
    estimates.append(smoothed_estimate(rows, kernels, stratify=stratify))
    if as_observed:  # at a stated mix a column has no size of its own
        estimates.append(smoothed_estimate(rows, kernels, by_prediction=True))
    return estimates


def score_errors(
    rows: Rows, kernels: Sequence[Kernel], margins: Sequence[Counts], *, stratify: bool = False
) -> tuple[StandardError, StandardError]:
    """The standard errors of smoothable metrics at one class mix (metrics × tables).

    The largest of all estimates, and that without pseudo-items.
    """
    estimates = variance_estimates(rows, kernels, margins, stratify=stratify)
    first, *others = (e.standard_error(rows, kernels) for e in estimates)
    largest = reduce(StandardError.or_larger, others, first)
    unknown = np.where(np.isnan(estimates[0].values), np.nan, 1.0)
    return StandardError(largest.se * unknown, largest.df, largest.n_eff * unknown), first


def biased(kernel: Kernel) -> Floats:
    """In which tables the value has a bias that :func:`corrected` should remove."""
    classes = 0 if kernel.averaged is None else kernel.averaged.sum(axis=-1)
    return np.asarray(kernel.record.biased & (np.asarray(classes) > FEW_CLASSES))


def corrected(rows: Rows, kernel: Kernel, value: Floats, counts: Counts, level: float) -> Intervals:
    """The value less its bias, with an interval: n·θ − (n − 1)·mean of θ₋ᵢ (Quenouille 1956)."""
    without = _left_out(rows, kernel, counts)
    n = rows.counts.total
    mean = np.full(rows.tables, np.nan)
    mean[rows.index[0]] = without - rows.centred(without)
    unbiased = n * value - (n - 1) * mean
    se = rows.standard_error(deletion_influence(rows, kernel, counts))
    half = critical_value(level) * se
    value = np.clip(unbiased, *extent(kernel))
    low, high = (np.clip(x, *extent(kernel)) for x in (unbiased - half, value + half))
    informative = is_informative(high - low)
    low, high, se = (np.where(informative, x, np.nan) for x in (low, high, se))
    return Intervals(value, se, low, high, method_array(Method("jackknife", "cut"), value), level)


def _left_out(rows: Rows, kernel: Kernel, counts: Counts) -> Floats:
    """The value with one item of each row less, systems × rows."""
    index = (x.reshape(-1) for x in rows.index)
    return leave_one_out(kernel.function, counts, *index).reshape(rows.index[0].shape)


def deletion_influence(rows: Rows, kernel: Kernel, counts: Counts) -> Floats:
    """The jackknife's influence of an item of each row (systems × rows): −√((n − 1)/n)·θ₋ᵢ.

    Its standard error is √((n − 1)/n · Σ (θ₋ᵢ − θ̄)²) over the items i.
    """
    n = np.asarray(counts.total, np.float64).reshape(-1)
    root = np.sqrt(divide(n - 1, n))
    return np.asarray(-root[rows.index[0]] * _left_out(rows, kernel, counts))


# Covariances of the scores of several systems on the same items.


@dataclass(frozen=True, eq=False)
class PairDifferences:
    """The variance of the difference of every two scores, and its degrees of freedom.

    Where systems were asked different items, also the scores on the ``items`` of both.
    """

    variance: Floats
    df: Floats
    values: Floats | None = None
    items: Codes | None = None

    def ends(self, value: Floats) -> Floats:
        """The scores of the two systems of each pair: those given, or those on common items."""
        if self.values is not None:
            return self.values
        return np.stack([value[i] for i in np.triu_indices(len(value), 1)], axis=-1)

    @classmethod
    def of_mean(cls, parts: Sequence[PairDifferences]) -> PairDifferences:
        """The variance of means over parts that share no items.

        >>> numbers = ((0.04, 9.0), (0.02, np.inf))
        >>> parts = [PairDifferences(np.array([v]), np.array([f])) for v, f in numbers]
        >>> mean = PairDifferences.of_mean(parts)
        >>> mean.variance.round(6).tolist(), mean.df.round(6).tolist()
        ([0.015], [20.25])
        """
        variances, df = (np.stack([getattr(p, name) for p in parts]) for name in ("variance", "df"))
        total = variances.sum(axis=0) / len(parts) ** 2
        return cls(total, satterthwaite(variances, df, axis=0))


@dataclass(frozen=True, eq=False)
class ScoreCovariance:
    """How the scores of systems on one metric vary, by estimates of which the largest counts."""

    estimates: tuple[VarianceEstimate, ...]
    common: PairDifferences | None = None

    @property
    def errors(self) -> Floats:
        """The standard error of each score."""
        variances = [(e.units**2).sum(axis=1) + e.own for e in self.estimates]
        return np.asarray(np.sqrt(np.max(variances, axis=0)))

    @property
    def df(self) -> Floats:
        """The fewest degrees of freedom of each score."""
        return np.asarray(np.min([e.df for e in self.estimates], axis=0))

    def between(self) -> PairDifferences:
        """The difference of every two scores, (0, 1), (0, 2), …, with the fewer degrees of freedom.

        Systems that never differ, or always by the same, have no variance, whatever other
        estimates say.
        """
        if self.common is not None:
            return self.common
        first, *others = (e.between() for e in self.estimates)
        variance = np.where(first == 0, 0.0, np.max([first, *others], axis=0))
        i, j = np.triu_indices(len(self.df), 1)
        return PairDifferences(variance, np.minimum(self.df[i], self.df[j]))

    def over(self, columns: Sequence[Sequence[int]]) -> ScoreCovariance:
        """The covariance of means over the runs of each system, given as columns."""
        return replace(self, estimates=tuple(e.over(columns) for e in self.estimates))

    def interaction(self, columns: Sequence[Sequence[int]]) -> Floats:
        """The variance of the mean over a system's runs by what items do in one run only.

        Σ (a − ā)² / (r (r − 1)) over the runs and units; the spread between runs has it too.
        """
        units, variances = self.estimates[0].units, np.zeros(len(columns))
        for i, own in enumerate(columns):
            if (r := len(own)) > 1:
                variances[i] = r * units[list(own)].var(axis=0).sum() / (r * (r - 1))
        return variances

    def item_sizes(self, rows: Rows) -> Floats:
        """What one item, or cluster, on which two systems differ adds to the difference of each.

        Σ|a|³ / Σa² over the items or clusters: 1/n for accuracy.
        """
        root = np.asarray(1.0)
        if rows.cluster is None and rows.items is not None:
            root = np.sqrt(np.maximum(rows.items, 1))
        gaps = (np.abs(i - j) for i, j in combinations(self.estimates[0].units, 2))
        return np.array([divide((gap**3 / root).sum(), (gap**2).sum()) for gap in gaps])


@dataclass(frozen=True)
class DifferenceError:
    """The difference of two scores: its standard error, degrees of freedom, and the ``size`` that
    one item on which the systems differ adds to it."""

    se: float
    df: float
    size: float


def difference_errors(rows: Rows, kernels: list[Kernel]) -> list[DifferenceError]:
    """How the difference of the first two scores varies on each metric."""
    errors = []
    for covariance in score_covariances(rows, kernels):
        both = covariance.between()
        size = covariance.item_sizes(rows)[0].item()
        errors.append(DifferenceError(math.sqrt(both.variance[0]), both.df[0].item(), size))
    return errors


def score_covariances(rows: Rows, kernels: list[Kernel]) -> Iterator[ScoreCovariance]:
    """The covariance of all systems' scores on each metric, by the estimates of their errors.

    Differences of kappa, MCC and the like hold with the delta method's error alone: pseudo-items,
    in which systems differ as if by chance, would hide that both are nearly perfect.
    """
    views = rows.views(kernels)
    for kernel, value in zip(kernels, views.values(kernels), strict=True):
        if smoothable(rows, kernel) and weighs_classes_alike(kernel):
            each = [e[0] for e in variance_estimates(rows, [kernel], [views.prepared(kernel)])]
        else:
            each = [delta_estimate(rows, kernel, views.prepared(kernel), np.reshape(value, -1))]
        scores = rows.scores if kernel.record.needs == "scores" else None
        absent = scores is not None and np.isnan(scores.scores).any()
        yield ScoreCovariance(tuple(each), on_common_items(rows) if absent else None)


def on_common_items(rows: Rows) -> PairDifferences:
    """The difference of every two mean grades on the items that both systems have.

    Its error is that of a mean of differences, added up within clusters.
    """
    assert rows.scores is not None
    grades = (rows.scores.scores * rows.scores.truth).sum(axis=-1)
    units = np.arange(len(rows.weight)) if rows.cluster is None else rows.cluster
    columns: list[tuple[float, float, tuple[float, float], int]] = []
    for a, b in combinations(grades, 2):
        both = ~np.isnan(a - b)
        if not both.any():
            columns.append((np.nan, np.nan, (np.nan, np.nan), 0))
            continue
        weight, first, second = rows.weight[both] / rows.weight[both].sum(), a[both], b[both]
        means = (float(weight @ first), float(weight @ second))
        own = np.unique(units[both], return_inverse=True)[1]
        sums = np.bincount(own, weight * (first - second - (means[0] - means[1])))
        count = len(sums)
        variance = float(sums @ sums) * count / (count - 1) if count > 1 else np.nan
        columns.append((variance, count - 1, means, int(both.sum())))
    variances, df, values, items = zip(*columns, strict=True)
    return PairDifferences(np.array(variances), np.array(df), np.array(values), np.array(items))


@dataclass(frozen=True, eq=False, kw_only=True)
class PairIntervals(Intervals):
    """The differences of chosen pairs on every metric (pairs × metrics), with both scores."""

    scores: Floats
    dfs: Floats

    @classmethod
    def from_scores(
        cls,
        values: list[Floats],
        covariances: list[ScoreCovariance],
        kernels: list[Kernel],
        pairs: list[tuple[int, int]],
        level: float,
    ) -> PairIntervals:
        """From the scores of all systems on every metric, and how they vary together."""
        order = {pair: c for c, pair in enumerate(combinations(range(len(values[0])), 2))}
        chosen = [order[min(p), max(p)] for p in pairs]
        differ = [v.between() for v in covariances]
        scores = np.array([d.ends(v)[chosen] for d, v in zip(differ, values, strict=True)])
        turned = [i > j for i, j in pairs]
        scores[:, turned] = scores[:, turned, ::-1]
        gaps = (scores[..., 0] - scores[..., 1]).T
        errors = np.sqrt([d.variance[chosen] for d in differ]).T
        dfs = np.array([d.df[chosen] for d in differ]).T
        most = np.array([farthest(k) for k in kernels])
        half = np.where(is_informative(errors, gaps), critical_value(level, dfs) * errors, np.nan)
        low, high = np.maximum(gaps - half, -most), np.minimum(gaps + half, most)
        method = method_array(Method("delta"), gaps)
        return cls(gaps, errors, low, high, method, level, scores=scores, dfs=dfs)
