"""Facts: what one row of a table says, as exact ranges, under stated assumptions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evenhand.auditing.ranges import Range

UNTOLD = 10**12
"""Runs of which nobody says how many: so many that whole numbers of items tell nothing."""


@dataclass(frozen=True)
class Assumptions:
    """What an audit takes for granted; every finding holds only under these.

    ``runs``: scores are means of so many runs on the same items. ``abstentions``: predictions
    may lie outside the classes. ``complete``: the classes listed are all there are.
    ``several``: items may have several labels, or none.
    """

    runs: int = 1
    abstentions: bool = False
    complete: bool = True
    several: bool = False

    @property
    def times(self) -> str:
        """How many runs a row is the mean of."""
        return "some runs" if self.runs == UNTOLD else f"{self.runs} runs"

    def gives_none(self, items: int, of: str = "") -> str:
        """Why a share is impossible: no number of items, a whole one in all runs together, has it.

        >>> Assumptions(runs=2).gives_none(54)
        'no whole number of 54 items in 2 runs gives it'
        """
        runs = f" in {self.times}" if self.runs > 1 else ""
        return f"no whole number of {items:,} items{of}{runs} gives it"

    @property
    def _outside(self) -> str:
        if self.abstentions:
            return "predictions may be outside the classes"
        return "no prediction is outside the classes"

    @property
    def words(self) -> tuple[str, ...]:
        """The assumptions, as they are printed with the findings."""
        row = "one table: one test set" if self.runs == 1 else f"the mean of {self.times}"
        labels = "one label an item, one prediction an item"
        if self.runs > 1:
            row, labels = f"{row} on one test set", "one label an item"
        if self.several:
            labels = "items may have several labels and predictions, or none"
        return (
            f"each row is {row}, {labels}",
            *(() if self.several else (self._outside,)),
            "the classes listed are all there are, and averages run over all of them"
            if self.complete
            else "there may be more classes than those listed",
            "each value is rounded as it is written",
        )


@dataclass(frozen=True, slots=True)
class ClassFacts:
    """One class: its reported scores and its size, where known."""

    label: str
    precision: Range | None = None
    recall: Range | None = None
    f1: Range | None = None
    support: int | None = None

    @property
    def known(self) -> bool:
        """Whether its F1 follows from what is reported."""
        return self.f1 is not None or (self.precision is not None and self.recall is not None)

    def may_be_empty(self, runs: int) -> bool:
        """Whether it may be true of no item, so that some averages leave it out."""
        if self.support is not None:
            return self.support == 0

        def may(r: Range | None, *values: int) -> bool:
            return r is None or any(r.holds(v) for v in values)

        if runs > 1:  # 0/0 may be worth 1 in some runs only
            return may(self.recall, 0, 1) and (may(self.precision, 0) or may(self.recall, 1))
        return may(self.recall, 0, 1) and may(self.precision, 0, 1) and may(self.f1, 0, 1)


@dataclass(frozen=True, slots=True)
class Facts:
    """One row: its classes, its metrics by canonical name, its totals.

    ``headers`` has the header of each thing reported, for findings to name.
    """

    classes: tuple[ClassFacts, ...]
    metrics: Mapping[str, Range]
    n: int | None
    correct: Range | None
    assumptions: Assumptions
    headers: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Whether the classes listed can be taken for all there are."""
        return self.assumptions.complete and len(self.classes) > 1

    @property
    def supports(self) -> tuple[int, ...] | None:
        """The size of every class, if all are known."""
        sizes = tuple(c.support for c in self.classes if c.support is not None)
        return sizes if self.whole and len(sizes) == len(self.classes) else None

    def header(self, kind: str, of: str = "") -> str:
        """The header under which something was reported, or the name it would have had."""
        fallback = f"{kind}[{of}]" if kind != "metric" and of else of or kind
        return self.headers.get((kind, of), fallback)


@dataclass(frozen=True, slots=True)
class Conflict:
    """A reported number that cannot be true, the range it could have had, and why."""

    column: str
    range: Range
    reason: str
