"""Kinds of files: by how a name ends and by how the bytes begin."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from evenhand.errors import InputError
from evenhand.files.blocks import BOM, ZSTD, reading, with_line_feeds
from evenhand.files.json_arrays import array_kind

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
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".xlsb": "excel",
    ".xls": "excel",
    ".ods": "excel",
}
_PACKED = (".gz", ".zst", ".zstd")
_MAGIC = {
    b"PAR1": "parquet",
    b"ARRO": "arrow",
    b"PK\x03\x04": "excel",  # as archives are unpacked before
    b"\xd0\xcf\x11\xe0": "excel",
    b"SQLi": "sqlite",
}
TYPED = ("parquet", "arrow", "excel", "sqlite", "duckdb")
"""Kinds that are no text."""


def is_typed(head: bytes) -> bool:
    """Whether a file that begins so is no text, whatever it is called."""
    return _by_bytes(head) is not None


def _by_bytes(head: bytes) -> str | None:
    """The kind that the first bytes tell, of what is no text."""
    if b"\0" not in head:
        return None
    return "duckdb" if head[8:12] == b"DUCK" else _MAGIC.get(head[:4])


def bare_suffix(name: str) -> str:
    """How a name ends, packing aside."""
    suffixes = [s.lower() for s in Path(name).suffixes]
    if suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def kinds_by_name(paths: Iterable[str]) -> set[str]:
    """The kinds that the names of files tell; lines may turn out to be columns."""
    return {_KINDS.get(bare_suffix(p), "lines") for p in paths} - {"lines"}


def kind_of(path: str, columns: bool, mark: str | None) -> str:
    """By the ending, or for endings that say nothing by how the file begins.

    ``mark`` separates the fields of a text with columns, if that has been said.
    """
    with reading(path) as file:
        head = file.read(4096)
    binary = b"\0" in head
    kind = _by_bytes(head) or _KINDS.get(bare_suffix(path))
    if kind is None or (kind == "lines" and columns):
        array = array_kind(head)
        if head.removeprefix(BOM).lstrip().startswith(b"{"):
            kind = "ndjson"
        elif array == "json" or (array and bare_suffix(path) == ".json"):
            kind = array
        elif columns:
            header = with_line_feeds(head).split(b"\n", 1)[0]
            if b"\t" in header:
                kind = "tsv"
            elif kind is None or mark is not None or re.search(rb"[,;|]", header):
                kind = "csv"
        else:
            kind = "lines"
    if mark is not None and kind in ("csv", "tsv"):
        kind = "tsv" if mark == "\t" else "csv"
    if kind not in TYPED and binary and not head.startswith(ZSTD):
        raise InputError(f"{path} is a binary file, expected text")
    return kind
