"""Reading of reported tables from documents, data frames and dictionaries."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

from evenhand.auditing.facts import Conflict, TableFacts
from evenhand.auditing.headers import PER_CLASS, SIGNED_METRICS, ReportedColumn, column
from evenhand.auditing.layout import ColumnOptions, TidyRow, TidyTable, tidy_tables
from evenhand.auditing.numbers import (
    PrintedNumber,
    is_count,
    is_number,
    read_count,
    read_number,
    read_value,
)
from evenhand.auditing.ranges import Range
from evenhand.errors import InputError, Option, shown
from evenhand.io.documents import PrintedDocument, as_table, printed, read_document
from evenhand.io.printed_tables import PrintedTable
from evenhand.warnings import (
    AverageUnsaid,
    ResultWarning,
    SpreadsBeside,
    TableNotRead,
    WeightsAsSizes,
)

_WITH_COMMA = re.compile(r"\d*,\d")
SCORES = ("metric", "correct", *PER_CLASS)
"""Kinds of columns without which a table has nothing to audit."""
_THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3})+")


@dataclass(frozen=True)
class ReportedRow:
    """One system: its name, its scores as written, and its whole numbers, by header.

    ``spreads`` are what is printed after ± or in parentheses beside a score, ``ends`` the ends of
    an interval there.
    """

    name: str
    scores: Mapping[str, PrintedNumber]
    counts: Mapping[str, int]
    spreads: Mapping[str, str] = field(default_factory=dict)
    ends: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def text(self, header: str) -> str:
        """A score as printed, with what stands beside it."""
        spread = f" ± {self.spreads[header]}" if header in self.spreads else ""
        ends = f" [{', '.join(self.ends[header])}]" if header in self.ends else ""
        return f"{self.scores[header].text}{spread}{ends}"


@dataclass(frozen=True)
class ReportedTable:
    """A table of reported scores; ``unused`` are headers that mean nothing to an audit.

    ``vague``: its precision and recall do not say that they are macro averages. ``over_items``:
    it has averages over items too, as scores of several labels an item do.
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
    def varies(self) -> bool:
        """Whether a spread is printed beside a score, as over runs."""
        return any(row.spreads for row in self.rows)


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
    return as_table(nw.to_native(frame.collect() if isinstance(frame, nw.LazyFrame) else frame))


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
    for means in (*options.meanings.values(), *options.columns):
        if means.strip() not in ("", "-") and column(means).kind == "other":
            raise InputError(
                f"{means!r} is nothing that an audit knows, expected name, n, macro_f1, accuracy, "
                "precision[LABEL] or the like, or - for what is not to be used"
            )


def _weights(table: TidyTable) -> tuple[str, ...]:
    """The size columns, if class sizes are sums of weights instead of whole numbers."""
    sizes = {h: c.kind for h, c in table.columns.items() if c.kind in ("n", "support")}
    of_classes = [h for h, kind in sizes.items() if kind == "support"]
    cells = [read_value(r.cells.get(h, "")).text for r in table.records for h in of_classes]
    return tuple(sizes) if any(is_number(c) and not is_count(c) for c in cells) else ()


def _by_dots(table: TidyTable) -> TidyTable:
    """The table without dots between thousands, where decimals have a comma."""
    counts = {h for h, c in table.columns.items() if c.kind in ("n", "support")}
    scores = [c.strip() for r in table.records for h, c in r.cells.items() if h not in counts]
    if not any(map(_WITH_COMMA.match, scores)) or any("." in c for c in scores):
        return table

    def without_dots(header: str, cell: str) -> str:
        is_count = header in counts and _THOUSANDS.fullmatch(cell.strip())
        return cell.replace(".", "") if is_count else cell

    rows = [{h: without_dots(h, c) for h, c in r.cells.items()} for r in table.records]
    pairs = zip(table.records, rows, strict=True)
    return replace(table, records=tuple(replace(r, cells=cells) for r, cells in pairs))


