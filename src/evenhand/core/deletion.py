"""Deletion: what a metric becomes when one item of a cell is left out, at the cost of two classes.

A macro average is an integrand for each class, which sees the margins of that class alone, and a
few reductions over classes. An item touches the class that it is of and the one it was taken for,
so the integrand is made anew for these two, and every reduction takes the rest from the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import Array, floating
from evenhand.core.counts import Counts

Codes = NDArray[np.int64]


def left_out(
    function: Callable[[Counts], Array], counts: Counts, table: Codes, true: Codes, pred: Codes
) -> NDArray[np.float64]:
    """The value of a macro average with one item less, for each cell that has some.

    ``counts`` has tables × classes; a cell is a table, a true and a predicted code (k: outside).

    >>> from evenhand.core.metrics.macro import macro_recall
    >>> counts = Counts.from_cells(np.array([[[3, 1], [0, 2]]]))  # recalls 3/4 and 2/2
    >>> zero = np.zeros(2, np.int64)
    >>> left_out(macro_recall, counts, zero, zero, np.array([0, 1])).round(4)  # 2/3, or 3/3
    array([0.8333, 1.    ])
    """
    k = counts.bias.shape[-1]
    notes: list[Array] = []
    margins = (counts.correct, counts.bias, counts.prevalence, counts.total, counts.outside)
    function(_Noted(*margins, counts.averaged, counts.undefined, ruled=counts.ruled, notes=notes))
    hit, inside = true == pred, pred < k
    at = np.stack([true, np.where(inside, pred, true)], axis=1)
    row, lost = table[:, None], np.ones(len(table), np.int64)
    none = np.zeros_like(lost)
    averaged = counts.averaged
    left = _Left(
        counts.correct[row, at] - np.stack([hit, none], axis=1),
        counts.bias[row, at] - np.stack([hit, inside & ~hit], axis=1),
        counts.prevalence[row, at] - np.stack([lost, none], axis=1),
        counts.total[table] - 1,
        np.broadcast_to(counts.outside, counts.total.shape)[table] - ~inside,
        None if averaged is None else np.broadcast_to(averaged, counts.bias.shape)[row, at],
        counts.undefined,
        ruled=counts.ruled,
        notes=iter(notes),
        table=table,
        touched=at,
        own=np.stack([lost, inside & ~hit], axis=1) > 0,
    )
    return np.asarray(function(left), np.float64)


@dataclass(frozen=True, eq=False)
class _Noted(Counts):
    """Counts whose reductions are noted: what every class put in."""

    notes: list[Array] = field(default_factory=list)

    def sum(self, x: Array) -> Array:
        x = self._note(self.listed(floating(x)))
        return x.sum(axis=-1)

    def largest(self, x: Array) -> Array:
        x = self.listed(x, -np.inf)
        x = self._note(np.where(np.isnan(x), -np.inf, x))
        return x.max(axis=-1)

    def scale(self, x: Array) -> Array:
        return self.largest(x)

    def _note(self, x: Array) -> Any:
        x = np.broadcast_to(x, self.bias.shape)
        self.notes.append(x)
        return x


@dataclass(frozen=True, eq=False)
class _Left(Counts):
    """The margins of the classes that a cell touches, with an item less; the rest as noted.

    ``own`` is where a second class is touched at all.
    """

    notes: Iterator[Array] = field(kw_only=True)
    table: Codes = field(kw_only=True)
    touched: Codes = field(kw_only=True)
    own: NDArray[np.bool_] = field(kw_only=True)

    def sum(self, x: Array) -> Array:
        x, whole = self.listed(floating(x)), next(self.notes)
        moved = np.where(self.own, x - whole[self.table[:, None], self.touched], 0.0)
        return whole.sum(axis=-1)[self.table] + moved.sum(axis=-1)

    def scale(self, x: Array) -> Array:
        return next(self.notes).max(axis=-1)[self.table]

    def largest(self, x: Array) -> Array:
        x, whole = self.listed(x, -np.inf), next(self.notes)
        x = np.where(self.own & ~np.isnan(x), x, -np.inf).max(axis=-1)
        order = np.argsort(-whole, axis=-1)[:, :3]  # two of the three largest may be touched
        for i in reversed(range(order.shape[1])):
            place = order[self.table, i]
            free = (place[:, None] != self.touched).all(axis=-1)
            best = whole[self.table, place]
            x = np.where(free, np.maximum(x, best), x)
        return x
