"""Saved tables: JSON or Parquet files that carry labels, keys and what was counted.

A saved part knows the identity of its sources, so that nothing is merged twice.
"""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.count.tally import cells_of
from evenhand.errors import InputError, shown
from evenhand.labels import kind_of
from evenhand.table import Confusion

FORMAT = "evenhand-table"
VERSION = 1


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
            raise InputError(f"{len(twice):,} source(s) would be counted twice: {shown(twice, 3)}")
        return Saved(self.table + other.table, (*self.sources, *other.sources))


def identity(path: str) -> str:
    """What tells one counted file from another: name, size, time, and a hash of its bytes.

    Of a large file the hash covers 64 blocks spread over it, so that it costs next to nothing.
    """
    facts = os.stat(path)
    found = hashlib.sha256()
    block = 1 << 16
    with open(path, "rb") as file:
        for at in range(0, facts.st_size, max(block, facts.st_size // 64)):
            file.seek(at)
            found.update(file.read(block))
    name = Path(path).name
    return f"{name} {facts.st_size} {facts.st_mtime_ns} {found.hexdigest()[:16]}"


def dumps(table: Confusion, sources: tuple[str, ...]) -> str:
    """A table as the JSON text of a saved one."""
    return json.dumps(_record(table, sources), allow_nan=False)


def save(
    table: Confusion,
    path: str | os.PathLike[str],
    sources: tuple[str, ...] = (),
    notes: Mapping[str, str] | None = None,
) -> None:
    """Write a table to ``path``: Parquet by that ending, else JSON; whole or not at all."""
    target = Path(path)
    record = _record(table, sources or (f"table {uuid.uuid4().hex}",))
    if notes:
        record["notes"] = dict(notes)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        if target.suffix.lower() in (".parquet", ".pq"):
            _write_parquet(record, part)
        else:
            part.write_text(json.dumps(record, allow_nan=False) + "\n", encoding="utf-8")
        part.replace(target)
    except OSError as e:
        part.unlink(missing_ok=True)
        raise InputError(f"{path} cannot be written: {e.strerror}") from None


def load(path: str | os.PathLike[str]) -> Saved:
    """Read a saved table back, with its sources."""
    record = _read(Path(path))
    if record is None:
        raise InputError(f"{path} is no saved table")
    if record.get("version") != VERSION:
        raise InputError(
            f"{path} is a saved table of version {record.get('version')}, "
            f"this evenhand reads version {VERSION}"
        )
    try:
        return Saved(_table(record), tuple(record["sources"]), record.get("notes", {}))
    except (KeyError, TypeError, ValueError, IndexError) as e:
        raise InputError(f"{path} is a damaged saved table: {e}") from None


def is_saved(path: str) -> bool:
    """Whether the file is a saved table."""
    if Path(path).suffix.lower() not in (".json", ".parquet", ".pq") or not Path(path).is_file():
        return False
    return _read(Path(path)) is not None


def _record(table: Confusion, sources: tuple[str, ...]) -> dict[str, Any]:
    index, true, pred, weight, square = table.data.entries()
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": kind_of(table.labels, "labels"),
        "labels": list(table.labels),
        "keys": [[list(k) if isinstance(k, tuple) else k for k in axis] for axis in table.keys],
        "n": table.n.ravel().tolist(),
        "missing": table.missing.ravel().tolist(),
        "dropped": table.dropped.ravel().tolist(),
        "sources": list(sources),
        "cells": {
            "table": index.tolist(),
            "true": true.tolist(),
            "pred": pred.tolist(),
            "weight": weight.tolist(),
            "square": None if square is None else square.tolist(),
        },
    }


def _table(record: dict[str, Any]) -> Confusion:
    make: Any = {"int": int, "float": float, "bool": bool, "str": str}[record["kind"]]
    labels = tuple(make(v) for v in record["labels"])
    keys = tuple(
        tuple(tuple(k) if isinstance(k, list) else k for k in axis) for axis in record["keys"]
    )
    shape = tuple(len(axis) for axis in keys)
    cells = record["cells"]
    table, true, pred = codes = [np.array(cells[c], np.int64) for c in ("table", "true", "pred")]
    weight = np.array(cells["weight"])
    square = None if cells["square"] is None else np.array(cells["square"], np.float64)
    k = len(labels)
    tops = (prod(shape), k, k + 1)
    if any(
        c.size and not 0 <= c.min() <= c.max() < top for c, top in zip(codes, tops, strict=True)
    ):
        raise ValueError("a cell lies outside the table")
    if not weight.size:
        weight = weight.astype(np.int64)
    data = cells_of(table, true, pred, weight, square, k=k, shape=shape)
    columns = (np.array(record[c], np.int64).reshape(shape) for c in ("n", "missing", "dropped"))
    n, missing, dropped = columns
    return Confusion.of(labels, data, keys=keys, n=n, missing=missing, dropped=dropped)


def _write_parquet(record: dict[str, Any], path: Path) -> None:
    import polars as pl

    cells = {c: v for c, v in record.pop("cells").items() if v is not None}
    pl.DataFrame(cells).write_parquet(path, metadata={FORMAT: json.dumps(record)})


def _read(path: Path) -> dict[str, Any] | None:
    """The record in a file; ``None`` if it holds something else."""
    if path.suffix.lower() in (".parquet", ".pq"):
        return _read_parquet(path)
    try:
        with path.open(encoding="utf-8") as file:
            if FORMAT not in file.read(200):
                return None
            file.seek(0)
            record: dict[str, Any] = json.load(file)
            return record
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except json.JSONDecodeError as e:
        raise InputError(f"{path} is a damaged saved table: {e}") from None
    except (OSError, UnicodeDecodeError):
        return None


def _read_parquet(path: Path) -> dict[str, Any] | None:
    import polars as pl

    try:
        text = pl.read_parquet_metadata(path).get(FORMAT)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except (OSError, pl.exceptions.PolarsError):
        return None
    if text is None:
        return None
    record: dict[str, Any] = json.loads(text)
    cells = pl.read_parquet(path)
    record["cells"] = {c: cells[c].to_numpy() for c in cells.columns}
    record["cells"].setdefault("square", None)
    return record
