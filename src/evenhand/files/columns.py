"""Columns: which ones of a file are meant, by name or by number, and what to say if it has none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.catalogue.strays import folded
from evenhand.count.exact import exact, values_of
from evenhand.count.trim import trim
from evenhand.errors import InputError, Option, shown
from evenhand.files.excel import mixed_columns
from evenhand.files.fields import path_to, value_at
from evenhand.files.layout import TAB
from evenhand.files.sources import Source, scan
from evenhand.notes.note import Note
from evenhand.notes.reading import CellsAsText, ColumnByNumber, HeaderLikeData

FIRST = 1000
"""Rows in which to look for a header's fields, which would make them data."""
NO_COLUMNS = "{} holds one label a line: it has no columns to name"
MARKS = {";": "semicolons", "\t": "tabs", ",": "commas", "|": "bars"}


@dataclass(frozen=True)
class Columns:
    """Columns that were asked for: what each is called in the file, and what was guessed."""

    source: Source
    frame: Any
    called: Mapping[str, str]
    notes: tuple[Note, ...] = ()

    def expr(self, asked: str, name: str | None = None) -> Any:
        """A column, under a name of its own or as it was asked for."""
        import polars as pl

        return pl.col(exact(self.called[asked])).alias(asked if name is None else name)


def find_columns(source: Source, wanted: Sequence[str]) -> Columns:
    """The columns of a file that are wanted: by name, or by number if none is called so.

    The name of what is inside a column is that of the column and its own: ``doc.category``.
    """
    frame = scan(source)
    schema = frame.collect_schema()
    have = list(schema)
    inside = {c: path for c in wanted if c not in have and (path := path_to(c, schema))}
    frame = frame.with_columns(value_at(path).alias(c) for c, path in inside.items())
    called = {c: c for c in inside}
    called |= {c: place for c in wanted if (place := _place(source, have, c)) is not None}
    absent = [c for c in wanted if c not in called]
    if source.is_json:
        fields = source.learnt.form.fields
        source.learnt.refuse(source.name, [path for c in wanted if (path := path_to(c, fields))])
    if absent:
        near = {folded(c): c for c in have}
        alike = [f"{near[folded(c)]!r} and {c!r}" for c in absent if folded(c) in near]
        said = f"; {', '.join(alike)} differ in case or spaces only" if alike else ""
        raise columns_of(source, have, f", expected {shown(dict.fromkeys(absent))} too{said}")
    refuse_twice(source, wanted, have)
    notes = (*_numbered(source, frame, called), *_mixed(source, frame, called))
    return Columns(source, frame, called, notes)


def refuse_twice(source: Source, columns: Iterable[str], have: Sequence[str]) -> None:
    """A name that two columns have does not say which is meant."""
    known = set(have)
    twice = [c for c in columns if {c, f"{c}_duplicated_0"} <= known]
    if twice:
        raise InputError(f"{source.name} has more than one column called {shown(twice)}")


def _place(source: Source, have: Sequence[str], column: str) -> str | None:
    """What a column is called in the file."""
    if column in have:
        return column
    number = int(column) if column.isascii() and column.isdecimal() and len(column) < 10 else 0
    return have[number - 1] if source.in_order and 0 < number <= len(have) else None


def _mixed(source: Source, frame: Any, called: Mapping[str, str]) -> Iterator[Note]:
    """What a reader ought to know of cells of a sheet that were no text."""
    for path, name in source.files if source.kind == "excel" else ():
        columns, header = list(dict.fromkeys(called.values())), source.layout.header
        for column in mixed_columns(path, source.part, frame, columns, header=header):
            yield CellsAsText(name, column)


def _numbered(source: Source, frame: Any, called: Mapping[str, str]) -> tuple[Note, ...]:
    """What a reader ought to know of columns that were found by number."""
    guessed = {c: place for c, place in called.items() if c != place}
    notes: list[Note] = [ColumnByNumber(c, place) for c, place in guessed.items()]
    data = like_data(source, frame, list(dict.fromkeys(guessed.values())))
    return tuple([*notes, HeaderLikeData(source.name, tuple(data))] if data else notes)


def like_data(source: Source, frame: Any, columns: Sequence[str]) -> list[str]:
    """The names of columns that stand in their columns once more, as data would."""
    if not (source.has_header and columns):
        return []
    rows = trim(frame.select(map(exact, columns)).head(FIRST).collect(), columns)
    said = {c: re.sub(r"_duplicated_[0-9]+$", "", c) for c in columns}
    texts = [c for c in columns if said[c] and str(rows[c].dtype) == "String"]
    return [said[c] for c in texts if (values_of(rows, c) == said[c]).any()]


def columns_of(source: Source, have: Iterable[str], *wanted: str | Option) -> InputError:
    """Which columns a file has and what is wanted, with a hint if it may be read otherwise."""
    names = list(have)
    kind = "one column" if len(names) == 1 else "columns"
    return InputError(
        f"{source.name} has {kind} {shown(names, 12)}", *wanted, *_hint(source, names)
    )


def _hint(source: Source, names: Sequence[str]) -> tuple[str | Option, ...]:
    """The option that may help: another mark between fields, or no header."""
    if source.kind in ("csv", "tsv") and len(names) == 1:
        line = names[0] if source.has_header else str(scan(source).head(1).collect().item(0, 0))
        for mark, said in MARKS.items():
            if mark in line:
                spelled = Option("delimiter", TAB if mark == "\t" else mark)
                return (f"; is it separated by {said}? ", spelled, " reads it so")
    if like_data(source, scan(source), names):
        return "; its first row looks like data: ", Option("no_header"), " numbers columns from 1"
    return ()


def which_columns(source: Source, *options: str) -> InputError:
    """What to say when a file does not tell which of its columns hold labels."""
    have = scan(source).collect_schema()
    return columns_of(source, have, ": say which with ", *named_options(*options))


def named_options(*names: str) -> list[str | Option]:
    """Options in a row, for a message."""
    return [part for name in names for part in (" and ", Option(name))][1:]
