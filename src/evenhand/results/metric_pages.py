"""The catalogue of metrics and signatures in words, as results."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypedDict

from evenhand.catalogue.binding import EXAMPLE, EXAMPLE_SCORES, worked_example
from evenhand.catalogue.descriptions import (
    Meaning,
    advice_on,
    meaning,
    meaning_lines,
    property_lines,
)
from evenhand.catalogue.names import names_elsewhere
from evenhand.catalogue.signature import explained
from evenhand.catalogue.spelling import written
from evenhand.core.properties import NAMES
from evenhand.core.registry import Metric
from evenhand.records import Record
from evenhand.results.document import Block, Content, Heading, Paragraph, Table
from evenhand.results.result import Collection, Result
from evenhand.text import Grid, counted, number

if TYPE_CHECKING:
    from evenhand.catalogue.signature import Signature

NUMBERS = dict(zip(NAMES, ("I", "II", "III", "IV", "V"), strict=True))
"""The properties by number: I monotonicity … V chance."""
LETTERS = {
    "TP": "hits of the class",
    "FP": "wrong predictions of it",
    "FN": "its items that were missed",
    "TN": "items that neither are of it nor were taken for it",
    "correct": "hits of a class",
    "bias": "how often it was predicted",
    "prevalence": "how often it is true",
    "P": "precision",
    "R": "recall",
    "TNR": "specificity",
    "FPR": "1 − specificity",
    "FNR": "1 − recall",
    "Acc": "accuracy",
    "m": "a cell",
    "s": "all items",
    "k": "the number of classes",
    "c": "all hits",
    "p·b": "Σ prevalence·bias",
}
"""The letters of formulas."""
UNDEFINED = "0, or as asked: 1, or nan, which leaves the class out"


class MetricEntry(Record):
    """A metric as the catalogue has it."""

    json_fields = f"""symbol=metric.symbol summary=metric.summary formula=metric.formula
    signature=metric.signature range better=metric.better aliases=metric.aliases
    parameters=metric.parameters tasks needs=metric.needs family=metric.family
    of_one_class=metric.of_one_class means=meaning.means use=meaning.use avoid=meaning.avoid
    reference=metric.reference words=metric.words recommended
    properties=metric.properties({" ".join(NAMES)} note because)"""

    metric: Metric

    @property
    def range(self) -> tuple[float, float]:
        """The ends of its range."""
        return self.metric.low, self.metric.high

    @property
    def tasks(self) -> list[str]:
        """The tasks that it is for."""
        return sorted(self.metric.tasks)

    @property
    def meaning(self) -> Meaning:
        """What its number means."""
        return meaning(self.metric)

    @property
    def recommended(self) -> list[str]:
        """What papers advise about it."""
        return [str(a) for a in advice_on([self.metric.name])]


class FieldMeaning(TypedDict):
    """A field of a signature and what it says."""

    value: str
    meaning: str


class Catalogue(Collection[str, Metric], Result):
    """Metrics with formula, range, names and properties.

    >>> from evenhand.catalogue.lists import lookup
    >>> Catalogue((lookup("averaged_f1"),))
    <Catalogue: macro_f1 (macF1); Mean of the per-class F1: every class weighs the same.>
    """

    metrics: tuple[Metric, ...]
    having: str = ""

    of_metrics = True

    @property
    def parts(self) -> dict[str, Metric]:
        """The metrics by name."""
        return {m.name: m for m in self.metrics}

    json_fields = "metrics=entries"

    @property
    def entries(self) -> dict[str, MetricEntry]:
        """What is known of each metric, by name."""
        return {m.name: MetricEntry(m) for m in self.metrics}

    def content(self, *, full: bool | None = None) -> Content:
        """A row a metric; all about each if ``full``, as it is for one metric."""
        if full is None:
            full = len(self.metrics) == 1
        title = counted(len(self.metrics), "metric")
        blocks: list[Block] = [Table(self._data(ends=False), wide=120)]
        if self.having:
            title = f"{title} with {self.having.replace('_', ' ')}"
            why = "evenhand properties METRIC shows why a metric has a property, or lacks it."
            blocks.append(Paragraph(why, "note"))
        elif full and len(self.metrics) == 1:
            (m,) = self.metrics
            title, blocks = _title(m), [Paragraph(m.summary, "verdict"), _explained(m)]
        elif full:
            each = ((Heading(_title(m)), Paragraph(m.summary), _explained(m)) for m in self.metrics)
            blocks = [block for one in each for block in one]
        return self.described(title, blocks, self._data)

    def _data(self, *, ends: bool = True) -> Grid:
        """One row a metric; the range as two numbers or, without ``ends``, in words."""
        reach: list[Any] = ["low, high"] if ends else [("range", extent)]
        aliases = ("aliases", lambda m: ", ".join(m.aliases))
        columns = ["metric=name, symbol", *reach, "better, formula", aliases, ("lacks", lacks)]
        return Grid.from_records(self.metrics, *columns)


def _title(m: Metric) -> str:
    return f"{m.name} ({m.symbol})"


def _explained(m: Metric) -> Table:
    """Everything about one metric, a line each."""
    around = r"(?<![\w′]){}(?![\w′\u0302])"
    calibrated = names_elsewhere().get(f"{m.name}@uniform", "")
    letters = [k for k in LETTERS if re.search(around.format(re.escape(k)), m.formula)]
    rows = [
        ("write", f"{m.name}:label=NAME" if m.of_one_class else ""),
        ("formula", m.formula),
        ("range", f"{extent(m)}, better: {m.better}"),
        ("signature", m.signature),
        ("where", "; ".join(f"{k}: {LETTERS[k]}" for k in letters)),
        ("aliases", ", ".join(m.aliases)),
        ("elsewhere", names_elsewhere().get(m.name, "")),
        ("calibrated", calibrated and f"{m.name}@uniform: {calibrated}"),
        ("family", m.family),
        *meaning_lines(m),
        ("from", m.origin),
        ("0/0", "" if m.needs == "scores" else UNDEFINED),
        ("parameters", ", ".join(f"{k} (default {written(v)})" for k, v in m.parameters.items())),
        ("tasks", ", ".join(f"{t}-label" for t in sorted(m.tasks))),
        ("reference", m.reference),
        ("in the papers", ", ".join(m.words)),
        ("example", _example(m)),
        *(("recommended", str(a)) for a in advice_on([m.name])),
        *property_lines(m),
    ]
    return Table(Grid(["", ""], [row for row in rows if row[1]]), wide=200)


def _example(m: Metric) -> str:
    """The value of a metric of ours on the example."""
    if m.own:
        return ""
    value = worked_example(m)
    if m.needs == "scores":
        true, scores = (" ".join(map(str, side)) for side in EXAMPLE_SCORES)
        return f"{value:.6g} on {scores}, items of {true}"
    if m.needs == "items":
        return f"{value:.6g} on the label sets a and a b, predicted as a and b c"
    table = "; ".join(" ".join(map(str, row)) for row in EXAMPLE)
    return f"{value:.6g} on {table}{' (of the third class)' if m.of_one_class else ''}"


def lacks(m: Metric) -> str:
    """The properties that a metric does not have, by number."""
    if m.properties is None:
        return ""
    return " ".join(NUMBERS[name] for name in m.properties.lacks())


def extent(m: Metric) -> str:
    """The metric's range."""
    return f"{number(float(m.low), 0)} to {m.high:g}" if m.high != float("inf") else "unbounded"


