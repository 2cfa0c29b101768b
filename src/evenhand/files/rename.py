"""Renaming labels after counting: from a map, or by folding case."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.errors import InputError, shown
from evenhand.files.pairs import read_pairs
from evenhand.files.systems import Panel
from evenhand.notes.note import Note
from evenhand.notes.reading import CaseIgnored, LabelsRenamed
from evenhand.tables.confusion import Confusion
from evenhand.tables.labels import Label, checked, kind_of, read_as


def read_map(path: str) -> dict[str, str]:
    """Old and new names: two columns of a CSV or TSV file (no header), or a JSON object."""
    names: dict[str, str] = {}
    for old, new, where, _ in read_pairs(path, "OLD", "NEW", "old names and new names"):
        if not (isinstance(new, str) and new):
            raise InputError(f"{where}: expected a new name for {old!r}, got {new!r}")
        if names.get(old, new) != new:
            raise InputError(f"{where}: {old!r} already has another name")
        names[old] = new
    if not names:
        raise InputError(f"{path} names no labels")
    return names


def renamed(
    table: Any, path: str | None, fold: bool, labels: Iterable[Any] | None = None
) -> tuple[Any, list[Note]]:
    """The table with labels renamed or case folded, and a note on what that did.

    ``labels`` are the classes it is to have then, in their order.
    """
    if (path is not None or fold) and not hasattr(table, "relabel"):
        raise InputError("labels of multi-label data cannot be renamed or folded yet")
    notes: list[Note] = []
    for change in _changes(path, fold):
        before = table.labels
        table = table.relabel(change.name)
        notes += change.notes(before, table.labels)
    return table if labels is None else _with_classes(table, labels), notes


def _with_classes(table: Confusion, labels: Iterable[Any]) -> Confusion:
    """The table with these classes: other predictions go outside, other truth is refused."""
    known = checked(read_as(labels, kind_of(table.labels, "labels")))
    place = {v: i for i, v in enumerate(known)}
    true = np.array([place.get(v, -1) for v in table.labels])
    occurs = np.asarray(table.prevalence).reshape(-1, table.k).any(axis=0)
    strange = [table.labels[i] for i in np.flatnonzero(occurs & (true < 0))]
    if strange:
        raise InputError(
            f"the truth must hold only the given labels {shown(known)}, got {shown(strange)}"
        )
    data = table.data.remap(true, np.where(true < 0, len(known), true), len(known))
    return Confusion.of(
        known,
        data,
        keys=table.keys,
        n=table.n,
        missing=table.missing,
        dropped=table.dropped,
        axes=table.axes,
    )


def relabelled(panel: Panel, path: str | None, fold: bool) -> tuple[Panel, list[Note]]:
    """The items with labels renamed or case folded, and a note on what that did."""
    notes: list[Note] = []
    for change in _changes(path, fold):
        before = panel.labels()
        panel = panel.relabelled(change.name)
        notes += change.notes(before, panel.labels())
    return panel, notes


@dataclass(frozen=True)
class _Change:
    """New names for labels: from the map ``source``, or in small letters."""

    name: Callable[[Label], Label]
    source: str | None = None

    def notes(self, before: Collection[Label], after: Collection[Label]) -> list[Note]:
        """What it did, unless it did nothing that was not asked for."""
        if self.source is not None:
            hit = sum(self.name(v) != str(v) for v in before)
            return [LabelsRenamed(self.source, hit, len(before), len(after))]
        return [] if len(before) == len(after) else [CaseIgnored(len(before), len(after))]


def _changes(path: str | None, fold: bool) -> Iterator[_Change]:
    if path is not None:
        names = read_map(path)
        yield _Change(lambda v: names.get(str(v), str(v)), path)
    if fold:
        yield _Change(lambda v: v.casefold() if isinstance(v, str) else v)
