"""Distances between classes as people keep them: a matrix, or lines of a class and its parent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evenhand.core.distances import WORDS
from evenhand.errors import InputError
from evenhand.files.blocks import read_text
from evenhand.files.matrices import is_number, read_rows
from evenhand.files.pairs import read_pairs
from evenhand.tables.distance import ORDINAL, Distance, as_distance, of_mappings


def read_distance(given: str) -> str | Distance | None:
    """A word (``ordinal``), or a file: a matrix with its labels, or CHILD,PARENT lines.

    A JSON file is an object of costs by true and predicted label, or of a parent, or a list of
    them, for each class. The distance is called as its file, without folder and ending.
    """
    if given in (ORDINAL, *WORDS):
        return as_distance(given)
    name = Path(given).stem
    try:
        return _json(given, name) if given.lower().endswith(".json") else _text(given, name)
    except InputError as e:
        raise e if str(e).startswith(given) else InputError(f"{given}: ", *e.args) from None


def _text(path: str, name: str) -> Distance:
    lines = [line for line in read_text(path).splitlines() if line.strip()]
    first = [f.strip() for f in (lines or [""])[0].replace("\t", ",").split(",")]
    if len(first) == 2 and not any(map(_ends_in_number, lines)):
        return Distance.from_tree(_tree(path), name=name)
    if len(first) < 2:
        raise InputError(
            f"{path}: expected a matrix with its labels, or CHILD,PARENT lines, got {first[0]!r}"
        )
    labels, numbers = read_rows(path, "distance")
    return Distance.from_matrix(numbers, labels=labels, name=name)


def _ends_in_number(line: str) -> bool:
    """Whether the last field is a number; a class may be called ``inf`` or ``nan``."""
    last = line.replace("\t", ",").rpartition(",")[2].strip()
    return is_number(last) and any(map(str.isdigit, last))


def _tree(path: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for child, parent, _, line in read_pairs(path, "CHILD", "PARENT", "classes and their parents"):
        if line == 1 and parent.lower() == "parent":
            continue  # a header
        found.setdefault(child, []).append(parent)
    return found


def _json(path: str, name: str) -> Distance:
    try:
        found: Any = json.loads(read_text(path))
    except (ValueError, RecursionError) as e:
        raise InputError(f"{path}: expected JSON, got {e}") from None
    if isinstance(found, list):
        return Distance.from_matrix(found, name=name)
    if not isinstance(found, dict) or not found:
        raise InputError(f"{path} must be an object of parents or of costs, or a matrix")
    if all(isinstance(row, dict) for row in found.values()):
        return of_mappings(found, name)
    odd = [v for v in found.values() if not isinstance(v, str | list | None)]
    if odd:
        raise InputError(f"{path}: expected the class above each, got {odd[0]!r}")
    return Distance.from_tree(found, name=name)
