"""Headed: a printed table whose headings are known, and which columns name its rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from evenhand.auditing.beside import meanings
from evenhand.auditing.columns import PER_CLASS, Column, column
from evenhand.auditing.headers import (
    Heading,
    combined,
    distinct,
    is_class,
    is_name,
    meaning,
    read_heading,
    segmented,
)
from evenhand.auditing.printed import is_blank
from evenhand.auditing.values import is_spread, is_value
from evenhand.errors import InputError, Option
from evenhand.files.printed.table import PrintedTable

USED = ("metric", "precision", "recall", "f1", "support", "n", "correct")
HEADS = 5
"""Rows at the top that may name columns."""
_SAID_BY_LIBRARY = {"avg / total": "weighted"}
"""How an older scikit-learn names what it weights by class size."""


@dataclass(frozen=True)
class Asked:
    """What a user says of a table: what some headings mean, or what all columns are, in their
    order; and names of classes.
    """

    meanings: Mapping[str, str] = field(default_factory=dict)
    columns: Sequence[str] = ()
    labels: Collection[str] = ()


class Headed:
    """A table whose headings are known."""

    def __init__(self, table: PrintedTable, where: str, asked: Asked) -> None:
        heads = table.heads or 1
        self.table, self.where, self.asked = table, where, asked
        self.levels = [list(level) for level in zip(*_filled(table.rows[:heads]), strict=True)]
        meant = meanings(dict(enumerate(self.levels)))
        self.columns = [asked_for(said, asked) or meant[j] for j, said in enumerate(self.levels)]
        rows = zip(table.rows[heads:], table.lines[heads:], strict=True)
        self.rows = _with_spreads(
            [(row, line) for i, (row, line) in enumerate(rows, heads) if i not in table.spans]
        )
        self.columns = [
            Column(c.printed, "other") if c.printed and self._is_text(j) else c
            for j, c in enumerate(self.columns)
        ]
        self.labels = self._labels()
        self.used = [
            j for j, c in enumerate(self.columns) if c.kind in USED and j not in self.labels
        ]

    def _labels(self) -> list[int]:
        """The columns that name rows: so called, or at the left and without a number."""
        found = [j for j, c in enumerate(self.columns) if c.kind == "name"]
        for j, c in enumerate(self.columns):
            if c.kind in USED and (j or self._has_numbers(j)):
                break
            top = self.levels[j][-1] if self.levels[j] else ""
            if j == 0 or is_class(top) or not self._has_numbers(j):
                found.append(j)
            else:
                break
        return list(dict.fromkeys(found))

    def _is_text(self, j: int) -> bool:
        """Whether a column has a cell that says something and is no number."""
        return any(not is_value(row[j]) and not is_blank(row[j]) for row, _ in self.rows)

    def _has_numbers(self, j: int) -> bool:
        return any(is_value(row[j]) for row, _ in self.rows)

    @property
    def class_column(self) -> int | None:
        """The column that names classes, if one is so called."""
        return next((j for j in self.labels if any(map(is_class, self.levels[j]))), None)

    @property
    def has_classes_down(self) -> bool:
        """Whether rows are classes and averages, and columns their scores."""
        if self.class_column is not None:
            return True
        of_classes = [j for j in self.used if self._heading(j).part in (*PER_CLASS, "support")]
        if not of_classes or len(of_classes) < len(self.used) or not self.labels:
            return False
        named = any(is_name(text) for text in self.levels[self.labels[0]])
        sized = any(self._heading(j).part == "support" for j in of_classes)
        averages = {average_of(row[self.labels[-1]]) for row, _ in self.rows} - {"", "some"}
        return bool(averages) or (sized and not named)

    @property
    def has_scores_down(self) -> bool:
        """Whether every row is a precision, a recall, an F1 or a size, so that none is a system."""
        parts = [read_heading(row[self.labels[0]]) for row, _ in self.rows] if self.labels else []
        said = {h.part for h in parts if not h.rest}
        return len(said) == len(parts) > 1 and said <= {*PER_CLASS, "support"}

    def _heading(self, j: int) -> Heading:
        return combined(distinct(self.levels[j]))

    def headings(self) -> dict[int, Heading]:
        """What each column that is used says."""
        return {j: self._heading(j) for j in self.used}


def _with_spreads(rows: Sequence[tuple[Sequence[str], int]]) -> list[tuple[Sequence[str], int]]:
    """The rows, each with the spreads that stand in a row of their own below it."""
    found: list[tuple[Sequence[str], int]] = []
    for row, line in rows:
        said = [c for c in row if c.strip()]
        if found and said and not row[0].strip() and all(map(is_spread, said)):
            above, at = found[-1]
            pairs = zip(above, row, strict=True)
            found[-1] = [f"{a} ± {b.strip(' ()±')}" if b.strip() else a for a, b in pairs], at
        else:
            found.append((row, line))
    return found


def heads_of(table: PrintedTable, asked: Asked) -> int:
    """How many rows name columns: as the document says, and further down while rows do so."""
    last = max(table.heads or 1, 1)
    for i, row in enumerate(table.rows[:HEADS]):
        said = [t for t in row[1:] or row if t.strip()]
        if i in table.spans or any(map(is_value, said)):
            continue
        known = any(asked_for([t], asked) or read_heading(t).part for t in said)
        if known and i >= last and len(set(said)) > 1:
            last = i + 1
    return min(last, max(len(table.rows) - 1, 1))


def _filled(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Headings over several cells, of which a spreadsheet has only the first, over all of them."""
    found = [list(row) for row in rows]
    for i, row in enumerate(found[:-1]):
        below = found[i + 1]
        if any(a and a == b for a, b in pairwise(row)):
            continue  # the document tells
        seen: set[str] = set()
        for j in range(1, len(row)):
            heading = read_heading(below[j])
            alone = heading.average or heading.part not in (*PER_CLASS, "support")
            if row[j] or below[j] in seen or alone:
                seen = {below[j]} if row[j] else set()
            elif row[j - 1] and seen:
                row[j] = row[j - 1]
                seen.add(below[j])
    return found


