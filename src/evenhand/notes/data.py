"""Notes on the data: labels that are never true, answers that are no class, rows left out."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from typing import Any

from evenhand.notes.note import Note
from evenhand.notes.record import Record


@dataclass(frozen=True)
class Stray(Record):
    """A label that is never true, how much was predicted of it, and the true label it resembles.

    ``like`` differs from it in case, spaces or Unicode form only.
    """

    label: Any
    items: float
    like: Any = None


class NeverTrue(Note):
    """Predictions of labels that are true of no item; and a metric over the classes of two rules.

    ``items`` of the strays are weights where the items have weights (``weighted``).
    """

    strays: tuple[Stray, ...]
    weighted: bool = False
    system: str | None = None
    metric: str | None = None
    rule: str = ""
    value: float = float("nan")
    other_rule: str = ""
    other: float = float("nan")


class MoreNeverTrue(Note):
    """Further systems that predict labels which are never true, each with its note."""

    systems: tuple[NeverTrue, ...]


class CommonClasses(Note):
    """Groups that are compared over the classes that are true in each, and those left out."""

    labels: tuple[Any, ...]
    left: tuple[Any, ...]


class NoCommonClass(Note):
    """Averages over classes that groups without a common class are not compared on."""

    metrics: tuple[str, ...]


class NoClass(Note):
    """Predictions that are no class at all, by system where there are several."""

    items: float
    missing: int = 0
    weighted: bool = False
    systems: tuple[tuple[str, float], ...] = ()


class Alphabetical(Note):
    """Metrics that see classes in an order, and it is that of the alphabet."""

    about = "metrics"

    metrics: tuple[str, ...]
    labels: tuple[Any, ...]


class Copies(Note):
    """Systems that give the same answer on every item."""

    systems: tuple[str, ...]


class RowsDropped(Note):
    """Rows without a true label that were left out."""

    rows: int


class TwoFormulas(Note):
    """Two formulas are called macro F1, and differ here."""

    macro_f1: float
    f1_of_averages: float


class EmptiedClass(Note):
    """Classes whose share is set to 0: their recall, 0/0, takes the policy."""

    about = "metric"

    metric: str
    labels: tuple[Any, ...]
    worth: float


class InSlices(Note):
    """One kind of note that holds in several slices: the key and the note of each."""

    of: str
    slices: tuple[tuple[Any, Note], ...]

    def concerning(self, metrics: Container[str]) -> Note | None:
        each = ((key, note.concerning(metrics)) for key, note in self.slices)
        kept = tuple((key, note) for key, note in each if note is not None)
        return replace(self, slices=kept) if kept else None
