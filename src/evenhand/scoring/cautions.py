"""Cautions: what a reader must know about the tables, beside the scores."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from evenhand.evaluate import Table
from evenhand.multilabel import MultiLabel
from evenhand.scoring.twins import Twins
from evenhand.strays import stray_sentences
from evenhand.table import Classes

POINT = 0.01
"""A gap between the two macro F1s above this is worth a warning."""


class Lost(NamedTuple):
    """Predictions that are no class, those of them that are missing, and rows left out."""

    outside: float
    missing: int
    dropped: int


def lost_of(table: Table) -> list[Lost]:
    """What every table of a stack has lost."""
    if isinstance(table, MultiLabel):
        return [Lost(0, 0, 0)]
    outside = np.ravel(table.outside.sum(axis=-1)).tolist()
    missing, dropped = (np.ravel(x).tolist() for x in (table.missing, table.dropped))
    return [Lost(*row) for row in zip(outside, missing, dropped, strict=True)]


def cautions_of(
    table: Table, classes: Classes, worth: float, pairs: list[Twins], lost: list[Lost]
) -> list[list[str]]:
    """The warnings of every table of a stack."""
    said = stray_sentences(table, classes, worth, [pair.macro_f1 for pair in pairs])
    return [list(_cautions(*row)) for row in zip(said, pairs, lost, strict=True)]


def _cautions(strays: str | None, pair: Twins, lost: Lost) -> Iterable[str]:
    if strays:
        yield strays
    if pair.gap > POINT:
        yield (
            f"two formulas are called 'macro F1' and differ here by {100 * pair.gap:.1f} points: "
            f"macro_f1 {pair.macro_f1:.4f}, f1_of_averages {pair.f1_of_averages:.4f}; "
            "say which one you report"
        )
    if lost.outside:
        null = f", {lost.missing:,} of them missing" if lost.missing else ""
        yield f"{lost.outside:,g} prediction(s) are no class at all{null}: counted as errors"
    if lost.dropped:
        yield f"{lost.dropped:,} row(s) without a true label were left out"
