"""Weighted rows of data: their margins, influences and variances."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, singledispatch
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.core.contingency import Contingency
from evenhand.core.derivatives import (
    AnyGradient,
    CellGradient,
    cell_gradient,
    elementwise,
    finite_gradient,
    item_influence,
)
from evenhand.core.kernel import OVER_ITEMS, ItemArrays, Kernel, TableViews, View, asked_views
from evenhand.core.margins import Counts, factors
from evenhand.data.confusion import Confusion
from evenhand.data.multilabel import MultiLabel
from evenhand.data.sample import Sample, SampleSlices, SoftSample
from evenhand.errors import InputError, MetricError
from evenhand.warnings import NoGradient, OneCluster


def of_clusters(slices: Iterable[tuple[Any, Any]]) -> tuple[list[Any], list[OneCluster]]:
    """The slices with their keys, but for those of one cluster, and a warning of these.

    >>> from evenhand import Sample
    >>> columns = {"cluster": [1, 1, 2, 3], "by": list("xxyy")}
    >>> sample = Sample.from_labels("abab", {"A": list("aaab")}, **columns)
    >>> testable, warnings = of_clusters(sample.slices)
    >>> [key for key, _ in testable], warnings[0].keys
    (['y'], ('x',))
    """
    testable: list[Any] = []
    single: list[Any] = []
    for key, part in slices:
        one = part.cluster is not None and len(np.unique(part.cluster)) < 2
        (single if one else testable).append((key, part))
    return testable, [OneCluster(tuple(key for key, _ in single))] if single else []


# Designs: how rows add up to the margins of each table.

Floats: TypeAlias = NDArray[Any]
Codes: TypeAlias = NDArray[np.int64]

LONG = 1 << 12
"""Rows beyond which weight vectors are summed one at a time."""

MANY = 1 << 28
"""Predictions up to which sums use a sparse matrix."""

EXACT = 1 << 24
"""Integers up to which single precision is exact."""


@dataclass(frozen=True, eq=False)
class CodeDesign:
    """Hard labels: a true code per row, and predicted codes (k: outside), rows × systems.

    All systems share the rows. Or there is one system, and each row is of one ``table`` of a
    ``stack`` of so many.
    """

    k: int
    true: Codes
    pred: Codes
    table: Codes | None = None
    stack: int = 1

    @property
    def tables(self) -> int:
        """Number of tables: one for each system, or those of the stack."""
        return self.stack * int(self.pred.shape[1])

    @property
    def stratum(self) -> Codes:
        """A code for each table's true classes."""
        return self.true if self.table is None else self.table * self.k + self.true

    @cached_property
    def index(self) -> tuple[Codes, Codes, Codes]:
        """Table, true and predicted code of each row, systems × rows when broadcast."""
        table = np.arange(self.pred.shape[1])[:, None] if self.table is None else self.table[None]
        return table, self.true, np.ascontiguousarray(self.pred.T)

    def prevalence(self, weights: Floats) -> Floats:
        """True margins (B × tables × k) of rows weighted in B ways."""
        each = grouped(weights, self.stratum, self.stack * self.k)
        return np.broadcast_to(each.reshape(-1, self.stack, self.k), self._shape(weights))

    def counts(self, weights: Floats) -> Counts:
        """Margins (B × tables × k) of rows weighted in B ways."""
        shape = self._shape(weights)
        sums = self._sums(weights).reshape(*shape[:2], 2, self.k + 1)
        wrong, right = np.moveaxis(sums, 2, 0)
        predicted, truth = wrong + right, self.prevalence(weights)
        errors = None
        if not _integers(weights):
            misses = weighted_sums(weights, self._wrong).reshape(shape)
            errors = (misses, wrong[..., :-1])
        margins = (right[..., :-1], predicted[..., :-1], truth, truth.sum(axis=-1))
        return Counts(*margins, predicted[..., -1], errors=errors)

    def crossed(self, weights: Floats) -> Contingency:
        """Cells (B × tables) of rows weighted in B ways."""
        shape = (*self._shape(weights), self.k + 1)
        cell = self.stratum * (self.k + 1) + self.index[2]
        size = self.stack * self.k * (self.k + 1)
        cells = np.stack([grouped(weights, at, size) for at in cell], axis=1).reshape(shape)
        return Contingency.from_cells(cells[..., :-1], cells[..., -1])

    def _shape(self, weights: Floats) -> tuple[int, int, int]:
        return len(weights), self.tables, self.k

    def _sums(self, weights: Floats) -> Floats:
        """Weights summed by table, hit or not, and prediction.

        With many systems almost every row is distinct: a sparse product is faster then.
        """
        if LONG < self.pred.size <= MANY and len(weights) > 1:
            exact = weights.dtype.kind in "iu" and weights[0].sum() < EXACT
            w = weights.T.astype(np.float32 if exact else np.float64, order="C")
            return np.asarray((self._places.astype(w.dtype) @ w).T, np.float64)
        size = self.stack * 2 * (self.k + 1)
        return np.stack([grouped(weights, code, size) for code in self._code], axis=1)

    @cached_property
    def _code(self) -> Codes:
        """For each system and row, the prediction, apart for hits and for tables of a stack."""
        hit = self.true == self.pred.T
        table = 0 if self.table is None else self.table
        return np.asarray(self.pred.T + (self.k + 1) * (hit + 2 * table), np.int64)

    @cached_property
    def _places(self) -> Any:
        from scipy import sparse

        size, systems = self.stack * 2 * (self.k + 1), self.pred.shape[1]
        place = (self._code.T + size * np.arange(systems)).reshape(-1)
        start = np.arange(0, place.size + 1, systems)
        units = np.ones(place.size, np.float32)
        return sparse.csc_array((units, place, start), shape=(size * systems, len(self.true)))

    @cached_property
    def _wrong(self) -> Any:
        """Rows × (tables · k): the true class of each table's errors."""
        from scipy import sparse

        row, system = np.nonzero(self.pred != self.true[:, None])
        at = (row, self.stratum[row] + self.k * system)
        shape = (len(self.true), self.tables * self.k)
        return sparse.csr_array((np.ones(len(row)), at), shape=shape)

    def influence(self, g: AnyGradient) -> Floats:
        """A metric's derivative in the weight of each row, systems × rows; or that of a batch."""
        table, true, pred = self.index
        size = self.k * (self.k + 1)
        if size <= len(true):  # one look-up instead of three
            cells = g.dense().reshape(*np.shape(g.value)[:-1], self.tables * size)
            return cells.take(self._cell, axis=-1)
        if np.ndim(g.value) > 1:
            table = table + self.tables * np.arange(len(g.value))[:, None, None]
        return g.at(table, true, pred)

    @cached_property
    def _cell(self) -> Codes:
        """The cell of each system and row among those of all tables."""
        table, true, pred = self.index
        return np.asarray((table * self.k + true) * (self.k + 1) + pred)

    def class_influences(self, slopes: list[Floats]) -> Iterator[tuple[Codes, Codes, Floats]]:
        """Row, class and derivative for each system, where a row's weight moves a class's value.

        Classes of all tables are numbered on, tables × k.
        """
        correct, false_positives, false_negatives = slopes
        row, k = np.arange(len(self.true)), self.k
        tables = np.broadcast_to(self.index[0], self.pred.T.shape)
        for table, pred in zip(tables, self.pred.T, strict=True):
            hit, true = self.true == pred, table * k + self.true
            own = np.where(hit, correct[true], false_negatives[true])
            alarm = row[~hit & (pred < k)]
            other = (table * k + pred)[alarm]
            rows, classes = np.concatenate([row, alarm]), np.concatenate([true, other])
            yield rows, classes, np.concatenate([own, false_positives[other]])


