"""Cautions: what a reader must know about the tables, beside the scores."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from evenhand.catalogue.binding import Table
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
    table: Table, classes: Classes, worth: float, pairs: list[Twins], lost: list[Lost]
) -> list[list[Note]]:
    """The notes on every table of a stack."""
    strays = stray_notes(table, classes, worth, [pair.macro_f1 for pair in pairs])
    weigh = weighted(table)
    return [list(_cautions(*row, weigh)) for row in zip(strays, pairs, lost, strict=True)]


def _cautions(strays: Note | None, pair: Twins, lost: Lost, weigh: bool) -> Iterable[Note]:
    if strays is not None:
        yield strays
    if pair.gap > POINT:
        yield TwoFormulas(pair.macro_f1, pair.f1_of_averages)
    if lost.outside:
        yield NoClass(lost.outside, lost.missing, weigh)
    if lost.dropped:
        yield RowsDropped(lost.dropped)
