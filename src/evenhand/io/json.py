"""JSON: lines, arrays and objects, each brought into lines of objects that Polars reads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeAlias

import orjson

from evenhand.data.factorize import escape_column
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
    with_line_feeds,
)
from evenhand.io.detection import HEADING
from evenhand.io.scratch import Scratch


def path_to(name: str, columns: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The way to a field by the names of columns and of the fields in them, if there is one."""
    if name in columns:
        return (name,)
    for column, dtype in columns.items():
        fields = getattr(dtype, "fields", {}) if name.startswith(f"{column}.") else {}
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


def value_at(path: tuple[str, ...]) -> Any:
    """The values of a field, as an expression."""
    import polars as pl

    values = pl.col(escape_column(path[0]))
    for name in path[1:]:
        values = values.struct.field(escape_column(name))
    return values


# Types of JSON values: which were seen in a place, as a pattern that fits them and as a dtype.

DEEPEST = 100
"""Levels of lists and objects in each other that data may have."""
EXACT = 1 << 53
"""Up to here, decimals tell integers apart."""
_INTEGERS = {
    "integers": EXACT,
    "integers too large to be decimals": (1 << 63) - 1,
    "integers beyond 64 bits": (1 << 127) - 1,
    "endless integers": float("inf"),
}
"""Kinds of integers by the largest that each has."""
_S = r"[ \t\r\n]*"
_PAIR = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = rf'\\["\\/bfnrt]|\\u(?:[0-9abcefABCEF][0-9a-fA-F]|[dD][0-7])[0-9a-fA-F]{{2}}|{_PAIR}'
_PATTERNS = {
    "text": rf'"(?:[^"\\\x00-\x1f]|{_ESCAPE})*"',
    "integers": r"-?(?:0|[1-9][0-9]{0,14})",
    "integers too large to be decimals": r"-?(?:[1-9][0-9]{15,17}|[1-8][0-9]{18})",
    "decimals": r"-?(?:0|[1-9][0-9]{0,99})(?:\.[0-9]+(?:[eE][-+]?[0-9]{1,2})?|[eE][-+]?[0-9]{1,2})",
    "booleans": "true|false",
    "null": "null",
}
"""What certainly is a value of a kind; what is none of these may be one all the same."""
_KINDS = {
    dict: "objects",
    list: "lists",
    str: "text",
    float: "decimals",
    bool: "booleans",
    type(None): "null",
}


