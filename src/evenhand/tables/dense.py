"""Dense cells: every cell of true × predicted of every table, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.core.arrays import exact
from evenhand.core.crossed import Crossed
from evenhand.core.ratio import ratio
from evenhand.tables.weights import Entries, Margins, Numbers, Weighed, roomy

LARGE = 1 << 18
"""Cells beyond which the empty ones are left out where each is looked at."""


@dataclass(frozen=True, eq=False)
class DenseCells(Weighed):
    """Arrays of shape (…, k, k + 1), the last column being the outside one."""

    weight: Numbers
    square: Numbers | None = None

    @property
    def k(self) -> int:
        return int(self.weight.shape[-2])

    @property
    def shape(self) -> tuple[int, ...]:
        return self.weight.shape[:-2]

    @property
    def filled(self) -> int:
        return int(np.count_nonzero(self.weight))

    def dense(self) -> DenseCells:
        return self

    def margins(self) -> Margins:
        weight = exact(self.weight)
        columns, rows = weight.sum(axis=-2), weight.sum(axis=-1)
        correct = np.diagonal(weight[..., :-1], axis1=-2, axis2=-1)
        total = np.asarray(rows.sum(axis=-1), rows.dtype)
        return correct, columns[..., :-1], rows, total, columns[..., -1]

    def errors(self) -> tuple[Numbers, Numbers] | None:
        """Misses and alarms of each class; of whole numbers the margins tell them exactly."""
        if self.weight.dtype.kind != "f":
            return None
        wrong, each = self.weight.copy(), np.arange(self.k)
        wrong[..., each, each] = 0
        return wrong.sum(axis=-1), wrong[..., :-1].sum(axis=-2)

    def crossed(self, *, every: bool = False) -> Crossed:
        """Every cell with its margins; of large tables those that hold something, unless told."""
        if every or self.weight.size <= LARGE:
            return Crossed.from_cells(self.weight[..., :-1], self.weight[..., -1])
        return Crossed.from_entries(*self.entries()[:4], k=self.k, shape=self.shape)

    def outside(self) -> Numbers:
        """Per true class, the weight of the outside column."""
        return self.weight[..., -1]

    def remap(self, true: Numbers, pred: Numbers, k: int) -> DenseCells:
        """Move every cell to a new true and predicted code; true code −1 drops the row."""
        keep = np.flatnonzero(true >= 0)
        to: Any = (..., true[keep][:, None], np.append(pred, k)[None, :])

        def moved(x: Numbers) -> Numbers:
            out = np.zeros((*self.shape, k, k + 1), x.dtype)
            np.add.at(out, to, x[..., keep, :])
            return out

        return self._each(lambda x: roomy(moved, x))

    def scale(self, factor: Numbers) -> DenseCells:
        """Multiply every true row by its factor."""
        factor = factor[..., None]
        square = None if self.squares is None else self.squares * factor**2
        return DenseCells(self.weight * factor, square)

    def shares(self, by: str) -> DenseCells:
        """Each cell's share of its true row, its predicted column or the whole table."""
        axis = {"true": (-1,), "pred": (-2,), "all": (-2, -1)}[by]
        weight = self.weight.astype(np.float64)
        return DenseCells(ratio(weight, weight.sum(axis=axis, keepdims=True)))

    def transpose(self) -> DenseCells:
        def turned(x: Numbers) -> Numbers:
            out = np.zeros_like(x)
            out[..., :-1] = np.swapaxes(x[..., :-1], -1, -2)
            return out

        return self._each(turned)

    def take(self, index: Any) -> DenseCells:
        return self._each(lambda x: x[index])

    def _each(self, change: Any) -> DenseCells:
        return DenseCells(change(self.weight), None if self.square is None else change(self.square))

    def spread(self, to: Numbers, size: int) -> DenseCells:
        """Tables of the first axis at new places; what no table takes is empty."""

        def placed(x: Numbers) -> Numbers:
            out = np.zeros((size, *x.shape[1:]), x.dtype)
            out[to] = x
            return out

        return self._each(placed)

    def pooled(self) -> DenseCells:
        """All tables of the first axis added up."""
        return self._each(lambda x: roomy(lambda y: y.sum(axis=0), x))

    def entries(self) -> Entries:
        flat = self.weight.reshape(-1, self.k, self.k + 1)
        table, true, pred = np.nonzero(flat)
        at = (table, true, pred)
        square = None if self.square is None else self.square.reshape(flat.shape)[at]
        return table, true, pred, flat[at], square
