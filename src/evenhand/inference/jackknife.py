"""The jackknife, effective sample sizes, covariances of scores."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from evenhand.core.averages import leave_one_out
from evenhand.core.derivatives import Gradient, finite_gradient, nondifferentiable
from evenhand.core.kernel import Kernel, TableViews
from evenhand.core.margins import Counts
from evenhand.inference.delta import PseudoItems, SmoothedSlopes, StandardError, satterthwaite
from evenhand.inference.rows import CodeDesign, Floats, Rows, divide
from evenhand.inference.wilson import (
    critical_value,
    effective_sample_size,
    extent,
    is_informative,
)
from evenhand.records import Intervals, Method, by

FEW_PREDICTIONS = 20
"""Predictions of a class below which pseudo-counts for predicted classes are added too."""

FEW_CLASSES = 5
"""Classes up to which the bias correction costs more variance than it removes bias."""


def averages_classes(kernel: Kernel) -> bool:
    """Whether the metric is an average over classes, by itself or at a stated class mix."""
    record = kernel.record
    if record is None or record.own or kernel.by_class or kernel.over_cells:
        return False
    return record.equal_weights or (kernel.target is not None and record.bounded)


def average_error(
    rows: Rows,
    kernels: Sequence[Kernel],
    values: Floats,
    views: TableViews,
    *,
    stratify: bool = False,
) -> StandardError:
    """Standard errors of averages of counted items (metrics × tables).

    The larger of the jackknife's and of the delta method's with pseudo-items. ``kernels`` are all
    as observed, or at one class mix. NaN where a slope is infinite.
    """
    counts = [views.prepared(k) for k in kernels]
    triples = zip(kernels, counts, values, strict=True)
    infinite = np.stack([nondifferentiable(k.function, c, v).reshape(-1) for k, c, v in triples])
    by_truth = SmoothedSlopes.by_truth(rows, kernels, stratify)
    error = by_truth.standard_error(kernels)
    if kernels[0].target is None and not stratify:
        pairs = zip(kernels, counts, strict=True)
        se = rows.standard_error(np.stack([deletion_influence(rows, k, c) for k, c in pairs]))
        rare = np.stack(list(map(rarely_predicted, by_truth.gradients, counts)))
        if rare.any():
            other = SmoothedSlopes.by_prediction(rows, kernels).standard_error(kernels)
            error = error.or_larger(other, rare)
    else:  # leaving out an item moves its whole row
        psi = np.stack([rows.influence(k, views) for k in kernels])
        se = rows.standard_error(psi, stratify=stratify)
    return error.or_larger(StandardError.of_values(kernels, values, se)).unknown(infinite)


def biased(kernel: Kernel) -> Floats:
    """In which tables the value has a bias that :func:`corrected` should remove."""
    has_bias = kernel.record is not None and kernel.record.biased
    classes = 0 if kernel.averaged is None else kernel.averaged.sum(axis=-1)
    return np.asarray(has_bias & (np.asarray(classes) > FEW_CLASSES))


def corrected(
    rows: Rows, kernel: Kernel, value: Floats, views: TableViews, level: float
) -> Intervals:
    """The value less its bias, with an interval: n·θ − (n − 1)·mean of θ₋ᵢ (Quenouille 1956)."""
    counts = views.prepared(kernel)
    without = _left_out(rows, kernel, counts)
    n = rows.counts.total
    mean = without - rows.centred(without)
    unbiased = n * value - (n - 1) * mean[..., 0]
    se = rows.standard_error(deletion_influence(rows, kernel, counts))
    half = critical_value(level) * se
    value = np.clip(unbiased, *extent(kernel))
    low, high = (np.clip(x, *extent(kernel)) for x in (unbiased - half, value + half))
    informative = is_informative(high - low)
    low, high, se = (np.where(informative, x, np.nan) for x in (low, high, se))
    return Intervals(value, se, low, high, by(Method("jackknife", "cut"), value), level)


def _left_out(rows: Rows, kernel: Kernel, counts: Counts) -> Floats:
    """The value with one item of each row less, systems × rows."""
    table, true, pred = np.broadcast_arrays(*rows.codes.index)
    index = (x.reshape(-1) for x in (table, true, pred))
    return leave_one_out(kernel.function, counts, *index).reshape(table.shape)


def deletion_influence(rows: Rows, kernel: Kernel, counts: Counts) -> Floats:
    """The jackknife's influence of an item of each row (systems × rows): −√((n − 1)/n)·θ₋ᵢ.

    Its standard error is √((n − 1)/n · Σ (θ₋ᵢ − θ̄)²) over the items i.
    """
    n = np.asarray(counts.total, np.float64).reshape(-1)
    root = np.sqrt(divide(n - 1, n))
    return np.asarray(-root[rows.codes.index[0]] * _left_out(rows, kernel, counts))


def rarely_predicted(g: Gradient, counts: Counts) -> Floats:
    """In which tables an averaged class is predicted a few times only, and false alarms matter."""
    rare = (counts.bias > 0) & (counts.bias < FEW_PREDICTIONS)
    listed = rare if counts.averaged is None else rare & counts.averaged
    return np.asarray(listed.any(axis=-1) & g.false_positives.any(axis=-1))


def weighted_average_error(rows: Rows, kernel: Kernel, items: Floats) -> StandardError:
    """Standard errors of an average of items with weights or in clusters, for each table.

    ``items`` (tables × k) is the effective number of items of each true class. Degrees of freedom
    are Welch & Satterthwaite's, and no more than those of the clusters.
    """
    truth = rows.counts.prevalence
    heft = divide(truth, items)  # weight of an effective item
    unit = divide((heft * truth).sum(axis=1), truth.sum(axis=1), 1.0)
    heft, (table, true, _) = heft / unit[:, None], rows.codes.index
    counts = rows.counts.through(lambda x: x / unit[:, None], lambda x: x / unit)
    pseudo = PseudoItems.from_margins(counts)
    g = finite_gradient(kernel.function, kernel.prepared(pseudo.margins(counts, heft)))
    slope_sums, square_sums = pseudo.slope_sums(g)
    weight, pseudo_weight = rows.weight / unit[table], heft * pseudo.items
    n, squares = counts.prevalence.sum(axis=1), (heft * counts.prevalence).sum(axis=1)
    more = n + pseudo_weight.sum(axis=1)
    more_squares = squares + (heft * pseudo_weight).sum(axis=1)
    psi = rows.design.influence(g)
    mean = (rows.by_group(weight * psi, true, rows.k) + heft * slope_sums).sum(axis=1) / more
    deviation = psi - mean[table]
    own = np.maximum(items, 2.0)[table, true]
    spread = deviation * np.sqrt(own / (own - 1)) if rows.cluster is None else deviation
    observed = rows.root_sum_squares(rows.unit_influences(spread / unit[table])) ** 2
    middle = mean[:, None]
    added = square_sums - 2 * middle * slope_sums + middle**2 * pseudo.items
    added = heft**2 * np.maximum(added, 0.0)
    factor = divide(squares, n**2) / divide(more_squares, more**2, 1.0)  # for the items observed
    se = np.sqrt(factor * (observed + added.sum(axis=1)))
    variances = rows.by_group(weight * heft[table, true] * deviation**2, true, rows.k) + added
    df = np.minimum(satterthwaite(variances, items + 1), rows.df)
    n_eff = effective_sample_size(np.asarray(g.value), se, *extent(kernel))
    return StandardError(se, df, n_eff)


# Covariances of the scores of several systems on the same items.

BLOCK = 1 << 20
"""Numbers in memory at once where pairs are compared row by row."""


@dataclass(frozen=True, eq=False)
class VarianceEstimate:
    """Influences of the units on scores (systems × units), whose inner products are covariances.

    ``own`` is variance that a system shares with no other; ``where`` masks the systems whose
    variances, also of differences, are estimated so (``None``: all).
    """

    units: Floats
    own: Floats
    where: Floats | None = None

    @property
    def variance(self) -> Floats:
        """The variance of each score."""
        variance = (self.units**2).sum(axis=1) + self.own
        return np.asarray(variance if self.where is None else variance * self.where)

    def between(self) -> Floats:
        """The variance of the difference of every two scores, (0, 1), (0, 2), …"""
        units, own, where = self.units, self.own, self.where
        first, second = np.triu_indices(len(units), 1)
        # sorted, so that products do not depend on the order of systems
        order = np.argsort((units**2).sum(axis=1), kind="stable")
        ordered, product = units[order], np.empty((len(units), len(units)))
        product[np.ix_(order, order)] = ordered @ ordered.T
        squares = np.diag(product)[first] + np.diag(product)[second]
        variance = squares - 2 * product[first, second]
        cancelled = np.flatnonzero(variance < 1e-6 * squares)  # digits are lost: unit by unit
        chunk = max(1, BLOCK // max(1, units.shape[1]))
        for start in range(0, len(cancelled), chunk):
            at = cancelled[start : start + chunk]
            variance[at] = ((units[first[at]] - units[second[at]]) ** 2).sum(axis=1)
        variance = variance + (own[first] + own[second])
        return np.asarray(variance if where is None else variance * (where[first] | where[second]))

    def over(self, columns: Sequence[Sequence[int]]) -> VarianceEstimate:
        """The estimate for means over the runs of each system, given as columns."""
        where = self.where
        if where is not None:
            where = np.array([where[list(c)].any() for c in columns])
        units = [
            self.units[c[0]] if len(c) == 1 else self.units[list(c)].mean(axis=0) for c in columns
        ]
        own = np.array([self.own[list(c)].sum() / len(c) ** 2 for c in columns])
        return VarianceEstimate(np.stack(units), own, where)


@dataclass(frozen=True, eq=False)
class PairDifferences:
    """The variance of the difference of every two scores, and its degrees of freedom."""

    variance: Floats
    df: Floats

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
    """How the scores of systems vary, by one or more estimates of which the largest counts.

    ``df`` has the degrees of freedom of each score.
    """

    estimates: tuple[VarianceEstimate, ...]
    df: Floats

    @property
    def errors(self) -> Floats:
        """The standard error of each score."""
        return np.asarray(np.sqrt(np.max([e.variance for e in self.estimates], axis=0)))

    def between(self) -> PairDifferences:
        """The difference of every two scores, (0, 1), (0, 2), …, with the fewer degrees of freedom.

        Systems that never differ, or always by the same, have no variance, whatever other
        estimates say.
        """
        first, *others = (e.between() for e in self.estimates)
        variance = np.where(first == 0, 0.0, np.max([first, *others], axis=0))
        i, j = np.triu_indices(len(self.df), 1)
        return PairDifferences(variance, np.minimum(self.df[i], self.df[j]))

    def over(self, columns: Sequence[Sequence[int]]) -> ScoreCovariance:
        """The covariance of means over the runs of each system, given as columns."""
        estimates = tuple(e.over(columns) for e in self.estimates)
        return ScoreCovariance(estimates, np.array([self.df[list(c)].min() for c in columns]))

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
    """The covariance of all systems' scores on each metric, by influences.

    For averages of counted items, the larger of the jackknife's and of that by slopes at tables
    with pseudo-items.
    """
    views = rows.views(kernels)
    smoothable = isinstance(rows.design, CodeDesign) and rows.counts_items
    for kernel in kernels:
        average = smoothable and averages_classes(kernel)
        if average and kernel.target is None:
            psi = deletion_influence(rows, kernel, views.prepared(kernel))
        else:
            psi = rows.influence(kernel, views)
        units = rows.unit_influences(rows.centred(psi))
        if not average:
            yield ScoreCovariance((VarianceEstimate(units, np.zeros(len(units))),), rows.df)
            continue
        counts = views.prepared(kernel)
        infinite = nondifferentiable(kernel.function, counts, kernel.function(counts))
        first = VarianceEstimate(units, np.where(infinite, np.nan, 0.0))
        by_truth = SmoothedSlopes.by_truth(rows, [kernel])
        estimates, df = [first, _smoothed(by_truth)], by_truth.df[0]
        rare = rarely_predicted(by_truth.gradients[0], counts)
        if kernel.target is None and rare.any():
            by_prediction = SmoothedSlopes.by_prediction(rows, [kernel])
            estimates.append(replace(_smoothed(by_prediction), where=rare))
            df = np.where(rare, np.minimum(df, by_prediction.df[0]), df)
        yield ScoreCovariance(tuple(estimates), df)


def _smoothed(slopes: SmoothedSlopes) -> VarianceEstimate:
    """The estimate by one metric's slopes at tables with pseudo-items.

    Pseudo-items of true classes are shared by the systems.
    """
    sums, items, shape = slopes.slope_sums[0], slopes.pseudo_items, slopes.slope_sums.shape
    mean, factor = (np.broadcast_to(x, shape)[0] for x in (slopes.mean, slopes.factor))
    at = (slopes.rows.codes.index[0], slopes.group)
    units = (slopes.influence[0] - mean[at]) * np.sqrt(factor[at] * slopes.rows.weight)
    own = factor * (slopes.square_sums[0] - 2 * mean * sums + mean**2 * items)
    if items.shape[-1] == slopes.rows.k:  # true classes
        shared = np.sqrt(factor / 2) * (sums - mean * items)
        units, own = np.concatenate([units, shared], axis=1), own - shared**2
    return VarianceEstimate(units, np.maximum(own, 0.0).sum(axis=1))
