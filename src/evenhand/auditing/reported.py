"""Reported: tables of reported scores from a document, a frame or rows, every value as written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from evenhand.auditing.columns import PER_CLASS, Column, column
from evenhand.auditing.headed import Asked
from evenhand.auditing.laid import Laid, Record
from evenhand.auditing.layouts import laid
from evenhand.auditing.printed import Printed, is_count, is_number, read_count, read_number
from evenhand.auditing.values import read_value
from evenhand.errors import InputError, Option, shown
from evenhand.files.printed.document import Document, as_table, printed, read_document
from evenhand.files.printed.table import PrintedTable
from evenhand.notes.audit import AverageUnsaid, SpreadsBeside, TableNotRead, WeightsAsSizes
from evenhand.notes.note import Note

_WITH_COMMA = re.compile(r"\d*,\d")
_THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3})+")


@dataclass(frozen=True)
class Row:
    """One system: its name, its scores as written, and its whole numbers, by header.

    ``spreads`` are what is printed after ± or in parentheses beside a score, ``ends`` the ends of
    an interval there.
    """

    name: str
    scores: Mapping[str, Printed]
    counts: Mapping[str, int]
    spreads: Mapping[str, str] = field(default_factory=dict)
    ends: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def text(self, header: str) -> str:
        """A score as printed, with what stands beside it."""
        spread = f" ± {self.spreads[header]}" if header in self.spreads else ""
        ends = f" [{', '.join(self.ends[header])}]" if header in self.ends else ""
        return f"{self.scores[header].text}{spread}{ends}"


@dataclass(frozen=True)
class Source:
    """A table of reported scores; ``unused`` are headers that mean nothing to an audit.

    ``vague``: its precision and recall do not say that they are macro averages. ``over_items``:
    it has averages over items too, as scores of several labels an item do.
    """

    where: str
    columns: Mapping[str, Column]
    rows: tuple[Row, ...]
    unused: tuple[str, ...]
    caption: str = ""
    notes: tuple[Note, ...] = ()
    vague: bool = False
    over_items: bool = False

    @cached_property
    def places(self) -> dict[tuple[str, str], str]:
        """The header of each kind of score and what it is of."""
        return {(c.kind, c.of): h for h, c in self.columns.items() if c.kind != "other"}

    @property
    def varies(self) -> bool:
        """Whether a spread is printed beside a score, as over runs."""
        return any(row.spreads for row in self.rows)


def read_source(data: Any, asked: Asked = Asked()) -> Source:  # noqa: B008
    """The one table of reported scores that there is."""
    if isinstance(data, Source):
        return data
    found = read_sources(data, asked)
    if len(found) > 1:
        raise InputError(
            f"{found[0].where} has {len(found)} tables: {shown([s.caption for s in found])}; "
            "audits takes all of them"
        )
    return found[0]


def read_sources(data: Any, asked: Asked = Asked()) -> list[Source]:  # noqa: B008
    """Every table of reported scores in a document, a data frame or a list of dictionaries.

    A document is a file, its text, or ``-`` for standard input. In one with several tables, those
    without scores are passed over, and those that cannot be read are noted.
    """
    document, place = _document(data)
    _refuse_unknown(document, asked)
    found: list[Source] = []
    wrong: list[tuple[str, InputError]] = []
    for i, table in enumerate(document.tables, 1):
        try:
            if table.unread:
                raise InputError(table.unread)
            for one in filter(_has_scores, laid(table, document.where, asked)):
                found.append(_source(document.where, one, place, len(found) + 1))
        except InputError as e:
            wrong.append((table.caption or f"table {i}", e))
    if not found:
        raise wrong[0][1] if wrong else _nothing(document)
    notes = tuple(TableNotRead(caption, str(e)) for caption, e in wrong)
    return [replace(found[0], notes=(*notes, *found[0].notes)), *found[1:]]


def _has_scores(table: Laid) -> bool:
    return any(c.kind in ("metric", "correct", *PER_CLASS) for c in table.columns.values())


def _document(data: Any) -> tuple[Document, str]:
    """The tables, and what their rows are called by number."""
    if isinstance(data, str | Path):
        if not str(data):
            raise InputError("a table to audit must be a file, got an empty name")
        return read_document(str(data)), ", line "
    if isinstance(data, Mapping):
        data = [data] if not any(isinstance(v, list | tuple) for v in data.values()) else data
    table = _rows(data) if isinstance(data, list | tuple) else _frame(data)
    return Document("the table", (table,)), ", row "


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


def _nothing(document: Document) -> InputError:
    """What to write where no score was recognised."""
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


def _refuse_unknown(document: Document, asked: Asked) -> None:
    """What is said of headings must be of headings that there are, and something an audit knows."""
    cells = {c.strip().casefold() for t in document.tables for row in t.rows for c in row if c}
    for heading in asked.meanings:
        words = heading.strip().casefold()
        if not any(words == c or words.startswith(f"{c} ") for c in cells):
            raise InputError(
                f"{document.where} has no heading {heading!r}, which is one in ", Option("meanings")
            )
    for means in (*asked.meanings.values(), *asked.columns):
        if means.strip() not in ("", "-") and column(means).kind == "other":
            raise InputError(
                f"{means!r} is nothing that an audit knows, expected name, n, macro_f1, accuracy, "
                "precision[LABEL] or the like, or - for what is not to be used"
            )


def _weights(table: Laid) -> tuple[str, ...]:
    """The columns of sizes, where those of classes are no whole numbers but sums of weights."""
    sizes = {h: c.kind for h, c in table.columns.items() if c.kind in ("n", "support")}
    of_classes = [h for h, kind in sizes.items() if kind == "support"]
    cells = [read_value(r.cells.get(h, "")).text for r in table.records for h in of_classes]
    return tuple(sizes) if any(is_number(c) and not is_count(c) for c in cells) else ()


def _by_dots(table: Laid) -> Laid:
    """The same with whole thousands not parted by dots, as where decimals have a comma."""
    counts = {h for h, c in table.columns.items() if c.kind in ("n", "support")}
    scores = [c.strip() for r in table.records for h, c in r.cells.items() if h not in counts]
    if not any(map(_WITH_COMMA.match, scores)) or any("." in c for c in scores):
        return table
    records = tuple(
        replace(
            r,
            cells={
                h: c.replace(".", "") if h in counts and _THOUSANDS.fullmatch(c.strip()) else c
                for h, c in r.cells.items()
            },
        )
        for r in table.records
    )
    return replace(table, records=records)


def _source(where: str, table: Laid, place: str, number: int) -> Source:
    table = _by_dots(table)
    weights = _weights(table)
    if weights:
        kept = {h: c for h, c in table.columns.items() if h not in weights}
        records = tuple(
            replace(r, cells={h: c for h, c in r.cells.items() if h in kept}) for r in table.records
        )
        table = replace(table, columns=kept, records=records)
    rows = tuple(
        _row(f"{where}{place}{record.line}", i, record, table.columns)
        for i, record in enumerate(table.records, 1)
    )
    if not rows:
        raise InputError(f"{where} has a header but no rows, expected one for each system")
    if not any(row.scores for row in rows):
        raise InputError(f"{where} has no number under {shown(table.columns)}, expected scores")
    notes: list[Note] = [WeightsAsSizes(weights)] if weights else []
    if table.unsaid:
        notes.append(AverageUnsaid(table.unsaid, table.taken))
    beside = tuple(dict.fromkeys(h for row in rows for h in row.spreads))
    if beside:
        notes.append(SpreadsBeside(beside))
    caption = table.caption or f"table {number}"
    parts = ("macro_precision", "macro_recall")
    vague = any(h in table.unsaid for h, c in table.columns.items() if c.of in parts)
    return Source(
        where, table.columns, rows, table.unused, caption, tuple(notes), vague, table.over_items
    )


def _row(spot: str, i: int, record: Record, columns: Mapping[str, Column]) -> Row:
    scores: dict[str, Printed] = {}
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
    return Row(record.name.strip() or f"row {i}", scores, counts, spreads, ends)


def without_spreads(notes: tuple[Note, ...]) -> tuple[Note, ...]:
    """The notes for those who have said how many runs there were."""
    return tuple(note for note in notes if not isinstance(note, SpreadsBeside))
