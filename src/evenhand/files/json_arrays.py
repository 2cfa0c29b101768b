"""JSON arrays: of objects, brought into JSON Lines, an object a line; or of labels."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from evenhand.errors import InputError
from evenhand.files.blocks import BOM, pieces, text_of
from evenhand.files.json_forms import Form, parsed
from evenhand.files.json_lines import Learnt, learnt
from evenhand.files.scratch import Scratch

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
_STEP = np.array([0, 0, 0, 0, 1, -1], np.int32)
"""How much deeper a mark leads."""


def array_kind(head: bytes) -> str | None:
    """What a file that begins so is an array of, if it is one: objects, or labels."""
    first = head.removeprefix(BOM).lstrip()
    if not first.startswith(b"["):
        return None
    return "json" if first[1:].lstrip().startswith(b"{") else "labels"


def in_json_lines(
    files: Sequence[tuple[str, str]], scratch: Scratch
) -> tuple[tuple[str, ...], Learnt]:
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
) -> tuple[tuple[str, ...], Learnt]:
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
    text, form = text_of(data, name).strip(), Form()
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
    form = Form()
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
