"""Scores as a person reads them in a terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evenhand.catalogue import lacking
from evenhand.results.grid import Grid, plain
from evenhand.results.text import counted, key_text, number, shortened, visible

if TYPE_CHECKING:
    from evenhand.scoring.result import Score, Scores
    from evenhand.scoring.twins import Twins

SHOWN_CLASSES = 50


def score_text(scores: Scores, name: str, digits: int, *, fancy: bool = False) -> str:
    """Facts, classes, metrics, the two macro F1s, the signature."""

    def title(text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if fancy else text

    facts = [counted(scores.n, "item", "items"), counted(len(scores.labels), "class", "classes")]
    if scores.outside:
        facts.append(counted(scores.outside, "prediction", "predictions") + " outside")
    if scores.slices:
        facts.append(counted(len(scores.slices), "slice", "slices"))
    parts = [title(f"{visible(name)}: {', '.join(facts)}")]
    if scores.slices:
        parts.append(plain(_slice_grid(scores, digits), digits))
    else:
        grid = scores.class_grid
        rows = grid.rows[:SHOWN_CLASSES]
        parts.append(plain(Grid(grid.columns, rows), digits))
        if len(grid.rows) > SHOWN_CLASSES:
            parts[-1] += f"\n… and {len(grid.rows) - SHOWN_CLASSES:,} more classes (--format csv)"
        parts.append(plain(scores.metric_grid, digits))
    parts.append(title("Two formulas are called 'macro F1':") + "\n" + _twin_lines(scores, digits))
    notes = lacking(scores.metrics, most=5)
    if notes and not scores.slices:
        said = "\n".join(f"  {visible(note)}" for note in notes)
        parts.append(title("Not promised (evenhand properties NAME shows why):") + "\n" + said)
    parts.append(f"signature  {scores.signature}")
    return "\n\n".join(parts)


def _slice_grid(scores: Scores, digits: int) -> Grid:
    """One row a metric, one column a slice."""
    head = ["metric", *(key_text(s.key) for s in scores.slices), "all (pooled)"]
    parts = [*scores.slices, scores]
    rows: list[list[str | float | int | None]] = [["items", *(number(p.n) for p in parts)]]
    rows += [[name, *(_sure(p.metrics[name], digits) for p in parts)] for name in scores.metrics]
    return Grid(head, rows)


def _sure(score: Score, digits: int) -> str:
    """A value and its interval."""
    text = number(score.value, digits)
    if score.low is None:
        return text
    return f"{text} [{number(score.low, digits)}, {number(score.high, digits)}]"


def _twin_lines(scores: Scores, digits: int) -> str:
    t = scores.twins
    rows: list[list[str | float | int | None]] = [
        ["  macro_f1", t.macro_f1, "mean of the per-class F1"],
        ["  f1_of_averages", t.f1_of_averages, "F1 of macro precision and macro recall"],
        ["  gap", t.gap, gap_meaning(t)],
    ]
    return plain(Grid(["", "", ""], rows), digits, label_width=100).split("\n", 1)[1]


def gap_meaning(t: Twins) -> str:
    """What the gap says about the system, in one sentence."""
    points = 100 * t.gap
    if math.isnan(t.gap):
        return "undefined: no averaged class has a value"
    if t.bound == 0:
        return "none: the formulas differ only between classes, and one is averaged"
    if t.gap <= 1e-12:
        return "none: no two classes differ in how they trade precision for recall"
    size = f"{points:.2g} points of at most {100 * t.bound:.1f}"
    if not t.pairs:
        return size
    a, b, share = t.pairs[0]
    names = f"{shortened(visible(str(a)), 20)} and {shortened(visible(str(b)), 20)}"
    return f"{size}; {100 * share:.0f} % of it from {names}"


def twins_grid(t: Twins, pairs: int | None) -> Grid:
    """The numbers of ``evenhand twins``, one a row."""
    rows: list[list[str | float | int | None]] = [
        ["macro_f1", t.macro_f1],
        ["f1_of_averages", t.f1_of_averages],
        ["gap", t.gap],
        ["gap_by_lemma", t.gap_by_lemma],
        ["bound", t.bound],
    ]
    rows += [[f"share of {a} and {b}", share] for a, b, share in t.pairs[:pairs]]
    return Grid(["quantity", "value"], rows, notes=[f"Signature: {t.signature}"])


def twins_text(t: Twins, pairs: int) -> str:
    """Both formulas to all digits, and what the gap means."""
    rows: list[list[str | float | int | None]] = [
        ["f1_of_averages", repr(t.f1_of_averages), "F1 of macro precision and macro recall"],
        ["macro_f1", repr(t.macro_f1), "mean of the per-class F1"],
        ["gap", repr(t.gap), gap_meaning(t)],
    ]
    if t.gap_by_lemma is not None:
        rows.append(["gap_by_lemma", repr(t.gap_by_lemma), "the same, as a sum over class pairs"])
    rows.append(["bound", repr(t.bound), "no table with so many classes has a larger gap"])
    text = plain(Grid(["", "", ""], rows), label_width=100).split("\n", 1)[1]
    if pairs and t.pairs:
        listed: list[list[str | float | int | None]] = [
            [str(a), str(b), f"{100 * share:.1f} %"] for a, b, share in t.pairs[:pairs]
        ]
        text += "\n\n" + plain(Grid(["class", "with", "share of the gap"], listed))
        if len(t.pairs) > pairs:
            text += f"\n… and {number(len(t.pairs) - pairs)} more pairs (--pairs)"
    return f"{text}\n\nsignature  {t.signature}"
