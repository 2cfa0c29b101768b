"""Cells: the numbers of a table, dense while k² is small and sparse beyond.

Both kinds hold, for every (true, predicted) cell of every table in a stack, its weight and the
sum of its squared weights. Predicted code ``k`` is the outside column: no class at all. An
integer weight without stored squares is a plain count, whose squares are itself; a float
weight without squares has forgotten what an interval needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import SAFE, Sealed, exact, seal
from evenhand.core.equal import same

Numbers: TypeAlias = NDArray[Any]
Weighing: TypeAlias = Literal["none", "given", "unknown"]
"""What items weigh: all the same, what they were given, or nobody knows."""
Entries: TypeAlias = tuple[Numbers, Numbers, Numbers, Numbers, Numbers | None]
Margins: TypeAlias = tuple[Numbers, Numbers, Numbers, Numbers, Numbers]

DENSE_LIMIT = 1 << 21
"""Cells of one table beyond which it is kept sparse (about 1,450 classes)."""

LEAST, MOST = 1e-300, 1e304
"""Sums of weights that leave room for ratios and for sums of sums."""

LIGHT, HEAVY = 1e-150, 1e150
"""What an item may weigh if not 0, so that squares and their sums stay within the floats."""
WEIGHTS = f"0 or from {LIGHT:g} to {HEAVY:g}"


class OwnCells(Sealed):
    """Cells hold arrays that were made for them, and seal them without a copy."""

    def __post_init__(self) -> None:
        for x in vars(self).values():
            seal(x)

    def __eq__(self, other: object) -> bool:
        if isinstance(self, DenseCells | SparseCells) and isinstance(other, OwnCells):
            return same(_said(self), _said(other))
        return NotImplemented

    __hash__ = Sealed.__hash__


FREE = 1 << 12
"""Cells that are all kept, however few of them hold something (32 kB)."""

APART = 8
"""A non-empty cell kept by itself takes four or five numbers: dense pays up to this many cells."""


def dense_pays(k: int, tables: int, filled: int) -> bool:
    """Whether a stack is kept dense: no table too large, and few cells or many of them filled."""
    one = k * (k + 1)
    return one <= DENSE_LIMIT and (tables * one <= max(FREE, APART * filled))


@dataclass(frozen=True, eq=False)
class DenseCells(OwnCells):
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

    @property
    def squares(self) -> Numbers | None:
        if self.square is None and self.weight.dtype.kind in "iu":
            return self.weight
        return self.square

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

        return self._each(lambda x: _roomy(moved, x))

    def scale(self, factor: Numbers) -> DenseCells:
        """Multiply every true row by its factor."""
        factor = factor[..., None]
        square = None if self.squares is None else self.squares * factor**2
        return DenseCells(self.weight * factor, square)

    def shares(self, by: str) -> DenseCells:
        """Each cell's share of its true row, its predicted column or the whole table."""
        axis = {"true": (-1,), "pred": (-2,), "all": (-2, -1)}[by]
        weight = self.weight.astype(np.float64)
        return DenseCells(_share(weight, weight.sum(axis=axis, keepdims=True)))

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
        return self._each(lambda x: _roomy(lambda y: y.sum(axis=0), x))

    def entries(self) -> Entries:
        """The non-empty cells: table, true code, predicted code, weight, stored square."""
        flat = self.weight.reshape(-1, self.k, self.k + 1)
        table, true, pred = np.nonzero(flat)
        at = (table, true, pred)
        square = None if self.square is None else self.square.reshape(flat.shape)[at]
        return table, true, pred, flat[at], square


@dataclass(frozen=True, eq=False)
class SparseCells(OwnCells):
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

    @property
    def squares(self) -> Numbers | None:
        if self.square is None and self.weight.dtype.kind in "iu":
            return self.weight
        return self.square

    def dense(self) -> DenseCells:
        size = prod(self.shape) * self.k * (self.k + 1)
        if size > 1 << 28:
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

    def outside(self) -> Numbers:
        """Per true class, the weight of the outside column."""
        found = self._gather(self.pred == self.k, self.true, self.weight)
        seal(found)
        return found

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
        keep = new_true >= 0
        square = None if self.square is None else self.square[keep]
        return coalesce(
            self.table[keep],
            new_true[keep],
            new_pred[keep],
            self.weight[keep],
            square,
            k=k,
            shape=self.shape,
        )

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
        weight = self.weight.astype(np.float64)
        return replace(self, weight=_share(weight, whole.astype(np.float64)), square=None)

    def transpose(self) -> SparseCells:
        return coalesce(
            self.table, self.pred, self.true, self.weight, self.square, k=self.k, shape=self.shape
        )

    def take(self, index: Any) -> SparseCells:
        chosen = np.arange(prod(self.shape)).reshape(self.shape)[index]
        wanted = chosen.reshape(-1)
        start, end = np.searchsorted(self.table, wanted), np.searchsorted(self.table, wanted + 1)
        table = np.repeat(np.arange(wanted.size), end - start)
        before = np.cumsum(end - start) - (end - start)
        at = np.arange(table.size) + (start - before)[table]
        square = None if self.square is None else self.square[at]
        return SparseCells(
            table, self.true[at], self.pred[at], self.weight[at], self.k, chosen.shape, square
        )

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


