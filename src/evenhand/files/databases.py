"""Databases in a file: a table of SQLite or DuckDB, opened to read and nothing else."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from evenhand.errors import InputError, shown
from evenhand.files.blocks import lazy, unreadable

BATCH = 100_000
"""Rows that are read at a time."""
_KINDS = {"text": "text", "integer": "integers", "real": "decimals", "blob": "bytes"}
"""What SQLite calls values, and what we do."""


def scan_sqlite(path: str, name: str, table: str | None) -> Any:
    """A table of SQLite; a column has the one type that its values have."""
    import polars as pl

    with _sqlite(path, name) as base:
        query = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE "
        have = [row[0] for row in base.execute(f"{query}'sqlite\\_%' ESCAPE '\\' ORDER BY name")]
        wanted = _quoted(_one(have, name, table))
        columns = [row[1] for row in base.execute(f"PRAGMA table_info({wanted})")]
        held = {c: _held(base, wanted, c) for c in columns}
    types = {"integers": pl.Int64(), "decimals": pl.Float64()}
    schema = {c: types.get(" and ".join(kinds), pl.String()) for c, kinds in held.items()}

    def frames(asked: list[str]) -> Iterator[Any]:
        _refuse_mixed(name, {c: held[c] for c in asked})
        chosen = ", ".join(map(_quoted, asked)) or "1"
        with _sqlite(path, name) as base:
            rows = base.execute(f"SELECT {chosen} FROM {wanted}")
            while some := rows.fetchmany(BATCH):
                if not asked:
                    yield pl.DataFrame(height=len(some))
                    continue
                kept = {c: schema[c] for c in asked}
                yield pl.DataFrame(some, schema=kept, orient="row")

    return lazy(frames, schema)


def _held(base: sqlite3.Connection, table: str, column: str) -> set[str]:
    """What a column holds: integers among decimals are decimals, as SQLite has it."""
    found = base.execute(f"SELECT DISTINCT typeof({_quoted(column)}) FROM {table}")
    kinds = {_KINDS[kind] for (kind,) in found if kind != "null"}
    return {"decimals"} if kinds == {"integers", "decimals"} else kinds


def _refuse_mixed(name: str, held: Mapping[str, set[str]]) -> None:
    for column, kinds in held.items():
        if len(kinds) > 1 or "bytes" in kinds:
            came = " and ".join(sorted(kinds))
            raise InputError(f"{name}, column {column!r} must be of one type, got {came}")


@contextmanager
def _sqlite(path: str, name: str) -> Iterator[sqlite3.Connection]:
    try:
        # Polars asks for rows from one thread after the other, never from two at a time.
        where = f"{Path(path).resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(where, uri=True, check_same_thread=False)) as base:
            yield base
    except sqlite3.Error as e:
        raise unreadable(name, e) from None


def scan_duckdb(path: str, name: str, table: str | None) -> Any:
    """A table of DuckDB, which may read nothing but the file itself."""
    import polars as pl

    with _duckdb(path, name) as base:
        query = "SELECT table_name FROM information_schema.tables ORDER BY table_name"
        have = [row[0] for row in base.execute(query).fetchall()]
        wanted = _quoted(_one(have, name, table))
        schema = pl.DataFrame(base.sql(f"SELECT * FROM {wanted} LIMIT 0")).schema

    def frames(asked: list[str]) -> Iterator[Any]:
        chosen = ", ".join(map(_quoted, asked)) or "1"
        with _duckdb(path, name) as base:
            found = pl.DataFrame(base.sql(f"SELECT {chosen} FROM {wanted}"))
            yield found if asked else pl.DataFrame(height=len(found))

    return lazy(frames, schema)


@contextmanager
def _duckdb(path: str, name: str) -> Iterator[Any]:
    try:
        import duckdb
    except ImportError:
        raise InputError(f"{name} is a DuckDB file: pip install 'evenhand[duckdb]'") from None
    try:
        safe = {"enable_external_access": "false"}
        with duckdb.connect(path, read_only=True, config=safe) as base:
            yield base
    except duckdb.Error as e:
        raise unreadable(name, e) from None


def _one(have: list[str], name: str, table: str | None) -> str:
    """The table that is meant: the one named, or the only one."""
    if table is None and len(have) == 1:
        return have[0]
    if table is None:
        raise InputError(f"{name} has tables {shown(have)}: name one as {name}#TABLE")
    if table not in have:
        raise InputError(f"{name} has tables {shown(have)}, expected {table!r}")
    return table


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
