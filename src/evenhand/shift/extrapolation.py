"""Extrapolation: scores as observed and as expected under another class mix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evenhand.notes.interval import Interval
from evenhand.notes.note import Note
from evenhand.notes.record import Record
from evenhand.results.cells import Cell, Sure
from evenhand.results.content import Block, Content, Heading, Pictures, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.result import Collection, Result
from evenhand.results.text import counted, level_text, shortened
from evenhand.signature.line import Signature
from evenhand.tables.labels import Label

PER_CLASS = ("precision", "recall", "f1")
SHOWN_CLASSES = 50
ASSUMED = (
    "This holds if only the class mix changes: the items of each class must be like those here."
)


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
        found: dict[str, Any] = {"label": self.label}
        for i, (side, values) in enumerate(self.sides):
            margins = {"share": self.share[i], "predicted": self.predicted[i]}
            found[side] = margins | {name: v.measured() for name, v in values.items()}
        if self.measured is not None:
            found["measured"] = {"predicted": self.measured, "precision": self.precision_measured}
        return found

    @property
    def sides(self) -> tuple[tuple[str, dict[str, Interval]], ...]:
        """Its scores here and there."""
        return ("observed", self.observed), ("expected", self.expected)


@dataclass(frozen=True, eq=False, repr=False)
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
    cautions: tuple[Note, ...] = ()

    of_metrics = True

    @property
    def parts(self) -> dict[str, Interval]:
        """The expected value of each metric."""
        return self.expected

    def facts(self) -> dict[str, Any]:
        """What ``evenhand calibrate`` and ``shift --to`` print as JSON."""
        return {
            **self.picked("signature", "n", "labels", "level"),
            "metrics": {
                name: {"observed": v.measured(), "expected": self.expected[name].measured()}
                for name, v in self.observed.items()
            },
            **self.picked("classes"),
        }

    def content(self, *, classes: bool = True) -> Content:
        """The headline, the classes, the metrics side by side, what it takes for granted.

        Without ``classes`` it is said as a calibration, for which they are of no interest.
        """
        called, at = ("expected", "at") if classes else ("calibrated", "to")
        mix = self.signature.prevalence
        facts = [counted(self.n, "item"), counted(len(self.labels), "class", "classes")]
        facts.append(f"{called} {at} {'equal shares' if mix == 'uniform' else shortened(mix, 60)}")
        if self.level is not None:
            facts.append(f"{level_text(self.level)} intervals")
        blocks: list[Block] = [Words(self._headline(called), "verdict")]
        if classes:
            sheet = Sheet(self.class_grid, most=SHOWN_CLASSES, rows="classes")
            blocks += [Heading("Classes"), sheet, Heading("Metrics")]
        blocks += [Sheet(self._side_by_side(called)), Words(ASSUMED, "note")]
        blocks.append(Pictures([self._chart]))
        signed = str(self.signature)
        return Content(", ".join(facts), blocks, self._data, signed, self.warnings)

    def _chart(self) -> Any:
        from evenhand.shift.charts import mixes

        return mixes(self)

    def _headline(self, called: str) -> str:
        name = "macro_f1" if "macro_f1" in self.expected else next(iter(self.expected))
        here, there = (Sure(v[name]).text(4) for v in (self.observed, self.expected))
        return f"{name} {here} observed, {there} {called}"

    @property
    def metric_grid(self) -> Grid:
        """One row a metric: observed beside expected."""
        return self._side_by_side("expected")

    def _side_by_side(self, called: str) -> Grid:
        sure = any(v.low is not None for v in (*self.observed.values(), *self.expected.values()))
        ends = ["low", "high"] if sure else []
        rows: list[list[Cell]] = [
            [name, *_ends(v, sure), *_ends(self.expected[name], sure)]
            for name, v in self.observed.items()
        ]
        return Grid(["metric", "observed", *ends, called, *ends], rows)

    @property
    def class_grid(self) -> Grid:
        """One row a class: shares, and precision, recall and F1 under the new mix."""
        sure = any(v.low is not None for c in self.classes for v in c.expected.values())
        ends = ["low", "high"] if sure else []
        head = ["class", "share", "new share", "predicted", "precision"]
        head += ["new precision", *ends, "recall", *ends, "new F1", *ends]
        rows: list[list[Cell]] = []
        for c in self.classes:
            row: list[Cell] = [str(c.label), *c.share, c.predicted[1]]
            row.append(c.observed["precision"].value)
            for name in PER_CLASS:
                row += _ends(c.expected[name], sure)
            rows.append(row)
        return Grid(head, rows)

    def _data(self) -> Grid:
        """Every number, one a row."""
        head = ["mix", "metric", "label", "value", "se", "low", "high", "method"]
        rows: list[list[Cell]] = []
        for i, (side, metrics) in enumerate(
            (("observed", self.observed), ("expected", self.expected))
        ):
            rows += [[side, name, "", *_cells(v)] for name, v in metrics.items()]
            for c in self.classes:
                margins = {"share": Interval(c.share[i]), "predicted": Interval(c.predicted[i])}
                each = margins | c.sides[i][1]
                rows += [[side, name, str(c.label), *_cells(v)] for name, v in each.items()]
        return Grid(head, rows)


def _ends(v: Interval, sure: bool) -> list[Cell]:
    return [v.value, v.low, v.high] if sure else [v.value]


def _cells(v: Interval) -> list[Cell]:
    return [v.value, v.se, v.low, v.high, str(v.method or "")]
