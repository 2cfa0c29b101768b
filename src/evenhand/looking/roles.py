"""Roles: which columns look like truth, predictions, ids and weights."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evenhand.notes.record import Record

TRUE, PRED, ID, WEIGHT = "truth", "predictions", "ids", "weights"
FEW = 200
"""Distinct values that labels may have."""
_NAMES = {
    ID: r"(.*[_ .-])?(id|ids|idx|index|guid|uuid|key|nr|no)",
    WEIGHT: r"(.*[_ .-])?(w|weights?)",
    PRED: r".*(pred|guess|system|output|answer|model|response|hyp|run|sys\d*$).*",
    TRUE: r".*(gold|true|truth|target|label|class|categor|reference|annotat|expected|\by$).*",
}


@dataclass(frozen=True)
class Column(Record):
    """A column: its name and number, what it holds, and what it looks like."""

    name: str
    number: int
    type: str
    distinct: int
    missing: int
    examples: tuple[str, ...]
    role: str = ""


def roles(columns: Sequence[Column], labels: Mapping[str, frozenset[Any]], rows: int) -> list[str]:
    """What each column looks like, by its name and by what it shares with others.

    ``labels`` are the values of columns that have few. Where names say nothing, the first of two
    columns that share labels is the truth.
    """
    found = {c.name: _by_name(c, rows, labels) for c in columns}
    truth = next((name for name, role in found.items() if role == TRUE), None)
    free = [c.name for c in columns if c.name in labels and found[c.name] in ("", PRED)]
    if truth is None:
        truth = next((c for c in free if not found[c] and _alike(c, free, labels)), None)
    known = labels.get(truth or "", frozenset())
    for name, role in found.items():
        if name == truth:
            found[name] = TRUE
        elif role in (TRUE, PRED, ""):
            found[name] = PRED if _share(labels.get(name, frozenset()), known) else ""
    return list(found.values())


def as_runs(columns: Sequence[Column], rows: int) -> Iterator[Column]:
    """The columns of a file of predictions alone: its one column of labels is theirs.

    Where names say nothing, it is the one of few values that come again, and the ids are the one
    column of words or numbers that are all different.
    """
    known = {c.role for c in columns}
    plain = [c for c in columns if not c.role and not c.missing]
    labels = [c for c in plain if 0 < c.distinct < min(rows, FEW + 1)]
    labels = [c for c in columns if c.role == TRUE] or labels
    ids = [c for c in plain if c.distinct == rows > 1 and not any(" " in e for e in c.examples)]
    for c in columns:
        if PRED not in known and labels == [c]:
            yield replace(c, role=PRED)
        else:
            yield replace(c, role=ID) if ID not in known and ids == [c] else c


def _by_name(column: Column, rows: int, labels: Mapping[str, frozenset[Any]]) -> str:
    unique = column.distinct == rows and not column.missing
    for role in _fitting(column.name):
        if role == ID and not (unique and rows > 1):
            continue
        if role == WEIGHT and column.type not in ("integers", "decimals", "text like numbers"):
            continue
        if role in (TRUE, PRED) and column.name not in labels:
            continue
        return role
    return ""


def _fitting(name: str) -> Iterator[str]:
    bare = name.strip().lower()
    return (role for role, pattern in _NAMES.items() if re.fullmatch(pattern, bare))


def _alike(name: str, others: Sequence[str], labels: Mapping[str, frozenset[Any]]) -> bool:
    both = [(labels[c] & labels[name], labels[c] | labels[name]) for c in others if c != name]
    return any(2 * len(shared) > len(either) for shared, either in both)


def _share(some: frozenset[Any], others: frozenset[Any]) -> bool:
    """Whether at least half of some labels are among others."""
    return bool(some) and 2 * len(some & others) >= len(some)
