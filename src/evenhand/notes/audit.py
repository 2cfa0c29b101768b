"""Notes on reported scores."""

from __future__ import annotations

from evenhand.notes.note import Note


class Undecided(Note):
    """Rows whose search for a table ended before it was done."""

    systems: tuple[str, ...]


class AverageUnsaid(Note):
    """Headings that do not say which average they are of, or of which class.

    ``taken`` is what they were taken for: "one" class, "weighted" or "macro" averages.
    """

    columns: tuple[str, ...]
    taken: str


class SpreadsBeside(Note):
    """Columns with a spread beside the scores, as of runs of which nobody said how many."""

    columns: tuple[str, ...]


class WeightsAsSizes(Note):
    """Columns of class sizes that are no whole numbers, as sums of weights are."""

    columns: tuple[str, ...]


class SeveralLabels(Note):
    """Micro averages that differ: items were taken to have several labels."""


class TableNotRead(Note):
    """A table among others that could not be read, and why."""

    caption: str
    reason: str


class Outside(Note):
    """Rows that would be consistent if some predictions were outside the classes."""

    systems: tuple[str, ...]
