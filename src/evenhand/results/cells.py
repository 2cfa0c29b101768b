"""Cells of tables that are more than a number: each says itself in the one style of numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from evenhand.notes.interval import Interval
from evenhand.results.text import ends, number, p_value, percent, span

Look: TypeAlias = Literal["plain", "bold", "underlined", "small", "marked"]
"""How a part of a cell looks."""
Looks: TypeAlias = Mapping[Look, str]
"""A format's way of each, around ``{}``; what it has none for is plain."""

Beside: TypeAlias = Literal["pm", "ends", "small", "none"]
"""How an interval stands beside its number: ±, [low, high], the same small, or not."""


class Own(str):
    """A name that a user has written for the format at hand, and no label: it is not escaped."""

    __slots__ = ()


class MetricName(str):
    """The spelling of a metric, or of several that are one number, for which papers have words.

    >>> MetricName("accuracy = micro_f1").spelled
    ('accuracy', 'micro_f1')
    """

    @property
    def spelled(self) -> tuple[str, ...]:
        """The spellings, in none of which the sign between them stands."""
        return tuple(self.split(" = "))


class Shown(ABC):
    """What a cell holds where a number alone would say too little; ``sort`` orders such cells."""

    right: ClassVar[bool] = False

    @abstractmethod
    def text(self, digits: int) -> str:
        """The cell in words."""

    def parts(self, digits: int) -> Iterable[tuple[str, Look]]:
        """The same, part by part, with how each looks."""
        yield self.text(digits), "plain"

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
class Placed(Shown):
    """A score among those of its column: ``0.8123 ± 0.0223``.

    The best stands in bold, the second underlined; a dagger is at those that are not told apart
    from the best.
    """

    of: Interval
    beside: Beside = "pm"
    place: int | None = None
    tied: bool = False

    def text(self, digits: int) -> str:
        return "".join(text for text, _ in self.parts(digits))

    def parts(self, digits: int) -> Iterable[tuple[str, Look]]:
        looks: dict[int | None, Look] = {1: "bold", 2: "underlined"}
        yield number(self.of.value, digits), looks.get(self.place, "plain")
        yield "†" * self.tied, "plain"
        low, high = self.of.low, self.of.high
        if low is None or high is None or self.beside == "none":
            return
        if self.beside == "pm":
            yield f" ± {number((high - low) / 2, digits)}", "plain"
        else:
            yield " ", "plain"
            yield ends(low, high, digits), "small" if self.beside == "small" else "plain"


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