@dataclass(frozen=True, eq=False)
class MatrixDesign:
    """Indicators or probabilities: true, predicted and hit labels, as rows × k matrices.

    ``stratum`` is the true class of a row that has one.
    """

    k: int
    true: Any
    pred: tuple[Any, ...]
    hit: tuple[Any, ...]
    stratum: Codes | None = None
    table: ClassVar[None] = None
    stack: ClassVar[int] = 1

    @property
    def tables(self) -> int:
        """Number of tables, one for each system."""
        return len(self.pred)

    def prevalence(self, weights: Floats) -> Floats:
        """True margins (B × tables × k) of rows weighted in B ways."""
        each = weighted_sums(weights, self.true)[:, None]
        return np.broadcast_to(each, (len(weights), self.tables, self.k))

    def counts(self, weights: Floats) -> Counts:
        """Margins (B × tables × k) of rows weighted in B ways."""
        sums = [[weighted_sums(weights, x) for x in system] for system in self._outcomes]
        correct, misses, alarms = np.moveaxis(np.array(sums), 0, 2)
        total = np.broadcast_to(weights.sum(axis=1)[:, None], correct.shape[:2])
        margins = (correct, correct + alarms, self.prevalence(weights), total)
        return Counts(*margins, np.zeros(total.shape), errors=(misses, alarms))

    @cached_property
    def _outcomes(self) -> list[tuple[Any, Any, Any]]:
        """Hits, misses and false alarms of each system, rows × k each."""
        pairs = zip(self.pred, self.hit, strict=True)
        return [(hit, self.true - hit, pred - hit) for pred, hit in pairs]

    def crossed(self, weights: Floats) -> Contingency:
        """Cells (B × tables) of rows weighted in B ways."""
        cells = [[(self.true * w[:, None]).T @ pred for pred in self.pred] for w in weights]
        return Contingency.from_cells(np.array(cells))

    def influence(self, g: AnyGradient) -> Floats:
        """A metric's derivative in the weight of each row, systems × rows; or that of a batch."""
        if isinstance(g, CellGradient):
            cells = g.dense().reshape(-1, self.tables, self.k, self.k + 1)[..., :-1]
            psi = [
                np.einsum("rt,btp,rp->br", self.true, cells[:, s], pred)
                for s, pred in enumerate(self.pred)
            ]
        else:
            slopes = [
                x.reshape(-1, self.tables, self.k)
                for x in (g.correct, g.false_negatives, g.false_positives)
            ]
            total = np.reshape(g.total, (-1, self.tables))
            psi = [
                total[:, [s]] + sum((m @ x[:, s].T).T for m, x in zip(system, slopes, strict=True))
                for s, system in enumerate(self._outcomes)
            ]
        return np.stack(psi, axis=-2).reshape(*np.shape(g.value)[:-1], self.tables, -1)

    def class_influences(self, slopes: list[Floats]) -> Iterator[tuple[Codes, Codes, Floats]]:
        """Row, class and derivative for each system, where a row's weight moves a class's value.

        Classes of all tables are numbered on, tables × k.
        """
        from scipy import sparse

        correct, false_positives, false_negatives = slopes
        for s, outcomes in enumerate(self._outcomes):
            at = slice(s * self.k, (s + 1) * self.k)
            parts = zip(outcomes, (correct, false_negatives, false_positives), strict=True)
            moved = sum(sparse.csr_array(m) @ sparse.diags_array(x[at]) for m, x in parts)
            row, label = moved.nonzero()
            yield row, s * self.k + label, np.asarray(moved[row, label])


