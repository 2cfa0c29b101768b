"""Contingency tables: cells with their margins, coincidences, distances between classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import (
    Array,
    beside,
    exact,
    floating,
    leave_one_out_sum,
    namespace,
    real,
    same,
)
from evenhand.core.ratio import ratio


@dataclass(frozen=True, eq=False)
class Distances:
    """Distances from each of k true classes (rows) to each predicted one (columns).

    The last of the k + 1 columns is no class at all. ``shared``, where classes form a tree, is the
    number of classes that both are or lie below.

    >>> Distances.flat(2).far
    array([[0., 1., 1.],
           [1., 0., 1.]])
    """

    far: Array
    shared: Array | None = None

    @classmethod
    def flat(cls, k: int) -> Distances:
        """All errors are 1 apart, and classes form no tree."""
        return cls(1.0 - np.eye(k, k + 1), np.eye(k, k + 1))

    @classmethod
    def ordinal(cls, k: int, power: int = 1) -> Distances:
        """Classes in order, 1 apart; no class at all is as far from each as the ends are."""
        places = np.abs(np.subtract.outer(np.arange(k), np.arange(k + 1.0)))
        places[:, k] = max(k - 1, 1)
        return cls(places**power)

    @property
    def sizes(self) -> tuple[Array, Array]:
        """How many classes a true and a predicted class are or lie below, as ``shared``."""
        own = np.diagonal(np.asarray(self.shared))
        true, pred = np.broadcast_arrays(own[:, None], np.append(own, 0.0))
        return true, pred

    def __eq__(self, other: object) -> bool:
        return same(self, other) if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.far.tobytes())


AnyDistances: TypeAlias = str | Distances
"""Distances, or the name of those that depend on the number of classes alone."""

WORDS: dict[str, Callable[[int], Distances]] = {
    "linear": Distances.ordinal,
    "quadratic": lambda k: Distances.ordinal(k, 2),
    "flat": Distances.flat,
}
"""Distances by name: classes in order, in order and squared, all the same."""


def distances(distance: AnyDistances, k: int) -> Distances:
    """The distances of k classes."""
    return WORDS[distance](k) if isinstance(distance, str) else distance


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
class Contingency:
    """Cells of one table, or of a stack of them along leading axes; cells on the last axis.

    ``amount`` is the number of items in a cell, ``true`` and ``pred`` are the codes of its classes
    (k: no class at all, which is never true). With each cell stand the margins of both classes: how
    often they are true (``true_prevalence``, ``pred_prevalence``), predicted (``true_bias``,
    ``pred_bias``) and hit (``true_correct``, ``pred_correct``). ``seen`` is the number of
    categories that occur. Where cells are sparse, ``table`` is the table of each in the stack.

    Metrics reduce cells only through :meth:`sum`, so that one routine differentiates them all.

    >>> c = Contingency.from_cells(np.array([[15, 10], [5, 10]]))
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
    def from_cells(cls, cells: Array, outside: Array | None = None) -> Contingency:
        """All cells of tables with rows = true, columns = predicted on the last two axes."""
        xp = namespace(cells)
        cells = exact(cells)
        if outside is None:
            outside = xp.zeros_like(cells[..., 0])
        wide = floating(xp.concat([cells, outside[..., None]], axis=-1))
        k = int(cells.shape[-1])
        prevalence, bias = xp.sum(wide, axis=-1), xp.sum(wide, axis=-2)
        zero = xp.zeros_like(prevalence[..., :1])
        correct = xp.linalg.diagonal(wide[..., :-1])
        pred_prevalence, pred_correct = (
            xp.concat([x, zero], axis=-1) for x in (prevalence, correct)
        )
        true, pred = (beside(x.reshape(-1), wide) for x in np.indices((k, k + 1)))

        def flat(x: Array) -> Array:
            return xp.reshape(xp.broadcast_to(x, wide.shape), (*wide.shape[:-2], k * (k + 1)))

        occurs = (real(pred_prevalence) > 0) | (real(bias) > 0)
        return cls(
            amount=flat(wide),
            true_prevalence=flat(prevalence[..., None]),
            pred_prevalence=flat(pred_prevalence[..., None, :]),
            true_bias=flat(bias[..., :-1, None]),
            pred_bias=flat(bias[..., None, :]),
            true_correct=flat(correct[..., None]),
            pred_correct=flat(pred_correct[..., None, :]),
            total=xp.sum(prevalence, axis=-1),
            seen=xp.sum(xp.where(occurs, xp.ones_like(real(bias)), 0.0), axis=-1),
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
    ) -> Contingency:
        """The nonzero cells of a stack of this shape, in order."""
        tables = prod(shape)
        amount = np.asarray(amount, np.float64)
        row, column = table * (k + 1) + true, table * (k + 1) + pred
        size = tables * (k + 1)
        prevalence = np.bincount(row, amount, minlength=size)
        bias = np.bincount(column, amount, minlength=size)
        correct = np.bincount(row, np.where(true == pred, amount, 0.0), minlength=size)
        occurs = ((prevalence > 0) | (bias > 0)).reshape(tables, k + 1)
        return cls(
            amount,
            prevalence[row],
            prevalence[column],
            bias[row],
            bias[column],
            correct[row],
            correct[column],
            total=np.bincount(table, amount, minlength=tables).reshape(shape),
            seen=occurs.sum(axis=-1).astype(np.float64).reshape(shape),
            true=true,
            pred=pred,
            k=k,
            table=table,
        )

    @property
    def hit(self) -> Array:
        """Which cells are right."""
        return self.true == self.pred

    def averaging(self, averaged: Any, undefined: float, *, ruled: bool = False) -> Contingency:
        """The same cells with another value of 0/0; averaged classes do not concern them."""
        return replace(self, undefined=undefined)

    def at(self, index: Any) -> Contingency:
        """The cells of one table of a stack."""
        names = ("amount", *MARGINS, "total", "seen")
        return replace(self, **{n: getattr(self, n)[index] for n in names})

    def each(self, x: Array) -> Array:
        """A value per table, shaped to broadcast against a value per cell."""
        if self.table is not None:
            lead = x.shape[: x.ndim - self.seen.ndim]
            return x.reshape((*lead, -1))[..., self.table]
        return x[..., None] if getattr(x, "ndim", 0) else x

    def share(self, x: Array) -> Array:
        """``x`` of each cell as a share of its table."""
        return ratio(x, self.each(self.total))

    def at_cells(self, x: Array) -> Array:
        """The entry of a k × (k + 1) matrix, true × predicted, for each cell."""
        like = real(self.amount)
        x = beside(x, like)
        values = x.reshape(-1) if self.table is None else x[self.true, self.pred]
        return namespace(like).asarray(values, dtype=like.dtype)

    def distance(self, distance: AnyDistances) -> Array:
        """The distance between the classes of each cell."""
        return self.at_cells(distances(distance, self.k).far)

    def around(self) -> tuple[Array, Array, Array]:
        """The items in the other cells of each cell's row, of its column, and in neither.

        With all cells at hand these are sums, as differences of margins and cells would cancel.
        """
        if self.table is not None:
            row, column = self.true_prevalence - self.amount, self.pred_bias - self.amount
            return row, column, self.each(self.total) - self.true_prevalence - column
        xp = namespace(self.amount)
        flat = self.amount.shape
        cells = xp.reshape(self.amount, (*flat[:-1], self.k, self.k + 1))

        def in_columns(x: Array) -> Array:
            return xp.matrix_transpose(leave_one_out_sum(xp.matrix_transpose(x)))

        row = leave_one_out_sum(cells)
        column, neither = in_columns(cells), in_columns(row)
        return xp.reshape(row, flat), xp.reshape(column, flat), xp.reshape(neither, flat)

    def ranks(self) -> tuple[Array, Array]:
        """The mid-ranks of a cell's classes among true and predicted labels; 0 of no class."""
        xp = namespace(self.amount)
        own, other = self.true_prevalence + self.true_bias, self.pred_prevalence + self.pred_bias
        if self.table is None:
            cells = xp.reshape(own, (*own.shape[:-1], self.k, self.k + 1))
            labels = xp.concat([cells[..., 0], 0 * cells[..., :1, 0]], axis=-1)
            first = 0
        else:
            labels = np.zeros((self.seen.size, self.k + 1))
            first = self.table * (self.k + 1)
            labels.reshape(-1)[first + self.true] = own
            inside = self.pred < self.k
            labels.reshape(-1)[(first + self.pred)[inside]] = other[inside]
        ranks = xp.cumulative_sum(labels, axis=-1) - labels / 2
        ranks = xp.concat([ranks[..., :-1], 0 * ranks[..., :1]], axis=-1)
        if self.table is not None:
            ranks = ranks.reshape(-1)
        return ranks[..., first + self.true], ranks[..., first + self.pred]

    def largest_in(self, side: Side) -> Array:
        """Which cell is the largest of those with the same label on one side; the first at ties."""
        if self.table is not None:
            return first_largest(self.amount, self.table * (self.k + 1) + getattr(self, side))
        xp = namespace(self.amount)
        shape = (*self.amount.shape[:-1], self.k, self.k + 1)
        axis = -1 if side == "true" else -2
        cells = xp.reshape(real(self.amount), shape)
        at = xp.argmax(cells, axis=axis, keepdims=True)
        place = beside(np.arange(shape[axis]), cells)
        place = place if axis == -1 else place[:, None]
        return xp.reshape(place + 0 * at == at + 0 * place, self.amount.shape)

    def most_frequent(self, side: Side) -> Array:
        """Which cells have the label that is most frequent on one side; the first at ties."""
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
    """Which entry is the largest of its group; the first at ties."""
    x = real(x).reshape(-1, x.shape[-1])[0]  # steps leave the real part as it is
    order = np.lexsort((np.arange(len(x)), -x, group))
    new = np.ones(len(x), bool)
    new[1:] = group[order[1:]] != group[order[:-1]]
    is_first = np.zeros(len(x), bool)
    is_first[order[new]] = True
    return is_first


