"""Sparse cells: those that are not empty, in order; they answer what dense cells answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from evenhand.core.arrays import exact, seal, taken
from evenhand.core.crossed import Crossed
from evenhand.core.ratio import ratio
from evenhand.tables.dense import DenseCells
from evenhand.tables.weights import Entries, Margins, Numbers, Weighed, roomy

MOST_DENSE = 1 << 28
"""Cells that can be held as an array (2 GB)."""


@dataclass(frozen=True, eq=False)
class SparseCells(Weighed):
    """The non-empty cells in order: table of the stack, true code, predicted code, weight."""

    table: Numbers
    true: Numbers
    pred: Numbers
    weight: Numbers
    k: int
    shape: tuple[int, ...] = ()
    square: Numbers | None = None

    @property
    def filled(self) -> int:
        return len(self.weight)

    def dense(self) -> DenseCells:
        size = prod(self.shape) * self.k * (self.k + 1)
        if size > MOST_DENSE:
            raise MemoryError(f"{size:,} dense cells would not fit; use nonzero()")
        at = (self.table, self.true, self.pred)

        def filled(x: Numbers) -> Numbers:
            out = np.zeros((prod(self.shape), self.k, self.k + 1), x.dtype)
            out[at] = x
            return out.reshape(*self.shape, self.k, self.k + 1)

        return DenseCells(filled(self.weight), None if self.square is None else filled(self.square))

    def margins(self) -> Margins:
        weight = exact(self.weight)
        hit, lost = self.true == self.pred, self.pred == self.k
        correct = self._gather(hit, self.true, weight)
        bias = self._gather(~lost, self.pred, weight)
        prevalence = self._gather(slice(None), self.true, weight)
        total = np.asarray(prevalence.sum(axis=-1), prevalence.dtype)
        outside = self._gather(lost, self.true, weight).sum(axis=-1)
        return correct, bias, prevalence, total, np.asarray(outside, prevalence.dtype)

    def errors(self) -> tuple[Numbers, Numbers] | None:
        """Misses and alarms of each class; of whole numbers the margins tell them exactly."""
        if self.weight.dtype.kind != "f":
            return None
        wrong = self.true != self.pred
        return (
            self._gather(wrong, self.true, self.weight),
            self._gather(wrong & (self.pred < self.k), self.pred, self.weight),
        )

    def crossed(self, *, every: bool = False) -> Crossed:
        """The cells that hold something with their margins, or ``every`` cell."""
        if every:
            return self.dense().crossed(every=True)
        return Crossed.from_entries(*self.entries()[:4], k=self.k, shape=self.shape)

    def outside(self) -> Numbers:
        """Per true class, the weight of the outside column."""
        return np.asarray(seal(self._gather(self.pred == self.k, self.true, self.weight)))

    def _gather(self, which: Any, code: Numbers, weight: Numbers) -> Numbers:
        """Sum over some cells of the weight that each code of each table has."""
        size = prod(self.shape) * self.k
        at, weight = (self.table * self.k + code)[which], weight[which]
        if weight.dtype.kind == "f" or (
            weight.dtype.kind in "iu" and weight.sum(dtype=np.float64) < 1 << 53
        ):
            out = np.bincount(at, weight, minlength=size).astype(weight.dtype)
        else:  # beyond what the floats of bincount hold exactly
            out = np.zeros(size, weight.dtype)
            np.add.at(out, at, weight)
        return out.reshape(*self.shape, self.k)

    def remap(self, true: Numbers, pred: Numbers, k: int) -> SparseCells:
        new_true, new_pred = true[self.true], np.append(pred, k)[self.pred]
        columns = (self.table, new_true, new_pred, self.weight, self.square)
        return coalesce(*taken(new_true >= 0, *columns), k=k, shape=self.shape)

    def scale(self, factor: Numbers) -> SparseCells:
        by = factor.reshape(-1, self.k)[self.table if factor.ndim > 1 else 0, self.true]
        square = None if self.squares is None else self.squares * by**2
        return replace(self, weight=self.weight * by, square=square)

    def shares(self, by: str) -> SparseCells:
        _, bias, prevalence, total, outside = self.margins()
        columns = np.concatenate([bias, outside[..., None]], axis=-1)
        whole = {
            "true": prevalence.reshape(-1, self.k)[self.table, self.true],
            "pred": columns.reshape(-1, self.k + 1)[self.table, self.pred],
            "all": total.reshape(-1)[self.table],
        }[by]
        return replace(self, weight=ratio(self.weight, whole), square=None)

    def transpose(self) -> SparseCells:
        columns = (self.table, self.pred, self.true, self.weight, self.square)
        return coalesce(*columns, k=self.k, shape=self.shape)

    def take(self, index: Any) -> SparseCells:
        chosen = np.arange(prod(self.shape)).reshape(self.shape)[index]
        wanted = chosen.reshape(-1)
        start, end = np.searchsorted(self.table, wanted), np.searchsorted(self.table, wanted + 1)
        table = np.repeat(np.arange(wanted.size), end - start)
        before = np.cumsum(end - start) - (end - start)
        at = np.arange(table.size) + (start - before)[table]
        true, pred, weight, square = taken(at, self.true, self.pred, self.weight, self.square)
        return SparseCells(table, true, pred, weight, self.k, chosen.shape, square)

    def spread(self, to: Numbers, size: int) -> SparseCells:
        first, rest = np.divmod(self.table, prod(self.shape[1:]))
        table = to[first] * prod(self.shape[1:]) + rest
        columns = (table, self.true, self.pred, self.weight, self.square)
        return coalesce(*columns, k=self.k, shape=(size, *self.shape[1:]))

    def pooled(self) -> SparseCells:
        shape = self.shape[1:]
        columns = (self.table % prod(shape), self.true, self.pred, self.weight, self.square)
        return coalesce(*columns, k=self.k, shape=shape)

    def entries(self) -> Entries:
        return self.table, self.true, self.pred, self.weight, self.square


def coalesce(
    table: Numbers,
    true: Numbers,
    pred: Numbers,
    weight: Numbers,
    square: Numbers | None,
    *,
    k: int,
    shape: tuple[int, ...] = (),
) -> SparseCells:
    """Sparse cells in order, each once: entries of the same cell add up, empty ones go."""
    if not weight.all():
        columns = (table, true, pred, weight, square)
        table, true, pred, weight, square = taken(weight != 0, *columns)
    key = table.astype(np.int64)
    key *= k
    key += true
    key *= k + 1
    key += pred
    if (key[1:] > key[:-1]).all():  # in order already, as counters leave them
        return SparseCells(table, true, pred, weight, k, shape, square)
    order = np.argsort(key, kind="stable")
    key = key[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))

    def added(x: Numbers) -> Numbers:
        return roomy(lambda y: np.add.reduceat(y, first), x[order]) if first.size else x[:0]

    rest, pred = np.divmod(key[first], k + 1)
    table, true = np.divmod(rest, k)
    return SparseCells(
        table, true, pred, added(weight), k, shape, None if square is None else added(square)
    )
