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
from evenhand.core.derivatives import Gradient, elementwise, finite_gradient
from evenhand.core.kernel import Kernel, TableViews
from evenhand.core.margins import Counts, factors
from evenhand.core.ratio import ratio
from evenhand.data.confusion import Confusion
from evenhand.data.labels import Labels
from evenhand.data.multilabel import AnyTable
from evenhand.data.sample import Sample, SampleSlices, SoftSample
from evenhand.errors import InputError
from evenhand.inference.rows import (
    UNKNOWN,
    CodeDesign,
    Codes,
    Floats,
    Rows,
    SamplingUnits,
    centred,
    class_influence,
    divide,
    grouped,
    norm,
    slopes,
    stratum_of,
)
from evenhand.options import Classes
from evenhand.warnings import FewClusters, FewHits, FewTrueItems, ResultWarning


@dataclass(frozen=True, eq=False)
class Smoothed:
    """Pseudo-items of a table or stack: one right and one wrong for each true class.

    ``on`` is 1 for a class that is true (…, k), ``pull`` the weight of each column, ``lost`` that
    of the outside column (…, 1), ``rest`` that of all columns but the class's own.
    """

    on: Floats
    pull: Floats
    lost: Floats
    rest: Floats

    @classmethod
    def from_margins(cls, c: Counts, *, transposed: bool = False) -> Smoothed:
        """Pseudo-items for the margins of counted items.

        A column weighs its sum + 1, if its label occurs; the outside column if it is not empty, or
        if there is no other. A transposed table (``transposed``) has no outside column, and no
        pseudo-items where these could lie in one cell only.
        """
        occurs = (c.prevalence > 0) | (c.bias > 0)
        pull = np.where(occurs, floating(c.bias) + 1.0, 0.0)
        outside_total = np.asarray(0.0) if transposed else floating(c.outside)
        outside = np.broadcast_to(outside_total, np.shape(c.total))[..., None]
        single_label = (not transposed) & (occurs.sum(axis=-1, keepdims=True) < 2)
        lost = np.where((outside > 0) | single_label, outside + 1.0, 0.0)
        rest = pull.sum(axis=-1, keepdims=True) + lost - pull
        on = (c.prevalence > 0) & (rest > 0)
        return cls(np.asarray(on, np.float64), pull, lost, np.where(on, rest, 1.0))

    @classmethod
    def of_cells(cls, cells: Floats) -> Smoothed:
        """Pseudo-items for cells, … × k × k + 1."""
        truth, column = cells.sum(axis=-1), cells.sum(axis=-2)
        bias, outside = column[..., :-1], column[..., -1]
        hits = np.diagonal(cells[..., :-1], axis1=-2, axis2=-1)
        return cls.from_margins(Counts(hits, bias, truth, truth.sum(axis=-1), outside))

    @property
    def columns(self) -> Floats:
        """The weight of each column, … × k + 1.

        >>> Smoothed.of_cells(np.array([[8, 0, 0], [1, 2, 0]])).columns
        array([10.,  3.,  0.])
        """
        return np.concatenate([self.pull, self.lost], axis=-1)

    @property
    def items(self) -> Floats:
        """The number of pseudo-items of each class."""
        return 2 * self.on

    def cells(self) -> Floats:
        """The pseudo-items in each cell, … × k × k + 1, the outside column last.

        >>> Smoothed.of_cells(np.array([[8, 0, 1, 0], [0, 2, 0, 0], [0, 0, 0, 0]])).cells().round(2)
        array([[1.  , 0.6 , 0.4 , 0.  ],
               [0.82, 1.  , 0.18, 0.  ],
               [0.  , 0.  , 0.  , 0.  ]])
        """
        columns = self.columns[..., None, :]
        own = np.eye(columns.shape[-1] - 1, columns.shape[-1])
        return np.asarray(self.on[..., None] * (own + (1 - own) * columns / self.rest[..., None]))

    def margins(self, c: Counts, scale: Floats | float = 1.0) -> Counts:
        """The margins ``c`` plus the pseudo-items, which weigh ``scale`` in each true row."""
        hits = scale * self.on
        spread = hits / self.rest
        spread_sum = spread.sum(axis=-1, keepdims=True)
        return Counts(
            floating(c.correct) + hits,
            floating(c.bias) + hits + self.pull * (spread_sum - spread),
            floating(c.prevalence) + 2 * hits,
            floating(c.total) + 2 * hits.sum(axis=-1),
            floating(c.outside) + (self.lost * spread_sum)[..., 0],
        )

    def moments(self, g: Gradient) -> tuple[Floats, Floats]:
        """Sums of slopes, and of their squares, over the pseudo-items of each class."""
        total, outside = (np.asarray(x)[..., None] for x in (g.total, g.outside))
        own, row = g.correct + total, g.false_negatives + total
        first, lost = self.pull * g.false_positives, self.lost * outside
        slope_mean, square_mean = (
            (x.sum(axis=-1, keepdims=True) + y - x) / self.rest
            for x, y in ((first, lost), (first * g.false_positives, lost * outside))
        )
        others, square = row + slope_mean, row**2 + 2 * row * slope_mean + square_mean
        return self.on * (own + others), self.on * (own**2 + square)


