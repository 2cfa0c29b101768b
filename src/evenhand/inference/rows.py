"""Weighted rows of data: their margins, influences and variances."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, singledispatch
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.core.contingency import Contingency
from evenhand.core.derivatives import (
    AnyGradient,
    CellGradient,
    Gradient,
    cell_gradient,
    elementwise,
    finite_gradient,
    item_influence,
)
from evenhand.core.kernel import (
    OVER_ITEMS,
    OVER_SCORES,
    ItemArrays,
    Kernel,
    TableViews,
    View,
    asked_views,
)
from evenhand.core.margins import Counts, factors
from evenhand.core.scores import ItemScores
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

EXACT = 1 << 24
"""Integers up to which single precision is exact."""


class Design(ABC):
    """How rows add up to the hits, misses and false alarms of each class of each table.

    An *event* is one of these, or a prediction outside, of a row in one system: ``entry`` is
    system × rows + row, ``column`` the place in the tables' margins (tables × 3k + 1), ``amount``
    1 or, of soft labels, a probability. All systems share the rows, each with a table of its own;
    or there is one system, and each row is of one ``table`` of a ``stack`` of so many.
    """

    k: int
    true: Any
    pred: Any
    table: Codes | None
    stack: int

    @property
    @abstractmethod
    def systems(self) -> int:
        """Number of systems."""

    @property
    @abstractmethod
    def stratum(self) -> Codes | None:
        """A code for each table's true classes, where a row has one."""

    @cached_property
    @abstractmethod
    def events(self) -> tuple[Codes, Codes, Floats]:
        """Entry, column and amount of the events."""

    @abstractmethod
    def crossed(self, weights: Floats) -> Contingency:
        """Cells (B × tables) of rows weighted in B ways."""

    @abstractmethod
    def _cell_slopes(self, g: CellGradient) -> Floats: ...

    @property
    def size(self) -> int:
        """Number of rows."""
        return int(self.true.shape[0])

    @property
    def tables(self) -> int:
        """Number of tables: one for each system, or those of the stack."""
        return self.stack * self.systems

    @cached_property
    def _matrix(self) -> Any:
        """Events as a sparse matrix, entries × columns."""
        from scipy import sparse

        entry, column, amount = self.events
        shape = (self.systems * self.size, self.tables * (3 * self.k + 1))
        return sparse.csr_array((amount, (entry, column)), shape=shape)

    @cached_property
    def _transposed(self) -> Any:
        """The sparse matrix of columns × rows, systems added up."""
        from scipy import sparse

        entry, column, amount = self.events
        shape = (self.tables * (3 * self.k + 1), self.size)
        return sparse.csr_array((amount, (column, entry % self.size)), shape=shape)

    def counts(self, weights: Floats) -> Counts:
        """Margins (B × tables × k) of rows weighted in B ways."""
        entry, column, amount = self.events
        k, size = self.k, self.tables * (3 * self.k + 1)
        if len(weights) == 1:
            sums = np.bincount(column, weights[0][entry % self.size] * amount, minlength=size)
        else:
            few = weights.dtype.kind in "iu" and weights[0].sum() < EXACT
            by_row = weights.T.astype(np.float32 if few else np.float64, order="C")
            sums = (self._transposed.astype(by_row.dtype) @ by_row).T.astype(np.float64, order="C")
        sums = sums.reshape(len(weights), self.tables, 3 * k + 1)
        correct, misses, alarms = (sums[..., i : i + k] for i in (0, k, 2 * k))
        table = np.zeros(self.size, np.int64) if self.table is None else self.table
        total = np.broadcast_to(grouped(weights, table, self.stack), sums.shape[:2])
        errors = None if _integers(weights) else (misses, alarms)
        margins = (correct, correct + alarms, correct + misses, total, sums[..., -1])
        return Counts(*margins, errors=errors)

    def _margin_slopes(self, g: Gradient) -> Floats:
        """A metric's derivative in each margin of the tables, columns × B for B gradients."""
        parts = (g.correct, g.false_negatives, g.false_positives, np.asarray(g.outside)[..., None])
        return np.concatenate(parts, axis=-1).reshape(-1, self.tables * (3 * self.k + 1)).T

    @cached_property
    def _difference_matrix(self) -> Any:
        """Events of the first of two systems less those of the second, and 1 for every row."""
        from scipy import sparse

        first, second = self._matrix[: self.size], self._matrix[self.size :]
        return sparse.hstack([first - second, np.ones((self.size, 1))], format="csr")

    def difference_sums(self, weights: Floats) -> Floats:
        """Margins of the first of two systems less the second's, then totals, of rows × B."""
        return np.asarray(self._difference_matrix.T @ weights)

    def slope_differences(self, g: AnyGradient, sums: Floats | None) -> Floats:
        """The first of two systems' :meth:`slopes` less the second's, rows × B.

        Margins are centred where there are :meth:`difference_sums`: the mean of rows is 0.
        """
        if isinstance(g, CellGradient):
            first, second = self._cell_slopes(g)
            return np.asarray(first - second)
        slopes = self._margin_slopes(g)
        means = np.zeros((1, slopes.shape[1]))
        if sums is not None:
            means = (np.einsum("cb,cb->b", sums[:-1], slopes) / sums[-1])[None]
        return np.asarray(self._difference_matrix @ np.concatenate([slopes, -means]))

    def slopes(self, g: AnyGradient) -> Floats:
        """A metric's derivative in the weight of each row, systems × rows × B for B gradients.

        Without that in the total, which is the same for all rows of a table.
        """
        if isinstance(g, CellGradient):
            return self._cell_slopes(g)
        slopes = self._margin_slopes(g)
        if slopes.shape[1] == 1:
            entry, column, amount = self.events
            size = self.systems * self.size
            psi = np.bincount(entry, slopes[column, 0] * amount, minlength=size)
        else:
            psi = self._matrix @ slopes
        return psi.reshape(self.systems, self.size, slopes.shape[1])

    def influence(self, g: AnyGradient) -> Floats:
        """A metric's derivative in the weight of each row, systems × rows; or that of a batch."""
        psi = np.moveaxis(self.slopes(g), -1, 0)
        if isinstance(g, Gradient):
            total = np.reshape(g.total, (-1, self.tables, 1))
            psi = psi + (total if self.table is None else total[:, self.table].swapaxes(1, 2))
        return psi.reshape(*np.shape(g.value)[:-1], self.systems, self.size)

    def class_slopes(self, slopes: list[Floats]) -> Any:
        """The derivative of each class's value in the weight of each row, where it has one.

        A sparse matrix of entries × (tables · k), from derivatives (tables × k) in the hits, false
        positives and false negatives of the class.
        """
        from scipy import sparse

        correct, alarms, misses = slopes
        entry, column, amount = self.events
        table, place = np.divmod(column, 3 * self.k + 1)
        each = np.concatenate([correct, misses, alarms, 0 * correct[:, :1]], axis=-1)
        number = table * self.k + place % self.k
        shape = (self.systems * self.size, self.tables * self.k)
        return sparse.csr_array((amount * each.reshape(-1)[column], (entry, number)), shape=shape)


