"""JSON: lines, arrays, objects and their fields."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from glob import escape
from itertools import chain
from typing import Any, NoReturn

import numpy as np

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
    for column, held in columns.items():
        fields = getattr(held, "fields", {}) if name.startswith(f"{column}.") else {}
        if not isinstance(fields, Mapping):
            fields = {f.name: f.dtype for f in fields}
        inner = path_to(name[len(column) + 1 :], fields)
        if inner is not None:
            return column, *inner
    return None


def inner_fields(columns: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The fields inside columns of a Polars frame that hold no others, with the way to each."""
    paths: dict[str, tuple[str, ...]] = {}
    for column, held in columns.items():
        fields = getattr(held, "fields", ())
        inner = inner_fields({f.name: f.dtype for f in fields})
        paths |= {f"{column}.{name}": (column, *path) for name, path in inner.items()}
        paths |= {f"{column}.{f.name}": (column, f.name) for f in fields if not f.dtype.is_nested()}
    return paths


def value_at(path: tuple[str, ...]) -> Any:
    """The values of a field, as an expression."""
    import polars as pl

    found = pl.col(escape_column(path[0]))
    for name in path[1:]:
        found = found.struct.field(escape_column(name))
    return found


# Forms of JSON: what has been seen in a place, as a pattern that knows it and as a column's type.

DEEPEST = 100
"""Levels of lists and objects in each other that data may have."""
EXACT = 1 << 53
"""Up to here, decimals tell integers apart."""
_INTEGERS = ("integers", "integers too large to be decimals", "integers beyond 64 bits")
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
    """The pairs of a JSON object, twins included."""


