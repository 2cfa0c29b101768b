"""Notes on slices: what holds in some of them and is not said of the whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from evenhand.notes.data import (
    InSlices,
    MoreNeverTrue,
    NeverTrue,
    NoClass,
    RowsDropped,
    TwoFormulas,
)
from evenhand.notes.note import Note

ADDED = (NeverTrue, NoClass, RowsDropped, TwoFormulas)
"""Notes that need not be made of the slices where they are made of the whole."""


def of_slices(
    whole: Sequence[Note], slices: Iterable[tuple[Any, Iterable[Note]]]
) -> tuple[Note, ...]:
    """One note for each kind that some slices have, given with their keys, and the whole has not.

    >>> of_slices([], [("de", [RowsDropped(2)]), ("en", []), ("fr", [RowsDropped(1)])])[0].of
    'rows_dropped'
    """
    said = {type(note) for note in whole}
    found: dict[type[Note], list[tuple[Any, Note]]] = {}
    for key, notes in slices:
        for note in notes:
            if note in whole or isinstance(note, MoreNeverTrue):  # never without a NeverTrue
                continue
            if not (type(note) in said and isinstance(note, ADDED)):
                found.setdefault(type(note), []).append((key, note))
    return tuple(InSlices(kind.code, tuple(rows)) for kind, rows in found.items())
