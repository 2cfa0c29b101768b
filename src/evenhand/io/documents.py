"""Tables of documents, and confusion tables printed by other programs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, Literal

import numpy as np

from evenhand.data.confusion import Confusion
from evenhand.data.labels import is_null
from evenhand.errors import InputError, shown
from evenhand.io.delimited import blocks
from evenhand.io.items import explained
from evenhand.io.markup import is_latex, read_html, read_latex, read_markdown
from evenhand.io.printed_tables import (
    PrintedTable,
    is_report,
    one_line,
    read_aligned,
    recovered,
    without_blank,
)
from evenhand.io.sources import Source, bare_suffix, opened
from evenhand.io.tabular import read_cells, sheets
from evenhand.warnings import CountsRecovered, ResultWarning

BY_CLASS = {
    "sensitivity": "recall", "recall": "recall", "pos pred value": "precision",
    "precision": "precision", "f1": "f1", "tpr": "recall", "ppv": "precision",
}  # fmt: skip
"""What tools call the scores of a class."""

_NOTHING = ("NA", "NaN", "None")


@dataclass(frozen=True)
class PrintOut:
    """A matrix with the scores that were printed beside it, by our names.

    Where only scores are printed, ``cells`` is empty, and ``margins`` are hits and items of each
    class, if these are.
    """

    labels: tuple[str, ...]
    cells: tuple[tuple[int, ...], ...]
    rows: Literal["true", "pred"]
    line: int
    scores: dict[str, str] = field(default_factory=dict)
    margins: tuple[tuple[int, int], ...] = ()

    @property
    def sizes(self) -> list[int]:
        """The items of each class."""
        if not self.cells:
            return [size for _, size in self.margins]
        turned = self.cells if self.rows == "true" else zip(*self.cells, strict=True)
        return [sum(c) for c in turned]

    @property
    def hits(self) -> int:
        """The items that are right."""
        if not self.cells:
            return sum(hits for hits, _ in self.margins)
        return sum(row[i] for i, row in enumerate(self.cells))

    @property
    def table(self) -> PrintedTable:
        """The scores, the size of each class, the items and the hits, as one row."""
        row = {name: value for name, value in self.scores.items() if value not in _NOTHING}
        sizes = self.sizes
        if sizes:
            row |= {f"support[{v}]": str(n) for v, n in zip(self.labels, sizes, strict=True)}
            row["n"] = str(sum(sizes))
            row["correct"] = str(self.hits)
        return PrintedTable((tuple(row), tuple(row.values())), "", (self.line, self.line), 1)


def of_classes(by_name: Mapping[str, Sequence[str]], labels: Sequence[str]) -> dict[str, str]:
    """The scores of classes whose row is whole, each kind once."""
    scores: dict[str, str] = {}
    for name, values in by_name.items():
        if name in BY_CLASS and len(values) == len(labels):
            for label, value in zip(labels, values, strict=True):
                scores.setdefault(f"{BY_CLASS[name]}[{label}]", value)
    return scores


# PyCM: what it prints of a confusion matrix or of its statistics alone.

_OVERALL = {
    "kappa": "kappa", "overall acc": "accuracy", "overall mcc": "mcc", "f1 macro": "macro_f1",
    "f1 micro": "micro_f1", "ppv macro": "macro_precision", "ppv micro": "micro_precision",
    "tpr macro": "macro_recall", "tpr micro": "micro_recall",
}  # fmt: skip
_COUNTS = ("tp", "p")
"""Hits and items of a class."""


def read_pycm(lines: Sequence[str], line: int, where: str) -> PrintOut:
    """A matrix with or without statistics, which begin with a title that ends in a colon."""
    end = next((i for i, text in enumerate(lines) if text.rstrip().endswith(" :")), len(lines))
    labels, cells = _matrix([text for text in lines[2:end] if text.strip()], line, where)
    scores, by_class = _statistics(lines[end:], len(labels))
    return PrintOut(labels, cells, "true", line, scores | of_classes(by_class, labels))


def read_statistics(lines: Sequence[str], line: int, where: str) -> PrintOut:
    """Statistics alone, whose classes are named in a line of their own."""
    named = next((text for text in lines if re.match(r"\s*Classes\s{2,}", text)), "")
    labels = tuple(re.split(r"\s{2,}", named.strip())[1:])
    if not labels:
        raise InputError(f"{where}, line {line}: expected a line 'Classes' with their names")
    scores, by_class = _statistics(lines, len(labels))
    counts = [by_class.get(name, ()) for name in _COUNTS]
    listed = all(len(c) == len(labels) and all(v.isdigit() for v in c) for c in counts)
    margins = [(int(h), int(s)) for h, s in zip(*counts, strict=True)] if listed else []
    return PrintOut(labels, (), "true", line, scores | of_classes(by_class, labels), tuple(margins))


def _statistics(
    lines: Sequence[str], classes: int
) -> tuple[dict[str, str], Mapping[str, list[str]]]:
    """Overall scores by our names, and what is printed of each class by PyCM's."""
    scores: dict[str, str] = {}
    by_class: dict[str, list[str]] = {}
    for text in lines:
        name, *values = re.split(r"\s{2,}", text.strip())
        if len(values) == 1 and name.lower() in _OVERALL:
            scores[_OVERALL[name.lower()]] = values[0]
        elif len(values) == classes and "(" in name:
            by_class[name.partition("(")[0].lower()] = values
    return scores, by_class


