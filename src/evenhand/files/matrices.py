"""Matrices as people write them down: in an argument or in a small file."""

from __future__ import annotations

import os
import re

from evenhand.errors import InputError, shown
from evenhand.files.blocks import read_text
from evenhand.tables.confusion import Confusion

DIGITS = 300
"""Digits that a whole number may have: what has more is beyond the largest float anyway."""


def read_matrix(source: str, *, labels: list[str] | None, rows: str) -> Confusion:
    """A matrix from text such as ``6 1 1; 1 5 2; 2 3 7``, or from a file of it.

    A file may carry the labels in its first row, and again in its first column.
    """
    head, numbers = read_rows(source, "matrix")
    chosen = labels if labels is not None else head
    return Confusion.from_matrix(numbers, labels=chosen, rows=rows)  # type: ignore[arg-type]


def read_rows(source: str, what: str) -> tuple[list[str] | None, list[list[float]]]:
    """The labels of a square of numbers, if it has any, and the numbers; ``what`` it is."""
    where, text = what, source
    if os.path.isfile(source) or not (re.search(r"[\s;\[]|^$", source) or is_number(source)):
        where, text = source, read_text(source)
    lines = [
        _fields(line) for line in re.split(r"[;\n\r]+|\]\s*,\s*\[", text) if line.strip(" \t,[]")
    ]
    if not lines:
        raise InputError(f"{where} is empty, expected rows of numbers")
    head = None
    if not all(map(is_number, lines[0])) and not _is_whole(lines):
        head, lines = lines[0], lines[1:]
        if lines and len(head) == len(lines[0]) and not is_number(lines[0][0]):
            head = head[1:]
    names = [line[0] for line in lines if line and not is_number(line[0])]
    if head is not None and len(names) == len(lines):
        lines = [line[1:] for line in lines]
        if names != head:
            raise InputError(
                f"{where}: rows and columns must name the same classes, "
                f"got {shown(names)} and {shown(head)}"
            )
    for i, line in enumerate(lines):
        for value in line:
            if not is_number(value):
                raise InputError(f"{where}, row {i + 1}: expected a number, got {shown([value])}")
        if len(line) != len(lines):
            raise InputError(
                f"{where}, row {i + 1}: expected {len(lines)} numbers (the matrix has "
                f"{len(lines)} rows), got {len(line)}"
            )
    numbers = [list(map(number, line)) for line in lines]
    return head, numbers


def number(text: str) -> int | float:
    """A number as it is written: whole ones exactly, unless no machine could add them up."""
    whole = re.fullmatch(r"\+?[0-9]+", text) and len(text) <= DIGITS
    return int(text) if whole else float(text)


def _is_whole(lines: list[list[str]]) -> bool:
    """Whether the rows are a matrix without names, so that text in the first is a mistake."""
    square = len(lines) == len(lines[0]) > 1
    return square and all(is_number(line[0]) for line in lines[1:])


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
