"""The delta method, also smoothed by pseudo-counts; small classes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, cast

import numpy as np

from evenhand.catalogue.binding import table_warnings
from evenhand.core.derivatives import PseudoItems
from evenhand.core.kernel import Kernel
from evenhand.core.margins import Counts, factors
from evenhand.core.scores import ItemScores
from evenhand.data.confusion import Confusion
from evenhand.data.labels import Labels
from evenhand.data.multilabel import AnyTable
from evenhand.data.sample import Sample, SoftSample
from evenhand.inference.rows import (
    Codes,
    Data,
    Floats,
    Rows,
    centred,
    divide,
    grouped,
    rows_of,
)
from evenhand.inference.wilson import effective_sample_size, extents
from evenhand.options import Classes
from evenhand.warnings import (
    FewClusters,
    FewHits,
    FewTrueItems,
    ResultWarning,
    ZeroProbability,
)


def satterthwaite(variances: Floats, df: Floats, axis: int = -1) -> Floats:
    """Degrees of freedom of a sum of independent estimates: (Σ v)² / Σ (v²/df).

    (Satterthwaite 1946, Welch 1947); infinite where no term has finite ones.

    >>> float(satterthwaite(np.array([0.04, 0.02]), np.array([9.0, np.inf])).round(6))
    20.25
    """
    shares = divide(variances, variances.sum(axis=axis, keepdims=True), 0.0)  # squares may overflow
    squares = (shares**2 / df).sum(axis=axis)
    return np.asarray(divide(np.ones_like(squares), squares, np.inf))


@dataclass(frozen=True, eq=False)
class StandardError:
    """Standard errors with their degrees of freedom and effective sample sizes.

    One entry per table; several metrics are the first axis.
    """

    se: Floats
    df: Floats
    n_eff: Floats

    @classmethod
    def of_values(
        cls, kernels: Sequence[Kernel], values: Floats, se: Floats, df: Floats | float = np.inf
    ) -> StandardError:
        """The errors of metrics (metrics × tables), and the sample size that each stands for."""
        n_eff = effective_sample_size(values, se, *extents(kernels, se))
        return cls(se, np.broadcast_to(df, se.shape), n_eff)

    def __getitem__(self, i: Any) -> StandardError:
        return StandardError(self.se[i], self.df[i], self.n_eff[i])

    def or_larger(self, other: StandardError) -> StandardError:
        """The larger error and the smaller sample size, with the fewest degrees of freedom.

        Where one of both is unknown (NaN), it is the other.
        """
        se, df = np.fmax(self.se, other.se), np.minimum(self.df, other.df)
        return StandardError(se, df, np.fmin(self.n_eff, other.n_eff))


# Smoothing by pseudo-items.

FEWEST = 2
"""Degrees of freedom of a class that is never predicted: with one, as its two pseudo-items would
have, Student's quantile is 12.7 and no interval says anything; it covers with two."""


BLOCK = 1 << 20
"""Numbers in memory at once where pairs are compared row by row."""


@dataclass(frozen=True, eq=False)
class VarianceEstimate:
    """How the scores of systems, or of the tables of a stack, vary by one estimate.

    ``units`` are the influences of the sampling units (metrics × systems × units), whose inner
    products are covariances; ``own`` is variance that a score shares with no other (metrics ×
    tables). ``values`` are the scores at the table behind it. Of one metric, there is no axis of
    metrics.
    """

    units: Floats
    own: Floats
    values: Floats
    df: Floats

    def __getitem__(self, metric: int) -> VarianceEstimate:
        return VarianceEstimate(*(x[metric] for x in vars(self).values()))

    def standard_error(self, rows: Rows, kernels: Sequence[Kernel]) -> StandardError:
        """The errors of each metric and table, and the sample size that each stands for."""
        se = np.sqrt(rows.root_sum_squares(self.units) ** 2 + self.own)
        return StandardError.of_values(kernels, self.values, se, self.df)

    def between(self) -> Floats:
        """The variance of the difference of every two systems' scores, (0, 1), (0, 2), …"""
        units, own = self.units, self.own
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
        return np.asarray(variance + (own[first] + own[second]))

    def over(self, columns: Sequence[Sequence[int]]) -> VarianceEstimate:
        """The estimate for means over the runs of each system, given as columns."""
        at, both = [list(c) for c in columns], (self.units, self.values)
        units, values = (np.stack([x[c].mean(axis=0) for c in at]) for x in both)
        own = np.array([self.own[c].sum() / len(c) ** 2 for c in at])
        return VarianceEstimate(units, own, values, np.array([self.df[c].min() for c in at]))


