"""Scores: the result of scoring, and the forms it takes."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evenhand.catalogue import lacking
from evenhand.errors import EvenhandWarning
from evenhand.results import grid as grids
from evenhand.results.grid import Cell, Grid
from evenhand.results.json import SCHEMA, record
from evenhand.results.result import Collection, Measured, Result
from evenhand.results.text import key_text
from evenhand.labels import Label
from evenhand.scoring.classes import MARGINS, PER_CLASS, ClassScores
from evenhand.scoring.twins import Twins
from evenhand.signature import OF_THE_SYSTEM, Signature, difference_text

POOLED = "all (pooled)"
"""The row or column of all slices together."""


@dataclass(frozen=True, eq=False)
class Score(Measured):
    """One metric's value with its uncertainty and its signature.

    >>> import evenhand as eh
    >>> scores = eh.score([[6, 1, 1], [1, 5, 2], [2, 3, 7]], metrics="macro_f1")
    >>> round(float(scores["macro_f1"]), 4), scores["macro_f1"].method
    (0.6435, 'delta, logit')
    """

    metric: str
    value: float
    se: float | None
    low: float | None
    high: float | None
    method: str | None
    signature: Signature

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "value": self.value,
            "se": self.se,
            "low": self.low,
            "high": self.high,
            "method": self.method,
        }


@dataclass(frozen=True, eq=False)
class Scores(Collection[str, Score], Result):
    """Everything about one system on one test set; ``slices`` for a stack.

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
    warnings: tuple[str, ...]
    key: Any = None
    slices: tuple[Scores, ...] = ()

    of_metrics = True

    @property
    def parts(self) -> dict[str, Score]:
        """The score of each metric."""
        return self.metrics

    def to_dict(self) -> dict[str, Any]:
        """Exactly what ``evenhand score --format json`` prints."""
        key = {} if self.key is None else {"key": self.key}
        return record({"schema": SCHEMA, **key, **self._content(self.notes)})

    def _content(self, notes: list[str]) -> dict[str, Any]:
        """The record of one table, or of a stack, whose slices share the notes on its metrics."""
        t = self.twins
        content: dict[str, Any] = {
            "signature": str(self.signature),
            "n": self.n,
            "orientation": "rows = true, columns = predicted",
            "labels": self.labels,
            "outside": self.outside,
            "missing": self.missing,
            "dropped": self.dropped,
            "metrics": {name: s.to_dict() for name, s in self.metrics.items()},
            "classes": [c.to_dict() for c in self.classes],
            "twins": {
                "macro_f1": t.macro_f1,
                "f1_of_averages": t.f1_of_averages,
                "gap": t.gap,
                "bound": t.bound,
            },
            "notes": notes,
            "warnings": list(self.warnings),
        }
        if self.slices:
            content["slices"] = [{"key": s.key, **s._content(notes)} for s in self.slices]
        return content

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

    @cached_property
    def metric_grid(self) -> Grid:
        """One row a metric."""
        sure = any(s.low is not None for s in self._all())
        head = ["metric", "value", *(["low", "high"] if sure else [])]
        if self.slices:
            head = ["slice", *head]
        rows: list[list[Cell]] = []
        for part in (*self.slices, self) if self.slices else (self,):
            key = self._slice_cell(part)
            for name, s in part.metrics.items():
                tail = [s.low, s.high] if sure else []
                rows.append([*key, name, s.value, *tail])
        return Grid(head, rows, notes=[f"Signature: {self.signature}"])

    def _slice_cell(self, part: Scores) -> list[Cell]:
        """What a row of a slice begins with; nothing where there are no slices."""
        if not self.slices:
            return []
        return [POOLED if part is self else key_text(part.key)]

    def _all(self) -> Iterable[Score]:
        yield from self.metrics.values()
        for part in self.slices:
            yield from part._all()

    @cached_property
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

    @cached_property
    def long_grid(self) -> Grid:
        """Every number, one a row: what CSV and data frames hold."""
        head = ["metric", "label", "value", "se", "low", "high", "method", "signature"]
        if self.slices:
            head = ["slice", *head]
        rows: list[list[Cell]] = []
        for part in (*self.slices, self) if self.slices else (self,):
            key = self._slice_cell(part)
            for name, s in part.metrics.items():
                uncertain = [s.se, s.low, s.high, s.method or ""]
                rows.append([*key, name, "", s.value, *uncertain, str(s.signature)])
            rows += _class_rows(part.classes, key, str(part.signature))
        return Grid(head, rows)

    def to_pandas(self) -> Any:
        """A pandas frame, one number a row."""
        frame = grids.to_pandas(self.long_grid)
        return frame.astype(dict.fromkeys(("value", "se", "low", "high"), float))

    def to_polars(self) -> Any:
        """A Polars frame, one number a row."""
        text = ("slice", "metric", "label", "method", "signature")
        return grids.to_polars(self.long_grid, text=text)

    def to_markdown(self, *, digits: int = 4) -> str:
        """The metrics, and for one table the classes, as Markdown tables."""
        parts = [] if self.slices else [grids.markdown(self.class_grid, digits)]
        return "\n\n".join([*parts, grids.markdown(self.metric_grid, digits)])

    def to_latex(self, *, digits: int = 4) -> str:
        """The metrics as a booktabs table with the signature in its caption."""
        return grids.latex(self.metric_grid, digits)

    def __repr__(self) -> str:
        return grids.plain(self.metric_grid)

    def _repr_html_(self) -> str:
        parts = [] if self.slices else [grids.html_table(self.class_grid)]
        return "".join([*parts, grids.html_table(self.metric_grid)])


def _class_rows(classes: ClassScores, key: list[Cell], signature: str) -> Iterable[list[Cell]]:
    """Six rows a class: its margins, then its values with their intervals."""
    names = (*MARGINS, *PER_CLASS)
    columns = [zip(classes.values[name], classes.bounds(name), strict=True) for name in names]
    for label, *row in zip(map(str, classes.labels), *columns, strict=True):
        for name, (value, (*sure, method)) in zip(names, row, strict=True):
            yield [*key, name, label, value, *sure, method or "", signature]