def _integers(weights: Floats) -> bool:
    """Whether sums of ``weights`` and their differences are exact."""
    if weights.dtype.kind in "iu":
        return True
    if not np.array_equal(weights[:1], np.rint(weights[:1])):
        return False  # mostly decided by the first weighting
    small = weights.sum(axis=1).max(initial=0) < 1 << 53
    return bool(small and np.array_equal(weights, np.rint(weights)))


Design: TypeAlias = CodeDesign | MatrixDesign


def weighted_sums(weights: Floats, matrix: Any) -> Floats:
    """B × rows weights times a rows × columns matrix, sparse or not."""
    if isinstance(matrix, np.ndarray):
        return np.asarray(weights @ matrix)
    return np.asarray((matrix.T @ np.ascontiguousarray(weights.T)).T)


def grouped(weights: Floats, code: Codes, size: int) -> Floats:
    """B × rows weights summed by each row's code, as B × size."""
    if len(code) > LONG:
        return np.stack([np.bincount(code, w, minlength=size) for w in weights])
    place = code + size * np.arange(len(weights))[:, None]
    sums = np.bincount(place.reshape(-1), weights.reshape(-1), minlength=size * len(weights))
    return np.asarray(sums.reshape(len(weights), size))


# Gradients of metrics.


class NoGradientError(MetricError):
    """A metric that has no gradient, with the warning that says so."""

    def __init__(self, metric: str, reason: str) -> None:
        super().__init__(f"no gradient of {metric}: {reason}; a bootstrap needs none")
        self.note = NoGradient(metric, reason)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.note.metric, self.note.reason)


