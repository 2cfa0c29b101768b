"""The derivative of a metric of cells in every cell, by complex steps as in :mod:`gradient`.

A kernel is an elementwise integrand for each cell and a few sums over cells. One step on all
amounts, and one on each kind of margin that cells see, gives the slope of every integrand; one
step on each sum gives how the metric answers to it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import Array
from evenhand.core.crossed import MARGINS, Crossed, by_group
from evenhand.core.tape import STEP

STEPPED = ("amount", *MARGINS)
RANKS = len(STEPPED), len(STEPPED) + 1
STEPS = len(STEPPED) + 2
"""What is stepped: amounts and margins of cells, then the ranks of true and predicted class."""
SUMS = 12
"""Sums over cells that are stepped at first; more make a second run."""


@dataclass(frozen=True, eq=False)
class CellGradient:
    """A metric's value and its derivatives in every cell, for one table or a stack.

    ``cells`` has tables × k × (k + 1), or one entry for each cell that ``keys`` names.
    """

    value: Array
    total: Array
    cells: Array
    keys: Array | None = None
    k: int = 0

    def at(self, table: Array, true: Array, pred: Array) -> NDArray[np.float64]:
        """Derivative in single cells: table of the stack, true and predicted code (k: outside)."""
        key = (table * self.k + true) * (self.k + 1) + pred
        if self.keys is not None:
            key = np.searchsorted(self.keys, key)
        found = self.cells.reshape(-1)[key]
        return np.asarray(found + np.asarray(self.total).reshape(-1)[table])

    def dense(self) -> NDArray[np.float64]:
        """Derivatives in all cells, shape (…, k, k + 1) with the outside column last."""
        shape = (*np.shape(self.total), self.k, self.k + 1)
        return np.asarray(self.cells.reshape(shape) + np.asarray(self.total)[..., None, None])


@dataclass(frozen=True, eq=False)
class _Stepped(Crossed):
    """Cells whose first axis holds the steps, and whose sums are taken down."""

    taken: list[tuple[Array, Array]] = field(default_factory=list)
    step: Array = 0.0
    plain: Crossed | None = None

    def around(self) -> tuple[Array, Array, Array]:
        """As they are, with the steps of the margins that they are differences of."""
        assert self.plain is not None
        row, column = self.true_prevalence - self.amount, self.pred_bias - self.amount
        steps = row, column, self.each(self.total) - self.true_prevalence - column
        first, second, third = (
            x + 1j * np.imag(s) for x, s in zip(self.plain.around(), steps, strict=True)
        )
        return first, second, third

    def ranks(self) -> tuple[Array, Array]:
        """Ranks move with margins; that is followed once the slopes in them are known."""
        assert self.plain is not None
        found = []
        for row, x in zip(RANKS, self.plain.ranks(), strict=True):
            steps = np.array(np.broadcast_to(x, np.shape(self.amount)), np.complex128)
            steps[row] += 1j * self.step
            found.append(steps)
        return found[0], found[1]

    def sum(self, x: Array) -> Array:
        found = np.array(super().sum(x))
        if found.dtype.kind != "c":
            return found
        n, row = STEPS, STEPS + 1 + len(self.taken)
        found[:n] = found[:n].real  # steps made for every cell at once end here
        size = np.abs(found[0].real)
        step = STEP * np.where((size > 0) & np.isfinite(size), size, 1.0)
        if row < len(found):
            found[row] += 1j * step
        self.taken.append((step, np.imag(x[:n])))
        return found


def cell_gradient(
    function: Callable[[Crossed], Array], c: Crossed, sums: int = SUMS
) -> CellGradient:
    """Value and derivatives of ``function``, a metric of cells, thought to have so many sums.

    >>> from evenhand.core.metrics.information import mutual_information
    >>> c = Crossed.from_cells(np.array([[4, 1], [2, 3]]))
    >>> cell_gradient(mutual_information, c).dense()[0].round(4)
    array([ 0.0291, -0.1125, -0.0125])
    """
    n, shape = STEPS, np.shape(c.total)
    rows = n + 1 + sums
    least = np.where(c.amount > 0, c.amount, np.inf)
    small = least.min(axis=-1) if c.table is None else _least(least, c.table, c.seen)
    small = np.where(np.isfinite(small), small, 1.0)
    step = STEP * c.each(small)

    def stack(x: Array) -> NDArray[np.complex128]:
        return np.array(np.broadcast_to(x, (rows, *np.shape(x))), np.complex128)

    given = {name: stack(getattr(c, name)) for name in STEPPED}
    for i, name in enumerate(STEPPED):
        given[name][i] += 1j * step
    total = stack(c.total)
    total[n] += 1j * STEP * small
    held = {**vars(c), **given, "total": total, "step": step, "plain": c}
    run = _Stepped(**held)
    with np.errstate(all="ignore"):
        out = np.broadcast_to(np.asarray(function(run), np.complex128), (rows, *shape))
        if len(run.taken) > sums:
            return cell_gradient(function, c, len(run.taken))
        slopes = [np.zeros(np.shape(c.amount)) for _ in range(n)]
        for row, (size, pulled) in enumerate(run.taken, n + 1):
            answer = c.each(np.asarray(out[row].imag / size))
            for i in range(n):
                slopes[i] += np.where(pulled[i] == 0, 0.0, answer * pulled[i] / step)
        whole = out[n].imag / (STEP * small)
    return _gathered(c, np.asarray(out[0].real), whole, slopes)


def _least(x: Array, table: Array, like: Array) -> Array:
    found = np.full(like.size, np.inf)
    np.minimum.at(found, table, x)
    return found.reshape(like.shape)


def _gathered(c: Crossed, value: Array, whole: Array, slopes: list[Array]) -> CellGradient:
    """A cell's own slope, and those of its row and column in all cells that see them."""
    amount, *seen, true_rank, pred_rank = slopes
    home, tables = (0, 1) if c.table is None else (c.table * (c.k + 1), c.seen.size)
    own, other, size = home + c.true, home + c.pred, tables * (c.k + 1)
    rows, columns, hits = (
        by_group(seen[i], own, size) + by_group(seen[i + 1], other, size) for i in (0, 2, 4)
    )
    ranked = by_group(true_rank, own, size) + by_group(pred_rank, other, size)
    if ranked.any():
        parts = ranked.reshape(*ranked.shape[:-1], tables, c.k + 1)
        above = np.flip(np.cumsum(np.flip(parts, axis=-1), axis=-1), axis=-1) - parts / 2
        rows, columns = (x + above.reshape(x.shape) for x in (rows, columns))
    cells = amount + rows[..., own] + columns[..., other] + np.where(c.hit, hits[..., own], 0.0)
    keys = None if c.table is None else (c.table * c.k + c.true) * (c.k + 1) + c.pred
    return CellGradient(value, whole, cells, keys, c.k)
