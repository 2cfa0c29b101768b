"""Extrapolation: scores as observed and as expected under another class mix."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evenhand.labels import Label
from evenhand.notes.interval import Interval
from evenhand.results import grid as grids
from evenhand.results import shift as words
from evenhand.results.grid import Cell, Grid
from evenhand.results.json import SCHEMA, record
from evenhand.results.result import Collection, Record, Result
from evenhand.signature import Signature

PER_CLASS = ("precision", "recall", "f1")


@dataclass(frozen=True, eq=False)
class ClassShift(Record):
    """One class: its share of the items and of the predictions, and its scores, then and now.

    ``measured`` is its share of the predictions made there, if they are known, and
    ``precision_measured`` the precision with that in its denominator, which can exceed 1.

    >>> import evenhand as eh
    >>> found = eh.shift.extrapolate([[80, 20], [10, 90]], to="0=0.1,1=0.9", metrics="accuracy")
    >>> found.classes[0].share, found.classes[0].expected["recall"].value
    ((0.5, 0.1), 0.8)
    """

    label: Label
    share: tuple[float, float]
    predicted: tuple[float, float]
    observed: dict[str, Interval]
    expected: dict[str, Interval]
    measured: float | None = None
    precision_measured: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        measured = {}
        if self.measured is not None:
            known = {"predicted": self.measured, "precision": self.precision_measured}
            measured = {"measured": known}
        sides = zip(
            ("observed", "expected"),
            self.share,
            self.predicted,
            (self.observed, self.expected),
            strict=True,
        )
        return (
            {"label": self.label}
            | {
                side: {"share": share, "predicted": guess}
                | {n: v.measured() for n, v in values.items()}
                for side, share, guess, values in sides
            }
            | measured
        )


@dataclass(frozen=True, eq=False)
class Extrapolation(Collection[str, Interval], Result):
    """Every metric and class as observed, and as expected under another class mix.

    >>> import evenhand as eh
    >>> found = eh.shift.extrapolate([[80, 20], [10, 90]], to="0=0.1,1=0.9", metrics="accuracy")
    >>> found.observed["accuracy"].value, round(float(found["accuracy"]), 6)
    (0.85, 0.89)
    """

    signature: Signature
    n: int
    labels: tuple[Label, ...]
    prevalence: dict[Label, float]
    level: float | None
    observed: dict[str, Interval]
    expected: dict[str, Interval]
    classes: tuple[ClassShift, ...]
    warnings: tuple[str, ...]

    of_metrics = True

    @property
    def parts(self) -> dict[str, Interval]:
        """The expected value of each metric."""
        return self.expected

    def to_dict(self) -> dict[str, Any]:
        """Exactly what ``evenhand calibrate`` and ``shift --to`` print as JSON."""
        return record(
            {
                "schema": SCHEMA,
                "signature": str(self.signature),
                "n": self.n,
                "labels": self.labels,
                "level": self.level,
                "metrics": {
                    name: {"observed": v.measured(), "expected": self.expected[name].measured()}
                    for name, v in self.observed.items()
                },
                "classes": [c.to_dict() for c in self.classes],
                "warnings": list(self.warnings),
            }
        )

    @cached_property
    def metric_grid(self) -> Grid:
        """One row a metric: observed beside expected."""
        return words.side_by_side(self)

    @cached_property
    def class_grid(self) -> Grid:
        """One row a class: shares, and precision, recall and F1 under the new mix."""
        return words.class_shifts(self)

    @cached_property
    def long_grid(self) -> Grid:
        """Every number, one a row: what CSV and data frames hold."""
        head = ["mix", "metric", "label", "value", "se", "low", "high", "method"]
        rows: list[list[Cell]] = []
        for i, side in enumerate(("observed", "expected")):
            for name, v in getattr(self, side).items():
                rows.append([side, name, "", *_cells(v)])
            for c in self.classes:
                label = str(c.label)
                rows.append([side, "share", label, *_cells(Interval(c.share[i]))])
                rows.append([side, "predicted", label, *_cells(Interval(c.predicted[i]))])
                for name, v in getattr(c, side).items():
                    rows.append([side, name, label, *_cells(v)])
        return Grid(head, rows)

    def to_pandas(self) -> Any:
        """A pandas frame, one number a row."""
        frame = grids.to_pandas(self.long_grid)
        return frame.astype(dict.fromkeys(("value", "se", "low", "high"), float))

    def to_polars(self) -> Any:
        """A Polars frame, one number a row."""
        return grids.to_polars(self.long_grid, text=("mix", "metric", "label", "method"))

    def to_markdown(self, *, digits: int = 4) -> str:
        """Classes and metrics as Markdown tables."""
        both = (self.class_grid, self.metric_grid)
        return "\n\n".join(grids.markdown(g, digits) for g in both)

    def to_latex(self, *, digits: int = 4) -> str:
        """The metrics as a booktabs table with the signature in its caption."""
        return grids.latex(self.metric_grid, digits)

    def __repr__(self) -> str:
        return grids.plain(self.metric_grid)

    def _repr_html_(self) -> str:
        return grids.html_table(self.class_grid) + grids.html_table(self.metric_grid)


def _cells(v: Interval) -> list[Cell]:
    return [v.value, v.se, v.low, v.high, v.method or ""]