def parted(table: PrintedTable) -> PrintedTable:
    """Headings that a copy has run together, told apart by what they mean."""
    first = table.rows[0]
    if table.heads != 1 or any(first[1:]) or len(first) < 2 or " " not in first[0]:
        return table
    return replace(table, rows=(tuple(segmented(first[0], len(first))), *table.rows[1:]))


def asked_for(levels: Sequence[str], asked: Asked) -> Column | None:
    """What the user says that a column holds."""
    said = [text.strip() for text in distinct(levels)]
    for text in (" ".join(said), *reversed(said)):
        for given, means in asked.meanings.items():
            if given.strip().casefold() == text.casefold():
                found = column(means)
                header = found.header if found.kind in PER_CLASS else " ".join(said)
                return replace(found, header=header)
    return None


def named(table: PrintedTable, names: Sequence[str], where: str) -> PrintedTable:
    """The table under the names that the user gives its columns."""
    if len(names) != table.width:
        raise InputError(
            f"{where} has {table.width} columns, got {len(names)} names for them in ",
            Option("columns"),
        )
    heads = 0
    while heads < len(table.rows) and (
        heads in table.spans or not any(map(is_value, table.rows[heads]))
    ):
        heads += 1
    rows = (tuple(names), *table.rows[heads:])
    spans = frozenset(i - heads + 1 for i in table.spans if i >= heads)
    return PrintedTable(rows, table.caption, (0, *table.lines[heads:]), 1, spans)


def is_over_items(label: str) -> bool:
    """Whether a row is the mean over items of scores that each item with several labels has."""
    return label.strip().casefold() in ("samples avg", "sample avg", "samples average")


def average_of(label: str) -> str:
    """The average that the name of a row says, or "accuracy"; nothing for a class."""
    if label.strip().casefold() in _SAID_BY_LIBRARY:
        return _SAID_BY_LIBRARY[label.strip().casefold()]
    heading = read_heading(label)
    if heading.rest or heading.part not in ("", "accuracy", *PER_CLASS):
        return ""
    if heading.part in PER_CLASS and not heading.average:
        return ""
    return heading.part if heading.part == "accuracy" else heading.average


def turned(body: Headed) -> PrintedTable | None:
    """A table whose rows are metrics, with its rows and columns changed; none if they are not."""
    labels = body.labels or [0]
    if any(len(row) <= max(labels) for row, _ in body.rows):  # without a cell to name it
        return None
    said = [meaning([row[j] for j in labels]) for row, _ in body.rows]
    known = [c for c in said if c.kind in USED]
    if not known or 2 * len(known) < len(said):
        return None
    heads = body.table.heads or 1
    kept = [i for i in range(len(body.table.rows)) if i not in body.table.spans]
    order = [*labels, *(j for j in range(body.table.width) if j not in labels)]
    rows = tuple(tuple(body.table.rows[i][j] for i in kept) for j in order)
    rows = tuple((" ".join(dict.fromkeys(filter(None, row[:heads]))), *row[heads:]) for row in rows)
    line = body.table.lines[0]
    return PrintedTable(rows, body.table.caption, (line,) * len(rows), len(labels))
