"""Contingency tables: cells with their margins, coincidences, distances between classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import (
    Array,
    convert_like,
    floating,
    leave_one_out_sum,
    namespace,
    stop_gradient,
)
from evenhand.core.autodiff import Traced
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


@dataclass(frozen=True, eq=False)
class Contingency:
    """Cells of one table, or of a stack of them along leading axes; cells on the last axis.

    ``amount`` is the number of items in a cell, ``true`` and ``pred`` are the codes of its classes
    (k: no class at all, which is never true). Margins have an entry a label; :meth:`at_label` takes
    them to the cells. Where cells are sparse, ``table`` is the table of each in a stack of this
    ``shape``.

    >>> c = Contingency.from_cells(np.array([[15, 10], [5, 10]]))
    >>> float(c.sum(c.amount * c.hit)), c.true_prevalence[:2].tolist()
    (25.0, [25.0, 25.0])
    """

    amount: Array
    true: Array
    pred: Array
    k: int
    undefined: float = 0.0
    table: Array | None = None
    shape: tuple[int, ...] = ()

    @classmethod
    def from_cells(cls, cells: Array, outside: Array | None = None) -> Contingency:
        """All cells of tables with rows = true, columns = predicted on the last two axes."""
        xp = namespace(cells)
        if outside is None:
            outside = xp.zeros_like(cells[..., 0])
        wide = xp.concat([floating(cells), floating(outside[..., None])], axis=-1)
        k = int(cells.shape[-1])
        true, pred = (convert_like(x.reshape(-1), wide) for x in np.indices((k, k + 1)))
        return cls(xp.reshape(wide, (*wide.shape[:-2], k * (k + 1))), true, pred, k)

    def _by_label(self, x: Array, side: Side) -> Array:
        """``x`` added up over the cells with each label on one side, no class at all the last."""
        if self.table is not None:
            return by_group(x, self._place(side), prod(self.shape) * (self.k + 1))
        xp = namespace(x)
        cells = xp.reshape(x, (*x.shape[:-1], self.k, self.k + 1))
        if side == "pred":
            return xp.sum(cells, axis=-2)
        sums = xp.sum(cells, axis=-1)
        return xp.concat([sums, xp.zeros_like(sums[..., :1])], axis=-1)

    def at_label(self, x: Array, side: Side) -> Array:
        """A value per label as one per cell, by its label on one side."""
        if self.table is not None:
            return x[self._place(side)]
        xp = namespace(x)
        wide = x[..., :-1, None] if side == "true" else x[..., None, :]
        shape = (*x.shape[:-1], self.k, self.k + 1)
        return xp.reshape(xp.broadcast_to(wide, shape), (*x.shape[:-1], self.k * (self.k + 1)))

    def _place(self, side: Side) -> Array:
        """The place of each sparse cell among all labels of all tables."""
        return np.asarray(self.table) * (self.k + 1) + getattr(self, side)

    @cached_property
    def prevalence(self) -> Array:
        """How often each label is true, no class at all (never) the last."""
        return self._by_label(self.amount, "true")

    @cached_property
    def bias(self) -> Array:
        """How often each label is predicted, no class at all the last."""
        return self._by_label(self.amount, "pred")

    @property
    def correct(self) -> Array:
        """How often each label is hit, no class at all (never) the last."""
        return self._by_label(namespace(self.amount).where(self.hit, self.amount, 0.0), "true")

    @cached_property
    def true_prevalence(self) -> Array:
        """How often the true class of each cell is true."""
        return self.at_label(self.prevalence, "true")

    @cached_property
    def pred_bias(self) -> Array:
        """How often the predicted class of each cell is predicted."""
        return self.at_label(self.bias, "pred")

    @cached_property
    def total(self) -> Array:
        """The number of items of each table."""
        return self.sum(self.amount)

    @cached_property
    def seen(self) -> Array:
        """The number of categories that occur in each table."""
        occurs = (self.prevalence > 0) | (self.bias > 0)
        if self.table is not None:
            return occurs.reshape(*self.shape, -1).sum(axis=-1).astype(np.float64)
        xp = namespace(self.amount)
        one = xp.ones_like(stop_gradient(self.bias))  # in the precision of the table
        return xp.sum(xp.where(occurs, one, 0.0), axis=-1)

    @property
    def hit(self) -> Array:
        """Which cells are right."""
        return self.true == self.pred

    def averaging(self, averaged: Any, undefined: float, *, ruled: bool = False) -> Contingency:
        """The cells with another value of 0/0; averaged classes do not concern them."""
        return replace(self, undefined=undefined)

    def each(self, x: Array) -> Array:
        """A value per table, shaped to broadcast against a value per cell."""
        if self.table is not None:
            return x.reshape(-1)[self.table]
        return x[..., None] if getattr(x, "ndim", 0) else x

    def share(self, x: Array) -> Array:
        """``x`` of each cell as a share of its table."""
        return ratio(x, self.each(self.total))

    def at_cells(self, x: Array) -> Array:
        """The entry of a k × (k + 1) matrix, true × predicted, for each cell."""
        like = stop_gradient(self.amount)
        x = convert_like(x, like)
        values = x.reshape(-1) if self.table is None else x[self.true, self.pred]
        return namespace(like).asarray(values, dtype=like.dtype)

    def distance(self, distance: AnyDistances) -> Array:
        """The distance between the classes of each cell."""
        return self.at_cells(distances(distance, self.k).far)

    def other_cells(self) -> tuple[Array, Array, Array]:
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
        labels = self.prevalence + self.bias
        if self.table is not None:
            labels = labels.reshape(-1, self.k + 1)
        inside = labels[..., :-1]
        ranks = xp.cumulative_sum(inside, axis=-1) - inside / 2
        ranks = xp.concat([ranks, 0 * ranks[..., :1]], axis=-1)
        if self.table is not None:
            ranks = ranks.reshape(-1)
        return self.at_label(ranks, "true"), self.at_label(ranks, "pred")

    def largest_in(self, side: Side) -> Array:
        """Which cell is the largest of those with the same label on one side; the first at ties."""
        amount = stop_gradient(self.amount)
        if self.table is not None:
            return first_largest(amount, self._place(side))
        xp = namespace(amount)
        shape = (*amount.shape[:-1], self.k, self.k + 1)
        axis = -1 if side == "true" else -2
        cells = xp.reshape(amount, shape)
        at = xp.argmax(cells, axis=axis, keepdims=True)
        place = convert_like(np.arange(shape[axis]), cells)
        place = place if axis == -1 else place[:, None]
        return xp.reshape(place + 0 * at == at + 0 * place, amount.shape)

    def most_frequent(self, side: Side) -> Array:
        """Which cells have the label that is most frequent on one side; the first at ties."""
        margin = stop_gradient(self.true_prevalence if side == "true" else self.pred_bias)
        code = getattr(self, side)
        if self.table is not None:
            first = first_largest(margin, self.table)
            chosen = np.zeros(prod(self.shape), np.int64)
            chosen[self.table[first]] = code[first]
            return code == chosen[self.table]
        xp = namespace(margin)
        chosen = xp.argmax(margin, axis=-1, keepdims=True)
        return code == xp.take(code, xp.reshape(chosen, (-1,))).reshape(chosen.shape)

    def sum(self, x: Array) -> Array:
        """Sum of ``x`` over the cells of each table."""
        if self.table is None:
            return namespace(x).sum(x, axis=-1)
        return by_group(x, self.table, prod(self.shape)).reshape(self.shape)


def first_largest(x: Array, group: Array) -> Array:
    """Which entry is the largest of its group; the first at ties."""
    order = np.lexsort((np.arange(len(x)), -x, group))
    new = np.ones(len(x), bool)
    new[1:] = group[order[1:]] != group[order[:-1]]
    is_first = np.zeros(len(x), bool)
    is_first[order[new]] = True
    return is_first


def by_group(x: Array, group: Array, size: int) -> Array:
    """Entries added up by group."""
    if isinstance(x, Traced):
        return x.apply(lambda v: by_group(v, group, size), lambda g: g[group])
    return np.bincount(group, x, minlength=size)


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


APART: dict[str, Callable[[Any], CoincidenceDistances]] = {
    "nominal": lambda values: _fixed(1.0 - np.eye(len(values))),
    "ordinal": lambda values: _ranks,
    "interval": lambda values: _fixed(np.subtract.outer(values, values) ** 2.0),
    "ratio": lambda values: _fixed(
        ratio(np.subtract.outer(values, values), np.abs(np.add.outer(values, values))) ** 2
    ),
}
"""Distances by the kind of label: names, places in an order, numbers, numbers from 0 on."""
