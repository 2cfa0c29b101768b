"""JSON: lines, arrays and objects, each brought into the columns of a frame."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from typing import Any, NoReturn, TypeAlias

import orjson

from evenhand.data.factorize import escape_column
from evenhand.data.roles import names_labels
from evenhand.errors import InputError, shown
from evenhand.io.delimited import (
    BOM,
    HEAD,
    LineBlock,
    ahead,
    blocks,
    pieces,
    scan_text,
    text_of,
)
from evenhand.io.detection import HEADING


def path_to(name: str, columns: Mapping[str, Any]) -> tuple[str | int, ...] | None:
    """The way to a field by the names of columns and of the fields in them, if there is one.

    A number is a place in a list.
    """
    if name in columns:
        return (name,)
    for column, dtype in columns.items():
        fields = getattr(dtype, "fields", {}) if name.startswith(f"{column}.") else {}
        place = name.removeprefix(f"{column}.")
        if place != name and place.isdecimal() and (inner := getattr(dtype, "inner", None)):
            return column, int(place)
        if not isinstance(fields, Mapping):
            fields = {f.name: f.dtype for f in fields}
        inner = path_to(name[len(column) + 1 :], fields)
        if inner is not None:
            return column, *inner
    return None


def inner_fields(columns: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The fields inside columns of a Polars frame that hold no others, with the way to each."""
    paths: dict[str, tuple[str, ...]] = {}
    for column, dtype in columns.items():
        fields = getattr(dtype, "fields", ())
        inner = inner_fields({f.name: f.dtype for f in fields})
        paths |= {f"{column}.{name}": (column, *path) for name, path in inner.items()}
        paths |= {f"{column}.{f.name}": (column, f.name) for f in fields if not f.dtype.is_nested()}
    return paths


def value_at(path: tuple[str | int, ...]) -> Any:
    """The values of a field, as an expression."""
    import polars as pl

    values = pl.col(escape_column(str(path[0])))
    for name in path[1:]:
        if isinstance(name, int):
            values = values.list.get(name, null_on_oob=True)
        else:
            values = values.struct.field(escape_column(name))
    return values


# Types of JSON values: which were seen in a place, and the type of a column that holds them.

DEEPEST = 100
"""Levels of lists and objects in each other that data may have."""
EXACT = 1 << 53
"""Up to here, decimals tell integers apart."""
_WORDS = {
    dict: "objects", list: "lists", str: "text", float: "decimals", bool: "booleans",
    int: "integers",
}  # fmt: skip
Rows: TypeAlias = list[dict[str, Any]]


@dataclass
class JsonType:
    """The values of one place: their types, the type of what is in lists, and of each field.

    >>> form = JsonType()
    >>> form.extend([1, 2.5])
    >>> form.dtype
    Float64
    >>> form.extend(["a"])
    >>> form.dtype, form.words
    (None, 'decimals and integers and text')
    """

    types: set[type] = field(default_factory=set)
    largest: int = 0
    inner: JsonType | None = None
    fields: dict[str, JsonType] = field(default_factory=dict)

    def extend(self, values: Sequence[Any], level: int = 0) -> None:
        """Take values in, all of one type together."""
        if level > DEEPEST:
            raise ValueError(f"more than {DEEPEST} levels of lists and objects")
        types = set(map(type, values))
        for kind in types - {type(None)}:
            same: Any = values if len(types) == 1 else [v for v in values if type(v) is kind]
            self.types.add(kind)
            if kind is int:
                self.largest = max(self.largest, *map(abs, (min(same), max(same))))
            elif kind is dict:
                for key, column in _columns(same).items():
                    self.fields.setdefault(key, JsonType()).extend(column, level + 1)
            elif kind is list:
                self.inner = self.inner or JsonType()
                self.inner.extend(list(chain.from_iterable(same)), level + 1)

    @property
    def dtype(self) -> Any:
        """The one type of a column of such values, or ``None``; of objects, of the fields so."""
        import polars as pl

        if self.types == {int}:
            return pl.Int64() if self.largest < 1 << 63 else pl.Int128()
        if self.types == {int, float}:
            return pl.Float64() if self.largest <= EXACT else None
        if self.types == {list} and self.inner is not None:
            inner = self.inner.dtype
            return None if inner is None else pl.List(inner)
        if self.types == {dict}:
            types = ((key, form.dtype) for key, form in self.fields.items())
            return pl.Struct({key: dtype for key, dtype in types if dtype is not None})
        if len(self.types) > 1:
            return None
        simple = {str: pl.String(), bool: pl.Boolean(), float: pl.Float64()}
        return next((simple[kind] for kind in self.types), pl.Null())

    @property
    def words(self) -> str:
        """The types, in words; of lists, what is in them."""
        if self.types == {list} and self.inner is not None:
            return self.inner.words
        large = " beyond 2^53" if self.types == {int, float} and self.largest > EXACT else ""
        return " and ".join(sorted(_WORDS[kind] for kind in self.types)) + large

    @property
    def schema(self) -> dict[str, Any]:
        """The columns of objects and their types; one that holds this and that has none."""
        import polars as pl

        types = {key: form.dtype for key, form in self.fields.items()}
        return {key: pl.Null() if dtype is None else dtype for key, dtype in types.items()}

    @property
    def mixed(self) -> dict[str, str]:
        """The columns that hold this and that, and what."""
        return {key: form.words for key, form in self.fields.items() if form.dtype is None}

    def refuse(self, name: str, paths: Sequence[tuple[str | int, ...]]) -> None:
        """Refuse fields that are not of one type."""
        for path in paths:
            form = self
            for i, key in enumerate(path, 1):
                inner = form.inner if isinstance(key, int) else form.fields[key]
                form = inner or form
                if form.dtype is None:
                    raise InputError(
                        f"{name}, column {'.'.join(map(str, path[:i]))!r} must be of one type, got "
                        f"{form.words}; 1, '1', 1.0 and True are different labels"
                    )

    def refuse_like(self, name: str, column: str, others: Sequence[str]) -> None:
        """Refuse columns of several types that hold, among others, what a column does."""
        types = self.fields[column].types if column in self.fields else set()
        self.refuse(name, [(c,) for c in others if self.fields[c].types & types])


