"""Notes on rankings, comparisons and pairs of classes."""

from __future__ import annotations

from evenhand.notes.note import Note


class ManyPairs(Note):
    """More classes than those whose pairs are looked at."""

    classes: int


class TablesAlone(Note):
    """Tables without their items: no rank intervals, no chance of being best, no tests."""


class OtherItems(Note):
    """Tables that do not have the same true labels."""


class OneRunOnly(Note):
    """Systems with one run, among others with several."""

    systems: tuple[str, ...]


class UndefinedFor(Note):
    """Metrics that are undefined for some system, which then ranks last."""

    about = "metrics"

    metrics: tuple[str, ...]


class LeftOut(Note):
    """A system whose file did not fit, and why."""

    system: str
    reason: str
