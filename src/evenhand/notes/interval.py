"""Interval: a number and how sure it is; Intervals: many of them as columns."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.notes.method import Method
from evenhand.notes.record import Record

Floats: TypeAlias = NDArray[Any]
Missing: TypeAlias = Literal["no width", "unknown variance", "no gradient", "no proportion"]
"""Why a number stands without an interval, where one was asked for."""

MEASURED = ("value", "se", "low", "high", "method")


@dataclass(frozen=True, eq=False)
class Interval(Record):
    """A number and how sure it is; NaN where it has no value, ``None`` where unknown.

    ``note`` says why there is no interval, where one was asked for. ``float()`` of it is its
    value.

    >>> import evenhand as eh
    >>> found = eh.shift.extrapolate([[80, 20], [10, 90]], to="0=0.1,1=0.9", metrics="accuracy")
    >>> found["accuracy"].value, found["accuracy"].low < found["accuracy"].high
    (0.89, True)
    """

    told: ClassVar[tuple[str, ...]] = MEASURED

    value: float
    se: float | None = None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    method: Method | None = None
    note: Missing | None = None

    def __float__(self) -> float:
        return self.value

    def measured(self) -> dict[str, Any]:
        """Value, error, ends and method, as in JSON."""
        held = vars(self)
        return {name: held[name] for name in MEASURED}


@dataclass(frozen=True, eq=False)
class Intervals:
    """Numbers and their intervals as columns, NaN where there is none; axes are the caller's.

    One entry a table, system or class, or one a table and class. ``method`` holds a
    :class:`Method` or ``None``; ``note`` is why none has an interval.
    """

    value: Floats
    se: Floats
    low: Floats
    high: Floats
    method: Floats
    level: float | None = None
    note: Missing | None = None

    @classmethod
    def bare(cls, value: Floats, note: Missing | None = None, **more: Any) -> Self:
        """Numbers alone."""
        nothing = np.full(np.shape(value), np.nan)
        return cls(value, nothing, nothing, nothing, by(None, value), note=note, **more)

    @property
    def known(self) -> NDArray[np.bool_]:
        """Where there is an interval."""
        return np.asarray(~np.isnan(self.low))

    @property
    def empty(self) -> NDArray[np.bool_]:
        """Where a value is known but no interval could be had."""
        return np.asarray(~np.isnan(self.value) & np.isnan(self.low))

    def columns(self) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
        """se, low, high and method as lists, ``None`` where not known; an error of 0 is not."""
        none = ~self.known
        unsure = none | np.isnan(self.se) | (self.se == 0)
        return (
            _listed(self.se, unsure),
            _listed(self.low, none),
            _listed(self.high, none | np.isnan(self.high)),
            _listed(self.method, none),
        )

    def __iter__(self) -> Iterator[Interval]:
        """Each number with its interval, in the order of the entries."""
        flat = (np.ravel(x) for x in (self.value, self.se, self.low, self.high, self.method))
        for value, se, low, high, method in zip(*(x.tolist() for x in flat), strict=True):
            yield self._one(value, se, low, high, method)

    def at(self, i: int) -> Interval:
        """One number with its interval."""
        columns = (self.value, self.se, self.low, self.high, self.method)
        return self._one(*(x.item(i) for x in columns))

    def _one(self, value: float, se: float, low: float, high: float, method: Any) -> Interval:
        if math.isnan(low):
            note = None if math.isnan(value) else self.note or ("no width" if self.level else None)
            return Interval(value, level=self.level, note=note)
        error = None if math.isnan(se) or se == 0 else se
        return Interval(value, error, low, known(high), self.level, method)


def by(method: Method | None, like: Floats) -> Floats:
    """The same method everywhere, as many times as there are numbers; ``np.full`` would forget it.

    >>> by(Method("delta", "cut"), np.zeros(2))[1].scale
    'cut'
    """
    found = np.empty(np.shape(like), object)
    found.fill(method)
    return found


def known(x: Any) -> float | None:
    """A number, unless it is NaN."""
    return None if math.isnan(x) else float(x)


def _listed(x: Floats, unknown: Floats) -> list[Any]:
    found = x.astype(object)
    found[unknown] = None
    return list(found.tolist())
