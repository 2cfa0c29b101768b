"""Weighted rows of data: their margins, influences and variances."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, singledispatch
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.core.contingency import Contingency
from evenhand.core.derivatives import (
    AnyGradient,
    CellGradient,
    cell_gradient,
    finite_gradient,
    item_influence,
    stacked,
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


# Designs: how rows add up to the margins of each system's table.

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
    """Hard labels: a true code per row, and a predicted code (k: outside) for each system."""

    k: int
    true: Codes
    pred: Codes

    @property
    def systems(self) -> int:
        return int(self.pred.shape[1])

    def prevalence(self, weights: Floats) -> Floats:
        """True margins (B × k) of rows weighted in B ways."""
        return grouped(weights, self.true, self.k)

    def counts(self, weights: Floats) -> Counts:
        """Margins (B × systems × k) of rows weighted in B ways."""
        shape = (len(weights), self.systems, 2, self.k + 1)
        missed, hit = np.moveaxis(self._sums(weights).reshape(shape), 2, 0)
        predicted = missed + hit
        truth = np.broadcast_to(self.prevalence(weights)[:, None], (*shape[:2], self.k))
        total = np.broadcast_to(weights.sum(axis=1)[:, None], shape[:2])
        errors = None
        if not _integers(weights):
            misses = weighted_sums(weights, self._wrong).reshape(*shape[:2], self.k)
            errors = (misses, missed[..., :-1])
        return Counts(
            hit[..., :-1], predicted[..., :-1], truth, total, predicted[..., -1], errors=errors
        )

    def crossed(self, weights: Floats) -> Contingency:
        """Cells (B × systems) of rows weighted in B ways."""
        size = self.k * (self.k + 1)
        cells = np.stack([grouped(weights, at, size) for at in self._cell], axis=1)
        cells = cells.reshape(*cells.shape[:2], self.k, self.k + 1)
        return Contingency.from_cells(cells[..., :-1], cells[..., -1])

    def _sums(self, weights: Floats) -> Floats:
        """Weights summed by system, hit or not, and prediction.

        With many systems almost every row is distinct: a sparse product is faster then.
        """
        size = 2 * (self.k + 1)
        if LONG < self.pred.size <= MANY and len(weights) > 1:
            exact = weights.dtype.kind in "iu" and weights[0].sum() < EXACT
            w = weights.T.astype(np.float32 if exact else np.float64, order="C")
            return np.asarray((self._places.astype(w.dtype) @ w).T, np.float64)
        return np.stack([grouped(weights, c, size) for c in self._code.T], axis=1)

    @cached_property
    def _code(self) -> Codes:
        return np.asarray(self.pred + (self.k + 1) * (self.pred == self.true[:, None]), np.int64)

    @cached_property
    def _places(self) -> Any:
        from scipy import sparse

        size = 2 * (self.k + 1)
        place = (self._code + size * np.arange(self.systems)).reshape(-1)
        start = np.arange(0, place.size + 1, self.systems)
        units = np.ones(place.size, np.float32)
        return sparse.csc_array((units, place, start), shape=(size * self.systems, len(self.true)))

    @cached_property
    def _wrong(self) -> Any:
        """Rows × (systems · k): the true class of each system's errors."""
        from scipy import sparse

        row, system = np.nonzero(self.pred != self.true[:, None])
        at = (row, self.true[row] + self.k * system)
        shape = (len(self.true), self.systems * self.k)
        return sparse.csr_array((np.ones(len(row)), at), shape=shape)

    def influence(self, g: AnyGradient) -> Floats:
        """A metric's derivative in the weight of each row, for each system; or that of a stack."""
        shape = np.shape(g.value)
        if self.k * (self.k + 1) > len(self.true):
            table = np.arange(math.prod(shape)).reshape(*shape, 1)
            return g.at(table, self.true, self.pred.T)
        cells = g.dense().reshape(-1, self.systems, self.k * (self.k + 1))
        slopes = [c.take(at) for x in cells for c, at in zip(x, self._cell, strict=True)]
        return np.stack(slopes).reshape(*shape, -1)

    @cached_property
    def _cell(self) -> Codes:
        return np.ascontiguousarray((self.true[:, None] * (self.k + 1) + self.pred).T)

    def class_influence(self, slopes: list[Floats], s: int) -> tuple[Codes, Codes, Floats]:
        """Row, class and derivative, where one row's weight moves one class's value."""
        pred = self.pred[:, s]
        return class_influence(slopes, self.true, pred, pred < self.k)


