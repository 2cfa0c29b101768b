"""Layout of reported tables: which cell is which score of which system."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, pairwise, takewhile
from typing import Any

from evenhand.auditing.headers import (
    PER_CLASS,
    WORDS,
    ColumnHeading,
    ReportedColumn,
    combined,
    distinct,
    heading_column,
    is_class,
    is_name,
    is_unspecified,
    meaning,
    meanings,
    read_heading,
    segmented,
)
from evenhand.auditing.numbers import (
    QUESTION,
    harmonic_checks,
    is_blank,
    is_number,
    is_spread,
    is_value,
    read_number,
    resolve_unspecified,
)
from evenhand.errors import InputError, shown
from evenhand.io.printed_tables import PrintedTable
from evenhand.options import instance

TidyRow = tuple[str, int, Mapping[str, str]]
"""One system: its name, the line it is on, and its cells by heading."""


@dataclass(frozen=True)
class TidyTable:
    """A table with one system a row; ``unspecified`` are headings that name no average, and
    ``interpretation`` what they are read as: "one" class, "weighted" or "macro" averages.
    ``over_items`` says that it has averages over items, as those of several labels do.
    """

    caption: str
    columns: Mapping[str, ReportedColumn]
    records: tuple[TidyRow, ...]
    unused: tuple[str, ...] = ()
    unspecified: tuple[str, ...] = ()
    interpretation: str = ""
    over_items: bool = False


# Heading rows and row names

USED = ("metric", "precision", "recall", "f1", "support", "n", "correct")
HEADS = 5
"""Rows at the top that may name columns."""
_LIBRARY_AVERAGES = {"avg / total": "weighted"}
"""Averages as libraries name them: an older scikit-learn's is weighted by class size."""


@dataclass(frozen=True)
class ColumnOptions:
    """What a user says of a table: what some headings mean, and names of classes."""

    meanings: Mapping[str, str] = field(default_factory=dict)
    labels: Collection[str] = ()

    @classmethod
    def checked(cls, meanings: Any, support: Any) -> ColumnOptions:
        """From what a user passes, if all of it is text and sizes are by class."""
        for name, value in (("meanings", meanings), ("support", support)):
            instance(value, (Mapping, type(None)), name, "a mapping of text")
        for text in (*(meanings or {}), *(meanings or {}).values()):
            instance(text, str, "meanings", "text")
        return cls(meanings or {}, tuple(map(str, support or {})))


class TableHeader:
    """A printed table with its heading rows read and its label columns identified."""

    def __init__(self, table: PrintedTable, where: str, options: ColumnOptions) -> None:
        heads = table.heads or 1
        self.table, self.where, self.options = table, where, options
        self.levels = [list(level) for level in zip(*_filled(table.rows[:heads]), strict=True)]
        columns = column_meanings(dict(enumerate(self.levels)), options)
        body = [i for i in range(heads, len(table.rows)) if i not in table.spans]
        self.rows = _with_spreads([(table.rows[i], table.lines[i]) for i in body])
        self.columns = [
            ReportedColumn(c.printed, "other") if c.printed and self._is_text(j) else c
            for j, c in columns.items()
        ]
        # Columns that name rows: so called, or at the left and without a number.
        named = [j for j, c in enumerate(self.columns) if c.kind == "name"]
        self.labels = list(dict.fromkeys([*named, *takewhile(self._names_rows, columns)]))
        kinds = enumerate(c.kind for c in self.columns)
        self.used = [j for j, kind in kinds if kind in USED and j not in self.labels]

    def _is_text(self, j: int) -> bool:
        """Whether a column has a cell that says something and is no number."""
        return any(not is_value(row[j]) and not is_blank(row[j]) for row, _ in self.rows)

    def _names_rows(self, j: int) -> bool:
        """Whether a column may name rows, if those to its left do."""
        is_score, top = self.columns[j].kind in USED, self.levels[j][-1] if self.levels[j] else ""
        has_numbers = any(is_value(row[j]) for row, _ in self.rows)
        if j == 0:
            return not (is_score and has_numbers)
        return not is_score and (is_class(top) or not has_numbers)

    @property
    def class_column(self) -> int | None:
        """The column that names classes, if one is so called."""
        return next((j for j in self.labels if any(map(is_class, self.levels[j]))), None)

    @property
    def has_classes_down(self) -> bool:
        """Whether rows are classes and averages, and columns their scores."""
        if self.class_column is not None:
            return True
        parts = [heading.part for heading in self.headings.values()]
        if not parts or not self.labels or not {*parts} <= {*PER_CLASS, "support"}:
            return False
        named = any(is_name(text) for text in self.levels[self.labels[0]])
        sized = "support" in parts
        averages = {average_of(row[self.labels[-1]]) for row, _ in self.rows} - {"", "some"}
        return bool(averages) or (sized and not named)

    @property
    def has_scores_down(self) -> bool:
        """Whether every row is a precision, a recall, an F1 or a size, so that none is a system."""
        rows = self.rows if self.labels else []
        headings = [read_heading(row[self.labels[0]]) for row, _ in rows]
        parts = {h.part for h in headings if not h.rest}
        return len(parts) == len(headings) > 1 and parts <= {*PER_CLASS, "support"}

    @cached_property
    def headings(self) -> dict[int, ColumnHeading]:
        """What each column that is used says."""
        return {j: combined(self.levels[j]) for j in self.used}


