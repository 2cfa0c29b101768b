"""Tally: distinct pairs of labels with their weights, as every counter returns them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import repeat
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import taken
from evenhand.count.encode import Codes, Encoded
from evenhand.errors import InputError, Option, shown
from evenhand.tables.cells import Cells, dense_pays
from evenhand.tables.confusion import Confusion
from evenhand.tables.dense import DenseCells
from evenhand.tables.labels import Label, Labels, checked, kind_of, ordered, same_kind
from evenhand.tables.sparse import coalesce


@dataclass(frozen=True)
class Tally:
    """Rows of (table, true label, predicted label) with items, weight and squared weight.

    ``weight`` and ``square`` are ``None`` for plain items. Rows may repeat: they add up.
    ``copies`` says how often each item occurs, once for every system.
    """

    true: Encoded
    pred: Encoded
    items: NDArray[np.int64]
    weight: NDArray[Any] | None = None
    square: NDArray[Any] | None = None
    table: Codes | None = None
    keys: tuple[tuple[Hashable, ...], ...] = ()
    copies: int = 1

    def confusion(
        self,
        *,
        labels: Iterable[Any] | None = None,
        drop_null_truth: bool = False,
        names: tuple[str, str] = ("y_true", "y_pred"),
    ) -> Confusion:
        """The table, or the stack of them; a null truth is an error unless dropped on request."""
        known = shared_labels([self.true, self.pred], labels, names)
        true, pred = recode(self.true, known), recode(self.pred, known)
        shape = tuple(len(k) for k in self.keys)
        table = np.zeros(len(true), np.int64) if self.table is None else self.table

        def amount(rows: Any) -> NDArray[np.int64]:
            if not shape:
                return np.asarray(self.items[rows].sum(), np.int64)
            found = np.bincount(table[rows], self.items[rows], minlength=prod(shape))
            return np.rint(found).astype(np.int64).reshape(shape)

        lost, null = true < 0, self.pred.codes < 0
        weight = self.items if self.weight is None else self.weight
        columns: list[Any] = [table, true, pred, weight, self.square]
        gone = np.count_nonzero(lost)
        beside: dict[str, Any] = {
            "n": amount(~lost if gone else slice(None)),
            "missing": amount(~lost & null) if np.count_nonzero(null) else 0,
            "dropped": amount(lost) if gone else 0,
        }
        if gone:
            items = int(self.items[lost].sum()) // self.copies
            refuse_truth(self.true, items, known, names[0], drop=drop_null_truth)
            if gone == len(lost):
                raise InputError(
                    f"{names[0]} must not be null everywhere: no item is left to count"
                )
            columns = taken(~lost, *columns)
        data = cells_of(*columns, k=len(known), shape=shape)
        return Confusion.of(known, data, keys=self.keys, **beside)


def cells_of(
    table: Codes,
    true: Codes,
    pred: Codes,
    weight: NDArray[Any],
    square: NDArray[Any] | None,
    *,
    k: int,
    shape: tuple[int, ...] = (),
) -> Cells:
    """Cells from rows of codes: predicted −1 is outside; dense while that pays."""
    outside = pred < 0
    column = np.where(outside, k, pred) if np.count_nonzero(outside) else pred
    tables = prod(shape)
    if not dense_pays(k, tables, len(weight)):
        return coalesce(table, true, column, weight, square, k=k, shape=shape)
    size = tables * k * (k + 1)
    key = ((table * k + true) if shape else true) * (k + 1) + column

    def summed(w: NDArray[Any]) -> NDArray[Any]:
        if w.dtype.kind == "f":
            found = np.bincount(key, w, minlength=size)
        else:
            found = np.zeros(size, np.int64)
            np.add.at(found, key, w)
        return found.reshape(*shape, k, k + 1)

    return DenseCells(summed(weight), None if square is None else summed(square))


def shared_labels(
    columns: list[Encoded], labels: Iterable[Any] | None, names: Iterable[str]
) -> Labels:
    """The classes of a table: as given, or all that occur, in the order of their type."""
    kind, first = None, ""
    for column, name in zip(columns, names, strict=True):
        kind = same_kind(kind, column.kind, first, name)
        first = first or name
    if labels is None:
        found: set[Label] = set()
        found.update(*(c.labels for c in columns))
        if not found:
            raise InputError(f"{first} must not be null everywhere: there is no class")
        return tuple(ordered(found))
    given = checked(labels)
    same_kind(kind_of(given, "labels"), kind, "labels", first)
    return given


def recode(column: Encoded, labels: Labels) -> Codes:
    """The column's codes in the order of ``labels``; −1 for null and for labels not listed."""
    place = {v: i for i, v in enumerate(labels)}
    to = np.array([*map(place.get, column.labels, repeat(-1)), -1], np.int64)
    return to[column.codes]


def refuse_truth(
    truth: Encoded, items: int, labels: Labels, name: str, *, drop: bool, first: str = ""
) -> None:
    """A true label must be a class; nulls may be dropped, but only when asked."""
    refuse_strange(truth.labels, labels, name)
    if not drop:
        raise NullTruthError(name, items, first)


def refuse_strange(found: Iterable[Label], labels: Labels, name: str) -> None:
    """Labels must be among those that were given."""
    known = set(labels)
    strange = [v for v in found if v not in known]
    if strange:
        raise InputError(
            f"{name} must hold only the given labels {shown(labels)}, got {shown(strange)}"
        )


class NullTruthError(InputError):
    """Items without a true label, and where the first is, if that is known."""

    def __init__(self, name: str, items: int, first: str = "") -> None:
        self.name, self.items = name, items
        where = f", the first at {first}" if first else ""
        super().__init__(
            f"{name} must not be null, got {items:,} null(s){where}; ",
            Option("drop_null_truth"),
            " leaves such items out, and counts them",
        )

    def first(self, place: str) -> NullTruthError:
        """The same error, saying where."""
        return NullTruthError(self.name, self.items, place)

    def __reduce__(self) -> Any:
        return type(self), (self.name, self.items)