def gradient_of(kernel: Kernel, counts: Any) -> AnyGradient:
    """The gradient of a kernel at its margins, NaN for a table where it is infinite."""
    if kernel.record is not None and not kernel.record.smooth:
        raise NoGradientError(kernel.name, "it is no smooth function of the counts")
    try:
        differentiate = cell_gradient if kernel.over_cells else finite_gradient
        return differentiate(kernel.function, counts)
    except (AttributeError, TypeError, ValueError) as e:
        if kernel.ours:
            raise
        raise NoGradientError(kernel.name, str(e)) from e


# Variances.

STRATIFIED_CLUSTERS = "stratify and cluster exclude each other: a cluster spans classes"

UNKNOWN = (
    "a table of fractions without squared weights cannot know how its items vary: count the "
    "items with weights, or use Sample.from_probabilities for soft predictions"
)


def divide(top: Floats, bottom: Floats, otherwise: float = 0.0) -> Floats:
    """``top / bottom``, and ``otherwise`` where ``bottom`` is 0."""
    if np.all(bottom):
        return np.asarray(top / bottom)
    shape = np.broadcast_shapes(np.shape(top), np.shape(bottom))
    quotient = np.full(shape, otherwise)
    np.divide(top, bottom, out=quotient, where=np.broadcast_to(bottom, shape) != 0)
    return quotient


def centred(psi: Floats, weight: Floats, group: Codes | None = None, size: int = 0) -> Floats:
    """Derivatives (… × rows) less their weighted mean, or that of the row's group."""
    if group is None:
        mean = (psi * weight).sum(axis=-1) / weight.sum()  # @ would depend on the order
        return np.asarray(psi - mean[..., None])
    totals = np.bincount(group, weight, minlength=size)
    sums = grouped((weight * psi).reshape(-1, psi.shape[-1]), group, len(totals))
    mean = sums / np.where(totals > 0, totals, 1.0)
    return np.asarray(psi - mean[:, group].reshape(psi.shape))


Data: TypeAlias = Confusion | MultiLabel | Sample | SoftSample | SampleSlices