@dataclass(frozen=True, eq=False)
class MatrixDesign:
    """Indicators or probabilities: true, predicted and hit labels, as rows × k matrices."""

    k: int
    true: Any
    pred: tuple[Any, ...]
    hit: tuple[Any, ...]

    @property
    def systems(self) -> int:
        return len(self.pred)

    def prevalence(self, weights: Floats) -> Floats:
        """True margins (B × k) of rows weighted in B ways."""
        return weighted_sums(weights, self.true)

    def counts(self, weights: Floats) -> Counts:
        """Margins (B × systems × k) of rows weighted in B ways."""

        def summed(matrices: Iterable[Any]) -> Floats:
            return np.stack([weighted_sums(weights, m) for m in matrices], axis=1)

        correct, bias = summed(self.hit), summed(self.pred)
        truth = np.broadcast_to(self.prevalence(weights)[:, None], bias.shape)
        total = np.broadcast_to(weights.sum(axis=1)[:, None], bias.shape[:2])
        errors = None
        if isinstance(self.true, np.ndarray):  # probabilities; indicators have no agreement
            misses = summed(self.true - hit for hit in self.hit)
            alarms = summed(p - hit for p, hit in zip(self.pred, self.hit, strict=True))
            errors = (misses, alarms)
        return Counts(correct, bias, truth, total, np.zeros(bias.shape[:2]), errors=errors)

    def crossed(self, weights: Floats) -> Contingency:
        """Cells (B × systems) of rows weighted in B ways."""
        cells = [[(self.true * w[:, None]).T @ pred for pred in self.pred] for w in weights]
        return Contingency.from_cells(np.array(cells))

    def influence(self, g: AnyGradient) -> Floats:
        """A metric's derivative in the weight of each row, for each system; or that of a stack."""
        if isinstance(g, CellGradient):
            cells = np.moveaxis(g.dense()[..., :-1], -3, 0)
            pairs = zip(cells, self.pred, strict=True)
            slopes = [np.einsum("rt,...tp,rp->...r", self.true, own, pred) for own, pred in pairs]
            return np.stack(slopes, axis=-2)
        slopes = []
        for s, (pred, hit) in enumerate(zip(self.pred, self.hit, strict=True)):
            correct, misses, alarms = (
                x[..., s, :].T for x in (g.correct, g.false_negatives, g.false_positives)
            )
            slope = (self.true - hit) @ misses + (pred - hit) @ alarms + hit @ correct
            slopes.append((slope + g.total[..., s]).T)
        return np.stack(slopes, axis=-2)

    def class_influence(self, slopes: list[Floats], s: int) -> tuple[Codes, Codes, Floats]:
        """Row, class and derivative, where one row's weight moves one class's value."""
        from scipy import sparse

        hit = self.hit[s]
        parts = zip((hit, self.pred[s] - hit, self.true - hit), slopes, strict=True)
        influence = sum(sparse.csr_array(m) @ sparse.diags_array(x) for m, x in parts)
        row, label = influence.nonzero()
        return row, label, np.asarray(influence[row, label])


def _integers(weights: Floats) -> bool:
    """Whether sums of ``weights`` and their differences are exact."""
    if weights.dtype.kind in "iu":
        return True
    if not np.array_equal(weights[:1], np.rint(weights[:1])):
        return False  # mostly decided by the first weighting
    small = weights.sum(axis=1).max(initial=0) < 1 << 53
    return bool(small and np.array_equal(weights, np.rint(weights)))


Design: TypeAlias = CodeDesign | MatrixDesign


def class_influence(
    slopes: list[Floats], true: Codes, pred: Codes, inside: Floats
) -> tuple[Codes, Codes, Floats]:
    """Row, class and derivative from the true and the predicted class of rows (some outside)."""
    correct, false_positives, false_negatives = slopes
    rows, wrong = np.arange(len(true)), inside & (true != pred)
    own = np.where(true == pred, correct[true], false_negatives[true])
    return (
        np.concatenate([rows, rows[wrong]]),
        np.concatenate([true, pred[wrong]]),
        np.concatenate([own, false_positives[pred[wrong]]]),
    )


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


