"""Sections that a report of one system and one of several have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import singledispatch
from typing import Any

import numpy as np

from evenhand.catalogue.lists import shown_in
from evenhand.catalogue.recommended import advice_on
from evenhand.core.registry import find
from evenhand.draw.confusion import confusion, worst
from evenhand.draw.reliability import reliability
from evenhand.errors import EvenhandError
from evenhand.notes.method import Method
from evenhand.results.cells import Cell, Share
from evenhand.results.content import Block, Code, Content, Heading, Pictures, Section, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.sentence import called
from evenhand.results.signature import explained_grid
from evenhand.results.text import level_text, listed, visible
from evenhand.results.write import text
from evenhand.scoring.threshold_chart import thresholds as threshold_chart
from evenhand.scoring.thresholding import thresholds
from evenhand.shift.charts import prevalence
from evenhand.shift.extrapolating import extrapolate
from evenhand.shift.sweeping import sweep
from evenhand.signature.explain import method_words
from evenhand.signature.line import Signature
from evenhand.tables.confusion import Confusion
from evenhand.tables.sample import SoftSample

FORMULAS = (
    "Two formulas are called 'macro F1'. macro_f1 is the mean of the classes' F1. f1_of_averages "
    "is the F1 of averaged precision and averaged recall; it is never smaller, and rewards "
    "precision and recall that err in opposite directions in different classes."
)
SWEPT = shown_in("sweep")
MIXED = shown_in("mix")
LARGEST = 20
"""Confusions that a report lists."""
MANY = 2000
"""Rows of data that a reader takes along."""


def copies(content: Content, short: Grid) -> list[tuple[str, str]]:
    """Texts for a reader to take along; as CSV the ``short`` form of the data."""
    kept = {"CSV": replace(content, data=lambda: short), "LaTeX": content, "Markdown": content}
    return [(name, text(of, name.lower())) for name, of in kept.items()]


def confusions_of(table: Confusion, name: str) -> list[Block]:
    """The heatmap of one system's table and its worst confusions."""
    found = worst(table, LARGEST)
    rows: list[list[Cell]] = [[str(a), str(b), n, Share(share)] for a, b, n, share in found]
    grid = Grid(["true", "predicted", "items", "of the true class"], rows)
    heading = f"Confusions of {visible(name)}" if name else "Confusions"
    blocks: list[Block] = [Heading(heading), Pictures([confusion(table)])]
    if rows:
        blocks.append(Sheet(grid, f"The {len(rows)} largest confusions", 2))
    return blocks


def confusions_data(table: Confusion) -> list[dict[str, Any]]:
    """The same confusions as JSON has them."""
    names = ("true", "predicted", "items", "share")
    return [dict(zip(names, row, strict=True)) for row in worst(table, LARGEST)]


def swept_class(table: Confusion) -> Any:
    """The class whose share is varied: the rarer of two, else the most frequent."""
    size = np.asarray(table.prevalence, np.float64).reshape(-1, table.k)[0]
    if np.count_nonzero(size) < 2:
        return None
    known = np.where(size > 0, size, np.nan)
    return table.labels[int(np.nanargmin(known) if table.k == 2 else np.nanargmax(known))]


def prevalence_section(
    data: Any, table: Confusion, metrics: Sequence[str], **how: Any
) -> Section | None:
    """What another class mix would do: a sweep of one class, and all classes alike."""
    label = swept_class(table)
    wanted = [m for m in SWEPT if m in metrics] or [m for m in metrics if find(m)][:2]
    if label is None or not wanted:
        return None
    try:
        found = sweep(data, label=label, metrics=wanted, **how)
    except EvenhandError:
        return None
    said = (
        "Scores hold for the class mix of this test set. If only the mix changes, recalls "
        f"stay and everything else follows; here the share of {visible(str(label))} goes from rare "
        "to common, the other classes in proportion."
    )
    blocks: list[Block] = [Words(said), Pictures([prevalence(found, wanted)])]
    return Section("prevalence", "Prevalence", "What prevalence does", blocks)


@singledispatch
def probability_section(
    data: Any, table: Confusion, metrics: Sequence[str], **how: Any
) -> tuple[Section, dict[str, Any]] | None:
    """What probabilities are worth, and a sweep of the threshold of one class; its JSON too."""
    return None


@probability_section.register
def _of_items(
    data: SoftSample, table: Confusion, metrics: Sequence[str], **how: Any
) -> tuple[Section, dict[str, Any]] | None:
    label = swept_class(table)
    if label is None:
        return None
    try:
        found = thresholds(data, label=label, by_metric=_leading(metrics), **how)
    except EvenhandError:
        return None
    told = [
        f"{visible(str(label))} can be predicted from any threshold on, and else the most probable "
        "of the other classes.",
        f"{found.headline}.",
        *(f"{w}." for w in found.warnings),
    ]
    blocks: list[Block] = [Pictures([reliability(data)]), *map(Words, told)]
    blocks += [found.sheet, Pictures([threshold_chart(found)])]
    title = "What the probabilities are worth"
    return Section("probabilities", "Probabilities", title, blocks), found.to_dict()


def _leading(metrics: Sequence[str]) -> str:
    return next((m for m in SWEPT if m in metrics), metrics[0])


def at_uniform(table: Confusion, metrics: Sequence[str], **how: Any) -> dict[str, Any]:
    """Some metrics here and with all classes alike: name → here, uniform, points."""
    wanted = [m for m in MIXED if m in metrics]
    if not wanted:
        return {}
    try:
        found = extrapolate(table, to="uniform", metrics=wanted, interval=None, **how)
    except EvenhandError:
        return {}
    both = {m: (found.observed[m].value, found.expected[m].value) for m in wanted}
    return {
        m: {"here": here, "uniform": there, "points": 100 * (there - here)}
        for m, (here, there) in both.items()
    }


def uniform_table(found: dict[str, Any]) -> list[Block]:
    """The same as a table."""
    rows: list[list[Cell]] = [[m, *values.values()] for m, values in found.items()]
    grid = Grid(["metric", "here", "all classes alike", "points"], rows)
    name = "Scores here, and if all classes were equally frequent"
    return [Sheet(grid, name, 3)] if rows else []


def intervals_words(level: float | None, methods: Mapping[str, Method | None]) -> str:
    """How the interval of each metric was made."""
    by: dict[str, list[str]] = {}
    for metric, method in methods.items():
        if method is not None:
            said = method_words(method.name, method.scale)
            instead = f" (where {method.instead_of} has no width)" if method.instead_of else ""
            by.setdefault(said + instead, []).append(metric)
    if level is None or not by:
        return "There are no intervals here."
    each = (f"{said} for {listed(map(called, of), 3)}" for said, of in by.items())
    return f"Intervals are at {level_text(level)}: {'; '.join(each)}."


def method_section(
    signature: Signature, sentences: Iterable[str], metrics: Iterable[str]
) -> Section:
    """How the numbers came about, and what the authors of the metrics recommend."""
    blocks: list[Block] = [Words(s) for s in sentences]
    if advice := advice_on(metrics):
        blocks += [Heading("What the authors recommend"), *(Words(str(a)) for a in advice)]
    blocks += [Heading("Signature"), Words("Quote it with the scores: it says how they were made.")]
    explained = Sheet(explained_grid(signature), "The signature in words", wide=100)
    blocks += [Code(str(signature)), explained]
    return Section("method", "Method", "Method and signature", blocks)
