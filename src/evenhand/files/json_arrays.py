"""JSON arrays: of objects, brought into JSON Lines, an object a line; or of labels."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from evenhand.errors import InputError
from evenhand.files.blocks import BOM, pieces, read_text
from evenhand.files.json_values import dtype_of, is_text, kind_words, no_number, value_kind
from evenhand.files.scratch import Scratch

_QUOTE, _COMMA, _SPACE, _OPEN, _CLOSE = range(1, 6)
_MARKS = np.zeros(256, np.uint8)
for _code, _marks in enumerate((b'"', b",", b" \t\n\r", b"[{", b"]}"), 1):
    _MARKS[list(_marks)] = _code
_STEP = np.array([0, 0, 0, 0, 1, -1], np.int32)
"""How much deeper a mark leads."""


def array_of(head: bytes) -> str | None:
    """What a file that begins so is an array of, if it is one: objects, or labels."""
    first = head.removeprefix(BOM).lstrip()
    if not first.startswith(b"["):
        return None
    return "json" if first[1:].lstrip().startswith(b"{") else "labels"


def in_json_lines(path: str, name: str, scratch: Scratch) -> str:
    """A temporary file with the elements of an array, one a line."""
    place = scratch.place(".jsonl")
    quick = _records(b"".join(pieces(path)))
    with place.open("wb") as file:
        for text in _elements(pieces(path), name) if quick is None else [quick]:
            file.write(text)
    return str(place)


def _records(text: bytes) -> bytes | None:
    """The same if the array is as programs write it: objects that all begin with one key.

    Between two of them stands what no text in JSON can hold: a bracket and a key with its colon.
    If there are as many of those as brackets, nothing else is in brackets. Else ``None``.
    """
    first = re.match(rb'\s*\[\s*\{(\s*)("[^"\\{]*"\s*:)', text.removeprefix(BOM))
    last = re.search(rb"\}\s*\]\s*\Z", text[-256:])
    if not first or not last:
        return None
    indent, key = first.groups()
    text = text.removeprefix(BOM)[first.start(2) :]
    text = text[: len(text) - len(last[0])].rstrip()
    next_one = re.search(rb"\s*\}\s*,\s*\{\s*" + re.escape(key), text)
    between = next_one[0] if next_one else b"}{"
    objects = text.count(between) + 1
    if text.count(b"{") + 1 != objects:
        return None
    text = b"{" + text.replace(between, b"}\n{" + key) + b"}\n"
    if indent:
        text = text.replace(b"," + indent + b'"', b',"')
    return text if text.count(b"\n") == objects and b"\r" not in text else None


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

    try:
        found = json.loads(read_text(path), parse_constant=no_number)
    except (ValueError, RecursionError) as e:
        raise InputError(f"{name}: expected JSON, got {e}") from None
    if not is_text(found):
        raise InputError(f"{name}: expected text, got half a character")
    kinds = {value_kind(v) for v in found} - {None}
    dtype = dtype_of(kinds) if kinds else pl.Null()
    if dtype is None:
        held = " and ".join(sorted({kind_words(kind) for kind in kinds}))
        raise InputError(f"{name} must hold labels of one type, got {held}")
    return pl.Series("", found, dtype=dtype)