def _source(where: str, table: TidyTable, place: str, number: int) -> ReportedTable:
    table = _by_dots(table)
    weights = _weights(table)
    if weights:
        columns = {h: c for h, c in table.columns.items() if h not in weights}
        records = tuple(
            replace(r, cells={h: c for h, c in r.cells.items() if h in columns})
            for r in table.records
        )
        table = replace(table, columns=columns, records=records)
    rows = tuple(
        _row(f"{where}{place}{record.line}", i, record, table.columns)
        for i, record in enumerate(table.records, 1)
    )
    if not rows:
        raise InputError(f"{where} has a header but no rows, expected one for each system")
    if not any(row.scores for row in rows):
        raise InputError(f"{where} has no number under {shown(table.columns)}, expected scores")
    notes: list[ResultWarning] = [WeightsAsSizes(weights)] if weights else []
    if table.unspecified:
        notes.append(AverageUnsaid(table.unspecified, table.interpretation))
    with_spreads = tuple(dict.fromkeys(h for row in rows for h in row.spreads))
    if with_spreads:
        notes.append(SpreadsBeside(with_spreads))
    caption = table.caption or f"table {number}"
    parts = ("macro_precision", "macro_recall")
    vague = any(h in table.unspecified for h, c in table.columns.items() if c.name in parts)
    return ReportedTable(
        where, table.columns, rows, table.unused, caption, tuple(notes), vague, table.over_items
    )


def _row(spot: str, i: int, record: TidyRow, columns: Mapping[str, ReportedColumn]) -> ReportedRow:
    scores: dict[str, PrintedNumber] = {}
    counts: dict[str, int] = {}
    spreads: dict[str, str] = {}
    ends: dict[str, tuple[str, str]] = {}
    for header, text in record.cells.items():
        kind, cell = columns[header].kind, read_value(text)
        if kind in ("n", "support"):
            number = read_count(cell.text, f"{spot}, column {header}")
            if number == 0 and kind == "n":
                raise InputError(f"{spot}, column {header}: expected at least one item, got 0")
            if number is not None:
                counts[header] = number
        else:
            value = read_number(cell.text, f"{spot}, column {header}")
            if value is not None:
                scores[header] = value
                if cell.spread:
                    spreads[header] = cell.spread
                if cell.ends:
                    ends[header] = cell.ends
    return ReportedRow(record.name.strip() or f"row {i}", scores, counts, spreads, ends)


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
        counted = [h for h, c in source.columns.items() if c.kind == "correct"]
        self._hits = frozenset(counted)
        self._signed = frozenset(h for h, c in source.columns.items() if c.name in SIGNED_METRICS)
        self._large = {
            h
            for row in source.rows
            for h, w in row.scores.items()
            if w.large and h not in self._hits
        }
        others = {h for row in source.rows for h in row.scores} - self._large - self._hits
        self._fractions = len(others) > len(self._large)
        self.finest: dict[tuple[str, int], int] = {}
        for row in source.rows:
            for h, w in row.scores.items():
                key = (h, 100 if h in self._large else 1)
                self.finest[key] = max(self.finest.get(key, 0), w.decimals)

    def readings(self, row: ReportedRow) -> list[Units]:
        """The possible units of a row, the most natural first."""
        scores = {h: w for h, w in row.scores.items() if h not in self._hits}
        if not self._large:
            return [dict.fromkeys(row.scores, 1)]
        rules: list[Callable[[str], bool]] = [
            lambda h: True,
            lambda h: h not in self._signed,
            lambda h: False,
        ]
        if self._fractions:
            rules.reverse()
        rules.insert(0, lambda h: h in self._large)
        readings: list[Units] = []
        for rule in rules:
            units = {h: 100 if w.large or rule(h) else 1 for h, w in scores.items()}
            units |= {h: 1 for h in self._hits if h in row.scores}
            if units not in readings:
                readings.append(units)
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
    for header, ends in row.ends.items():
        value = row.scores[header]
        low, high = (read_number(end) for end in ends)
        if low is None or high is None or value.large != high.large:
            continue
        printed = value.range(1)
        if printed.high < low.range(1).low or printed.low > high.range(1).high:
            unit = Fraction(units[header])
            why = (
                f"it lies outside the interval printed beside it, {ends[0]} to {ends[1]}, "
                "unless that is of another number"
            )
            yield Conflict(header, Range(low.value / unit, high.value / unit), why)