def _matrix(
    lines: Sequence[str], line: int, where: str
) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...]]:
    size = len(lines)
    cells, labels = [], []
    for text in lines:
        words = text.split()
        numbers = words[-size:]
        if len(words) <= size or not all(n.isdigit() for n in numbers):
            raise InputError(
                f"{where}, line {line}: expected a row of {size} counts after its label, "
                f"got {shown([one_line(text)])}"
            )
        cells.append(tuple(map(int, numbers)))
        labels.append(re.sub(rf"(?:\s+\S+){{{size}}}\s*$", "", text).strip())
    if size < 2 or len(set(labels)) != size:
        raise InputError(
            f"{where}, line {line}: expected a square matrix whose rows have names of their own, "
            f"got {size} rows: {shown(labels)}"
        )
    return tuple(labels), tuple(cells)


# Caret: what R's ``confusionMatrix`` prints, the counts and the scores.

_CARET_OVERALL = {
    "accuracy": "accuracy", "kappa": "kappa", "balanced accuracy": "balanced_accuracy",
}  # fmt: skip
_OTHER_CLASS = {"specificity": "recall", "neg pred value": "precision"}
_SCORES = re.compile(r"\s*(Overall Statistics|Accuracy\s*:)")
_SCORE = r"(?:[-\d.eE]+|NA|NaN)"
_BY_CLASS_ROW = re.compile(rf"\s*([A-Za-z][A-Za-z1 ]*?)\s{{2,}}({_SCORE}(?:\s+{_SCORE})*)\s*")
_TRUE = re.compile(r"(act|true|truth|gold|ref|obs|real|target|y_?true)", re.I)
_PREDICTED = re.compile(r"(pred|guess|estimate|classified|y_?pred|y_?hat)", re.I)


@dataclass(frozen=True)
class _Matrix:
    """Labels, cells, and what the rows and the columns are called."""

    labels: tuple[str, ...]
    cells: tuple[tuple[int, ...], ...]
    down: str
    across: str

    @property
    def rows(self) -> Literal["true", "pred"]:
        """Rows are predictions, unless the names of both say the contrary."""
        turned = _TRUE.match(self.down) and _PREDICTED.match(self.across)
        return "true" if turned else "pred"


