"""Cells: the numbers of a table, dense while k² is small and sparse beyond.

Both kinds hold, for every (true, predicted) cell of every table in a stack, its weight and the
sum of its squared weights. Predicted code ``k`` is the outside column: no class at all.
"""

from __future__ import annotations

from math import prod
from typing import TypeAlias

import numpy as np

from evenhand.tables.dense import DenseCells
from evenhand.tables.sparse import SparseCells, coalesce
from evenhand.tables.weights import Entries, Numbers, widened

Cells: TypeAlias = DenseCells | SparseCells

DENSE_LIMIT = 1 << 21
"""Cells of one table beyond which it is kept sparse (about 1,450 classes)."""

FREE = 1 << 12
"""Cells that are all kept, however few of them hold something (32 kB)."""

APART = 8
"""A non-empty cell kept by itself takes four or five numbers: dense pays up to this many cells."""


def dense_pays(k: int, tables: int, filled: int) -> bool:
    """Whether a stack is kept dense: no table too large, and few cells or many of them filled."""
    one = k * (k + 1)
    return one <= DENSE_LIMIT and (tables * one <= max(FREE, APART * filled))


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
    if not (isinstance(a, DenseCells) and isinstance(b, DenseCells)):
        return coalesce(*_entries([a, b]), k=a.k, shape=a.shape)
    square = np.asarray(a.squares) + np.asarray(b.squares) if _squares_matter([a, b]) else None
    return DenseCells(widened(a.weight, b.weight) + b.weight, square)


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
