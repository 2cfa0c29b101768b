"""Playing: what the page shows of a table that somebody is changing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.catalogue.lists import default_metrics, lookup, shown_in
from evenhand.catalogue.spelling import Spec
from evenhand.catalogue.titles import described
from evenhand.errors import EvenhandError
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

Values = dict[str, float]


@dataclass(frozen=True, eq=False, repr=False)
class Played(Result):
    """A table's scores as observed, calibrated, at a mix, with more items, at the start of the
    play, and beside another's.

    ``prefers`` says of each metric which of two tables it prefers, ``metrics`` what it is.
    """

    scores: Scores
    more: Scores
    calibrated: Values | None
    current: Values | None
    other: Values | None
    start: Values | None
    cautions: tuple[Note, ...] = ()

    def facts(self) -> dict[str, Any]:
        """What the page asks for."""
        return {
            "score": self.scores.to_dict(),
            "tenfold": {m: {"low": s.low, "high": s.high} for m, s in self.more.items()},
            "pair": self.pair,
            "calibrated": self.calibrated,
            "current": self.current,
            "other": self.other,
            "prefers": None if self.other is None else self.prefers(self.other),
            "start": self.start,
            "metrics": {name: _told(name) for name in self.scores},
        }

    @property
    def pair(self) -> dict[str, Any] | None:
        """The two classes that make most of the gap between the macro F1s, and their share."""
        for a, b, share in self.scores.twins.pairs[:1]:
            return {"classes": [a, b], "share": share}
        return None

    def prefers(self, other: Values) -> dict[str, str]:
        """Each metric's choice among the two tables: ``first``, ``second`` or ``neither``."""
        found = {}
        for name, one in self.scores.items():
            better = lookup(name).better
            gain = one.value - other[name]
            gain = -gain if better == "lower" else gain
            told = better != "neither" and abs(gain) > SAME
            found[name] = ("first" if gain > 0 else "second") if told else "neither"
        return found

    def content(self) -> Content:
        """What the scores say."""
        return self.scores.content()


def play(
    table: Confusion,
    other: Confusion | None = None,
    mix: Any = None,
    *,
    start: Confusion | None = None,
    metrics: Sequence[str] | None = None,
    **how: Any,
) -> Played:
    """Everything about a table that changes with each of its cells.

    ``metrics`` are shown before those that are scored where none is named.
    """
    usual = [str(spec) for spec in default_metrics()]
    names = list(dict.fromkeys([*(str(Spec.parse(m)) for m in metrics or ()), *usual]))
    grown = Confusion.from_matrix(table.cells * MORE, labels=table.labels)
    mixed = bool((table.prevalence > 0).all())  # a class that is never true has no recall
    return Played(
        score(table, metrics=names, **how),
        score(grown, metrics=names, **how),
        _at(table, "uniform", names, usual, how) if mixed else None,
        _at(table, mix, names, usual, how) if mixed and mix is not None else None,
        None if other is None else _values(other, names, how),
        None if start is None else _values(start, usual, how),
    )


def _values(table: Confusion, names: Iterable[str], how: dict[str, Any]) -> Values:
    found = score(table, metrics=list(names), interval=None, **how)
    return {name: s.value for name, s in found.items()}


def _at(
    table: Confusion, mix: Any, names: Sequence[str], usual: Sequence[str], how: dict[str, Any]
) -> Values:
    try:
        found = extrapolate(table, to=mix, interval=None, metrics=list(names), **how)
    except EvenhandError:
        if names == usual:
            raise
        return _at(table, mix, usual, usual, how)  # one that depends on more than the class mix
    return {name: moved.value for name, moved in found.items()}


def _told(name: str) -> dict[str, Any]:
    """What a reader is told of a metric beside its number."""
    record = lookup(name)
    title, says = described(name)
    bounded = record.bounded
    return {
        "title": title,
        "says": says,
        "low": record.low if bounded else None,
        "high": record.high if bounded else None,
        "better": record.better,
        "headline": record.name in shown_in("score"),
    }