def slopes(kernels_with_counts: Iterable[tuple[Kernel, Any]]) -> list[AnyGradient]:
    """The gradient of each kernel at its margins, NaN for a table where it is infinite."""
    gradients: list[AnyGradient] = []
    for kernel, counts in kernels_with_counts:
        if kernel.record is not None and not kernel.record.smooth:
            raise NoGradientError(kernel.name, "it is no smooth function of the counts")
        try:
            differentiate = cell_gradient if kernel.over_cells else finite_gradient
            gradients.append(differentiate(kernel.function, counts))
        except (AttributeError, TypeError, ValueError) as e:
            if kernel.ours:
                raise
            raise NoGradientError(kernel.name, str(e)) from e
    return gradients


# Variances.

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


def norm(parts: Floats, number: Codes | None = None, size: int = 0) -> Floats:
    """The standard error from its parts; with ``number``, one for each number."""
    if number is None:
        return np.asarray(np.sqrt((parts**2).sum(axis=-1)))
    squares = grouped(np.atleast_2d(parts**2), number, size)
    return np.asarray(np.sqrt(squares).reshape(*parts.shape[:-1], size))


@dataclass(frozen=True, eq=False)
class SamplingUnits:
    """The units that vary independently, rows or clusters, and the weight of each row.

    ``home`` is the table of each cluster, ``clusters`` the number of clusters of each table.
    """

    size: Floats
    cluster: Codes | None = None
    home: Codes | None = None
    clusters: Codes | None = None

    @classmethod
    def from_weights(
        cls,
        weight: Floats,
        square: Floats | None,
        cluster: Codes | None = None,
        home: Codes | None = None,
    ) -> SamplingUnits:
        """Clusters if there are any, at least two; else rows, whose squared weights must be known.

        With a ``home``, clusters have codes from 0 on, each of one table of a stack.
        """
        if cluster is None:
            if square is None:
                raise InputError(UNKNOWN)
            return cls(np.sqrt(square))
        if home is None:
            names, cluster = np.unique(cluster, return_inverse=True)
            home = np.zeros(len(names), np.int64)
        clusters = np.bincount(home)
        if clusters.min() < 2:
            raise InputError(f"cluster must name at least 2 clusters, got {clusters.min()}")
        return cls(weight, cluster, home, clusters)

    @property
    def freedom(self) -> Floats:
        """Degrees of freedom in each table: clusters less one, infinite without clusters."""
        return np.array([math.inf]) if self.clusters is None else self.clusters - 1.0

    @property
    def _cluster_factor(self) -> Floats:
        """√(C/(C − 1)) for each cluster, C being the clusters of its table."""
        assert self.clusters is not None and self.home is not None
        return np.asarray(np.sqrt(self.clusters / (self.clusters - 1))[self.home])

    def parts(self, psi: Floats) -> Floats:
        """Parts of each number's error (… × units) from centred derivatives (… × rows)."""
        weighted = psi * self.size
        if self.cluster is None:
            return np.asarray(weighted)
        factor = self._cluster_factor
        sums = grouped(weighted.reshape(-1, psi.shape[-1]), self.cluster, len(factor)) * factor
        return sums.reshape(*psi.shape[:-1], -1)

    def sparse_parts(
        self, row: Codes, number: Codes, psi: Floats, numbers: int
    ) -> tuple[Floats, Codes]:
        """The same if a row affects few of the numbers: parts, and the number of each part."""
        parts = self.size[row] * psi
        if self.cluster is None:
            return parts, number
        at, place = np.unique(self.cluster[row] * numbers + number, return_inverse=True)
        return np.bincount(place, parts) * self._cluster_factor[at // numbers], at % numbers


Data: TypeAlias = Confusion | MultiLabel | Sample | SoftSample | SampleSlices


BLOCK = 1 << 18
"""Replicates × systems × classes that are scored at once, to stay in cache."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Weighted rows of data, and how they add up to margins.

    ``items`` counts the items of a row, which weigh the same (``None``: only sums are known).
    ``square`` sums the squared weights of a row's items (``None``: unknown). ``stratum`` is the
    true class, ``cluster`` the group of dependent items.
    """

    design: Design
    weight: Floats
    square: Floats | None
    items: Codes | None
    stratum: Codes | None = None
    cluster: Codes | None = None
    per_item: ItemArrays | None = None

    def values(self, kernels: list[Kernel], weights: Floats) -> list[Floats]:
        """Each metric of each system (B × systems), the rows weighted in B ways."""
        size = self.design.k * (self.design.k if any(k.over_cells for k in kernels) else 1)
        chunk = max(1, BLOCK // (self.design.systems * size))
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

    def influences(self, kernels: list[Kernel], views: TableViews | None = None) -> Floats:
        """Derivative of each metric in the weight of each row, kernels × systems × rows."""
        views = self.views(kernels) if views is None else views
        influence = np.empty((len(kernels), self.design.systems, len(self.weight)))
        for view, first in asked_views(kernels).items():
            indices = [i for i, k in enumerate(kernels) if k.view == view]
            pairs = [(kernels[i], views.prepared(kernels[i])) for i in indices]
            if view == OVER_ITEMS:
                influence[indices] = [[item_influence(k.function, c)] for k, c in pairs]
                continue
            psi = self.design.influence(stacked(slopes(pairs)))
            if first.target is not None:  # rows are shares of their class
                scale = self._scale(first, self.weight[None])
                psi = centred(psi, self.weight, self.stratum) * scale
            influence[indices] = psi
        return influence

    @cached_property
    def units(self) -> SamplingUnits:
        """The sampling units: the rows, or the clusters."""
        return SamplingUnits.from_weights(self.weight, self.square, self.cluster)

    @property
    def counted(self) -> bool:
        """Whether items are independent and unweighted."""
        if self.cluster is not None or self.items is None:
            return False
        return np.array_equal(self.weight, self.items)

    @property
    def freedom(self) -> float:
        """Degrees of freedom: clusters less one, infinite without clusters."""
        return math.inf if self.cluster is None else float(self.units.freedom[0])

    def _scale(self, kernel: Kernel, weights: Floats) -> Floats:
        assert kernel.target is not None and self.stratum is not None
        target = kernel.target if kernel.target.ndim < 2 else kernel.target[0]
        return np.asarray(factors(self.design.prevalence(weights), target)[:, self.stratum])


@singledispatch
def rows_of(data: Any) -> Rows:
    """The rows of one table, or of the systems of a sample."""
    raise TypeError(f"no rows of {type(data).__name__}")


@rows_of.register
def _of_table(data: Confusion) -> Rows:
    _, true, pred, weight, _ = data.data.entries()
    squares = data.data.squares
    plain = weight.dtype.kind in "iu" and data.data.square is None
    if squares is not None and squares.ndim > 1:
        squares = squares[true, pred]
    return Rows(
        CodeDesign(data.k, true, pred[:, None]),
        np.asarray(weight, np.float64),
        None if squares is None else np.asarray(squares, np.float64),
        np.asarray(weight, np.int64) if plain else None,
        stratum=true,
    )


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
        stratum=sample.true[order],
        cluster=None if sample.cluster is None else sample.cluster[order],
    )


@rows_of.register
def _of_soft(soft: SoftSample) -> Rows:
    weight = np.ones(soft.n) if soft.weight is None else soft.weight
    truth = np.zeros((soft.n, soft.k))
    truth[np.arange(soft.n), soft.true] = 1.0
    hits = tuple(p * truth for p in soft.probability)
    design = MatrixDesign(soft.k, truth, tuple(soft.probability), hits)
    items = np.ones(soft.n, np.int64)
    return Rows(design, weight, weight**2, items, stratum=soft.true, cluster=soft.cluster)


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
    return Rows(design, items * weight, squares, items, cluster=cluster, per_item=per_item)


def stratum_of(rows: Rows, stratify: bool) -> Codes | None:
    """The true classes, when resampling stays within them."""
    if not stratify:
        return None
    if rows.stratum is None:
        raise InputError("stratify needs one true class an item; multi-label items have several")
    if rows.cluster is not None:
        raise InputError("stratify and cluster exclude each other: a cluster spans classes")
    return rows.stratum


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
