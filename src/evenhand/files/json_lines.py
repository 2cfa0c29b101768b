"""JSON Lines: an object a line, checked before Polars, which is forgiving, reads them."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from evenhand.errors import InputError, shown
from evenhand.files.blocks import Block, ahead, blocks, lazy
from evenhand.files.json_values import (
    Object,
    dtype_of,
    is_text,
    kind_words,
    no_number,
    value_kind,
)

_PAIR = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = rf'\\["\\/bfnrt]|\\u(?:[0-9abcefABCEF][0-9a-fA-F]|[dD][0-7])[0-9a-fA-F]{{2}}|{_PAIR}'
_KEY = r'"[^"\\\x00-\x1f]*":'
_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"
_SCALAR = rf'(?:"(?:[^"\\\x00-\x1f]|{_ESCAPE})*"|{_NUMBER}|true|false|null)'
_VALUE = rf"(?:{_SCALAR}|\[(?:{_SCALAR}(?:, ?{_SCALAR})*)?\])"
PLAIN = rf"^\{{{_KEY} ?{_VALUE}(?:, ?{_KEY} ?{_VALUE})*\}}$"
"""An object of simple values, as most programs write it: certainly JSON."""
BLANK = r"^[ \t]*$"


def scan_json_lines(
    files: Sequence[tuple[str, str]], sources: Sequence[Any], unit: str = "line"
) -> Any:
    """Files of objects, each a path and what to call it, as a lazy Polars frame.

    ``sources`` are the same files for Polars, which finds out what the columns hold; where it
    gives up, because a column holds this and that, the standard library reads. ``unit`` is what
    errors call a line.
    """
    import polars as pl

    try:
        schema = pl.scan_ndjson(list(sources), infer_schema_length=None).collect_schema()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return _scan_slowly(files, unit)

    def frames(wanted: list[str]) -> Iterator[Any]:
        for path, name in files:
            for block in ahead(blocks(path, name)):
                yield _frame(block, name, unit, {c: schema[c] for c in wanted})

    return lazy(frames, schema)


def _scan_slowly(files: Sequence[tuple[str, str]], unit: str) -> Any:
    """The same by the standard library; a column that holds this and that cannot be asked for."""
    import polars as pl

    held: dict[str, set[Any]] = {}
    for path, name in files:
        for _, found in _objects(path, name, unit, ()):
            for key, value in found:
                held.setdefault(key, set()).add(value_kind(value))
    kinds = {key: kinds - {None} for key, kinds in held.items()}
    schema = {key: dtype_of(found) or pl.Null() for key, found in kinds.items()}

    def frames(wanted: list[str]) -> Iterator[Any]:
        for column in wanted:
            if kinds[column] and dtype_of(kinds[column]) is None:
                raise InputError(
                    f"{files[0][1]}, column {column!r} must be of one type, got "
                    f"{' and '.join(sorted({kind_words(kind) for kind in kinds[column]}))}"
                )
        for path, name in files:
            rows = [dict(found) for _, found in _objects(path, name, unit, wanted)]
            yield pl.DataFrame(
                {c: [row.get(c) for row in rows] for c in wanted},
                schema={c: schema[c] for c in wanted},
            )

    return lazy(frames, schema)


def _objects(
    path: str, name: str, unit: str, columns: Sequence[str]
) -> Iterator[tuple[int, Object]]:
    """Every object of a file with the number of its line, read strictly."""
    for block in blocks(path, name):
        for number, line in enumerate(block.text.decode().split("\n")[:-1], block.line):
            if line.strip(" \t") or unit == "item":
                yield number, _check(line, f"{name}, {unit} {number}", columns)


def check_json_lines(path: str, name: str, unit: str = "line") -> None:
    """Read a file of objects once, slowly, to name the first line that is none."""
    for _ in _objects(path, name, unit, ()):
        pass


def _frame(block: Block, name: str, unit: str, schema: Mapping[str, Any]) -> Any:
    """Some columns of a block; the lines of which all that is known is that they are plain."""
    import polars as pl

    lines = pl.read_lines(block.text, name="line")["line"]
    blank = lines.str.contains(BLANK) & (unit == "line")  # no item of an array may lack
    doubtful = ~(blank | lines.str.contains(PLAIN))
    for column in schema:
        key = f"{json.dumps(column, ensure_ascii=False)}:"
        doubtful |= lines.str.count_matches(key, literal=True) > 1
    for at in doubtful.arg_true():
        _check(lines[at], f"{name}, {unit} {block.line + at}", schema)
    if not schema:
        return pl.DataFrame(height=int((~blank).sum()))
    found = pl.read_ndjson(block.text, schema=schema)
    if len(found) != (~blank).sum():
        raise InputError(
            f"{name}, {unit} {block.line} and after: {(~blank).sum():,} objects were read as "
            f"{len(found):,}"
        )
    return found


def _check(line: str, where: str, columns: Collection[str]) -> Object:
    """One line must be a JSON object of whole characters that has each of the columns once."""
    try:
        found = json.loads(line, object_pairs_hook=Object, parse_constant=no_number)
    except (ValueError, RecursionError) as e:
        raise InputError(f"{where}: expected JSON, got {e}") from None
    if not isinstance(found, Object):
        raise InputError(f"{where}: expected a JSON object, got {shown([found])}")
    keys = [key for key, _ in found]
    twice = [c for c in columns if keys.count(c) > 1]
    if twice:
        raise InputError(f"{where}: expected each key once, got {shown(twice)} more than once")
    for key, value in found:
        if not (is_text(key) and is_text(value)):
            raise InputError(f"{where}: expected text, got half a character at {key!a}")
    return found
