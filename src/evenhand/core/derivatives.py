"""Derivatives of metrics by margins, by cells and by items, and the pseudo-items to smooth by."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import Array
from evenhand.core.autodiff import Traced, backward, plain
from evenhand.core.contingency import Contingency
from evenhand.core.kernel import ItemArrays, Kernel
from evenhand.core.margins import Counts
from evenhand.core.scores import ItemScores

Floats: TypeAlias = NDArray[Any]

LEAVES = ("correct", "false_positives", "false_negatives", "total", "outside")
"""What a metric of margins is differentiated in."""


@dataclass(frozen=True, eq=False)
class Gradient:
    """A metric's value and its derivatives, for one table or a stack.

    ``correct``, ``false_positives`` and ``false_negatives`` are derivatives in these numbers of a
    class, with which bias and prevalence move.
    """

    value: Array
    correct: Array
    false_positives: Array
    false_negatives: Array
    total: Array
    outside: Array

    def at(self, table: Array, true: Array, pred: Array) -> NDArray[np.float64]:
        """Derivative in single cells: table of the stack, true and predicted code (k: outside).

        g[t,t] = ∂/∂correct_t + ∂/∂total, else g[t,p] = ∂/∂fn_t + ∂/∂fp_p + ∂/∂total: never
        the difference of a hit's slope and an error's, in which a heavy class would cancel.
        """
        k = self.false_positives.shape[-1]
        row, column = table * k + true, table * (k + 1) + pred
        columns = np.concatenate([self.false_positives, self.outside[..., None]], axis=-1)
        wrong = self.false_negatives.reshape(-1)[row] + columns.reshape(-1)[column]
        cell = np.where(true == pred, self.correct.reshape(-1)[row], wrong)
        return np.asarray(cell + np.asarray(self.total).reshape(-1)[table])

    def transpose(self) -> Gradient:
        """Derivatives in the margins of the transposed table."""
        errors = {"false_positives": self.false_negatives, "false_negatives": self.false_positives}
        return replace(self, **errors)

    def dense(self) -> NDArray[np.float64]:
        """Derivatives in all cells, shape (…, k, k + 1) with the outside column last."""
        k = self.false_positives.shape[-1]
        true, pred = np.indices((k, k + 1))
        tables = np.arange(int(np.prod(np.shape(self.value))))[:, None, None]
        return self.at(tables, true, pred).reshape(*np.shape(self.value), k, k + 1)


@dataclass(frozen=True, eq=False)
class CellGradient:
    """A metric's value and its derivatives in every cell, for one table or a stack.

    ``cells`` has tables × k × (k + 1), or one entry for each cell that ``keys`` names.
    """

    value: Array
    cells: Array
    keys: Array | None = None
    k: int = 0

    def at(self, table: Array, true: Array, pred: Array) -> NDArray[np.float64]:
        """Derivative in single cells: table of the stack, true and predicted code (k: outside)."""
        key = (table * self.k + true) * (self.k + 1) + pred
        if self.keys is not None:
            key = np.minimum(np.searchsorted(self.keys, key), len(self.keys) - 1)  # none: weight 0
        return np.asarray(self.cells.reshape(-1)[key])

    def dense(self) -> NDArray[np.float64]:
        """Derivatives in all cells, shape (…, k, k + 1) with the outside column last."""
        return np.asarray(self.cells.reshape(*np.shape(self.value), self.k, self.k + 1))


AnyGradient: TypeAlias = Gradient | CellGradient


def traced(counts: Counts) -> tuple[Counts, list[Traced]]:
    """Margins as arrays that can be differentiated, and the leaves of these."""
    shape = np.shape(counts.total)
    parts = [np.asarray(getattr(counts, name), np.float64) for name in LEAVES]
    parts[3:] = [np.broadcast_to(x, shape) for x in parts[3:]]
    correct, alarms, misses, total, outside = leaves = [Traced(x) for x in parts]
    bias, prevalence = (
        Traced(np.asarray(x, np.float64), [(part, lambda g: g) for part in (correct, errors)])
        for x, errors in ((counts.bias, alarms), (counts.prevalence, misses))
    )
    margins: Any = {"correct": correct, "bias": bias, "prevalence": prevalence}
    return replace(counts, **margins, total=total, outside=outside, errors=(misses, alarms)), leaves


def gradient(function: Callable[[Counts], Array], counts: Counts) -> Gradient:
    """Value and derivatives of ``function`` at ``counts``, which may be a stack.

    >>> from evenhand.core.metrics.macro import macro_f1
    >>> slopes = gradient(macro_f1, Counts.from_cells(np.array([[6, 1, 1], [1, 5, 2], [2, 3, 7]])))
    >>> slopes.dense()[0].round(6)  # 2(1 − F)/(k·s) on the diagonal, s = bias + prevalence
    array([ 0.011534, -0.025375, -0.023483, -0.013841])
    """
    margins, leaves = traced(counts)
    out = _evaluated(function, margins, np.shape(counts.total))
    return Gradient(np.asarray(plain(out)), *backward(out, leaves))


def cell_gradient(function: Callable[[Contingency], Array], c: Contingency) -> CellGradient:
    """Value and derivatives of a metric of cells.

    >>> from evenhand.core.metrics.information import mutual_information
    >>> c = Contingency.from_cells(np.array([[4, 1], [2, 3]]))
    >>> cell_gradient(mutual_information, c).dense()[0].round(4)
    array([ 0.0291, -0.1125, -0.0125])
    """
    amount = Traced(c.amount)
    shape = c.amount.shape[:-1] if c.table is None else c.shape
    out = _evaluated(function, replace(c, amount=amount), shape)
    keys = None if c.table is None else (c.table * c.k + c.true) * (c.k + 1) + c.pred
    (cells,) = backward(out, [amount])
    return CellGradient(np.asarray(plain(out)), cells, keys, c.k)


def item_influence(
    function: Callable[[Any], Array], items: ItemArrays | ItemScores
) -> NDArray[np.float64]:
    """The derivative of each system's metric in the weight of each item, systems × items."""
    if isinstance(items, ItemScores):
        return np.asarray(items.influences(function))
    weight = Traced(np.asarray(items.weight, np.float64))
    out = _evaluated(function, replace(items, weight=weight), ())
    return backward(out, [weight])[0][None]


