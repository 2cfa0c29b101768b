"""Targets: what scikit-learn takes for labels, as one counted table or as two indicators."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.core.counts import Counts
from evenhand.core.items import Items
from evenhand.count.encode import on_host
from evenhand.errors import FormError, InputError, shown
from evenhand.tables.confusion import Confusion

Numbers: TypeAlias = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Single:
    """One label an item: the table, and its labels in scikit-learn's order.

    ``order`` says where they stand in the table, ``whole`` that its cells are whole numbers;
    ``true`` are the true labels item by item.
    """

    table: Confusion
    labels: Numbers
    order: Numbers
    whole: bool
    true: Any

    @property
    def binary(self) -> bool:
        """Whether there are at most two labels."""
        return len(self.labels) <= 2

    @property
    def total(self) -> float:
        """All items, or all weight."""
        return self.table.total  # type: ignore[return-value]  # of one table

    def places(self, wanted: Any) -> Numbers:
        """Where labels stand in the table, −1 for those that do not occur."""
        own = dict(zip(self.labels.tolist(), self.order.tolist(), strict=True))
        return np.array([own.get(label, -1) for label in listed(wanted).tolist()], np.int64)

    def any_true(self, wanted: Any) -> bool:
        """Whether some of the labels is true of an item, and be it one that weighs nothing."""
        if self.margins(wanted).prevalence.any():
            return True
        return not set(listed(wanted).tolist()).isdisjoint(np.asarray(self.true).tolist())

    def margins(self, labels: Any = None) -> Counts:
        """Margins of all labels, or of those wanted."""
        at = self.order if labels is None else self.places(labels)
        table = self.table
        correct, bias, prevalence = (
            np.append(x, 0)[at] for x in (table.correct, table.bias, table.prevalence)
        )
        return Counts(correct, bias, prevalence, np.asarray(table.total))

    def cells(self, labels: Any = None) -> Numbers:
        """The matrix of all labels, or of those wanted; whole numbers stay whole."""
        at = self.order if labels is None else self.places(labels)
        cells = np.zeros((self.table.k + 1,) * 2, self.table.cells.dtype)
        cells[:-1, :-1] = self.table.cells
        found = cells[np.ix_(at, at)]
        return np.asarray(np.rint(found).astype(np.int64) if self.whole else found)


@dataclass(frozen=True, eq=False)
class Multi:
    """Several labels an item, or none: indicators of true and predicted, dense or sparse."""

    true: Any
    pred: Any
    weight: Numbers | None

    binary = False

    @cached_property
    def labels(self) -> Numbers:
        """The columns."""
        return np.arange(self.true.shape[1])

    @property
    def n(self) -> int:
        """Items."""
        return int(self.true.shape[0])

    @property
    def total(self) -> float:
        """All items, or all weight."""
        return self.n if self.weight is None else float(self.weight.sum())

    def _chosen(self, labels: Any) -> tuple[Any, Any, Any]:
        """Hits, predictions and truths of the columns wanted."""
        true, pred = self.true, self.pred
        if labels is not None:
            at = listed(labels)
            inside = at.dtype.kind in "iu" and at.min() >= 0 and at.max() < len(self.labels)
            if not inside:
                columns = f"0 to {len(self.labels) - 1}"
                raise InputError(f"labels of indicators must be columns {columns}, got {shown(at)}")
            true, pred = true[:, at], pred[:, at]
        both = true & pred if isinstance(true, np.ndarray) else true.multiply(pred)
        return both, pred, true

    def margins(self, labels: Any = None) -> Counts:
        """Margins of every label, or of those wanted."""
        hits, pred, true = (summed(x, self.weight) for x in self._chosen(labels))
        return Counts(hits, pred, true, np.asarray(self.total))

    def items(self, labels: Any = None) -> Items:
        """What each item got right, of every label or of those wanted."""
        sides = self._chosen(labels)
        hits, pred, true = map(per_item, sides)
        weight = np.ones(self.n, np.int64) if self.weight is None else self.weight
        return Items(hits, pred, true, weight, int(sides[0].shape[1]))


Targets: TypeAlias = Single | Multi


def summed(indicators: Any, weight: Numbers | None) -> Numbers:
    """How many items, or how much weight, each column has."""
    if weight is not None:
        return np.asarray(indicators.T @ weight, np.float64)
    if isinstance(indicators, np.ndarray):
        return np.asarray(np.count_nonzero(indicators, axis=0))
    return np.asarray(indicators.sum(axis=0, dtype=np.int64)).ravel()


def per_item(indicators: Any) -> Numbers:
    """How many labels each item has."""
    if isinstance(indicators, np.ndarray):
        return np.asarray(np.count_nonzero(indicators, axis=1))
    return np.asarray(indicators.sum(axis=1, dtype=np.int64)).ravel()


def listed(labels: Any) -> Numbers:
    """Labels wanted, at least one."""
    if np.isscalar(labels) or not (hasattr(labels, "__len__") or hasattr(labels, "__array__")):
        raise FormError(f"labels must be a list or None, got {labels!r}")
    found = np.asarray(on_host(labels))
    if found.ndim != 1 or not len(found):
        raise InputError("labels must be a list of at least one label")
    return found
