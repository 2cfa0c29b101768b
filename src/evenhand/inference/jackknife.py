"""The jackknife, effective sample sizes, covariances of scores."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from evenhand.core.averages import leave_one_out
from evenhand.core.derivatives import nondifferentiable
from evenhand.core.kernel import Kernel, TableViews
from evenhand.core.margins import Counts
from evenhand.inference.delta import (
    NonzeroCells,
    PseudoCounts,
    Smoothed,
    cells_error,
    error_parts,
    slopes_with,
)
from evenhand.inference.rows import CodeDesign, Codes, Floats, Rows, centred, divide, norm
from evenhand.inference.wilson import (
    critical_value,
    effective_sample_size,
    extent,
    extents,
    is_informative,
    reaches,
)
from evenhand.records import Intervals, Method, by

FEW_PREDICTIONS = 20
"""Predictions of a class below which pseudo-counts for predicted classes are added too."""

FEW_CLASSES = 5
"""Classes up to which the bias correction costs more variance than it removes bias."""


def applies(kernel: Kernel) -> bool:
    """Whether the metric is an average over classes, by itself or at a stated class mix."""
    record = kernel.record
    if record is None or record.own or kernel.by_class or kernel.over_cells:
        return False
    return record.equal_weights or (kernel.target is not None and record.bounded)


@dataclass(frozen=True, eq=False)
class StandardError:
    """Standard errors with degrees of freedom and the effective number of decisions.

    One entry per table; several metrics are the first axis.
    """

    se: Floats
    freedom: Floats
    decisions: Floats

    def __getitem__(self, i: int) -> StandardError:
        return StandardError(self.se[i], self.freedom[i], self.decisions[i])

    def reach(self, level: float) -> Floats:
        """The critical values of this level."""
        return reaches(level, self.freedom)


def steady(
    cells: NonzeroCells,
    kernels: Sequence[Kernel],
    values: Floats,
    views: TableViews,
    *,
    stratify: bool = False,
) -> StandardError:
    """Standard errors of averages of counted items, for one table or each of a stack.

    The larger of the jackknife's and of the delta method's with pseudo-counts. ``kernels`` are all
    as observed, or at one class mix; metrics are the first axis of ``values``. NaN where a slope is
    infinite.
    """
    counts = [views.prepared(k) for k in kernels]
    pairs = list(zip(kernels, counts, strict=True))
    unknown = [nondifferentiable(k.function, c, v) for (k, c), v in zip(pairs, values, strict=True)]
    smooth, false_alarms = _errors_by_truth(cells, kernels, stratify)
    if kernels[0].target is None and not stratify:
        se = deletion_errors(cells, pairs)
        rare = np.stack([rarely_predicted(c) for c in counts]) & np.stack(false_alarms)
        if rare.any():
            other = errors_by_prediction(cells, kernels)
            smooth = StandardError(
                np.where(rare, np.fmax(smooth.se, other.se), smooth.se),
                np.where(rare, np.minimum(smooth.freedom, other.freedom), smooth.freedom),
                np.where(rare, np.fmin(smooth.decisions, other.decisions), smooth.decisions),
            )
    else:  # leaving out an item moves its whole row
        se = np.stack([cells_error(cells, k, views, stratify=stratify) for k in kernels])
    decisions = effective_sample_size(values, se, *extents(kernels, se))
    return StandardError(
        np.where(unknown, np.nan, np.fmax(se, smooth.se)),
        smooth.freedom,
        np.where(unknown, np.nan, np.fmin(smooth.decisions, decisions)),
    )


def biased(kernel: Kernel) -> Floats:
    """In which tables the value has a bias that :func:`corrected` should remove."""
    has_bias = kernel.record is not None and kernel.record.biased
    classes = 0 if kernel.averaged is None else kernel.averaged.sum(axis=-1)
    return np.asarray(has_bias & (np.asarray(classes) > FEW_CLASSES))


def corrected(
    cells: NonzeroCells, kernel: Kernel, value: Floats, views: TableViews, level: float
) -> Intervals:
    """The value less its bias, with an interval: n·θ − (n − 1)·mean of θ₋ᵢ (Quenouille 1956)."""
    c, n = cells, np.asarray(cells.counts.total, np.float64)
    counts = views.prepared(kernel)
    without = leave_one_out(kernel.function, counts, c.table, c.true, c.pred)
    mean = np.bincount(c.table, c.weight * without, minlength=c.tables).reshape(c.shape) / n
    unbiased = n * value - (n - 1) * mean
    se = deletion_errors(cells, [(kernel, counts)])[0]
    half = critical_value(level) * se
    value = np.clip(unbiased, *extent(kernel))
    low, high = (np.clip(x, *extent(kernel)) for x in (unbiased - half, value + half))
    informative = is_informative(high - low)
    low, high, se = (np.where(informative, x, np.nan) for x in (low, high, se))
    return Intervals(value, se, low, high, by(Method("jackknife", "cut"), value), level)


def deletion_errors(cells: NonzeroCells, pairs: Sequence[tuple[Kernel, Counts]]) -> Floats:
    """√((n − 1)/n · Σ (θ₋ᵢ − θ̄)²) over the items i, for each metric and its margins."""
    c, n = cells, cells.tables
    index = (c.table, c.true, c.pred)
    psi = np.stack([deletion_influences(k, counts, *index) for k, counts in pairs])
    parts = c.units.parts(centred(psi, c.weight, c.table, n))
    return norm(parts, c.table, n).reshape(-1, *c.shape)


def deletion_influences(
    kernel: Kernel,
    counts: Counts,
    table: Floats,
    true: Floats,
    pred: Floats,
) -> Floats:
    """The jackknife's influence of an item of each cell: −√((n − 1)/n)·θ₋ᵢ."""
    total = np.asarray(counts.total, np.float64).reshape(-1)
    shrink = np.sqrt(divide(total - 1, total))
    without = leave_one_out(kernel.function, counts, table, true, pred)
    return np.asarray(-shrink[table] * without)


