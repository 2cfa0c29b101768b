"""Cells of confusion tables, dense or sparse, and the weights in them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import SAFE, ReadOnly, exact, read_only, same, take
from evenhand.core.contingency import Contingency
from evenhand.core.margins import Counts

Numbers: TypeAlias = NDArray[Any]
Weighing: TypeAlias = Literal["none", "given", "unknown"]
"""Whether items have no weights, given weights, or unknown ones."""
Entries: TypeAlias = tuple[Numbers, Numbers, Numbers, Numbers, Numbers | None]

LIGHT, HEAVY = 1e-150, 1e150
"""Range of weights, within which squares and their sums are finite."""
WEIGHTS = f"0 or from {LIGHT:g} to {HEAVY:g}"


class WeightedCells(ReadOnly):
    """Cells of a stack of tables, whose arrays are made read-only without a copy."""

    weight: Numbers
    square: Numbers | None
    shape: Any
    k: Any

    def __post_init__(self) -> None:
        for x in vars(self).values():
            read_only(x)

    @property
    def filled(self) -> int:
        """The number of non-empty cells."""
        return int(np.count_nonzero(self.weight))

    @property
    def squares(self) -> Numbers | None:
        """The sums of squared weights, if they are known."""
        if self.square is None and self.weight.dtype.kind in "iu":
            return self.weight
        return self.square

    @abstractmethod
    def entries(self) -> Entries:
        """The non-empty cells: table, true code, predicted code, weight, stored square."""

    def dense(self) -> DenseCells:
        """The cells as arrays."""
        size = prod(self.shape) * self.k * (self.k + 1)
        if size > MOST_DENSE:
            raise MemoryError(f"{size:,} dense cells would not fit; use nonzero()")
        return to_dense(self.entries(), k=self.k, shape=self.shape)

    def _with_entries(self, entries: Any, **size: Any) -> Cells:
        """Cells in the same form with these entries, of another ``k`` or ``shape`` if stated."""
        make = to_dense if isinstance(self, DenseCells) else coalesce
        return make(entries, **{"k": self.k, "shape": self.shape, **size})

    def contingency(self, *, every: bool = False) -> Contingency:
        """The cells with their margins; the non-empty ones if there are many, unless ``every``."""
        if every or (isinstance(self, DenseCells) and self.weight.size <= LARGE):
            weight = self.dense().weight
            return Contingency.from_cells(weight[..., :-1], weight[..., -1])
        table, true, pred, weight, _ = self.entries()
        amount = np.asarray(weight, np.float64)
        return Contingency(amount, true, pred, self.k, table=table, shape=self.shape)

    def remap(self, true: Numbers, pred: Numbers, k: int) -> Cells:
        """Move every cell to a new true and predicted code; true code −1 drops the row."""
        table, old_true, old_pred, weight, square = self.entries()
        new_true, new_pred = true[old_true], np.append(pred, k)[old_pred]
        columns = (table, new_true, new_pred, weight, square)
        return self._with_entries(take(new_true >= 0, *columns), k=k)

    def scale(self, factor: Numbers) -> Cells:
        """Multiply every true row by its factor."""
        table, true, pred, weight, square = self.entries()
        by = factor.reshape(-1, self.k)[table if factor.ndim > 1 else 0, true]
        squares = weight if square is None and self.squares is not None else square
        scaled = None if squares is None else squares * by**2
        return self._with_entries((table, true, pred, weight * by, scaled))

    def transpose(self) -> Cells:
        """Truth and prediction change places."""
        table, true, pred, weight, square = self.entries()
        return self._with_entries((table, pred, true, weight, square))

    def regroup(self, to: Numbers, lead: tuple[int, ...]) -> Cells:
        """Tables of the first axis moved to places along ``lead``, added up where they meet."""
        table, *columns = self.entries()
        inner = self.shape[1:]
        first, rest = np.divmod(table, prod(inner))
        places = to[first] * prod(inner) + rest
        return self._with_entries((places, *columns), shape=(*lead, *inner))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WeightedCells):
            return NotImplemented
        return same(*((x.k, tuple(x.shape), x.entries()) for x in (self, other)))

    __hash__ = ReadOnly.__hash__


def is_weight(x: Any) -> Any:
    """Which numbers of an array or a column are valid weights."""
    return (x == 0) | ((x >= LIGHT) & (x <= HEAVY))


def sum_without_overflow(summed: Callable[[Numbers], Numbers], x: Numbers) -> Numbers:
    """``summed(x)``, in floats if a sum of integers would overflow."""
    if x.dtype.kind not in "iu" or x.sum(dtype=np.float64) <= 2 * SAFE:
        return summed(x)
    sums = summed(x.astype(object))
    overflows = sums.max(initial=0) > np.iinfo(np.int64).max
    return np.asarray(sums.astype(np.float64 if overflows else np.int64))


# Dense cells

LARGE = 1 << 18
"""Cells beyond which a contingency table has only the non-empty ones."""


@dataclass(frozen=True, eq=False)
class DenseCells(WeightedCells):
    """Arrays of shape (…, k, k + 1), the last column being the outside one."""

    weight: Numbers
    square: Numbers | None = None

    @property
    def k(self) -> int:
        return int(self.weight.shape[-2])

    @property
    def shape(self) -> tuple[int, ...]:
        return self.weight.shape[:-2]

    def dense(self) -> DenseCells:
        return self

    def margins(self) -> Counts:
        weight = exact(self.weight)
        return Counts.from_cells(weight[..., :-1], weight[..., -1])

    def outside(self) -> Numbers:
        """Per true class, the weight of the outside column."""
        return self.weight[..., -1]

    def regroup(self, to: Numbers, lead: tuple[int, ...]) -> Cells:
        if lead:
            return super().regroup(to, lead)

        def summed(x: Numbers) -> Numbers:
            return sum_without_overflow(lambda y: y.sum(axis=0), x)

        return DenseCells(summed(self.weight), None if self.square is None else summed(self.square))

    def take(self, index: Any) -> DenseCells:
        weight, square = take(index, self.weight, self.square)
        return DenseCells(weight, square)

    def entries(self) -> Entries:
        flat = self.weight.reshape(-1, self.k, self.k + 1)
        table, true, pred = np.nonzero(flat)
        at = (table, true, pred)
        square = None if self.square is None else self.square.reshape(flat.shape)[at]
        return table, true, pred, flat[at], square


# Sparse cells

MOST_DENSE = 1 << 28
"""Cells beyond which no dense array is made (2 GB)."""


@dataclass(frozen=True, eq=False)
class SparseCells(WeightedCells):
    """The non-empty cells in order: table of the stack, true code, predicted code, weight."""

    table: Numbers
    true: Numbers
    pred: Numbers
    weight: Numbers
    k: int
    shape: tuple[int, ...] = ()
    square: Numbers | None = None

    def margins(self) -> Counts:
        weight, wrong, lost = exact(self.weight), self.true != self.pred, self.pred == self.k
        correct, prevalence, outside = (
            self._gather(which, self.true, weight) for which in (~wrong, slice(None), lost)
        )
        bias, errors = self._gather(~lost, self.pred, weight), None
        if weight.dtype.kind == "f":
            alarms = self._gather(wrong & ~lost, self.pred, weight)
            errors = (self._gather(wrong, self.true, weight), alarms)
        total, lost_total = (np.asarray(x.sum(axis=-1), x.dtype) for x in (prevalence, outside))
        return Counts(correct, bias, prevalence, total, lost_total, errors=errors)

    def outside(self) -> Numbers:
        """Per true class, the weight of the outside column."""
        return np.asarray(read_only(self._gather(self.pred == self.k, self.true, self.weight)))

    def _gather(self, which: Any, code: Numbers, weight: Numbers) -> Numbers:
        """Sums of the weights of some cells, by code and table."""
        size = prod(self.shape) * self.k
        at, weight = (self.table * self.k + code)[which], weight[which]
        is_float, is_integer = weight.dtype.kind == "f", weight.dtype.kind in "iu"
        if is_float or (is_integer and weight.sum(dtype=np.float64) < 1 << 53):
            out = np.bincount(at, weight, minlength=size).astype(weight.dtype)
        else:  # the floats of bincount would not be exact
            out = np.zeros(size, weight.dtype)
            np.add.at(out, at, weight)
        return out.reshape(*self.shape, self.k)

    def take(self, index: Any) -> SparseCells:
        chosen = np.arange(prod(self.shape)).reshape(self.shape)[index]
        tables = chosen.reshape(-1)
        start, end = np.searchsorted(self.table, tables), np.searchsorted(self.table, tables + 1)
        table = np.repeat(np.arange(tables.size), end - start)
        before = np.cumsum(end - start) - (end - start)
        at = np.arange(table.size) + (start - before)[table]
        true, pred, weight, square = take(at, self.true, self.pred, self.weight, self.square)
        return SparseCells(table, true, pred, weight, self.k, chosen.shape, square)

    def entries(self) -> Entries:
        return self.table, self.true, self.pred, self.weight, self.square


def coalesce(entries: Entries, *, k: int, shape: tuple[int, ...] = ()) -> SparseCells:
    """Sparse cells in order: entries of one cell are added up, empty ones dropped."""
    table, true, pred, weight, square = entries
    if not weight.all():
        table, true, pred, weight, square = take(weight != 0, *entries)
    key = table.astype(np.int64)
    key *= k
    key += true
    key *= k + 1
    key += pred
    if (key[1:] > key[:-1]).all():  # already in order, or nothing
        return SparseCells(table, true, pred, weight, k, shape, square)
    order = np.argsort(key, kind="stable")
    key = key[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))

    def summed(x: Numbers) -> Numbers:
        return sum_without_overflow(lambda y: np.add.reduceat(y, first), x[order])

    rest, pred = np.divmod(key[first], k + 1)
    table, true = np.divmod(rest, k)
    return SparseCells(
        table, true, pred, summed(weight), k, shape, None if square is None else summed(square)
    )


def to_dense(entries: Entries, *, k: int, shape: tuple[int, ...] = ()) -> DenseCells:
    """Dense cells: entries of one cell are added up."""
    table, true, pred, weight, square = entries
    size = prod(shape) * k * (k + 1)
    key = ((table * k + true) if shape else true) * (k + 1) + pred

    def summed(x: Numbers) -> Numbers:
        if x.dtype.kind == "f":
            sums = np.bincount(key, x, minlength=size)
        else:
            sums = np.zeros(size, x.dtype)
            np.add.at(sums, key, x)
        return sums.reshape(*shape, k, k + 1)

    squares = None if square is None else sum_without_overflow(summed, square)
    return DenseCells(sum_without_overflow(summed, weight), squares)


# Cells of either form

Cells: TypeAlias = DenseCells | SparseCells

DENSE_LIMIT = 1 << 21
"""Cells beyond which a table is sparse (about 1,450 classes)."""

SMALL_STACK = 1 << 12
"""Cells up to which a stack is always dense (32 kB)."""

CELLS_PER_ENTRY = 8
"""Dense cells that cost as much as one sparse entry, which has four or five numbers."""


def dense_pays(k: int, tables: int, filled: int) -> bool:
    """Whether a stack should be dense: tables are not too large, and few or mostly filled."""
    size = k * (k + 1)
    return size <= DENSE_LIMIT and tables * size <= max(SMALL_STACK, CELLS_PER_ENTRY * filled)


def dense_or_sparse(cells: Cells, k: int | None = None) -> Cells:
    """The cells in the form that takes less memory for them, or for ``k`` classes."""
    if dense_pays(cells.k if k is None else k, prod(cells.shape), cells.filled):
        return cells.dense()
    is_sparse = isinstance(cells, SparseCells)
    return cells if is_sparse else coalesce(cells.entries(), k=cells.k, shape=cells.shape)


def cells_of(rows: Entries, *, k: int, shape: tuple[int, ...] = ()) -> Cells:
    """Cells from rows of codes, where a predicted −1 is outside; dense or sparse."""
    table, true, pred, weight, square = rows
    outside = pred < 0
    column = np.where(outside, k, pred) if np.count_nonzero(outside) else pred
    make = to_dense if dense_pays(k, prod(shape), len(weight)) else coalesce
    return make((table, true, column, weight, square), k=k, shape=shape)


def stack(parts: list[Cells]) -> Cells:
    """Tables or stacks side by side along a new first axis; sparse if one of them is."""
    shape, k = (len(parts), *parts[0].shape), parts[0].k
    has_squares = all(p.squares is not None for p in parts)
    has_squares = has_squares and any(p.square is not None for p in parts)  # some are weighted
    is_dense = all(isinstance(p, DenseCells) for p in parts)
    if is_dense and dense_pays(k, prod(shape), sum(p.filled for p in parts)):
        square = np.stack([np.asarray(p.squares) for p in parts]) if has_squares else None
        return DenseCells(np.stack([p.weight for p in parts]), square)
    columns = [p.entries() for p in parts]
    table = np.concatenate([c[0] + i * prod(shape[1:]) for i, c in enumerate(columns)])
    true, pred, weight = (np.concatenate([c[i] for c in columns]) for i in (1, 2, 3))
    squares = [weight if square is None else square for *_, weight, square in columns]
    square = np.concatenate(squares) if has_squares else None
    return coalesce((table, true, pred, weight, square), k=k, shape=shape)
