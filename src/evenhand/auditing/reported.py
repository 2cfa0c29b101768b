"""Reported: a table of reported scores from a file, a frame or rows, every value as written."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from evenhand.auditing.columns import Column, column
from evenhand.auditing.printed import Printed, read_count, read_number
from evenhand.errors import InputError, shown
from evenhand.files.blocks import read_text
from evenhand.tables.labels import is_null


@dataclass(frozen=True)
class Row:
    """One system: its name, its scores as written, and its whole numbers, by header."""

    name: str
    scores: Mapping[str, Printed]
    counts: Mapping[str, int]


@dataclass(frozen=True)
class Source:
    """A table of reported scores; ``unused`` are headers that mean nothing to an audit."""

    where: str
    columns: Mapping[str, Column]
    rows: tuple[Row, ...]
    unused: tuple[str, ...]

    @cached_property
    def places(self) -> dict[tuple[str, str], str]:
        """The header of each kind of score and what it is of."""
        return {(c.kind, c.of): h for h, c in self.columns.items() if c.kind != "other"}


def read_source(data: Any) -> Source:
    """Reported scores from a CSV or TSV file, a data frame, or a list of dictionaries."""
    if isinstance(data, str | Path):
        where = str(data)
        if not where:
            raise InputError("a table to audit must be a file, got an empty name")
        headers, lines = _file(where)
        return _source(where, headers, lines, ", line ", 2)
    where = "the table"
    if isinstance(data, Mapping):
        data = [data] if not any(isinstance(v, list | tuple) for v in data.values()) else data
    if isinstance(data, list | tuple):
        headers, lines = _rows(data)
    else:
        headers, lines = _frame(data)
    return _source(where, headers, lines, ", row ", 1)


def _file(path: str) -> tuple[list[str], list[list[str]]]:
    text = read_text(path)
    if not text.strip():
        raise InputError(f"{path} is empty, expected a header and a row for each system")
    first = text.lstrip("\r\n").splitlines()[0]
    mark = "\t" if Path(path).suffix.lower() in (".tsv", ".tab") else max(",;\t", key=first.count)
    try:
        lines = list(csv.reader(io.StringIO(text), delimiter=mark, skipinitialspace=True))
    except csv.Error as e:
        raise InputError(f"{path} cannot be read as a table: {e}") from None
    headers = [h.strip() for h in lines[0]]
    for i, line in enumerate(lines[1:], 2):
        if line and len(line) != len(headers):
            raise InputError(
                f"{path}, line {i}: expected {len(headers)} fields as in the header, "
                f"got {len(line)}"
            )
    return headers, lines[1:]


def _rows(data: Iterable[Any]) -> tuple[list[str], list[list[str]]]:
    rows = list(data)
    for i, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise InputError(f"row {i}: expected a dictionary, got {type(row).__name__}")
    headers = list(dict.fromkeys(str(h) for row in rows for h in row))
    return headers, [[_text(row.get(h)) for h in headers] for row in rows]


def _frame(data: Any) -> tuple[list[str], list[list[str]]]:
    import narwhals as nw

    try:
        frame = nw.from_native(data)
    except TypeError:
        raise InputError(
            f"audit takes a file, a data frame or a list of dictionaries, got {type(data).__name__}"
        ) from None
    eager = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    columns = []
    for name in eager.columns:
        values = eager[name].to_list()
        if eager[name].dtype == nw.Float32:
            import numpy as np

            values = [v if is_null(v) else str(np.float32(v)) for v in values]
        columns.append([_text(v) for v in values])
    return [str(c) for c in eager.columns], [list(line) for line in zip(*columns, strict=True)]


def _text(value: Any) -> str:
    if is_null(value):
        return ""
    return repr(value) if isinstance(value, float) else str(value)


def _source(
    where: str, headers: list[str], lines: list[list[str]], place: str, first: int
) -> Source:
    columns = {h: column(h) for h in headers}
    twice = [h for h in columns if headers.count(h) > 1]
    meanings = [(c.kind, c.of) for c in columns.values() if c.kind not in ("other", "name")]
    twice += [c.header for c in columns.values() if meanings.count((c.kind, c.of)) > 1]
    if twice:
        raise InputError(f"{where}: expected each column once, got {shown(dict.fromkeys(twice))}")
    if not meanings:
        raise InputError(
            f"{where} has columns {shown(headers, 8)}, expected scores such as macro_f1, "
            "macro_precision, accuracy, precision[LABEL], recall[LABEL], f1[LABEL]"
        )
    names = [c.header for c in columns.values() if c.kind == "name"]
    rows = []
    for i, line in enumerate(lines):
        if not any(field.strip() for field in line):
            continue
        spot = f"{where}{place}{i + first}"
        rows.append(_row(spot, i, dict(zip(headers, line, strict=True)), columns, names))
    if not rows:
        raise InputError(f"{where} has a header but no rows, expected one for each system")
    unused = [h for h, c in columns.items() if c.kind == "other" or h in names[1:]]
    return Source(where, columns, tuple(rows), tuple(unused))


def _row(
    spot: str, i: int, fields: dict[str, str], columns: dict[str, Column], names: list[str]
) -> Row:
    scores: dict[str, Printed] = {}
    counts: dict[str, int] = {}
    for header, text in fields.items():
        kind = columns[header].kind
        if kind in ("n", "support"):
            number = read_count(text, f"{spot}, column {header}")
            if number == 0 and kind == "n":
                raise InputError(f"{spot}, column {header}: expected at least one item, got 0")
            if number is not None:
                counts[header] = number
        elif kind not in ("name", "other"):
            value = read_number(text, f"{spot}, column {header}")
            if value is not None:
                scores[header] = value
    name = fields[names[0]].strip() if names else ""
    return Row(name or f"row {i + 1}", scores, counts)