@dataclass(frozen=True, eq=False)
class PseudoCounts:
    """Slopes of metrics at tables with pseudo-items, and their sums over these.

    Groups are the true or the predicted classes. ``slope_sums`` and ``square_sums`` run over the
    pseudo-``items`` of a group, ``scale`` are the weights of the true rows at a stated class mix;
    ``by_row`` says that each group is a sample of its own.
    """

    slopes: list[Gradient]
    slope_sums: Floats
    square_sums: Floats
    items: Floats
    scale: Floats
    by_row: bool

    @classmethod
    def true(
        cls, kernels: Sequence[Kernel], cells: NonzeroCells, stratify: bool = False
    ) -> PseudoCounts:
        """Two pseudo-items for each true class."""
        smooth = Smoothed.from_margins(cells.counts)
        margins, scale = smooth.margins(cells.counts), np.asarray(1.0)
        target = kernels[0].target  # the same for all
        if target is not None:
            scale = np.asarray(factors(cells.prevalence + smooth.items, target) * smooth.on)
            margins = smooth.margins(cells.scaled(scale), scale)
        slopes = [slopes_with(k, margins) for k in kernels]
        by_row = stratify or target is not None
        slope_sums, square_sums = _moments(smooth, slopes)
        return cls(slopes, slope_sums, square_sums, smooth.items, scale, by_row)

    @classmethod
    def predicted(cls, kernels: Sequence[Kernel], cells: NonzeroCells) -> PseudoCounts:
        """Two pseudo-items for each predicted class, spread over the true ones.

        A class that was predicted a few times, always rightly, would have a certain precision.
        """
        turned = _transposed(cells.counts)
        smooth = Smoothed.from_margins(turned, transposed=True)
        margins = _transposed(smooth.margins(turned))
        slopes = [slopes_with(k, margins) for k in kernels]
        exchanged = [
            replace(g, false_positives=g.false_negatives, false_negatives=g.false_positives)
            for g in slopes
        ]
        slope_sums, square_sums, items = (
            np.concatenate([x, np.zeros_like(x[..., :1])], axis=-1)
            for x in (*_moments(smooth, exchanged), smooth.items)
        )
        return cls(slopes, slope_sums, square_sums, items, np.asarray(1.0), by_row=False)

    def influences(self, c: NonzeroCells) -> Floats:
        """Each metric's slope in the weight of each cell."""
        return np.stack([g.at(c.table, c.true, c.pred) for g in self.slopes])

    def moments(self, c: NonzeroCells, group: Codes, psi: Floats) -> Moments:
        """Moments of the items, whose slopes are ``psi``, in each group."""
        width = self.items.shape[-1]

        def summed(x: Floats) -> Floats:
            sums = grouped(np.atleast_2d(x), c.table * width + group, c.tables * width)
            return sums.reshape(*x.shape[:-1], *c.shape, width)

        items, first = summed(c.weight), summed(c.weight * psi) + self.slope_sums
        second = summed(c.weight * psi**2) + self.square_sums
        return Moments(first, second, items + self.items, items, self.scale, self.by_row)


def _moments(smooth: Smoothed, slopes: list[Gradient]) -> Floats:
    """Sums of slopes and of their squares (2 × metrics × …) over the pseudo-items."""
    return np.stack([smooth.moments(g) for g in slopes], axis=1)


