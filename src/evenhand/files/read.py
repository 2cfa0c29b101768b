"""The one way in: whatever files hold, as the table or the sample that a verb works on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from evenhand.errors import InputError, Option, shown
from evenhand.files.check import explained
from evenhand.files.gather import gathered, refuse_few
from evenhand.files.guards import (
    Margins,
    equal_to_truth,
    headers_counted,
    strangers,
    truth_itself,
)
from evenhand.files.items import Items
from evenhand.files.opening import opened
from evenhand.files.printed.counted import counted
from evenhand.files.reading import Reading
from evenhand.files.rename import renamed
from evenhand.files.saved import is_saved, load
from evenhand.files.sequences import unfolded
from evenhand.files.sources import Source
from evenhand.notes.note import Note
from evenhand.tables.confusion import Confusion
from evenhand.tables.sample import Sample, SoftSample

D = TypeVar("D", covariant=True)
TEXT = ("lines", "csv", "tsv")
"""Kinds of files that may be what a program has printed."""


@dataclass(frozen=True)
class Read(Generic[D]):
    """Data from files, and what a reader of the result ought to know of how they were read.

    ``runs`` says which systems are runs of one, ``failed`` what was wrong with files left out.
    """

    data: D
    notes: tuple[Note, ...] = ()
    runs: Mapping[str, Sequence[str]] | None = None
    failed: Mapping[str, InputError] = field(default_factory=dict)


def read(
    reading: Reading, *, rows: bool = False, several: bool = False, part: bool = False
) -> Read[Any]:
    """The table of one system, or with ``rows`` its sample; with ``several`` systems, theirs.

    A file may also be a table that was saved, or what another program has printed of one. A
    ``part`` is counted with others.
    """
    refuse_at_odds(reading)
    first, *others = reading.files
    columns = bool(reading.truth or reading.id)
    with opened(first, columns=columns, layout=reading.layout) as source, explained(source):
        alone = not others and not several
        if alone and is_saved(source.paths[0]):
            return saved(reading, source)
        if alone and not reading.of_columns and (table := printed(reading, source)):
            return table
        with gathered(reading, source, several=several) as found:
            return _guarded(unfolded(found), rows or several, part)


def _guarded(items: Items, rows: bool, part: bool) -> Read[Any]:
    """What the items are counted as; systems that cannot be meant are refused or left out.

    A ``part`` of what is counted may look strange where the whole does not.
    """
    data, notes = items.counted(rows=rows)
    seen = Margins.of(items, data.tables())
    failed = truth_itself(items) | ({} if part else strangers(items, seen))
    if failed:
        if not items.reading.keep_going:
            raise next(iter(failed.values()))
        items = items.without(failed)
        refuse_few(items.systems, items.failed)
        data, notes = items.counted(rows=rows)
        seen = Margins.of(items, data.tables())
    alike = () if part else equal_to_truth(items, seen)
    guessed = (note for file in items.sources for note in file.notes)
    notes = [*guessed, *items.notes, *notes, *headers_counted(items, seen), *alike]
    return Read(data, tuple(dict.fromkeys(notes)), items.runs, items.failed)


def refuse_at_odds(reading: Reading) -> None:
    """Options that exclude each other, or that would be passed over in silence."""
    soft = reading.probabilities is not None
    for name, given in (("pred", reading.pred), ("kind", reading.kind), ("system", reading.system),
                        ("separator", reading.separator)):  # fmt: skip
        if soft and given:
            raise InputError(
                Option("probabilities"), " stand in the place of labels: leave out ", Option(name)
            )
    if reading.decide is not None and not soft:
        raise InputError(Option("decide"), " goes with ", Option("probabilities"))
    if reading.system and len(reading.pred) > 1:
        said = f" one column holds all predictions, got {shown(reading.pred)}"
        raise InputError("with ", Option("system"), said)
    if reading.missing != "error" and reading.id is None:
        raise InputError(Option("missing", reading.missing), " goes with ", Option("id"))
    if reading.label and reading.true and (reading.pred or len(reading.files) == 1):
        raise InputError(
            Option("label"),
            " names the column of labels in all files: leave out ",
            *(Option("true"), " and ", Option("pred")),
        )
    ours = [c for c in reading.beside if c.startswith("evenhand:")]
    if ours:
        raise InputError(f"columns beside the truth must not be called {shown(ours)}")


def saved(reading: Reading, source: Source) -> Read[Confusion]:
    """The table that a file keeps, with other names of labels if asked for."""
    if reading.of_columns:
        raise InputError(f"{source.name} is a saved table: it has no columns to choose")
    if (reading.labels is not None and not reading.renames) or reading.drop_null_truth:
        raise InputError(f"{source.name} is a saved table: its labels are counted already")
    table, notes = renamed(load(source.paths[0], source.name).table, reading)
    return Read(table, tuple(notes))


def printed(reading: Reading, source: Source) -> Read[Confusion] | None:
    """The table that a program has printed, if the file is such a print-out."""
    found = counted(source.paths[0], source.name) if source.kind in TEXT else None
    if found is None:
        return None
    table, notes = renamed(found[0], reading)
    return Read(table, (*found[1], *notes))


def part_of(reading: Reading, files: tuple[str, ...]) -> Read[Any]:
    """The table of some of the files, its labels before they get other names."""
    labels = None if reading.renames else reading.labels
    plain = replace(reading, files=files, mapping=None, ignore_case=False, labels=labels)
    found = read(plain, part=True)
    return replace(found, data=_table_of(found.data)) if found.data.systems else found


def _table_of(data: Sample | SoftSample) -> Confusion:
    """The table of one system, or the stack of its slices."""
    if not data.slices:
        return data.tables()[0]
    parts = {key: part.tables()[0] for key, part in data.slices}
    return replace(Confusion.stack(parts), axes=("slice",))
