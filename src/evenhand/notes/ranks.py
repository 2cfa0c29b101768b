"""Notes on rankings, comparisons and pairs of classes."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.notes.note import Note


@dataclass(frozen=True)
class ManyPairs(Note):
    """More classes than those whose pairs are looked at."""

    classes: int


@dataclass(frozen=True)
class TablesAlone(Note):
    """Tables without their items: no rank intervals, no chance of being best, no tests."""


@dataclass(frozen=True)
class OtherItems(Note):
    """Tables that do not have the same true labels."""


@dataclass(frozen=True)
class OneRunOnly(Note):
    """Systems with one run, among others with several."""

    systems: tuple[str, ...]


@dataclass(frozen=True)
class UndefinedFor(Note):
    """Metrics that are undefined for some system, which then ranks last."""

    metrics: tuple[str, ...]


@dataclass(frozen=True)
class NoFriedman(Note):
    """Too few slices or systems for Friedman's test: those needed and those there."""

    slices_needed: int
    systems_needed: int
    slices: int
    systems: int


@dataclass(frozen=True)
class LeftOut(Note):
    """A system whose file did not fit, and why."""

    system: str
    reason: str