@dataclass
class JsonType:
    """The values of one place: their kinds, the type of what is in lists, and of each field.

    ``orders`` are the orders of keys that objects have; all but the first may lack.

    >>> form = JsonType()
    >>> form.add(1), form.add(2.5)
    (None, None)
    >>> form.dtype
    Float64
    >>> form.add("a")
    >>> form.dtype, form.words
    (None, 'decimals and integers and text')
    """

    kinds: set[str] = field(default_factory=set)
    inner: JsonType | None = None
    fields: dict[str, JsonType] = field(default_factory=dict)
    orders: list[list[str]] = field(default_factory=list)

    def add(self, value: Any, level: int = 0) -> None:
        """Take another value in."""
        if type(value) is int:
            self.kinds.add(next(kind for kind, most in _INTEGERS.items() if abs(value) <= most))
            return
        self.kinds.add(_KINDS[type(value)])
        if level > DEEPEST:
            raise ValueError(f"more than {DEEPEST} levels of lists and objects")
        if isinstance(value, dict):
            for key, inner in value.items():
                self.fields.setdefault(key, JsonType()).add(inner, level + 1)
            self._order(list(value))
        elif isinstance(value, list):
            self.inner = self.inner or JsonType()
            self.inner.extend(value, level + 1)

    def extend(self, values: Sequence[Any], level: int = 0) -> None:
        """Take values in, of each plain type those that tell all of it."""
        for kind in set(map(type, values)):
            same: list[Any] = [value for value in values if type(value) is kind]
            nested = kind in (list, dict)
            for value in same if nested else (min(same), max(same)) if kind is int else same[:1]:
                self.add(value, level)

    def _order(self, keys: list[str]) -> None:
        """Make room for the keys in an order that has them, or in one of their own."""
        for i, order in enumerate(self.orders):
            both = _merged(order, keys) if order[:1] == keys[:1] else []
            if both and len(set(both)) == len(both):
                self.orders[i] = both
                return
        self.orders.append(keys)

    @property
    def pattern(self) -> str:
        """A pattern of values such as these, each of them certainly JSON with every key once."""
        choices = [_PATTERNS[kind] for kind in sorted(self.kinds) if kind in _PATTERNS]
        if self.inner is not None:
            each = self.inner.pattern
            choices.append(rf"\[{_S}(?:{each}(?:{_S},{_S}{each})*{_S})?\]")
        for order in self.orders:
            first, *others = (self._pair(key) for key in order) if order else ("",)
            choices.append(rf"\{{{_S}{first}{''.join(rf'(?:,{_S}{p})?' for p in others)}\}}")
        return f"(?:{'|'.join(choices)})"

    def _pair(self, key: str) -> str:
        spelled = {re.escape(json.dumps(key, ensure_ascii=a)) for a in (False, True)}
        return rf"(?:{'|'.join(sorted(spelled))}){_S}:{_S}{self.fields[key].pattern}{_S}"

    @property
    def dtype(self) -> Any:
        """The one type of a column of such values, or ``None``; of objects, of the fields so."""
        import polars as pl

        kinds = self.kinds - {"null"}
        if not kinds:
            return pl.Null()
        if kinds <= _INTEGERS.keys() - {"endless integers"}:
            return pl.Int128() if "integers beyond 64 bits" in kinds else pl.Int64()
        if kinds <= {"integers", "decimals"}:
            return pl.Float64()
        if kinds == {"lists"} and self.inner is not None:
            inner = self.inner.dtype
            return None if inner is None else pl.List(inner)
        if kinds == {"objects"}:
            types = {key: form.dtype for key, form in self.fields.items()}
            return pl.Struct({key: dtype for key, dtype in types.items() if dtype is not None})
        if len(kinds) > 1:
            return None
        return {"text": pl.String(), "booleans": pl.Boolean()}.get(*kinds)

    @property
    def words(self) -> str:
        """The kinds, in words; of lists, what is in them."""
        kinds = self.kinds - {"null"}
        if kinds == {"lists"} and self.inner is not None:
            return self.inner.words
        if "decimals" not in kinds:
            kinds = {"integers" if kind in _INTEGERS else kind for kind in kinds}
        return " and ".join(sorted(kinds))

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

    def refuse(self, name: str, paths: Sequence[tuple[str, ...]]) -> None:
        """Refuse fields that are not of one type."""
        for path in paths:
            form = self
            for i, key in enumerate(path, 1):
                form = form.fields[key]
                if form.dtype is None:
                    raise InputError(
                        f"{name}, column {'.'.join(path[:i])!r} must be of one type, got "
                        f"{form.words}; 1, '1', 1.0 and True are different labels"
                    )

    def refuse_like(self, name: str, column: str, others: Sequence[str]) -> None:
        """Refuse columns of several types that hold, among others, what a column does."""
        kinds = self.fields[column].kinds if column in self.fields else set()
        self.refuse(name, [(c,) for c in others if self.fields[c].kinds & kinds - {"null"}])


def _merged(order: list[str], keys: list[str]) -> list[str]:
    """Both in one order; what they do not have in the same order comes twice."""
    merged, rest = [], keys
    for key in order:
        at = rest.index(key) + 1 if key in rest else 0
        merged += rest[:at] or [key]
        rest = rest[at:]
    return merged + rest


# Parsing: orjson where it gives every value as it stands, else the standard library.

_SPACE = re.compile(_S)
_HIDDEN = (re.compile(rb'"\s+:'), re.compile(rb"\\u00[0-7]"))
"""What may hide a key from counting: space before its colon, an ASCII character spelled out."""


def quickly_parsed(data: bytes) -> Any:
    """What orjson reads, if that is all there is: else ``None``.

    It makes decimals of integers beyond 64 bits and drops the first of two equal keys.

    >>> quickly_parsed(b'{"a": 1}'), quickly_parsed(b'{"a": 1, "a": 2}')
    ({'a': 1}, None)
    """
    try:
        value = orjson.loads(data)
        written = orjson.dumps(value)
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):  # no JSON, or too deep
        return None
    same_keys = written.count(b'":') == data.count(b'":')
    hidden = any(pattern.search(data) for pattern in _HIDDEN)
    large = b"e+" in written  # as decimals are written that may have been integers
    return value if same_keys and not hidden and not large else None


def strictly_parsed(text: str, where: str) -> list[Any]:
    """The values of JSON that follow each other in a text, as the standard library reads them.

    Numbers are those of JSON, text has whole characters, and an object has each key once.
    """
    values, at = [], 0
    text = text.strip(" \t\r\n")
    try:
        while at < len(text):
            value, end = _DECODER.raw_decode(text, at)
            values.append(value)
            at = _SPACE.match(text, end).end()  # type: ignore[union-attr]
        JsonType().add(values)  # which refuses what is too deep
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

LONGEST = 50_000
"""Characters of a pattern that is still quick; what it does not know, Python reads."""