def smoothed(
    cells: NonzeroCells, kernels: Sequence[Kernel], *, stratify: bool = False
) -> StandardError:
    """The delta method at tables with pseudo-counts, for the number of items observed.

    Degrees of freedom are Welch & Satterthwaite's, a true class of n items having n + 1.
    """
    return _errors_by_truth(cells, kernels, stratify)[0]


def _errors_by_truth(
    cells: NonzeroCells, kernels: Sequence[Kernel], stratify: bool
) -> tuple[StandardError, list[Floats]]:
    """The same, and for each metric the tables where false positives lower it."""
    pseudo = PseudoCounts.true(kernels, cells, stratify)
    false_alarms = [g.false_positives.any(axis=-1) for g in pseudo.slopes]
    return _smoothed(cells, kernels, pseudo, cells.true), false_alarms


def errors_by_prediction(cells: NonzeroCells, kernels: Sequence[Kernel]) -> StandardError:
    """The same with pseudo-counts for each predicted class."""
    return _smoothed(cells, kernels, PseudoCounts.predicted(kernels, cells), cells.pred)


def _smoothed(
    c: NonzeroCells, kernels: Sequence[Kernel], pseudo: PseudoCounts, group: Codes
) -> StandardError:
    moments = pseudo.moments(c, group, pseudo.influences(c))
    se = np.sqrt(moments.parts.sum(axis=-1))
    values = np.stack([g.value for g in pseudo.slopes])
    decisions = effective_sample_size(values, se, *extents(kernels, se))
    return StandardError(se, moments.freedom, decisions)


def rarely_predicted(counts: Counts) -> Floats:
    """In which tables some averaged class is predicted a few times only."""
    rare = (counts.bias > 0) & (counts.bias < FEW_PREDICTIONS)
    listed = rare if counts.averaged is None else rare & counts.averaged
    return np.asarray(listed.any(axis=-1))


