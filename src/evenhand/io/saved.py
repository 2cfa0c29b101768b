"""Saved tables."""

from __future__ import annotations

import hashlib
import json
import os
import re
import uuid
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import date, datetime, time
from decimal import Decimal
from math import isinf, prod
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from evenhand.data.cells import cells_of
from evenhand.data.confusion import Confusion
from evenhand.data.labels import Label, checked, common_spellings, kind_of
from evenhand.errors import InputError, shown
from evenhand.io.delimited import split_sheet
from evenhand.io.json import loads
from evenhand.io.scratch import atomic_write
from evenhand.options import file_name
from evenhand.text import counted

FORMAT = "evenhand-table"
VERSION = 1
AMOUNTS = ("n", "missing", "dropped")
"""The numbers of items of each table."""
ENTRIES = ("table", "true", "pred", "weight", "square")
"""What a non-empty cell has."""


def _decimal(text: str) -> Decimal:
    with suppress(ArithmeticError):
        if (number := Decimal(text)).is_finite():
            return number
    raise ValueError(f"expected a decimal number, got {shown([text])}")


_TYPES: dict[str, tuple[type, Callable[[Any], str], Callable[[str], Any]]] = {
    "datetime": (datetime, datetime.isoformat, datetime.fromisoformat),
    "date": (date, date.isoformat, date.fromisoformat),
    "time": (time, time.isoformat, time.fromisoformat),
    "decimal": (Decimal, str, _decimal),
}
"""Types of labels and keys that JSON has not, and how they are written and read."""


class SavedCells(TypedDict):
    """Columns of the non-empty cells."""

    table: list[int]
    true: list[int]
    pred: list[int]
    weight: list[float]
    square: list[float] | None


class SavedTable(TypedDict):
    """The record of a table or of a stack of them."""

    format: str
    version: int
    kind: str
    labels: list[Label]
    keys: list[list[Label]]
    axes: list[str]
    soft: NotRequired[bool]
    n: list[int]
    missing: list[int]
    dropped: list[int]
    sources: list[str]
    cells: SavedCells


def packed(table: Confusion, sources: tuple[str, ...]) -> SavedTable:
    """The record of a table: its labels, keys, numbers of items, sources and non-empty cells."""
    record = {
        "format": FORMAT,
        "version": VERSION,
        "kind": kind_of(table.labels, "labels"),
        "labels": [_plain(v) for v in table.labels],
        "keys": [[_plain(k) for k in axis] for axis in table.keys],
        "axes": list(table.axes),
        **({"soft": True} if table.soft else {}),
        **{name: np.ravel(getattr(table, name)).tolist() for name in AMOUNTS},
        "sources": list(sources),
        "cells": {
            name: None if x is None else x.tolist()
            for name, x in zip(ENTRIES, table.data.entries(), strict=True)
        },
    }
    return cast(SavedTable, record)


def unpacked(record: dict[str, Any]) -> Confusion:
    """The table of a record, if it would be saved as that; a damaged one raises some error."""
    labels = checked(_label(v) for v in record["labels"])
    keys = tuple(tuple(_label(k) for k in axis) for axis in record["keys"])
    shape, cells = tuple(map(len, keys)), record["cells"]
    entries: Any = [None if cells[c] is None else _numbers(cells[c]) for c in ENTRIES]
    amounts: Any = {c: _numbers(record[c], large=True).reshape(shape) for c in AMOUNTS}
    sums = [x for x in (*entries, *amounts.values()) if x is not None]
    if not all(np.all((x >= 0) & (x < np.inf)) for x in sums):
        raise ValueError("codes, weights and numbers of items must be 0 or more")
    most = (prod(shape), len(labels), len(labels) + 1)
    if any(np.any(x >= size) for x, size in zip(entries[:3], most, strict=True)):
        raise ValueError("the code of a cell must be that of a table, a label or outside")
    axes = tuple(record.get("axes", [""] * len(shape)))
    if not {*axes} <= {"system", "slice", ""}:
        raise ValueError(f"every axis must be of systems or slices, got {shown(axes)}")
    data = cells_of(tuple(entries), k=len(labels), shape=shape)
    soft = bool(record.get("soft", False))
    table = Confusion.from_cells(labels, data, keys=keys, axes=axes, soft=soft, **amounts)
    if cells["square"] is None and data.weight.dtype.kind == "i":  # then every item is in a cell
        if np.any(amounts["n"] != table.total):
            raise ValueError("the number of items must be the sum of the cells")
        if np.any(amounts["missing"] > table.counts().outside):
            raise ValueError("no more predictions can be missing than are outside")
    again = packed(table, tuple(record["sources"]))
    wrong = [name for name, value in again.items() if record.get(name, value) != value]
    if wrong:
        raise ValueError(f"its parts contradict each other in {shown(wrong)}")
    return table


def _numbers(values: Any, *, large: bool = False) -> NDArray[Any]:
    """Numbers of a record as an array; no numbers are integers, which may be ``large``."""
    array = np.asarray(values) if len(values) else np.zeros(0, np.int64)
    if array.dtype.kind in "uO" and large and {*map(type, values)} == {int}:
        return array.astype(object)
    if array.dtype.kind not in "if":
        most = "counts below 2^63" if array.dtype.kind == "u" else "numbers"
        raise ValueError(f"expected {most}, got {shown(values)}")
    return array


