"""The result of scoring one system, and how it is printed."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from evenhand.catalogue.binding import stray_notes, weighted
from evenhand.catalogue.descriptions import lacking
from evenhand.catalogue.footnote import footnote
from evenhand.catalogue.lists import (
    HEADLINES,
    ONE_CLASS,
    TWINS,
    by_distance,
    by_growth,
    chosen,
    leading,
)
from evenhand.catalogue.signature import OF_THE_SYSTEM, Signature, difference_text
from evenhand.catalogue.spelling import EXPECTED
from evenhand.data.labels import Label, Labels
from evenhand.data.multilabel import AnyTable
from evenhand.errors import EvenhandWarning, instance
from evenhand.options import Classes
from evenhand.records import Interval
from evenhand.results.document import (
    Block,
    Content,
    Heading,
    Paragraph,
    Table,
    group_equal,
    rounded,
)
from evenhand.results.result import Collection, Entry, ReportedResult, Result, record
from evenhand.scoring.macro_f1_gap import Twins
from evenhand.text import (
    POOLED,
    Cell,
    Grid,
    IntervalCell,
    MetricName,
    counted,
    key_text,
    level_text,
    number,
)
from evenhand.warnings import NoClass, ResultWarning, RowsDropped, TwoFormulas

MARGINS = ("correct", "bias", "prevalence")
PER_CLASS = tuple(m.name for m in ONE_CLASS)

Column: TypeAlias = list[Any]
IntervalColumns: TypeAlias = tuple[Column, ...]
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
    intervals: dict[str, IntervalColumns]
    level: float | None = None

    @cached_property
    def _entries(self) -> tuple[ClassScore, ...]:
        rows = zip(self.labels, *self.values.values(), strict=True)
        if not self.intervals:
            return tuple(ClassScore(*row) for row in rows)
        sure = (
            [Interval(v, *ends[:3], self.level, ends[3])
             for v, ends in zip(self.values[name], self.bounds(name), strict=True)]
            for name in self.intervals
        )  # fmt: skip
        return tuple(
            ClassScore(*(*row, dict(zip(self.intervals, own, strict=True))))
            for row, own in zip(rows, zip(*sure, strict=True), strict=True)
        )

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: Any) -> Any:
        return self._entries[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __repr__(self) -> str:
        return repr(tuple(self))

    def bounds(self, name: str) -> Iterator[tuple[Any, Any, Any, Any]]:
        """se, low, high and method of one value, class by class; ``None`` where not known."""
        nothing: Column = [None] * len(self)
        return zip(*self.intervals.get(name, (nothing,) * 4), strict=True)


# Warnings about the tables.

POINT = 0.01
"""A gap between the two macro F1s above this is worth a warning."""


def lost_of(table: AnyTable) -> list[dict[str, Any]]:
    """Predictions of every table that are no class, those of them that are missing, lost rows."""
    columns = (table.outside.sum(axis=-1), table.missing, table.dropped)
    rows = zip(*(np.ravel(x).tolist() for x in columns), strict=True)
    return [dict(zip(("outside", "missing", "dropped"), row, strict=True)) for row in rows]


def cautions_of(
    table: AnyTable,
    classes: Classes,
    zero_division: float,
    pairs: list[Twins],
    lost: list[dict[str, Any]],
    averages: Sequence[str],
) -> list[list[ResultWarning]]:
    """The notes on every table of a stack, as far as they concern the metrics asked for.

    ``averages`` are those of them that weigh classes alike, whose value the class rule decides.
    """
    lead = next((m for m in ("macro_f1", *averages) if m in averages), None)
    known = [pair.macro_f1 for pair in pairs] if lead == "macro_f1" else None
    twins = any(m.metric.name in averages for m in TWINS)
    strays = stray_notes(table, classes, zero_division, known, lead)
    every: list[list[ResultWarning]] = []
    for stray, pair, own in zip(strays, pairs, lost, strict=True):
        warnings: list[ResultWarning] = [] if stray is None else [stray]
        if twins and pair.gap > POINT:
            warnings.append(TwoFormulas(pair.macro_f1, pair.f1_of_averages))
        if own["outside"]:
            warnings.append(NoClass(own["outside"], own["missing"], weighted(table)))
        every.append([*warnings, RowsDropped(own["dropped"])] if own["dropped"] else warnings)
    return every


# The printed scores.

SHOWN_CLASSES = 50
MAX_SLICE_COLUMNS = 8
"""Slices up to which each has a column of its own."""
SLICE_ROW_METRICS = 3
"""Metrics that more slices have a column each of."""


def _headline(scores: Scores, lead: Score) -> str:
    """The first number; both macro F1s where they are not the same to a reader."""
    text = f"{lead.metric} {IntervalCell(lead).text(4)}"
    if lead.metric != "macro_f1" or not scores.twins.gap > POINT:
        return text
    other = scores.metrics.get("f1_of_averages")
    value = number(scores.twins.f1_of_averages) if other is None else IntervalCell(other).text(4)
    return f"{text}, f1_of_averages {value}"


def merged(scores: Scores, names: Iterable[str]) -> list[list[str]]:
    """The metrics in groups that are the same number, with one interval, in every part."""

    def number(name: str) -> tuple[tuple[str, ...], ...]:
        each = (part.metrics[name] for _, part in scores._portions())
        return tuple(rounded(s.value, s.low, s.high) for s in each)

    return group_equal(names, number)


def _sheets(scores: Scores, rows: list[list[str]], full: bool) -> Iterable[Table]:
    """One row a metric; few slices beside each other, many below the whole, a row each."""
    if 0 < len(scores.slices) <= MAX_SLICE_COLUMNS:
        yield _slices_as_columns(scores, rows)
    elif full or not scores.slices:
        yield Table(_grid(scores, rows, scores._portions()), wide=100)
    else:
        yield Table(_grid(scores, rows, [(POOLED, scores)]), POOLED, wide=100)
        yield _slices_as_rows(scores, rows)


def _slices_as_columns(scores: Scores, rows: list[list[str]]) -> Table:
    names, parts = zip(*scores._portions(), strict=True)
    cells: list[list[Cell]] = [["items", *(number(p.n) for p in parts)]]
    cells += [
        [MetricName(" = ".join(group)), *(IntervalCell(p.metrics[group[0]]) for p in parts)]
        for group in rows
    ]
    return Table(Grid(["metric", *names], cells), wide=100)


def _slices_as_rows(scores: Scores, rows: list[list[str]]) -> Table:
    first = [names[0] for names in rows[:SLICE_ROW_METRICS]]
    cells: list[list[Cell]] = [
        [key_text(part.key), part.n, *(IntervalCell(part.metrics[name]) for name in first)]
        for part in scores.slices
    ]
    head = ["slice", "items", *map(MetricName, first)]
    left = counted(len(rows) - SLICE_ROW_METRICS, "more metric")
    note = f"CSV and JSON have {left} of each slice." if len(rows) > SLICE_ROW_METRICS else ""
    return Table(Grid(head, cells), "Slices", most=60, rows="slices", note=note)


def _grid(scores: Scores, rows: list[list[str]], parts: list[tuple[str, Scores]]) -> Grid:
    """One row a metric; of several parts, one a part and metric."""
    sure, several = scores.level is not None, len(parts) > 1
    cells: list[list[Cell]] = []
    for key, part in parts:
        for names in rows:
            s = part.metrics[names[0]]
            row = [MetricName(" = ".join(names)), s.value, *([s.low, s.high] if sure else [])]
            cells.append([*[key] * several, *row])
    return Grid([*["slice"] * several, "metric", "value", *["low", "high"] * sure], cells)


def _explained(scores: Scores) -> list[Block]:
    """Both macro F1s, what the metrics do not promise, and the signature in words."""
    from evenhand.results.metric_pages import explained_grid

    blocks = scores.twins.blocks()
    lines = lacking(scores.metrics, most=5)
    if lines:
        blocks.append(Heading("Not promised (evenhand properties NAME shows why)"))
        blocks.append(Paragraph("  " + "\n  ".join(lines), "note"))
    signature = Table(explained_grid(scores.signature), wide=200)
    return [*blocks, Heading("How it was scored"), signature]


# The result.


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
    cautions: tuple[ResultWarning, ...] = ()
    key: Any = None
    slices: tuple[Scores, ...] = ()

    drawn_by = "scoring.charts.scores"
    of_metrics = True

    @property
    def parts(self) -> dict[str, Score]:
        """The score of each metric."""
        return self.metrics

    def to_json_object(self) -> dict[str, Any]:
        """What ``evenhand score --format json`` prints."""
        return {
            **({} if self.key is None else {"key": self.key}),
            **self.select("signature n"),
            "orientation": "rows = true, columns = predicted",
            **self.select("labels outside missing dropped"),
            "metrics": {name: s.measured() for name, s in self.metrics.items()},
            "classes": [c.to_dict() for c in self.classes],
            "twins": self.twins.parts,
            "notes": self.notes,
        }

    def reported(self) -> Iterable[ReportedResult]:
        """Every metric, of the whole and of each slice."""
        for part in (self, *self.slices):
            for name, s in part.metrics.items():
                yield ReportedResult(name, s, part.n, s.signature, s.level, key=part.key)

    @property
    def notes(self) -> list[str]:
        """What the metrics scored do not promise, by property."""
        return lacking(self.metrics)

    def differences(self, other: Scores) -> dict[str, float]:
        """This system's value less the other's, metric by metric; warns where that is unfair.

        Values with different settings (signatures) are not comparable: a warning names the
        fields that differ. Two systems on the same items differ in their table, which is fair.
        """
        instance(other, Scores, "other", "Scores")
        shared = [name for name in self.metrics if name in other.metrics]
        unlike = self.signature.differences(other.signature, ignoring=OF_THE_SYSTEM)
        for name in shared:
            own, theirs = self[name].signature, other[name].signature
            unlike |= own.differences(theirs, ignoring=OF_THE_SYSTEM)
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
        names = list(self.metrics)
        first = names
        if not full and not chosen(names):
            usual = [n for n in names if n.removeprefix(EXPECTED) in HEADLINES]
            usual.sort(key=lambda n: HEADLINES.index(n.removeprefix(EXPECTED)))
            first = [*usual, *filter(by_distance, names)]
        lead = self.metrics[leading(names)]
        groups = [g for g in merged(self, dict.fromkeys((*first, *names))) if g[0] in first]
        blocks: list[Block] = [Paragraph(_headline(self, lead), "verdict")]
        for rows in filter(None, by_growth(groups)):
            blocks += _sheets(self, rows, full)
        if not self.slices:
            grid = Table(self.class_grid, most=SHOWN_CLASSES, rows="classes")
            blocks += [Heading("Classes"), grid]
        blocks += _explained(self) if explain else []
        blocks += [] if self.slices else [self.picture]
        facts = [counted(self.n, "item"), counted(len(self.labels), "class", "classes")]
        if self.outside:
            facts.append(counted(self.outside, "prediction") + " outside")
        if self.slices:
            facts.append(counted(len(self.slices), "slice"))
        facts += [] if self.level is None else [f"{level_text(self.level)} intervals"]
        seen = {name for group in groups for name in group} | set(["f1"] * (not self.slices))
        note, warnings = footnote(lead.signature), self.warnings_on(seen)
        title = ", ".join(facts)
        return self.described(title, blocks, self.data, warnings=warnings, footnote=note)

    @property
    def level(self) -> float | None:
        """The level of the intervals, if there are any."""
        every = (s for _, part in self._portions() for s in part.metrics.values())
        return next((s.level for s in every if s.low is not None), None)

    @property
    def class_grid(self) -> Grid:
        """One row a class; of the intervals only that of F1, for the table to stay readable."""
        sure, values = bool(self.classes.intervals), self.classes.values
        head = ["class", "true", "predicted", "correct", "precision", "recall", "F1"]
        shown = [values[name] for name in ("prevalence", "bias", "correct", *PER_CLASS)]
        shown += list(self.classes.intervals["f1"][1:3]) if sure else []
        rows = list(map(list, zip(map(str, self.classes.labels), *shown, strict=True)))
        return Grid([*head, *["low", "high"] * sure], rows)

    def data(self) -> Grid:
        """Every number, one a row."""
        head = ["metric", "label", "value", "se", "low", "high", "method", "signature"]
        return self._in_slices(head, Scores._rows)

    def _rows(self) -> Iterable[list[Cell]]:
        for name, s in self.metrics.items():
            uncertain = [s.se, s.low, s.high, str(s.method or "")]
            yield [name, "", s.value, *uncertain, str(s.signature)]
        yield from _class_rows(self.classes, str(self.signature))


def _class_rows(classes: ClassScores, signature: str) -> Iterable[list[Cell]]:
    """Six rows a class: its margins, then its values with their intervals."""
    names = (*MARGINS, *PER_CLASS)
    columns = [zip(classes.values[name], classes.bounds(name), strict=True) for name in names]
    for label, *row in zip(map(str, classes.labels), *columns, strict=True):
        for name, (value, (*sure, method)) in zip(names, row, strict=True):
            yield [name, label, value, *sure, str(method or ""), signature]
