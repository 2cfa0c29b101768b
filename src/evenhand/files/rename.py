"""Renaming labels once they are counted: from a map, or by folding case."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.count.tally import refuse_strange
from evenhand.errors import InputError
from evenhand.files.pairs import read_pairs
from evenhand.files.reading import Reading
from evenhand.notes.note import Note
from evenhand.notes.reading import CaseIgnored, LabelsRenamed
from evenhand.tables.confusion import Confusion
from evenhand.tables.labels import Label, checked, is_ordered, kind_of, ordered


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


@dataclass(frozen=True)
class Change:
    """New names for labels: from the map ``source``, or in small letters."""

    name: Callable[[Label], Label]
    source: str | None = None

    def notes(self, before: Collection[Label], after: Collection[Label]) -> list[Note]:
        """What it did, unless it did nothing that was not asked for."""
        if self.source is not None:
            hit = sum(self.name(v) != str(v) for v in before)
            return [LabelsRenamed(self.source, hit, len(before), len(after))]
        return [] if len(before) == len(after) else [CaseIgnored(len(before), len(after))]


def changes(reading: Reading) -> Iterator[Change]:
    """What a reading does to labels, one after the other."""
    if reading.mapping is not None:
        names = read_map(reading.mapping)
        yield Change(lambda v: names.get(str(v), str(v)), reading.mapping)
    if reading.ignore_case:
        yield Change(lambda v: v.casefold() if isinstance(v, str) else v)


def new_name(reading: Reading) -> Callable[[Label], Label]:
    """What a reading makes of one label."""
    found = list(changes(reading))

    def name(label: Label) -> Label:
        for change in found:
            label = change.name(label)
        return label

    return name


def renamed(table: Confusion, reading: Reading) -> tuple[Confusion, list[Note]]:
    """The table with labels renamed or case folded, and a note on what that did.

    After that it has the classes to expect, in their order; without any, the natural order of
    labels holds for the new ones where it did for the old.
    """
    notes: list[Note] = []
    if not reading.renames:
        return table, notes
    natural = is_ordered(table.labels)
    for change in changes(reading):
        before = table.labels
        table = table.relabel(change.name)
        notes += change.notes(before, table.labels)
    if reading.labels is None and natural:
        return _with_classes(table, ordered(table.labels)), notes
    if reading.labels is None:
        return table, notes
    return _with_classes(table, reading.labels_as(kind_of(table.labels, "labels") or "str")), notes


def _with_classes(table: Confusion, labels: Any) -> Confusion:
    """The table with these classes: other predictions go outside, other truth is refused."""
    known = checked(labels)
    place = {v: i for i, v in enumerate(known)}
    true = np.array([place.get(v, -1) for v in table.labels])
    occurs = np.asarray(table.prevalence).reshape(-1, table.k).any(axis=0)
    refuse_strange([table.labels[i] for i in np.flatnonzero(occurs)], known, "the truth")
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


def rename_columns(columns: Sequence[Any], reading: Reading) -> tuple[list[Any], list[Note]]:
    """Columns of labels, or lists of them, renamed or case folded; and what that did."""
    notes: list[Note] = []
    for change in changes(reading):
        before = _labels(columns)
        columns = [_replaced(column, {v: change.name(v) for v in before}) for column in columns]
        notes += change.notes(before, _labels(columns))
    return list(columns), notes


def _labels(columns: Iterable[Any]) -> set[Any]:
    values = (c.explode() if c.dtype.is_nested() else c for c in columns)
    return {v for column in values for v in column.drop_nulls().unique().to_list()}


def _replaced(column: Any, names: dict[Any, Any]) -> Any:
    """A column with other values, null where it was."""
    import polars as pl

    kind = pl.Series(list(names.values())).dtype
    if column.dtype.is_nested():
        element = pl.element().replace_strict(names, return_dtype=kind, default=None)
        return column.list.eval(element)
    return column.replace_strict(names, return_dtype=kind, default=None)
