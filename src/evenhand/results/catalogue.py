"""Catalogue: the metrics that the package knows, listed or explained."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from evenhand.catalogue.binding import evaluate
from evenhand.catalogue.meaning import meaning, said_of
from evenhand.catalogue.names import OTHERS
from evenhand.catalogue.property_words import property_lines
from evenhand.catalogue.recommended import advice_on
from evenhand.catalogue.spelling import Spec, written
from evenhand.core.promises import NAMES
from evenhand.core.registry import AVERAGES, Metric
from evenhand.notes.note import Note
from evenhand.results.cells import Cell
from evenhand.results.content import Block, Content, Heading, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.result import Collection, Result
from evenhand.results.text import counted, number
from evenhand.tables.confusion import Confusion

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
EXAMPLE = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]
"""The table whose values stand in docstrings; true classes are rows."""
FACTS = (
    "symbol",
    "summary",
    "formula",
    "signature",
    "range",
    "better",
    "aliases",
    "parameters",
    "tasks",
    "needs",
    "family",
    "of_one_class",
    "means",
    "use",
    "avoid",
    "reference",
    "words",
    "recommended",
    "properties",
)


@dataclass(frozen=True, eq=False, repr=False)
class Catalogue(Collection[str, Metric], Result):
    """Metrics with formula, range, names and properties.

    >>> from evenhand.catalogue.lists import lookup
    >>> Catalogue((lookup("averaged_f1"),))
    <Catalogue: macro_f1 (macF1); Mean of the per-class F1: every class weighs the same.>
    """

    metrics: tuple[Metric, ...]
    cautions: tuple[Note, ...] = ()

    of_metrics = True

    @property
    def parts(self) -> dict[str, Metric]:
        """The metrics by name."""
        return {m.name: m for m in self.metrics}

    def facts(self) -> dict[str, Any]:
        """What ``evenhand metrics --format json`` prints."""
        return {"metrics": {m.name: _facts(m) for m in self.metrics}}

    def content(self, *, full: bool | None = None) -> Content:
        """A row a metric; all about each if ``full``, as it is for one metric."""
        if full is None:
            full = len(self.metrics) == 1
        title = counted(len(self.metrics), "metric")
        said: list[Block] = [Sheet(self._data(ends=False), wide=120)]
        if full and len(self.metrics) == 1:
            (m,) = self.metrics
            title, said = _title(m), [Words(m.summary, "verdict"), _explained(m)]
        elif full:
            said = [
                block
                for m in self.metrics
                for block in (Heading(_title(m)), Words(m.summary), _explained(m))
            ]
        return Content(title, said, self._data, warnings=self.warnings)

    def _data(self, *, ends: bool = True) -> Grid:
        """One row a metric; the range as two numbers or, without ``ends``, in words."""
        rows: list[list[Cell]] = []
        for m in self.metrics:
            reach = [m.low, m.high] if ends else [extent(m)]
            told = [m.better, m.formula, ", ".join(m.aliases), lacks(m)]
            rows.append([m.name, m.symbol, *reach, *told])
        reach = ["low", "high"] if ends else ["range"]
        return Grid(["metric", "symbol", *reach, "better", "formula", "aliases", "lacks"], rows)


def _title(m: Metric) -> str:
    return f"{m.name} ({m.symbol})"


def _explained(m: Metric) -> Sheet:
    """Everything about one metric, a line each."""
    told = [
        ("write", f"{m.name}:label=NAME" if m.of_one_class else ""),
        ("formula", m.formula),
        ("range", f"{extent(m)}, better: {m.better}"),
        ("signature", m.signature),
        ("where", "; ".join(f"{k}: {v}" for k, v in LETTERS.items() if _has(m.formula, k))),
        ("aliases", ", ".join(m.aliases)),
        ("elsewhere", OTHERS.get(m.name, "")),
        ("family", m.family),
        *said_of(m),
        ("from", m.origin),
        ("0/0", UNDEFINED),
        ("parameters", ", ".join(f"{k} (default {written(v)})" for k, v in m.parameters.items())),
        ("tasks", ", ".join(f"{t}-label" for t in sorted(m.tasks))),
        ("reference", m.reference),
        ("in the papers", ", ".join(m.words)),
        ("example", _example(m)),
        *(("recommended", str(a)) for a in advice_on([m.name])),
        *property_lines(m),
    ]
    return Sheet(Grid(["", ""], [row for row in told if row[1]]), wide=200)


def _example(m: Metric) -> str:
    """The value on the example; averages that are made from a metric of one class work it out."""
    value = m.example
    if value is None and m.family in AVERAGES:
        value = float(evaluate(Spec(m), Confusion.from_matrix(EXAMPLE)))
    if value is None:
        return ""
    if m.needs == "items":
        return f"{value:.6g} on the label sets a and a b, predicted as a and b c"
    table = "; ".join(" ".join(map(str, row)) for row in EXAMPLE)
    return f"{value:.6g} on {table}{' (of the third class)' if m.of_one_class else ''}"


def _has(formula: str, letter: str) -> bool:
    return re.search(rf"(?<![\w′]){re.escape(letter)}(?![\w′\u0302])", formula) is not None


def lacks(m: Metric) -> str:
    """The properties that a metric does not have, by number."""
    if m.properties is None:
        return ""
    return " ".join(NUMBERS[name] for name in m.properties.lacks())


def extent(m: Metric) -> str:
    """The metric's range."""
    return f"{number(float(m.low), 0)} to {m.high:g}" if m.high != float("inf") else "unbounded"


def _facts(m: Metric) -> dict[str, Any]:
    more = {
        **meaning(m)._asdict(),
        "range": [m.low, m.high],
        "parameters": dict(m.parameters),
        "tasks": sorted(m.tasks),
        "recommended": [str(a) for a in advice_on([m.name])],
        "properties": None if m.properties is None else m.properties.told(),
    }
    return {name: more[name] if name in more else getattr(m, name) for name in FACTS}
