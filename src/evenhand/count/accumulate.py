"""Accumulator: a table that grows batch by batch."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.count.arrays import count_labels
from evenhand.errors import InputError
from evenhand.tables.cells import fitting
from evenhand.tables.confusion import Confusion
from evenhand.tables.labels import Label, Labels, checked, in_order
from evenhand.tables.merge import shared_kind
from evenhand.tables.sparse import coalesce


class Accumulator:
    """Counts labels as they come, in a training or serving loop.

    Updates may come from several threads; accumulators merge with ``+`` and can be pickled,
    so that processes can count apart and send what they have.

    >>> counter = Accumulator()
    >>> counter.update(["a", "b"], ["a", "a"])
    >>> counter.update(["b"], ["b"])
    >>> counter.table.correct
    array([1, 1])
    """

    def __init__(self, labels: Iterable[Any] | None = None) -> None:
        self.labels = None if labels is None else in_order(labels, "labels")
        self._known: dict[Label, type] | None = None
        self._kind: str | None = None
        self._parts: list[Confusion] = []  # each larger than all after it
        self._lock = threading.Lock()

    def update(self, y_true: Any, y_pred: Any, *, weights: Any = None) -> None:
        """Add one batch; an empty one changes nothing."""
        y_true, y_pred = (y if hasattr(y, "__len__") else list(y) for y in (y_true, y_pred))
        if not len(y_true) and not len(y_pred):
            return
        self._add(self._counted(y_true, y_pred, weights))

    def _counted(self, y_true: Any, y_pred: Any, weights: Any) -> Confusion:
        """A batch on its own labels, which are few, unless some are not among those given."""
        if self.labels is not None and self._known is None:
            self._known = {v: type(v) for v in checked(self.labels)}
        with suppress(InputError):  # said again below, of all labels
            part = count_labels(y_true, y_pred, weights=weights)
            if self._known is None or all(self._known.get(v) is type(v) for v in part.labels):
                return part
        return count_labels(y_true, y_pred, labels=self.labels, weights=weights)

    def _add(self, table: Confusion) -> None:
        """Keep a part; what is not larger than it is added to it, so that no cell moves often."""
        with self._lock:
            self._kind = shared_kind(self._kind, table)
            if self._known is not None and not self._parts:
                self._parts.append(_empty(tuple(self._known)))
            self._parts.append(table)
            while len(self._parts) > 1 and _size(self._parts[-2]) <= 2 * _size(self._parts[-1]):
                self._merge()

    def _merge(self) -> None:
        last = self._parts.pop()
        both = self._parts[-1] + last
        self._parts[-1] = replace(both, data=fitting(both.data))

    @property
    def table(self) -> Confusion:
        """The table of everything counted so far."""
        with self._lock:
            if not self._parts:
                raise InputError("nothing has been counted yet")
            while len(self._parts) > 1:
                self._merge()
            return self._parts[0]

    def reset(self) -> None:
        """Forget everything counted so far."""
        with self._lock:
            self._parts, self._kind = [], None

    def __add__(self, other: object) -> Accumulator:
        if not isinstance(other, Accumulator):
            return NotImplemented
        both = Accumulator(self._labels_with(other))
        for one in (self, other):
            if one._parts:
                both._add(one.table)
        return both

    def _labels_with(self, other: Accumulator) -> list[Any] | None:
        """The labels that both together admit: all of either, or any at all."""
        if self.labels is None or other.labels is None:
            return None
        return list(dict.fromkeys([*self.labels, *other.labels]))

    def __repr__(self) -> str:
        n = self.table.n if self._parts else 0
        return f"Accumulator({n:,} {'item' if n == 1 else 'items'})"

    def __getstate__(self) -> dict[str, Any]:
        return {"labels": self.labels, "table": self.table if self._parts else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["labels"])  # type: ignore[misc]
        if state["table"] is not None:
            self._add(state["table"])


def _empty(labels: Labels) -> Confusion:
    nothing = np.zeros(0, np.int64)
    return Confusion.of(labels, coalesce(*(nothing,) * 4, None, k=len(labels)))


def _size(table: Confusion) -> int:
    """How many numbers a table keeps, which is what adding to it costs."""
    return table.data.weight.size + table.k