def _plain(value: Any) -> Any:
    """A label or key as JSON can hold it: tuples as lists, other types as objects with a name."""
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and isinf(value):
        return {"float": str(value)}
    for name, (kind, written, _) in _TYPES.items():
        if isinstance(value, kind):
            return {name: written(value)}
    if value is None or isinstance(value, str | int | float):
        return value
    raise InputError(f"a key of type {type(value).__name__} cannot be saved: {shown([value])}")


def _label(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_label(v) for v in value)
    if not isinstance(value, dict):
        return value
    ((kind, text),) = value.items()
    return float(text) if kind == "float" else _TYPES[kind][2](text)


# Saved tables: JSON files that hold a table and what it counts.

DAMAGE = (
    LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, OSError,
)  # fmt: skip
"""What reading a damaged file may raise."""
HEAD = 200
"""Characters within which a saved table says that it is one."""


class Saved(NamedTuple):
    """A table, and the identities of the sources that it counts."""

    table: Confusion
    sources: tuple[str, ...]


def add_up(tables: Iterable[tuple[str, Saved]]) -> Saved:
    """The sum of tables, each with a name for errors; a source that two count is one."""
    parts = iter(tables)
    _, total = next(parts, ("", None))
    if total is None:
        raise InputError("there was nothing to count")
    for name, part in parts:
        try:
            total = _sum(total, part)
        except InputError as e:
            raise InputError(f"{name}: {e}") from None
    return total


def _sum(one: Saved, other: Saved) -> Saved:
    if twice := sorted({*one.sources} & {*other.sources}):
        names = [re.sub(r" \d+ \d+ [0-9a-f]{16}$", "", source) for source in twice]
        size = counted(len(twice), "source")
        raise InputError(f"{size} would be counted twice: {shown(names, 3)}")
    if spellings := common_spellings([one.table.labels, other.table.labels]):
        fix = f"such as {shown(v for _, v in spellings)}: bring them to one spelling"
        raise InputError(f"labels are written differently in the parts, {fix}")
    return Saved(one.table + other.table, (*one.sources, *other.sources))


def identity(path: str) -> str:
    """What tells one counted file from another: name, size, time, and a hash of its bytes.

    Folders named ``key=value`` belong to the name, since they say something of every row. Of a
    large file the hash covers 64 blocks spread over it, so that it costs next to nothing.
    """
    place, _ = split_sheet(path)
    facts = os.stat(place)
    digest, block = hashlib.sha256(), 1 << 16
    with open(place, "rb") as file:
        for at in range(0, facts.st_size, max(block, facts.st_size // 64)):
            file.seek(at)
            digest.update(file.read(block))
    folders = [part for part in Path(os.path.abspath(path)).parent.parts if "=" in part]
    name = "/".join([*folders, Path(path).name])
    return f"{name} {facts.st_size} {facts.st_mtime_ns} {digest.hexdigest()[:16]}"


def dumps(table: Confusion, sources: tuple[str, ...]) -> str:
    """A table as the JSON text of a saved one."""
    return json.dumps(packed(table, sources), allow_nan=False)


def save(table: Confusion, path: str | os.PathLike[str], sources: tuple[str, ...] = ()) -> None:
    """Write a table to ``path`` in JSON, whole or not at all."""
    if file_name(path, "the output").lower().endswith((".parquet", ".pq")):
        raise InputError(f"tables are saved in JSON, got {os.fspath(path)}")
    text = dumps(table, sources or (f"table {uuid.uuid4().hex}",))
    with atomic_write(path) as part:
        part.write_text(text + "\n", encoding="utf-8")


def load(path: str | os.PathLike[str], name: str = "") -> Saved:
    """Read a saved table back, with its sources; errors call it by ``name``."""
    if not file_name(path):
        raise InputError("a saved table must be a file, got an empty name")
    place, called = Path(path), name or os.fspath(path)
    if not is_saved(place):
        reason = "is no saved table" if place.exists() else "does not exist"
        raise InputError(f"{called} {reason}")
    try:
        record = loads(place.read_bytes())
        version = record.get("version")
        if version == VERSION:
            if not record["sources"]:
                raise ValueError("it does not say what it counted")
            return Saved(unpacked(record), tuple(record["sources"]))
    except DAMAGE as e:
        raise InputError(f"{called} is a damaged saved table: {e}") from None
    raise InputError(
        f"{called} is a saved table of version {version}, this evenhand reads version {VERSION}"
    )


def is_saved(path: str | os.PathLike[str]) -> bool:
    """Whether the file is a saved table, whole or damaged."""
    with suppress(OSError), open(path, "rb") as file:
        return begins_saved(file.read(HEAD))
    return False


def begins_saved(text: bytes) -> bool:
    """Whether a file that begins so is a saved table."""
    return text.lstrip().startswith(b"{") and f'"{FORMAT}"'.encode() in text[:HEAD]