def read_caret(lines: Sequence[str], line: int, where: str) -> PrintOut:
    """A print-out that begins with its title; with two classes the scores are of the positive."""
    start = next((i for i, text in enumerate(lines) if _SCORES.match(text)), len(lines))
    counts = [text for text in lines[1:start] if text.strip()]
    matrix = _caret_matrix(counts)
    if matrix is None:
        raise InputError(
            f"{where}, line {line}: expected a matrix of counts whose rows and columns have the "
            f"same names, got {shown([one_line(text) for text in counts])}"
        )
    scores = _scores(lines[start:], matrix.labels)
    return PrintOut(matrix.labels, matrix.cells, matrix.rows, line, scores)


def _caret_matrix(lines: Sequence[str]) -> _Matrix | None:
    """The matrix, which may be printed in several blocks of columns.

    A block is a line that says what columns are (none in a table without names), one of their
    names after what rows are, and the rows: as many as there are names in all blocks.
    """
    tokens = [text.split() for text in lines]
    for count in range(1, len(lines) // 3 + 1):
        for heads in (2, 1):
            size = len(lines) // count - heads
            if len(lines) % count or size < 2:
                continue
            blocks = [tokens[i : i + heads + size] for i in range(0, len(lines), heads + size)]
            for width in range(size, 0, -1) if count > 1 else [size]:
                if matrix := _of_blocks(blocks, heads, width):
                    return matrix
    return None


def _of_blocks(blocks: list[list[list[str]]], heads: int, width: int) -> _Matrix | None:
    """The matrix of some blocks, the first of so many columns; none if names do not agree."""
    labels = [row[: max(len(row) - width, 0)] for row in blocks[0][heads:]]
    cells: list[list[str]] = [[] for _ in labels]
    down: list[str] = []
    for block in blocks:
        rows = block[heads:]
        ends = {len(row) - len(label) for row, label in zip(rows, labels, strict=True)}
        first = len(cells[0])
        (many,) = ends if len(ends) == 1 else (0,)
        names = list(chain.from_iterable(labels[first : first + many]))
        head = block[heads - 1]
        if many < 1 or not names or head[len(head) - len(names) :] != names:
            return None
        if any(row[: len(label)] != label for row, label in zip(rows, labels, strict=True)):
            return None
        down = head[: len(head) - len(names)]
        for row, label, values in zip(rows, labels, cells, strict=True):
            values += row[len(label) :]
    flat = list(chain.from_iterable(cells))
    written = [" ".join(label) for label in labels]
    if len(cells[0]) != len(labels) or not all(v.isascii() and v.isdigit() for v in flat):
        return None
    if not all(written) or len(set(written)) != len(written):
        return None
    across = " ".join(blocks[0][0]) if heads > 1 else ""
    counts = tuple(tuple(map(int, row)) for row in cells)
    return _Matrix(tuple(written), counts, " ".join(down), across)


def _scores(lines: Sequence[str], labels: Sequence[str]) -> dict[str, str]:
    scores: dict[str, str] = {}
    match = re.search(r"'Positive' Class\s*:\s*(.*)", "\n".join(lines))
    positive = None if match is None else " ".join(match[1].split())
    by_class: dict[str, list[str]] = {}
    for text in lines:
        name, colon, value = (part.strip() for part in text.partition(" : "))
        name, value = name.lower(), " ".join(value.split()[:1])  # what follows is a remark
        row = None if colon else _BY_CLASS_ROW.fullmatch(text)
        if colon and name in _CARET_OVERALL:
            scores.setdefault(_CARET_OVERALL[name], value)
        elif colon and positive in labels and len(labels) == 2:
            (other,) = (v for v in labels if v != positive)
            for parts, label in ((BY_CLASS, positive), (_OTHER_CLASS, other)):
                if name in parts:
                    scores.setdefault(f"{parts[name]}[{label}]", value)
        elif row is not None:
            by_class.setdefault(row[1].lower(), []).extend(row[2].split())
    return scores | of_classes(by_class, labels)


# Print-outs: what PyCM and R's caret print of a confusion matrix, found in a text.

TITLES = ("Confusion Matrix and Statistics", "Overall Statistics :", "Actual")
"""One of these is in every print-out."""

_START = re.compile(
    r"^[ \t]*(?:(?P<caret>Confusion Matrix and Statistics)[ \t]*$"
    r"|(?P<pycm>Predict[ \t]+\S.*\n[ \t]*Actual[ \t]*$)"
    r"|(?P<statistics>Overall Statistics :)[ \t]*$)",
    re.MULTILINE,
)
_QUOTED = re.compile(r"^[ \t]*(?:##|#>|#|>|\*\*)(?:[ \t]|$)", re.MULTILINE)
"""What knitr, reprex and comments put before each line of output."""


def read_printouts(text: str, where: str) -> list[PrintOut]:
    """Every print-out of the text, if it has any."""
    if not any(title in text for title in TITLES):
        return []
    plain = _QUOTED.sub("", text.replace("\r\n", "\n"))
    starts: list[tuple[int, str]] = []
    for match in _START.finditer(plain):
        kind = match.lastgroup or ""
        if kind == "pycm" and not _is_matrix(plain, match):
            continue
        last = starts[-1][1] if starts else ""
        if kind == "statistics" and last == "pycm":
            starts[-1] = (starts[-1][0], "both")
        elif not (kind == "pycm" and last == "pycm" and _is_normalized(plain, match.start())):
            starts.append((match.start(), kind))
    ends = [*(start for start, _ in starts), len(plain)][1:]
    result = []
    for (start, kind), end in zip(starts, ends, strict=True):
        line = plain.count("\n", 0, start) + 1
        read = {"caret": read_caret, "statistics": read_statistics}.get(kind, read_pycm)
        result.append(read(plain[start:end].splitlines(), line, where))
    return result


def _is_matrix(text: str, match: re.Match[str]) -> bool:
    """Whether names stand apart in columns, and a row of numbers follows; else it is prose."""
    row = re.compile(r"\s*(.*)").match(text, match.end())
    return "  " in match[0] and row is not None and row[1].rstrip()[-1:].isdigit()


def _is_normalized(text: str, start: int) -> bool:
    return text[max(start - 80, 0) : start].rstrip().endswith("Normalized Matrix :")


# Counted: what PyCM, caret or scikit-learn have printed, as the table that it was made from.

HEAD, LARGEST = 1 << 16, 1 << 24
"""Bytes by which a print-out is known, and bytes that one may have."""


def counted(path: str, name: str) -> tuple[Confusion, tuple[ResultWarning, ...]] | None:
    """The table of a print-out, and how it was found; ``None`` for every other text."""
    pieces = blocks(path, name, HEAD)
    head = next((block.text for block in pieces), b"")
    if not (is_report(head.decode()) or any(title.encode() in head for title in TITLES)):
        return None
    text = b"".join(chain([head], (b.text for b in islice(pieces, LARGEST // HEAD)))).decode()
    if is_report(text):
        labels, cells = recovered(text, name)
        return Confusion.from_matrix(cells, labels=labels), (CountsRecovered(name),)
    printouts = read_printouts(text, name)
    if len(printouts) > 1:
        raise InputError(f"{name} has {len(printouts)} confusion matrices, expected one")
    if not printouts:
        return None
    one = printouts[0]
    if not one.cells:
        raise InputError(f"{name}: expected a matrix, which PyCM prints with print(cm)")
    return Confusion.from_matrix(one.cells, labels=list(one.labels), rows=one.rows), ()


# Documents: the tables of a file, a stream or a text, whatever they are written in.

DOCUMENT_LARGEST = 20_000_000
"""Characters of a document: what is larger is no paper."""

_READERS = {
    ".tex": read_latex, ".ltx": read_latex, ".latex": read_latex, ".md": read_markdown,
    ".markdown": read_markdown, ".html": read_html, ".htm": read_html, ".xhtml": read_html,
}  # fmt: skip
_TYPED = ("parquet", "arrow", "json", "ndjson")
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
        if source.kind == "excel":
            return PrintedDocument(source.name, tuple(_sheets(source)))
        braces = source.is_json and bare_suffix(source.name) not in _JSON  # which LaTeX has too
        if source.kind in _TYPED and not braces:
            return PrintedDocument(source.name, (as_table(source.frame.collect()),))
        text = b"".join(b.text for b in blocks(source.paths[0], source.name)).decode()
        return PrintedDocument(source.name, tuple(tables_of(text, source.name)))


def tables_of(text: str, where: str) -> list[PrintedTable]:
    """The tables of a text: as the ending of its name says, or as it looks."""
    if not text.strip():
        raise InputError(f"{where} is empty, expected a header and a row for each system")
    suffix = bare_suffix(where)
    if suffix in (".csv", ".tsv", ".tab"):
        return [_delimited(text, where, "\t" if suffix != ".csv" else _mark_of(text))]
    if len(text) > DOCUMENT_LARGEST:
        raise InputError(
            f"{where}: expected at most {DOCUMENT_LARGEST:,} characters, got {len(text):,}"
        )
    printouts = [one.table for one in read_printouts(text, where)]
    if suffix in _READERS:
        return [*printouts, *without_blank(_READERS[suffix](text, where))]
    if printouts:
        return printouts
    if is_latex(text):
        return without_blank(read_latex(text, where))
    if re.search(r"<(table|!doctype html|html)\b", text, re.I) and "|--" not in text:
        return without_blank(read_html(text, where))
    if tables := without_blank(read_markdown(text, where)):
        return tables
    mark = _delimiter(text)
    if mark is not None:
        return [_delimited(text, where, mark)]
    return without_blank(read_aligned(text, where))


def _mark_of(text: str) -> str:
    first = text.lstrip("\r\n").splitlines()[0]
    return max(",;\t", key=first.count)


def _delimiter(text: str) -> str | None:
    """What separates as many fields in every line, if anything does."""
    lines = [line for line in text.splitlines() if line.strip()][:200]
    for mark in "\t;,":
        try:
            counts = {len(row) for row in csv.reader(lines, delimiter=mark, skipinitialspace=True)}
        except csv.Error:  # a field longer than any table has
            return None
        if len(counts) == 1 and counts.pop() > 1 and len(lines) > 1:
            return mark
    return None


def _delimited(text: str, where: str, mark: str) -> PrintedTable:
    reader = csv.reader(io.StringIO(text), delimiter=mark, skipinitialspace=True)
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
    try:
        for row in reader:
            if not rows and not row:
                continue
            if rows and row and len(row) != len(rows[0]):
                raise InputError(
                    f"{where}, line {reader.line_num}: expected {len(rows[0])} fields as in the "
                    f"header, got {len(row)}"
                )
            if row:
                rows.append(tuple(field.strip() for field in row))
                lines.append(reader.line_num)
    except csv.Error as e:
        raise InputError(f"{where} cannot be read as a table: {e}") from None
    return PrintedTable(tuple(rows), "", tuple(lines), None)


def _sheets(source: Source) -> list[PrintedTable]:
    """Every sheet that has something in it, or the one that was chosen."""
    names = sheets(source.paths[0], source.name)
    tables = []
    for name in names if source.part is None else [source.part]:
        rows = read_cells(source.paths[0], source.name, name)
        caption = name if len(names) > 1 else ""
        while rows and sum(map(bool, rows[0])) == 1 and len(rows) > 1:  # a title above the table
            caption, rows = next(filter(None, rows[0])), rows[1:]
        lines = tuple(range(1, len(rows) + 1))
        tables.append(PrintedTable(tuple(rows), caption, lines))
    return without_blank(tables)


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