def delta_estimate(
    rows: Rows, kernel: Kernel, c: Any, values: Floats, *, stratify: bool = False
) -> VarianceEstimate:
    """The delta method; unknown where the values are.

    The degrees of freedom are those of the clusters; of independent items with scores those of the
    true classes, since the few items of a rare class may have most of the variance.
    """
    psi = rows.influence(kernel, c)
    units, df = rows.unit_influences(rows.centred(psi, by_class=stratify)), rows.df
    if rows.cluster is None and rows.stratum is not None and kernel.record.needs == "scores":
        items = np.bincount(rows.strata, minlength=rows.k)
        variances = grouped(units**2, rows.strata, rows.k)
        df = satterthwaite(variances, np.maximum(items - 1, 1))
    return VarianceEstimate(units, np.where(np.isnan(values), np.nan, 0.0), values, df)


def smoothed_estimate(
    rows: Rows, kernels: Sequence[Kernel], *, by_prediction: bool = False, stratify: bool = False
) -> VarianceEstimate:
    """The delta method at the table with two pseudo-items of each class, true or predicted.

    A class whose items were all right, or that was predicted a few times or never, would have a
    certain recall or precision. A pseudo-item weighs as much as an effective item of its class; the
    variance is that of the items observed. ``kernels`` have one class mix; at a stated one, or with
    ``stratify``, each class is a sample of its own.
    """
    target, k = kernels[0].target, rows.k
    groups = k + by_prediction  # predictions may lie outside
    table, true, pred = rows.index
    group = pred if by_prediction else true
    weight = rows.by_group(rows.weight[None], group, groups)
    items = rows.predicted_items if by_prediction else rows.true_items
    mean_item = divide(divide(weight**2, items).sum(axis=1), weight.sum(axis=1))[:, None]
    item = np.where(items > 0, divide(divide(weight, items), mean_item), 1.0)
    unit, scale = mean_item[table, 0], np.ones(1)
    counts = rows.counts.per(mean_item[:, 0])
    margins, pseudo = counts, PseudoItems.from_margins(counts, transposed=by_prediction)
    if target is not None:
        scale = factors(counts.prevalence + item * pseudo.items, target) * pseudo.on
        scaled = rows.weight * scale[: rows.stack].reshape(-1)[rows.strata]
        margins = rows.margins(scaled).per(mean_item[:, 0])
    gradients = pseudo.gradients(kernels, margins, item[:, :k] * scale)
    sums, squares = np.zeros((2, len(kernels), len(weight), groups))
    sums[..., :k], squares[..., :k] = zip(*map(pseudo.slope_sums, gradients), strict=True)
    number = np.zeros(weight.shape)
    number[:, :k] = pseudo.items
    psi = np.stack([rows.slopes(g) for g in gradients])

    def in_sample(x: Floats) -> Floats:
        each = stratify or target is not None
        return np.broadcast_to(x if each else x.sum(axis=-1, keepdims=True), x.shape)

    mass, added_mass = weight / mean_item, item * number
    more = in_sample(mass + added_mass)
    mean = in_sample(rows.by_group(rows.weight / unit * psi, group, groups) + item * sums)
    mean = divide(mean, more)
    per_item = divide(in_sample(item * (mass + added_mass)), more**2, 1.0)
    factor = scale**2 * divide(in_sample(item * mass), in_sample(mass) ** 2) / per_item
    deviation = psi - mean[:, table, group]
    spread = deviation * (np.sqrt(factor)[table, group] / unit)
    if not rows.counts_items and rows.cluster is None:
        own = np.maximum(items, 2.0)[table, group]
        spread *= np.sqrt(own / (own - 1))
    added = factor * item**2 * np.maximum(squares - 2 * mean * sums + mean**2 * number, 0.0)
    within = rows.by_group(rows.weight / unit * item[table, group] * deviation**2, group, groups)
    df = satterthwaite(factor * within + added, np.maximum(items + number - 1, FEWEST))
    shared = np.sqrt(factor / 2) * item * (sums - mean * number)
    if by_prediction:  # which does not concern macro recall
        concerned = np.array([g.false_positives.any() for g in gradients])[:, None]
        spread, added = spread * concerned[..., None], added * concerned[..., None]
        df, shared = np.where(concerned, df, np.inf), shared[..., :0]
    values = np.stack([g.value for g in gradients])
    units, own = rows.unit_influences(spread), added.sum(axis=-1)
    if rows.table is None:  # else no two scores are compared
        units = np.concatenate([units, shared], axis=-1)
        own = np.maximum(own - (shared**2).sum(axis=-1), 0.0)
    return VarianceEstimate(units, own, values, np.minimum(df, rows.df))