def slopes_with(kernel: Kernel, margins: Counts) -> Gradient:
    """A metric's slopes at margins with pseudo-items."""
    return finite_gradient(kernel.function, kernel.prepared(margins))


def _transposed(c: Counts) -> Counts:
    """The margins of the transposed table."""
    return replace(c, bias=c.prevalence, prevalence=c.bias, errors=c.errors and c.errors[::-1])


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums of slopes and of their squares over each group, pseudo-items included.

    ``smoothed_items`` counts the items with the pseudo-items, ``items`` without; ``by_row`` says
    that each group is a sample of its own, not the table one.
    """

    first: Floats
    second: Floats
    smoothed_items: Floats
    items: Floats
    scale: Floats
    by_row: bool

    @cached_property
    def mean(self) -> Floats:
        """The mean slope of the group or of the table."""
        return np.asarray(divide(self._all(self.first), self._all(self.smoothed_items)))

    @property
    def factor(self) -> Floats:
        """The factor of squared slopes for as many items as were observed."""
        smoothed = self._all(self.smoothed_items)
        return np.asarray(self.scale**2 * divide(smoothed, self._all(self.items)))

    @cached_property
    def parts(self) -> Floats:
        """What each group adds to the variance."""
        mean = self.mean
        spread = self.second - 2 * mean * self.first + mean**2 * self.smoothed_items
        return np.asarray(self.factor * np.maximum(spread, 0.0))

    @property
    def freedom(self) -> Floats:
        """Degrees of freedom of the sum, each group having its items less one."""
        parts = self.parts
        squares = (parts**2 / np.maximum(self.smoothed_items - 1, 1)).sum(axis=-1)
        return np.asarray(divide(parts.sum(axis=-1) ** 2, squares, np.inf))

    def _all(self, x: Floats) -> Floats:
        return x if self.by_row else x.sum(axis=-1, keepdims=True)


# The delta method.


@dataclass(frozen=True, eq=False)
class NonzeroCells:
    """The non-empty cells of a table or stack: index, weight, sum of squared weights.

    ``shape`` has the leading axes, ``k`` the classes, ``counts`` the margins. Clustered items are
    rows instead, each of a ``cluster``, and ``home`` is the table of each cluster.
    """

    shape: tuple[int, ...]
    k: int
    counts: Counts
    table: Codes
    true: Codes
    pred: Codes
    weight: Floats
    square: Floats
    cluster: Codes | None = None
    home: Codes | None = None

    @classmethod
    def from_table(cls, table: Confusion) -> NonzeroCells:
        """The cells of a table that knows its squared weights."""
        index, true, pred, weight, _ = table.data.entries()
        squares = table.data.squares
        if squares is None:
            raise InputError(UNKNOWN)
        c, k = table.counts_over(None, 0.0), len(table.labels)
        if squares.ndim > 1:
            squares = squares.reshape(-1, k, k + 1)[index, true, pred]
        amounts = np.asarray(weight, np.float64), np.asarray(squares, np.float64)
        shape = c.prevalence.shape[:-1]
        return cls(shape, k, c, index, true, pred, *amounts)

    @classmethod
    def from_slices(cls, slices: SampleSlices, stack: Confusion) -> NonzeroCells:
        """The rows of slices, whose tables are the ``stack``."""
        c, k = stack.counts_over(None, 0.0), stack.k
        cells = (slices.slice, slices.true, np.where(slices.pred < 0, k, slices.pred))
        squares = slices.weight if slices.square is None else slices.square
        amounts = np.asarray(slices.weight, np.float64), np.asarray(squares, np.float64)
        return cls(stack.shape, k, c, *cells, *amounts, slices.cluster, slices.home)

    @classmethod
    def from_rows(cls, rows: Rows, counts: Counts) -> NonzeroCells:
        """The rows of hard labels as each system sees them, a table for each system."""
        design, square, cluster, home = rows.design, rows.square, None, None
        assert isinstance(design, CodeDesign) and square is not None
        systems, n = design.systems, len(design.true)
        table = np.repeat(np.arange(systems), n)
        true, weight, squares = (np.tile(x, systems) for x in (design.true, rows.weight, square))
        if rows.cluster is not None:
            names, code = np.unique(rows.cluster, return_inverse=True)
            cluster = np.tile(code, systems) + len(names) * table
            home = np.repeat(np.arange(systems), len(names))
        cells = (table, true, design.pred.T.reshape(-1), weight, squares)
        return cls(np.shape(counts.total), design.k, counts, *cells, cluster, home)

    @property
    def prevalence(self) -> Floats:
        """The true margins."""
        return np.asarray(self.counts.prevalence)

    @property
    def tables(self) -> int:
        """How many tables there are."""
        return prod(self.shape)

    def scaled(self, scale: Floats) -> Counts:
        """The margins with every true row multiplied by its ``scale``."""
        c, k = self, self.k
        weight = (
            c.weight * np.broadcast_to(scale, c.prevalence.shape).reshape(-1, k)[c.table, c.true]
        )
        inside, size = c.pred < k, c.tables * k
        bias = np.bincount((c.table * k + c.pred)[inside], weight[inside], minlength=size)
        outside = np.bincount(c.table[~inside], weight[~inside], minlength=c.tables)
        truth = c.prevalence * scale
        margins = (c.counts.correct * scale, bias.reshape(truth.shape), truth)
        return Counts(*margins, truth.sum(axis=-1), outside.reshape(c.shape)[()])

    @cached_property
    def units(self) -> SamplingUnits:
        """The sampling units: items of cells, or clusters."""
        return SamplingUnits.from_weights(self.weight, self.square, self.cluster, self.home)


def table_error(table: Confusion, kernel: Kernel, *, stratify: bool = False) -> Floats:
    """Standard error for one table, or for every table of a stack at once.

    >>> from evenhand.catalogue.binding import bind
    >>> table = Confusion.from_matrix([[45, 5], [10, 40]])
    >>> round(float(table_error(table, bind("accuracy", table))), 6)  # √(0.85 · 0.15 / 100)
    0.035707
    """
    return cells_error(
        NonzeroCells.from_table(table), kernel, views_of([kernel], table), stratify=stratify
    )


def cells_error(
    cells: NonzeroCells, kernel: Kernel, views: TableViews, *, stratify: bool = False
) -> Floats:
    """The same from the cells and the margins."""
    c, k = cells, cells.k
    (g,) = slopes([(kernel, views.prepared(kernel))])
    psi = g.at(c.table, c.true, c.pred)
    row, n = c.table * k + c.true, c.tables
    if kernel.target is not None:  # calibrated rows are shares of their class
        scale = factors(c.prevalence, kernel.target).reshape(-1, k)
        psi = scale[c.table, c.true] * centred(psi, c.weight, row, n * k)
    group, size = (row, n * k) if stratify else (c.table, n)
    parts = c.units.parts(centred(psi, c.weight, group, size))
    return norm(parts, c.table if c.home is None else c.home, n).reshape(c.shape)


def class_error(cells: NonzeroCells, kernel: Kernel, views: TableViews) -> Floats:
    """Standard errors of one value per class (…, k), which its row and column determine."""
    slope = elementwise(kernel.function, views.prepared(kernel))
    if kernel.target is not None:
        return _calibrated_class_error(cells, kernel, *slope)
    c, size, shape = cells, cells.tables * cells.k, (*cells.shape, cells.k)
    row, column = c.table * c.k + c.true, c.table * c.k + c.pred
    flat = [np.broadcast_to(x, shape).reshape(-1) for x in slope]
    influence = class_influence(flat, row, column, c.pred < c.k)
    return norm(*c.units.sparse_parts(*influence, size), size).reshape(shape)


def _calibrated_class_error(
    cells: NonzeroCells, kernel: Kernel, correct: Floats, bias: Floats, prevalence: Floats
) -> Floats:
    """The same at a stated class mix, where every true row is a separate multinomial.

    Var_j = Σ_i (π_i/n_i)²·u_ij²·(s_ij·(1 − 2R_ij) + S_i·R_ij²), with s the squared weights, S their
    sum over the row, and u_ij = ∂/∂bias_j + [i = j]·∂/∂correct_j.
    """
    c, shape = cells, (*cells.shape, cells.k)
    inside, size = c.pred < c.k, prod(shape)
    row, column = c.table * c.k + c.true, (c.table * c.k + c.pred)[inside]
    rate = c.weight / np.bincount(row, c.weight, minlength=size)[row]
    row_squares = np.bincount(row, c.square, minlength=size)[row]
    scale = np.broadcast_to(factors(c.prevalence, kernel.target), shape).reshape(-1)[row]
    variance_parts = (scale * (c.square * (1 - 2 * rate) + row_squares * rate**2) * scale)[inside]
    slope = bias.reshape(-1)[column]
    own = (correct - prevalence).reshape(-1)[column]  # true rows have a stated share
    slope = np.where((c.true == c.pred)[inside], own, slope)
    variance = np.bincount(column, slope**2 * variance_parts, minlength=size)
    return np.asarray(np.sqrt(np.maximum(variance, 0))).reshape(shape)


def error_parts(rows: Rows, influence: Floats, *, stratify: bool = False) -> Floats:
    """Parts of errors (numbers × units) from the influence of every row.

    Inner products of parts are covariances.
    """
    psi = np.atleast_2d(influence)
    return rows.units.parts(centred(psi, rows.weight, stratum_of(rows, stratify)))


def rows_error(rows: Rows, influence: Floats, *, stratify: bool = False) -> Floats:
    """Standard errors from the influence of every row (… × rows), clusters summed first."""
    return norm(error_parts(rows, influence, stratify=stratify))


def rows_class_error(rows: Rows, kernel: Kernel, s: int) -> Floats:
    """Standard errors of one value per class of system ``s``, from the rows."""
    c = rows.views([kernel]).prepared(kernel)
    slope = elementwise(kernel.function, c.at(s).over(None))
    k = rows.design.k
    return norm(*rows.units.sparse_parts(*rows.design.class_influence(slope, s), k), k)


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
    yield from few_notes(codes, table.labels, systems, metrics)


def few_notes(
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
    """The same for all classes, averaged or not."""
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
    return () if cluster is None else so_few(len(np.unique(cluster)))


def so_few(clusters: int) -> list[FewClusters]:
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
    cells = NonzeroCells.from_rows(rows, table.counts_over(None, 0.0))
    return independent(cells, items.reshape(-1, table.k)).reshape(items.shape)


def independent(cells: NonzeroCells, items: Floats) -> Floats:
    """The ``items`` of each true class (tables × k) over the design effect of clusters.

    The design effect is the variance of a row's rates over that of independent items (Rao & Scott
    1981). A row whose rates do not vary takes the effect of all rows; where none varies, a cluster
    counts as one item.
    """
    c, k, units = cells, cells.k, cells.units
    if units.clusters is None or units.home is None or units.cluster is None:
        return items
    shape, row = (c.tables, k), c.table * k + c.true
    size = c.tables * k
    counted = np.bincount(row * (k + 1) + c.pred, c.weight, minlength=size * (k + 1))
    rates = rates_of(counted.reshape(*shape, k + 1))
    pairs, pair = np.unique(units.cluster * size + row, return_inverse=True)
    cells_of_pair = np.zeros((len(pairs), k + 1))
    np.add.at(cells_of_pair, (pair, c.pred), c.weight)
    row_of_pair, total = pairs % size, cells_of_pair.sum(axis=1)
    deviation = cells_of_pair - total[:, None] * rates.reshape(-1, k + 1)[row_of_pair]
    sums = np.stack([total, (deviation**2).sum(axis=1), total**2])
    weight, spread, squares = grouped(sums, row_of_pair, size).reshape(3, *shape)
    factor = (units.clusters / np.maximum(units.clusters - 1, 1))[:, None]
    clustered = factor * spread / np.where(weight > 0, weight, 1) ** 2
    alone = ratio((rates * (1 - rates)).sum(axis=-1), items)
    clustered_sum, alone_sum = (x.sum(axis=1, keepdims=True) for x in (clustered, alone))
    items_per_cluster = squares * ratio(items, weight**2)
    pooled = np.where(alone_sum > 0, ratio(clustered_sum, alone_sum), items_per_cluster)
    effect = np.where(alone > 0, ratio(clustered, alone), pooled)
    return np.asarray(items / np.maximum(effect, 1.0))