def effective(cells: NonzeroCells, kernel: Kernel, items: Floats) -> StandardError:
    """Standard errors of an average of items with weights or in clusters, for each table.

    ``items`` (tables × k) is the effective number of items of each true class. Degrees of freedom
    are Welch & Satterthwaite's, and no more than those of the clusters.
    """
    c, size, k = cells, cells.tables, cells.k
    items = items.reshape(size, k)
    truth = c.prevalence.reshape(size, k)
    heft = divide(truth, items)  # weight of an effective item
    unit = divide((heft * truth).sum(axis=1), truth.sum(axis=1), 1.0)
    heft, counts = heft / unit[:, None], _in_units(c.counts.flat(), unit)
    smooth = Smoothed.from_margins(counts)
    g = slopes_with(kernel, smooth.margins(counts, heft))
    slope_sum, square_sum = smooth.moments(g)
    weight, pseudo = c.weight / unit[c.table], heft * smooth.items
    total, square = counts.prevalence.sum(axis=1), (heft * counts.prevalence).sum(axis=1)
    more, more_square = total + pseudo.sum(axis=1), square + (heft * pseudo).sum(axis=1)
    psi = g.at(c.table, c.true, c.pred)
    sums = np.bincount(c.table, weight * psi, minlength=size) + (heft * slope_sum).sum(axis=1)
    mean = (sums / more)[:, None]
    row, deviation = c.table * k + c.true, psi - mean[c.table, 0]
    n = np.maximum(items.reshape(-1), 2.0)[row]
    spread = deviation * np.sqrt(n / (n - 1)) if c.cluster is None else deviation
    parts = c.units.parts(spread / unit[c.table])
    observed = norm(parts, c.table if c.units.home is None else c.units.home, size) ** 2
    added = square_sum - 2 * mean * slope_sum + mean**2 * smooth.items
    added = heft**2 * np.maximum(added, 0.0)
    factor = divide(square, total**2) / divide(more_square, more**2, 1.0)  # for the items observed
    se = np.sqrt(factor * (observed + added.sum(axis=1)))
    alone = weight * heft.reshape(-1)[row] * deviation**2
    by_class = np.bincount(row, alone, minlength=size * k).reshape(size, k) + added
    fewer = (by_class**2 / (items + 1)).sum(axis=1)
    freedom = np.minimum(divide(by_class.sum(axis=1) ** 2, fewer, np.inf), c.units.freedom)
    decisions = effective_sample_size(np.asarray(g.value), se, *extent(kernel))
    return StandardError(*(x.reshape(c.shape) for x in (se, freedom, decisions)))


def _in_units(c: Counts, unit: Floats) -> Counts:
    """Margins divided by a unit of weight for each table."""
    margins = {name: getattr(c, name) / unit[:, None] for name in ("correct", "bias", "prevalence")}
    return replace(c, **margins, total=c.total / unit, outside=c.outside / unit)


# Covariances of the scores of several systems on the same items.

BLOCK = 1 << 20
"""Numbers in memory at once where pairs are compared row by row."""


