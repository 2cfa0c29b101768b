"""Accumulator: a table that grows batch by batch."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

from evenhand.count.arrays import count_labels
from evenhand.errors import InputError
from evenhand.labels import in_order
from evenhand.table import Confusion


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
        self._table: Confusion | None = None
        self._lock = threading.Lock()

    def update(self, y_true: Any, y_pred: Any, *, weights: Any = None) -> None:
        """Add one batch; an empty one changes nothing."""
        y_true, y_pred = (y if hasattr(y, "__len__") else list(y) for y in (y_true, y_pred))
        if not len(y_true) and not len(y_pred):
            return
        self._add(count_labels(y_true, y_pred, labels=self.labels, weights=weights))

    def _add(self, table: Confusion) -> None:
        with self._lock:
            self._table = table if self._table is None else self._table + table

    @property
    def table(self) -> Confusion:
        """The table of everything counted so far."""
        if self._table is None:
            raise InputError("nothing has been counted yet")
        return self._table

    def reset(self) -> None:
        """Forget everything counted so far."""
        with self._lock:
            self._table = None

    def __add__(self, other: object) -> Accumulator:
        if not isinstance(other, Accumulator):
            return NotImplemented
        both = Accumulator(self._labels_with(other))
        for part in (self._table, other._table):
            if part is not None:
                both._add(part)
        return both

    def _labels_with(self, other: Accumulator) -> list[Any] | None:
        """The labels that both together admit: all of either, or any at all."""
        if self.labels is None or other.labels is None:
            return None
        return list(dict.fromkeys([*self.labels, *other.labels]))

    def __getstate__(self) -> dict[str, Any]:
        return {"labels": self.labels, "table": self._table}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["labels"])  # type: ignore[misc]
        self._table = state["table"]
