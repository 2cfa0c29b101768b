"""Sections that a report of one system and one of several have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from evenhand.core.registry import find
from evenhand.draw.confusion import confusion, worst
from evenhand.errors import EvenhandError
from evenhand.results.grid import Cell, Grid
from evenhand.results.signature import explained_grid
from evenhand.results.text import percent, visible
from evenhand.shift.charts import prevalence
from evenhand.shift.curve import sweep
from evenhand.shift.expected import extrapolate
from evenhand.show.report.parts import Block, Code, Heading, Pictures, Section, Table, Words
from evenhand.signature import Signature
from evenhand.table import Confusion

FORMULAS = (
    "Two formulas are called 'macro F1'. macro_f1 is the mean of the classes' F1. f1_of_averages "
    "is the F1 of averaged precision and averaged recall; it is never smaller, and rewards "
    "precision and recall that err in opposite directions in different classes."
)
SWEPT = ("macro_f1", "f1_of_averages", "accuracy", "macro_recall")
MIXED = (*SWEPT, "macro_precision", "weighted_f1", "kappa", "mcc")


def points(gap: float) -> str:
    """A gap between two scores in words."""
    return f"{100 * gap:.2f} points" if abs(gap) < 0.1 else f"{100 * gap:.1f} points"


def confusions_of(table: Confusion, name: str, limit: int = 20) -> list[Block]:
    """The heatmap of one system's table and its worst confusions."""
    found = worst(table, limit)
    rows: list[list[Cell]] = [[str(a), str(b), n, percent(share)] for a, b, n, share in found]
    grid = Grid(["true", "predicted", "items", "of the true class"], rows)
    heading = f"Confusions of {visible(name)}" if name else "Confusions"
    blocks: list[Block] = [Heading(heading), Pictures([confusion(table)])]
    if rows:
        blocks.append(Table(grid, f"The {len(rows)} largest confusions", 2))
    return blocks


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
    chart = prevalence(found, wanted)
    text = (
        "Scores hold for the class mix of this test set. If only the mix changes, recalls "
        f"stay and everything else follows; here the share of {visible(str(label))} goes from rare "
        "to common, the other classes in proportion."
    )
    return Section(
        "prevalence",
        "Prevalence",
        "What prevalence does",
        [Words(text), Pictures([chart]), *_words(found.warnings)],
    )


def uniform_table(table: Confusion, metrics: Sequence[str], **how: Any) -> list[Block]:
    """Scores here and with all classes alike."""
    wanted = [m for m in MIXED if m in metrics]
    if not wanted:
        return []
    try:
        found = extrapolate(table, to="uniform", metrics=wanted, interval=None, **how)
    except EvenhandError:
        return []
    rows: list[list[Cell]] = []
    for m in wanted:
        here, there = found.observed[m].value, found.expected[m].value
        rows.append([m, here, there, 100 * (there - here)])
    head = ["metric", "here", "all classes alike", "points"]
    return [Table(Grid(head, rows), "Scores here, and if all classes were equally frequent", 3)]


def method_section(
    signature: Signature, sentences: Iterable[str], warnings: Iterable[str]
) -> Section:
    """How the numbers came about."""
    blocks: list[Block] = [Words(s) for s in sentences]
    blocks += [Words(w, "warning") for w in warnings]
    blocks += [Heading("Signature"), Words("Quote it with the scores: it says how they were made.")]
    blocks.append(Code(str(signature)))
    blocks.append(Table(explained_grid(signature), "The signature in words"))
    return Section("method", "Method", "Method and signature", blocks)


def _words(warnings: Iterable[str]) -> list[Block]:
    return [Words(w, "note") for w in warnings]
