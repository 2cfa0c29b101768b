"""Saved tables."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from math import isinf, prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.data.confusion import Confusion
from evenhand.data.counting import cells_of
from evenhand.data.labels import checked, kind_of
from evenhand.errors import InputError, file_name, shown
from evenhand.io.delimited import split_part
from evenhand.io.scratch import atomic_write

FORMAT = "evenhand-table"
VERSION = 1

_TIMES = {t.__name__: t for t in (datetime, date, time)}


def packed(table: Confusion, sources: tuple[str, ...]) -> dict[str, Any]:
    """The record of a table: its labels, keys, numbers of items, sources and non-empty cells."""
    index, true, pred, weight, square = table.data.entries()
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": kind_of(table.labels, "labels"),
        "labels": [_plain(v) for v in table.labels],
        "keys": [[_plain(k) for k in axis] for axis in table.keys],
        "axes": list(table.axes),
        **({"soft": True} if table.soft else {}),
        "n": np.ravel(table.n).tolist(),
        "missing": np.ravel(table.missing).tolist(),
        "dropped": np.ravel(table.dropped).tolist(),
        "sources": list(sources),
        "cells": {
            "table": index.tolist(),
            "true": true.tolist(),
            "pred": pred.tolist(),
            "weight": weight.tolist(),
            "square": None if square is None else square.tolist(),
        },
    }


def unpacked(record: dict[str, Any]) -> Confusion:
    """The table of a record, which must be one that can be; a damaged one raises some error."""
    labels = checked(_label(v) for v in record["labels"])
    if kind_of(labels, "labels") != record["kind"]:
        raise ValueError(f"labels must be of kind {record['kind']}")
    keys = tuple(tuple(_label(k) for k in axis) for axis in record["keys"])
    shape = tuple(len(axis) for axis in keys)
    cells = record["cells"]
    table, true, pred = codes = [_numbers(cells[c], "iu") for c in ("table", "true", "pred")]
    weight = _numbers(cells["weight"])
    square = None if cells["square"] is None else _numbers(cells["square"])
    k = len(labels)
    tops = (prod(shape), k, k + 1)
    if any(
        c.size and not 0 <= c.min() <= c.max() < top for c, top in zip(codes, tops, strict=True)
    ):
        raise ValueError("a cell lies outside the table")
    sums = [weight] if square is None else [weight, square]
    if len({len(x) for x in (*codes, *sums)}) > 1 or not all(_is_amount(x) for x in sums):
        raise ValueError("every cell must have a weight ≥ 0")
    data = cells_of((table, true, pred, weight, square), k=k, shape=shape)
    n, missing, dropped = (
        _numbers(record[c], "iufO").reshape(shape) for c in ("n", "missing", "dropped")
    )
    if not all(_is_amount(x) for x in (n, missing, dropped)):
        raise ValueError("the numbers of items must be 0 or more")
    axes = tuple(record.get("axes", [""] * len(shape)))
    if len(axes) != len(shape) or not {*axes} <= {"system", "slice", ""}:
        raise ValueError(f"every axis must be of systems or slices, got {shown(axes)}")
    lost: Any = {"missing": missing, "dropped": dropped}
    soft = bool(record.get("soft", False))
    found = Confusion.from_cells(labels, data, keys=keys, n=n, axes=axes, soft=soft, **lost)
    if square is None and weight.dtype.kind in "iu":  # then every item is in a cell
        if np.any(n != found.total):
            raise ValueError("the number of items must be the sum of the cells")
        if np.any(missing > found.counts().outside):
            raise ValueError("no more predictions can be missing than are outside")
    return found


def _is_amount(x: NDArray[Any]) -> bool:
    """Whether all numbers are finite and not negative."""
    return bool(np.all(x >= 0) and np.all(x < np.inf))


def _numbers(values: Any, kinds: str = "iuf") -> NDArray[Any]:
    """Numbers of a record as an array; no numbers are integers, and ``O`` are any integers."""
    array = np.asarray(values) if len(values) else np.zeros(0, np.int64)
    types = set(map(type, values)) if isinstance(values, list) else set()
    strange = bool in types or (array.dtype.kind == "O" and types != {int})
    if array.dtype.kind not in kinds or array.ndim != 1 or strange:
        raise ValueError(f"expected numbers, got {shown(values)}")
    if array.dtype.kind == "u" and array.max(initial=0) > np.iinfo(np.int64).max:
        if "O" not in kinds:
            raise ValueError(f"expected counts below 2^63, got {shown(values)}")
        return array.astype(object)
    return array


def _plain(value: Any) -> Any:
    """A label or key as JSON can hold it: tuples as lists, other types as objects with a name."""
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and isinf(value):
        return {"float": "inf" if value > 0 else "-inf"}
    kind = next((name for name, t in _TIMES.items() if isinstance(value, t)), None)
    if kind is not None:
        return {kind: value.isoformat()}
    if isinstance(value, Decimal) and value.is_finite():
        return {"decimal": str(value)}
    if value is None or isinstance(value, str | int | float):
        return value
    raise InputError(f"a key of type {type(value).__name__} cannot be saved: {shown([value])}")


def _label(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_label(v) for v in value)
    if not isinstance(value, dict):
        return value
    ((kind, text),) = value.items()
    if kind in _TIMES:
        return _TIMES[kind].fromisoformat(text)
    makers: dict[str, Callable[[str], Any]] = {"decimal": _decimal, "float": float}
    return makers[kind](text)


def _decimal(text: str) -> Decimal:
    try:
        found = Decimal(text)
    except ArithmeticError:
        found = Decimal("nan")
    if not found.is_finite():
        raise ValueError(f"expected a decimal number, got {shown([text])}")
    return found


# Saved tables: JSON or Parquet files that hold a table and what it counts.

CHECK, UNKNOWN = b"evenhand-check-", b"0" * 64
"""Before the checksum of a Parquet file, and what stands in its place while it is computed."""
PARQUET = (".parquet", ".pq")
HEAD = 200
"""Characters within which a saved table says that it is one."""


@dataclass(frozen=True)
class Saved:
    """A table, the identities of the sources that it counts, and what else is kept with it."""

    table: Confusion
    sources: tuple[str, ...]
    notes: Mapping[str, str] = field(default_factory=dict)

    def merge(self, other: Saved) -> Saved:
        """Both tables added; a source that both count is an error."""
        twice = sorted(set(self.sources) & set(other.sources))
        if twice:
            names = [re.sub(r" \d+ \d+ [0-9a-f]{16}$", "", source) for source in twice]
            raise InputError(f"{len(twice):,} source(s) would be counted twice: {shown(names, 3)}")
        return Saved(self.table + other.table, (*self.sources, *other.sources))


def identity(path: str) -> str:
    """What tells one counted file from another: name, size, time, and a hash of its bytes.

    Folders named ``key=value`` belong to the name, since they say something of every row. Of a
    large file the hash covers 64 blocks spread over it, so that it costs next to nothing.
    """
    place, _ = split_part(path)
    facts = os.stat(place)
    found = hashlib.sha256()
    block = 1 << 16
    with open(place, "rb") as file:
        for at in range(0, facts.st_size, max(block, facts.st_size // 64)):
            file.seek(at)
            found.update(file.read(block))
    folders = [part for part in Path(os.path.abspath(path)).parent.parts if "=" in part]
    name = "/".join([*folders, Path(path).name])
    return f"{name} {facts.st_size} {facts.st_mtime_ns} {found.hexdigest()[:16]}"


def dumps(table: Confusion, sources: tuple[str, ...]) -> str:
    """A table as the JSON text of a saved one."""
    return json.dumps(packed(table, sources), allow_nan=False)


def save(
    table: Confusion,
    path: str | os.PathLike[str],
    sources: tuple[str, ...] = (),
    notes: Mapping[str, str] | None = None,
) -> None:
    """Write a table to ``path``: Parquet by that ending, else JSON; whole or not at all."""
    record = packed(table, sources or (f"table {uuid.uuid4().hex}",))
    if notes:
        record["notes"] = dict(notes)
    with atomic_write(path) as part:
        if Path(path).suffix.lower() in PARQUET:
            _write_parquet(record, part)
        else:
            part.write_text(json.dumps(record, allow_nan=False) + "\n", encoding="utf-8")


def load(path: str | os.PathLike[str], name: str = "") -> Saved:
    """Read a saved table back, with its sources; errors call it by ``name``."""
    if not file_name(path):
        raise InputError("a saved table must be a file, got an empty name")
    try:
        return _loaded(Path(path))
    except InputError as e:
        raise InputError(str(e).replace(os.fspath(path), name or os.fspath(path))) from None


def _loaded(path: Path) -> Saved:
    record = _read(path)
    if record is None:
        raise InputError(f"{path} is no saved table")
    if record.get("version") != VERSION:
        raise InputError(
            f"{path} is a saved table of version {record.get('version')}, "
            f"this evenhand reads version {VERSION}"
        )
    try:
        if not record["sources"]:
            raise ValueError("it does not say what it counted")
        return Saved(unpacked(record), tuple(record["sources"]), record.get("notes", {}))
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as e:
        raise InputError(f"{path} is a damaged saved table: {e}") from None


def is_saved(path: str) -> bool:
    """Whether the file is a saved table, whole or damaged."""
    if not os.path.isfile(path):
        return False
    if Path(path).suffix.lower() in PARQUET:
        return _parquet_record(Path(path)) is not None
    return _begins_as_saved(Path(path))


def _write_parquet(record: dict[str, Any], path: Path) -> None:
    import polars as pl

    cells = {c: v for c, v in record.pop("cells").items() if v is not None}
    buffer = io.BytesIO()
    said = {FORMAT: json.dumps(record), "check": (CHECK + UNKNOWN).decode()}
    pl.DataFrame(cells).write_parquet(buffer, metadata=said)
    raw = buffer.getvalue()
    path.write_bytes(raw.replace(CHECK + UNKNOWN, CHECK + _digest(raw), 1))


def _digest(raw: bytes) -> bytes:
    return hashlib.sha256(raw).hexdigest().encode()


def _refuse_damaged(raw: bytes) -> None:
    """Some damage to Parquet makes its reader ask for all memory there is: look before reading."""
    before, mark, rest = raw.partition(CHECK)
    if not mark or _digest(before + mark + UNKNOWN + rest[len(UNKNOWN) :]) != rest[: len(UNKNOWN)]:
        raise ValueError("its bytes are not those that were written")


def _read(path: Path) -> dict[str, Any] | None:
    """The record in a file; ``None`` if it holds something else."""
    if path.suffix.lower() in PARQUET:
        return _read_parquet(path)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except (OSError, UnicodeDecodeError):
        return None
    if not _is_ours(text[:HEAD]):
        return None
    try:
        record: dict[str, Any] = json.loads(text)
    except (ValueError, RecursionError) as e:
        raise InputError(f"{path} is a damaged saved table: {e}") from None
    return record


def _begins_as_saved(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return _is_ours(file.read(HEAD).decode("utf-8", "replace"))
    except OSError:
        return False


def _is_ours(head: str) -> bool:
    return head.lstrip().startswith("{") and f'"{FORMAT}"' in head


def _read_parquet(path: Path) -> dict[str, Any] | None:
    import polars as pl

    text = _parquet_record(path)
    if text is None:
        return None
    try:
        record: dict[str, Any] = json.loads(text)
        raw = path.read_bytes()
        _refuse_damaged(raw)
        cells = pl.read_parquet(raw)
    except (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as e:
        raise InputError(f"{path} is a damaged saved table: {e}") from None
    record["cells"] = {c: cells[c].to_numpy() for c in cells.columns}
    record["cells"].setdefault("square", None)
    return record


def _parquet_record(path: Path) -> str | None:
    import polars as pl

    try:
        with path.open("rb") as file:
            return pl.read_parquet_metadata(file).get(FORMAT)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