def type_of(parts: Iterable[tuple[str, Sequence[Any]]]) -> JsonType:
    """What values hold, each part with the name of its file."""
    form = JsonType()
    for name, values in parts:
        try:
            form.extend(values)
        except ValueError as e:
            raise InputError(f"{name}: expected JSON, got {e}") from None
    return form


def _columns(rows: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    """The values of each field, in the order in which fields come."""
    if {*map(len, rows)} == {len(rows[0])}:
        with suppress(KeyError):  # quick where all have the fields of the first
            return {key: list(map(itemgetter(key), rows)) for key in rows[0]}
    columns: dict[str, list[Any]] = {}
    for row in rows:
        for key, value in row.items():
            columns.setdefault(key, []).append(value)
    return columns


# Parsing: orjson where it gives every value as it stands, else the standard library.

_SPACE = re.compile(r"[ \t\r\n]*")
_DIGITS = bytes.maketrans(b"123456789E", b"000000000e")
_LONG, _POWER, _SIGNED_POWER = b"0" * 19, b"0e000", b"0e+000"
_BEYOND = re.compile(
    rb"(?:^|[\s:,\[])(?:-[0-9]{19}|[0-9]{20}|-?[0-9]+(?:\.[0-9]+)?[eE]\+?[0-9]{3})"
)
"""What may be a number beyond those of 64 bits, of which orjson makes another."""


def _keeps_numbers(data: bytes) -> bool:
    """Whether orjson gives every number as it stands."""
    signs = data.translate(_DIGITS)
    large = _LONG in signs or _POWER in signs or _SIGNED_POWER in signs
    return not large or _BEYOND.search(data) is None


def _quickly_parsed(data: bytes) -> Any:
    """What orjson reads; ``None`` if it would change a number or drop one of two equal keys."""
    with suppress(orjson.JSONDecodeError, orjson.JSONEncodeError):
        value = orjson.loads(data)
        keys = data.translate(None, b" \t\r\n").count(b'":')
        same = orjson.dumps(value).count(b'":') == keys and _keeps_numbers(data)
        return value if same else None
    return None


def loads(data: bytes) -> Any:
    """A value of JSON as Python reads it, ``NaN`` and integers of any size too."""
    try:
        return orjson.loads(data) if _keeps_numbers(data) else json.loads(data)
    except orjson.JSONDecodeError:
        return json.loads(data)


def parsed(data: bytes, where: str) -> list[Any]:
    """The values of JSON that follow each other in UTF-8.

    Numbers are those of JSON, text has whole characters, and an object has each key once.
    """
    value = _quickly_parsed(data)
    if value is not None:
        return [value]
    values, at, text = [], 0, text_of(data, where).strip(" \t\r\n")
    try:
        while at < len(text):
            value, end = _DECODER.raw_decode(text, at)
            values.append(value)
            at = _SPACE.match(text, end).end()  # type: ignore[union-attr]
        json.dumps(values, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise InputError(f"{where}: expected text, got half a character") from None
    except json.JSONDecodeError as e:
        line = f"line {e.lineno}, " if e.lineno > 1 else ""
        came = f"{e.msg} ({line}character {e.colno})"
        raise InputError(f"{where}: expected JSON, got {came}") from None
    except (ValueError, RecursionError) as e:
        raise InputError(f"{where}: expected JSON, got {e}") from None
    return values


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a key that stands in it twice is refused."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"{shown(k for k in fields if keys.count(k) > 1)} more than once")
    return fields


def _no_number(text: str) -> NoReturn:
    """Refuse what Python would take for a number."""
    raise ValueError(f"{text}, which is no number of JSON")


def _decimal(text: str) -> float:
    value = float(text)
    return _no_number(text[:20]) if abs(value) == float("inf") else value


_DECODER = json.JSONDecoder(
    object_pairs_hook=_once, parse_constant=_no_number, parse_float=_decimal
)


# JSON Lines: an object a line, checked before Polars, which is forgiving, reads them.


def lined_objects(path: str, name: str) -> Iterator[Rows]:
    """The objects of a file that has one per line, some at a time; strictly."""
    for block in ahead(blocks(path, name)):
        lines = block.text.rstrip().split(b"\n")
        rows = _quickly_parsed(b"[" + b",".join(lines) + b"]")
        if rows is None or len(rows) != len(lines) or {*map(type, rows)} - {dict}:
            rows = list(_strict_objects(lines, name, block.line))
        yield rows


def _strict_objects(lines: Sequence[bytes], name: str, first: int) -> Iterator[dict[str, Any]]:
    """The objects of lines; the first that is none is named."""
    for at, line in enumerate(lines, first):
        if not line.strip(b" \t"):
            continue
        where = f"{name}, line {at}"
        value, *others = parsed(line, where)
        if others or not isinstance(value, dict):
            came = shown([line.decode() if others else value])
            raise InputError(f"{where}: expected a JSON object, got {came}")
        yield value


def scan_json_lines(files: Sequence[tuple[str, str]], form: JsonType) -> Any:
    """Files of objects of a known type as a lazy Polars frame."""
    import polars as pl

    schema, mixed = form.schema, form.mixed

    def parse(block: LineBlock, columns: list[str]) -> Any:
        types = {c: pl.String() if c in mixed else schema[c] for c in columns}
        nothing = [pl.lit(None).alias(c) for c in columns if c in mixed]
        return pl.read_ndjson(block.text, schema=types).with_columns(nothing)

    return scan_text(files, schema, parse)


# JSON arrays and objects over many lines, as rows of objects; arrays of labels.

_SPREAD = re.compile(rb'\{\s*"(?:[^"\\]|\\.)*"\s*:.*[,\[{]')
"""A line that begins an object and does not end it."""
_BY_ID = re.compile("predictions|labels|answers|results|outputs|responses|data|submission", re.I)


def json_kind(head: bytes, suffix: str) -> str | None:
    """What a text that begins so is: objects, labels, or lines of objects; else nothing."""
    if head.startswith(b"["):
        return "json" if head[1:].lstrip().startswith(b"{") else "labels"
    if not head.startswith(b"{"):
        return None
    lines = [line.strip() for line in head.split(b"\n") if line.strip()]
    first, complete = lines[0], len(lines) > 1 or len(head) < HEAD
    try:
        is_object = not complete or bool(json.loads(first))
    except (ValueError, RecursionError):
        lined = suffix in (".jsonl", ".ndjson")
        spread = first == b"{" or (not lined and _SPREAD.fullmatch(first))
        return "json" if spread and len(lines) > 1 else None
    if suffix == ".json" and len(lines) == 1:
        return "json"
    return "ndjson" if is_object else None


def json_rows(path: str, name: str) -> Rows:
    """The rows of an array, of an object, or of objects after each other."""
    items = _read_json(path, name)
    rows = _rows(items, name) if isinstance(items, dict) else items
    for at, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise InputError(f"{name}, item {at}: expected a JSON object, got {shown([row])}")
    return rows


def read_labels(path: str, name: str, column: str) -> Any:
    """An array of labels as a column of a Polars frame, all of one type."""
    import polars as pl

    labels = _read_json(path, name)
    kind = type_of([(name, labels)])
    if kind.dtype is None:
        raise InputError(f"{name} must hold labels of one type, got {kind.words}")
    return pl.DataFrame({column: labels}, schema={column: kind.dtype})


def _read_json(path: str, name: str) -> Any:
    """What a file of JSON holds; objects that follow each other are a list of them."""
    value, *others = parsed(b"".join(pieces(path, name)).removeprefix(BOM), name) or [None]
    if others and not all(isinstance(v, dict) for v in (value, *others)):
        raise InputError(f"{name}: expected one JSON array or object, got more after its end")
    return [value, *others] if others else value


def rows_frame(rows: Sequence[Mapping[str, Any]], form: JsonType) -> Any:
    """Rows of objects of a type as a lazy Polars frame."""
    import polars as pl

    mixed = form.mixed
    columns = {
        key: pl.Series(
            [None] * len(rows) if key in mixed else [row.get(key) for row in rows], dtype=dtype
        )
        for key, dtype in form.schema.items()
    }
    return pl.DataFrame(columns).lazy()


def _rows(root: dict[str, Any], name: str) -> Rows:
    """The rows that an object stands for.

    It has a list of them inside, lists of one length that are their columns, or their ids as keys;
    else it is a row itself.
    """
    inside = dict(_inside(root))
    lists = {path: v for path, v in inside.items() if v and isinstance(v, list)}
    tables = {path: v for path, v in lists.items() if all(isinstance(x, dict) for x in v)}
    if len(tables) > 1:
        names = shown(".".join(path) for path in tables)
        raise InputError(f"{name} has several lists of objects, {names}: expected one in a file")
    for rows in tables.values():
        return rows
    if lists:
        size = max(map(len, lists.values()))
        columns = {".".join(path): v for path, v in lists.items() if len(v) == size}
        return [{name: v[i] for name, v in columns.items()} for i in range(size)]
    objects = {key: v for key, v in root.items() if isinstance(v, dict)}
    if len(root) == len(objects) > 1 and (rows := _by_column(objects)):
        return rows
    by_id = {k: v for k, v in objects.items() if _BY_ID.fullmatch(k) or names_labels(k)}
    if len(by_id) == 1 and all(map(_is_flat, by_id.values())):
        return _rows(next(iter(by_id.values())), name)
    if rows := _labels_by_id(by_id):
        return rows
    if any(HEADING.fullmatch(key) and not isinstance(v, list | dict) for key, v in root.items()):
        return [root]
    if root and all(isinstance(v, dict) for v in root.values()):
        return _by_column(root) or [
            {"key" if "id" in row else "id": key, **row} for key, row in root.items()
        ]
    maps = [v for v in (root, *inside.values()) if isinstance(v, dict) and _is_flat(v)]
    if len(maps) == 1:
        return [{"id": key, "label": v} for key, v in maps[0].items()]
    return [root]


def _is_flat(root: dict[str, Any]) -> bool:
    """Whether an object has several fields, and neither lists nor objects in them."""
    return len(root) > 1 and not any(isinstance(v, list | dict) for v in root.values())


def _by_column(columns: Mapping[str, dict[str, Any]]) -> Rows:
    """The rows of columns that hold a value for the number of each row, as pandas writes them."""
    numbers = list(next(iter(columns.values())))
    numbered = len(numbers) > len(columns) and all(n.isascii() and n.isdecimal() for n in numbers)
    if not numbered or any(list(values) != numbers for values in columns.values()):
        return []
    return [{name: values[n] for name, values in columns.items()} for n in numbers]


def _labels_by_id(columns: Mapping[str, dict[str, Any]]) -> Rows:
    """The rows of columns of labels that hold one for each id, mostly the same ids."""
    if len(columns) < 2 or not all(map(_is_flat, columns.values())):
        return []
    ids = dict.fromkeys(chain.from_iterable(columns.values()))
    shared = set(ids).intersection(*columns.values())
    if 2 * len(shared) < len(ids) or any(map(names_labels, ids)):
        return []
    return [{"id": i} | {name: v[i] for name, v in columns.items() if i in v} for i in ids]


def _inside(
    root: dict[str, Any], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The lists and objects of an object, each with the keys that lead to it."""
    for key, value in root.items():
        if isinstance(value, list | dict):
            yield (*path, key), value
        if isinstance(value, dict):
            yield from _inside(value, (*path, key))
