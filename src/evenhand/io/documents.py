"""Tables of documents, and confusion tables printed by other programs."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, islice, product
from typing import Any, Literal

import numpy as np

from evenhand.data.confusion import Confusion
from evenhand.data.labels import is_null
from evenhand.errors import InputError, shown
from evenhand.io.delimited import SIZE, blocks, read_text, rows_of
from evenhand.io.items import explained
from evenhand.io.markup import is_latex, read_html, read_latex, read_markdown
from evenhand.io.printed_tables import Cell, PrintedTable, laid_out, one_line, read_aligned
from evenhand.io.sources import Source, bare_suffix, opened
from evenhand.io.tabular import first_rows, sheets
from evenhand.warnings import PositiveClass

# Print-outs: what R's caret prints of a confusion matrix.

TITLE = "Confusion Matrix and Statistics"
_OVERALL = {
    "accuracy": "accuracy", "kappa": "kappa", "balanced accuracy": "balanced_accuracy",
}  # fmt: skip
_BY_CLASS = {
    "sensitivity": "recall", "recall": "recall", "pos pred value": "precision",
    "precision": "precision", "f1": "f1",
}  # fmt: skip
_OTHER_CLASS = {"specificity": "recall", "neg pred value": "precision"}
"""What caret calls the scores of a class, and those of the other class of two."""
_START = re.compile(rf"^[ \t]*{TITLE}[ \t]*$", re.MULTILINE)
_QUOTED = re.compile(r"^[ \t]*(?:##|#>|#|>|\*\*)(?:[ \t]|$)", re.MULTILINE)
"""What knitr, reprex and comments put before each line of output."""
_SCORES = re.compile(r"\s*(Overall Statistics|Accuracy\s*:)")
_SCORE = r"(?:[-\d.eE]+|NA|NaN)"
_BY_CLASS_ROW = re.compile(rf"\s*([A-Za-z][A-Za-z1 ]*?)\s{{2,}}({_SCORE}(?:\s+{_SCORE})*)\s*")
_TRUE = re.compile(r"(act|true|truth|gold|ref|obs|real|target|y_?true)", re.I)
_PREDICTED = re.compile(r"(pred|guess|estimate|classified|y_?pred|y_?hat)", re.I)


@dataclass(frozen=True)
class PrintOut:
    """A matrix with the scores that were printed beside it, by our names."""

    labels: tuple[str, ...]
    cells: tuple[tuple[int, ...], ...]
    rows: Literal["true", "pred"]
    line: int = 0
    scores: dict[str, str] = field(default_factory=dict)
    positive: str | None = None

    @property
    def table(self) -> PrintedTable:
        """The scores, the size of each class, the items and the hits, as one row."""
        row = {name: v for name, v in self.scores.items() if v not in ("NA", "NaN")}
        counts = np.array(self.cells if self.rows == "true" else [*zip(*self.cells, strict=True)])
        sizes = counts.sum(axis=1)
        row |= {f"support[{v}]": str(n) for v, n in zip(self.labels, sizes, strict=True)}
        row |= {"n": str(counts.sum()), "correct": str(counts.trace())}
        return PrintedTable((tuple(row), tuple(row.values())), "", (self.line, self.line), 1)


def read_printouts(text: str, where: str) -> list[PrintOut]:
    """Every print-out of caret in a text."""
    if TITLE not in text:
        return []
    plain = _QUOTED.sub("", text)
    starts = [match.start() for match in _START.finditer(plain)]
    return [
        _caret(plain[start:end].splitlines(), plain.count("\n", 0, start) + 1, where)
        for start, end in zip(starts, [*starts[1:], len(plain)], strict=True)
    ]


def _caret(lines: Sequence[str], line: int, where: str) -> PrintOut:
    """A print-out that begins with its title; with two classes the scores are of the positive."""
    start = next((i for i, text in enumerate(lines) if _SCORES.match(text)), len(lines))
    counts = [text for text in lines[1:start] if text.strip()]
    matrix = _caret_matrix(counts)
    if matrix is None:
        raise InputError(
            f"{where}, line {line}: expected a matrix of counts whose rows and columns have the "
            f"same names, got {shown([one_line(text) for text in counts])}"
        )
    named = re.search(r"'Positive' Class\s*:\s*(.*)", "\n".join(lines[start:]))
    positive = None if named is None else one_line(named[1])
    scores = _caret_scores(lines[start:], matrix.labels, positive)
    return replace(matrix, line=line, scores=scores, positive=positive)


def _caret_matrix(lines: Sequence[str]) -> PrintOut | None:
    """The matrix, which may be printed in several blocks of columns.

    A block is a line that says what columns are (none in a table without names), one of their
    names after what rows are, and the rows: as many as there are names in all blocks.
    """
    tokens = [text.split() for text in lines]
    for count, heads in product(range(1, len(lines) // 3 + 1), (2, 1)):
        size = len(lines) // count - heads
        if len(lines) % count == 0 and size > 1:
            blocks = [tokens[i : i + heads + size] for i in range(0, len(lines), heads + size)]
            for width in range(size, 0, -1):
                if matrix := _matrix_of_blocks(blocks, heads, width):
                    return matrix
    return None


def _matrix_of_blocks(blocks: list[list[list[str]]], heads: int, width: int) -> PrintOut | None:
    """The matrix of some blocks, the first of so many columns; none if names do not agree."""
    labels = [row[: max(len(row) - width, 0)] for row in blocks[0][heads:]]
    cells: list[list[str]] = [[] for _ in labels]
    down: list[str] = []
    for block in blocks:
        done, head = len(cells[0]), block[heads - 1]
        for values, label, row in zip(cells, labels, block[heads:], strict=True):
            if row[: len(label)] != label:
                return None
            values += row[len(label) :]
        names = list(chain(*labels[done : len(cells[0])]))
        down = head[: len(head) - len(names)]
        if not names or down + names != head:
            return None
    written = tuple(map(" ".join, labels))
    counts = all(v.isascii() and v.isdigit() for v in chain(*cells))
    square = {*map(len, cells)} == {len(labels)} == {len({*written} - {""})}
    turned = heads > 1 and _TRUE.match(" ".join(down)) and _PREDICTED.match(" ".join(blocks[0][0]))
    if not counts or not square:
        return None
    numbers = tuple(tuple(map(int, row)) for row in cells)
    return PrintOut(written, numbers, "true" if turned else "pred")


def _caret_scores(
    lines: Sequence[str], labels: Sequence[str], positive: str | None
) -> dict[str, str]:
    """The scores by our names: overall, and of the classes whose rows are whole."""
    scores: dict[str, str] = {}
    by_class: dict[str, list[str]] = {}
    of_two = {}
    if positive in labels and len(labels) == 2:
        (other,) = (v for v in labels if v != positive)
        of_two = {name: f"{ours}[{positive}]" for name, ours in _BY_CLASS.items()}
        of_two |= {name: f"{ours}[{other}]" for name, ours in _OTHER_CLASS.items()}
    for text in lines:
        name, colon, rest = text.partition(" : ")
        ours = (_OVERALL | of_two).get(name.strip().lower())
        if colon and ours and rest.split():
            scores.setdefault(ours, rest.split()[0])  # what follows is a remark
        elif not colon and (row := _BY_CLASS_ROW.fullmatch(text)):
            by_class.setdefault(row[1].lower(), []).extend(row[2].split())
    for name, values in by_class.items():
        if name in _BY_CLASS and len(values) == len(labels):
            for label, value in zip(labels, values, strict=True):
                scores.setdefault(f"{_BY_CLASS[name]}[{label}]", value)
    return scores


_HEADINGS = ["precision", "recall", "f1-score", "support"]


def is_report(head: str) -> bool:
    """Whether a text begins as scikit-learn's report does, printed or as CSV of its frame."""
    lines = (line.strip() for line in head.splitlines() if line.strip())
    first, *others = [re.split(r"[\s,;]+", line) for line in islice(lines, 5)] or [[]]
    return first[-4:] == _HEADINGS or [row[0] for row in others] == _HEADINGS


