"""Reading of reported tables from documents, data frames and dictionaries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

from evenhand.auditing.facts import Conflict, TableFacts
from evenhand.auditing.headers import PER_CLASS, SIGNED_METRICS, ReportedColumn, heading_column
from evenhand.auditing.layout import ColumnOptions, TidyTable, tidy_tables
from evenhand.auditing.numbers import (
    PrintedNumber,
    is_count,
    is_number,
    read_count,
    read_number,
    read_score,
    read_value,
)
from evenhand.auditing.ranges import Range
from evenhand.errors import InputError, Option, shown
from evenhand.io.documents import PrintedDocument, as_table, printed, read_document
from evenhand.io.printed_tables import PrintedTable
from evenhand.warnings import Note, ResultWarning

_WITH_COMMA = re.compile(r"\d*,\d")
SCORES = ("metric", "correct", *PER_CLASS)
"""Kinds of columns without which a table has nothing to audit."""
_THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3})+")


# Warnings


class Undecided(ResultWarning):
    """Rows whose search for a table was not finished."""

    template = """unknown for {systems:lines} ({systems}) whether any table fits: the search
    stopped at its limit; a larger limit (option limit) searches more, which helps where scores of
    the classes are printed"""

    systems: tuple[str, ...]


class AverageUnsaid(ResultWarning):
    """Headings without an average or a class.

    ``taken`` is the assumption: "one" class, "weighted" or "macro" averages.
    """

    columns: tuple[str, ...]
    taken: str

    def _sentence(self) -> str:
        readings = {
            "one": "F1 is 2PR/(P+R) in every row, as for one class, micro averages or the F1 of "
            "averages, so the formula stays open unless you say what the headings mean",
            "weighted": "taken as weighted averages, since recall is accuracy",
            "macro": "taken as macro averages",
        }
        columns, reading = shown(self.columns), readings[self.taken]
        return f"{columns}: the headings do not say which average; {reading}"


class SpreadsBeside(Note):
    """Columns with the spread of an unknown number of runs beside the scores."""

    template = """{columns}: values with ± were taken as means over runs; give runs (1 for a single
    run) to check more"""

    columns: tuple[str, ...]


class WeightsAsSizes(Note):
    """Columns of class sizes that are not whole numbers, as sums of weights are."""

    template = "class sizes that are not whole numbers (sums of weights?) were not used: {columns}"

    columns: tuple[str, ...]


class SeveralLabels(ResultWarning):
    """Micro averages differ, so that items are assumed to have several labels."""

    template = """micro precision, recall, F1 or accuracy differ, so items may have several labels,
    or some classes are not averaged: only what holds then was checked (single-label checks more)"""


class TableNotRead(ResultWarning):
    """A table that could not be read, and why."""

    template = "{caption} was not read: {reason}"

    caption: str
    reason: str


class Outside(ResultWarning):
    """Rows that would be consistent if some predictions were outside the classes."""

    template = """consistent only if some predictions are outside the classes (option abstentions):
    {systems:lines} ({systems})"""

    systems: tuple[str, ...]


@dataclass(frozen=True)
class ReportedRow:
    """One system: its name, its scores as written, and its whole numbers, by header."""

    name: str
    scores: Mapping[str, PrintedNumber]
    counts: Mapping[str, int]


@dataclass(frozen=True)
class ReportedTable:
    """A table of reported scores; ``unused`` are headers that mean nothing to an audit.

    ``vague``: its precision and recall do not say that they are macro averages. ``over_items``:
    it has averages over items too, as scores of several labels per item do.
    """

    where: str
    columns: Mapping[str, ReportedColumn]
    rows: tuple[ReportedRow, ...]
    unused: tuple[str, ...]
    caption: str = ""
    notes: tuple[ResultWarning, ...] = ()
    vague: bool = False
    over_items: bool = False

    @cached_property
    def places(self) -> dict[tuple[str, str], str]:
        """The header of each kind of score and what it is of."""
        return {(c.kind, c.name): h for h, c in self.columns.items() if c.kind != "other"}

    @property
    def varying(self) -> tuple[str, ...]:
        """The headers of scores with a spread printed beside one, as over runs."""
        scores = (pair for row in self.rows for pair in row.scores.items())
        return tuple(dict.fromkeys(h for h, w in scores if w.spread))


def read_source(data: Any, options: ColumnOptions = ColumnOptions()) -> ReportedTable:  # noqa: B008
    """The one table of reported scores that there is."""
    if isinstance(data, ReportedTable):
        return data
    tables = read_sources(data, options)
    if len(tables) > 1:
        raise InputError(
            f"{tables[0].where} has {len(tables)} tables: {shown([s.caption for s in tables])}; "
            "audits takes all of them"
        )
    return tables[0]


def read_sources(data: Any, options: ColumnOptions = ColumnOptions()) -> list[ReportedTable]:  # noqa: B008
    """Every table of reported scores in a document, a data frame or a list of dictionaries.

    A document is a file, its text, or ``-`` for standard input. In one with several tables, those
    without scores are passed over, and those that cannot be read are noted.
    """
    document, place = _document(data)
    _refuse_unknown(document, options)
    tables: list[ReportedTable] = []
    wrong: list[tuple[str, InputError]] = []
    for i, table in enumerate(document.tables, 1):
        try:
            if table.unread:
                raise InputError(table.unread)
            for one in tidy_tables(table, document.where, options):
                if any(c.kind in SCORES for c in one.columns.values()):
                    tables.append(_source(document.where, one, place, len(tables) + 1))
        except InputError as e:
            wrong.append((table.caption or f"table {i}", e))
    if not tables:
        raise wrong[0][1] if wrong else _nothing(document)
    notes = tuple(TableNotRead(caption, str(e)) for caption, e in wrong)
    return [replace(tables[0], notes=(*notes, *tables[0].notes)), *tables[1:]]


def _document(data: Any) -> tuple[PrintedDocument, str]:
    """The document, and how its errors refer to a row."""
    if isinstance(data, str | Path):
        if not str(data):
            raise InputError("a table to audit must be a file, got an empty name")
        return read_document(str(data)), ", line "
    if isinstance(data, Mapping):
        data = [data] if not any(isinstance(v, list | tuple) for v in data.values()) else data
    table = _rows(data) if isinstance(data, list | tuple) else _frame(data)
    return PrintedDocument("the table", (table,)), ", row "


def _rows(data: Any) -> PrintedTable:
    rows = list(data)
    for i, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise InputError(f"row {i}: expected a dictionary, got {type(row).__name__}")
    headers = tuple(dict.fromkeys(str(h) for row in rows for h in row))
    cells = [tuple(printed(row.get(h)) for h in headers) for row in rows]
    return PrintedTable((headers, *cells), "", tuple(range(len(rows) + 1)), 1)


def _frame(data: Any) -> PrintedTable:
    import narwhals as nw

    try:
        frame = nw.from_native(data)
    except TypeError:
        raise InputError(
            f"audit takes a file, a data frame or a list of dictionaries, got {type(data).__name__}"
        ) from None
    return as_table(frame.collect() if isinstance(frame, nw.LazyFrame) else frame)


def _nothing(document: PrintedDocument) -> InputError:
    """The error where no score was recognised."""
    if not document.tables:
        return InputError(
            f"{document.where} has no table: expected LaTeX, Markdown, HTML, CSV, or columns kept "
            "apart by two spaces or more, with a line of headings such as P, R, F1, Acc."
        )
    heads = [cell for row in document.tables[0].rows[:1] for cell in row if cell.strip()]
    return InputError(
        f"{document.where} has columns {shown(heads, 8)}, expected scores such as macro_f1, "
        "macro_precision, accuracy, precision[LABEL], recall[LABEL], f1[LABEL]; ",
        Option("meanings", "HEADING=macro_f1"),
        " says what a heading means",
    )


def _refuse_unknown(document: PrintedDocument, options: ColumnOptions) -> None:
    """Raise an error for unknown headings or meanings in the user's options."""
    cells = {c.strip().casefold() for t in document.tables for row in t.rows for c in row if c}
    for heading in options.meanings:
        words = heading.strip().casefold()
        if not any(words == c or words.startswith(f"{c} ") for c in cells):
            raise InputError(
                f"{document.where} has no heading {heading!r}, which is one in ", Option("meanings")
            )
    for means in options.meanings.values():
        if means.strip() not in ("", "-") and heading_column(means).kind == "other":
            raise InputError(
                f"{means!r} is nothing that an audit knows, expected name, n, macro_f1, accuracy, "
                "precision[LABEL] or the like, or - for what is not to be used"
            )