@dataclass(frozen=True, eq=False)
class CodeDesign(Design):
    """Hard labels: a true code per row, and predicted codes (k: outside), rows × systems."""

    k: int
    true: Codes
    pred: Codes
    table: Codes | None = None
    stack: int = 1

    @property
    def systems(self) -> int:
        """Number of systems."""
        return int(self.pred.shape[1])

    @property
    def stratum(self) -> Codes:
        """A code for each table's true classes."""
        return self.true if self.table is None else self.table * self.k + self.true

    @cached_property
    def index(self) -> tuple[Codes, Codes, Codes]:
        """Table, true and predicted code of each row, systems × rows when broadcast."""
        table = np.arange(self.pred.shape[1])[:, None] if self.table is None else self.table[None]
        return table, self.true, np.ascontiguousarray(self.pred.T)

    @cached_property
    def events(self) -> tuple[Codes, Codes, Floats]:
        """A hit, or a miss and a false alarm, of each row and system."""
        table, true, pred = self.index
        first, hit = table * (3 * self.k + 1), true == pred
        own = first + np.where(hit, true, self.k + true)
        wrong = np.flatnonzero(~hit)
        alarm = (first + 2 * self.k + pred).reshape(-1)[wrong]  # the last column is outside
        entry = np.concatenate([np.arange(hit.size), wrong])
        return entry, np.concatenate([own.reshape(-1), alarm]), np.ones(len(entry))

    def crossed(self, weights: Floats) -> Contingency:
        """Cells (B × tables) of rows weighted in B ways."""
        cell = self.stratum * (self.k + 1) + self.index[2]
        size = self.stack * self.k * (self.k + 1)
        cells = np.stack([grouped(weights, at, size) for at in cell], axis=1)
        cells = cells.reshape(len(weights), self.tables, self.k, self.k + 1)
        return Contingency.from_cells(cells[..., :-1], cells[..., -1])

    def _cell_slopes(self, g: CellGradient) -> Floats:
        table, true, pred = self.index
        batch = 1 if np.ndim(g.value) < 2 else len(g.value)
        table = table + self.tables * np.arange(batch)[:, None, None]
        return np.moveaxis(g.at(table, true, pred), 0, -1)


