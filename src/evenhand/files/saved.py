"""Saved tables: JSON or Parquet files that hold a table and what it counts.

A saved part knows the identity of its sources, so that nothing is merged twice.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evenhand.errors import InputError, shown
from evenhand.files.packed import FORMAT, VERSION, packed, unpacked
from evenhand.files.parts import split_part
from evenhand.files.whole import whole
from evenhand.tables.confusion import Confusion

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
    with whole(path) as part:
        if Path(path).suffix.lower() in PARQUET:
            _write_parquet(record, part)
        else:
            part.write_text(json.dumps(record, allow_nan=False) + "\n", encoding="utf-8")


def load(path: str | os.PathLike[str], name: str = "") -> Saved:
    """Read a saved table back, with its sources; errors call it by ``name``."""
    if not os.fspath(path):
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