# Signatures in words.


class Explained(Result):
    """A signature, field by field.

    >>> from evenhand.catalogue.signature import Signature
    >>> Explained(Signature.parse("m:macro_f1|n:3"))
    <Explained: m:macro_f1|n:3 in words>
    """

    signature: Signature

    json_fields = "signature short=signature.short fields"

    @property
    def fields(self) -> dict[str, FieldMeaning]:
        """Each field with its value and what that means."""
        rows = explained_grid(self.signature).rows
        return {str(k): {"value": str(v), "meaning": str(words)} for k, v, words in rows}

    def content(self) -> Content:
        """Each field with its value and what it means."""
        grid = explained_grid(self.signature)
        title = f"{self.signature.short} in words"
        return self.described(title, [Table(grid, wide=200)], lambda: grid)


class Differences(Collection[str, tuple[str, str]], Result):
    """The fields in which two signatures differ.

    >>> from evenhand.catalogue.signature import Signature
    >>> found = Differences(Signature.parse("n:3"), Signature.parse("n:4"))
    >>> found, found["n"], found.ok
    (<Differences: 1 field differs>, ('3', '4'), False)
    """

    first: Signature
    second: Signature

    json_fields = "differences=parts"

    @property
    def parts(self) -> dict[str, tuple[str, str]]:
        """Both values of each field that differs."""
        return self.first.differences(self.second)

    @property
    def ok(self) -> bool:
        """Whether there is no difference."""
        return not self.parts

    def content(self) -> Content:
        """The fields that differ, side by side."""
        if self.ok:
            return self.described("no difference", [], self._data)
        title = f"{counted(len(self), 'field')} {'differs' if len(self) == 1 else 'differ'}"
        return self.described(title, [Table(self._data(), wide=200)], self._data)

    def _data(self) -> Grid:
        return Grid(["field", "first", "second"], [[name, *both] for name, both in self.items()])


def explained_grid(signature: Signature) -> Grid:
    """One row a field: its name, its value, its meaning."""
    words = dict(explained(signature))
    return Grid(["field", "value", "meaning"], [[k, v, words[k]] for k, v in signature.items()])
