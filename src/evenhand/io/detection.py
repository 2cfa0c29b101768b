"""The layout of a file, as the file itself shows it."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, starmap
from typing import TypeAlias

from evenhand.errors import InputError, shown
from evenhand.io.delimited import (
    csv_reader,
    form,
)
from evenhand.warnings import DELIMITERS

Rows: TypeAlias = list[list[str]]
FIRST = 1000
"""Rows that are looked at."""
HEADING = re.compile(
    r"((.*[_ .-])?(id|ids|idx|guid|uuid|key)|index|nr|no|qid|(doc|item|tweet|question|text|user)id"
    r"|item|question|prompt|patient|(gold|true|predicted|model|human)?[_ .-]?(labels?|class"
    r"|category|target|answers?)|gold|truth|y_true|y_pred|y|(.*[_ .-])?pred(s|icted|ictions?)?"
    r"|output|choice|response|guess|hypothesis|reference|expected|model|system|run|epoch|sample|fold|seed"
    r"|text|tweet|sentence|comment|content|title|document|weights?|score|confidence|prob(ability)?"
    r"|author|user|lang(uage)?|annotator|cluster|group)",
    re.IGNORECASE,
)
"""What people call the columns of such files."""
LABEL_HEADING = re.compile(
    r"((gold|true|predicted)?[_ .-]?labels?|gold|truth|target|class|category|y_true|y_pred"
    r"|pred(s|icted|ictions?)?)",
    re.IGNORECASE,
)
"""What people write above labels, one per line."""
_NUMBER = re.compile(r"[-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?")
_NOTHING = {"", "na", "n/a", "nan", "null", "none", "-", "?"}


@dataclass(frozen=True)
class Preview:
    """The first rows of a file: the names of its columns, and the values in them."""

    names: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()

    @classmethod
    def from_rows(cls, rows: Rows, header: bool | None) -> Preview:
        """That of rows, of which the first may be a header."""
        names = frozenset(rows[0]) if header and rows else frozenset[str]()
        values = (field for row in rows[1 if header else 0 :] for field in row)
        return cls(names, frozenset(values) - {""})


NOTHING = Preview()


def guess_encoding(head: bytes) -> str | None:
    """The encoding of text that is not in UTF-8 and has no mark, if its first bytes show it."""
    if b"\0" in head:
        for encoding, zeros in (("utf-16-le", 1), ("utf-16-be", 0)):
            if 4 * head[zeros::2].count(0) > len(head) and 0 not in head[1 - zeros :: 2]:
                text = head.decode(encoding, "ignore")
                return encoding if "\n" in text and _is_plain(text) else None
        return None
    if is_utf8(head):
        return None
    unmixed = head.decode("utf-8", "ignore").isascii() and not re.search(rb"[\xfe\xff]", head)
    return "cp1252" if unmixed and _is_plain(head.decode("cp1252", "replace")) else None


def is_utf8(head: bytes) -> bool:
    """Whether bytes are text in UTF-8, whose last character may be cut."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def _is_plain(text: str) -> bool:
    """Whether a text has no signs of control and none that could not be read."""
    return not re.search(r"[\x00-\x08\x0e-\x1f\x7f\ufffd]", text)


def rows_in(text: bytes, delimiter: str | None) -> Rows:
    """The first rows of a text, as far as they are complete; without a delimiter, lines."""
    if delimiter is None:
        return [[bare_field(line)] for line in text.decode("utf-8", "replace").splitlines()[:FIRST]]
    rows: Rows = []
    lines = text.decode("utf-8", "replace").splitlines(keepends=True)
    with suppress(csv.Error):
        for row in islice(csv_reader(lines, delimiter), FIRST):
            rows.append(list(map(bare_field, row)))
    return rows


def bare_field(field: str) -> str:
    """A field without the quotes around it."""
    return field.strip().removeprefix('"').removesuffix('"').strip()


def _is_table(rows: Rows) -> bool:
    """Whether all rows have as many fields as the first, and more than one."""
    width = len(rows[0]) if rows else 0
    return width > 1 and any(rows[0][1:]) and all(len(row) == width for row in rows if row)


def find_delimiter(text: bytes, usual: str, expected: str | None = None) -> str:
    """What separates the fields of a text: what is expected, or usual, where it makes columns."""
    delimiters = list(filter(None, dict.fromkeys((expected, usual, *DELIMITERS))))
    tables = {delimiter: rows_in(text, delimiter) for delimiter in delimiters}
    several = [d for d, rows in tables.items() if rows and len(rows[0]) > 1]
    return next((d for d in several if _is_table(tables[d])), [*several, *delimiters][0])


