"""Guards: files that fit together, and yet can hardly be what was meant."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from evenhand.catalogue.binding import Table
from evenhand.catalogue.strays import folded
from evenhand.errors import InputError, Option, shown
from evenhand.files.blocks import blocks
from evenhand.files.items import Items, Place
from evenhand.files.rename import new_name
from evenhand.files.sources import Source
from evenhand.notes.note import Note
from evenhand.notes.reading import EqualToTruth, HeaderCounted
from evenhand.tables.labels import Label, Labels
from evenhand.tables.weights import Numbers


def truth_itself(items: Items) -> dict[str, InputError]:
    """The systems that are the truth, by whatever name of its file; and what to say."""
    gold, reading = _files(items.truth.source), items.reading
    hint: tuple[str | Option, ...] = ()
    if len(items.systems) > 2 and not reading.keep_going:
        hint = ("; ", Option("keep_going"), " goes on without it")
    return {
        name: InputError(f"{place} is the truth itself, expected predictions", *hint)
        for name, place in items.systems.items()
        if place.column == items.truth.column and gold & _files(place.source)
    }


def _files(source: Source) -> set[tuple[int, int]]:
    """What all names of a file share."""
    found = map(os.stat, source.paths)
    return {(facts.st_dev, facts.st_ino) for facts in found}


class Margins(NamedTuple):
    """What a table holds of each class, by system, all slices together."""

    labels: Labels
    true: Numbers
    predicted: Numbers
    right: Numbers
    outside: Numbers
    missing: Numbers

    @classmethod
    def of(cls, items: Items, table: Table) -> Margins:
        """Those of the systems of the items."""
        shape = (len(items.systems), -1, len(table.labels))
        classes = (table.prevalence, table.bias, table.correct, table.outside)
        true, predicted, right, outside = (
            np.asarray(x).reshape(shape).sum(axis=1) for x in classes
        )
        missing = np.asarray(table.missing).reshape(shape[0], -1).sum(axis=1)
        return cls(table.labels, true, predicted, right, outside.sum(axis=1), missing)


def strangers(items: Items, seen: Margins) -> dict[str, InputError]:
    """The systems that predict labels, but none that is true of any item; and what to say.

    Classes that a person lists are known, true or not. Without any prediction there is no label
    to be strange.
    """
    labels, true, predicted, _, outside, missing = seen
    known = (true > 0) if items.reading.labels is None else np.ones_like(true, bool)
    shared = (known & (predicted > 0)).any(axis=1)
    answered = predicted.any(axis=1) | (outside > missing)
    systems, found = list(items.systems.items()), {}
    for i in np.flatnonzero(true.any(axis=1) & answered & ~shared):
        wanted, came = (
            [v for v, n in zip(labels, row, strict=True) if n] for row in (true[i], predicted[i])
        )
        name, place = systems[i]
        found[name] = _no_label_shared(items.truth, place, wanted, came)
    return found


def _no_label_shared(
    truth: Place, place: Place, wanted: Sequence[Label], came: Sequence[Label]
) -> InputError:
    text = f"{place} shares no label with {truth}: expected such as {shown(wanted)}, got "
    text += shown(came) if came else "none of the classes listed"
    if {str(v).casefold() for v in wanted} & {str(v).casefold() for v in came}:
        return InputError(f"{text}; they differ in case, which ", Option("ignore_case"), " ignores")
    if set(map(folded, wanted)) & set(map(folded, came)):
        text += "; they differ in spaces or Unicode form"
    return InputError(f"{text}; ", Option("mapping"), " gives labels other names")


def equal_to_truth(items: Items, seen: Margins) -> Iterator[Note]:
    """One note on the systems whose every label is that of the truth."""
    true, predicted, right = seen.true, seen.predicted, seen.right
    alike = (right == true).all(axis=1) & (right == predicted).all(axis=1)
    names = tuple(name for name, is_alike in zip(items.systems, alike, strict=True) if is_alike)
    if names and true.any():
        yield EqualToTruth(names)


def headers_counted(items: Items, seen: Margins) -> Iterator[Note]:
    """One note on files of one label a line whose first is found nowhere else, as is a header."""
    whole = [items.truth, *items.systems.values()]
    if items.reading.weights is not None or not any(p.source.kind == "lines" for p in whole):
        return
    name = new_name(items.reading)
    amounts = [seen.true[0], *seen.predicted]
    at = {v: i for i, v in enumerate(seen.labels)}
    firsts = [_first_label(place.source) for place in whole]
    places = [None if v is None else at.get(name(v)) for v in firsts]
    found: dict[str, str] = {}
    for place, first, i in zip(whole, firsts, places, strict=True):
        if first is None or i is None:
            continue
        sides = list(zip(amounts, places, strict=True))
        alone = all(a[i] == (p == i) for a, p in sides)
        if alone and all(_repeats(np.delete(a, i)) for a, p in sides if p == i):
            found[place.source.name] = first
    if found:
        yield HeaderCounted(tuple(found.items()))


def _repeats(amount: Numbers) -> bool:
    """Whether every label that occurs does so more than once."""
    return bool(amount.any() and amount[amount > 0].min() > 1)


def _first_label(source: Source) -> str | None:
    """The first label of a file of one a line."""
    if source.kind != "lines":
        return None
    block = next(blocks(source.paths[0], source.name))
    return block.text.split(b"\n", 1)[0].decode().strip() or None
