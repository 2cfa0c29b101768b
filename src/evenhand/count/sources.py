"""Sources: what the names on a command line stand for, and how to read each kind of file.

Text is read as text: no types are guessed, only an empty field is null. Parquet, Arrow and JSON
Lines keep the types they have.
"""

from __future__ import annotations

import gzip
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from typing import IO, Any, cast

from evenhand.errors import InputError, shown

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
TEXT = ("lines", "csv", "tsv")


@dataclass(frozen=True)
class Source:
    """One or more files of one kind, under the name the user gave."""

    name: str
    paths: tuple[str, ...]
    kind: str

    @property
    def has_columns(self) -> bool:
        """Whether labels stand in named columns rather than one a line."""
        return self.kind != "lines"


@contextmanager
def opened(name: str, *, columns: bool = False) -> Iterator[Source]:
    """What ``name`` stands for: a file, a pattern, a folder of Parquet, or ``-`` for stdin.

    ``columns`` says that the caller expects named columns, for files whose name does not tell.
    Standard input is kept in a temporary file while it is read.
    """
    if name != "-":
        yield locate(name, columns=columns)
        return
    with tempfile.NamedTemporaryFile(prefix="evenhand-") as spool:
        shutil.copyfileobj(sys.stdin.buffer, spool)
        spool.flush()
        found = locate(spool.name, columns=columns)
        yield Source("standard input", found.paths, found.kind)


def locate(name: str, *, columns: bool = False) -> Source:
    """The files behind ``name``, all of one kind, in order."""
    path = Path(name)
    if path.is_dir():
        paths = sorted(str(p) for p in path.rglob("*.parquet"))
        if not paths:
            raise InputError(f"{name} is a directory without Parquet files, expected a file")
    elif has_magic(name) and not path.exists():
        paths = sorted(p for p in glob(name, recursive=True) if Path(p).is_file())
        if not paths:
            raise InputError(f"{name} matches no file")
    else:
        paths = [name]
    kinds = {_kind(p, columns) for p in paths}
    if len(kinds) > 1:
        raise InputError(f"{name} matches files of different kinds: {shown(sorted(kinds))}")
    return Source(name, tuple(paths), kinds.pop())


def _kind(path: str, columns: bool) -> str:
    """By the ending, or for endings that say nothing by how the file begins."""
    with _reading(path) as file:
        head = file.read(4096)
    suffixes = [s.lower() for s in Path(path).suffixes]
    if suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    kind = _MAGIC.get(head[:4]) or _KINDS.get(suffixes[-1] if suffixes else "")
    if kind is None or (kind == "lines" and columns):
        first = head.lstrip(b"\xef\xbb\xbf").lstrip()
        if first.startswith(b"{"):
            kind = "ndjson"
        elif columns:
            kind = "tsv" if b"\t" in head.split(b"\n", 1)[0] else "csv"
        else:
            kind = "lines"
    packed = Path(path).suffix.lower() in _PACKED
    if kind not in ("parquet", "arrow") and not packed and b"\0" in head:
        raise InputError(f"{path} is a binary file, expected text")
    return kind


@contextmanager
def _reading(path: str) -> Iterator[IO[bytes]]:
    """The bytes of a file, unpacked if gzip; what cannot be read is an error with the reason."""
    try:
        packed = path.lower().endswith(".gz")
        with cast(IO[bytes], gzip.open(path) if packed else open(path, "rb")) as file:
            yield file
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a directory, expected a file") from None
    except (OSError, EOFError) as e:
        reason = getattr(e, "strerror", None) or str(e)
        raise InputError(f"{path} cannot be read: {reason}") from None


def scan(source: Source, column: str = "line") -> Any:
    """The source as a lazy Polars frame; lines as one column of that name."""
    import polars as pl

    paths = list(source.paths)
    if all(os.path.getsize(p) == 0 for p in paths):
        wanted = "one label a line" if source.kind == "lines" else "a header and rows"
        raise InputError(f"{source.name} is empty, expected {wanted}")
    if any(not p.isprintable() and _undecodable(p) for p in paths):  # no name Polars can take
        paths = [Path(p).read_bytes() for p in paths]  # type: ignore[misc]
    if source.kind == "lines":
        text = pl.col(column).str.strip_chars().str.strip_chars_start("\ufeff").str.strip_chars()
        return pl.scan_lines(paths, name=column).with_columns(text)
    if source.kind in ("csv", "tsv"):
        separator = "," if source.kind == "csv" else "\t"
        frame = pl.scan_csv(paths, separator=separator, infer_schema=False)
        return frame.with_columns(pl.all().str.strip_chars().replace("", None))
    if source.kind == "ndjson":
        return pl.scan_ndjson(paths, infer_schema_length=None)
    if source.kind == "parquet":
        return pl.scan_parquet(paths)
    return pl.scan_ipc(paths)


def _undecodable(name: str) -> bool:
    return any("\ud800" <= c <= "\udfff" for c in name)


@contextmanager
def explained(*sources: Source) -> Iterator[None]:
    """Turn a reader's error into one line that names the file and, for text, the place."""
    import polars as pl
    from narwhals.exceptions import NarwhalsError

    try:
        yield
    except (pl.exceptions.PolarsError, NarwhalsError, OSError, pl.exceptions.PanicException) as e:
        for source in sources:
            check(source)
        names = " and ".join(s.name for s in sources)
        reason = (str(e).strip().splitlines() or [type(e).__name__])[0]
        raise InputError(f"{names} cannot be read: {reason}") from None


def check(source: Source) -> None:
    """Read text once more, slowly, to name the place where it is not as it should be."""
    if source.kind not in TEXT:
        return
    for path in source.paths:
        _check_text(path)
        if source.kind != "lines":
            _check_ragged(path, "," if source.kind == "csv" else "\t")


def _check_text(path: str) -> None:
    with _reading(path) as file:
        for number, line in enumerate(file, 1):
            if b"\0" in line:
                raise InputError(f"{path} is a binary file, expected text")
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as e:
                raise InputError(
                    f"{path}, line {number}: expected UTF-8 text, got byte 0x{line[e.start]:02x}"
                ) from None


def _check_ragged(path: str, separator: str) -> None:
    import csv
    import io

    with _reading(path) as file:
        rows = csv.reader(io.TextIOWrapper(file, "utf-8-sig", newline=""), delimiter=separator)
        head = next(rows, [])
        for row in rows:
            if row and len(row) != len(head):
                raise InputError(
                    f"{path}, line {rows.line_num}: expected {len(head)} fields "
                    f"as in the header, got {len(row)}"
                )


def lines_of(source: Source) -> Iterator[str]:
    """Lines of text one by one, for finding the place of an error."""
    for path in source.paths:
        with _reading(path) as file:
            for line in file:
                yield line.decode("utf-8-sig").strip()


def read_text(path: str) -> str:
    """A small text file, whole."""
    with _reading(path) as file:
        raw = file.read()
    _check_text(path)
    return raw.decode("utf-8-sig")