def by_group(x: Array, group: Array, size: int) -> Array:
    """Entries of the last axis added up by group."""
    flat = x.reshape(-1, x.shape[-1])
    parts = (flat.real, flat.imag) if np.iscomplexobj(flat) else (flat,)
    sums = [np.stack([np.bincount(group, y, minlength=size) for y in part]) for part in parts]
    both = sums[0] if len(sums) == 1 else sums[0] + 1j * sums[1]
    return both.reshape(*x.shape[:-1], size)


# Krippendorff's alpha of any number of ratings

Floats = NDArray[np.float64]
CoincidenceDistances = Callable[[Floats], Floats]
"""Squared distances of labels, from how often each is used: (…, k) → (…, k, k)."""


def coincidences(counts: Floats) -> Floats:
    """Pairs of labels of one item (items × k × k), from how often an item has each of k labels.

    >>> coincidences(np.array([[2.0, 1.0]])).tolist()
    [[[1.0, 1.0], [1.0, 0.0]]]
    """
    pairs = counts[:, :, None] * counts[:, None, :]
    pairs -= counts[:, :, None] * np.eye(counts.shape[1])
    return np.asarray(ratio(pairs, np.maximum(counts.sum(axis=1) - 1, 0.0)[:, None, None]))


def alpha(o: Floats, apart: CoincidenceDistances) -> Floats:
    """Krippendorff's alpha of coincidences; 1 where all ratings are the same label.

    >>> float(alpha(np.array([[10.0, 4.0], [4.0, 2.0]]), APART["nominal"](np.arange(2))).round(3))
    0.095
    """
    n = o.sum(axis=-1)
    far = apart(n)
    wrong = (o * far).sum(axis=(-1, -2))
    chance = (n[..., :, None] * n[..., None, :] * far).sum(axis=(-1, -2))
    return np.where(chance == 0, 1.0, 1 - (n.sum(axis=-1) - 1) * ratio(wrong, chance))


def _ranks(n: Floats) -> Floats:
    middle = np.cumsum(n, axis=-1) - n / 2
    return np.asarray((middle[..., :, None] - middle[..., None, :]) ** 2)


def _fixed(far: Any) -> CoincidenceDistances:
    squared = np.asarray(far, np.float64)
    return lambda _: squared


def _of_ratio(values: Floats) -> CoincidenceDistances:
    sums = np.abs(np.add.outer(values, values))
    return _fixed(ratio(np.subtract.outer(values, values), sums) ** 2)


APART: dict[str, Callable[[Any], CoincidenceDistances]] = {
    "nominal": lambda values: _fixed(1.0 - np.eye(len(values))),
    "ordinal": lambda values: _ranks,
    "interval": lambda values: _fixed(np.subtract.outer(values, values) ** 2.0),
    "ratio": _of_ratio,
}
"""Distances by the kind of label: names, places in an order, numbers, numbers from 0 on."""
