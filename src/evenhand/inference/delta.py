"""The delta method, also smoothed by pseudo-counts; small classes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any, cast

import numpy as np

from evenhand.catalogue.binding import lost_by_system, notes_by_system, views_of
from evenhand.core.arrays import floating
from evenhand.core.derivatives import Gradient, finite_gradient
from evenhand.core.kernel import Kernel
from evenhand.core.margins import Counts, factors
from evenhand.core.ratio import ratio
from evenhand.data.confusion import Confusion
from evenhand.data.labels import Labels
from evenhand.data.multilabel import AnyTable
from evenhand.data.sample import Sample, SampleSlices, SoftSample
from evenhand.inference.rows import Codes, Floats, Rows, divide, grouped, rows_of
from evenhand.inference.wilson import critical_value, effective_sample_size, extents
from evenhand.options import Classes
from evenhand.warnings import FewClusters, FewHits, FewTrueItems, ResultWarning


def satterthwaite(variances: Floats, df: Floats, axis: int = -1) -> Floats:
    """Degrees of freedom of a sum of independent estimates: (Σ v)² / Σ (v²/df).

    (Satterthwaite 1946, Welch 1947); infinite where no term has finite ones.

    >>> float(satterthwaite(np.array([0.04, 0.02]), np.array([9.0, np.inf])).round(6))
    20.25
    """
    shares = divide(variances, variances.sum(axis=axis, keepdims=True), 0.0)  # squares may overflow
    squares = (shares**2 / df).sum(axis=axis)
    return divide(np.ones_like(squares), squares, np.inf)


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

    def or_larger(self, other: StandardError, where: Floats | bool = True) -> StandardError:
        """The larger error and the smaller sample size, with the fewest degrees of freedom.

        Where one of both is unknown (NaN), it is the other.
        """
        return StandardError(
            np.where(where, np.fmax(self.se, other.se), self.se),
            np.where(where, np.minimum(self.df, other.df), self.df),
            np.where(where, np.fmin(self.n_eff, other.n_eff), self.n_eff),
        )

    def unknown(self, where: Floats) -> StandardError:
        """Without errors in the tables where they are unknown."""
        se, n_eff = (np.where(where, np.nan, x) for x in (self.se, self.n_eff))
        return StandardError(se, self.df, n_eff)

    def critical_value(self, level: float) -> Floats:
        """Student's critical values of this level."""
        return np.asarray(critical_value(level, self.df))


def table_error(table: Confusion, kernel: Kernel, *, stratify: bool = False) -> Floats:
    """The delta method's standard error for one table, or for every table of a stack.

    >>> from evenhand.catalogue.binding import bind
    >>> table = Confusion.from_matrix([[45, 5], [10, 40]])
    >>> round(float(table_error(table, bind("accuracy", table))), 6)  # √(0.85 · 0.15 / 100)
    0.035707
    """
    rows = rows_of(table)
    psi = rows.influence(kernel, views_of([kernel], table))
    return rows.standard_error(psi, stratify=stratify).reshape(table.shape)


# Smoothing by pseudo-items.