def _source(where: str, table: TidyTable, place: str, number: int) -> ReportedTable:
    """The numbers of a table, sizes that are sums of weights left out."""
    kinds = {h: c.kind for h, c in table.columns.items() if c.kind in ("n", "support")}
    cells = [pair for _, _, by_heading in table.records for pair in by_heading.items()]
    scores = [text.strip() for h, text in cells if h not in kinds]
    dotted = any(map(_WITH_COMMA.match, scores)) and not any("." in text for text in scores)

    def size(text: str) -> str:
        """A number of items, without dots between thousands where decimals have a comma."""
        text = read_value(text).text
        return text.replace(".", "") if dotted and _THOUSANDS.fullmatch(text.strip()) else text

    sizes = [size(text) for h, text in cells if kinds.get(h) == "support"]
    weights = tuple(kinds) if any(is_number(s) and not is_count(s) for s in sizes) else ()
    columns = {h: c for h, c in table.columns.items() if h not in weights}
    rows = []
    for i, (name, line, by_heading) in enumerate(table.records, 1):
        values: dict[str, PrintedNumber] = {}
        counts: dict[str, int] = {}
        for h, text in [pair for pair in by_heading.items() if pair[0] in columns]:
            spot = f"{where}{place}{line}, column {h}"
            if h in kinds:
                items = read_count(size(text), spot)
                if items == 0 and kinds[h] == "n":
                    raise InputError(f"{spot}: expected at least one item, got 0")
                counts |= {} if items is None else {h: items}
            elif (value := read_score(text, spot)) is not None:
                values[h] = value
        rows.append(ReportedRow(name.strip() or f"row {i}", values, counts))
    if not rows:
        raise InputError(f"{where} has a header but no rows, expected one for each system")
    if not any(row.scores for row in rows):
        raise InputError(f"{where} has no number under {shown(columns)}, expected scores")
    parts = ("macro_precision", "macro_recall")
    vague = any(h in table.unspecified for h, c in columns.items() if c.name in parts)
    caption = table.caption or f"table {number}"
    known = where, columns, tuple(rows), table.unused, caption, (), vague, table.over_items
    source = ReportedTable(*known)
    notes: list[ResultWarning] = [WeightsAsSizes(weights)] if weights else []
    if table.unspecified:
        notes.append(AverageUnsaid(table.unspecified, table.interpretation))
    if source.varying:
        notes.append(SpreadsBeside(source.varying))
    return replace(source, notes=tuple(notes))


