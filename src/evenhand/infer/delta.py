"""The delta method: standard errors from slopes, at the level that the data have."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.catalogue.binding import Kernel
from evenhand.core.gradient import elementwise
from evenhand.core.kinds import Kinds
from evenhand.core.prevalence import factors
from evenhand.errors import InputError
from evenhand.infer.design import Codes, Floats
from evenhand.infer.rows import Rows, slopes, stratum_of
from evenhand.infer.variance import UNKNOWN, Units, centred, norm
from evenhand.tables.confusion import Confusion


@dataclass(frozen=True, eq=False)
class Filled:
    """The non-empty cells of a table or stack: place, weight, sum of squared weights.

    ``kinds`` are those of its classes, if few.
    """

    table: Codes
    true: Codes
    pred: Codes
    weight: Floats
    square: Floats
    kinds: Kinds | None

    @classmethod
    def of(cls, table: Confusion) -> Filled:
        """The cells of ``table``, which must know the squares of its weights."""
        at, true, pred, weight, _ = table.data.entries()
        squares = table.data.squares
        if squares is None:
            raise InputError(UNKNOWN)
        if squares.ndim > 1:
            squares = squares.reshape(-1, table.k, table.k + 1)[at, true, pred]
        kinds = Kinds.of(table.counts_over(None, 0.0))
        amounts = np.asarray(weight, np.float64), np.asarray(squares, np.float64)
        return cls(at, true, pred, *amounts, kinds)

    @cached_property
    def units(self) -> Units:
        """The cells as what varies."""
        return Units.of(self.weight, self.square)


def table_error(
    table: Confusion, kernel: Kernel, cells: Filled | None = None, *, stratify: bool = False
) -> Floats:
    """Standard error for one table, or for every table of a stack at once.

    >>> from evenhand.catalogue.binding import bind
    >>> table = Confusion.from_matrix([[45, 5], [10, 40]])
    >>> round(float(table_error(table, bind("accuracy", table))), 6)  # √(0.85 · 0.15 / 100)
    0.035707
    """
    c = Filled.of(table) if cells is None else cells
    n = int(np.prod(table.shape))
    g = slopes(kernel, kernel.counts(table), c.kinds if kernel.target is None else None)
    psi = g.at(c.table, c.true, c.pred)
    row = c.table * table.k + c.true
    if kernel.target is not None:  # calibrated rows are shares of their class
        scale = factors(table.prevalence, kernel.target).reshape(-1, table.k)
        psi = scale[c.table, c.true] * centred(psi, c.weight, row, n * table.k)
    group, size = (row, n * table.k) if stratify else (c.table, n)
    parts = c.units.parts(centred(psi, c.weight, group, size))
    return norm(parts, c.table, n).reshape(table.shape)


def class_error(table: Confusion, kernel: Kernel, cells: Filled | None = None) -> Floats:
    """Standard errors of one value a class, (…, k): only its row and column move a class."""
    correct, bias, prevalence = elementwise(kernel.function, kernel.counts(table))
    if kernel.target is not None:
        return _calibrated_class_error(table, kernel, correct, bias, cells)
    c = Filled.of(table) if cells is None else cells
    size, shape = int(np.prod(table.shape)) * table.k, (*table.shape, table.k)
    hit, inside = c.true == c.pred, c.pred < table.k

    def summed(where: Floats, code: Codes) -> Floats:
        place = (c.table * table.k + code)[where]
        return np.asarray(np.bincount(place, c.square[where], minlength=size).reshape(shape))

    both = summed(hit, c.true)
    rows, columns = summed(~hit, c.true), summed(inside & ~hit, c.pred)
    variance = ((correct + bias + prevalence) * np.sqrt(both)) ** 2
    variance += (prevalence * np.sqrt(rows)) ** 2 + (bias * np.sqrt(columns)) ** 2
    return np.asarray(np.sqrt(variance))


def _calibrated_class_error(
    table: Confusion, kernel: Kernel, correct: Floats, bias: Floats, cells: Filled | None
) -> Floats:
    """The same at a stated class mix, where every true row is a multinomial of its own.

    Var_j = Σ_i (π_i/n_i)²·u_ij²·(s_ij·(1 − 2R_ij) + S_i·R_ij²), with s the squared weights, S their
    sum over the row, and u_ij = ∂/∂bias_j + [i = j]·∂/∂correct_j.
    """
    c = Filled.of(table) if cells is None else cells
    at, true, pred, weight, squares = c.table, c.true, c.pred, c.weight, c.square
    inside = pred < table.k
    row, column = at * table.k + true, (at * table.k + pred)[inside]
    size = int(np.prod(table.shape)) * table.k
    rate = weight / np.bincount(row, weight, minlength=size)[row]
    whole = np.bincount(row, squares, minlength=size)[row]
    scale = np.broadcast_to(
        factors(table.prevalence, kernel.target), (*table.shape, table.k)
    ).reshape(-1)[row]
    moved = (scale * (squares * (1 - 2 * rate) + whole * rate**2) * scale)[inside]
    slope = bias.reshape(-1)[column]
    slope = slope + np.where((true == pred)[inside], correct.reshape(-1)[column], 0.0)
    variance = np.bincount(column, slope**2 * moved, minlength=size)
    return np.asarray(np.sqrt(np.maximum(variance, 0))).reshape(*table.shape, table.k)


def error_parts(rows: Rows, influence: Floats, *, stratify: bool = False) -> Floats:
    """Numbers × units from the influence of every row; inner products are their covariances."""
    psi = np.atleast_2d(influence)
    return rows.units.parts(centred(psi, rows.weight, stratum_of(rows, stratify)))


def rows_error(rows: Rows, influence: Floats, *, stratify: bool = False) -> Floats:
    """Standard errors from the influence of every row (… × rows), clusters summed first."""
    return norm(error_parts(rows, influence, stratify=stratify))


def rows_class_error(rows: Rows, kernel: Kernel, s: int) -> Floats:
    """Standard errors of one value a class of system ``s``, from the rows."""
    c = rows.design.counts(rows.weight[None])
    found = elementwise(kernel.function, kernel.prepared(c.at((0, s))).over(None))
    k = rows.design.k
    return norm(*rows.units.sparse_parts(*rows.design.class_influence(found, s), k), k)
