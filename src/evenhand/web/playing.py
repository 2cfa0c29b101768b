"""Playing: what the page shows of a table that somebody is changing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evenhand.catalogue.lists import lookup
from evenhand.notes.note import Note
from evenhand.results.content import Content
from evenhand.results.result import Result
from evenhand.scoring.score import score
from evenhand.scoring.scores import Scores
from evenhand.shift.extrapolating import extrapolate
from evenhand.tables.confusion import Confusion

MORE = 10
"""How many times the items, for the intervals that more of them would have."""
SAME = 1e-12
"""Values that differ by less are the same."""


@dataclass(frozen=True, eq=False, repr=False)
class Played(Result):
    """A table's scores as observed, calibrated, at a mix, with more items, and beside another's.

    ``prefers`` says of each metric which of two tables it prefers.
    """

    scores: Scores
    more: Scores
    calibrated: dict[str, float] | None
    current: dict[str, float] | None
    other: Scores | None
    cautions: tuple[Note, ...] = ()

    def facts(self) -> dict[str, Any]:
        """What the page asks for."""
        return {
            "score": self.scores.to_dict(),
            "tenfold": {m: {"low": s.low, "high": s.high} for m, s in self.more.items()},
            "pair": self.pair,
            "calibrated": self.calibrated,
            "current": self.current,
            "other": None if self.other is None else {m: s.value for m, s in self.other.items()},
            "prefers": None if self.other is None else self.prefers,
        }

    @property
    def pair(self) -> dict[str, Any] | None:
        """The two classes that make most of the gap between the macro F1s, and their share."""
        for a, b, share in self.scores.twins.pairs[:1]:
            return {"classes": [a, b], "share": share}
        return None

    @property
    def prefers(self) -> dict[str, str]:
        """Each metric's choice among the two tables: ``first``, ``second`` or ``neither``."""
        found = {}
        for name, one in self.scores.items():
            better = lookup(name).better
            gain = one.value - self.other[name].value if self.other is not None else 0.0
            gain = -gain if better == "lower" else gain
            told = better != "neither" and abs(gain) > SAME
            found[name] = ("first" if gain > 0 else "second") if told else "neither"
        return found

    def content(self) -> Content:
        """What the scores say."""
        return self.scores.content()


def play(table: Confusion, other: Confusion | None = None, mix: Any = None, **how: Any) -> Played:
    """Everything about a table that changes with each of its cells."""
    grown = Confusion.from_matrix(table.cells * MORE, labels=table.labels)
    mixed = bool((table.prevalence > 0).all())  # a class that is never true has no recall
    return Played(
        score(table, **how),
        score(grown, **how),
        _at(table, "uniform", how) if mixed else None,
        _at(table, mix, how) if mixed and mix is not None else None,
        None if other is None else score(other, **how),
    )


def _at(table: Confusion, mix: Any, how: dict[str, Any]) -> dict[str, float]:
    found = extrapolate(table, to=mix, interval=None, **how)
    return {name: moved.value for name, moved in found.items()}