PSEUDO_SCORED = 0.25
"""Weight of the pseudo-item of a class with scores, by which intervals cover best."""
MANY_SCORED = 100_000
"""Items of every class beside which a pseudo-item tells nothing."""


def smoothed_score_error(rows: Rows, kernel: Kernel, error: StandardError) -> StandardError | None:
    """Errors of a metric of scores with a pseudo-item for each true class, if larger than these.

    It has the median, over the other classes, of their items' median scores. A class whose items
    all score high would else be certain to score so. There are none with items of one class.
    """
    scores = rows.scores
    if scores is None or rows.stratum is None:
        return None
    items = np.bincount(rows.strata, minlength=rows.k)
    classes = np.flatnonzero(items)
    if len(classes) < 2:
        return None
    if items[classes].min() >= MANY_SCORED and np.all(error.se > 0):
        return error
    medians = [np.median(scores.scores[:, rows.strata == j], axis=1) for j in classes]
    pseudo = _medians_of_others(np.stack(medians, axis=1))
    order, last = np.argsort(-pseudo[0, :, -1]), scores.scores[0, :, -1]
    # where they stand if items are in order of their scores
    at = np.sort(len(last) - np.searchsorted(last[::-1], pseudo[0, order, -1]))

    def inserted(x: Floats, more: Floats, axis: int = 0) -> Floats:
        """Numbers of items with those of the pseudo-items."""
        return np.insert(x, at, more.take(order, axis), axis)

    mean, pseudo_weight = rows.weight.mean(), np.full(len(classes), PSEUDO_SCORED)
    truth = inserted(scores.truth, np.eye(rows.k)[classes])
    weight = inserted(rows.weight, pseudo_weight * mean)
    square = inserted(np.asarray(rows.square), pseudo_weight * mean**2)
    code = inserted(rows.strata, classes)
    more = ItemScores(truth, inserted(scores.scores, pseudo, axis=1), weight)
    psi = centred(more.influences(kernel.function), weight)
    variances = grouped(psi**2 * square, code, rows.k)[:, classes]
    variances *= (items[classes] + PSEUDO_SCORED) / items[classes]
    df = satterthwaite(variances, np.maximum(items[classes] - 1, 1))
    se, values = np.sqrt(variances.sum(axis=-1)), more.values(kernel.function)
    smoothed = StandardError.of_values([kernel], values[None], se[None], df)[0]
    return error.or_larger(smoothed)