@dataclass(frozen=True, eq=False)
class MatrixDesign(Design):
    """Indicators or probabilities: true and predicted labels, as rows × k matrices.

    ``stratum`` is the true class of a row that has one.
    """

    k: int
    true: Any
    pred: tuple[Any, ...]
    stratum: Codes | None = None
    table: Codes | None = None
    stack: int = 1

    @property
    def systems(self) -> int:
        """Number of systems."""
        return len(self.pred)

    @cached_property
    def events(self) -> tuple[Codes, Codes, Floats]:
        """Hits, misses and false alarms of each label, by their amounts."""
        from scipy import sparse

        parts = []
        for s, pred in enumerate(self.pred):
            hit = self.true * pred
            for outcome, amounts in enumerate((hit, self.true - hit, pred - hit)):
                m = sparse.coo_array(amounts)
                column = s * (3 * self.k + 1) + outcome * self.k + m.coords[1]
                parts.append((s * self.size + m.coords[0], column, m.data))
        entry, column, amount = map(np.concatenate, zip(*parts, strict=True))
        return entry, column, amount

    def crossed(self, weights: Floats) -> Contingency:
        """Cells (B × tables) of rows weighted in B ways."""
        cells = [[(self.true * w[:, None]).T @ pred for pred in self.pred] for w in weights]
        return Contingency.from_cells(np.array(cells))

    def _cell_slopes(self, g: CellGradient) -> Floats:
        cells = g.dense().reshape(-1, self.tables, self.k, self.k + 1)[..., :-1]
        pred = np.stack(self.pred)
        return np.asarray(np.einsum("rt,bstp,srp->srb", self.true, cells, pred, optimize=True))


def _integers(weights: Floats) -> bool:
    """Whether sums of ``weights`` and their differences are exact."""
    if weights.dtype.kind in "iu":
        return True
    if not np.array_equal(weights[:1], np.rint(weights[:1])):
        return False  # mostly decided by the first weighting
    small = weights.sum(axis=1).max(initial=0) < 1 << 53
    return bool(small and np.array_equal(weights, np.rint(weights)))


def grouped(weights: Floats, code: Codes, size: int) -> Floats:
    """B × rows weights summed by each row's code, as B × size."""
    if len(code) > LONG:
        return np.stack([np.bincount(code, w, minlength=size) for w in weights])
    place = code + size * np.arange(len(weights))[:, None]
    sums = np.bincount(place.reshape(-1), weights.reshape(-1), minlength=size * len(weights))
    return np.asarray(sums.reshape(len(weights), size))