def _with_spreads(rows: Sequence[tuple[Sequence[str], int]]) -> list[tuple[Sequence[str], int]]:
    """The rows, with spreads from a row of their own merged into the row above."""
    merged: list[tuple[Sequence[str], int]] = []
    for row, line in rows:
        cells = [c for c in row if c.strip()]
        if merged and cells and not row[0].strip() and all(map(is_spread, cells)):
            above, at = merged[-1]
            pairs = zip(above, row, strict=True)
            merged[-1] = [f"{a} ± {b.strip(' ()±')}" if b.strip() else a for a, b in pairs], at
        else:
            merged.append((row, line))
    return merged


def heading_rows(table: PrintedTable, options: ColumnOptions) -> int:
    """The number of heading rows."""
    last = max(table.heads or 1, 1)
    for i, row in enumerate(table.rows[:HEADS]):
        texts = [t for t in row[1:] or row if t.strip()]
        if i in table.spans or any(map(is_value, texts)):
            continue
        known = any(user_meaning([t], options) or read_heading(t).part for t in texts)
        if known and i >= last and len(set(texts)) > 1:
            last = i + 1
    return min(last, max(len(table.rows) - 1, 1))


def _filled(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Heading rows with spanning headings repeated over all their columns."""
    filled = [list(row) for row in rows]
    for i, row in enumerate(filled[:-1]):
        below = filled[i + 1]
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
    return filled


def split_headings(table: PrintedTable) -> PrintedTable:
    """The table with headings split that copying has run together."""
    first = table.rows[0]
    if table.heads != 1 or any(first[1:]) or len(first) < 2 or " " not in first[0]:
        return table
    return replace(table, rows=(tuple(segmented(first[0], len(first))), *table.rows[1:]))


def user_meaning(levels: Sequence[str], options: ColumnOptions) -> ReportedColumn | None:
    """What the user says that a column holds."""
    texts = [text.strip() for text in distinct(levels)]
    for text in (" ".join(texts), *reversed(texts)):
        for heading, means in options.meanings.items():
            if heading.strip().casefold() == text.casefold():
                match = heading_column(means)
                header = match.header if match.kind in PER_CLASS else " ".join(texts)
                return replace(match, header=header)
    return None


def column_meanings(
    levels: Mapping[int, Sequence[str]], options: ColumnOptions
) -> dict[int, ReportedColumn]:
    """What each column holds, by the user or by its headings."""
    guesses = meanings(levels, options.labels)
    return {j: user_meaning(headings, options) or guesses[j] for j, headings in levels.items()}


def average_of(label: str) -> str:
    """The average that a row's name states, or "accuracy"; empty for a class."""
    if label.strip().casefold() in _LIBRARY_AVERAGES:
        return _LIBRARY_AVERAGES[label.strip().casefold()]
    heading = read_heading(label)
    if heading.rest or heading.part not in ("", "accuracy", *PER_CLASS):
        return ""
    if heading.part in PER_CLASS and not heading.average:
        return ""
    return heading.part if heading.part == "accuracy" else heading.average


def transposed(body: TableHeader) -> PrintedTable | None:
    """The transpose of a table whose rows are metrics; ``None`` if they are not."""
    labels = body.labels or [0]
    if any(len(row) <= max(labels) for row, _ in body.rows):  # without a cell to name it
        return None
    columns = [meaning([row[j] for j in labels]) for row, _ in body.rows]
    known = [c for c in columns if c.kind in USED]
    if not known or 2 * len(known) < len(columns):
        return None
    heads = body.table.heads or 1
    table = body.table
    kept = [row for i, row in enumerate(table.rows) if i not in table.spans]
    order = [*labels, *(j for j in range(table.width) if j not in labels)]
    turned = [[row[j] for row in kept] for j in order]
    rows = tuple(
        (" ".join(dict.fromkeys(filter(None, row[:heads]))), *row[heads:]) for row in turned
    )
    return PrintedTable(rows, table.caption, table.lines[:1] * len(rows), len(labels))


# Tables with one class a row, such as classification reports


def classes_down(body: TableHeader) -> TidyTable:
    """A table of classes: each system's rows as one, each system being a group of columns or
    what another column names.
    """
    at = body.class_column if body.class_column is not None else body.labels[-1]
    naming = [j for j in body.labels if body.columns[j].kind == "name" and j != at]
    headings = body.headings
    columns: dict[str, ReportedColumn] = {}
    systems: dict[str, dict[str, str]] = {}
    lines: dict[str, int] = {}
    vague: dict[str, None] = {}
    most = max((sum(is_value(row[j]) for j in headings) for row, _ in body.rows), default=0)
    left: list[str] = []
    over_items = False
    for row, line in body.rows:
        label = row[at].strip()
        average = average_of(label)
        if label.casefold() in WORDS["over items"]:
            left.append(f"row {label}")
            over_items = True
            continue
        if not average and sum(is_value(row[j]) for j in headings) < min(most, 2):
            left += [f"row {label}"] if any(row[j].strip() for j in headings) else []
            continue  # another score among the classes
        for j in sorted(headings, key=lambda j: headings[j].part != "f1"):
            name = " ".join(filter(None, [*(row[k].strip() for k in naming), headings[j].rest]))
            target = _of_row(label, headings[j])
            if target is not None and target.kind == "n" and average == "accuracy":
                # a frame of the report repeats the accuracy under every heading
                target = None if sum(_same_number(row[k], row[j]) for k in headings) > 1 else target
            if target is None or not row[j].strip():
                ambiguous = row[j].strip() and average == "some"
                left += [f"{label} {' '.join(distinct(body.levels[j]))}"] if ambiguous else []
                continue
            if target.kind == "metric" and target.name == QUESTION.name and average == "some":
                vague[target.header] = None
            text = " ".join(t for t in distinct(body.levels[j]) if t != headings[j].rest)
            columns.setdefault(target.header, replace(target, printed=f"{label} {text}"))
            systems.setdefault(name, {}).setdefault(target.header, row[j])
            lines.setdefault(name, line)
    records = tuple((name, lines[name], cells) for name, cells in systems.items())
    used = {*body.used, at, *naming}
    unused = [c.header for j, c in enumerate(body.columns) if j not in used and c.header.strip()]
    known = body.table.caption, columns, records, tuple(dict.fromkeys([*unused, *left]))
    return TidyTable(*known, tuple(vague), "macro", over_items)


def _same_number(one: str, other: str) -> bool:
    """Whether two cells hold equal numbers, or equal texts."""
    a, b = (read_number(t) if is_number(t) else t.strip() for t in (one, other))
    return getattr(a, "value", a) == getattr(b, "value", b)


def _of_row(label: str, heading: ColumnHeading) -> ReportedColumn | None:
    """What a column holds in the row of a class or of an average."""
    average, part = average_of(label), heading.part
    if not label or part not in (*PER_CLASS, "support"):
        return None
    if part == "support":
        return heading_column(
            "n" if average or label.casefold() == "total" else f"support[{label}]"
        )
    if average == "some":
        return QUESTION if part == "f1" else None
    if average in ("", "accuracy"):
        return heading_column(average or f"{part}[{label}]")
    own_part = read_heading(label).part
    return heading_column(f"{average}_{own_part if own_part in PER_CLASS else part}")


# Tables with one system a row

_Named = tuple[str, int, Sequence[str]]
"""A row with its name and its line."""


def tidy_tables(table: PrintedTable, where: str, options: ColumnOptions) -> list[TidyTable]:
    """The systems of a table; of several tables where its groups of columns are data sets."""
    table = split_headings(table)
    body = TableHeader(replace(table, heads=heading_rows(table, options)), where, options)
    if not body.used and (parts := _systems_down(body)):
        return parts
    if (not body.used or body.has_scores_down) and (other := transposed(body)) is not None:
        body = TableHeader(other, where, options)
    return [classes_down(body)] if body.has_classes_down else _systems_down(body)


def _systems_down(body: TableHeader) -> list[TidyTable]:
    """One table; or one for each data set, as if its name did not stand over the columns."""
    caption, records = body.table.caption, _records(body)
    groups = _data_sets(body, records)
    tables = []
    for group, inside in (groups or {"": body.used}).items():
        levels = {j: [t for t in body.levels[j] if t.strip() != group] for j in inside}
        title = ": ".join(filter(None, (caption, group)))
        tables.append(_of_columns(body, levels, records, title, chain(*groups.values())))
    return [one for one in tables if one.columns]


def _of_columns(
    body: TableHeader,
    levels: Mapping[int, Sequence[str]],
    records: Sequence[_Named],
    caption: str,
    apart: Iterable[int],
) -> TidyTable:
    """The records under some columns, others being a table ``apart``."""
    columns = column_meanings(levels, body.options)
    columns = {j: c for j, c in columns.items() if c.kind in USED and c.header.strip() != "#"}
    vague = {
        j: combined(levels[j]).part
        for j in columns
        if is_unspecified(levels[j]) and not user_meaning(levels[j], body.options)
    }
    rows, sized = [row for _, _, row in records], bool(body.options.labels)
    columns, interpretation = resolve_unspecified(columns, vague, rows, sized=sized)
    titles = {j: " ".join(distinct(levels[j])) for j in levels}
    kinds = [(c.kind, c.name) for c in columns.values()]
    twice = {titles[j]: j for j, c in columns.items() if kinds.count((c.kind, c.name)) > 1}
    if twice:
        raise InputError(f"{body.where}: expected each column once, got {shown(twice)}")
    naming = [j for j in body.labels if all(row[j].strip() in name for name, _, row in records)]
    used = {*columns, *body.labels[:1], *naming, *apart}
    left = [c.printed or c.header for j, c in enumerate(body.columns) if j not in used]
    systems: list[TidyRow] = []
    for name, line, row in records:
        cells = {c.header: row[j] for j, c in columns.items()}
        if len(records) == 1 or _is_system(name, cells.values()):
            systems.append((name, line, cells))
        else:
            left.append(f"row {name}")
    by_header = {c.header: c for c in columns.values()}
    unused = tuple(h for h in dict.fromkeys(left) if h.strip())
    unspecified = tuple(titles[j] for j in vague if j in columns)
    return TidyTable(caption, by_header, tuple(systems), unused, unspecified, interpretation)


def _is_system(name: str, cells: Iterable[str]) -> bool:
    """Whether a row is of a system, and not a mean of others, their differences or their test."""
    values = [c for c in cells if is_value(c)]
    if len(values) > 1 and all(v.strip().startswith(("+", "-", "−")) for v in values):
        return False
    return name.casefold().split("±")[0].strip() not in WORDS["no system"]


def _records(body: TableHeader) -> list[_Named]:
    """Each row with its name, under the heading of its part where names come twice."""
    named = [j for j in body.labels if body.columns[j].kind == "name"] or body.labels
    rows = [
        (row, line)
        for row, line in body.rows  # others are headings inside the table, or nothing
        if any(c.strip() for j, c in enumerate(row) if j not in body.labels)
    ]
    for naming in (named[:1], named):
        texts = [[row[j].strip() for j in naming] for row, _ in rows]
        names = [" ".join(dict.fromkeys(filter(None, cells))) for cells in texts]
        if len(set(names)) == len(names):
            break
    return [(name, line, row) for name, (row, line) in zip(names, rows, strict=True)]


def _data_sets(body: TableHeader, records: Sequence[_Named]) -> dict[str, list[int]]:
    """Groups of columns that are no classes: parts of the data, or data sets, by name.

    So are groups with an accuracy of their own, and groups whose F1 is often not 2PR/(P+R), unless
    an average beside them says that they are classes.
    """
    groups: dict[str, list[int]] = {}
    for j, levels in enumerate(body.levels):
        texts = [text.strip() for text in distinct(levels)]
        top = read_heading(texts[0]) if len(texts) > 1 and j not in body.labels else None
        if top and not top.part and not top.average and combined(texts).part:
            groups.setdefault(texts[0], []).append(j)
    members = [j for js in groups.values() for j in js]
    names = {g.casefold().strip(".") for g in groups}
    averages = (QUESTION.name, "macro_precision", "macro_recall", "weighted_f1", "micro_f1")
    if (
        any(user_meaning(body.levels[j], body.options) for j in members)
        or any(group in body.options.labels for group in groups)
        or names <= WORDS["class"].keys()
        or (any(c.name in averages for c in body.columns) and not names <= WORDS["split"].keys())
    ):
        return {}
    headings = [{j: combined(body.levels[j]) for j in js} for js in groups.values()]
    averaged = [any(h.is_whole or h.average for h in each.values()) for each in headings]
    rows = [row for _, _, row in records]
    parts = [{h.part: j for j, h in each.items()} for each in headings]
    complete = (at for at in parts if all(p in at for p in PER_CLASS))
    harmonic = [ok for at in complete for ok in harmonic_checks(rows, at)]
    apart = 2 * sum(averaged) > len(averaged) or 10 * harmonic.count(False) > len(harmonic)
    return groups if apart or names <= WORDS["split"].keys() else {}
