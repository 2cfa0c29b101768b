"""The delta method: standard errors from slopes, at the level that the data have."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from evenhand.catalogue.binding import views_of
from evenhand.core.counts import Counts
from evenhand.core.gradient import elementwise
from evenhand.core.kernel import Kernel, Views
from evenhand.core.kinds import Kinds
from evenhand.core.prevalence import factors
from evenhand.core.tape import Steps
from evenhand.errors import InputError
from evenhand.infer.design import CodeDesign, Codes, Floats, class_influence
from evenhand.infer.gradients import slopes
from evenhand.infer.rows import Rows, stratum_of
from evenhand.infer.smoothed import Smoothed
from evenhand.infer.variance import UNKNOWN, Units, centred, norm
from evenhand.tables.confusion import Confusion
from evenhand.tables.slices import Slices


@dataclass(frozen=True, eq=False)
class Filled:
    """The non-empty cells of a table or stack: place, weight, sum of squared weights.

    ``shape`` has the leading axes, ``k`` the classes, ``counts`` the margins; ``kinds`` are those
    of its classes, if few. Where items are dependent they are rows instead, each of a ``cluster``,
    and ``home`` is the table that a cluster is of.
    """

    shape: tuple[int, ...]
    k: int
    counts: Counts
    table: Codes
    true: Codes
    pred: Codes
    weight: Floats
    square: Floats
    kinds: Kinds | None
    cluster: Codes | None = None
    home: Codes | None = None

    @classmethod
    def of(cls, table: Confusion) -> Filled:
        """The cells of ``table``, which must know the squares of its weights."""
        at, true, pred, weight, _ = table.data.entries()
        squares = table.data.squares
        if squares is None:
            raise InputError(UNKNOWN)
        c, k = table.counts_over(None, 0.0), len(table.labels)
        if squares.ndim > 1:
            squares = squares.reshape(-1, k, k + 1)[at, true, pred]
        amounts = np.asarray(weight, np.float64), np.asarray(squares, np.float64)
        place = (c.prevalence.shape[:-1], k, c, at, true, pred)
        return cls(*place, *amounts, Kinds.of(c))

    @classmethod
    def of_slices(cls, slices: Slices, stack: Confusion) -> Filled:
        """The rows of slices, whose tables are given."""
        c, k = stack.counts_over(None, 0.0), stack.k
        place = (slices.slice, slices.true, np.where(slices.pred < 0, k, slices.pred))
        squares = slices.weight if slices.square is None else slices.square
        amounts = np.asarray(slices.weight, np.float64), np.asarray(squares, np.float64)
        groups = (slices.cluster, slices.home)
        return cls(stack.shape, k, c, *place, *amounts, Kinds.of(c), *groups)

    @classmethod
    def of_systems(cls, rows: Rows, tables: Confusion) -> list[Filled]:
        """The rows of hard labels as each system sees them, whose tables are given."""
        design, square = rows.design, rows.square
        assert isinstance(design, CodeDesign) and square is not None
        none, found = np.zeros(len(design.true), np.int64), []
        for pred, table in zip(design.pred.T, tables if tables.shape else [tables], strict=True):
            c = table.counts_over(None, 0.0)
            amounts = (rows.weight, square, Kinds.of(c), rows.cluster)
            found.append(cls((), design.k, c, none, design.true, pred, *amounts))
        return found

    @property
    def prevalence(self) -> Floats:
        """The true margins."""
        return np.asarray(self.counts.prevalence)

    @property
    def tables(self) -> int:
        """How many tables there are."""
        return prod(self.shape)

    @cached_property
    def smooth(self) -> tuple[Smoothed, Counts]:
        """Where pseudo-items of each true class lie, and the margins with them in."""
        return Smoothed.with_margins(self.counts)

    @cached_property
    def steps(self) -> Steps:
        """Steps at the margins as they are."""
        return Steps.at(self.counts)

    @cached_property
    def units(self) -> Units:
        """What varies: the cells, or the clusters."""
        return Units.of(self.weight, self.square, self.cluster, self.home)


def table_error(table: Confusion, kernel: Kernel, *, stratify: bool = False) -> Floats:
    """Standard error for one table, or for every table of a stack at once.

    >>> from evenhand.catalogue.binding import bind
    >>> table = Confusion.from_matrix([[45, 5], [10, 40]])
    >>> round(float(table_error(table, bind("accuracy", table))), 6)  # √(0.85 · 0.15 / 100)
    0.035707
    """
    return cells_error(Filled.of(table), kernel, views_of([kernel], table), stratify=stratify)


def cells_error(cells: Filled, kernel: Kernel, views: Views, *, stratify: bool = False) -> Floats:
    """The same from the cells of the tables and what kernels ask of them."""
    c, k = cells, cells.k
    kinds, steps = (c.kinds, c.steps) if kernel.target is None else (None, None)
    (g,) = slopes([(kernel, views.of(kernel))], kinds, steps)
    psi = g.at(c.table, c.true, c.pred)
    row, n = c.table * k + c.true, c.tables
    if kernel.target is not None:  # calibrated rows are shares of their class
        scale = factors(c.prevalence, kernel.target).reshape(-1, k)
        psi = scale[c.table, c.true] * centred(psi, c.weight, row, n * k)
    group, size = (row, n * k) if stratify else (c.table, n)
    parts = c.units.parts(centred(psi, c.weight, group, size))
    return norm(parts, c.table if c.home is None else c.home, n).reshape(c.shape)


def class_error(cells: Filled, kernel: Kernel, views: Views) -> Floats:
    """Standard errors of one value a class, (…, k): only its row and column move a class."""
    slope = elementwise(kernel.function, views.of(kernel))
    if kernel.target is not None:
        return _calibrated_class_error(cells, kernel, *slope[:2])
    c, size, shape = cells, cells.tables * cells.k, (*cells.shape, cells.k)
    hit, inside = c.true == c.pred, c.pred < c.k
    if c.cluster is not None:
        row, column = c.table * c.k + c.true, c.table * c.k + c.pred
        flat = [np.broadcast_to(x, shape).reshape(-1) for x in slope]
        parts = c.units.sparse_parts(*class_influence(flat, row, column, inside), size)
        return norm(*parts, size).reshape(shape)

    def summed(where: Floats, code: Codes) -> Floats:
        place = (c.table * c.k + code)[where]
        return np.asarray(np.bincount(place, c.square[where], minlength=size).reshape(shape))

    correct, bias, prevalence = slope
    both = summed(hit, c.true)
    rows, columns = summed(~hit, c.true), summed(inside & ~hit, c.pred)
    variance = ((correct + bias + prevalence) * np.sqrt(both)) ** 2
    variance += (prevalence * np.sqrt(rows)) ** 2 + (bias * np.sqrt(columns)) ** 2
    return np.asarray(np.sqrt(variance))


def _calibrated_class_error(cells: Filled, kernel: Kernel, correct: Floats, bias: Floats) -> Floats:
    """The same at a stated class mix, where every true row is a multinomial of its own.

    Var_j = Σ_i (π_i/n_i)²·u_ij²·(s_ij·(1 − 2R_ij) + S_i·R_ij²), with s the squared weights, S their
    sum over the row, and u_ij = ∂/∂bias_j + [i = j]·∂/∂correct_j.
    """
    c, shape = cells, (*cells.shape, cells.k)
    inside = c.pred < c.k
    row, column = c.table * c.k + c.true, (c.table * c.k + c.pred)[inside]
    size = prod(shape)
    rate = c.weight / np.bincount(row, c.weight, minlength=size)[row]
    whole = np.bincount(row, c.square, minlength=size)[row]
    scale = np.broadcast_to(factors(c.prevalence, kernel.target), shape).reshape(-1)[row]
    moved = (scale * (c.square * (1 - 2 * rate) + whole * rate**2) * scale)[inside]
    slope = bias.reshape(-1)[column]
    slope = slope + np.where((c.true == c.pred)[inside], correct.reshape(-1)[column], 0.0)
    variance = np.bincount(column, slope**2 * moved, minlength=size)
    return np.asarray(np.sqrt(np.maximum(variance, 0))).reshape(shape)


def error_parts(rows: Rows, influence: Floats, *, stratify: bool = False) -> Floats:
    """Numbers × units from the influence of every row; inner products are their covariances."""
    psi = np.atleast_2d(influence)
    return rows.units.parts(centred(psi, rows.weight, stratum_of(rows, stratify)))


def rows_error(rows: Rows, influence: Floats, *, stratify: bool = False) -> Floats:
    """Standard errors from the influence of every row (… × rows), clusters summed first."""
    return norm(error_parts(rows, influence, stratify=stratify))


def rows_class_error(rows: Rows, kernel: Kernel, s: int) -> Floats:
    """Standard errors of one value a class of system ``s``, from the rows."""
    c = rows.views([kernel]).of(kernel)
    found = elementwise(kernel.function, c.at(s).over(None))
    k = rows.design.k
    return norm(*rows.units.sparse_parts(*rows.design.class_influence(found, s), k), k)