def elementwise(function: Callable[[Counts], Array], counts: Counts) -> list[NDArray[Any]]:
    """Derivatives of one value a class in its hits, false positives and false negatives."""
    margins, leaves = traced(counts.all_classes)
    out = _evaluated(function, replace(margins, total=counts.total), np.shape(counts.bias))
    return backward(out, leaves[:3])


def slope(function: Callable[[Any], Any], x: NDArray[Any]) -> NDArray[Any]:
    """The derivative of a function of one number, at each of many."""
    leaf = Traced(np.asarray(x, np.float64))
    return backward(function(leaf), [leaf])[0]


def _evaluated(function: Callable[[Any], Array], data: Any, shape: tuple[int, ...]) -> Any:
    """The function's value, which must be one number a table (or a class)."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        out = function(data)
    if isinstance(out, Traced) and out.shape != shape:
        raise ValueError(
            f"the function must give one number a table, got shape {out.shape} "
            f"where {shape} was due; leading axes are tables, the last one classes"
        )
    return out if isinstance(out, Traced) else np.broadcast_to(out, shape)


# Where a metric has no gradient

TRACE, ROUNDING = 1e-6, 1e-8
"""A small recall to try, and the least change of a metric that is no rounding."""


def finite_gradient(function: Callable[[Counts], Array], counts: Counts) -> Gradient:
    """The gradient of ``function``, unknown (NaN) for a table where it is infinite."""
    slopes = gradient(function, counts)
    unknown = nondifferentiable(function, counts, slopes.value)
    return replace(slopes, total=np.where(unknown, np.nan, slopes.total))


def nondifferentiable(
    function: Callable[[Counts], Array], counts: Counts, value: Array
) -> NDArray[np.bool_]:
    """The tables where a few hits in the classes without any move the metric infinitely fast.

    A thousandth as many move it a thousandth as far where it has a slope; a geometric mean of
    recalls moves by a root.
    """
    none = (counts.correct == 0) & (counts.prevalence > 0)
    if not none.any():
        return np.zeros(np.shape(value), bool)
    trace = np.where(none, TRACE * counts.prevalence, 0.0)
    with np.errstate(invalid="ignore"):  # ∞ − ∞ is no number
        near, nearer = (
            np.abs(function(replace(counts, correct=counts.correct + part * trace)) - value)
            for part in (1, 1e-3)
        )
    return np.asarray((near > ROUNDING * np.maximum(1, np.abs(value))) & (near < 700 * nearer))


@dataclass(frozen=True, eq=False)
class PseudoItems:
    """Pseudo-items of a table or stack: one right and one wrong for each true class.

    Where they are ``transposed``, they are of the transposed table, for each predicted class.
    ``on`` is 1 for a class that is true (…, k); the wrong item is spread over the other
    ``columns`` (…, k + 1, the outside one last) in proportion to their weights. ``others`` is the
    weight of all columns but the class's own.
    """

    on: Floats
    columns: Floats
    others: Floats
    transposed: bool = False

    @classmethod
    def from_margins(cls, c: Counts, *, transposed: bool = False) -> PseudoItems:
        """Pseudo-items for the margins of counted items.

        A column weighs its sum + 1, if its label occurs; the outside column if it is not empty, or
        if there is no other. In a transposed table (``transposed``), which has no outside column,
        every true class has pseudo-items, also one that is never predicted, and these lie in true
        classes; there are none where they could lie in one cell only.
        """
        c = c.transpose() if transposed else c
        occurs = c.bias > 0 if transposed else (c.prevalence > 0) | (c.bias > 0)
        inside = np.where(occurs, c.bias + 1.0, 0.0)
        outside = 0.0 if transposed else c.outside
        outside = np.broadcast_to(outside, np.shape(c.total))[..., None]
        single_label = (not transposed) & (occurs.sum(axis=-1, keepdims=True) < 2)
        lost = np.where((outside > 0) | single_label, outside + 1.0, 0.0)
        columns = np.concatenate([inside, lost], axis=-1)
        others = columns.sum(axis=-1, keepdims=True) - inside
        on = (occurs if transposed else c.prevalence > 0) & (others > 0)
        return cls(np.asarray(on, np.float64), columns, np.where(on, others, 1.0), transposed)

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
        c = c.transpose() if self.transposed else c
        hits = scale * self.on
        spread = hits / self.others
        all_spread = spread.sum(axis=-1, keepdims=True)
        smoothed = Counts(
            c.correct + hits,
            c.bias + hits + self.columns[..., :-1] * (all_spread - spread),
            c.prevalence + 2 * hits,
            c.total + 2 * hits.sum(axis=-1),
            c.outside + (self.columns[..., -1:] * all_spread)[..., 0],
        )

        return smoothed.transpose() if self.transposed else smoothed

    def gradients(self, kernels: Iterable[Kernel], c: Counts, scale: Floats) -> list[Gradient]:
        """The gradients of metrics at the margins ``c`` plus the pseudo-items."""
        smoothed = self.margins(c, scale)
        return [finite_gradient(k.function, k.prepared(smoothed)) for k in kernels]

    def slope_sums(self, g: Gradient) -> tuple[Floats, Floats]:
        """Sums of slopes, and of their squares, over the pseudo-items of each class."""
        g = g.transpose() if self.transposed else g
        total, outside = (np.asarray(x)[..., None] for x in (g.total, g.outside))
        right, wrong = g.correct + total, g.false_negatives + total
        slope = np.concatenate([g.false_positives, outside], axis=-1)
        mean, square = (
            (x.sum(axis=-1, keepdims=True) - x[..., :-1]) / self.others
            for x in (self.columns * slope, self.columns * slope**2)
        )
        squares = right**2 + wrong**2 + 2 * wrong * mean + square
        return self.on * (right + wrong + mean), self.on * squares
