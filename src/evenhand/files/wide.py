"""Wide files: a column of truth and one for each system, in one file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evenhand.count.exact import exact
from evenhand.count.trim import trim
from evenhand.errors import InputError, Option, shown
from evenhand.files.columns import (
    MARKS,
    NO_COLUMNS,
    find_columns,
    named_options,
    refuse_twice,
    which_columns,
)
from evenhand.files.items import TRUE, Items, Place, pred
from evenhand.files.join import ID, joined
from evenhand.files.reading import Reading
from evenhand.files.rename import new_name
from evenhand.files.soft import SoftItems, soft_columns
from evenhand.files.sources import Source, scan
from evenhand.notes.note import Note
from evenhand.notes.reading import NoSystems


def of_wide(reading: Reading, source: Source, several: bool) -> Items:
    """One file with a column of truth and one for each system; without names, all others."""
    import polars as pl

    if not source.has_columns:
        raise InputError(NO_COLUMNS.format(source.name)) if reading.of_columns else _ask(source)
    true, systems = reading.true, list(reading.pred)
    if true and reading.probabilities is not None:
        return _wide_soft(reading, source, true, several)
    if not true or not (systems or several):
        raise which_columns(source, "true", "pred")
    found = find_columns(source, [true, *reading.beside, *reading.ids, *systems])
    frame, notes = found.frame, found.notes
    true, systems = found.called[true], [found.called[c] for c in systems]
    if true in systems:
        raise InputError(
            f"{source.name}: column {true!r} cannot hold both truth and predictions; what two "
            "files call alike is named by ",
            Option("label"),
        )
    if len(set(systems)) != len(systems):
        raise InputError(f"a system must be named once, got {shown(systems)}")
    if not systems:
        have = frame.collect_schema().names()
        refuse_twice(source, have, have)
        used = {*found.called.values(), *source.partitions}
        others = [c for c in have if c not in used]
        if source.is_json:
            source.learnt.refuse_like(source.name, true, others)
        systems, strange = _answering(reading, frame, true, others)
        notes += strange
    if not systems:
        raise InputError(f"{source.name} has no column left for a system's predictions")
    for column in reading.ids:
        joined([frame.select(found.expr(column, ID))], [source.name], reading)
    labels = [pl.col(exact(c)).alias(pred(i)) for i, c in enumerate(systems)]
    return Items(
        reading,
        frame.select(pl.col(exact(true)).alias(TRUE), *labels, *map(found.expr, reading.beside)),
        Place(source, true),
        {c: Place(source, c) for c in systems},
        notes,
    )


def _wide_soft(reading: Reading, source: Source, true: str, several: bool) -> Items:
    """One file with a column of truth and the probabilities of one system."""
    if reading.pred or several:
        raise InputError(
            f"{source.name}: probabilities of several systems stand in a file each, beside one of "
            "the truth"
        )
    found = find_columns(source, [true, *reading.beside, *reading.ids])
    for column in reading.ids:
        joined([found.frame.select(found.expr(column, ID))], [source.name], reading)
    soft = soft_columns(reading, source, found.frame)
    return SoftItems(
        reading,
        found.frame.select(found.expr(true, TRUE), *soft.columns, *map(found.expr, reading.beside)),
        Place(source, found.called[true]),
        {"system": Place(source, reading.probabilities)},
        found.notes,
        soft={"system": soft},
    )


def _answering(
    reading: Reading, frame: Any, true: str, columns: Sequence[str]
) -> tuple[list[str], tuple[Note, ...]]:
    """The columns that share some label with the truth: others are ids, texts, notes."""
    import polars as pl

    named = [pl.col(exact(c)).alias(pred(i)) for i, c in enumerate(columns)]
    frame = frame.select(pl.col(exact(true)).alias(TRUE), *named)
    frame = trim(frame, frame.collect_schema().names())
    schema = frame.collect_schema()
    held = {c: dtype for c, dtype in schema.items() if c != TRUE and dtype != pl.Null}
    plain = [TRUE, *(c for c, dtype in held.items() if not dtype.is_nested())]
    numbers = [c for c in plain if schema[c].is_numeric() or schema[c] == pl.Boolean]
    frame = frame.select(plain).cast(dict.fromkeys(numbers, pl.Float64))
    if schema[TRUE].is_nested():
        return list(columns), ()
    truth = frame.select(pl.col(TRUE).unique()).collect(engine="streaming")[TRUE].drop_nulls()
    alike = [c for c in plain[1:] if frame.collect_schema()[c] == truth.dtype]
    if not alike:
        return [], (NoSystems(tuple(columns), true),) if columns else ()
    sizes = frame.select(pl.col(alike).n_unique()).collect(engine="streaming").row(0, named=True)
    name, found = new_name(reading), set()
    known = set(map(name, truth))
    for c in alike:
        if c in numbers and sizes[c] > max(10, 3 * len(truth)):
            continue  # an id, an age
        labels = frame.select(pl.col(c).unique()).collect(engine="streaming")[c].drop_nulls()
        if not known.isdisjoint(map(name, labels)):
            found.add(c)
    strange = tuple(c for i, c in enumerate(columns) if pred(i) not in found)
    notes = (NoSystems(strange, true),) if strange else ()
    return [c for c in columns if c not in strange], notes


def _ask(source: Source) -> InputError:
    """What to do with a file of lines: it goes with another, or has columns after all."""
    asked = f"{source.name} holds one label a line: give a file of truth and one of predictions"
    line = str(next(iter(scan(source).head(1).collect().to_series()), ""))
    if not any(mark in line for mark in MARKS):
        return InputError(asked)
    return InputError(asked, ", or say which columns it has with ", *named_options("true", "pred"))
