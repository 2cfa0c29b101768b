"""JSON: lines, arrays and objects, each brought into lines of objects that Polars reads."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from glob import escape
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
    plain,
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


class JsonObject(list[tuple[str, Any]]):
    """The pairs of a JSON object, with every key that comes more than once."""


_KINDS = {
    JsonObject: "objects",
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

    def add(self, value: Any) -> None:
        """Take another value in."""
        if type(value) is int:
            self.kinds.add(next(kind for kind, most in _INTEGERS.items() if abs(value) <= most))
            return
        self.kinds.add(_KINDS[type(value)])
        if isinstance(value, JsonObject):
            for key, inner in value:
                self.fields.setdefault(key, JsonType()).add(inner)
            self._order([key for key, _ in value])
        elif isinstance(value, dict):
            self.add(JsonObject(value.items()))
        elif isinstance(value, list):
            self.inner = self.inner or JsonType()
            self.inner.extend(value)

    def extend(self, values: Sequence[Any]) -> None:
        """Take values in, of each plain type those that tell all of it."""
        for kind in set(map(type, values)):
            same: list[Any] = [value for value in values if type(value) is kind]
            nested = kind in (list, dict, JsonObject)
            for value in same if nested else (min(same), max(same)) if kind is int else same[:1]:
                self.add(value)

    def _order(self, keys: list[str]) -> None:
        """Make room for the keys in an order that has them, or in one of their own."""
        for i, order in enumerate(self.orders):
            both = _merged(order, keys) if order[:1] == keys[:1] else []
            if both and len(set(both)) == len(both):
                self.orders[i] = both
                return
        if len(set(keys)) == len(keys):
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


def _merged(order: list[str], keys: list[str]) -> list[str]:
    """Both in one order; what they do not have in the same order comes twice."""
    merged, rest = [], keys
    for key in order:
        at = rest.index(key) + 1 if key in rest else 0
        merged += rest[:at] or [key]
        rest = rest[at:]
    return merged + rest


# Parsing: orjson where it gives every value as it stands, else the standard library.

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


def parsed(text: str, where: str) -> Any:
    """What a text of JSON holds, read strictly: whole characters, numbers of JSON."""
    try:
        value = json.loads(
            text, object_pairs_hook=JsonObject, parse_constant=_no_number, parse_float=_decimal
        )
    except (ValueError, RecursionError) as e:
        raise InputError(f"{where}: expected JSON, got {_reason(e)}") from None
    if text.count("{") + text.count("[") > DEEPEST and _is_deep(value):
        raise InputError(f"{where}: expected JSON of at most {DEEPEST} levels, got more")
    if "\\u" in text and not is_text(value):
        pairs = value if isinstance(value, JsonObject) else ()
        at = next((f" at {k!a}" for k, v in pairs if not (is_text(k) and is_text(v))), "")
        raise InputError(f"{where}: expected text, got half a character{at}")
    return value


def _reason(error: Exception) -> str:
    """What a parser says, and where it stopped."""
    if not isinstance(error, json.JSONDecodeError):
        return str(error)
    line = f"line {error.lineno}, " if error.lineno > 1 else ""
    return f"{error.msg} ({line}character {error.colno})"


def _is_deep(value: Any) -> bool:
    """Whether lists and objects stand in each other beyond all data; pairs are a level more."""
    level = [value]
    for _ in range(2 * DEEPEST):
        level = [v for inner in level if isinstance(inner, list | tuple) for v in inner]
    return bool(level)


def parsed_object(text: str, where: str) -> JsonObject:
    """The same, if it is an object."""
    value = parsed(text, where)
    if not isinstance(value, JsonObject):
        raise InputError(f"{where}: expected a JSON object, got {shown([value])}")
    return value


def _no_number(text: str) -> NoReturn:
    """Refuse what Python would take for a number."""
    raise ValueError(f"{text}, which is no number of JSON")


def _decimal(text: str) -> float:
    value = float(text)
    return _no_number(text[:20]) if abs(value) == float("inf") else value


def is_text(value: Any) -> bool:
    """Whether all text in a value is text: half of a surrogate pair is none."""
    if isinstance(value, list | tuple):
        return all(map(is_text, value))
    return not isinstance(value, str) or not any("\ud800" <= c <= "\udfff" for c in value)


def repeated_keys(pairs: JsonObject) -> list[str]:
    """The keys that an object has more than once, or under which one does."""
    keys = [key for key, _ in pairs]
    again = (key for key, value in pairs if keys.count(key) > 1 or _has_repeated_keys(value))
    return list(dict.fromkeys(again))


def _has_repeated_keys(value: Any) -> bool:
    if isinstance(value, JsonObject):
        return bool(repeated_keys(value))
    return isinstance(value, list) and any(map(_has_repeated_keys, value))


# JSON Lines: an object a line, checked before Polars, which is forgiving, reads them.

LONGEST = 50_000
"""Characters of a pattern that is still quick; what it does not know, Python reads."""


@dataclass
class InferredSchema:
    """What files of objects hold: how many, of which type, and where keys came more than once."""

    form: JsonType = field(default_factory=JsonType)
    rows: int = 0
    repeated: dict[str, str] = field(default_factory=dict)
    pattern: str = r"[^\s\S]"  # which nothing is
    full: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """The columns and their types; one that holds this and that has none."""
        import polars as pl

        types = {key: form.dtype for key, form in self.form.fields.items()}
        return {key: pl.Null() if dtype is None else dtype for key, dtype in types.items()}

    @property
    def mixed(self) -> dict[str, str]:
        """The columns that hold this and that, and what."""
        return {key: form.words for key, form in self.form.fields.items() if form.dtype is None}

    def refuse(self, name: str, paths: Sequence[tuple[str, ...]]) -> None:
        """Fields must be of one type, and each key stand once in a line, to be asked for."""
        for path in paths:
            if path[0] in self.repeated:
                again = f"got {shown([path[0]])} more than once"
                raise InputError(f"{self.repeated[path[0]]}: expected each key once, {again}")
            form = self.form
            for i, key in enumerate(path, 1):
                form = form.fields[key]
                if form.dtype is None:
                    raise InputError(
                        f"{name}, column {'.'.join(path[:i])!r} must be of one type, got "
                        f"{form.words}; 1, '1', 1.0 and True are different labels"
                    )

    def refuse_like(self, name: str, column: str, others: Sequence[str]) -> None:
        """The same of those that hold, among others, what the column does."""
        fields = self.form.fields
        kinds = fields[column].kinds if column in fields else set()
        self.refuse(name, [(c,) for c in others if fields[c].kinds & kinds - {"null"}])

    def take(self, block: LineBlock, name: str, unit: str) -> None:
        """Learn from the lines of a block whatever the pattern does not know, and check them."""
        import polars as pl

        lines = pl.read_lines(block.text, name="line").with_row_index("at")
        self.rows += len(lines)
        new = self._unknown(lines)
        while len(new):
            (at, line), new = new.row(0), new.slice(1)
            if not line.strip(" \t") and unit == "line":  # no item of an array may lack
                self.rows -= 1
                continue
            where = f"{name}, {unit} {block.line + at}"
            pairs = parsed_object(line, where)
            self.form.add(pairs)
            for key in repeated_keys(pairs):
                self.repeated.setdefault(key, where)
            if not self.full:
                pattern = rf"^[ \t]*{self.form.pattern}[ \t]*$"
                self.full = len(pattern) > LONGEST
                if pattern != self.pattern and not self.full:
                    self.pattern = pattern
                    new = self._unknown(new)

    def _unknown(self, lines: Any) -> Any:
        return lines.filter(~lines["line"].str.contains(self.pattern))


def infer_schema(files: Sequence[tuple[str, str]], unit: str = "line") -> InferredSchema:
    """What files of objects hold, each a path and what to call it, as is every line; strictly.

    ``unit`` is what errors call a line.
    """
    schema = InferredSchema()
    for path, name in files:
        for block in ahead(blocks(path, name)):
            schema.take(block, name, unit)
    return schema


def scan_json_lines(files: Sequence[tuple[str, str]], known: InferredSchema) -> Any:
    """Files of objects of which all is known, as a lazy Polars frame."""
    import polars as pl

    texts = [plain(path, name) for path, name in files]
    sources = [escape(text) if isinstance(text, str) else text for text in texts]
    return pl.scan_ndjson(sources, schema=known.schema)


# JSON arrays and objects over many lines, brought into JSON Lines; arrays of labels.

_SPREAD = re.compile(rb'\{\s*"(?:[^"\\]|\\.)*"\s*:.*[,\[{]')
"""A line that begins an object and does not end it."""
_SPACE = re.compile(_S)
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


def in_json_lines(
    files: Sequence[tuple[str, str]], rows: Callable[[str, str], Iterable[bytes]], scratch: Scratch
) -> tuple[tuple[str, ...], InferredSchema]:
    """Temporary files with the rows of others, a line each, and what they hold.

    ``rows`` yields the lines of a file, by its path and what to call it.
    """
    places = []
    for path, name in files:
        place = scratch.place(".jsonl")
        with place.open("wb") as file:
            file.writelines(rows(path, name))
        places.append((str(place), name))
    return tuple(place for place, _ in places), infer_schema(places, "item")


def json_rows(path: str, name: str) -> Iterator[bytes]:
    """The rows of an array, of an object, or of objects after each other, a line each."""
    data = b"".join(pieces(path)).removeprefix(BOM)
    value = quickly_parsed(data)
    if value is not None:
        rows = value if isinstance(value, list) else _rows(value, name)
        return (orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)
    text = text_of(data, name).rstrip()
    items: Iterable[str] = _items(text, name)
    if not data.lstrip().startswith(b"["):
        first, *others = items
        pairs = parsed_object(first, name)
        if not others and (again := repeated_keys(pairs)):
            raise InputError(f"{name}: expected each key once, got {shown(again)} more than once")
        items = [first, *others] if others else map(json.dumps, _rows(json.loads(first), name))
    return (item.replace("\n", " ").encode() + b"\n" for item in items)


def _items(text: str, name: str) -> Iterator[str]:
    """The text of each item of an array, or of each value of some that follow each other."""
    array, number = text.lstrip().startswith("["), 0
    at = _after_space(text, text.index("[") + 1 if array else 0)
    end = "]" if array else ""
    more = text[at : at + 1] != end
    while more:
        number += 1
        where = f"{name}, item {number}" if array else name
        try:
            stop = json.JSONDecoder().raw_decode(text, at)[1]
        except (ValueError, RecursionError) as e:
            raise InputError(f"{where}: expected JSON, got {_reason(e)}") from None
        yield text[at:stop]
        at = _after_space(text, stop)
        more = text[at : at + 1] != end
        if more and array:
            if at == len(text):
                raise InputError(f"{name}: expected a JSON array, got one that is never closed")
            if text[at] != ",":
                raise InputError(f"{where}: expected JSON, got no comma after it")
            at = _after_space(text, at + 1)
    if text[at + 1 :].strip():
        raise InputError(f"{name}: expected one JSON array, got more after its end")


def _after_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


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
        columns = {path: v for path, v in lists.items() if len(v) == size}
        return [_nested({path: v[i] for path, v in columns.items()}) for i in range(size)]
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


def _nested(fields: Mapping[tuple[str, ...], Any]) -> dict[str, Any]:
    """An object of fields, each at the end of its keys."""
    root: dict[str, Any] = {}
    for (*path, key), value in fields.items():
        inner = root
        for name in path:
            inner = inner.setdefault(name, {})
        inner[key] = value
    return root


def read_labels(path: str, name: str) -> Any:
    """An array of labels as a Polars series, all of one type."""
    import polars as pl

    data = b"".join(pieces(path)).removeprefix(BOM)
    values = quickly_parsed(data)
    if values is None:
        values = []
        for number, item in enumerate(_items(text_of(data, name).rstrip(), name), 1):
            parsed(item, f"{name}, item {number}")
            values.append(json.loads(item))
    form = JsonType()
    form.extend(values)
    if form.dtype is None:
        raise InputError(f"{name} must hold labels of one type, got {form.words}")
    return pl.Series("", values, dtype=form.dtype)