@dataclass(frozen=True, eq=False)
class PseudoItems:
    """Pseudo-items of a table or stack: one right and one wrong for each true class.

    ``on`` is 1 for a class that is true (…, k); the wrong item is spread over the other
    ``columns`` (…, k + 1, the outside one last) in proportion to their weights. ``others`` is the
    weight of all columns but the class's own.
    """

    on: Floats
    columns: Floats
    others: Floats

    @classmethod
    def from_margins(cls, c: Counts, *, transposed: bool = False) -> PseudoItems:
        """Pseudo-items for the margins of counted items.

        A column weighs its sum + 1, if its label occurs; the outside column if it is not empty, or
        if there is no other. A transposed table (``transposed``) has no outside column, and no
        pseudo-items where these could lie in one cell only.
        """
        occurs = (c.prevalence > 0) | (c.bias > 0)
        inside = np.where(occurs, floating(c.bias) + 1.0, 0.0)
        outside = 0.0 if transposed else floating(c.outside)
        outside = np.broadcast_to(outside, np.shape(c.total))[..., None]
        single_label = (not transposed) & (occurs.sum(axis=-1, keepdims=True) < 2)
        lost = np.where((outside > 0) | single_label, outside + 1.0, 0.0)
        columns = np.concatenate([inside, lost], axis=-1)
        others = columns.sum(axis=-1, keepdims=True) - inside
        on = (c.prevalence > 0) & (others > 0)
        return cls(np.asarray(on, np.float64), columns, np.where(on, others, 1.0))

    @classmethod
    def of_cells(cls, cells: Floats) -> PseudoItems:
        """Pseudo-items for cells, … × k × k + 1."""
        truth, column = cells.sum(axis=-1), cells.sum(axis=-2)
        bias, outside = column[..., :-1], column[..., -1]
        hits = np.diagonal(cells[..., :-1], axis1=-2, axis2=-1)
        return cls.from_margins(Counts(hits, bias, truth, truth.sum(axis=-1), outside))

    @property
    def items(self) -> Floats:
        """The number of pseudo-items of each class."""
        return 2 * self.on

    def cells(self) -> Floats:
        """The pseudo-items in each cell, … × k × k + 1.

        >>> cells = np.array([[8, 0, 1, 0], [0, 2, 0, 0], [0, 0, 0, 0]])
        >>> PseudoItems.of_cells(cells).cells().round(2)
        array([[1.  , 0.6 , 0.4 , 0.  ],
               [0.82, 1.  , 0.18, 0.  ],
               [0.  , 0.  , 0.  , 0.  ]])
        """
        columns = self.columns[..., None, :]
        own = np.eye(columns.shape[-1] - 1, columns.shape[-1])
        return np.asarray(self.on[..., None] * (own + (1 - own) * columns / self.others[..., None]))

    def margins(self, c: Counts, scale: Floats | float = 1.0) -> Counts:
        """The margins ``c`` plus the pseudo-items, which weigh ``scale`` in each true row."""
        hits = scale * self.on
        spread = hits / self.others
        all_spread = spread.sum(axis=-1, keepdims=True)
        return Counts(
            floating(c.correct) + hits,
            floating(c.bias) + hits + self.columns[..., :-1] * (all_spread - spread),
            floating(c.prevalence) + 2 * hits,
            floating(c.total) + 2 * hits.sum(axis=-1),
            floating(c.outside) + (self.columns[..., -1:] * all_spread)[..., 0],
        )

    def slope_sums(self, g: Gradient) -> tuple[Floats, Floats]:
        """Sums of slopes, and of their squares, over the pseudo-items of each class."""
        total, outside = (np.asarray(x)[..., None] for x in (g.total, g.outside))
        right, wrong = g.correct + total, g.false_negatives + total
        slope = np.concatenate([g.false_positives, outside], axis=-1)
        mean, square = (
            (x.sum(axis=-1, keepdims=True) - x[..., :-1]) / self.others
            for x in (self.columns * slope, self.columns * slope**2)
        )
        squares = right**2 + wrong**2 + 2 * wrong * mean + square
        return self.on * (right + wrong + mean), self.on * squares


