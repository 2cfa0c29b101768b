"""JSON Lines: an object a line, checked before Polars, which is forgiving, reads them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

from evenhand.count.blocks import Block, ahead, blocks, lazy
from evenhand.errors import InputError, shown

_PAIR = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = rf'\\["\\/bfnrt]|\\u(?:[0-9abcefABCEF][0-9a-fA-F]|[dD][0-7])[0-9a-fA-F]{{2}}|{_PAIR}'
_KEY = r'"[^"\\\x00-\x1f]*":'
_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"
_SCALAR = rf'(?:"(?:[^"\\\x00-\x1f]|{_ESCAPE})*"|{_NUMBER}|true|false|null)'
_VALUE = rf"(?:{_SCALAR}|\[(?:{_SCALAR}(?:, ?{_SCALAR})*)?\])"
PLAIN = rf"^\{{{_KEY} ?{_VALUE}(?:, ?{_KEY} ?{_VALUE})*\}}$"
"""An object of simple values, as most programs write it: certainly JSON."""
BLANK = r"^[ \t]*$"


def scan_json_lines(files: Sequence[tuple[str, str]], schema: Mapping[str, Any]) -> Any:
    """Files of objects, each a path and what to call it, as a lazy Polars frame."""

    def frames(wanted: list[str]) -> Iterator[Any]:
        for path, name in files:
            for block in ahead(blocks(path, name)):
                yield _frame(block, name, {c: schema[c] for c in wanted})

    return lazy(frames, schema)


def check_json_lines(path: str, name: str) -> None:
    """Read a file of objects once, slowly, to name the first line that is none."""
    for block in blocks(path, name):
        for number, line in enumerate(block.text.decode().split("\n")[:-1], block.line):
            if line.strip(" \t"):
                _check(line, f"{name}, line {number}", ())


def _frame(block: Block, name: str, schema: Mapping[str, Any]) -> Any:
    """Some columns of a block; the lines of which all that is known is that they are plain."""
    import polars as pl

    lines = pl.read_lines(block.text, name="line")["line"]
    blank = lines.str.contains(BLANK)
    doubtful = ~(blank | lines.str.contains(PLAIN))
    for column in schema:
        key = f"{json.dumps(column, ensure_ascii=False)}:"
        doubtful |= lines.str.count_matches(key, literal=True) > 1
    for at in doubtful.arg_true():
        _check(lines[at], f"{name}, line {block.line + at}", schema)
    if not schema:
        return pl.DataFrame(height=int((~blank).sum()))
    found = pl.read_ndjson(block.text, schema=schema)
    if len(found) != (~blank).sum():
        raise InputError(
            f"{name}, line {block.line} and after: {(~blank).sum():,} objects were read as "
            f"{len(found):,}"
        )
    return found


def _check(line: str, where: str, columns: Sequence[str] | Mapping[str, Any]) -> None:
    """One line must be a JSON object that has each of the columns once, as text that is text."""
    try:
        found = json.loads(line, object_pairs_hook=_Object, parse_constant=_no_number)
    except (ValueError, RecursionError) as e:
        raise InputError(f"{where}: expected JSON, got {e}") from None
    if not isinstance(found, _Object):
        raise InputError(f"{where}: expected a JSON object, got {shown([found])}")
    keys = [key for key, _ in found]
    twice = [c for c in columns if keys.count(c) > 1]
    if twice:
        raise InputError(f"{where}: expected each key once, got {shown(twice)} more than once")
    for key, value in found:
        if key in columns and not _is_text(value):
            raise InputError(f"{where}, {key!r}: expected text, got half a character in {value!a}")


class _Object(list[tuple[str, Any]]):
    """The pairs of a JSON object, twins included."""


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text}, which is no number of JSON")


def _is_text(value: Any) -> bool:
    """Whether all text in a value is text: half of a surrogate pair is none."""
    if isinstance(value, list | tuple):
        return all(map(_is_text, value))
    return not isinstance(value, str) or not any("\ud800" <= c <= "\udfff" for c in value)
