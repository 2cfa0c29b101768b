"""Renaming labels after counting: from a map, or by folding case."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from evenhand.count.sources import read_text
from evenhand.count.systems import Panel
from evenhand.errors import InputError
from evenhand.labels import Label


def read_map(path: str) -> dict[str, str]:
    """Old and new names: two columns of a CSV or TSV file (no header), or a JSON object."""
    text = read_text(path)
    if Path(path).suffix.lower() == ".json":
        try:
            found = json.loads(text)
        except json.JSONDecodeError as e:
            raise InputError(f"{path}, line {e.lineno}: expected JSON, got {e.msg}") from None
        if not isinstance(found, dict) or not all(isinstance(v, str) for v in found.values()):
            raise InputError(f"{path} must be a JSON object of old names and new names")
        return found
    mark = "\t" if "\t" in text.split("\n", 1)[0] else ","
    names: dict[str, str] = {}
    for number, row in enumerate(csv.reader(text.splitlines(), delimiter=mark), 1):
        if not row:
            continue
        if len(row) != 2 or not all(v.strip() for v in row):
            raise InputError(
                f"{path}, line {number}: expected OLD{mark}NEW, got {mark.join(row)!r}"
            )
        old, new = (v.strip() for v in row)
        if names.get(old, new) != new:
            raise InputError(f"{path}, line {number}: {old!r} already has another name")
        names[old] = new
    if not names:
        raise InputError(f"{path} names no labels")
    return names


def renamed(table: Any, path: str | None, fold: bool) -> tuple[Any, list[str]]:
    """The table with labels renamed or case folded, and a note on what that did."""
    if (path is not None or fold) and not hasattr(table, "relabel"):
        raise InputError("labels of multi-label data cannot be renamed or folded yet")
    notes = []
    if path is not None:
        names = read_map(path)
        hit = [v for v in table.labels if str(v) in names]
        table, before = table.relabel(lambda v: names.get(str(v), str(v))), table.k
        notes.append(f"{path} renamed {len(hit):,} of {before:,} labels, leaving {table.k:,}")
    if fold:
        table, before = table.relabel(_folded), table.k
        if table.k != before:
            notes.append(f"ignoring case merged {before:,} labels into {table.k:,}")
    return table, notes


def relabelled(panel: Panel, path: str | None, fold: bool) -> tuple[Panel, list[str]]:
    """The items with labels renamed or case folded, and a note on what that did."""
    notes = []
    if path is not None:
        names = read_map(path)
        panel = panel.relabelled(lambda v: names.get(str(v), str(v)))
        notes.append(f"{path} renamed {len(names):,} labels")
    return (panel.relabelled(_folded) if fold else panel), notes


def _folded(label: Label) -> Label:
    return label.casefold() if isinstance(label, str) else label
