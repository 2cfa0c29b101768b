"""Strict readers of label files, built on the standard library alone.

The rules, and where the standard library is silent what the package means:

- All text is UTF-8 without NUL, wherever in the file, used or not; a BOM may begin it. Other text
  is cp1252, or refused.
- CSV is what ``csv`` reads with ``strict=True``; TSV has no quoting, but quotes around a whole
  field are taken off. Every row has as many fields as the header.
- A label of any file is stripped of white space (Unicode's, not Python's, which adds control
  characters); an empty one is null.
- A column that is used has one name, which stands in the header once.
- JSON Lines has one object a line; blank lines are nothing. A key that is used occurs once in an
  object, and its column holds one kind: text, integers, decimals (with integers up to 2^53 among
  them) or booleans, and nulls; an absent key is null.
- A file of lines has one label per line; an empty line is null.
- A null truth is refused, a null prediction is outside; no items at all are refused.
- Text that is a whole number is one label with and without ``.0``, if columns differ in it and
  none of them has both.

*Grey* is what a careful reader may also refuse; if it does not, it has to agree with these: line
ends of CR alone, blank lines before the header or after the last row, quotes inside an unquoted
field, JSON's \\u0000, integers beyond 64 bits, lists and objects in a column that is used, and in
JSON columns that are not: keys twice and lone surrogates.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite
from typing import Any

WHITE = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
BOM = "\ufeff"
_WHOLE = re.compile(r"-?(0|[1-9][0-9]*)(\.0)?")


class RefusedError(Exception):
    """The file is not as it should be."""


@dataclass(frozen=True)
class Read:
    """The columns asked for, row by row, and whether refusing them would be right too."""

    rows: list[tuple[Any, ...]]
    grey: bool = False


def read(kind: str, raw: bytes, wanted: list[str]) -> Read:
    """The columns named of a file; of lines the one there is."""
    text, grey = _decoded(raw)
    if "\0" in text:
        raise RefusedError("NUL")
    text = text.removeprefix(BOM)
    grey = grey or bool(re.search(r"\r(?!\n)", text))
    found = {"csv": _csv, "tsv": _tsv, "jsonl": _json, "txt": _lines}[kind](text, wanted)
    if not found.rows:
        raise RefusedError("no items")
    return Read(found.rows, grey or found.grey)


def _decoded(raw: bytes) -> tuple[str, bool]:
    """The text of a file, and whether it is not UTF-8."""
    try:
        return raw.decode("utf-8"), False
    except UnicodeDecodeError:
        pass
    try:
        return raw.decode("cp1252"), True
    except UnicodeDecodeError:
        raise RefusedError("neither UTF-8 nor cp1252") from None


def with_one_spelling(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Labels, row by row, with ``1`` for ``1.0`` where some columns have one and some the other.

    A column with both has two labels, unless a column before it has the one or the other.
    """
    written: dict[int, set[str]] = {}
    for column in zip(*rows, strict=True):
        numbers = [v for v in {*column} if isinstance(v, str) and _WHOLE.fullmatch(v)]
        new = [n for v in numbers if (n := int(v.split(".")[0])) not in written]
        if len({*new}) < len(new):
            return rows
        for v in numbers:
            written.setdefault(int(v.split(".")[0]), set()).add(v)
    if all(len(spellings) == 1 for spellings in written.values()):
        return rows
    new = {v: str(number) for number, spellings in written.items() for v in spellings}
    return [tuple(new.get(v, v) for v in row) for row in rows]


def _csv(text: str, wanted: list[str]) -> Read:
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as e:
        raise RefusedError(str(e)) from None
    quoted = '"' in re.sub(r'(^|(?<=[,\r\n]))"([^"]|"")*"', "", text)
    found = _table(rows, wanted, strip)
    return Read(found.rows, found.grey or quoted)


def _tsv(text: str, wanted: list[str]) -> Read:
    lines = _split(text)
    return _table([line.split("\t") if line else [] for line in lines], wanted, unquoted)


