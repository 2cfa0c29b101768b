"""Matrices, pairs of labels and distances between them."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.core.contingency import WORDS
from evenhand.data.confusion import Confusion
from evenhand.data.counting import refuse_shares, sides_of, without_totals
from evenhand.data.distances import ORDINAL, Distance, as_distance
from evenhand.errors import InputError, Option, shown
from evenhand.io.delimited import read_text, rows_of
from evenhand.warnings import ResultWarning

_SIDE = re.compile(r"(true|actual|gold|reference|pred|predicted)[_ .:-]+(?=.)", re.IGNORECASE)
"""What may stand before the classes of rows and of columns."""
DIGITS = 300
"""Digits that a whole number may have: what has more is beyond the largest float anyway."""


def read_matrix(source: str, *, labels: list[str] | None, rows: str | None) -> Confusion:
    """A matrix from text such as ``6 1 1; 1 5 2; 2 3 7``, or from a file of it.

    A file may carry the labels in its first row, and again in its first column.
    """
    head, numbers, corner, notes = read_rows(source, "matrix")
    side, more = sides_of(corner, rows)
    chosen = labels if labels is not None else head
    table = Confusion.from_matrix(numbers, labels=chosen, rows=side)  # type: ignore[arg-type]
    refuse_shares(table.cells)
    return replace(table, notes=(*notes, *more, *table.notes))


class LabelledSquare(NamedTuple):
    """A square of numbers with its labels, what its corner says, and warnings."""

    labels: list[str] | None
    numbers: list[list[float]]
    corner: str = ""
    notes: tuple[ResultWarning, ...] = ()


def read_rows(source: str, what: str) -> LabelledSquare:
    """The labels of a square of numbers, if it has any, and the numbers; ``what`` it is."""
    where, text = what, source
    if os.path.isfile(source) or not (re.search(r"[\s;\[]|^$", source) or is_number(source)):
        where, text = source, read_text(source)
    texts = re.split(r"[;\n\r]+|\]\s*,\s*\[", text)
    lines = [_fields(line) for line in texts if line.strip(" \t,[]")]
    if not lines:
        raise InputError(f"{where} is empty, expected rows of numbers")
    # Text in the first row of what is square without it is a mistake, not a header.
    square = len(lines) == len(lines[0]) > 1 and all(is_number(line[0]) for line in lines[1:])
    head, corner = None, ""
    if not square and not all(map(is_number, lines[0])):
        head, lines = lines[0], lines[1:]
        if lines and len(head) == len(lines[0]) and not is_number(lines[0][0]):
            corner, head = head[0], head[1:]
    names = [line[0] for line in lines if line and not is_number(line[0])]
    named = head is not None and len(names) == len(lines)
    if head is not None and named:
        lines = [line[1:] for line in lines]
        if all(map(_SIDE.match, (*names, *head))):
            corner = corner or names[0]
            names, head = ([_SIDE.sub("", v) for v in side] for side in (names, head))
    notes: tuple[ResultWarning, ...] = ()
    if head is not None and {len(line) for line in lines} == {len(head)}:
        cells = [[number(v) if is_number(v) else math.nan for v in line] for line in lines]
        rows, columns, _, notes = without_totals(names if named else head, head, cells)
        lines = [line[: len(columns)] for line in lines[: len(rows)]]
        names, head = names[: len(rows)], head[: len(columns)]
    same = head is None or sorted(names) == sorted(head) == sorted(set(head))
    if named and not same:
        raise InputError(
            f"{where}: rows and columns must name the same classes, "
            f"got {shown(names)} and {shown(head or ())}"
        )
    for i, line in enumerate(lines, 1):
        for value in line:
            if not is_number(value):
                raise InputError(f"{where}, row {i}: expected a number, got {shown([value])}")
        if len(line) != len(lines):
            raise InputError(
                f"{where}, row {i}: expected {len(lines)} numbers (the matrix has "
                f"{len(lines)} rows), got {len(line)}"
            )
    numbers = [list(map(number, line)) for line in lines]
    if head is None or not named:
        return LabelledSquare(head, numbers, corner, notes)
    places = [head.index(name) for name in names]  # columns may come in another order than rows
    return LabelledSquare(names, [[row[at] for at in places] for row in numbers], corner, notes)


def number(text: str) -> int | float:
    """A number as it is written: integers exactly, unless no machine could add them up."""
    is_integer = re.fullmatch(r"\+?[0-9]+", text) and len(text) <= DIGITS
    return int(text) if is_integer else float(text)


def _fields(line: str) -> list[str]:
    line = line.strip().strip("[],").strip()
    mark = "\t" if "\t" in line else "," if "," in line else None
    return [f.strip().strip('"') for f in line.split(mark)]


def is_number(text: str) -> bool:
    """Whether a text is a number as people write it."""
    if "_" in text:  # Python would read 1_0 as 10
        return False
    try:
        float(text)
    except ValueError:
        return False
    return True


# Small files of pairs: old and new names, labels and shares.


class LabelPair(NamedTuple):
    """A name and what it is given, where that stands, and in which line if lines matter."""

    name: str
    value: Any
    where: str
    line: int | None = None


def read_pairs(path: str, first: str, second: str, what: str) -> Iterator[LabelPair]:
    """The pairs of a file: rows of a CSV or TSV file, or members of a JSON object.

    ``first`` and ``second`` say what is expected in a row, ``what`` in an object.
    """
    text = read_text(path)
    if Path(path).suffix.lower() == ".json":
        try:
            pairs = json.loads(text.rstrip("\n"), object_pairs_hook=tuple)
        except json.JSONDecodeError as e:
            raise InputError(f"{path}, line {e.lineno}: expected JSON, got {e.msg}") from None
        except (RecursionError, ValueError):  # too deep, or a number without end
            pairs = None
        if not isinstance(pairs, tuple):
            raise InputError(f"{path} must be a JSON object of {what}")
        for key, value in pairs:
            bare = value.strip() if isinstance(value, str) else value
            yield LabelPair(key.strip(), bare, f"{path}, {key!r}")
        return
    mark = "\t" if "\t" in text.partition("\n")[0] else ","
    for line, row in rows_of(text, path, delimiter=mark):
        where = f"{path}, line {line}"
        if len(row) != 2 or not all(row):
            raise InputError(f"{where}: expected {first}{mark}{second}, got {mark.join(row)!r}")
        yield LabelPair(row[0], row[1], where, line)


# Distances between classes as people keep them: a matrix, or lines of a class and its parent.


def read_distance(name: str) -> str | Distance | None:
    """A word (``ordinal``), or a file: a matrix with its labels, or CHILD,PARENT lines.

    The distance is called as its file, without folder and ending.
    """
    words = (ORDINAL, *WORDS)
    if name in words:
        return as_distance(name)
    if not os.path.exists(name):
        text = f" must be {', '.join(words)} or a file, and {name!r} does not exist"
        raise InputError(Option("distance"), text)
    lines = [line.replace("\t", ",") for line in read_text(name).splitlines() if line.strip()]
    first = [f.strip() for f in (lines or [""])[0].split(",")]
    if len(first) < 2:
        text = f"{name}: expected a matrix with its labels, or CHILD,PARENT lines, got"
        raise InputError(f"{text} {first[0]!r}")
    last = [line.rpartition(",")[2].strip() for line in lines]
    try:
        if len(first) > 2 or any(is_number(x) and re.search("[0-9]", x) for x in last):
            square = read_rows(name, "distance")
            return Distance.from_matrix(square.numbers, labels=square.labels, name=Path(name).stem)
        parents: dict[str, list[str]] = {}
        for child, parent, _, line in read_pairs(name, "CHILD", "PARENT", "classes and parents"):
            if line != 1 or parent.lower() != "parent":  # which is a header
                parents.setdefault(child, []).append(parent)
        return Distance.from_tree(parents, name=Path(name).stem)
    except InputError as e:
        raise e if str(e).startswith(name) else InputError(f"{name}: ", *e.args) from None
