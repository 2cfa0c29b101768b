"""Files of labels: one a line, or columns of a CSV or TSV table; and written matrices."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.count.arrays import count_labels
from evenhand.errors import InputError, shown
from evenhand.table import Confusion

_SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}


def is_table_file(path: str) -> bool:
    """Whether the name says that the file has columns."""
    return Path(path).suffix.lower() in _SEPARATORS


def count_line_files(gold: str, pred: str, *, labels: list[str] | None = None) -> Confusion:
    """The table of two files with one label a line."""
    truth, guess = read_lines(gold), read_lines(pred)
    if len(truth) != len(guess):
        raise InputError(
            f"{gold} has {len(truth):,} labels and {pred} has {len(guess):,}: "
            "they must have one each for the same items"
        )
    return count_labels(truth, guess, labels=labels, names=(gold, pred))


def read_text(path: str) -> str:
    """A file's text; what cannot be read as such is an error with the reason."""
    try:
        raw = Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a directory, expected a file") from None
    except OSError as e:
        raise InputError(f"{path} cannot be read: {e.strerror}") from None
    if b"\0" in raw:
        raise InputError(f"{path} is a binary file, expected text")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        line = raw[: e.start].count(b"\n") + 1
        raise InputError(
            f"{path}, line {line}: expected UTF-8 text, got byte 0x{raw[e.start]:02x}"
        ) from None


def read_lines(path: str) -> list[str]:
    """One label a line, without surrounding spaces; an empty line is an error."""
    lines = [line.strip() for line in re.split(r"\r\n|\n|\r", read_text(path))]
    if lines and not lines[-1]:
        lines.pop()
    if not lines:
        raise InputError(f"{path} is empty, expected one label a line")
    if "" in lines:
        raise InputError(f"{path}, line {lines.index('') + 1}: expected a label, got an empty line")
    return lines


def read_table(path: str) -> Any:
    """A CSV or TSV file as a Polars frame of text: no types are guessed, empty means null."""
    import io

    import polars as pl

    text = read_text(path)
    separator = _SEPARATORS.get(Path(path).suffix.lower(), ",")
    if not text.strip():
        raise InputError(f"{path} is empty, expected a header and rows")
    try:
        return pl.read_csv(
            io.BytesIO(text.encode()), separator=separator, infer_schema=False, raise_if_empty=True
        )
    except pl.exceptions.PolarsError as e:
        reason = str(e).strip().splitlines()[0]
        raise InputError(f"{path} cannot be read as a table: {reason}") from None


def column_names(path: str) -> list[str]:
    """The header of a table file."""
    return list(read_table(path).columns)


def read_columns(path: str, labels: list[str], others: list[str]) -> Any:
    """A table file with the columns wanted; those of labels without spaces, empty ones null."""
    import polars as pl

    frame = read_table(path)
    absent = [c for c in [*labels, *others] if c not in frame.columns]
    if absent:
        raise InputError(
            f"{path} has columns {shown(frame.columns, 12)}, expected {shown(absent)} too"
        )
    if not len(frame):
        raise InputError(f"{path} has a header but no rows")
    return frame.with_columns(
        pl.col(c).str.strip_chars().replace("", None) for c in dict.fromkeys(labels)
    )


def count_columns(
    path: str,
    *,
    true: str,
    pred: str,
    weights: str | None = None,
    by: list[str] | None = None,
    labels: list[str] | None = None,
) -> Confusion:
    """The table of two columns of one file, or a stack of them, one for each value of ``by``."""
    frame = read_columns(path, [true, pred, *(by or [])], [weights] if weights else [])
    names = (f"{path}, column {true}", f"{path}, column {pred}")

    def count(part: Any) -> Confusion:
        w = None if weights is None else numbers_in(part[weights], path, weights)
        return count_labels(part[true], part[pred], labels=labels, weights=w, names=names)

    if not by:
        return count(frame)
    groups = frame.partition_by(by, maintain_order=True, as_dict=True)
    stacked = {(k[0] if len(by) == 1 else k): count(part) for k, part in groups.items()}
    return Confusion.stack(stacked)


def numbers_in(column: Any, path: str, name: str) -> Any:
    """A column of text as numbers; what is none is an error with its row."""
    import polars as pl

    numbers = column.str.strip_chars().cast(pl.Float64, strict=False)
    if numbers.null_count():
        at = int(np.flatnonzero(numbers.is_null().to_numpy())[0])
        raise InputError(
            f"{path}, column {name}, row {at + 1}: expected a number, got {column[at]!r}"
        )
    return numbers.to_numpy()


def read_matrix(source: str, *, labels: list[str] | None, rows: str) -> Confusion:
    """A matrix from text such as ``6 1 1; 1 5 2; 2 3 7``, or from a file of it.

    A file may carry the labels in its first row, and again in its first column.
    """
    where, text = "matrix", source
    if not re.fullmatch(r"[\d\s.,;eE+\[\]-]+", source) or Path(source).exists():
        where, text = source, read_text(source)
    lines = [_fields(line) for line in re.split(r"[;\n\r]+", text) if line.strip(" \t,[]")]
    if not lines:
        raise InputError(f"{where} is empty, expected rows of numbers")
    head = None
    if not all(map(_is_number, lines[0])):
        head, lines = lines[0], lines[1:]
        if lines and len(head) == len(lines[0]) and not _is_number(lines[0][0]):
            head = head[1:]
    names = [line[0] for line in lines if line and not _is_number(line[0])]
    if head is not None and len(names) == len(lines):
        lines = [line[1:] for line in lines]
        if names != head:
            raise InputError(
                f"{where}: rows and columns must name the same classes, "
                f"got {shown(names)} and {shown(head)}"
            )
    for i, line in enumerate(lines):
        for value in line:
            if not _is_number(value):
                raise InputError(f"{where}, row {i + 1}: expected a number, got {value!r}")
        if len(line) != len(lines):
            raise InputError(
                f"{where}, row {i + 1}: expected {len(lines)} numbers (the matrix has "
                f"{len(lines)} rows), got {len(line)}"
            )
    numbers = [[int(v) if re.fullmatch(r"\+?\d+", v) else float(v) for v in x] for x in lines]
    chosen = labels if labels is not None else head
    return Confusion.from_matrix(numbers, labels=chosen, rows=rows)  # type: ignore[arg-type]


def _fields(line: str) -> list[str]:
    line = line.strip().strip("[],").strip()
    mark = "\t" if "\t" in line else "," if "," in line else None
    return [f.strip().strip('"') for f in line.split(mark)]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