BLOCK = 1 << 18
"""Replicates × systems × classes that are scored at once, to stay in cache."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Weighted rows of data, how they add up to tables, and the units that vary independently.

    ``items`` counts the items of a row, which weigh the same (``None``: only sums are known).
    ``square`` sums the squared weights of a row's items (``None``: unknown). ``cluster`` is the
    group of dependent items. Sampling units are the items, or the clusters: the variance of a
    score is the sum over units of the squared sum of weighted influences.
    """

    design: Design
    weight: Floats
    square: Floats | None
    items: Codes | None = None
    cluster: Codes | None = None
    per_item: ItemArrays | None = None

    @property
    def k(self) -> int:
        """Number of classes."""
        return self.design.k

    @property
    def stratum(self) -> Codes | None:
        """The true class of each row, where it has one; classes of a stack's tables count on."""
        return self.design.stratum

    @property
    def counts_items(self) -> bool:
        """Whether items are independent and unweighted."""
        if self.cluster is not None or self.items is None:
            return False
        return np.array_equal(self.weight, self.items)

    # Scores

    def values(self, kernels: list[Kernel], weights: Floats) -> list[Floats]:
        """Each metric of each table (B × tables), the rows weighted in B ways."""
        size = self.k * (self.k if any(k.over_cells for k in kernels) else 1)
        chunk = max(1, BLOCK // (self.design.tables * size))
        starts = range(0, len(weights), chunk)
        parts = [self.views(kernels, weights[i : i + chunk]).values(kernels) for i in starts]
        values = map(np.concatenate, zip(*parts, strict=True))
        return [v[:, None] if k.over_items else v for v, k in zip(values, kernels, strict=True)]

    def views(self, kernels: Iterable[Kernel], weights: Floats | None = None) -> TableViews:
        """The tables that kernels use, of the rows' own weights or weighted in B ways."""
        own = self.weight[None] if weights is None else weights
        tables: dict[bytes, View] = {}
        for view, kernel in asked_views(kernels).items():
            if view == OVER_ITEMS:
                assert self.per_item is not None
                item_weight = self.weight if weights is None else weights
                tables[view] = replace(self.per_item, weight=item_weight)
                continue
            weighed = own if kernel.target is None else own * self._scale(kernel, own)
            c = (self.design.crossed if kernel.over_cells else self.design.counts)(weighed)
            tables[view] = c.at(0) if weights is None else c
        return TableViews(tables)

    def _scale(self, kernel: Kernel, weights: Floats) -> Floats:
        """The factor of each row (B × rows) that brings the true classes to the kernel's mix."""
        assert kernel.target is not None and self.stratum is not None
        truth = self.design.prevalence(weights)[:, : self.design.stack]
        target = kernel.target if kernel.target.ndim < 2 else kernel.target[: self.design.stack]
        return np.asarray(factors(truth, target).reshape(len(weights), -1)[:, self.stratum])

    @property
    def codes(self) -> CodeDesign:
        """The design of rows of hard labels."""
        assert isinstance(self.design, CodeDesign)
        return self.design

    def by_group(self, x: Floats, group: Codes, groups: int) -> Floats:
        """Numbers of rows (… × systems × rows) added up by table and group, … × tables × groups."""
        design = self.codes
        code = design.index[0] * groups + group
        x = np.broadcast_to(x, (*x.shape[:-2], *code.shape))
        sums = grouped(x.reshape(-1, code.size), code.reshape(-1), design.tables * groups)
        return sums.reshape(*x.shape[:-2], design.tables, groups)

    @cached_property
    def counts(self) -> Counts:
        """The margins of every table (tables × k)."""
        return self.design.counts(self.weight[None]).at(0)

    # Influences and standard errors

    def influence(self, kernel: Kernel, views: TableViews) -> Floats:
        """The metric's derivative in the weight of each row, systems × rows."""
        c = views.prepared(kernel)
        if kernel.over_items:
            return item_influence(kernel.function, c)[None]
        psi = self.design.influence(gradient_of(kernel, c))
        if kernel.target is None:
            return psi
        # rows are shares of their class
        return self.centred(psi, by_class=True) * self._scale(kernel, self.weight[None])

    def influences(self, kernels: list[Kernel]) -> Floats:
        """The influences on several metrics, kernels × systems × rows."""
        views = self.views(kernels)
        return np.stack([self.influence(k, views) for k in kernels])

    def centred(self, psi: Floats, *, by_class: bool = False) -> Floats:
        """Influences (… × rows) less their weighted mean in the table, or in the true class."""
        design = self.design
        if by_class:
            return centred(psi, self.weight, self.strata, design.stack * self.k)
        return centred(psi, self.weight, design.table, design.stack)

    def unit_influences(self, psi: Floats) -> Floats:
        """Weighted influences summed over each unit (… × units), from centred ones (… × rows).

        Inner products are covariances: √(C/(C − 1)) of C clusters is a factor.
        """
        if self.cluster is None:
            return np.asarray(psi * self._item_weight)
        code, table, clusters = self.clusters
        sums = grouped((psi * self.weight).reshape(-1, psi.shape[-1]), code, len(table))
        return (sums * _small_sample(clusters)[table]).reshape(*psi.shape[:-1], -1)

    def standard_error(self, psi: Floats, *, stratify: bool = False) -> Floats:
        """Standard errors (… × tables) from influences (… × systems × rows)."""
        if stratify and self.cluster is not None:
            raise InputError(STRATIFIED_CLUSTERS)
        return self.root_sum_squares(self.unit_influences(self.centred(psi, by_class=stratify)))

    def root_sum_squares(self, units: Floats) -> Floats:
        """√Σ of squares over the units of each table (… × tables), from … × systems × units."""
        table = self.design.table
        if table is None:
            return np.asarray(np.sqrt((units**2).sum(axis=-1)))
        home = table if self.cluster is None else self.clusters[1]
        squares = grouped((units**2).reshape(-1, units.shape[-1]), home, self.design.stack)
        return np.asarray(np.sqrt(squares).reshape(*units.shape[:-2], -1))

    def class_errors(self, kernel: Kernel, views: TableViews) -> Floats:
        """Standard errors of one value per class (tables × k)."""
        tables, size = self.design.tables, self.design.tables * self.k
        if (
            kernel.target is not None
            and self.cluster is None
            and isinstance(self.design, CodeDesign)
        ):
            return self._calibrated_class_errors(kernel, views)
        if kernel.target is not None:
            each = [kernel.of_class(j, self.k) for j in range(self.k)]
            return np.stack([self.standard_error(self.influence(k, views)) for k in each], axis=-1)
        slopes = elementwise(kernel.function, views.prepared(kernel))
        flat = [np.broadcast_to(x, (tables, self.k)).reshape(-1) for x in slopes]
        squares = np.zeros(size)
        for row, number, psi in self.design.class_influences(flat):
            if self.cluster is None:
                squares += np.bincount(number, (psi * self._item_weight[row]) ** 2, minlength=size)
                continue
            code, table, clusters = self.clusters
            at, place = np.unique(code[row] * size + number, return_inverse=True)
            units = np.bincount(place, psi * self.weight[row])
            units = units * _small_sample(clusters)[table[at // size]]
            squares += np.bincount(at % size, units**2, minlength=size)
        return np.asarray(np.sqrt(squares).reshape(tables, self.k))

    def _calibrated_class_errors(self, kernel: Kernel, views: TableViews) -> Floats:
        """Standard errors of one value per class at a stated mix, each true row a multinomial.

        Var_j = Σ_i λ_i²·u_ij²·(s_ij·(1 − 2R_ij) + S_i·R_ij²), with λ the factor of the row, s the
        squared weights, S their sum over the row, and u_ij = ∂/∂bias_j + [i = j]·∂/∂correct_j.
        """
        table, true, pred = np.broadcast_arrays(*self.codes.index)
        shape, row = (self.design.tables, self.k), table * self.k + true
        correct, bias, prevalence = (
            np.broadcast_to(x, shape).reshape(-1)
            for x in elementwise(kernel.function, views.prepared(kernel))
        )
        rate = self.weight / self.by_group(self.weight[None], true, self.k).reshape(-1)[row]
        squares = self._item_weight**2
        row_squares = self.by_group(squares[None], true, self.k).reshape(-1)[row]
        scale = self._scale(kernel, self.weight[None])
        variance = scale**2 * (squares * (1 - 2 * rate) + row_squares * rate**2)
        inside = pred < self.k
        column = (table * self.k + pred)[inside]
        own = (correct - prevalence)[column]  # true rows have a stated share
        slope = np.where((true == pred)[inside], own, bias[column])
        total = np.bincount(column, slope**2 * variance[inside], minlength=correct.size)
        return np.asarray(np.sqrt(np.maximum(total, 0))).reshape(shape)

    @cached_property
    def _item_weight(self) -> Floats:
        """The root of the squared weights of a row's items."""
        if self.square is None:
            raise InputError(UNKNOWN)
        return np.asarray(np.sqrt(self.square))

    @cached_property
    def clusters(self) -> tuple[Codes, Codes, Codes]:
        """The cluster of each row, the stack's table of each cluster, clusters of each table."""
        names, code = np.unique(np.asarray(self.cluster), return_inverse=True)
        table = np.zeros(len(names), np.int64)
        if self.design.table is not None:
            table[code] = self.design.table
        clusters = np.bincount(table, minlength=self.design.stack)
        if clusters.min() < 2:
            raise InputError(f"cluster must name at least 2 clusters, got {clusters.min()}")
        return code, table, clusters

    @property
    def df(self) -> Floats:
        """Degrees of freedom of each table: clusters less one, infinite without clusters."""
        each = np.full(1, math.inf) if self.cluster is None else self.clusters[2] - 1.0
        return np.broadcast_to(each, self.design.tables)

    @property
    def strata(self) -> Codes:
        """The true class of each row, which must have one."""
        if self.stratum is None:
            raise InputError(
                "stratify needs one true class an item; multi-label items have several"
            )
        return self.stratum


def _small_sample(clusters: Codes) -> Floats:
    """√(C/(C − 1)) for C clusters of each table."""
    return np.asarray(np.sqrt(clusters / (clusters - 1)))


@singledispatch
def rows_of(data: Any) -> Rows:
    """The rows of one table, or of the systems of a sample."""
    raise TypeError(f"no rows of {type(data).__name__}")


@rows_of.register
def _of_table(data: Confusion) -> Rows:
    """The non-empty cells of one table, or of each table of a stack."""
    table, true, pred, weight, _ = data.data.entries()
    squares, k = data.data.squares, data.k
    plain = weight.dtype.kind in "iu" and data.data.square is None
    if squares is not None and squares.ndim > 1:
        squares = squares.reshape(-1, k, k + 1)[table, true, pred]
    design = CodeDesign(k, true, pred[:, None])
    if data.shape:
        design = replace(design, table=table, stack=math.prod(data.shape))
    return Rows(
        design,
        np.asarray(weight, np.float64),
        None if squares is None else np.asarray(squares, np.float64),
        np.asarray(weight, np.int64) if plain else None,
    )


@rows_of.register
def _of_slices(slices: SampleSlices) -> Rows:
    rows = slices.rows
    pred = np.where(rows.pred < 0, rows.k, rows.pred)
    design = CodeDesign(rows.k, rows.true, pred, table=slices.slice, stack=len(slices.keys))
    weight, square = (np.asarray(x, np.float64) for x in (rows.weight, rows.squares))
    return Rows(design, weight, square, cluster=slices.cluster)


@rows_of.register
def _of_sample(sample: Sample) -> Rows:
    """Rows in an order that does not depend on the order of the systems."""
    names = sorted(range(len(sample.systems)), key=sample.systems.__getitem__)
    keys: list[Any] = [sample.pred[:, i] for i in reversed(names)]
    extra = [x for x in (sample.squares, sample.weight, sample.cluster) if x is not None]
    order = np.lexsort([*extra, *keys, sample.true])
    pred = sample.pred[order]
    return Rows(
        CodeDesign(sample.k, sample.true[order], np.where(pred < 0, sample.k, pred)),
        np.asarray(sample.weight[order], np.float64),
        np.asarray(sample.squares[order], np.float64),
        sample.items[order],
        cluster=None if sample.cluster is None else sample.cluster[order],
    )


@rows_of.register
def _of_soft(soft: SoftSample) -> Rows:
    weight = np.ones(soft.n) if soft.weight is None else soft.weight
    truth = np.zeros((soft.n, soft.k))
    truth[np.arange(soft.n), soft.true] = 1.0
    hits = tuple(p * truth for p in soft.probability)
    design = MatrixDesign(soft.k, truth, tuple(soft.probability), hits, soft.true)
    return Rows(design, weight, weight**2, np.ones(soft.n, np.int64), soft.cluster)


@rows_of.register
def _of_items(multi: MultiLabel) -> Rows:
    """Distinct items (true set, predicted set, weight, cluster), sorted."""
    n = multi.true.shape[0]
    weight = np.ones(n) if multi.weight is None else multi.weight
    times = np.ones(n, np.int64) if multi.times is None else multi.times
    columns = (weight,) if multi.cluster is None else (weight, multi.cluster)
    sides = (side.sorted_indices() for side in (multi.true, multi.pred))
    sets = ([x.tobytes() for x in np.split(s.indices, s.indptr[1:-1])] for s in sides)
    keys = list(zip(*(x.tolist() for x in columns), *sets, strict=True))
    distinct = {key: i for i, key in enumerate(sorted(set(keys)))}
    row = np.array([distinct[key] for key in keys], np.int64)
    at = np.unique(row, return_index=True)[1]
    items = np.bincount(row, times).astype(np.int64)
    matrices = (multi.true, multi.pred, multi.hits.tocsr())
    true, pred, hit = (m[at].astype(np.float64) for m in matrices)
    design, weight = MatrixDesign(multi.k, true, (pred,), (hit,)), weight[at]
    cluster, per = None if multi.cluster is None else multi.cluster[at], multi.items()
    margins = per.correct[at], per.predicted[at], per.true[at]
    per_item = ItemArrays(*margins, per.weight[at], multi.k)
    squares = items * weight**2
    return Rows(design, items * weight, squares, items, cluster, per_item)


# Differences and ratios of two numbers from their intervals, by square-and-add.


class ContrastLimits(NamedTuple):
    """Numbers with the ends of their intervals, NaN where there is none."""

    value: Floats
    low: Floats
    high: Floats


def difference(a: ContrastLimits, b: ContrastLimits, r: Floats | float = 0.0) -> ContrastLimits:
    """a − b.

    >>> one = ContrastLimits(*(np.array(x) for x in (0.8, 0.7, 0.88)))
    >>> other = ContrastLimits(*(np.array(x) for x in (0.6, 0.5, 0.69)))
    >>> [round(float(x), 4) for x in difference(one, other)]
    [0.2, 0.0655, 0.3281]
    """
    down = _joint(a.value - a.low, b.high - b.value, r)
    up = _joint(a.high - a.value, b.value - b.low, r)
    value = a.value - b.value
    return ContrastLimits(value, value - down, value + up)


def _joint(x: Floats, y: Floats, r: Floats | float) -> Floats:
    return np.asarray(np.sqrt(np.maximum(x * x + y * y - 2 * r * x * y, 0.0)))


def ratio(a: ContrastLimits, b: ContrastLimits, r: Floats | float = 0.0) -> ContrastLimits:
    """a / b of numbers ≥ 0; without an upper end where b may be 0, and nothing where b is.

    >>> one = ContrastLimits(*(np.array(x) for x in (0.8, 0.7, 0.88)))
    >>> other = ContrastLimits(*(np.array(x) for x in (0.6, 0.5, 0.69)))
    >>> [round(float(x), 4) for x in ratio(one, other)]
    [1.3333, 1.0989, 1.637]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.where(b.value > 0, a.value / b.value, np.nan)
        low = _end(a, b, a.low, b.high, r, -1.0)
        high = np.where(b.low > 0, _end(a, b, a.high, b.low, r, 1.0), np.inf)
    known = np.isfinite(value) & ~np.isnan(a.low) & ~np.isnan(b.low)
    return ContrastLimits(value, np.where(known, low, np.nan), np.where(known, high, np.nan))


def _end(
    a: ContrastLimits, b: ContrastLimits, x: Floats, y: Floats, r: Floats | float, side: float
) -> Floats:
    """The θ at which 0 is an end of the interval of a − θ·b; ``x`` and ``y`` are the ends used."""
    middle = a.value * b.value - r * np.abs(a.value - x) * np.abs(b.value - y)
    product = x * y * (2 * a.value - x) * (2 * b.value - y)
    root = np.sqrt(np.maximum(middle * middle - product, 0.0))
    return np.asarray(np.maximum((middle + side * root) / (y * (2 * b.value - y)), 0.0))
