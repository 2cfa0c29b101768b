"""The result of scoring one system, and how it is printed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, TypeAlias

from evenhand.catalogue.descriptions import lacking, meaning
from evenhand.catalogue.lists import (
    HEADLINES,
    ONE_CLASS,
    SCORE_HEADLINES,
    by_distance,
    chosen,
    leading,
    of_class,
    of_positive,
    sums,
)
from evenhand.catalogue.signature import Signature, footnote
from evenhand.catalogue.spelling import EXPECTED, Spec, escaped, spec_of
from evenhand.data.labels import Label, Labels
from evenhand.inference.prediction_powered import JudgedInterval
from evenhand.records import Interval, Intervals
from evenhand.results.document import (
    Block,
    Content,
    FactList,
    Heading,
    Paragraph,
    Table,
    group_equal,
    rounded,
)
from evenhand.results.result import Collection, Entry, ReportedResult, Result, encodable
from evenhand.scoring.macro_f1_gap import NUMBERS, Twins
from evenhand.text import (
    POOLED,
    Cell,
    Grid,
    IntervalCell,
    MetricName,
    Term,
    TextCell,
    counted,
    judged_columns,
    level_text,
    measured_cells,
    visible,
)

if TYPE_CHECKING:
    from evenhand.scoring.samples import ItemSamples

MARGINS = ("correct", "bias", "prevalence")
PER_CLASS = tuple(m.name for m in ONE_CLASS)

Column: TypeAlias = list[Any]


class ClassScore(Entry):
    """One class: its margins, its precision, recall and F1, and how sure these are.

    >>> import evenhand as eh
    >>> scores = eh.score([[6, 1, 1], [1, 5, 2], [2, 3, 7]], metrics="macro_f1")
    >>> first = scores.classes[0]
    >>> first.label, first.correct, first.recall
    (0, 6, 0.75)
    """

    json_fields = f"""label correct bias prevalence {" ".join(PER_CLASS)}
    intervals?=errors(se low high method)"""

    label: Label
    correct: float
    bias: float
    prevalence: float
    precision: float
    recall: float
    f1: float
    intervals: dict[str, Interval] = field(default_factory=dict)

    @property
    def errors(self) -> dict[str, Interval] | None:
        """Its intervals, if there are any."""
        return self.intervals or None


@dataclass(frozen=True, eq=False, repr=False)
class ClassScores(Sequence[ClassScore]):
    """All classes in order, kept as columns: a hundred thousand objects take seconds to make.

    ``values`` has the margins and PER_CLASS by name, ``intervals`` those of each of PER_CLASS, or
    nothing.
    """

    labels: Labels
    values: dict[str, Column]
    intervals: dict[str, Intervals]

    @cached_property
    def _entries(self) -> tuple[ClassScore, ...]:
        known = zip(*self.intervals.values(), strict=True) if self.intervals else repeat(())
        each = (dict(zip(self.intervals, row, strict=True)) for row in known)
        rows = zip(self.labels, *self.values.values(), each, strict=False)
        return tuple(ClassScore(*row) for row in rows)

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: Any) -> Any:
        return self._entries[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __repr__(self) -> str:
        return repr(tuple(self))


POINT = 0.01
"""A gap between the two macro F1s above this is worth a warning."""
SHOWN_CLASSES = 50
MACRO = ("macro_f1", "f1_of_averages", "macro_precision", "macro_recall")
"""The averages after which the scores of a positive class stand."""
SLICE_ROW_METRICS = 3
"""Metrics that slices have a column each of."""


def merged(scores: Scores, names: Iterable[str]) -> list[list[str]]:
    """The metrics in groups that are the same number, with one interval, in every part."""
    parts, numbers = [part._shown for part in (scores, *scores.slices)], dict[str, Any]()
    for name in names:
        each = [part[name] for part in parts]
        numbers[name] = tuple([rounded(s.value, s.low, s.high) for s in each])
    return group_equal(numbers, numbers.__getitem__)


# The result.


class Score(Entry, JudgedInterval, kw_only=True):
    """One metric's value with its uncertainty and its signature.

    >>> import evenhand as eh
    >>> scores = eh.score([[6, 1, 1], [1, 5, 2], [2, 3, 7]], metrics="macro_f1")
    >>> round(float(scores["macro_f1"]), 4), scores["macro_f1"].method
    (0.6435, 'wilson, effective')
    """

    metric: str
    signature: Signature

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {name: encodable(value) for name, value in super().to_dict().items()}

    def grid(self) -> Grid:
        """Its facts, with its metric and its signature."""
        rows: list[list[Cell]] = [["metric", self.metric], *map(list, super().grid().rows)]
        return Grid(["Score", ""], [*rows, ["signature", str(self.signature)]])


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
    key: Any = None
    slices: tuple[Scores, ...] = ()
    positive: Label | None = None
    item_samples: ItemSamples | None = None
    judge_power: float | None = None
    """λ of the classes and the matrix, where a judge corrects them: that of macro F1."""

    drawn_by = "scoring.charts.classes"
    orientation = "rows = true, columns = predicted"
    json_fields = f"""key? signature n orientation labels outside missing dropped metrics
    classes=each_class twins({" ".join(NUMBERS)}) notes positive? two_by_two? item_samples?"""
    of_metrics = True

    @property
    def each_class(self) -> tuple[ClassScore, ...]:
        """The classes one by one."""
        return tuple(self.classes)

    def __getitem__(self, name: Any) -> Score:
        """The score called ``name``; of a metric of one class, that of the positive class."""
        name = of_class(name, self.positive)
        if isinstance(name, str) and name not in self.metrics and self._terms:
            equal_names = (n for n in self._terms if str(replace(Spec.parse(n), term="")) == name)
            name = next(equal_names, name)
        return super().__getitem__(name)

    @cached_property
    def _terms(self) -> dict[str, str]:
        """What the metrics of the positive class that were asked for are called, by spelling."""
        if self.positive is None:
            return {}
        spelled = ((str(spec), term) for term, spec in of_positive(self.positive).items())
        return {name: term for name, term in spelled if name in self.metrics}

    @property
    def _label(self) -> str:
        """How the spelling of a metric of the positive class ends."""
        return "" if self.positive is None else f":label={escaped(str(self.positive))}"

    @cached_property
    def _shown(self) -> dict[str, Interval]:
        """The score of each metric, and F1, precision and recall of a positive class."""
        if self.positive is None or self._terms:
            return dict(self.metrics)
        own = self.classes[self.labels.index(self.positive)]
        rates = ((m, Interval(getattr(own, m))) for m in ("f1", "precision", "recall"))
        return self.metrics | {m + self._label: own.intervals.get(m, x) for m, x in rates}

    @property
    def two_by_two(self) -> tuple[tuple[float, float], tuple[float, float]] | None:
        """Hits and misses of the positive class, and false alarms and the rest of all others."""
        if self.positive is None:
            return None
        own = self.classes[self.labels.index(self.positive)]
        alarms, total = own.bias - own.correct, sum(self.classes.values["prevalence"])
        misses = own.prevalence - own.correct
        return (own.correct, misses), (alarms, total - own.prevalence - alarms)

    def reported(self) -> Iterable[ReportedResult]:
        """Every metric, of the whole and of each slice."""
        for part in (self, *self.slices):
            for name, s in part.metrics.items():
                yield ReportedResult(name, s, part.n, s.signature, s.level, key=part.key)

    @property
    def notes(self) -> list[str]:
        """What the metrics scored do not promise, by property."""
        return lacking(self.metrics, classes=len(self.labels))

    def _usual(self) -> list[str]:
        """The metrics that people ask for first, in that order, unless others were chosen."""
        names, label = list(self._shown), self._label
        if chosen([n.removesuffix(label) for n in self.metrics if n not in self._terms]):
            return names
        if self._terms:
            of_scores = (n for n in names if n.partition(":")[0] in SCORE_HEADLINES)
            return [*self._terms, *of_scores]
        own = [n for n in names if n not in self.metrics]
        order = list(dict.fromkeys((*MACRO, *own, *HEADLINES, *SCORE_HEADLINES)))
        usual = (n for n in names if n.removeprefix(EXPECTED) in order)
        first = sorted(usual, key=lambda n: order.index(n.removeprefix(EXPECTED)))
        return [*first, *filter(by_distance, names)]

    def _headline(self, lead: Score) -> str:
        """The first number; both macro F1s where they are not the same to a reader."""
        if self._terms:
            first = list(self._terms.items())[:2]
            return ", ".join(f"{t} {IntervalCell(self.metrics[n]).text(4)}" for n, t in first)
        text = f"{lead.metric} {IntervalCell(lead).text(4)}"
        if self._disagree(lead):
            other = self.metrics.get("f1_of_averages", Interval(self.twins.f1_of_averages))
            text += f", f1_of_averages {IntervalCell(other).text(4)}"
        return text

    def _disagree(self, lead: Score) -> bool:
        """Whether both macro F1s are said, since they are not the same to a reader."""
        return lead.metric == "macro_f1" and self.twins.gap > POINT

    def metric_tables(self, groups: list[list[str]], *, every: bool) -> Iterable[Table]:
        """One row a metric; then slices with the first metrics, or ``every`` metric of each."""
        parts = self._portions() if every else [(POOLED, self)]
        several, judged = len(parts) > 1, list[Any]()
        if not self.slices:
            judged = judged_columns(self.metrics.values())
        columns: list[Any] = ["value", *["low, high"] * (self.level is not None)]
        columns = [("corrected", IntervalCell), *judged] if judged else columns
        terms = ((names, self._terms.get(names[0])) for names in groups)
        metrics = [Term(term, names[0]) if term else MetricName(" = ".join(names))
                   for names, term in terms]  # fmt: skip
        grid = Grid.from_records((part._shown[g[0]] for _, part in parts for g in groups), *columns)
        named = ([*[key] * several, metric] for key, _ in parts for metric in metrics)
        rows = [[*name, *row] for name, row in zip(named, grid.rows, strict=True)]
        head, name = ["slice"] * several, POOLED if self.slices and not every else ""
        yield Table(Grid([*head, "metric", *grid.columns], rows), name, wide=100)
        if self.slices and not every:
            first = [names[0] for names in groups[:SLICE_ROW_METRICS]]
            own = [(MetricName(n), lambda s, n=n: IntervalCell(s._shown[n])) for n in first]
            grid = Grid.from_records(self.slices, f"slice=key:key, {self.unit}=n", *own)
            more = counted(len(groups) - len(first), "more metric")
            note = f"CSV and JSON have {more} of each slice." * (len(groups) > len(first))
            yield Table(grid, "Slices", most=60, rows="slices", note=note)

    def _explained(self, names: Iterable[str]) -> list[Block]:
        """Both macro F1s, what the metrics mean and do not promise, the signature in words."""
        from evenhand.results.metric_pages import explained_grid

        called = {name: self._terms.get(name, name) for name in names}
        known = ((text, spec_of(name)) for name, text in called.items())
        means = [(text, meaning(spec.metric).means) for text, spec in known if spec is not None]
        blocks = [] if self._terms or not self.labels else self.twins.blocks()
        blocks += [Heading("What the numbers mean"), FactList(means)]
        if lines := lacking(called, most=5, classes=len(self.labels), called=called):
            blocks.append(Heading("Known limits (evenhand properties NAME shows why)"))
            blocks.append(Paragraph("  " + "\n  ".join(lines), "note"))
        signature = Table(explained_grid(self.signature), wide=200)
        return [*blocks, Heading("How it was scored"), signature]

    def content(self, *, full: bool = False, explain: bool = False) -> Content:
        """The headline, the metrics that people ask for first, the classes, the footnote.

        ``full`` has every metric that was scored, ``explain`` what the numbers do not promise.
        """
        terms, names = self._terms, list(self._shown) if full else self._usual()
        lead = self.metrics[next(iter(terms), leading(self.metrics))]
        every = dict.fromkeys((*names, *self._shown))
        grown, note = sums(every), footnote(lead.signature)
        groups = [g for g in merged(self, every) if g[0] in names]
        if terms:  # each is looked for under its name
            groups = [[name] for name in names]
        if lead.judged is not None:
            groups = [g for g in groups if g[0] in self.metrics]
        repeated = "f1_of_averages" in names or not self._disagree(lead)
        blocks: list[Block] = [
            Paragraph(self._headline(lead), "headline" if repeated else "verdict")
        ]
        if lead.judged is not None:
            labels = f"{lead.judged.effective_labels:,.0f}"
            words = f"The judge makes the human labels as good as {labels}"
            blocks.append(Paragraph(f"{words}; report the corrected values.", "verdict"))
        for of_sums in (False, True):  # which grow with the items
            if rows := [g for g in groups if (g[0] in grown) == of_sums]:
                blocks += self.metric_tables(rows, every=full)
        if self.positive is not None and not terms:
            words = f"Positive class: {self.positive!r}, by its name; set positive to take another."
            blocks.append(Paragraph(words, "note"))
        if terms and self.two_by_two and not self.slices:
            label = visible(str(self.positive))
            rest = [visible(str(v)) for v in self.labels if v != self.positive]
            other = rest[0] if len(rest) == 1 else "other"
            counts = ([TextCell(n, f"{n:,.10g}") for n in row] for row in self.two_by_two)
            pairs = zip((f"true {label}", f"true {other}"), counts, strict=True)
            head = ["", f"predicted {label}", f"predicted {other}"]
            name = "" if len(rest) == 1 else f"{label} against all others"
            blocks.append(Table(Grid(head, [[side, *row] for side, row in pairs]), name))
        if not self.slices and self.labels and not (terms and len(self.labels) == 2):
            power = self.judge_power
            why = "" if power is None else f"Classes are corrected with λ = {power:.2f}."
            grid = Table(self.class_grid, most=SHOWN_CLASSES, rows="classes", note=why)
            blocks += [Heading("Classes"), grid]
        if self.item_samples is not None:
            named: list[list[Cell]] = [
                [name, x.value, x.low, x.high] for name, x in self.item_samples.named.items()
            ]
            grid = Table(Grid(["by item", "value", "low", "high"], named))
            blocks += [Heading("Samples"), grid, Paragraph(self.item_samples.advice, "note")]
        blocks += self._explained(g[0] for g in groups) if explain else []
        seen = set(chain(*groups, ["f1"] * (not self.slices)))
        facts = [self.items_text(self.n)]
        facts += [counted(len(self.labels), "class", "classes")] * bool(self.labels)
        facts += [counted(self.outside, "prediction") + " outside the classes"] * bool(self.outside)
        facts += [counted(len(self.slices), "slice")] * bool(self.slices)
        facts += [] if self.level is None else [f"{level_text(self.level)} intervals"]
        blocks += [] if self.slices or not self.labels else [self.picture]
        warnings, title = self.warnings_on(seen), ", ".join(facts)
        return self.described(title, blocks, self.data, warnings=warnings, footnote=note)

    def without_classes(self) -> Scores:
        """The scores of items that have grades and no classes."""
        columns: dict[str, Column] = {name: [] for name in (*MARGINS, *PER_CLASS)}
        parts = tuple(part.without_classes() for part in self.slices)
        return replace(self, labels=(), classes=ClassScores((), columns, {}), slices=parts)

    @cached_property
    def level(self) -> float | None:
        """The level of the intervals, if there are any."""
        every = (s for part in (self, *self.slices) for s in part.metrics.values())
        return next((s.level for s in every if s.low is not None), None)

    @property
    def class_grid(self) -> Grid:
        """One row per class; of the intervals only that of F1, for the table to stay readable."""
        sure, values = bool(self.classes.intervals), self.classes.values
        head = ["class", "precision", "recall", "F1", *["low", "high"] * sure]
        shown = [values[name] for name in PER_CLASS]
        shown += self.classes.intervals["f1"].ends if sure else ()
        shown += [values[name] for name in ("prevalence", "bias", "correct")]
        rows = list(map(list, zip(map(str, self.classes.labels), *shown, strict=True)))
        return Grid([*head, "true", "predicted", "correct"], rows)

    def data(self) -> Grid:
        """Every number, one a row."""
        head = ["metric", "label", "value", "se", "low", "high", "method", "signature"]
        return self._in_slices(head, Scores._rows)

    def _rows(self) -> Iterable[list[Cell]]:
        for name, s in self.metrics.items():
            yield [name, "", *measured_cells(s), str(s.signature)]
        for c in self.classes:
            for name in (*MARGINS, *PER_CLASS):
                x = c.intervals.get(name) or Interval(getattr(c, name))
                yield [name, str(c.label), *measured_cells(x), str(self.signature)]