@dataclass(frozen=True, eq=False)
class SmoothedSlopes:
    """Slopes of metrics at tables with two pseudo-items for each true or each predicted class.

    These classes are the groups: ``group`` is that of each row, ``pseudo_items`` their number
    (tables × groups), ``slope_sums`` and ``square_sums`` run over them (metrics × tables ×
    groups). At a stated class mix ``scale`` are the weights of the true rows; ``apart`` says that
    each group is a sample of its own, not the table one.
    """

    rows: Rows
    gradients: list[Gradient]
    group: Codes
    pseudo_items: Floats
    slope_sums: Floats
    square_sums: Floats
    scale: Floats
    apart: bool

    @classmethod
    def by_truth(
        cls, rows: Rows, kernels: Sequence[Kernel], stratify: bool = False
    ) -> SmoothedSlopes:
        """Two pseudo-items for each true class; ``kernels`` have one class mix."""
        pseudo, target, scale = PseudoItems.from_margins(rows.counts), kernels[0].target, np.ones(1)
        margins = pseudo.margins(rows.counts)
        if target is not None:
            scale = factors(rows.counts.prevalence + pseudo.items, target) * pseudo.on
            weight = rows.weight * scale[: rows.design.stack].reshape(-1)[rows.strata]
            margins = pseudo.margins(rows.design.counts(weight[None]).at(0), scale)
        gradients = [finite_gradient(k.function, k.prepared(margins)) for k in kernels]
        sums, squares = np.stack([pseudo.slope_sums(g) for g in gradients], axis=1)
        apart, true = stratify or target is not None, rows.codes.true
        return cls(rows, gradients, true, pseudo.items, sums, squares, scale, apart)

    @classmethod
    def by_prediction(cls, rows: Rows, kernels: Sequence[Kernel]) -> SmoothedSlopes:
        """Two pseudo-items for each predicted class, spread over the true ones.

        A class that was predicted a few times, always rightly, would have a certain precision.
        """
        turned = _transposed(rows.counts)
        pseudo = PseudoItems.from_margins(turned, transposed=True)
        margins = _transposed(pseudo.margins(turned))
        gradients = [finite_gradient(k.function, k.prepared(margins)) for k in kernels]
        exchanged = [
            replace(g, false_positives=g.false_negatives, false_negatives=g.false_positives)
            for g in gradients
        ]
        slope_sums = np.stack([pseudo.slope_sums(g) for g in exchanged], axis=1)
        items, sums, squares = (
            np.concatenate([x, np.zeros_like(x[..., :1])], axis=-1)
            for x in (pseudo.items, *slope_sums)
        )
        pred, scale = rows.codes.index[2], np.ones(1)
        return cls(rows, gradients, pred, items, sums, squares, scale, apart=False)

    @cached_property
    def influence(self) -> Floats:
        """Each metric's slope in the weight of each row, metrics × systems × rows."""
        return np.stack([self.rows.design.influence(g) for g in self.gradients])

    def _grouped(self, x: Floats) -> Floats:
        return self.rows.by_group(x, self.group, self.pseudo_items.shape[-1])

    @cached_property
    def observed(self) -> Floats:
        """The items of each group, without pseudo-items."""
        return self._grouped(self.rows.weight[None])

    @cached_property
    def items(self) -> Floats:
        """The items of each group with its pseudo-items."""
        return self.observed + self.pseudo_items

    @cached_property
    def sums(self) -> Floats:
        """The sum of slopes over the items and pseudo-items of each group."""
        return self._grouped(self.rows.weight * self.influence) + self.slope_sums

    @cached_property
    def mean(self) -> Floats:
        """The mean slope in the sample that each group belongs to."""
        return divide(self._in_sample(self.sums), self._in_sample(self.items))

    @cached_property
    def factor(self) -> Floats:
        """The factor of squared slopes for as many items as were observed."""
        more = divide(self._in_sample(self.items), self._in_sample(self.observed))
        return np.asarray(self.scale**2 * more)

    @cached_property
    def variances(self) -> Floats:
        """What each group adds to the variance."""
        squares = self._grouped(self.rows.weight * self.influence**2) + self.square_sums
        spread = squares - 2 * self.mean * self.sums + self.mean**2 * self.items
        return np.asarray(self.factor * np.maximum(spread, 0.0))

    @property
    def df(self) -> Floats:
        """Degrees of freedom of the variance, each group having its items less one."""
        return satterthwaite(self.variances, np.maximum(self.items - 1, 1))

    def _in_sample(self, x: Floats) -> Floats:
        return x if self.apart else x.sum(axis=-1, keepdims=True)

    def standard_error(self, kernels: Sequence[Kernel]) -> StandardError:
        """The delta method's errors at the tables with pseudo-items, for the items observed."""
        values = np.stack([g.value for g in self.gradients])
        se = np.sqrt(self.variances.sum(axis=-1))
        return StandardError.of_values(kernels, values, se, self.df)


def _transposed(c: Counts) -> Counts:
    """The margins of the transposed table."""
    return replace(c, bias=c.prevalence, prevalence=c.bias, errors=c.errors and c.errors[::-1])


# Rates of predictions given the true class.


