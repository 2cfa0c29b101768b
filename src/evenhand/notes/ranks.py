"""Notes on rankings, comparisons and pairs of classes."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

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

    metrics: tuple[str, ...]

    def concerning(self, metrics: Container[str]) -> Note | None:
        kept = tuple(name for name in self.metrics if name in metrics)
        return replace(self, metrics=kept) if kept else None


class LeftOut(Note):
    """A system whose file did not fit, and why."""

    system: str
    reason: str
