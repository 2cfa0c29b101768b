"""Small files of pairs: old and new names, labels and shares."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.errors import InputError
from evenhand.files.blocks import read_text


class Pair(NamedTuple):
    """A name and what it is given, where that stands, and in which line if lines matter."""

    name: str
    value: Any
    where: str
    line: int | None = None


def read_pairs(path: str, first: str, second: str, what: str) -> Iterator[Pair]:
    """The pairs of a file: rows of a CSV or TSV file, or members of a JSON object.

    ``first`` and ``second`` say what is expected in a row, ``what`` in an object.
    """
    text = read_text(path)
    if Path(path).suffix.lower() == ".json":
        try:
            found = json.loads(text.rstrip("\n"), object_pairs_hook=tuple)
        except json.JSONDecodeError as e:
            raise InputError(f"{path}, line {e.lineno}: expected JSON, got {e.msg}") from None
        except (RecursionError, ValueError):  # too deep, or a number without end
            found = None
        if not isinstance(found, tuple):
            raise InputError(f"{path} must be a JSON object of {what}")
        for key, value in found:
            bare = value.strip() if isinstance(value, str) else value
            yield Pair(key.strip(), bare, f"{path}, {key!r}")
        return
    mark = "\t" if "\t" in text.partition("\n")[0] else ","
    reader = csv.reader(text.splitlines(keepends=True), delimiter=mark, strict=True)
    try:
        for row in reader:
            where = f"{path}, line {reader.line_num}"
            if row and (len(row) != 2 or not all(v.strip() for v in row)):
                raise InputError(f"{where}: expected {first}{mark}{second}, got {mark.join(row)!r}")
            if row:
                yield Pair(row[0].strip(), row[1].strip(), where, reader.line_num)
    except csv.Error as e:
        raise InputError(f"{path}, line {reader.line_num}: {e}") from None