# Fractions and percentages

Units = Mapping[str, int]
"""For each header, 100 where its value is a percentage and 1 where it is a fraction."""


class Scales:
    """Which values of a table are fractions and which percentages.

    A value above 1, or with a % sign, is a percentage. A smaller one is a fraction where the
    table has no percentages. Where it has some, the value is ambiguous: the row is tried in
    each way that makes sense, as most columns are first, and is fine if one of them is.
    """

    def __init__(self, source: ReportedTable) -> None:
        self._hits = {h for h, c in source.columns.items() if c.kind == "correct"}
        self._signed = {h for h, c in source.columns.items() if c.name in SIGNED_METRICS}
        scores = [(h, w) for row in source.rows for h, w in row.scores.items()]
        self._large = {h for h, w in scores if w.large} - self._hits
        others = {h for h, _ in scores} - self._large - self._hits
        self._fractions = len(others) > len(self._large)

    def readings(self, row: ReportedRow) -> list[Units]:
        """The possible units of a row, the most natural first."""
        scores = row.scores
        if not self._large:
            return [dict.fromkeys(scores, 1)]
        percentages = [set(scores), set(scores) - self._signed, set()]
        readings: list[Units] = []
        for percent in (self._large, *percentages[:: -1 if self._fractions else 1]):
            large = {h for h, w in scores.items() if w.large or h in percent} - self._hits
            units = {h: 100 if h in large else 1 for h in scores}
            readings += [units] if units not in readings else []
        return readings


# Multi-label tables

_MICRO = ("micro_precision", "micro_recall", "micro_f1")
_OF_ITEMS = frozenset({"accuracy", "kappa", "mcc"})


def several_labels(source: ReportedTable) -> bool:
    """Whether a table's own numbers say that items may have several labels.

    One row tells by its micro averages alone: that they are not its accuracy may be a slip.
    """
    names = _MICRO if len(source.rows) == 1 else (*_MICRO, "accuracy")
    headers = [h for name in names if (h := source.places.get(("metric", name))) is not None]
    apart = [differ for row in source.rows if (differ := _apart(row, headers)) is not None]
    return source.over_items or 2 * sum(apart) > len(apart)


def _apart(row: ReportedRow, headers: Sequence[str]) -> bool | None:
    """Whether metrics that are equal for single-label items are printed as different."""
    printed = [row.scores[h].range(1) for h in headers if h in row.scores]
    pairs = [a.meets(b) for a, b in combinations(printed, 2)]
    return not all(pairs) if pairs else None


def each_class(facts: TableFacts) -> TableFacts:
    """The facts of a row without those that assume single-label items."""
    metrics = {name: r for name, r in facts.metrics.items() if name not in _OF_ITEMS}
    return replace(facts, metrics=metrics, n=None, correct=None)


# Printed intervals


def outside_intervals(row: ReportedRow, units: Units) -> Iterator[Conflict]:
    """Conflicts of values that lie outside their printed intervals."""
    for header, value in row.scores.items():
        low, high = map(read_number, value.ends) if value.ends else (None, None)
        if low is None or high is None or value.large != high.large:
            continue
        if not value.range(1).meets(Range(low.range(1).low, high.range(1).high)):
            ends = f"{low.text} to {high.text}"
            why = f"it lies outside its own printed interval, {ends}, "
            why += "unless that belongs to another number"
            possible = Range(low.value, high.value).times(Fraction(1, units[header]))
            yield Conflict(header, possible, why, "weak")