LARGEST = 1 << 24
"""Bytes that a print-out may have."""


def counted(source: Source) -> Confusion | None:
    """The table of a print-out; ``None`` for every other text. Scores alone are refused."""
    head, name = source.head.decode("utf-8", "replace"), source.name
    if is_report(head):
        raise InputError(
            f"{name} is a report of scores, which tables of several counts may have: give the "
            "labels or the matrix; audit reads it as it is"
        )
    if TITLE not in head:
        return None
    text = b"".join(b.text for b in islice(blocks(source.paths[0], name), LARGEST // SIZE)).decode()
    printouts = read_printouts(text, name)
    if len(printouts) > 1:
        raise InputError(f"{name} has {len(printouts)} confusion matrices, expected one")
    if not printouts:
        return None
    (one,) = printouts
    table = Confusion.from_matrix(one.cells, labels=list(one.labels), rows=one.rows)
    positive = (PositiveClass(one.positive),) if one.positive in one.labels else ()
    return replace(table, notes=(*table.notes, *positive))


# Documents: the tables of a file, a stream or a text, whatever they are written in.

DOCUMENT_LARGEST = 20_000_000
"""Characters of a document: what is larger is no paper."""

_READERS = {
    ".tex": read_latex, ".ltx": read_latex, ".latex": read_latex, ".md": read_markdown,
    ".markdown": read_markdown, ".html": read_html, ".htm": read_html, ".xhtml": read_html,
}  # fmt: skip
_TYPED_FORMATS = ("parquet", "arrow", "json", "ndjson")
_JSON = (".json", ".jsonl", ".ndjson")


@dataclass(frozen=True)
class PrintedDocument:
    """The tables of a document, and what it is called."""

    where: str
    tables: tuple[PrintedTable, ...]


def read_document(name: str) -> PrintedDocument:
    """The tables of a file, of standard input (``-``), or of a text of several lines."""
    if "\n" in name:
        return PrintedDocument("the text", tuple(tables_of(name, "the text")))
    with opened(name) as source, explained(source):
        braces = source.is_json and bare_suffix(source.name) not in _JSON  # which LaTeX has too
        if source.kind == "excel":
            tables = _sheets(source)
        elif source.kind in _TYPED_FORMATS and not braces:
            tables = [as_table(source.frame.collect())]
        else:
            tables = tables_of(read_text(source.paths[0], source.name), source.name)
        return PrintedDocument(source.name, tuple(tables))


def tables_of(text: str, where: str) -> list[PrintedTable]:
    """The tables of a text: as the ending of its name says, or as it looks."""
    if not text.strip():
        raise InputError(f"{where} is empty, expected a header and a row for each system")
    suffix = bare_suffix(where)
    if suffix in (".csv", ".tsv", ".tab"):
        first = text.lstrip("\r\n").splitlines()[0]
        return [_delimited(text, where, max(",;\t", key=first.count))]
    if len(text) > DOCUMENT_LARGEST:
        raise InputError(
            f"{where}: expected at most {DOCUMENT_LARGEST:,} characters, got {len(text):,}"
        )
    printouts = [one.table for one in read_printouts(text, where)]
    if suffix in _READERS:
        return [*printouts, *_READERS[suffix](text, where)]
    if printouts:
        return printouts
    if is_latex(text):
        return read_latex(text, where)
    if re.search(r"<(table|!doctype html|html)\b", text, re.I) and "|--" not in text:
        return read_html(text, where)
    if tables := read_markdown(text, where):
        return tables
    if mark := _delimiter(text):
        return [_delimited(text, where, mark)]
    return read_markdown(text, where, ruled=False) or read_aligned(text, where)


def _delimiter(text: str) -> str | None:
    """What separates as many fields in every line, if anything does."""
    lines = [line for line in text.splitlines() if line.strip()][:200]
    for mark in "\t;,":
        with suppress(csv.Error):  # a field longer than any table has
            counts = {len(row) for row in csv.reader(lines, delimiter=mark, skipinitialspace=True)}
            if len(lines) > 1 and len(counts) == 1 and counts.pop() > 1:
                return mark
    return None


def _delimited(text: str, where: str, mark: str) -> PrintedTable:
    parts = rows_of(text, where, delimiter=mark, skipinitialspace=True)
    lines, rows = zip(*parts, strict=True)
    width = len(rows[0])
    for line, row in zip(lines, rows, strict=True):
        if len(row) != width:
            fields = f"expected {width} fields as in the header, got {len(row)}"
            raise InputError(f"{where}, line {line}: {fields}")
    return PrintedTable(tuple(map(tuple, rows)), "", lines)


def _sheets(source: Source) -> list[PrintedTable]:
    """Every sheet that has something in it, or the one that was chosen."""
    names = sheets(source.paths[0], source.name)
    tables = []
    for name in names if source.sheet is None else [source.sheet]:
        rows = [tuple(row) for row in first_rows(source.paths[0], source.name, name, None)]
        caption = name if len(names) > 1 else ""
        while rows and sum(map(bool, rows[0])) == 1 and len(rows) > 1:  # a title above the table
            caption, rows = next(filter(None, rows[0])), rows[1:]
        cells = [(i, list(map(Cell, row))) for i, row in enumerate(rows, 1)]
        tables.append(laid_out(cells, source.name, caption=caption))
    return [table for table in tables if table.rows]


def as_table(frame: Any) -> PrintedTable:
    """A data frame, its values as they are printed."""
    import narwhals as nw

    eager = nw.from_native(frame, eager_only=True)
    columns = []
    for name in eager.columns:
        values = eager[name].to_list()
        if eager[name].dtype == nw.Float32:
            values = [v if is_null(v) else str(np.float32(v)) for v in values]
        columns.append([printed(v) for v in values])
    rows = (tuple(str(c) for c in eager.columns), *zip(*columns, strict=True))
    return PrintedTable(rows, "", tuple(range(len(rows))), 1)


def printed(value: Any) -> str:
    """A value as text, with all the digits that it has; nothing for what is missing."""
    if isinstance(value, dict | list):
        raise InputError(
            "a cell of a table must be a number or text, got several in one: a report of classes "
            "is read as it is printed, not as nested objects"
        )
    if is_null(value):
        return ""
    return repr(value) if isinstance(value, float) else str(value)
