"""Sources: files of one kind under one name, and how to read each kind.

Text is read as text: no types are guessed. Parquet, Arrow and JSON Lines keep the types they have.
Folders named ``key=value`` around Parquet are columns of text.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.files.blocks import nameable, plain
from evenhand.files.databases import scan_duckdb, scan_sqlite
from evenhand.files.delimited import CSV, TSV, Style, scan_delimited
from evenhand.files.excel import read_sheet
from evenhand.files.json_arrays import read_labels
from evenhand.files.json_lines import Learnt, learnt, scan_json_lines
from evenhand.files.layout import USUAL, Layout
from evenhand.files.partitions import partition_keys, scan_parquet
from evenhand.notes.note import Note

LINE = "line"
"""What the one column of files without columns is called."""


@dataclass(frozen=True)
class Source:
    """One or more files of one kind, under the name the user gave.

    ``names`` are what to call each of them, ``part`` is the one to read if it has several;
    ``notes`` say what had to be guessed, ``array`` what is known of an array already.
    """

    name: str
    paths: tuple[str, ...]
    kind: str
    layout: Layout = USUAL
    names: tuple[str, ...] = ()
    part: str | None = None
    notes: tuple[Note, ...] = ()
    array: Learnt | None = field(default=None, compare=False, repr=False)

    @cached_property
    def learnt(self) -> Learnt:
        """What objects in JSON hold."""
        return self.array or learnt(self.files)

    @property
    def files(self) -> list[tuple[str, str]]:
        """Each path, and what to call it."""
        return list(zip(self.paths, self.names, strict=True))

    @property
    def has_columns(self) -> bool:
        """Whether labels stand in named columns rather than one after the other."""
        return self.kind not in ("lines", "labels")

    @property
    def is_json(self) -> bool:
        """Whether it is lines of objects, or was an array of them, so that types may vary."""
        return self.kind in ("ndjson", "json")

    @property
    def has_header(self) -> bool:
        """Whether the names of columns stand where others would have data."""
        return self.kind in ("csv", "tsv", "excel") and self.layout.header

    @property
    def in_order(self) -> bool:
        """Whether columns have an order, so that they can be counted."""
        return self.has_columns and not self.is_json

    @property
    def partitions(self) -> list[str]:
        """The columns that only the names of folders give."""
        keys = partition_keys(self.paths) if self.kind == "parquet" else []
        if not keys:
            return []
        import polars as pl

        own = pl.read_parquet_schema(self.paths[0])
        return [key for key in keys if key not in own]


def height(frame: Any) -> int:
    """Number of rows of a lazy frame."""
    import polars as pl

    return int(frame.select(pl.len()).collect(engine="streaming").item())


def scan(source: Source) -> Any:
    """The source as a lazy Polars frame; lines and bare labels as its column :data:`LINE`."""
    import polars as pl

    if all(os.path.getsize(p) == 0 for p in source.paths):
        wanted = {"lines": "one label a line", "json": "objects"}.get(
            source.kind, "a header and rows"
        )
        raise InputError(f"{source.name} is empty, expected {wanted}")
    if source.kind == "lines":
        lines = [plain(path, name) for path, name in source.files]
        return pl.scan_lines(lines, name=LINE, glob=False)
    if source.kind == "csv":
        style = CSV if source.layout.mark is None else Style(source.layout.mark.encode(), True)
        return scan_delimited(source.files, style, header=source.layout.header)
    if source.kind == "tsv":
        return _unquoted(scan_delimited(source.files, TSV, header=source.layout.header))
    if source.is_json:
        return scan_json_lines(source.files, source.learnt)
    if source.kind == "labels":
        found = [read_labels(path, name).alias(LINE) for path, name in source.files]
        return pl.concat(found).to_frame().lazy()
    if source.kind == "excel":
        header, part = source.layout.header, source.part
        sheets = [read_sheet(path, name, part, header=header) for path, name in source.files]
        return pl.concat(sheets).lazy()
    if source.kind in ("sqlite", "duckdb"):
        scan_table = scan_sqlite if source.kind == "sqlite" else scan_duckdb
        return pl.concat([scan_table(path, name, source.part) for path, name in source.files])
    paths = [nameable(p) for p in source.paths]
    if any(isinstance(p, bytes) for p in paths):  # which Polars does not take beside names
        paths = [p if isinstance(p, bytes) else Path(p).read_bytes() for p in paths]
    if source.kind == "parquet":
        return scan_parquet(paths)
    return pl.scan_ipc(paths, glob=False)


def _unquoted(frame: Any) -> Any:
    """Tab-separated text: a field is what stands between tabs, less quotes around all of it.

    A quote elsewhere is a quote, as in a column of tweets: it never joins two lines.
    """
    import polars as pl

    names = pl.Series(frame.collect_schema().names(), dtype=pl.String)
    bare = names.str.strip_chars().str.strip_prefix('"').str.strip_suffix('"')
    frame = frame.rename(dict(zip(names, bare, strict=True)))
    text = pl.all().str.strip_chars()
    inner = text.str.strip_prefix('"').str.strip_suffix('"')
    inner = inner.str.replace_all('""', '"', literal=True)
    quoted = text.str.starts_with('"') & text.str.ends_with('"') & (text != '"')
    return frame.with_columns(pl.when(quoted).then(inner).otherwise(text))