def _split(text: str) -> list[str]:
    """Lines, by any of the three line ends."""
    lines = re.split(r"\r\n|\r|\n", text)
    return lines[:-1] if lines[-1] == "" else lines


def _table(rows: list[list[str]], wanted: list[str], field: Any) -> Read:
    """The wanted columns of rows of fields, the header first."""
    full = [i for i, row in enumerate(rows) if any(row)]
    if not full:
        raise RefusedError("no header")
    inner = rows[full[0] : full[-1] + 1]
    head, *body = inner
    names = [field(name) or "" for name in head]
    for name in wanted:
        if names.count(name) != 1:
            raise RefusedError(f"{names.count(name)} columns {name}")
    for row in body:
        if len(row) != len(head):
            raise RefusedError(f"{len(row)} fields, not {len(head)}")
    at = [names.index(name) for name in wanted]
    grey = len(inner) < len(rows) or any(n not in head for n in wanted)
    return Read([tuple(field(row[i]) for i in at) for row in body], grey)


def strip(field: str) -> str | None:
    """A field without the white space around it; null if nothing is left."""
    return field.strip(WHITE) or None


def unquoted(field: str) -> str | None:
    """A field of TSV, without quotes around all of it."""
    text = field.strip(WHITE)
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1].replace('""', '"').strip(WHITE)
    return text or None


def _lines(text: str, _: list[str]) -> Read:
    lines = [line.strip(WHITE) for line in _split(text)]
    return Read([(line or None,) for line in lines], "" in lines)


def _json(text: str, wanted: list[str]) -> Read:
    grey = False

    def pairs(found: Iterable[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal grey
        listed = list(found)
        keys = [k for k, _ in listed]
        twice = {k for k in keys if keys.count(k) > 1}
        if twice & set(wanted):
            raise RefusedError("a key twice")
        grey = grey or bool(twice)
        return dict(listed)

    rows = []
    for line in _split(text):
        if not line.strip(" \t"):
            continue
        try:
            found = json.loads(line, object_pairs_hook=pairs, parse_constant=_refuse)
        except (ValueError, RecursionError) as e:
            raise RefusedError(str(e)) from None
        if not isinstance(found, dict):
            raise RefusedError("no object")
        rows.append(found)
    if any(name not in {k for row in rows for k in row} for name in wanted):
        raise RefusedError("no such key")
    columns = [_column([row.get(name) for row in rows]) for name in wanted]
    if len({kind for _, kind, _ in columns if kind}) > 1:
        raise RefusedError("kinds")
    grey = grey or any(g for *_, g in columns) or _surrogates(rows)
    return Read(list(zip(*(values for values, *_ in columns), strict=True)), grey)


def _refuse(name: str) -> None:
    raise RefusedError(name)


def _surrogates(rows: list[dict[str, Any]]) -> bool:
    text = json.dumps(rows, ensure_ascii=False)
    return any("\ud800" <= c <= "\udfff" for c in text)


def _column(values: list[Any]) -> tuple[list[Any], str, bool]:
    """The values of a column as one kind, that kind, and whether it is grey."""
    kinds = {type(v).__name__ for v in values if v is not None}
    if kinds & {"list", "dict"}:
        raise RefusedError("nested")
    if kinds == {"int", "float"}:
        if any(isinstance(v, int) and abs(v) > 2**53 for v in values):
            raise RefusedError("too large for a decimal")
        values, kinds = [None if v is None else float(v) for v in values], {"float"}
    if len(kinds) > 1:
        raise RefusedError("kinds")
    kind = next(iter(kinds), "")
    known = [v for v in values if v is not None]
    if kind == "float" and not all(map(isfinite, known)):
        raise RefusedError("not finite")
    if kind == "str" and any("\ud800" <= c <= "\udfff" for v in known for c in v):
        raise RefusedError("lone surrogate")
    grey = kind == "str" and any("\0" in v for v in known)
    if kind == "str":
        values = [None if v is None else strip(v) for v in values]
        kind = kind if any(values) else ""  # nothing but blanks is of no kind
    return values, kind, grey or (kind == "int" and any(abs(v) >= 2**63 for v in known))
