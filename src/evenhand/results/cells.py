"""Cells of tables that are more than a number: each says itself in the one style of numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from evenhand.notes.interval import Interval
from evenhand.results.text import ends, number, p_value, percent, span


class Shown(ABC):
    """What a cell holds where a number alone would say too little; ``sort`` orders such cells."""

    right: ClassVar[bool] = False

    @abstractmethod
    def text(self, digits: int) -> str:
        """The cell in words."""

    @property
    def sort(self) -> float | None:
        """The number that orders it among its like: the first that it holds."""
        first: Any = next(iter(vars(self).values()))
        found: float | None = first.value if isinstance(first, Interval) else first
        return found


@dataclass(frozen=True)
class Sure(Shown):
    """A number with its interval: ``0.8123 [0.7900, 0.8346]``, and its rank if it has one."""

    of: Interval
    rank: int | None = None

    def text(self, digits: int) -> str:
        known = [number(self.of.value, digits), ends(self.of.low, self.of.high, digits)]
        known.append("" if self.rank is None else f"({self.rank})")
        return " ".join(part for part in known if part)


@dataclass(frozen=True)
class Ends(Shown):
    """An interval alone: ``[0.7900, 0.8346]``."""

    low: float | None
    high: float | None

    def text(self, digits: int) -> str:
        return ends(self.low, self.high, digits)


@dataclass(frozen=True)
class Share(Shown):
    """A share of a whole, in percent."""

    right: ClassVar[bool] = True
    of: float

    def text(self, digits: int) -> str:
        return percent(self.of)


@dataclass(frozen=True)
class Chance(Shown):
    """A p value or a probability."""

    right: ClassVar[bool] = True
    of: float | None

    def text(self, digits: int) -> str:
        return p_value(self.of)


@dataclass(frozen=True)
class Places(Shown):
    """From a place to a place: ``1–3``."""

    low: int | None
    high: int | None

    def text(self, digits: int) -> str:
        return span(self.low, self.high)


@dataclass(frozen=True)
class Starred(Shown):
    """A number, marked with a star where it is significant."""

    right: ClassVar[bool] = True
    of: float
    star: bool

    def text(self, digits: int) -> str:
        return number(self.of, digits) + "*" * self.star


@dataclass(frozen=True)
class Moved(Shown):
    """Places up or down: ``↑ 2``, ``↓ 1``, nothing where it stays."""

    right: ClassVar[bool] = True
    of: int

    def text(self, digits: int) -> str:
        return f"{'↑' if self.of > 0 else '↓'} {abs(self.of)}" if self.of else ""


@dataclass(frozen=True)
class Exact(Shown):
    """A number with all its digits."""

    right: ClassVar[bool] = True
    of: float

    def text(self, digits: int) -> str:
        return number(self.of, None)


Cell: TypeAlias = str | int | float | Shown | None