def rates_of(cells: Floats) -> Floats:
    """Shares of each true row (… × k × k + 1), 0 in a row without items."""
    return np.asarray(divide(cells, cells.sum(axis=-1, keepdims=True)))


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
"""Clusters below which their variance is not reliable."""


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
    [FewTrueItems(labels=(1,), few=10, metrics=())]
    """
    small = few_classes([(k, None) for k in kernels], table, table.counts_over(None, 0.0))
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
    kernels: Iterable[tuple[Kernel, Floats | None]], table: AnyTable, margins: Counts
) -> Floats:
    """Tables × classes: 2 for few true items, 1 for few predictions or hits only, else 0.

    Classes count if some kernel averages over them. Each kernel comes with a mask of tables, or
    ``None`` for all.
    """
    small = np.zeros((prod(table.shape), table.k), np.int64)
    averages = [(k, tables) for k, tables in kernels if weighs_classes_alike(k)]
    codes = rare_classes(table, margins) if averages else small
    for kernel, tables in averages:
        own = codes if tables is None else codes * tables[:, None]
        mask = kernel.averaged
        small = np.maximum(small, own if mask is None else own * mask.reshape(-1, table.k))
    return small


def rare_classes(table: AnyTable, margins: Counts) -> Codes:
    """Tables × classes, averaged or not: 2 for few true items, 1 for few predictions or hits."""
    shape = (prod(table.shape), table.k)
    items = true_items(table).reshape(shape)
    weight, predicted, hits = (
        floating(np.reshape(x, shape)) for x in (margins.prevalence, margins.bias, margins.correct)
    )
    share = divide(items, weight, 1.0)  # effective items per unit of weight
    edge = 1e-9  # ten equal weights may sum to slightly less
    rare = (predicted * share < FEW - edge) | (hits * share < FEW_HITS - edge)
    return np.where(items < FEW - edge, 2, np.where(rare, 1, 0)) * (items > 0)


def few_clusters(cluster: Floats | None) -> Iterable[FewClusters]:
    """A warning if there are clusters, one code per item or row, and few of them."""
    return () if cluster is None else few_clusters_warning(len(np.unique(cluster)))


def few_clusters_warning(clusters: int) -> list[FewClusters]:
    """A warning if the number of clusters is small."""
    return [FewClusters(clusters)] if clusters < FEW_CLUSTERS else []


def clusters_of(data: Any) -> Codes | None:
    """The number of clusters of each table, if there are clusters."""
    if isinstance(data, SampleSlices):
        return data.clusters
    return None if data.cluster is None else np.array([len(np.unique(data.cluster))])


def weighs_classes_alike(kernel: Kernel) -> bool:
    """Whether small classes count more than their items: macro averages, and a stated mix."""
    record = kernel.record
    if record is None or record.of_one_class:
        return False
    return record.equal_weights or kernel.target is not None


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
        *notes_by_system(tables, classes, undefined),
        *lost_by_system(tables),
        *small_class_warnings(sure, tables),
        *few_clusters(sample.cluster),
    )


def row_items(table: Confusion, rows: Rows | None = None) -> Floats:
    """Effective items of each true class (… × k), by weights (Kish) and by clusters of ``rows``."""
    items = true_items(table)
    if rows is None or rows.cluster is None:
        return items
    return effective_items(rows, items.reshape(-1, table.k)).reshape(items.shape)


def effective_items(rows: Rows, items: Floats) -> Floats:
    """The ``items`` of each true class (tables × k) over the design effect of clusters.

    The design effect is the variance of a row's rates over that of independent items (Rao & Scott
    1981). A row whose rates do not vary takes the effect of all rows; where none varies, a cluster
    counts as one item.
    """
    if rows.cluster is None:
        return items
    k, size = rows.k, items.size
    table, true, pred = np.broadcast_arrays(*rows.codes.index)
    cluster, _, clusters = rows.clusters
    weight = np.broadcast_to(rows.weight, pred.shape).reshape(-1)
    row, pred = (table * k + true).reshape(-1), pred.reshape(-1)
    cells = np.bincount(row * (k + 1) + pred, weight, minlength=size * (k + 1))
    rates = rates_of(cells.reshape(size, k + 1))
    code = np.broadcast_to(cluster, table.shape).reshape(-1) * size + row
    pairs, pair = np.unique(code, return_inverse=True)
    cells_of_pair = np.zeros((len(pairs), k + 1))
    np.add.at(cells_of_pair, (pair, pred), weight)
    row_of_pair, total = pairs % size, cells_of_pair.sum(axis=1)
    deviation = cells_of_pair - total[:, None] * rates[row_of_pair]
    sums = np.stack([total, (deviation**2).sum(axis=1), total**2])
    truth, spread, squares = grouped(sums, row_of_pair, size).reshape(3, -1, k)
    factor = (clusters / np.maximum(clusters - 1, 1))[:, None]
    clustered = factor * spread / np.where(truth > 0, truth, 1) ** 2
    alone = ratio((rates * (1 - rates)).sum(axis=-1).reshape(items.shape), items)
    clustered_sum, alone_sum = (x.sum(axis=1, keepdims=True) for x in (clustered, alone))
    items_per_cluster = squares * ratio(items, truth**2)
    pooled = np.where(alone_sum > 0, ratio(clustered_sum, alone_sum), items_per_cluster)
    effect = np.where(alone > 0, ratio(clustered, alone), pooled)
    return np.asarray(items / np.maximum(effect, 1.0))
