"""Curve: a number along an axis, and how sure it is there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evenhand.notes.interval import Intervals
from evenhand.notes.record import Record


@dataclass(frozen=True, eq=False)
class Curve(Record):
    """One metric along an axis, with intervals where there are any.

    >>> import evenhand as eh
    >>> found = eh.shift.sweep([[80, 20], [10, 90]], label=0, metrics="accuracy", at=[0.1, 0.5])
    >>> [round(v, 6) for v in found["accuracy"].value]
    [0.89, 0.85]
    """

    value: tuple[float, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]

    @classmethod
    def of(cls, found: Intervals) -> Curve:
        """The curve of numbers and their intervals in order."""
        _, low, high, _ = map(tuple, found.columns())
        return cls(tuple(found.value.tolist()), low, high)

    @classmethod
    def joined(cls, parts: Iterable[Curve]) -> Curve:
        """Parts of a curve as one."""
        columns = zip(*((c.value, c.low, c.high) for c in parts), strict=True)
        return cls(*(tuple(x for part in column for x in part) for column in columns))
