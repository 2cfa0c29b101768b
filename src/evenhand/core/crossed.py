"""Crossed: the cells of a table, each with the margins that it stands in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any, Literal

import numpy as np

from evenhand.core.arrays import Array, beside, exact, floating, namespace, others, real
from evenhand.core.distances import Apart, distances
from evenhand.core.ratio import ratio

Side = Literal["true", "pred"]
MARGINS = (
    "true_prevalence",
    "pred_prevalence",
    "true_bias",
    "pred_bias",
    "true_correct",
    "pred_correct",
)


@dataclass(frozen=True, eq=False)
class Crossed:
    """Cells of one table, or of a stack of them along leading axes; cells on the last axis.

    ``amount`` is what a cell holds; beside it stand the margins of its true class and of its
    predicted one: how often each is true (``true_prevalence``, ``pred_prevalence``), predicted
    (``true_bias``, ``pred_bias``) and hit (``true_correct``, ``pred_correct``). ``true`` and
    ``pred`` are the codes of the classes, k that of no class at all, which is never true. ``seen``
    is the number of categories that occur. Where only cells that hold something are kept,
    ``table`` says which table of the stack each is of.

    Cells are reduced only through :meth:`sum`: everything else in a metric is elementwise, which
    is what makes one gradient routine possible for all.

    >>> c = Crossed.from_cells(np.array([[15, 10], [5, 10]]))
    >>> float(c.sum(c.amount * c.hit)), c.true_prevalence[:2].tolist()
    (25.0, [25.0, 25.0])
    """

    amount: Array
    true_prevalence: Array
    pred_prevalence: Array
    true_bias: Array
    pred_bias: Array
    true_correct: Array
    pred_correct: Array
    total: Array
    seen: Array
    true: Array
    pred: Array
    k: int
    undefined: float = 0.0
    table: Array | None = None

    @classmethod
    def from_cells(cls, cells: Array, outside: Array | None = None) -> Crossed:
        """All cells of tables with rows = true, columns = predicted on the last two axes."""
        xp = namespace(cells)
        cells = exact(cells)
        if outside is None:
            outside = xp.zeros_like(cells[..., 0])
        wide = floating(xp.concat([cells, outside[..., None]], axis=-1))
        k = int(cells.shape[-1])
        prevalence, bias = xp.sum(wide, axis=-1), xp.sum(wide, axis=-2)
        nothing = xp.zeros_like(prevalence[..., :1])
        correct = xp.linalg.diagonal(wide[..., :-1])
        never, none = (xp.concat([x, nothing], axis=-1) for x in (prevalence, correct))
        true, pred = (beside(x.reshape(-1), wide) for x in np.indices((k, k + 1)))

        def flat(x: Array) -> Array:
            return xp.reshape(xp.broadcast_to(x, wide.shape), (*wide.shape[:-2], k * (k + 1)))

        there = (real(never) > 0) | (real(bias) > 0)
        return cls(
            amount=flat(wide),
            true_prevalence=flat(prevalence[..., None]),
            pred_prevalence=flat(never[..., None, :]),
            true_bias=flat(bias[..., :-1, None]),
            pred_bias=flat(bias[..., None, :]),
            true_correct=flat(correct[..., None]),
            pred_correct=flat(none[..., None, :]),
            total=xp.sum(prevalence, axis=-1),
            seen=xp.sum(xp.where(there, xp.ones_like(real(bias)), 0.0), axis=-1),
            true=true,
            pred=pred,
            k=k,
        )

    @classmethod
    def from_entries(
        cls,
        table: Array,
        true: Array,
        pred: Array,
        amount: Array,
        *,
        k: int,
        shape: tuple[int, ...],
    ) -> Crossed:
        """The cells that hold something of a stack of this shape, in order."""
        tables = prod(shape)
        amount = np.asarray(amount, np.float64)
        row, column = table * (k + 1) + true, table * (k + 1) + pred
        size = tables * (k + 1)
        prevalence = np.bincount(row, amount, minlength=size)
        bias = np.bincount(column, amount, minlength=size)
        hits = np.where(true == pred, amount, 0.0)
        correct = np.bincount(row, hits, minlength=size)
        there = ((prevalence > 0) | (bias > 0)).reshape(tables, k + 1)
        return cls(
            amount,
            prevalence[row],
            prevalence[column],
            bias[row],
            bias[column],
            correct[row],
            correct[column],
            total=np.bincount(table, amount, minlength=tables).reshape(shape),
            seen=there.sum(axis=-1).astype(np.float64).reshape(shape),
            true=true,
            pred=pred,
            k=k,
            table=table,
        )

    @property
    def hit(self) -> Array:
        """Which cells are right."""
        return self.true == self.pred

    def averaging(self, averaged: Any, undefined: float, *, ruled: bool = False) -> Crossed:
        """The same cells with another worth of 0/0; the classes averaged are nothing to them."""
        return replace(self, undefined=undefined)

    def at(self, index: Any) -> Crossed:
        """The cells of one table of a stack."""
        names = ("amount", *MARGINS, "total", "seen")
        return replace(self, **{n: getattr(self, n)[index] for n in names})

    def each(self, x: Array) -> Array:
        """A value per table, made ready to meet a value per cell."""
        if self.table is not None:
            lead = x.shape[: x.ndim - self.seen.ndim]
            return x.reshape((*lead, -1))[..., self.table]
        return x[..., None] if getattr(x, "ndim", 0) else x

    def share(self, x: Array) -> Array:
        """``x`` of each cell as a share of its table."""
        return ratio(x, self.each(self.total))

    def of_pairs(self, x: Array) -> Array:
        """What a true and a predicted class have between them, true × predicted, for each cell."""
        like = real(self.amount)
        x = beside(x, like)
        found = x.reshape(-1) if self.table is None else x[self.true, self.pred]
        return namespace(like).asarray(found, dtype=like.dtype)

    def apart(self, distance: Apart) -> Array:
        """How far apart the classes of each cell are."""
        return self.of_pairs(distances(distance, self.k).far)

    def around(self) -> tuple[Array, Array, Array]:
        """What the other cells of each cell's row hold, of its column, and all in neither.

        Where all cells are kept the others are added up; margins less cells would cancel.
        """
        if self.table is not None:
            row, column = self.true_prevalence - self.amount, self.pred_bias - self.amount
            return row, column, self.each(self.total) - self.true_prevalence - column
        xp = namespace(self.amount)
        flat = self.amount.shape
        cells = xp.reshape(self.amount, (*flat[:-1], self.k, self.k + 1))

        def in_columns(x: Array) -> Array:
            return xp.matrix_transpose(others(xp.matrix_transpose(x)))

        row = others(cells)
        column, neither = in_columns(cells), in_columns(row)
        return xp.reshape(row, flat), xp.reshape(column, flat), xp.reshape(neither, flat)

    def ranks(self) -> tuple[Array, Array]:
        """The mid-ranks of the classes of each cell among the labels of truth and predictions.

        No class at all has none: 0.
        """
        xp = namespace(self.amount)
        own, other = self.true_prevalence + self.true_bias, self.pred_prevalence + self.pred_bias
        if self.table is None:
            cells = xp.reshape(own, (*own.shape[:-1], self.k, self.k + 1))
            each = xp.concat([cells[..., 0], 0 * cells[..., :1, 0]], axis=-1)
            home = 0
        else:
            each = np.zeros((self.seen.size, self.k + 1))
            home = self.table * (self.k + 1)
            each.reshape(-1)[home + self.true] = own
            there = self.pred < self.k
            each.reshape(-1)[(home + self.pred)[there]] = other[there]
        middle = xp.cumulative_sum(each, axis=-1) - each / 2
        middle = xp.concat([middle[..., :-1], 0 * middle[..., :1]], axis=-1)
        if self.table is not None:
            middle = middle.reshape(-1)
        return middle[..., home + self.true], middle[..., home + self.pred]

    def largest_in(self, side: Side) -> Array:
        """Which cell holds most of those with the same label on one side; the first of several."""
        if self.table is not None:
            group = self.table * (self.k + 1) + getattr(self, side)
            return first_largest(self.amount, group)
        xp = namespace(self.amount)
        shape = (*self.amount.shape[:-1], self.k, self.k + 1)
        axis = -1 if side == "true" else -2
        cells = xp.reshape(real(self.amount), shape)
        at = xp.argmax(cells, axis=axis, keepdims=True)
        place = beside(np.arange(shape[axis]), cells)
        place = place if axis == -1 else place[:, None]
        return xp.reshape(place + 0 * at == at + 0 * place, self.amount.shape)

    def most_frequent(self, side: Side) -> Array:
        """Which cells have the label that is most frequent on one side; the first of several."""
        margin = self.true_prevalence if side == "true" else self.pred_bias
        code = getattr(self, side)
        if self.table is not None:
            first = first_largest(margin, self.table)
            chosen = np.zeros(self.seen.size, np.int64)
            chosen[self.table[first]] = code[first]
            return code == chosen[self.table]
        xp = namespace(margin)
        chosen = xp.argmax(real(margin), axis=-1, keepdims=True)
        return code == xp.take(code, xp.reshape(chosen, (-1,))).reshape(chosen.shape)

    def sum(self, x: Array) -> Array:
        """Sum of ``x`` over the cells of each table."""
        if self.table is None:
            return namespace(x).sum(x, axis=-1)
        return by_group(x, self.table, self.seen.size).reshape((*x.shape[:-1], *self.seen.shape))


def first_largest(x: Array, group: Array) -> Array:
    """Which entry is the largest of its group, the first if there are several."""
    x = real(x).reshape(-1, x.shape[-1])[0]  # steps leave the real part as it is
    order = np.lexsort((np.arange(len(x)), -x, group))
    new = np.ones(len(x), bool)
    new[1:] = group[order[1:]] != group[order[:-1]]
    found = np.zeros(len(x), bool)
    found[order[new]] = True
    return found


def by_group(x: Array, group: Array, size: int) -> Array:
    """Entries of the last axis added up by group."""
    flat = x.reshape(-1, x.shape[-1])
    parts = (flat.real, flat.imag) if np.iscomplexobj(flat) else (flat,)
    found = [np.stack([np.bincount(group, y, minlength=size) for y in part]) for part in parts]
    both = found[0] if len(found) == 1 else found[0] + 1j * found[1]
    return both.reshape(*x.shape[:-1], size)