def incidence(code: Codes, size: int, weight: Floats | None = None) -> Any:
    """A sparse matrix that sums rows, or weighted ones, by their code."""
    from scipy import sparse

    weight = np.ones(len(code)) if weight is None else weight
    return sparse.csr_array((weight, (code, np.arange(len(code)))), shape=(size, len(code)))


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
    scores: ItemScores | None = None
    effective: dict[bool, Floats] = field(default_factory=dict, init=False)
    """Effective items by true class (``False``) and by predicted class, once computed."""

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
        return [v[:, None] if v.ndim < 2 else v for v in values]  # one system's averages of items

    def views(self, kernels: Iterable[Kernel], weights: Floats | None = None) -> TableViews:
        """The tables that kernels use, of the rows' own weights or weighted in B ways."""
        own = self.weight[None] if weights is None else weights
        tables: dict[bytes, View] = {}
        for view, kernel in asked_views(kernels).items():
            if view in (OVER_ITEMS, OVER_SCORES):
                items: Any = self.per_item if view == OVER_ITEMS else self.scores
                tables[view] = replace(items, weight=self.weight if weights is None else weights)
                continue
            weighed = own if kernel.target is None else own * self.scale(kernel, own)
            c = (self.design.crossed if kernel.over_cells else self.design.counts)(weighed)
            tables[view] = c.at(0) if weights is None else c
        return TableViews(tables)

    def scale(self, kernel: Kernel, weights: Floats) -> Floats:
        """The factor of each row (B × rows) that brings the true classes to the kernel's mix."""
        assert kernel.target is not None and self.stratum is not None
        stack = self.design.stack
        truth = grouped(weights, self.stratum, stack * self.k).reshape(-1, stack, self.k)
        target = kernel.target if kernel.target.ndim < 2 else kernel.target[:stack]
        return np.asarray(factors(truth, target).reshape(len(weights), -1)[:, self.stratum])

    @property
    def hard(self) -> bool:
        """Whether items have one true and one predicted label."""
        return isinstance(self.design, CodeDesign)

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

    def influence(self, kernel: Kernel, c: Any) -> Floats:
        """The metric's derivative in the weight of each row, systems × rows; ``c`` is its view."""
        if kernel.over_items:
            if isinstance(c, ItemScores) and kernel.record and not kernel.record.smooth:
                raise NoGradientError(kernel.name, "it is no smooth function of the scores")
            return item_influence(kernel.function, c)
        psi = self.design.influence(gradient_of(kernel, c))
        if kernel.target is None:
            return psi
        # rows are shares of their class
        return self.centred(psi, by_class=True) * self.scale(kernel, self.weight[None])

    def influences(self, kernels: list[Kernel]) -> Floats:
        """The influences on several metrics, kernels × systems × rows."""
        views = self.views(kernels)
        return np.stack([self.influence(k, views.prepared(k)) for k in kernels])

    def centred(self, psi: Floats, *, by_class: bool = False) -> Floats:
        """Influences (… × rows) less their weighted mean in the table, or in the true class."""
        design = self.design
        if by_class:
            return centred(psi, self.weight, self.strata, design.stack * self.k)
        return centred(psi, self.weight, design.table, design.stack)

    def unit_influences(self, psi: Floats) -> Floats:
        """Weighted influences summed over each unit (… × units), from centred ones (… × rows).

        Inner products are covariances; of clusters, those of the delete-a-cluster jackknife.
        """
        if self.cluster is None:
            return np.asarray(psi * self._item_weight)
        code, table, _ = self.clusters
        sums = grouped((psi * self.weight).reshape(-1, psi.shape[-1]), code, len(table))
        return (sums * self.cluster_factor).reshape(*psi.shape[:-1], -1)

    def standard_error(self, psi: Floats) -> Floats:
        """Standard errors (… × tables) from influences (… × systems × rows)."""
        return self.root_sum_squares(self.unit_influences(self.centred(psi)))

    def root_sum_squares(self, units: Floats) -> Floats:
        """√Σ of squares over the units of each table (… × tables), from … × systems × units."""
        table = self.design.table
        if table is None:
            return np.asarray(np.sqrt((units**2).sum(axis=-1)))
        home = table if self.cluster is None else self.clusters[1]
        squares = grouped((units**2).reshape(-1, units.shape[-1]), home, self.design.stack)
        return np.asarray(np.sqrt(squares).reshape(*units.shape[:-2], -1))

    def class_errors(self, kernel: Kernel, c: Counts) -> Floats:
        """Standard errors of one value per class (tables × k)."""
        if kernel.target is not None:
            each = [kernel.of_class(j, self.k) for j in range(self.k)]
            return np.stack(
                [self.standard_error(self.influence(k, k.prepared(c))) for k in each], axis=-1
            )
        shape = (self.design.tables, self.k)
        slopes = elementwise(kernel.function, c)
        psi = self.design.class_slopes([np.broadcast_to(x, shape) for x in slopes])
        systems = self.design.systems
        if self.cluster is None:
            squares = psi.power(2).T @ np.tile(self._item_weight**2, systems)
        else:
            code, table, _ = self.clusters
            members = incidence(np.tile(code, systems), len(table), np.tile(self.weight, systems))
            squares = (members @ psi).power(2).T @ self.cluster_factor**2
        return np.asarray(np.sqrt(squares).reshape(shape))

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
        return code, table, np.bincount(table, minlength=self.design.stack)

    @cached_property
    def cluster_factor(self) -> Floats:
        """√((C − 1)/C) · M/(M − m) for each cluster of weight m among C that weigh M.

        It makes of a cluster's influence the change without it: exactly for accuracy, and to first
        order for other metrics. Of equal clusters it is √(C/(C − 1)).
        """
        _, table, clusters = self.clusters
        if clusters.min() < 2:
            raise InputError(f"cluster must name at least 2 clusters, got {clusters.min()}")
        weight = self.cluster_weight
        total = np.bincount(table, weight, minlength=len(clusters))[table]
        root = np.sqrt((clusters - 1) / clusters)[table]
        return np.asarray(root * divide(total, total - weight, 1.0))

    @cached_property
    def cluster_weight(self) -> Floats:
        """The weight of each cluster."""
        return np.bincount(self.clusters[0], self.weight, minlength=len(self.clusters[1]))

    @property
    def df(self) -> Floats:
        """Degrees of freedom of each table: effective clusters less one, else infinite.

        C clusters of weights m are as many as (Σm)²/Σm² equal ones (Satterthwaite 1946).
        """
        if self.cluster is None:
            return np.full(self.design.tables, math.inf)
        return np.broadcast_to(np.maximum(self.effective_clusters - 1.0, 1.0), self.design.tables)

    @property
    def effective_clusters(self) -> Floats:
        """The number of equal clusters that those of each table are worth (Kish 1965)."""
        return effective_number(self.cluster_weight, self.clusters[1], self.design.stack)

    @property
    def strata(self) -> Codes:
        """The true class of each row, which must have one."""
        if self.stratum is None:
            raise InputError(
                "stratify needs one true class an item; multi-label items have several"
            )
        return self.stratum


