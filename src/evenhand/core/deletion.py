"""Deletion: what a metric becomes when one item of a cell is left out, at the cost of its classes.

A macro average is an integrand for each class, which sees the margins of that class alone, and a
few reductions over classes. A class can lose an item in three ways: a hit, one of its row that was
missed, one of its column that was a false alarm. So every integrand is made anew three times, and
the reductions of each cell take from these what it touches, and the rest from the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import Array, floating
from evenhand.core.counts import Counts
from evenhand.core.kinds import Kinds

Codes = NDArray[np.int64]


def left_out(
    function: Callable[[Counts], Array],
    counts: Counts,
    table: Codes,
    true: Codes,
    pred: Codes,
    kinds: Kinds | None = None,
) -> NDArray[np.float64]:
    """The value of a macro average with one item less, for each cell that has some.

    ``counts`` has tables × classes; a cell is a table, a true and a predicted code (k: outside).
    ``kinds`` of the classes of a single table, where they are known, spare work.

    >>> from evenhand.core.metrics.macro import macro_recall
    >>> counts = Counts.from_cells(np.array([[[3, 1], [0, 2]]]))  # recalls 3/4 and 2/2
    >>> zero = np.zeros(2, np.int64)
    >>> left_out(macro_recall, counts, zero, zero, np.array([0, 1])).round(4)  # 2/3, or 3/3
    array([0.8333, 1.    ])
    """
    inside, wrong, times = pred < counts.bias.shape[-1], true != pred, None
    if kinds is not None:
        counts, kinds = kinds.cut(counts)
        times = kinds.times
        true, pred = kinds.kind[true], kinds.kind[np.where(inside, pred, 0)]
    flat = counts.flat()
    size = flat.bias.size
    place = table * flat.bias.shape[-1]
    alarm = np.where(wrong & inside, 2 * size + place + pred, 3 * size)
    notes: list[Array] = []
    margins = flat.correct, flat.bias, flat.prevalence, flat.total, flat.outside
    how: Any = {"averaged": flat.averaged, "undefined": flat.undefined, "ruled": flat.ruled}
    lost = np.array([[1, 1, 1], [0, 0, 1], [0, 1, 0]])[..., None, None]  # ways × margins
    correct, bias, prevalence = (x - y for x, y in zip(margins, lost.swapaxes(0, 1), strict=False))
    with np.errstate(divide="ignore", invalid="ignore"):
        function(_Noted(*margins, **how, notes=notes, times=times))
        left = _Left(
            correct,
            bias,
            prevalence,
            flat.total,
            flat.outside,
            **how,
            notes=iter(notes),
            times=times,
            table=table,
            own=place + true + size * wrong,
            other=alarm,
        )
        return np.asarray(function(left), np.float64)


@dataclass(frozen=True, eq=False)
class _Noted(Counts):
    """Counts whose reductions are noted: what every class put in; ``times`` it counts."""

    notes: list[Array] = field(default_factory=list)
    times: Array | None = None

    def sum(self, x: Array) -> Array:
        return _summed(self._note(self.listed(floating(x))), self.times)

    def largest(self, x: Array) -> Array:
        x = self.listed(x, -np.inf)
        return self._note(np.where(np.isnan(x), -np.inf, x)).max(axis=-1)

    def scale(self, x: Array) -> Array:
        return self.largest(x)[..., None]

    def _note(self, x: Array) -> Any:
        x = np.broadcast_to(x, self.bias.shape)
        self.notes.append(x)
        return x


@dataclass(frozen=True, eq=False)
class _Left(Counts):
    """The margins of every class with an item less in three ways; reductions are those of cells.

    ``own`` and ``other`` are the places of what a cell changes, among ways × tables × classes and
    one place more for nothing.
    """

    notes: Iterator[Array] = field(kw_only=True)
    times: Array | None = field(kw_only=True)
    table: Codes = field(kw_only=True)
    own: Codes = field(kw_only=True)
    other: Codes = field(kw_only=True)

    def sum(self, x: Array) -> Array:
        whole = next(self.notes)
        moved = np.append(self.listed(floating(x)) - whole, 0.0)
        return _summed(whole, self.times)[self.table] + moved[self.own] + moved[self.other]

    def scale(self, x: Array) -> Array:
        return next(self.notes).max(axis=-1)[..., None]

    def back(self, scale: Array) -> Array:
        return scale[..., 0][self.table]

    def largest(self, x: Array) -> Array:
        whole, x = next(self.notes), self.listed(x, -np.inf)
        moved = np.append(np.where(np.isnan(x), -np.inf, x), -np.inf)
        found = np.maximum(moved[self.own], moved[self.other])
        times = np.ones(whole.shape[-1]) if self.times is None else self.times
        for i in np.argsort(-whole, axis=-1)[:, :3].T:  # two of the three largest may be touched
            at = self.table * whole.shape[-1] + i[self.table]
            touched = 1.0 * (self.own % whole.size == at)
            touched += (self.other < 3 * whole.size) & (self.other % whole.size == at)
            free = times[i[self.table]] > touched
            found = np.where(free, np.maximum(found, whole.reshape(-1)[at]), found)
        return found


def _summed(x: Array, times: Array | None) -> Any:
    return x.sum(axis=-1) if times is None else (x * times).sum(axis=-1)
