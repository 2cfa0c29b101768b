"""Scores: the result of scoring, and the forms it takes."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evenhand.errors import EvenhandWarning
from evenhand.format import grid as grids
from evenhand.format.grid import Cell, Grid
from evenhand.format.json import SCHEMA, record
from evenhand.format.text import key_text
from evenhand.labels import Label
from evenhand.scoring.twins import Twins
from evenhand.signature import OF_THE_SYSTEM, Signature, difference_text


@dataclass(frozen=True)
class Score:
    """One metric's value with its uncertainty and its signature."""

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


@dataclass(frozen=True)
class ClassScore:
    """One class: its margins and its precision, recall and F1."""

    label: Label
    correct: float
    bias: float
    prevalence: float
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class Scores:
    """Everything about one system on one test set; ``slices`` for a stack."""

    signature: Signature
    n: int
    labels: tuple[Label, ...]
    outside: float
    missing: int
    dropped: int
    metrics: dict[str, Score]
    classes: tuple[ClassScore, ...]
    twins: Twins
    warnings: tuple[str, ...]
    key: Any = None
    slices: tuple[Scores, ...] = ()

    def __getitem__(self, metric: str) -> Score:
        return self.metrics[metric]

    def to_dict(self) -> dict[str, Any]:
        """Exactly what ``evenhand score --format json`` prints."""
        return record({"schema": SCHEMA, **self._content()})

    def _content(self) -> dict[str, Any]:
        t = self.twins
        content: dict[str, Any] = {} if self.key is None else {"key": self.key}
        content |= {
            "signature": str(self.signature),
            "n": self.n,
            "orientation": "rows = true, columns = predicted",
            "labels": self.labels,
            "outside": self.outside,
            "missing": self.missing,
            "dropped": self.dropped,
            "metrics": {name: s.to_dict() for name, s in self.metrics.items()},
            "classes": [vars(c) for c in self.classes],
            "twins": {
                "macro_f1": t.macro_f1,
                "f1_of_averages": t.f1_of_averages,
                "gap": t.gap,
                "bound": t.bound,
            },
            "warnings": list(self.warnings),
        }
        if self.slices:
            content["slices"] = [s._content() for s in self.slices]
        return content

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
            key = [key_text(part.key) if part is not self else "all"] if self.slices else []
            for name, s in part.metrics.items():
                tail = [s.low, s.high] if sure else []
                rows.append([*key, name, s.value, *tail])
        return Grid(head, rows, notes=[f"Signature: {self.signature}"])

    def _all(self) -> Iterable[Score]:
        yield from self.metrics.values()
        for part in self.slices:
            yield from part._all()

    @cached_property
    def class_grid(self) -> Grid:
        """One row a class."""
        head = ["class", "true", "predicted", "correct", "precision", "recall", "F1"]
        rows: list[list[Cell]] = [
            [str(c.label), c.prevalence, c.bias, c.correct, c.precision, c.recall, c.f1]
            for c in self.classes
        ]
        return Grid(head, rows)

    @cached_property
    def long_grid(self) -> Grid:
        """Every number, one a row: what CSV and data frames hold."""
        head = ["metric", "label", "value", "se", "low", "high", "method", "signature"]
        if self.slices:
            head = ["slice", *head]
        rows: list[list[Cell]] = []
        for part in (*self.slices, self) if self.slices else (self,):
            key: list[Cell] = (
                [key_text(part.key) if part is not self else "all"] if self.slices else []
            )
            for name, s in part.metrics.items():
                uncertain = [s.se, s.low, s.high, s.method or ""]
                rows.append([*key, name, "", s.value, *uncertain, str(s.signature)])
            for c in part.classes:
                for name in ("correct", "bias", "prevalence", "precision", "recall", "f1"):
                    value = getattr(c, name)
                    unknown = [None, None, None, ""]
                    rows.append([*key, name, str(c.label), value, *unknown, str(part.signature)])
        return Grid(head, rows)

    def to_pandas(self) -> Any:
        """A pandas frame, one number a row."""
        import pandas as pd

        return pd.DataFrame(self.long_grid.rows, columns=list(self.long_grid.columns))

    def to_polars(self) -> Any:
        """A Polars frame, one number a row."""
        import polars as pl

        text = ("slice", "metric", "label", "method", "signature")
        schema = {c: pl.String if c in text else pl.Float64 for c in self.long_grid.columns}
        rows = [[float(c) if isinstance(c, int) else c for c in row] for row in self.long_grid.rows]
        return pl.DataFrame(rows, schema=schema, orient="row")

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
