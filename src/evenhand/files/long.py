"""Long files: a row for each item and system, brought into one row an item."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.count.exact import exact
from evenhand.count.trim import trim
from evenhand.errors import InputError, NoRowsError, Option, shown
from evenhand.files.columns import Columns, find_columns, which_columns
from evenhand.files.items import TRUE, Items, Place, pred
from evenhand.files.join import ID, WRONG
from evenhand.files.reading import Reading
from evenhand.files.sources import Source

SYSTEM, RUN = "evenhand:system", "evenhand:run"


def of_long(reading: Reading, source: Source) -> Items:
    """One file with a row for each item and system, aligned by id or by the order of rows."""
    system, run, path = str(reading.system), reading.run, source.name
    if run == system:
        raise InputError(f"systems and their runs must be in two columns, got {system!r} for both")
    found = _columns(reading, source)
    frame = _named(reading, found)
    if not len(frame):
        raise NoRowsError(f"{path} has no rows: there is no item to count")
    keys = [SYSTEM] if run is None else [SYSTEM, RUN]
    for key, name in zip(keys, (system, run), strict=False):
        if frame[key].null_count():
            at = frame[key].is_null().arg_max() or 0
            raise InputError(f"{path}, column {name}, row {at + 1}: expected a name, got none")
    parts = {
        "/".join(map(str, k)): (str(k[0]), part)
        for k, part in sorted(
            frame.group_by(keys, maintain_order=True), key=lambda p: tuple(map(str, p[0]))
        )
    }
    each = {name: part for name, (_, part) in parts.items()}
    truth = _by_order(reading, path, each) if reading.id is None else _by_id(reading, path, each)
    runs: dict[str, list[str]] = {}
    for name, (whole, _) in parts.items():
        runs.setdefault(whole, []).append(name)
    truth_in, guess_in = (found.called[c] for c in (str(reading.true), reading.pred[0]))
    return Items(
        reading,
        truth.lazy(),
        Place(source, truth_in),
        dict.fromkeys(parts, Place(source, guess_in)),
        found.notes,
        runs=None if run is None else runs,
        as_in_file=False,
    )


def _columns(reading: Reading, source: Source) -> Columns:
    """The columns that are read."""
    if not (reading.true and reading.pred):
        raise which_columns(source, "true", "pred")
    return find_columns(source, [*_ours(reading).values(), *reading.beside])


def _ours(reading: Reading) -> dict[str, str]:
    """The columns that get names of ours."""
    ours = {TRUE: reading.true, pred(0): reading.pred[0], SYSTEM: reading.system}
    ours |= {RUN: reading.run, ID: reading.id}
    return {name: c for name, c in ours.items() if c is not None}


def _named(reading: Reading, columns: Columns) -> Any:
    """The columns that are read, under names of ours but for those beside the truth."""
    kept = [columns.expr(c, name) for name, c in _ours(reading).items()]
    frame = columns.frame.select(*kept, *map(columns.expr, reading.beside))
    found = frame.collect(engine="streaming")
    return trim(found, found.columns)


def _by_order(reading: Reading, path: str, parts: Mapping[str, Any]) -> Any:
    (first, truth), *others = parts.items()
    same = [TRUE, *map(exact, reading.beside)]
    for name, part in others:
        if not part.select(same).equals(truth.select(same)):
            raise InputError(
                f"{path}: {first!r} ({len(truth):,} rows) and {name!r} ({len(part):,} rows) do "
                "not have the same items in the same order; say which items are which with ",
                Option("id"),
            )
    guesses = [part[pred(0)].alias(pred(i)) for i, part in enumerate(parts.values())]
    return truth.select(same).with_columns(guesses)


def _by_id(reading: Reading, path: str, parts: Mapping[str, Any]) -> Any:
    import polars as pl

    items = pl.concat([*parts.values()])
    facts = items.select(ID, TRUE, *map(exact, reading.beside)).unique(maintain_order=True)
    twice = _repeated(facts)
    if twice:
        raise InputError(
            f"{path}: {len(twice):,} id(s) with more than one truth (or weight, cluster or slice): "
            f"{shown(twice)}"
        )
    whole = facts = facts.sort(ID)
    for i, (name, part) in enumerate(parts.items()):
        again = _repeated(part)
        if again:
            raise InputError(
                f"{path}: system {name!r} has {len(again):,} id(s) more than once: {shown(again)}"
            )
        lacks = facts.join(part, on=ID, how="anti")[ID]
        if len(lacks) and reading.missing != "wrong":
            raise InputError(
                f"{path}: system {name!r} lacks {len(lacks):,} id(s) of the others: "
                f"{shown(lacks.to_list())}",
                *WRONG,
            )
        right = part.select(ID, pl.col(pred(0)).alias(pred(i)))
        whole = whole.join(right, on=ID, how="left", maintain_order="left")
    return whole


def _repeated(frame: Any) -> list[Any]:
    """The ids that stand in more than one row."""
    ids = frame[ID]
    return list(ids.filter(ids.is_duplicated()).unique(maintain_order=True))