def evident_delimiter(head: bytes, expected: str | None) -> str | None:
    """What separates the fields of a text that nobody would take for one label per line."""
    for delimiter in filter(None, dict.fromkeys((expected, "\t", *DELIMITERS))):
        rows = [row for row in rows_in(head, delimiter) if row]
        if len(rows) > 1 and _is_table(rows) and (delimiter in (expected, "\t") or _has_ids(rows)):
            return delimiter
    return None


def _has_ids(rows: Rows) -> bool:
    """Whether columns have headings, or one has values all different and another has not."""
    if sum(bool(HEADING.fullmatch(field)) for field in rows[0]) > 1:
        return True
    distinct = [len(set(column)) == len(rows) for column in zip(*rows, strict=True)]
    return len(rows) > 3 and any(distinct) and not all(distinct)


def has_header(
    rows: Rows,
    name: str,
    expected: bool | None,
    names: Collection[str] = (),
    like: Preview = NOTHING,
) -> bool:
    """Whether the first row names the columns of the others.

    It does if it has ``names`` that the columns are known by. It is data if its values come again
    in their columns, continue their numbers or ids, or are values of the file it goes with.
    """
    first = rows[0]
    known = {name.casefold() for name in names if name == "0" or not name.isdecimal()}
    if expected is not False and known & {field.casefold() for field in first}:
        return True
    known |= {name.casefold() for name in like.names}
    rest = [row for row in rows[1:] if len(row) == len(first)]
    if len(first) > 1 and any(map(HEADING.fullmatch, first)):
        rest = [row for row in rest if row != first]  # the headers of files one after the other
    columns = list(zip(*rest, strict=True)) or [()] * len(first)
    pairs = list(zip(first, columns, strict=True))
    headings = [
        (field, column)
        for field, column in pairs
        if (HEADING.fullmatch(field) or field.casefold() in known) and field not in column
    ]
    _refuse_title(rows, name)
    if first[0] == "" != first[-1] and columns[0] and len({*columns[0], ""}) == len(columns[0]) + 1:
        return True  # above an index without a name, as pandas writes it
    if any(starmap(_is_above, headings)):
        return True
    if not any(_continues(field, column, like) for field, column in pairs):
        return bool(headings) or expected is not False or any(starmap(_is_above, pairs))
    if expected is None and headings:
        raise InputError(
            f"{name}: its first row ({shown(first)}) may be a header or data: say which with "
            f"{name}::header=yes or {name}::header=no"
        )
    return False


def _refuse_title(rows: Rows, name: str) -> None:
    """Refuse a first row above the one that names the columns."""
    first, second, *rest = [*rows[:2], [], []][:2] + rows[2:]
    heads = [field for field in second if HEADING.fullmatch(field)]
    below = {value for row in rest for value in row}
    fewer = sum(bool(HEADING.fullmatch(field)) for field in first) < len(heads)
    alone = len(first) > 2 and sum(map(bool, first)) == 1 and all(second)
    if alone or (len(heads) > 1 and len(rest) > 1 and fewer and below.isdisjoint(heads)):
        raise InputError(
            f"{name}: its second row ({shown(second)}) names the columns: take out what stands "
            "above it"
        )


def _is_above(field: str, column: Sequence[str]) -> bool:
    """Whether a field is a name without digits and all below it have some."""
    return bool(column) and not _has_digit(field) and all(map(_has_digit, column))


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _continues(field: str, column: Sequence[str], like: Preview) -> bool:
    """Whether a field is a value as those below it: one of them, a number, an id of their form."""
    if field.casefold() in _NOTHING:
        return False
    if field in column:
        return True
    if field in like.values - like.names and (not column or not like.values.isdisjoint(column)):
        return True
    if column and _NUMBER.fullmatch(field):
        values = [value for value in column if value.casefold() not in _NOTHING]
        numbers = bool(values) and all(map(_NUMBER.fullmatch, values))
        return numbers and ("." in field or any(value.isdigit() for value in values))
    shape = form(field)
    return bool(column) and "9" in shape and all(form(value) == shape for value in column)


def heads_lines(rows: Rows, like: Preview) -> bool:
    """Whether the first of some lines is what people write above labels, and no label."""
    first, *others = (line for (line,) in rows or [[""]])
    heads = LABEL_HEADING.fullmatch(first) is not None
    return heads and len(others) > 1 and first not in others and first not in like.values
