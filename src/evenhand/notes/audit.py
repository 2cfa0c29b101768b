"""Notes on reported scores."""

from __future__ import annotations

from evenhand.notes.note import Note


class Undecided(Note):
    """Rows whose search for a table ended before it was done."""

    systems: tuple[str, ...]


class Outside(Note):
    """Rows that would be consistent if some predictions were outside the classes."""

    systems: tuple[str, ...]