def effective_number(weight: Floats, group: Codes, groups: int = 1) -> Floats:
    """(Σw)² / Σw² of the weights of each group (Kish 1965).

    >>> effective_number(np.array([2.0, 2.0, 2.0, 6.0]), np.array([0, 0, 0, 1]), 2).tolist()
    [3.0, 1.0]
    """
    sums, squares = (np.bincount(group, x, minlength=groups) for x in (weight, weight**2))
    return divide(sums**2, squares)


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
    scores = soft.item_scores
    probability = np.nan_to_num(soft.probability) if soft.graded else soft.probability
    design = MatrixDesign(soft.k, scores.truth, tuple(probability), soft.true)
    items, weight = np.ones(soft.n, np.int64), scores.weight
    return Rows(design, weight, weight**2, items, soft.cluster, scores=scores)


@rows_of.register
def _of_items(multi: MultiLabel) -> Rows:
    """Distinct items (true set, predicted set, weight, cluster), sorted."""
    n = multi.true.shape[0]
    weight = np.ones(n) if multi.weight is None else multi.weight
    times = np.ones(n, np.int64) if multi.times is None else multi.times
    columns = (weight,) if multi.cluster is None else (weight, multi.cluster)
    sides = (side.sorted_indices() for side in (multi.true, multi.pred))
    sets = ([x.tobytes() for x in np.split(s.indices, s.indptr[1:-1])] for s in sides)
    scores = multi.item_scores
    rows = [] if scores is None else [[x.tobytes() for x in scores.scores[0]]]
    keys = list(zip(*(x.tolist() for x in columns), *sets, *rows, strict=True))
    distinct = {key: i for i, key in enumerate(sorted(set(keys)))}
    row = np.array([distinct[key] for key in keys], np.int64)
    at = np.unique(row, return_index=True)[1]
    items = np.bincount(row, times).astype(np.int64)
    true, pred = (m[at].astype(np.float64) for m in (multi.true, multi.pred))
    design, weight = MatrixDesign(multi.k, true, (pred,)), weight[at]
    cluster, per = None if multi.cluster is None else multi.cluster[at], multi.items()
    margins = per.correct[at], per.predicted[at], per.true[at]
    per_item = ItemArrays(*margins, per.weight[at], multi.k)
    squares = items * weight**2
    if scores is not None:
        scores = replace(scores, truth=scores.truth[at], scores=scores.scores[:, at], cache={})
    return Rows(design, items * weight, squares, items, cluster, per_item, scores)


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