Cells: TypeAlias = DenseCells | SparseCells


def _said(cells: Any) -> tuple[Any, ...]:
    """What cells say, dense or sparse: how many classes and tables, and what is not empty."""
    return cells.k, tuple(cells.shape), cells.entries()


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
        full = weight != 0
        table, true, pred, weight = (x[full] for x in (table, true, pred, weight))
        square = None if square is None else square[full]
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
        return _roomy(lambda y: np.add.reduceat(y, first), x[order]) if first.size else x[:0]

    rest, pred = np.divmod(key[first], k + 1)
    table, true = np.divmod(rest, k)
    return SparseCells(
        table, true, pred, added(weight), k, shape, None if square is None else added(square)
    )


def fitting(cells: Cells, k: int | None = None) -> Cells:
    """The same cells in the form that suits them, or would if there were ``k`` classes."""
    dense = dense_pays(cells.k if k is None else k, prod(cells.shape), cells.filled)
    if dense:
        return cells.dense()
    if isinstance(cells, SparseCells):
        return cells
    return coalesce(*cells.entries(), k=cells.k, shape=cells.shape)


def add(a: Cells, b: Cells) -> Cells:
    """Cell by cell; a sparse side makes the sum sparse."""
    square: Numbers | None = None
    if isinstance(a, DenseCells) and isinstance(b, DenseCells):
        if _squares_matter([a, b]):
            square = np.asarray(a.squares) + np.asarray(b.squares)
        return DenseCells(_widened(a.weight, b.weight) + b.weight, square)
    table, true, pred, weight, square = _entries([a, b])
    return coalesce(table, true, pred, weight, square, k=a.k, shape=a.shape)


def join(parts: list[Cells], *, new_axis: bool) -> Cells:
    """Stack tables along a new first axis, or stacks along the one they have."""
    shapes = [(1, *p.shape) if new_axis else p.shape for p in parts]
    shape = (sum(s[0] for s in shapes), *shapes[0][1:])
    k = parts[0].k
    pays = dense_pays(k, prod(shape), sum(p.filled for p in parts))
    if not pays or any(isinstance(p, SparseCells) for p in parts):
        sizes = [prod(s) for s in shapes]
        return coalesce(*_entries(parts, np.cumsum([0, *sizes[:-1]])), k=k, shape=shape)

    def joined(arrays: list[Numbers]) -> Numbers:
        return np.concatenate([x.reshape(-1, *shape[1:], k, k + 1) for x in arrays])

    weight = joined([p.weight for p in parts])
    if not _squares_matter(parts):
        return DenseCells(weight)
    return DenseCells(weight, joined([np.asarray(p.squares) for p in parts]))


def is_weight(x: Any) -> Any:
    """Which numbers, in an array or a column of any library, an item may weigh."""
    return (x == 0) | ((x >= LIGHT) & (x <= HEAVY))


def beyond(cells: Cells, total: Numbers) -> str:
    """Why weights cannot be computed with: their sum or their squares leave the floats."""
    strange = total[(total != 0) & ~((total >= LEAST) & (total <= MOST))]
    if strange.size:
        return f"must add up to a number from {LEAST:g} to {MOST:g}, got {strange[0]:g}"
    if cells.square is not None:
        lost = (cells.weight > 0) & ~((cells.square >= LEAST) & (cells.square <= MOST))
        if lost.any():
            return f"must be {WEIGHTS}, got about {cells.weight[lost][0]:g}"
    return ""


def _squares_matter(parts: list[Cells]) -> bool:
    """Whether a sum has squares of its own: all parts know theirs, and some are weighted."""
    known = all(p.squares is not None for p in parts)
    return known and any(p.square is not None for p in parts)


def _entries(parts: list[Cells], start: Numbers | None = None) -> Entries:
    """The entries of all parts one after another, each part's tables from its start on."""
    found = [p.entries() for p in parts]
    begin = np.zeros(len(parts), np.int64) if start is None else start
    table = np.concatenate([e[0] + s for e, s in zip(found, begin, strict=True)])
    true, pred, weight = (np.concatenate([e[i] for e in found]) for i in (1, 2, 3))
    square = None
    if _squares_matter(parts):
        square = np.concatenate([e[3] if e[4] is None else e[4] for e in found])
    return table, true, pred, weight, square


def _share(weight: Numbers, whole: Numbers) -> Numbers:
    return np.divide(weight, whole, out=np.zeros_like(weight), where=whole != 0)


def _roomy(added: Callable[[Numbers], Numbers], x: Numbers) -> Numbers:
    """``added(x)``, as floats if some integer sum in it would pass what an integer holds."""
    if x.dtype.kind in "iu" and x.sum(dtype=np.float64) > 2 * SAFE:
        floats = added(x.astype(np.float64))
        if floats.max(initial=0) > 2 * SAFE:
            return floats
    return added(x)


def _widened(a: Numbers, b: Numbers) -> Numbers:
    """``a`` as floats where an integer sum could pass what an integer holds."""
    whole = a.dtype.kind in "iu" and b.dtype.kind in "iu"
    if whole and float(a.max(initial=0)) + float(b.max(initial=0)) > 2 * SAFE:
        return a.astype(np.float64)
    return a
