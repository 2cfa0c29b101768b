"""Documents: the tables of a file, a stream or a text, whatever they are written in."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.errors import InputError
from evenhand.files.blocks import blocks
from evenhand.files.excel import read_cells, sheets
from evenhand.files.kinds import bare_suffix
from evenhand.files.opening import opened
from evenhand.files.printed.aligned import read_aligned
from evenhand.files.printed.html import read_html
from evenhand.files.printed.latex import is_latex, read_latex
from evenhand.files.printed.markdown import read_markdown
from evenhand.files.printed.printouts import read_printouts
from evenhand.files.printed.table import PrintedTable, without_blank
from evenhand.files.sources import Source, scan
from evenhand.tables.labels import is_null

LARGEST = 20_000_000
"""Characters of a document: what is larger is no paper."""

_READERS = {
    ".tex": read_latex, ".ltx": read_latex, ".latex": read_latex, ".md": read_markdown,
    ".markdown": read_markdown, ".html": read_html, ".htm": read_html, ".xhtml": read_html,
}  # fmt: skip
_TYPED = ("parquet", "arrow", "sqlite", "duckdb", "json", "ndjson")
_JSON = (".json", ".jsonl", ".ndjson")


@dataclass(frozen=True)
class Document:
    """The tables of a document, and what it is called."""

    where: str
    tables: tuple[PrintedTable, ...]


def read_document(name: str) -> Document:
    """The tables of a file, of standard input (``-``), or of a text of several lines."""
    if "\n" in name:
        return Document("the text", tuple(tables_of(name, "the text")))
    with opened(name) as source:
        if source.kind == "excel":
            return Document(source.name, tuple(_sheets(source)))
        braces = source.is_json and bare_suffix(source.name) not in _JSON  # which LaTeX has too
        if source.kind in _TYPED and not braces:
            return Document(source.name, (as_table(scan(source).collect()),))
        text = b"".join(b.text for b in blocks(source.paths[0], source.name)).decode()
        return Document(source.name, tuple(tables_of(text, source.name)))


def tables_of(text: str, where: str) -> list[PrintedTable]:
    """The tables of a text: as the ending of its name says, or as it looks."""
    if not text.strip():
        raise InputError(f"{where} is empty, expected a header and a row for each system")
    suffix = bare_suffix(where)
    if suffix in (".csv", ".tsv", ".tab"):
        return [_delimited(text, where, "\t" if suffix != ".csv" else _mark_of(text))]
    if len(text) > LARGEST:
        raise InputError(f"{where}: expected at most {LARGEST:,} characters, got {len(text):,}")
    printouts = [one.table for one in read_printouts(text, where)]
    if suffix in _READERS:
        return [*printouts, *without_blank(_READERS[suffix](text, where))]
    if printouts:
        return printouts
    if is_latex(text):
        return without_blank(read_latex(text, where))
    if re.search(r"<(table|!doctype html|html)\b", text, re.I) and "|--" not in text:
        return without_blank(read_html(text, where))
    if found := without_blank(read_markdown(text, where)):
        return found
    mark = _delimiter(text)
    if mark is not None:
        return [_delimited(text, where, mark)]
    return without_blank(read_aligned(text, where))


def _mark_of(text: str) -> str:
    first = text.lstrip("\r\n").splitlines()[0]
    return max(",;\t", key=first.count)


def _delimiter(text: str) -> str | None:
    """What separates as many fields in every line, if anything does."""
    lines = [line for line in text.splitlines() if line.strip()][:200]
    for mark in "\t;,":
        try:
            counts = {len(row) for row in csv.reader(lines, delimiter=mark, skipinitialspace=True)}
        except csv.Error:  # a field longer than any table has
            return None
        if len(counts) == 1 and counts.pop() > 1 and len(lines) > 1:
            return mark
    return None


def _delimited(text: str, where: str, mark: str) -> PrintedTable:
    reader = csv.reader(io.StringIO(text), delimiter=mark, skipinitialspace=True)
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
    try:
        for row in reader:
            if not rows and not row:
                continue
            if rows and row and len(row) != len(rows[0]):
                raise InputError(
                    f"{where}, line {reader.line_num}: expected {len(rows[0])} fields as in the "
                    f"header, got {len(row)}"
                )
            if row:
                rows.append(tuple(field.strip() for field in row))
                lines.append(reader.line_num)
    except csv.Error as e:
        raise InputError(f"{where} cannot be read as a table: {e}") from None
    return PrintedTable(tuple(rows), "", tuple(lines), None)


def _sheets(source: Source) -> list[PrintedTable]:
    """Every sheet that has something in it, or the one that was chosen."""
    names = sheets(source.paths[0], source.name)
    found = []
    for name in names if source.part is None else [source.part]:
        rows = read_cells(source.paths[0], source.name, name)
        caption = name if len(names) > 1 else ""
        while rows and sum(map(bool, rows[0])) == 1 and len(rows) > 1:  # a title above the table
            caption, rows = next(filter(None, rows[0])), rows[1:]
        lines = tuple(range(1, len(rows) + 1))
        found.append(PrintedTable(tuple(rows), caption, lines))
    return without_blank(found)


def as_table(frame: Any) -> PrintedTable:
    """A data frame, its values as they are printed."""
    import narwhals as nw

    eager = nw.from_native(frame, eager_only=True)
    columns = []
    for name in eager.columns:
        values = eager[name].to_list()
        if eager[name].dtype == nw.Float32:
            values = [v if is_null(v) else str(np.float32(v)) for v in values]
        columns.append([printed(v) for v in values])
    rows = (tuple(str(c) for c in eager.columns), *zip(*columns, strict=True))
    return PrintedTable(rows, "", tuple(range(len(rows))), 1)


def printed(value: Any) -> str:
    """A value as text, with all the digits that it has; nothing for what is missing."""
    if isinstance(value, dict | list):
        raise InputError(
            "a cell of a table must be a number or text, got several in one: a report of classes "
            "is read as it is printed, not as nested objects"
        )
    if is_null(value):
        return ""
    return repr(value) if isinstance(value, float) else str(value)
