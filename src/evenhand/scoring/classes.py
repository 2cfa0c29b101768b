"""The classes of a result: columns, and a class as an object when someone looks at it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, overload

from evenhand.catalogue.lists import ONE_CLASS
from evenhand.notes.interval import Interval
from evenhand.results.result import Entry
from evenhand.tables.labels import Label, Labels

MARGINS = ("correct", "bias", "prevalence")
PER_CLASS = tuple(m.name for m in ONE_CLASS)

Column: TypeAlias = list[Any]
Four: TypeAlias = tuple[Column, Column, Column, Column]
"""The columns se, low, high and method."""


@dataclass(frozen=True, eq=False)
class ClassScore(Entry):
    """One class: its margins, its precision, recall and F1, and how sure these are.

    >>> import evenhand as eh
    >>> scores = eh.score([[6, 1, 1], [1, 5, 2], [2, 3, 7]], metrics="macro_f1")
    >>> first = scores.classes[0]
    >>> first.label, first.correct, first.recall
    (0, 6, 0.75)
    """

    label: Label
    correct: float
    bias: float
    prevalence: float
    precision: float
    recall: float
    f1: float
    intervals: dict[str, Interval] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON; ``intervals`` only where there are any."""
        content = dict(vars(self))
        del content["intervals"]
        if self.intervals:
            content["intervals"] = sure = {n: one.measured() for n, one in self.intervals.items()}
            for one in sure.values():
                del one["value"]
        return content


@dataclass(frozen=True, eq=False, repr=False)
class ClassScores(Sequence[ClassScore]):
    """All classes in order, kept as columns: a hundred thousand objects take seconds to make.

    ``values`` has the margins and PER_CLASS by name, ``intervals`` se, low, high and method
    for each of PER_CLASS, or nothing.
    """

    labels: Labels
    values: dict[str, Column]
    intervals: dict[str, Four]
    level: float | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[ClassScore]:
        rows = zip(self.labels, *self.values.values(), strict=True)
        if not self.intervals:
            yield from (ClassScore(*row) for row in rows)
            return
        sure = zip(*(self._intervals(name) for name in self.intervals), strict=True)
        for row, found in zip(rows, sure, strict=True):
            yield ClassScore(*(*row, dict(zip(self.intervals, found, strict=True))))

    def _intervals(self, name: str) -> Iterator[Interval]:
        for value, se, low, high, method in zip(
            self.values[name], *self.intervals[name], strict=True
        ):
            yield Interval(value, se, low, high, self.level, method)

    @overload
    def __getitem__(self, index: int) -> ClassScore: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ClassScore, ...]: ...
    def __getitem__(self, index: int | slice) -> ClassScore | tuple[ClassScore, ...]:
        if not isinstance(index, slice):
            j = range(len(self))[index]
            return self[j : j + 1][0]
        values = {name: column[index] for name, column in self.values.items()}
        sure = {name: at(four, index) for name, four in self.intervals.items()}
        return tuple(ClassScores(self.labels[index], values, sure, self.level))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __repr__(self) -> str:
        return repr(tuple(self))

    def bounds(self, name: str) -> Iterator[tuple[Any, Any, Any, Any]]:
        """se, low, high and method of one value, class by class; ``None`` where not known."""
        nothing: Column = [None] * len(self)
        return zip(*self.intervals.get(name, (nothing,) * 4), strict=True)


def at(four: Four, index: int | slice) -> Four:
    """The columns of one table, or of some classes."""
    se, low, high, method = (column[index] for column in four)
    return se, low, high, method
