"""Weighted rows of data: their margins, influences and variances."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, singledispatch
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import take
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


# Sums over rows.

Floats: TypeAlias = NDArray[Any]
Codes: TypeAlias = NDArray[np.int64]

LONG = 1 << 12
"""Rows beyond which weight vectors are summed one at a time."""

EXACT = 1 << 24
"""Integers up to which single precision is exact."""


def grouped(x: Floats, code: Codes, size: int) -> Floats:
    """Numbers of rows (… × rows) summed by each row's code, as … × size.

    >>> grouped(np.array([1.0, 2.0, 4.0]), np.array([1, 0, 1]), 3).tolist()
    [2.0, 5.0, 0.0]
    """
    flat = x.reshape(math.prod(x.shape[:-1]), len(code))
    if len(code) > LONG:
        sums = np.stack([np.bincount(code, row, minlength=size) for row in flat])
    else:
        place = code + size * np.arange(len(flat))[:, None]
        sums = np.bincount(place.reshape(-1), flat.reshape(-1), minlength=size * len(flat))
    return np.asarray(sums.reshape(*x.shape[:-1], size))


def sparse_array(amount: Floats, row: Codes, column: Codes, shape: tuple[int, int]) -> Any:
    """A sparse matrix from its entries."""
    from scipy import sparse

    return sparse.csr_array((amount, (row, column)), shape=shape)


def incidence(code: Codes, size: int, weight: Floats | None = None) -> Any:
    """A sparse matrix that sums rows, or weighted ones, by their code."""
    rows = np.arange(len(code))
    weight = np.ones(len(code)) if weight is None else weight
    return sparse_array(weight, code, rows, (size, len(code)))


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
    mean = grouped(weight * psi, group, len(totals)) / np.where(totals > 0, totals, 1.0)
    return np.asarray(psi - mean[..., group])


def _integers(weights: Floats) -> bool:
    """Whether sums of ``weights`` and their differences are exact."""
    if weights.dtype.kind in "iu":
        return True
    if not np.array_equal(weights[:1], np.rint(weights[:1])):
        return False  # mostly decided by the first weighting
    small = weights.sum(axis=1).max(initial=0) < 1 << 53
    return bool(small and np.array_equal(weights, np.rint(weights)))


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
    if not kernel.record.smooth:
        raise NoGradientError(kernel.name, "it is no smooth function of the counts")
    try:
        differentiate = cell_gradient if kernel.over_cells else finite_gradient
        return differentiate(kernel.function, counts)
    except (AttributeError, TypeError, ValueError) as e:
        if not kernel.record.own:
            raise
        raise NoGradientError(kernel.name, str(e)) from e


# Weighted rows.

STRATIFIED_CLUSTERS = "stratify and cluster exclude each other: a cluster spans classes"

UNKNOWN = (
    "a table of fractions without squared weights cannot know how its items vary: count the "
    "items with weights, or use Sample.from_probabilities for soft predictions"
)


Data: TypeAlias = Confusion | MultiLabel | Sample | SoftSample | SampleSlices


BLOCK = 1 << 18
"""Replicates × systems × classes that are scored at once, to stay in cache."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Weighted rows of data, the tables that they add up to, and what varies independently.

    All systems share the rows, each with a table of its own; or there is one system, and each row
    is of one ``table`` of a ``stack`` of so many. ``true`` and ``pred`` are codes, a true one a row
    and predicted ones (k: outside), rows × systems; or indicators or probabilities, a matrix of
    rows × k and one such for each system, ``true_class`` being the class of a row that has one.
    ``items`` counts the items of a row, which weigh the same (``None``: only sums are known).
    ``square`` sums the squared weights of a row's items (``None``: unknown). ``cluster`` is the
    group of dependent items. Sampling units are the items, or the clusters: the variance of a
    score is the sum over units of the squared sum of weighted influences.
    """

    k: int
    true: Any
    pred: Any
    weight: Floats
    square: Floats | None = None
    items: Codes | None = None
    cluster: Codes | None = None
    table: Codes | None = None
    stack: int = 1
    true_class: Codes | None = None
    per_item: ItemArrays | None = None
    scores: ItemScores | None = None

    @property
    def hard(self) -> bool:
        """Whether items have one true and one predicted label."""
        return isinstance(self.pred, np.ndarray)

    @property
    def systems(self) -> int:
        """Number of systems."""
        return int(self.pred.shape[1]) if self.hard else len(self.pred)

    @property
    def tables(self) -> int:
        """Number of tables: one for each system, or those of the stack."""
        return self.stack * self.systems

    @property
    def stratum(self) -> Codes | None:
        """The true class of each row, where it has one; classes of a stack's tables count on."""
        if not self.hard:
            return self.true_class
        codes: Codes = self.true
        return codes if self.table is None else self.table * self.k + codes

    @property
    def strata(self) -> Codes:
        """The true class of each row, which must have one."""
        if self.stratum is None:
            raise InputError(
                "stratify needs one true class an item; multi-label items have several"
            )
        return self.stratum

    @property
    def counts_items(self) -> bool:
        """Whether items are independent and unweighted."""
        if self.cluster is not None or self.items is None:
            return False
        return np.array_equal(self.weight, self.items)

    # How rows add up to tables: an event is a hit, a miss, a false alarm or a prediction outside.

    @cached_property
    def index(self) -> tuple[Codes, Codes, Codes]:
        """Table, true and predicted code of each row of hard labels, each systems × rows."""
        table = np.arange(self.systems)[:, None] if self.table is None else self.table[None]
        pred = np.ascontiguousarray(self.pred.T)
        true = np.broadcast_to(self.true, pred.shape)
        return np.broadcast_to(table, pred.shape), true, pred

    @cached_property
    def events(self) -> tuple[Codes, Codes, Floats]:
        """The rows' events: entries, columns of the tables' margins, and amounts.

        An entry is system × rows + row, a column table × (3k + 1) + 0 to k for hits, then misses,
        false alarms and the predictions outside. An amount is 1 or, of soft labels, a probability.
        """
        k, n = self.k, len(self.weight)
        if self.hard:
            table, true, pred = self.index
            first, hit = table * (3 * k + 1), true == pred
            own = first + np.where(hit, true, k + true)
            wrong = np.flatnonzero(~hit)
            alarm = (first + 2 * k + pred).reshape(-1)[wrong]  # the last column is outside
            entry = np.concatenate([np.arange(hit.size), wrong])
            return entry, np.concatenate([own.reshape(-1), alarm]), np.ones(len(entry))
        from scipy import sparse

        parts = []
        for s, pred in enumerate(self.pred):
            hit = self.true * pred
            for outcome, amounts in enumerate((hit, self.true - hit, pred - hit)):
                m = sparse.coo_array(amounts)
                row, label = m.coords
                parts.append((s * n + row, s * (3 * k + 1) + outcome * k + label, m.data))
        entry, column, amount = map(np.concatenate, zip(*parts, strict=True))
        return entry, column, amount

    @cached_property
    def event_matrix(self) -> Any:
        """Events as a sparse matrix, entries × columns."""
        entry, column, amount = self.events
        shape = (self.systems * len(self.weight), self.tables * (3 * self.k + 1))
        return sparse_array(amount, entry, column, shape)

    @cached_property
    def _transposed(self) -> Any:
        """The sparse matrix of columns × rows, systems added up."""
        entry, column, amount = self.events
        n = len(self.weight)
        return sparse_array(amount, column, entry % n, (self.tables * (3 * self.k + 1), n))

    def margins(self, weights: Floats) -> Counts:
        """Margins (… × tables × k) of rows with these weights (… × rows)."""
        entry, column, amount = self.events
        k, n, lead = self.k, len(self.weight), weights.shape[:-1]
        size, batch = self.tables * (3 * k + 1), weights.reshape(math.prod(lead), n)
        if len(batch) == 1:
            sums = np.bincount(column, batch[0][entry % n] * amount, minlength=size)
        else:
            few = weights.dtype.kind in "iu" and batch[0].sum() < EXACT
            by_row = batch.T.astype(np.float32 if few else np.float64, order="C")
            sums = (self._transposed.astype(by_row.dtype) @ by_row).T.astype(np.float64, order="C")
        sums = sums.reshape(*lead, self.tables, 3 * k + 1)
        correct, misses, alarms = (sums[..., i : i + k] for i in (0, k, 2 * k))
        table = np.zeros(n, np.int64) if self.table is None else self.table
        total = np.broadcast_to(grouped(weights, table, self.stack), sums.shape[:-1])
        margins = (correct, correct + alarms, correct + misses, total, sums[..., -1])
        return Counts(*margins, errors=None if _integers(batch) else (misses, alarms))

    def cells(self, weights: Floats) -> Contingency:
        """Cells (… × tables) of rows with these weights (… × rows)."""
        k, lead = self.k, weights.shape[:-1]
        if self.hard:
            cell, size = self.strata * (k + 1) + self.index[2], self.stack * k * (k + 1)
            cells = np.stack([grouped(weights, code, size) for code in cell], axis=-2)
            cells = cells.reshape(*lead, self.tables, k, k + 1)
            return Contingency.from_cells(cells[..., :-1], cells[..., -1])
        batch = weights.reshape(-1, len(self.weight), 1)
        each = np.array([[(self.true * w).T @ pred for pred in self.pred] for w in batch])
        return Contingency.from_cells(each.reshape(*lead, self.tables, k, k))

    # Scores

    def values(self, kernels: list[Kernel], weights: Floats) -> list[Floats]:
        """Each metric of each table (B × tables), the rows weighted in B ways."""
        size = self.k * (self.k if any(k.over_cells for k in kernels) else 1)
        chunk = max(1, BLOCK // (self.tables * size))
        starts = range(0, len(weights), chunk)
        parts = [self.views(kernels, weights[i : i + chunk]).values(kernels) for i in starts]
        values = map(np.concatenate, zip(*parts, strict=True))
        return [v[:, None] if v.ndim < 2 else v for v in values]  # one system's averages of items

    def views(self, kernels: Iterable[Kernel], weights: Floats | None = None) -> TableViews:
        """The tables that kernels use, of the rows' own weights or weighted in B ways."""
        own = self.weight if weights is None else weights
        tables: dict[bytes, View] = {}
        for view, kernel in {k.view: k for k in kernels}.items():
            if view in (OVER_ITEMS, OVER_SCORES):
                items: Any = self.per_item if view == OVER_ITEMS else self.scores
                tables[view] = replace(items, weight=own)
                continue
            weighed = own if kernel.target is None else own * self.scale(kernel, own)
            tables[view] = self.cells(weighed) if kernel.over_cells else self.margins(weighed)
        return TableViews(tables)

    def scale(self, kernel: Kernel, weights: Floats) -> Floats:
        """The factor of each row (… × rows) that brings the true classes to the kernel's mix."""
        assert kernel.target is not None
        stack, lead = self.stack, weights.shape[:-1]
        truth = grouped(weights, self.strata, stack * self.k).reshape(*lead, stack, self.k)
        target = kernel.target if kernel.target.ndim < 2 else kernel.target[:stack]
        return np.asarray(factors(truth, target).reshape(*lead, -1)[..., self.strata])

    @cached_property
    def counts(self) -> Counts:
        """The margins of every table (tables × k)."""
        return self.margins(self.weight)

    # Influences

    def margin_slopes(self, g: Gradient) -> Floats:
        """A metric's derivative in each margin of the tables, columns × B for B gradients."""
        parts = (g.correct, g.false_negatives, g.false_positives, np.asarray(g.outside)[..., None])
        return np.concatenate(parts, axis=-1).reshape(-1, self.tables * (3 * self.k + 1)).T

    def cell_slopes(self, g: CellGradient) -> Floats:
        """A metric's derivative in each row's cell, systems × rows × B for B gradients."""
        if self.hard:
            table, true, pred = self.index
            batch = 1 if np.ndim(g.value) < 2 else len(g.value)
            table = table + self.tables * np.arange(batch)[:, None, None]
            return np.moveaxis(g.at(table, true, pred), 0, -1)
        cells = g.dense().reshape(-1, self.tables, self.k, self.k + 1)[..., :-1]
        pred = np.stack(self.pred)
        return np.asarray(np.einsum("rt,bstp,srp->srb", self.true, cells, pred, optimize=True))

    def slopes(self, g: AnyGradient) -> Floats:
        """A metric's derivative in the weight of each row, … × systems × rows for a batch."""
        n, lead = len(self.weight), np.shape(g.value)[:-1]
        if isinstance(g, CellGradient):
            return np.moveaxis(self.cell_slopes(g), -1, 0).reshape(*lead, self.systems, n)
        slopes = self.margin_slopes(g)
        if slopes.shape[1] == 1:
            entry, column, amount = self.events
            psi = np.bincount(entry, slopes[column, 0] * amount, minlength=self.systems * n)
        else:
            psi = (self.event_matrix @ slopes).T
        total = np.reshape(g.total, (-1, self.tables, 1))
        total = total if self.table is None else total[:, self.table].swapaxes(1, 2)
        psi = psi.reshape(-1, self.systems, n) + total
        return np.asarray(psi.reshape(*lead, self.systems, n))

    def influence(self, kernel: Kernel, c: Any) -> Floats:
        """The metric's derivative in the weight of each row, systems × rows; ``c`` is its view."""
        if kernel.over_items:
            if isinstance(c, ItemScores) and not kernel.record.smooth:
                raise NoGradientError(kernel.name, "it is no smooth function of the scores")
            return item_influence(kernel.function, c)
        psi = self.slopes(gradient_of(kernel, c))
        if kernel.target is None:
            return psi
        # rows are shares of their class
        return self.centred(psi, by_class=True) * self.scale(kernel, self.weight)

    def influences(self, kernels: list[Kernel]) -> Floats:
        """The influences on several metrics, kernels × systems × rows."""
        views = self.views(kernels)
        return np.stack([self.influence(k, views.prepared(k)) for k in kernels])

    def centred(self, psi: Floats, *, by_class: bool = False) -> Floats:
        """Influences (… × rows) less their weighted mean in the table, or in the true class."""
        if by_class:
            return centred(psi, self.weight, self.strata, self.stack * self.k)
        return centred(psi, self.weight, self.table, self.stack)

    # Standard errors

    def unit_influences(self, psi: Floats) -> Floats:
        """Weighted influences summed over each unit (… × units), from centred ones (… × rows).

        Inner products are covariances; of clusters, those of the delete-a-cluster jackknife.
        """
        if self.cluster is None:
            return np.asarray(psi * self._item_weight)
        code, table, _ = self.clusters
        return grouped(psi * self.weight, code, len(table)) * self.cluster_factor

    def standard_error(self, psi: Floats) -> Floats:
        """Standard errors (… × tables) from influences (… × systems × rows)."""
        return self.root_sum_squares(self.unit_influences(self.centred(psi)))

    def root_sum_squares(self, units: Floats) -> Floats:
        """√Σ of squares over the units of each table (… × tables), from … × systems × units."""
        if self.table is None:
            return np.asarray(np.sqrt((units**2).sum(axis=-1)))
        home = self.table if self.cluster is None else self.clusters[1]
        squares = grouped(units**2, home, self.stack)
        return np.asarray(np.sqrt(squares).reshape(*units.shape[:-2], -1))

    def class_errors(self, kernel: Kernel, c: Counts) -> Floats:
        """Standard errors of one value per class (tables × k)."""
        k, systems = self.k, self.systems
        if kernel.target is not None:
            each = [kernel.of_class(j, k) for j in range(k)]
            errors = [self.standard_error(self.influence(one, one.prepared(c))) for one in each]
            return np.stack(errors, axis=-1)
        slopes = elementwise(kernel.function, c)
        correct, alarms, misses = (np.broadcast_to(x, (self.tables, k)) for x in slopes)
        entry, column, amount = self.events
        table, place = np.divmod(column, 3 * k + 1)
        in_margins = np.concatenate([correct, misses, alarms, 0 * correct[:, :1]], axis=-1)
        shape = (systems * len(self.weight), self.tables * k)
        amount = amount * in_margins.reshape(-1)[column]
        psi = sparse_array(amount, entry, table * k + place % k, shape)
        if self.cluster is None:
            squares = psi.power(2).T @ np.tile(self._item_weight**2, systems)
        else:
            code, home, _ = self.clusters
            members = incidence(np.tile(code, systems), len(home), np.tile(self.weight, systems))
            squares = (members @ psi).power(2).T @ self.cluster_factor**2
        return np.asarray(np.sqrt(squares).reshape(self.tables, k))

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
        if self.table is not None:
            table[code] = self.table
        return code, table, np.bincount(table, minlength=self.stack)

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
            return np.full(self.tables, math.inf)
        return np.broadcast_to(np.maximum(self.effective_clusters - 1.0, 1.0), self.tables)

    @property
    def effective_clusters(self) -> Floats:
        """How many equal clusters those of each table are worth: (Σm)²/Σm² (Kish 1965)."""
        weight = np.stack([self.cluster_weight, self.cluster_weight**2])
        sums, squares = grouped(weight, self.clusters[1], self.stack)
        return np.asarray(divide(sums**2, squares))

    # Effective items

    @cached_property
    def true_items(self) -> Floats:
        """Effective items of each true class (tables × k)."""
        _, true, pred = self.index
        return self._effective_items(true, pred, self.k)

    @cached_property
    def predicted_items(self) -> Floats:
        """Effective items of each predicted class, and outside (tables × k + 1)."""
        _, true, pred = self.index
        return self._effective_items(pred, true, self.k + 1)

    def by_group(self, x: Floats, group: Codes, groups: int) -> Floats:
        """Numbers of rows (… × systems × rows) added up by table and group, … × tables × groups."""
        code, lead = self.index[0] * groups + group, x.shape[:-2]
        flat = np.broadcast_to(x, (*lead, *code.shape)).reshape(*lead, code.size)
        sums = grouped(flat, code.reshape(-1), self.tables * groups)
        return sums.reshape(*lead, self.tables, groups)

    def _effective_items(self, group: Codes, other: Codes, groups: int) -> Floats:
        """Effective items of each group of rows: (Σw)² / Σw² (Kish 1965) over the design effect.

        The design effect of clusters is the variance of a group's rates over that of independent
        items (Rao & Scott 1981). A group whose rates do not vary takes the effect of all; where
        none varies, a cluster counts as one item.
        """
        weight = self.by_group(self.weight[None], group, groups)
        if self.counts_items:
            return weight
        assert self.square is not None
        items: Floats = divide(weight**2, self.by_group(self.square[None], group, groups))
        if self.cluster is None:
            return items
        cluster, _, clusters = self.clusters
        size, columns = weight.size, self.k + 1
        row_weight = np.broadcast_to(self.weight, group.shape).reshape(-1)
        row, column = (self.index[0] * groups + group).reshape(-1), other.reshape(-1)
        cells = np.bincount(row * columns + column, row_weight, minlength=size * columns)
        rates = rates_of(cells.reshape(size, columns))
        code = np.broadcast_to(cluster, group.shape).reshape(-1) * size + row
        pairs, pair = np.unique(code, return_inverse=True)
        cells_of_pair = np.zeros((len(pairs), columns))
        np.add.at(cells_of_pair, (pair, column), row_weight)
        row_of_pair, total = pairs % size, cells_of_pair.sum(axis=1)
        deviation = cells_of_pair - total[:, None] * rates[row_of_pair]
        sums = np.stack([(deviation**2).sum(axis=1), total**2])
        spread, squares = grouped(sums, row_of_pair, size).reshape(2, *weight.shape)
        factor = (clusters / np.maximum(clusters - 1, 1))[:, None]
        clustered = factor * divide(spread, weight**2)
        alone = divide((rates * (1 - rates)).sum(axis=-1).reshape(weight.shape), items)
        clustered_sum, alone_sum = (x.sum(axis=1, keepdims=True) for x in (clustered, alone))
        items_per_cluster = squares * divide(items, weight**2)
        pooled = np.where(alone_sum > 0, divide(clustered_sum, alone_sum), items_per_cluster)
        effect = np.where(alone > 0, divide(clustered, alone), pooled)
        return np.asarray(items / np.maximum(effect, 1.0))


def rates_of(cells: Floats) -> Floats:
    """Shares of each true row (… × k × k + 1), 0 in a row without items."""
    return np.asarray(divide(cells, cells.sum(axis=-1, keepdims=True)))


@singledispatch
def rows_of(data: Any) -> Rows:
    """The rows of one table, or of the systems of a sample."""
    raise TypeError(f"no rows of {type(data).__name__}")


@rows_of.register
def _of_table(data: Confusion) -> Rows:
    """The non-empty cells of one table, or of each table of a stack."""
    table, true, pred, amount, square = data.data.entries()
    weight, items = np.asarray(amount, np.float64), None
    if square is None and amount.dtype.kind in "iu":
        square, items = weight, np.asarray(amount, np.int64)
    square = None if square is None else np.asarray(square, np.float64)
    tables = table if data.shape else None
    stack = math.prod(data.shape)
    return Rows(data.k, true, pred[:, None], weight, square, items, table=tables, stack=stack)


@rows_of.register
def _of_slices(slices: SampleSlices) -> Rows:
    rows = slices.rows
    pred = np.where(rows.pred < 0, rows.k, rows.pred)
    weight, square = (np.asarray(x, np.float64) for x in (rows.weight, rows.squares))
    table, stack = slices.slice, len(slices.keys)
    cluster = slices.cluster
    return Rows(rows.k, rows.true, pred, weight, square, None, cluster, table, stack)


@rows_of.register
def _of_sample(sample: Sample) -> Rows:
    """Rows in an order that does not depend on the order of the systems."""
    names = sorted(range(len(sample.systems)), key=sample.systems.__getitem__)
    keys: list[Any] = [sample.pred[:, i] for i in reversed(names)]
    extra = [x for x in (sample.squares, sample.weight, sample.cluster) if x is not None]
    order = np.lexsort([*extra, *keys, sample.true])
    columns = (sample.weight, sample.squares, sample.items, sample.cluster)
    weight, square, items, cluster = take(order, *columns)
    weight, square = (np.asarray(x, np.float64) for x in (weight, square))
    pred = np.where(sample.pred < 0, sample.k, sample.pred)[order]
    return Rows(sample.k, sample.true[order], pred, weight, square, items, cluster)


@rows_of.register
def _of_soft(soft: SoftSample) -> Rows:
    scores = soft.item_scores
    pred = tuple(np.nan_to_num(soft.probability) if soft.graded else soft.probability)
    weight, items = scores.weight, np.ones(soft.n, np.int64)
    own: Any = {"true_class": soft.true, "scores": scores}
    return Rows(soft.k, scores.truth, pred, weight, weight**2, items, soft.cluster, **own)


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
    items, weight = np.bincount(row, times).astype(np.int64), weight[at]
    true, pred = (m[at].astype(np.float64) for m in (multi.true, multi.pred))
    cluster, per = None if multi.cluster is None else multi.cluster[at], multi.items()
    margins = per.correct[at], per.predicted[at], per.true[at]
    if scores is not None:
        scores = replace(scores, truth=scores.truth[at], scores=scores.scores[:, at], cache={})
    own: Any = {"per_item": ItemArrays(*margins, per.weight[at], multi.k), "scores": scores}
    square = items * weight**2
    return Rows(multi.k, true, (pred,), items * weight, square, items, cluster, **own)
