"""Scores: the result of scoring, and what it says."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from evenhand.catalogue.property_words import lacking
from evenhand.errors import EvenhandWarning
from evenhand.notes.interval import Interval
from evenhand.notes.note import Note
from evenhand.results.cells import Cell
from evenhand.results.content import Content
from evenhand.results.grid import Grid
from evenhand.results.json import record
from evenhand.results.reported import Reported
from evenhand.results.result import Collection, Entry, Result, warned
from evenhand.results.text import POOLED
from evenhand.scoring.classes import MARGINS, PER_CLASS, ClassScores
from evenhand.scoring.twins import Twins
from evenhand.signature.line import OF_THE_SYSTEM, Signature, difference_text
from evenhand.tables.labels import Label, key_text


@dataclass(frozen=True, eq=False, kw_only=True)
class Score(Entry, Interval):
    """One metric's value with its uncertainty and its signature.

    >>> import evenhand as eh
    >>> scores = eh.score([[6, 1, 1], [1, 5, 2], [2, 3, 7]], metrics="macro_f1")
    >>> round(float(scores["macro_f1"]), 4), scores["macro_f1"].method
    (0.6435, 'jackknife, score')
    """

    metric: str
    signature: Signature

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return record(self.measured())

    def grid(self) -> Grid:
        """Its facts, with its metric and its signature."""
        rows: list[list[Cell]] = [["metric", self.metric], *map(list, super().grid().rows)]
        return Grid(["Score", ""], [*rows, ["signature", str(self.signature)]])


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Collection[str, Score], Result):
    """Everything about one system on one test set; ``slices`` for a stack.

    ``argmax``, where the data are probabilities, is the same of the most probable classes.

    >>> import evenhand as eh
    >>> scores = eh.score([[6, 1, 1], [1, 5, 2], [2, 3, 7]], metrics="macro_f1")
    >>> list(scores), "averaged_f1" in scores, scores.n
    (['macro_f1'], True, 28)
    """

    signature: Signature
    n: int
    labels: tuple[Label, ...]
    outside: float
    missing: int
    dropped: int
    metrics: dict[str, Score]
    classes: ClassScores
    twins: Twins
    cautions: tuple[Note, ...] = ()
    key: Any = None
    slices: tuple[Scores, ...] = ()
    argmax: Scores | None = None

    of_metrics = True

    @property
    def parts(self) -> dict[str, Score]:
        """The score of each metric."""
        return self.metrics

    def facts(self) -> dict[str, Any]:
        """What ``evenhand score --format json`` prints."""
        key = {} if self.key is None else {"key": self.key}
        return {**key, **self._facts(self.notes)}

    def _facts(self, notes: list[str]) -> dict[str, Any]:
        """Of one table, or of a stack, whose slices share the notes on its metrics."""
        found: dict[str, Any] = {
            **self.picked("signature", "n"),
            "orientation": "rows = true, columns = predicted",
            **self.picked("labels", "outside", "missing", "dropped"),
            "metrics": {name: s.measured() for name, s in self.metrics.items()},
            "classes": [c.to_dict() for c in self.classes],
            "twins": self.twins.parts,
            "notes": notes,
        }
        if self.slices:
            found["slices"] = [{"key": s.key, **s._facts(notes), **warned(())} for s in self.slices]
        if self.argmax is not None:
            found["argmax"] = {**self.argmax._facts(notes), **warned(self.argmax.cautions)}
        return found

    def reported(self) -> Iterable[Reported]:
        """Every metric, of the whole and of each slice."""
        for part in (self, *self.slices):
            for name, s in part.metrics.items():
                yield Reported(name, s, part.n, s.signature, s.level, key=part.key)

    @property
    def notes(self) -> list[str]:
        """What the metrics scored do not promise, by property."""
        return lacking(self.metrics)

    def differences(self, other: Scores) -> dict[str, float]:
        """This system's value less the other's, metric by metric; warns where that is unfair.

        Values with different settings (signatures) are not comparable: a warning names the
        fields that differ. Two systems on the same items differ in their table, which is fair.
        """
        shared = [name for name in self.metrics if name in other.metrics]
        unlike = self.signature.differences(other.signature, ignoring=OF_THE_SYSTEM)
        for name in shared:
            mine, theirs = self[name].signature, other[name].signature
            unlike |= mine.differences(theirs, ignoring=OF_THE_SYSTEM)
        if unlike:
            warnings.warn(
                f"the scores were made differently: {difference_text(unlike)}",
                EvenhandWarning,
                stacklevel=2,
            )
        return {name: self[name].value - other[name].value for name in shared}

    def content(self, *, full: bool = False, explain: bool = False) -> Content:
        """The headline, the metrics that people ask for first, the classes, the footnote.

        ``full`` has every metric that was scored, ``explain`` what the numbers do not promise.
        """
        from evenhand.scoring.content import content_of

        return content_of(self, full=full, explain=explain)

    def portions(self) -> Iterable[tuple[list[Cell], Scores]]:
        """The slices and then the whole, with what a row of each begins with."""
        if not self.slices:
            yield [], self
            return
        for part in self.slices:
            yield [key_text(part.key)], part
        yield [POOLED], self

    @property
    def class_grid(self) -> Grid:
        """One row a class; of the intervals only that of F1, for the table to stay readable."""
        sure, values = bool(self.classes.intervals), self.classes.values
        head = ["class", "true", "predicted", "correct", "precision", "recall", "F1"]
        labels = map(str, self.classes.labels)
        shown = (values[name] for name in ("prevalence", "bias", "correct", *PER_CLASS))
        rows: list[list[Cell]] = [list(row) for row in zip(labels, *shown, strict=True)]
        if sure:
            for row, (_, low, high, _) in zip(rows, self.classes.bounds("f1"), strict=True):
                row += [low, high]
        return Grid([*head, *(["low", "high"] if sure else [])], rows)

    def data(self) -> Grid:
        """Every number, one a row; of probabilities, with how labels came of them."""
        head = ["metric", "label", "value", "se", "low", "high", "method", "signature"]
        head = ["slice"] * bool(self.slices) + head
        if self.argmax is None:
            return Grid(head, list(self._rows([])))
        both = (("probabilities", self), ("argmax", self.argmax))
        return Grid(["decision", *head], [row for name, s in both for row in s._rows([name])])

    def _rows(self, begun: list[Cell]) -> Iterable[list[Cell]]:
        for key, part in self.portions():
            first = [*begun, *key]
            for name, s in part.metrics.items():
                uncertain = [s.se, s.low, s.high, str(s.method or "")]
                yield [*first, name, "", s.value, *uncertain, str(s.signature)]
            yield from _class_rows(part.classes, first, str(part.signature))


def _class_rows(classes: ClassScores, key: list[Cell], signature: str) -> Iterable[list[Cell]]:
    """Six rows a class: its margins, then its values with their intervals."""
    names = (*MARGINS, *PER_CLASS)
    columns = [zip(classes.values[name], classes.bounds(name), strict=True) for name in names]
    for label, *row in zip(map(str, classes.labels), *columns, strict=True):
        for name, (value, (*sure, method)) in zip(names, row, strict=True):
            yield [*key, name, label, value, *sure, str(method or ""), signature]
