"""Cautions: what a reader must know about the tables, beside the scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from evenhand.catalogue.binding import Table
from evenhand.catalogue.lists import TWINS
from evenhand.catalogue.strays import stray_notes, weighted
from evenhand.notes.data import NoClass, RowsDropped, TwoFormulas
from evenhand.notes.note import Note
from evenhand.scoring.twins import Twins
from evenhand.tables.confusion import Classes

POINT = 0.01
"""A gap between the two macro F1s above this is worth a warning."""


class Lost(NamedTuple):
    """Predictions that are no class, those of them that are missing, and rows left out."""

    outside: float
    missing: int
    dropped: int


def lost_of(table: Table) -> list[Lost]:
    """What every table of a stack has lost."""
    outside = np.ravel(table.outside.sum(axis=-1)).tolist()
    missing, dropped = (np.ravel(x).tolist() for x in (table.missing, table.dropped))
    return [Lost(*row) for row in zip(outside, missing, dropped, strict=True)]


def cautions_of(
    table: Table,
    classes: Classes,
    worth: float,
    pairs: list[Twins],
    lost: list[Lost],
    averages: Sequence[str],
) -> list[list[Note]]:
    """The notes on every table of a stack, as far as they concern the metrics asked for.

    ``averages`` are those of them that weigh classes alike, whose value the class rule decides.
    """
    lead = next((m for m in ("macro_f1", *averages) if m in averages), None)
    known = [pair.macro_f1 for pair in pairs] if lead == "macro_f1" else None
    twins = any(m.metric.name in averages for m in TWINS)
    strays = stray_notes(table, classes, worth, known, lead)
    weigh = weighted(table)
    rows = zip(strays, pairs, lost, strict=True)
    return [list(_cautions(*row, weigh, twins)) for row in rows]


def _cautions(
    strays: Note | None, pair: Twins, lost: Lost, weigh: bool, twins: bool
) -> Iterable[Note]:
    if strays is not None:
        yield strays
    if twins and pair.gap > POINT:
        yield TwoFormulas(pair.macro_f1, pair.f1_of_averages)
    if lost.outside:
        yield NoClass(lost.outside, lost.missing, weigh)
    if lost.dropped:
        yield RowsDropped(lost.dropped)