@dataclass(frozen=True, eq=False)
class ErrorParts:
    """Parts of the errors of scores (systems × units), whose inner products are covariances.

    ``own`` is variance that a system shares with no other; ``where`` masks the systems whose
    variances, also of differences, the parts estimate (``None``: all).
    """

    parts: Floats
    own: Floats
    where: Floats | None = None

    @property
    def variance(self) -> Floats:
        """The variance of each score."""
        variance = (self.parts**2).sum(axis=1) + self.own
        return np.asarray(variance if self.where is None else variance * self.where)

    def between(self) -> Floats:
        """The variance of the difference of every two scores, (0, 1), (0, 2), …"""
        parts, own, where = self.parts, self.own, self.where
        first, second = np.triu_indices(len(parts), 1)
        # sorted, so that products do not depend on the order of systems
        order = np.argsort((parts**2).sum(axis=1), kind="stable")
        ordered, product = parts[order], np.empty((len(parts), len(parts)))
        product[np.ix_(order, order)] = ordered @ ordered.T
        squares = np.diag(product)[first] + np.diag(product)[second]
        variance = squares - 2 * product[first, second]
        cancelled = np.flatnonzero(variance < 1e-6 * squares)  # digits are lost: from the parts
        chunk = max(1, BLOCK // max(1, parts.shape[1]))
        for start in range(0, len(cancelled), chunk):
            at = cancelled[start : start + chunk]
            variance[at] = ((parts[first[at]] - parts[second[at]]) ** 2).sum(axis=1)
        variance = variance + (own[first] + own[second])
        return np.asarray(variance if where is None else variance * (where[first] | where[second]))

    def over(self, columns: Sequence[Sequence[int]]) -> ErrorParts:
        """The parts of means over the runs of each system, given as columns."""
        where = self.where
        if where is not None:
            where = np.array([where[list(c)].any() for c in columns])
        if all(len(c) == 1 for c in columns):
            at = [c[0] for c in columns]
            return ErrorParts(self.parts[at], self.own[at], where)
        parts = np.stack([self.parts[list(c)].mean(axis=0) for c in columns])
        own = np.array([self.own[list(c)].sum() / len(c) ** 2 for c in columns])
        return ErrorParts(parts, own, where)


@dataclass(frozen=True)
class SystemErrors:
    """The difference of two scores: its standard error, degrees of freedom, and the ``size`` that
    one item on which the systems differ adds to it."""

    se: float
    freedom: float
    size: float


@dataclass(frozen=True, eq=False)
class ScoreCovariance:
    """How the scores of systems vary, by one or more estimators of which the largest counts.

    ``freedom`` has the degrees of freedom of each score.
    """

    ways: tuple[ErrorParts, ...]
    freedom: Floats

    @property
    def errors(self) -> Floats:
        """The standard error of each score."""
        return np.asarray(np.sqrt(np.max([w.variance for w in self.ways], axis=0)))

    def between(self) -> Floats:
        """The variance of the difference of every two scores, (0, 1), (0, 2), …

        Systems that never differ, or always by the same, have none, whatever other estimators say.
        """
        first, *others = (w.between() for w in self.ways)
        return np.where(first == 0, 0.0, np.max([first, *others], axis=0))

    def between_freedom(self) -> Floats:
        """The degrees of freedom of each difference: the smaller of two scores'."""
        first, second = np.triu_indices(len(self.freedom), 1)
        return np.minimum(self.freedom[first], self.freedom[second])

    def over(self, columns: Sequence[Sequence[int]]) -> ScoreCovariance:
        """The covariance of means over the runs of each system, given as columns."""
        ways = tuple(w.over(columns) for w in self.ways)
        return ScoreCovariance(ways, np.array([self.freedom[list(c)].min() for c in columns]))


def varied_of(rows: Rows, kernels: list[Kernel], views: TableViews) -> Iterator[ScoreCovariance]:
    """The covariance of all systems' scores on each metric, by slopes.

    For averages of counted items, the larger of the jackknife's and of the slopes' at tables with
    pseudo-counts.
    """
    chunk = max(1, BLOCK // max(1, rows.design.systems * len(rows.weight)))
    for i in range(0, len(kernels), chunk):
        yield from _covariances(rows, kernels[i : i + chunk], views)


def difference_errors(rows: Rows, kernels: list[Kernel]) -> list[SystemErrors]:
    """How the difference of the first two scores varies on each metric."""
    errors = []
    for v in varied_of(rows, kernels, rows.views(kernels)):
        se, freedom = math.sqrt(v.between()[0]), v.between_freedom()[0].item()
        errors.append(SystemErrors(se, freedom, item_sizes(rows, v)[0].item()))
    return errors


def item_sizes(rows: Rows, covariance: ScoreCovariance) -> Floats:
    """What one item, or cluster, on which two systems differ adds to the difference of each two.

    Σ|a|³ / Σa² over the items or clusters: 1/n for accuracy.
    """
    root = np.asarray(1.0)
    if rows.cluster is None and rows.items is not None:
        root = np.sqrt(np.maximum(rows.items, 1))
    gaps = (np.abs(i - j) for i, j in combinations(covariance.ways[0].parts, 2))
    return np.array([divide((gap**3 / root).sum(), (gap**2).sum()) for gap in gaps])


def _covariances(rows: Rows, kernels: list[Kernel], views: TableViews) -> Iterator[ScoreCovariance]:
    design, averages = rows.design, set[int]()
    if isinstance(design, CodeDesign) and rows.counted:
        averages = {i for i, k in enumerate(kernels) if applies(k)}
    sloped = [i for i, k in enumerate(kernels) if i not in averages or k.target is not None]
    influences = rows.influences([kernels[i] for i in sloped], views)
    influence_of = dict(zip(sloped, influences, strict=True))
    if averages:
        cells = NonzeroCells.from_rows(rows, design.counts(rows.weight[None]).at(0))
    for i, kernel in enumerate(kernels):
        if i not in averages:
            parts = error_parts(rows, influence_of[i])
            freedom = np.full(design.systems, rows.freedom)
            yield ScoreCovariance((ErrorParts(parts, np.zeros(len(parts))),), freedom)
            continue
        counts = views.prepared(kernel)
        psi = influence_of.get(i)
        if psi is None:
            psi = deletion_influences(kernel, counts, cells.table, cells.true, cells.pred)
            psi = psi.reshape(design.systems, -1)
        infinite = nondifferentiable(kernel.function, counts, kernel.function(counts))
        first = ErrorParts(error_parts(rows, psi), np.where(infinite, np.nan, 0.0))
        yield _of_average(cells, kernel, counts, first)


def _of_average(
    cells: NonzeroCells, kernel: Kernel, counts: Counts, first: ErrorParts
) -> ScoreCovariance:
    """The covariance of an average: the ``first`` estimator, and those with pseudo-counts."""
    pseudo = PseudoCounts.true([kernel], cells)
    second, freedom = _smoothed_parts(cells, pseudo, cells.true)
    rare = rarely_predicted(counts)
    if kernel.target is not None or not (pseudo.slopes[0].false_positives.any() and rare.any()):
        return ScoreCovariance((first, second), freedom)
    third, fewer = _smoothed_parts(cells, PseudoCounts.predicted([kernel], cells), cells.pred)
    freedom = np.where(rare, np.minimum(freedom, fewer), freedom)
    return ScoreCovariance((first, second, replace(third, where=rare)), freedom)


def _smoothed_parts(
    c: NonzeroCells, pseudo: PseudoCounts, group: Codes
) -> tuple[ErrorParts, Floats]:
    """Parts from slopes at tables with pseudo-counts, and degrees of freedom.

    Pseudo-items of true classes are shared by the systems.
    """
    psi, slope_sums, items = pseudo.influences(c), pseudo.slope_sums[0], pseudo.items
    moments = pseudo.moments(c, group, psi)
    mean, factor = (
        np.broadcast_to(x, pseudo.slope_sums.shape)[0] for x in (moments.mean, moments.factor)
    )
    parts = (psi[0] - mean[c.table, group]) * np.sqrt(factor[c.table, group] * c.weight)
    parts = parts.reshape(c.tables, -1)
    own = factor * (pseudo.square_sums[0] - 2 * mean * slope_sums + mean**2 * items)
    if items.shape[-1] == c.k:  # true classes
        shared = np.sqrt(factor / 2) * (slope_sums - mean * items)
        parts, own = np.concatenate([parts, shared], axis=1), own - shared**2
    return ErrorParts(parts, np.maximum(own, 0.0).sum(axis=1)), moments.freedom[0]