def infer_schema(files: Sequence[tuple[str, str]], unit: str = "line") -> JsonType:
    """What files of objects hold, each a path and what to call it, as is every line; strictly.

    Lines that a pattern of those before knows for sure are not parsed. ``unit`` is what errors
    call a line.
    """
    import polars as pl

    form, pattern, known = JsonType(), "", pl.lit(False)
    for path, name in files:
        for block in ahead(blocks(path, name)):
            lines = pl.read_lines(block.text, name="line").with_row_index("at").filter(~known)
            while len(lines):
                (at, line), lines = lines.row(0), lines.slice(1)
                if not line.strip(" \t") and unit == "line":  # no item of an array may lack
                    continue
                where = f"{name}, {unit} {block.line + at}"
                value, *others = strictly_parsed(line, where) or [None]
                if others or not isinstance(value, dict):
                    came = shown([line if others else value])
                    raise InputError(f"{where}: expected a JSON object, got {came}")
                form.add(value)
                longer = form.pattern if len(pattern) < LONGEST else pattern
                if longer != pattern:
                    pattern = longer
                    if len(pattern) < LONGEST:
                        known = pl.col("line").str.contains(rf"^[ \t]*{pattern}[ \t]*$")
                        lines = lines.filter(~known)
    return form


def scan_json_lines(files: Sequence[tuple[str, str]], form: JsonType) -> Any:
    """Files of objects of a known type as a lazy Polars frame."""
    import polars as pl

    schema, mixed = form.schema, form.mixed

    def parse(block: LineBlock, columns: list[str]) -> Any:
        if {*columns} <= mixed.keys():  # which Polars asks for where rows are but counted
            rows = pl.read_ndjson(block.text, schema=dict.fromkeys(columns, pl.String()))
            return rows.with_columns(pl.lit(None).alias(c) for c in columns)
        return pl.read_ndjson(block.text, schema={c: schema[c] for c in columns})

    return scan_text(files, schema, parse)


# JSON arrays and objects over many lines, brought into JSON Lines; arrays of labels.

_SPREAD = re.compile(rb'\{\s*"(?:[^"\\]|\\.)*"\s*:.*[,\[{]')
"""A line that begins an object and does not end it."""
_BY_ID = re.compile("predictions|labels|answers|results|outputs|responses|data|submission", re.I)
Rows: TypeAlias = list[dict[str, Any]]


def json_kind(head: bytes, suffix: str) -> str | None:
    """What a file that begins so is: objects, labels, or lines of objects; else nothing."""
    text = head.removeprefix(BOM).lstrip()
    if text.startswith(b"["):
        return "json" if text[1:].lstrip().startswith(b"{") else "labels"
    if not text.startswith(b"{"):
        return None
    lines = [line.strip() for line in with_line_feeds(text).split(b"\n") if line.strip()]
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


def in_json_lines(rows: Iterable[bytes], scratch: Scratch) -> str:
    """A temporary file of rows, a line of JSON each."""
    place = scratch.place(".jsonl")
    with place.open("wb") as file:
        file.writelines(rows)
    return str(place)


def json_rows(path: str, name: str) -> Iterator[bytes]:
    """The rows of an array, of an object, or of objects after each other, a line each."""
    value = read_json(path, name)
    if isinstance(value, dict):
        value = _rows(value, name)
    for row in value:
        try:
            yield orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
        except orjson.JSONEncodeError:  # integers beyond 64 bits
            yield json.dumps(row).encode() + b"\n"


def read_json(path: str, name: str) -> Any:
    """What a file of JSON holds; objects that follow each other are a list of them."""
    data = b"".join(pieces(path)).removeprefix(BOM)
    value = quickly_parsed(data)
    if value is not None:
        return value
    value, *others = strictly_parsed(text_of(data, name), name) or [None]
    if others and not all(isinstance(v, dict) for v in (value, *others)):
        raise InputError(f"{name}: expected one JSON array or object, got more after its end")
    return [value, *others] if others else value


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
    by_id = [v for key, v in root.items() if isinstance(v, dict) and _BY_ID.fullmatch(key)]
    if len(by_id) == 1 and _is_flat(by_id[0]):
        return _rows(by_id[0], name)
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
    if len(numbers) <= len(columns) or not all(n.isascii() and n.isdecimal() for n in numbers):
        return []
    if any(list(values) != numbers for values in columns.values()):
        return []
    return [{name: values[n] for name, values in columns.items()} for n in numbers]


def _inside(
    root: dict[str, Any], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The lists and objects of an object, each with the keys that lead to it."""
    for key, value in root.items():
        if isinstance(value, list | dict):
            yield (*path, key), value
        if isinstance(value, dict):
            yield from _inside(value, (*path, key))


def read_labels(path: str, name: str) -> Any:
    """An array of labels as a Polars series, all of one type."""
    import polars as pl

    values, form = read_json(path, name), JsonType()
    try:
        form.extend(values)
    except ValueError as e:
        raise InputError(f"{name}: expected labels, got {e}") from None
    if form.dtype is None:
        raise InputError(f"{name} must hold labels of one type, got {form.words}")
    return pl.Series("", values, dtype=form.dtype)
