"""Strays: labels that a system predicts and that are true of no item."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from evenhand.catalogue.binding import Table, evaluate
from evenhand.notes.data import MoreNeverTrue, NeverTrue, NoClass, RowsDropped, Stray
from evenhand.notes.note import Note
from evenhand.tables.confusion import Classes, Confusion
from evenhand.tables.labels import Label, positions

NAMED = 5
"""Systems whose strays are told of one by one."""


def strays_of(table: Table) -> list[tuple[Stray, ...]]:
    """The strays of every table of a stack, most frequent first; of one table, a list of one."""
    shape = (-1, len(table.labels))
    bias, prevalence = (np.asarray(x).reshape(shape) for x in (table.bias, table.prevalence))
    stray = (prevalence == 0) & (bias > 0)
    if not stray.any():
        return [()] * len(stray)
    found: list[list[Stray]] = [[] for _ in stray]
    known = [_by_fold(table, row) for row in prevalence > 0]
    for i, j in zip(*(x.tolist() for x in stray.nonzero()), strict=True):
        label = table.labels[j]
        found[i].append(Stray(label, float(bias[i, j]), known[i].get(folded(label))))
    return [tuple(sorted(row, key=lambda s: -s.items)) for row in found]


def _by_fold(table: Table, there: Iterable[bool]) -> dict[str, Label]:
    labels = [v for v, is_there in zip(table.labels, there, strict=True) if is_there]
    return {folded(v): v for v in labels if isinstance(v, str)}


def folded(label: Label) -> str:
    """What is left of a label without case, spaces and ways of writing the same character.

    >>> folded("Not  Spam") == folded("not spam ")
    True
    """
    return "".join(unicodedata.normalize("NFKC", str(label)).casefold().split())


def merged(strays: Iterable[Stray]) -> tuple[Stray, ...]:
    """Strays of several tables as those of one, most frequent first."""
    items: dict[Label, float] = {}
    like: dict[Label, Label | None] = {}
    for s in strays:
        items[s.label] = items.get(s.label, 0) + s.items
        like[s.label] = like.get(s.label) if s.like is None else s.like
    found = (Stray(label, n, like[label]) for label, n in items.items())
    return tuple(sorted(found, key=lambda s: -s.items))


def weighted(table: Table) -> bool:
    """Whether amounts of the table are weights rather than numbers of items."""
    return table.weighing != "none"


def stray_notes(
    table: Table,
    classes: Classes,
    worth: float,
    values: Sequence[float] | None = None,
    metric: str | None = "macro_f1",
) -> list[NeverTrue | None]:
    """On each table's labels that are never true, with a metric over the classes of two rules.

    ``values`` are those of the metric, where they are known. A stack's keys name its systems.
    """
    strays, weigh = strays_of(table), weighted(table)
    rule = table.rule(classes) if isinstance(classes, str) else None
    if not any(strays) or rule == "given":
        return [None] * len(strays)
    if not isinstance(classes, str):  # listed classes are those whatever is seen
        listed = {table.labels[i] for i in positions(classes, table.labels)}
        strays = [tuple(s for s in row if s.label not in listed) for row in strays]
    if rule is None or metric is None:
        return [NeverTrue(row, weigh) if row else None for row in strays]
    other_rule = "true" if rule == "seen" else "seen"

    def over(rule: str) -> list[float]:
        found = evaluate(metric, table, classes=rule, undefined=worth)
        return list(np.asarray(found).reshape(-1).tolist())

    rows = zip(strays, over(rule) if values is None else values, over(other_rule), strict=True)
    return [
        NeverTrue(row, weigh, None, metric, rule, float(value), other_rule, float(other))
        if row
        else None
        for row, value, other in rows
    ]


def notes_by_system(tables: Confusion, classes: Classes, worth: float) -> list[Note]:
    """The same for several systems, of which a few are named."""
    if not tables.shape:
        return [n for n in stray_notes(tables, classes, worth) if n is not None]
    found = [
        replace(note, system=str(name))
        for name, note in zip(tables.keys[0], stray_notes(tables, classes, worth), strict=True)
        if note is not None
    ]
    more = tuple(found[NAMED:])
    return [*found[:NAMED], *([MoreNeverTrue(more)] if more else [])]


def lost_by_system(tables: Confusion) -> list[Note]:
    """Notes on the predictions of several systems that are no class, and on rows left out."""
    lost = np.asarray(tables.outside).sum(axis=-1)
    by = zip(map(str, tables.keys[0]), lost.tolist(), strict=True)
    found = tuple((name, float(items)) for name, items in by if items)
    missing = int(np.sum(tables.missing))
    notes: list[Note] = []
    if found:
        notes.append(NoClass(float(lost.sum()), missing, weighted(tables), found))
    dropped = int(np.max(tables.dropped, initial=0))  # the same rows for every system
    return [*notes, RowsDropped(dropped)] if dropped else notes