def _medians_of_others(x: Floats) -> Floats:
    """The median of all other numbers in place of each, along the second axis.

    >>> _medians_of_others(np.array([[1.0, 5.0, 2.0, 9.0]]))
    array([[5., 2., 5., 2.]])
    """
    ordered, most = np.sort(x, axis=1), x.shape[1] - 2
    rank = np.argsort(np.argsort(x, axis=1), axis=1)
    middle = [
        np.take_along_axis(ordered, place + (rank <= place), axis=1)
        for place in (most // 2, (most + 1) // 2)
    ]
    return np.asarray(sum(middle) / 2)


# Rates of predictions given the true class.


def at_mix(rates: Floats, mix: Floats) -> Counts:
    """Margins of these rates at a class mix: correct π_i·R_ii, bias (πR)_j, and so on.

    >>> at_mix(np.array([[0.8, 0.2, 0.0], [0.1, 0.9, 0.0]]), np.array([0.3, 0.7])).bias.round(6)
    array([0.31, 0.69])
    """
    hit = mix * np.diagonal(rates[..., :-1], axis1=-2, axis2=-1)
    wrong, each = rates.copy(), np.arange(mix.shape[-1])
    wrong[..., each, each] = 0
    columns = (mix[..., None, :] @ wrong)[..., 0, :]
    misses, alarms = mix * wrong.sum(axis=-1), columns[..., :-1]
    total = mix.sum(axis=-1)
    return Counts(hit, hit + alarms, mix, total, columns[..., -1], errors=(misses, alarms))


# Small classes, where intervals may be too narrow.

FEW = 10
"""True items, or predictions, of a class below which it is small."""

FEW_HITS = 5
"""Correct predictions of a class below which it is small."""

FEW_CLUSTERS = 20
"""Clusters of equal size below which their variance is not reliable."""


def true_items(table: AnyTable) -> Floats:
    """Items of each true class (…, k), effective ones if weighted: (Σw)² / Σw² (Kish 1965)."""
    weight = np.asarray(table.prevalence, np.float64)
    squares = table.true_squares if table.weighing == "given" else None
    if squares is None:
        return weight
    return np.asarray(divide(weight, np.sqrt(squares)) ** 2)


def small_class_warnings(
    kernels: Iterable[Kernel], table: AnyTable, metrics: tuple[str, ...] = ()
) -> Iterable[ResultWarning]:
    """Warnings of small classes in averages over classes among ``kernels``.

    ``metrics`` are those to be named, where not all are shown.

    >>> from evenhand.catalogue.binding import bind
    >>> table = Confusion.from_matrix([[45, 5], [1, 3]])
    >>> list(small_class_warnings([bind("macro_f1", table)], table))
    [FewTrueItems(labels=(1,), few=10, metrics=(), kind='averages')]
    """
    small = few_classes([(k, True) for k in kernels], table, table.counts_over(None, 0.0))
    codes = small.max(axis=0, initial=0)
    few_hits = ((small == 1) & (codes == 1)).any(axis=1)
    names = cast(Confusion, table).keys[0] if len(small) > 1 else ()
    systems = tuple(str(name) for name, few in zip(names, few_hits, strict=False) if few)
    yield from small_class_notes(codes, table.labels, systems, metrics)


def small_class_notes(
    kinds: Floats, labels: Labels, systems: tuple[str, ...] = (), metrics: tuple[str, ...] = ()
) -> Iterable[ResultWarning]:
    """One warning for each kind of small class, from the codes of :func:`few_classes`."""
    classes, others = (tuple(labels[j] for j in np.flatnonzero(kinds == i)) for i in (2, 1))
    if classes:
        yield FewTrueItems(classes, FEW, metrics)
    if others:
        yield FewHits(others, FEW, FEW_HITS, systems, metrics)


def few_classes(
    kernels: Iterable[tuple[Kernel, Floats | bool]], table: AnyTable, margins: Counts
) -> Floats:
    """Tables × classes: 2 for few true items, 1 for few predictions or hits only, else 0.

    Classes count if some kernel averages over them. Each kernel comes with a mask of tables.
    """
    small = np.zeros((prod(table.shape), table.k), np.int64)
    averages = [(k, tables) for k, tables in kernels if weighs_classes_alike(k)]
    codes = rare_classes(table, margins) if averages else small
    for kernel, tables in averages:
        mask = True if kernel.averaged is None else kernel.averaged.reshape(-1, table.k)
        small = np.maximum(small, codes * np.reshape(tables, (-1, 1)) * mask)
    return small


def rare_classes(table: AnyTable, margins: Counts) -> Codes:
    """Tables × classes, averaged or not: 2 for few true items, 1 for few predictions or hits."""
    shape = (prod(table.shape), table.k)
    items = true_items(table).reshape(shape)
    weight, predicted, hits = (
        np.reshape(x, shape).astype(np.float64)
        for x in (margins.prevalence, margins.bias, margins.correct)
    )
    share = divide(items, weight, 1.0)  # effective items per unit of weight
    edge = 1e-9  # ten equal weights may sum to slightly less
    rare = (predicted * share < FEW - edge) | (hits * share < FEW_HITS - edge)
    return np.where(items < FEW - edge, 2, np.where(rare, 1, 0)) * (items > 0)


def few_clusters(data: Data) -> list[list[ResultWarning]]:
    """For each slice, or for all data, a warning if clusters are few, or worth few equal ones."""
    if data.cluster is None:
        return [[]]
    rows = rows_of(data)
    pairs = zip(rows.clusters[2].tolist(), rows.effective_clusters.tolist(), strict=True)
    return [[FewClusters(n, round(x))] if x < FEW_CLUSTERS - 0.5 else [] for n, x in pairs]


FEW_RANKED = 50
"""True items of a class below which intervals of areas under curves cover too seldom."""


def score_warnings(kernels: Iterable[Kernel], tables: AnyTable) -> Iterable[ResultWarning]:
    """Warnings of metrics of scores: classes of few items, probabilities of 0."""
    records = {k.name: k.record for k in kernels if k.record.needs == "scores"}
    scores = tables.item_scores if records else None
    if scores is None:
        return
    items = scores.truth.sum(axis=0)
    few = tuple(v for v, n in zip(tables.labels, items, strict=True) if 0 < n < FEW_RANKED)
    areas = tuple(name for name, m in records.items() if "average" in m.parameters)
    if few and areas:
        yield FewTrueItems(few, FEW_RANKED, areas, "areas under curves")
    losses = tuple(name for name, m in records.items() if m.name == "log_loss")
    if losses and (zero := (scores.scores * scores.truth).sum(axis=-1) <= 0).any():
        yield ZeroProbability(int(zero.sum()), zero.size, losses)


def weighs_classes_alike(kernel: Kernel) -> bool:
    """Whether small classes count more than their items: macro averages, and a stated mix."""
    record = kernel.record
    return not record.of_one_class and (record.equal_weights or kernel.target is not None)


def paired_cautions(
    sample: Sample | SoftSample,
    tables: Confusion,
    sure: list[Kernel],
    classes: Classes,
    undefined: float,
) -> tuple[ResultWarning, ...]:
    """Warnings of labels never true, predictions that are no class, small classes of the metrics
    that have an interval (``sure``), and few clusters."""
    return (
        *table_warnings(tables, classes, undefined),
        *small_class_warnings(sure, tables),
        *score_warnings(sure, tables),
        *few_clusters(sample)[0],
    )


def row_items(table: Confusion, rows: Rows | None = None) -> Floats:
    """Effective items of each true class (… × k), by weights (Kish) and by clusters of ``rows``."""
    items = true_items(table)
    return items if rows is None else rows.true_items.reshape(items.shape)
