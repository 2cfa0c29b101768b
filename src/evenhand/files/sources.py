"""Sources: what the names on a command line stand for, and how to read each kind of file.

Text is read as text: no types are guessed. Parquet, Arrow and JSON Lines keep the types they have.
Folders named ``key=value`` around Parquet are columns of text.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from glob import escape, glob, has_magic
from pathlib import Path
from typing import IO, Any

from evenhand.errors import InputError, shown
from evenhand.files.blocks import BOM, SIZE, ZSTD, nameable, plain, reading, with_line_feeds
from evenhand.files.delimited import CSV, TSV, scan_delimited
from evenhand.files.json_lines import scan_json_lines
from evenhand.files.leftovers import leftover
from evenhand.files.partitions import partition_keys, scan_parquet

_KINDS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "ndjson",
    ".ndjson": "ndjson",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".txt": "lines",
    ".labels": "lines",
}
_PACKED = (".gz", ".zst", ".zstd")
_MAGIC = {b"PAR1": "parquet", b"ARRO": "arrow"}


@dataclass(frozen=True)
class Source:
    """One or more files of one kind, under the name the user gave."""

    name: str
    paths: tuple[str, ...]
    kind: str

    @property
    def files(self) -> list[tuple[str, str]]:
        """Each path, and what to call it."""
        return [(path, path if len(self.paths) > 1 else self.name) for path in self.paths]

    @property
    def has_columns(self) -> bool:
        """Whether labels stand in named columns rather than one a line."""
        return self.kind != "lines"

    @property
    def partitions(self) -> list[str]:
        """The columns that only the names of folders give."""
        keys = partition_keys(self.paths) if self.kind == "parquet" else []
        if not keys:
            return []
        import polars as pl

        own = pl.read_parquet_schema(self.paths[0])
        return [key for key in keys if key not in own]


def is_stream(name: str) -> bool:
    """Whether ``name`` can be read only once: ``-`` for standard input, a pipe, a device."""
    return name == "-" or (os.path.exists(name) and not os.path.isfile(name) | os.path.isdir(name))


@contextmanager
def opened(name: str, *, columns: bool = False) -> Iterator[Source]:
    """What ``name`` stands for: a file, a pattern, a folder of Parquet, or a stream.

    ``columns`` says that the caller expects named columns, for files whose name does not tell.
    A stream is kept in a temporary file while it is read.
    """
    if not name:
        raise InputError("a file must have a name, got an empty one")
    if not is_stream(name):
        yield locate(name, columns=columns)
        return
    called = "standard input" if name == "-" else name
    with (
        tempfile.NamedTemporaryFile(prefix="evenhand-", buffering=0) as spool,
        leftover(spool.name),
    ):
        if name == "-":
            if sys.stdin is None:
                raise InputError("standard input is closed")
            _kept(sys.stdin.buffer, spool, called)
        else:
            with reading(name) as stream:
                _kept(stream, spool, called)
        try:
            found = locate(spool.name, columns=columns)
        except InputError as e:
            raise InputError(str(e).replace(spool.name, called)) from None
        yield Source(called, found.paths, found.kind)


def _kept(stream: IO[bytes], spool: IO[bytes], called: str) -> None:
    """Keep a stream in a file of ours, for which there must be room."""
    while piece := stream.read(SIZE):
        left = memoryview(piece)
        try:
            while left:
                left = left[spool.write(left) :]
        except OSError as e:
            folder = os.path.dirname(str(spool.name))
            raise InputError(
                f"{called} cannot be kept in {folder} while it is read: {e.strerror}; the variable "
                "TMPDIR names another folder"
            ) from None


def locate(name: str, *, columns: bool = False) -> Source:
    """The files behind ``name``, all of one kind, in order."""
    if os.path.isdir(name):
        folder = Path(name)
        paths = sorted(str(p) for p in folder.rglob("*.parquet") if not _is_hidden(p, folder))
        if not paths:
            raise InputError(f"{name} is a directory without Parquet files, expected a file")
    elif has_magic(name) and not os.path.exists(name):
        paths = sorted(p for p in glob(name, recursive=True) if os.path.isfile(p))
        if not paths:
            raise InputError(f"{name} matches no file")
    else:
        paths = [name]
    kinds = {_kind(p, columns) for p in paths}
    if len(kinds) > 1:
        raise InputError(f"{name} matches files of different kinds: {shown(sorted(kinds))}")
    return Source(name, tuple(paths), kinds.pop())


def _is_hidden(path: Path, folder: Path) -> bool:
    """Whether engines keep the file for themselves: logs, check-points, unfinished work."""
    parts = path.relative_to(folder).parts
    return any(p.startswith(".") or (p.startswith("_") and "=" not in p) for p in parts)


def _kind(path: str, columns: bool) -> str:
    """By the ending, or for endings that say nothing by how the file begins."""
    with reading(path) as file:
        head = file.read(4096)
    suffixes = [s.lower() for s in Path(path).suffixes]
    if suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    binary = b"\0" in head
    kind = (_MAGIC.get(head[:4]) if binary else None) or _KINDS.get(
        suffixes[-1] if suffixes else ""
    )
    if kind is None or (kind == "lines" and columns):
        first = head.removeprefix(BOM).lstrip()
        if first.startswith(b"{"):
            kind = "ndjson"
        elif columns:
            header = with_line_feeds(head).split(b"\n", 1)[0]
            if b"\t" in header:
                kind = "tsv"
            elif kind is None or b"," in header or b";" in header:
                kind = "csv"
        else:
            kind = "lines"
    if kind not in ("parquet", "arrow") and binary and not head.startswith(ZSTD):
        raise InputError(f"{path} is a binary file, expected text")
    return kind


def scan(source: Source, column: str = "line") -> Any:
    """The source as a lazy Polars frame; lines as one column of that name."""
    import polars as pl

    if all(os.path.getsize(p) == 0 for p in source.paths):
        wanted = "one label a line" if source.kind == "lines" else "a header and rows"
        raise InputError(f"{source.name} is empty, expected {wanted}")
    if source.kind == "lines":
        lines = [plain(path, name) for path, name in source.files]
        return pl.scan_lines(lines, name=column, glob=False)
    if source.kind == "csv":
        return scan_delimited(source.files, CSV)
    if source.kind == "tsv":
        return _unquoted(scan_delimited(source.files, TSV))
    if source.kind == "ndjson":
        return scan_json_lines(source.files, json_sources(source))
    paths = [nameable(p) for p in source.paths]
    if any(isinstance(p, bytes) for p in paths):  # which Polars does not take beside names
        paths = [p if isinstance(p, bytes) else Path(p).read_bytes() for p in paths]
    if source.kind == "parquet":
        return scan_parquet(paths)
    return pl.scan_ipc(paths, glob=False)


def json_sources(source: Source) -> list[Any]:
    """The paths as patterns that match only themselves, or the text of files."""
    found = [plain(path, name) for path, name in source.files]
    return [escape(text) if isinstance(text, str) else text for text in found]


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