@dataclass
class JsonType:
    """The values of one place: their kinds, the form of what is in lists, and of each field.

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
        self.kinds.add(_kind(value))
        if isinstance(value, JsonObject):
            for key, inner in value:
                self.fields.setdefault(key, JsonType()).add(inner)
            self._place([key for key, _ in value])
        elif isinstance(value, list):
            self.inner = self.inner or JsonType()
            for inner in value:
                self.inner.add(inner)

    def _place(self, keys: list[str]) -> None:
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
        found = [_PATTERNS[kind] for kind in sorted(self.kinds) if kind in _PATTERNS]
        if self.inner is not None:
            each = self.inner.pattern
            found.append(rf"\[{_S}(?:{each}(?:{_S},{_S}{each})*{_S})?\]")
        for order in self.orders:
            first, *others = (self._pair(key) for key in order) if order else ("",)
            found.append(rf"\{{{_S}{first}{''.join(rf'(?:,{_S}{p})?' for p in others)}\}}")
        return f"(?:{'|'.join(found)})"

    def _pair(self, key: str) -> str:
        import polars as pl

        spelled = {pl.escape_regex(json.dumps(key, ensure_ascii=a)) for a in (False, True)}
        return rf"(?:{'|'.join(sorted(spelled))}){_S}:{_S}{self.fields[key].pattern}{_S}"

    @property
    def dtype(self) -> Any:
        """The one type of a column of such values, or ``None``; of objects, of the fields so."""
        import polars as pl

        kinds = self.kinds - {"null"}
        if kinds <= {*_INTEGERS}:
            whole = pl.Int128() if "integers beyond 64 bits" in kinds else pl.Int64()
            return whole if kinds else pl.Null()
        if kinds <= {"integers", "decimals"}:
            return pl.Float64()
        if len(kinds) > 1:
            return None
        if self.inner is not None:
            of = self.inner.dtype
            return None if of is None else pl.List(of)
        if self.fields or kinds == {"objects"}:
            types = {key: form.dtype for key, form in self.fields.items()}
            return pl.Struct({key: dtype for key, dtype in types.items() if dtype is not None})
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


def _kind(value: Any) -> str:
    """What a value is."""
    if isinstance(value, int) and not isinstance(value, bool):
        limits = (EXACT, (1 << 63) - 1, (1 << 127) - 1)
        known = zip(limits, _INTEGERS, strict=True)
        return next((kind for most, kind in known if abs(value) <= most), "endless integers")
    kinds = {JsonObject: "objects", list: "lists", str: "text", float: "decimals", bool: "booleans"}
    return "null" if value is None else kinds[type(value)]


def _merged(order: list[str], keys: list[str]) -> list[str]:
    """Both in one order; what they do not have in the same order comes twice."""
    found, rest = [], keys
    for key in order:
        at = rest.index(key) + 1 if key in rest else 0
        found += rest[:at] or [key]
        rest = rest[at:]
    return found + rest


def parsed(text: str, where: str) -> Any:
    """What a text of JSON holds, read strictly: whole characters, numbers of JSON."""
    try:
        found = json.loads(
            text, object_pairs_hook=JsonObject, parse_constant=_no_number, parse_float=_decimal
        )
    except json.JSONDecodeError as e:
        line = f"line {e.lineno}, " if e.lineno > 1 else ""
        got = f"{e.msg} ({line}character {e.colno})"
        raise InputError(f"{where}: expected JSON, got {got}") from None
    except (ValueError, RecursionError) as e:
        raise InputError(f"{where}: expected JSON, got {e}") from None
    if text.count("{") + text.count("[") > DEEPEST and _is_deep(found):
        raise InputError(f"{where}: expected JSON of at most {DEEPEST} levels, got more")
    if "\\u" in text and not is_text(found):
        raise InputError(f"{where}: expected text, got half a character{_place_of(found)}")
    return found


def _is_deep(found: Any) -> bool:
    """Whether lists and objects stand in each other beyond all data; pairs are a level more."""
    level = [found]
    for _ in range(2 * DEEPEST):
        level = [v for inner in level if isinstance(inner, list | tuple) for v in inner]
    return bool(level)


def parsed_object(text: str, where: str) -> JsonObject:
    """The same, if it is an object."""
    found = parsed(text, where)
    if not isinstance(found, JsonObject):
        raise InputError(f"{where}: expected a JSON object, got {shown([found])}")
    return found


def _place_of(found: Any) -> str:
    pairs = found if isinstance(found, JsonObject) else ()
    return next((f" at {k!a}" for k, v in pairs if not (is_text(k) and is_text(v))), "")


def _no_number(text: str) -> NoReturn:
    """Refuse what Python would take for a number."""
    raise ValueError(f"{text}, which is no number of JSON")


def _decimal(text: str) -> float:
    found = float(text)
    return _no_number(text[:20]) if abs(found) == float("inf") else found


def is_text(value: Any) -> bool:
    """Whether all text in a value is text: half of a surrogate pair is none."""
    if isinstance(value, list | tuple):
        return all(map(is_text, value))
    return not isinstance(value, str) or not any("\ud800" <= c <= "\udfff" for c in value)


def keys_twice(found: JsonObject) -> list[str]:
    """The keys that an object has more than once, or under which one does."""
    keys = [key for key, _ in found]
    again = (keys.count(key) > 1 or _any_twice(value) for key, value in found)
    return list(dict.fromkeys(key for key, twice in zip(keys, again, strict=True) if twice))


def _any_twice(value: Any) -> bool:
    if isinstance(value, JsonObject):
        return bool(keys_twice(value))
    return isinstance(value, list) and any(map(_any_twice, value))


# JSON Lines: an object a line, checked before Polars, which is forgiving, reads them.

LONGEST = 50_000
"""Characters of a pattern that is still quick; what it does not know, Python reads."""


@dataclass
class InferredSchema:
    """What files of objects hold: how many, of which form, and where keys came more than once."""

    form: JsonType = field(default_factory=JsonType)
    rows: int = 0
    twice: dict[str, str] = field(default_factory=dict)
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
            if path[0] in self.twice:
                again = f"got {shown([path[0]])} more than once"
                raise InputError(f"{self.twice[path[0]]}: expected each key once, {again}")
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
            found = parsed_object(line, where)
            self.form.add(found)
            for key in keys_twice(found):
                self.twice.setdefault(key, where)
            if not self.full:
                pattern = rf"^[ \t]*{self.form.pattern}[ \t]*$"
                self.full = len(pattern) > LONGEST
                if pattern != self.pattern and not self.full:
                    self.pattern = pattern
                    new = self._unknown(new)

    def _unknown(self, lines: Any) -> Any:
        return lines.filter(~lines["line"].str.contains(self.pattern))


def learnt(files: Sequence[tuple[str, str]], unit: str = "line") -> InferredSchema:
    """What files of objects hold, each a path and what to call it, as is every line; strictly.

    ``unit`` is what errors call a line.
    """
    found = InferredSchema()
    for path, name in files:
        for block in ahead(blocks(path, name)):
            found.take(block, name, unit)
    return found


def scan_json_lines(files: Sequence[tuple[str, str]], known: InferredSchema) -> Any:
    """Files of objects of which all is known, as a lazy Polars frame."""
    import polars as pl

    found = [plain(path, name) for path, name in files]
    sources = [escape(text) if isinstance(text, str) else text for text in found]
    return pl.scan_ndjson(sources, schema=known.schema)


# JSON arrays and objects over many lines, brought into JSON Lines; arrays of labels.

_QUOTE, _COMMA, _SPACE, _OPEN, _CLOSE = range(1, 6)
_MARKS = np.zeros(256, np.uint8)
for _code, _marks in enumerate((b'"', b",", b" \t\n\r", b"[{", b"]}"), 1):
    _MARKS[list(_marks)] = _code
_TABS = bytes.maketrans(b"\r\n", b"\t\t")
TAIL = 256
"""Bytes among which the end of an array must stand, to be found quickly."""
DIFFERENT = 10_000
"""Labels up to which an array of them has few."""
_FIRST = re.compile(rb'[ \t\r\n]*\[[ \t\r\n]*"(?:[^"\\]|\\.)*("[ \t\r\n]*,[ \t\r\n]*")')
_LAST = re.compile(rb'"[ \t\r\n]*\][ \t\r\n]*\Z')
_NULLS = re.compile(r"[ \t\n]*(?:null[ \t\n]*,[ \t\n]*)*")
_BY_ID = re.compile("predictions|labels|answers|results|outputs|responses|data|submission", re.I)
_SPREAD = re.compile(rb'\{\s*"(?:[^"\\]|\\.)*"\s*:.*[,\[{]')
"""A line that begins an object and does not end it."""
LINED = (".jsonl", ".ndjson")
_STEP = np.array([0, 0, 0, 0, 1, -1], np.int32)
"""How much deeper a mark leads."""


def array_kind(head: bytes) -> str | None:
    """What a file that begins so is an array of, if it is one: objects, or labels."""
    first = head.removeprefix(BOM).lstrip()
    if not first.startswith(b"["):
        return None
    return "json" if first[1:].lstrip().startswith(b"{") else "labels"


def object_kind(head: bytes, suffix: str) -> str | None:
    """What a file that begins with a brace is: lines of objects, or one over many lines."""
    lines = [line.strip() for line in with_line_feeds(head).split(b"\n") if line.strip()]
    first, complete = lines[0], len(lines) > 1 or len(head) < HEAD
    is_object = None
    with suppress(ValueError, RecursionError):
        is_object = bool(json.loads(first)) if complete else True
    if is_object is None:
        spread = first == b"{" or (suffix not in LINED and _SPREAD.fullmatch(first))
        return "object" if spread and len(lines) > 1 else None
    if suffix == ".json" and len(lines) == 1:
        return "object"
    return "ndjson" if is_object else None


def in_json_lines(
    files: Sequence[tuple[str, str]], scratch: Scratch
) -> tuple[tuple[str, ...], InferredSchema]:
    """Temporary files with the elements of arrays, one a line, and what they hold.

    Whether an array is taken apart quickly or with care, every line is checked.
    """
    for parted in (_records, partial(_records, alike=False)):
        with suppress(InputError):
            return _kept(parted, files, scratch)
    return _kept(_elements, files, scratch)


def _kept(
    parted: Callable[[Iterator[bytes], str], Iterator[bytes]],
    files: Sequence[tuple[str, str]],
    scratch: Scratch,
) -> tuple[tuple[str, ...], InferredSchema]:
    found = []
    for path, name in files:
        place = scratch.place(".jsonl")
        with place.open("wb") as file:
            try:
                file.writelines(parted(pieces(path), name))
            except InputError:
                file.close()
                learnt([(str(place), name)], "item")  # the first item that is none says more
                raise
        found.append((str(place), name))
    return tuple(place for place, _ in found), learnt(found, "item")


def objects_in_json_lines(
    files: Sequence[tuple[str, str]], scratch: Scratch
) -> tuple[tuple[str, ...], InferredSchema]:
    """Temporary files with the rows that objects over many lines stand for, and what they hold."""
    places = []
    for path, name in files:
        text = text_of(b"".join(pieces(path)), name)
        objects = _parsed_all(text, name)
        rows = objects if len(objects) > 1 else _rows(objects[0], name)
        place = scratch.place(".jsonl")
        place.write_text("".join(f"{_dumped(row)}\n" for row in rows), "utf-8")
        places.append((str(place), name))
    return tuple(place for place, _ in places), learnt(places, "item")


def _parsed_all(text: str, name: str) -> list[JsonObject]:
    """The object of a text, or those that follow each other."""
    try:
        return [parsed_object(text, name)]
    except InputError:
        objects: list[JsonObject] = []
        end = 0
        while rest := text[end:].lstrip():
            start = len(text) - len(rest)
            try:
                _, end = json.JSONDecoder().raw_decode(text, start)
            except (ValueError, RecursionError):
                objects = []
                break
            objects.append(parsed_object(text[start:end], f"{name}, item {len(objects) + 1}"))
        if objects:
            return objects
        raise


def _rows(root: JsonObject, name: str) -> list[JsonObject]:
    """The rows that an object stands for.

    It has a list of them inside, lists of one length that are their columns, or their ids as keys;
    else it is a row itself.
    """
    inside = dict(_inside(root))
    lists = {path: v for path, v in inside.items() if v and not isinstance(v, JsonObject)}
    tables = {path: v for path, v in lists.items() if all(isinstance(x, JsonObject) for x in v)}
    if len(tables) > 1:
        names = shown(".".join(path) for path in tables)
        raise InputError(f"{name} has several lists of objects, {names}: expected one in a file")
    for rows in tables.values():
        return rows
    if lists:
        size = max(map(len, lists.values()))
        columns = {path: v for path, v in lists.items() if len(v) == size}
        return [_nested({path: v[i] for path, v in columns.items()}) for i in range(size)]
    maps = [v for key, v in root if isinstance(v, JsonObject) and _BY_ID.fullmatch(key)]
    if len(maps) == 1 and len(maps[0]) > 1 and not any(isinstance(x, list) for _, x in maps[0]):
        return _rows(maps[0], name)
    if any(HEADING.fullmatch(key) and not isinstance(v, list) for key, v in root):
        return [root]
    if rows := _by_column(root):
        return rows
    if root and all(isinstance(v, JsonObject) for _, v in root):
        return [_keyed(key, v) for key, v in root]
    maps = [v for v in (root, *inside.values()) if isinstance(v, JsonObject) and len(v) > 1]
    maps = [v for v in maps if not any(isinstance(x, list) for _, x in v)]
    if len(maps) == 1:
        return [JsonObject([("id", key), ("label", v)]) for key, v in maps[0]]
    return [root]


def _by_column(root: JsonObject) -> list[JsonObject]:
    """The rows of columns that hold a value for the number of each row, as pandas writes them."""
    columns = [(name, dict(v)) for name, v in root if isinstance(v, JsonObject)]
    if not columns or len(columns) < len(root):
        return []
    numbers = list(columns[0][1])
    if len(numbers) <= len(columns) or not all(n.isascii() and n.isdecimal() for n in numbers):
        return []
    if any(list(values) != numbers for _, values in columns):
        return []
    return [JsonObject((name, values[n]) for name, values in columns) for n in numbers]


def _inside(
    root: JsonObject, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    """The lists and objects of an object, each with the keys that lead to it."""
    for key, value in root:
        if isinstance(value, list):
            yield (*path, key), value
        if isinstance(value, JsonObject):
            yield from _inside(value, (*path, key))


def _nested(fields: Mapping[tuple[str, ...], Any]) -> JsonObject:
    """An object of fields, each at the end of its keys."""
    groups: dict[str, dict[tuple[str, ...], Any]] = {}
    for (key, *path), value in fields.items():
        groups.setdefault(key, {})[tuple(path)] = value
    return JsonObject(
        (key, group[()] if () in group else _nested(group)) for key, group in groups.items()
    )


def _keyed(key: str, row: JsonObject) -> JsonObject:
    """A row with its key, as its id unless it has one."""
    name = "key" if any(k == "id" for k, _ in row) else "id"
    return JsonObject([(name, key), *row])


def _dumped(value: Any) -> str:
    """A value as JSON, twins included."""
    if isinstance(value, JsonObject):
        return "{" + ",".join(f"{json.dumps(k)}:{_dumped(v)}" for k, v in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_dumped, value)) + "]"
    return json.dumps(value)


def _records(texts: Iterator[bytes], name: str, *, alike: bool = True) -> Iterator[bytes]:
    """The lines of an array as programs write it: objects that all begin with one key, or not.

    What stands between the first two is made a line end wherever it stands, and nothing else is
    one: if every line is an object, these are the elements; else they were parted wrongly. A tab
    is as good as a line end between values, and as bad within text.
    """
    bare = (text.translate(_TABS) if b"\r" in text or b"\n" in text else text for text in texts)
    rest = next(bare, b"").removeprefix(BOM)
    first = re.match(rb'[ \t]*\[[ \t]*(?=\{[ \t]*("[^"\\]*"[ \t]*:))', rest)
    if not first:
        raise InputError(f"{name}: expected objects that begin alike")
    key = re.escape(first[1]) if alike else b'"'
    between = re.search(rb"\}([ \t]*,[ \t]*)\{[ \t]*" + key, rest)
    old, comma = between.group(0, 1) if between else (b"},{", b",")
    new = old.replace(comma, b"\n".ljust(len(comma)), 1)
    rest = rest[first.end() :]
    for text in chain([b""], bare):
        text = (rest + text).replace(old, new)
        cut = max(0, len(text) - TAIL - len(old))
        yield text[:cut]
        rest = text[cut:]
    last = re.search(rb"\][ \t]*\Z", rest)
    if not last:
        raise InputError(f"{name}: expected the end of an array")
    yield rest[: last.start()] + b"\n"


def _elements(texts: Iterator[bytes], name: str) -> Iterator[bytes]:
    """The text of an array without its brackets and white space, a line end for each comma."""
    depth, inside = 0, False
    rest = next(texts, b"").removeprefix(BOM).lstrip()
    for text in chain([b""], texts):
        text = rest + text
        end = len(text.rstrip(b"\\"))  # as it is the next text that says what these mean
        text, rest = text[:end], text[end:]
        codes = np.frombuffer(text, np.uint8)
        kinds = _MARKS[codes]
        places = np.flatnonzero(kinds)
        found = kinds[places]
        quotes = found == _QUOTE
        if b"\\" in text:
            quotes[quotes] = ~_escaped(codes, places[quotes])
        within = np.logical_xor.accumulate(np.append(inside, quotes))[1:]
        found[within] = 0
        level = np.cumsum(_STEP[found], dtype=np.int32) + depth
        out, kept = codes.copy(), np.ones(len(codes), bool)
        out[places[(found == _COMMA) & (level == 1)]] = ord("\n")
        kept[places[(found == _SPACE) | ((found == _OPEN) & (level == 1))]] = False
        if not level.all():  # the end
            end = int(places[np.argmin(level != 0)])
            yield out[:end][kept[:end]].tobytes() + b"\n"
            if any(more.strip() for more in chain([text[end + 1 :], rest], texts)):
                raise InputError(f"{name}: expected one JSON array, got more after its end")
            return
        yield out[kept].tobytes()
        depth, inside = int(level[-1]) if len(level) else depth, bool([inside, *within[-1:]][-1])
    raise InputError(f"{name}: expected a JSON array, got one that is never closed")


def _escaped(codes: Any, places: Any) -> Any:
    """Which places come after an odd number of backslashes."""
    odd = np.zeros(len(places), bool)
    at, before = np.arange(len(places)), places - 1
    while len(at := at[(before[at] >= 0) & (codes[before[at]] == ord("\\"))]):
        odd[at] = ~odd[at]
        before[at] -= 1
    return odd


def read_labels(path: str, name: str) -> Any:
    """An array of labels as a Polars series, all of one type."""
    import polars as pl

    data = b"".join(pieces(path))
    if (alike := _texts(data)) is not None:
        return alike
    text, form = text_of(data, name).strip(), JsonType()
    with suppress(ValueError, RecursionError):  # which is no array, as will be said
        first = _NULLS.sub("", text[1:], count=1)
        form.add([None, json.JSONDecoder().raw_decode(first)[0]])
    if form.inner:
        with ThreadPoolExecutor(1) as worker:
            known = worker.submit(pl.Series([text]).str.contains, f"^{form.pattern}$")
            with suppress(pl.exceptions.ComputeError):  # which is not known then
                found = pl.read_json(f'[{{"":{text}}}]'.encode(), schema={"": form.dtype})
                if known.result().item():
                    return found.explode("").to_series()
    form = JsonType()
    form.add(values := _values(text, name))
    if form.dtype is None:
        raise InputError(f"{name} must hold labels of one type, got {form.words}")
    return pl.Series("", values, dtype=form.dtype.inner)


def _texts(text: bytes) -> Any:
    """The labels of an array of text as programs write it: all parted alike, and few different.

    What stands between its first and last quote is cut wherever the first two labels are parted.
    If every piece is text of JSON, these are the labels: a cut at a wrong place leaves a piece
    that ends in a backslash. Else it is for others to tell.
    """
    import polars as pl

    first, last = _FIRST.match(text.removeprefix(BOM)), _LAST.search(text[-TAIL:])
    if not first or not last:
        return None
    inner, between = text[text.index(b'"') + 1 : len(text) - len(last[0])], first[1]
    if between[:-1] + b"null" in inner:
        return None  # not all are text, which the pieces would tell too, but later
    try:
        whole = pl.Series("", [inner], pl.Binary).cast(pl.String)
        found = whole.str.split(between.decode()).explode()
        different = found.unique()
        if len(different) > DIFFERENT:
            return None
        old = different.to_list()
        new = [parsed(f'"{label}"', "") for label in old]
    except (pl.exceptions.InvalidOperationError, InputError):
        return None
    return found if old == new else found.replace_strict(old, new)


def _values(text: str, name: str) -> Any:
    """What an array holds; of one that is none, the item is named that is not as it should be."""
    try:
        return parsed(text, name)
    except InputError:
        found: list[bytes] = []
        with suppress(InputError):
            found.extend(_elements(iter([text.encode()]), name))
        for i, line in enumerate(b"".join(found).decode().split("\n"), 1):
            if line.strip():
                parsed(line, f"{name}, item {i}")
        raise
