"""Rows of fields, CSV and TSV: every row has the fields of the header, and every row is read.

Polars, which is fast and forgiving, gets only blocks in which a count of our own has found the
header's number of fields in every row, and must return as many rows. From the first quote that
stands where none should, the standard library reads the rest.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, TypeAlias

import numpy as np

from evenhand.errors import InputError, shown
from evenhand.files.blocks import BOM, SIZE, ahead, blocks, lazy, lines_in

LF, QUOTE = b"\n", b'"'
HEAD = 1 << 16
"""Bytes read at a time in search of the header."""
BATCH = 50_000
"""Rows that the standard library's reader hands on at a time."""
Rows: TypeAlias = list[list[str]]


@dataclass(frozen=True)
class Style:
    """What separates fields, and whether quotes may hold separators and line ends."""

    mark: bytes
    quoted: bool

    def reader(self, lines: Iterable[str]) -> Any:
        """The standard library's reader."""
        mark = self.mark.decode()
        if self.quoted:
            return csv.reader(lines, delimiter=mark, strict=True)
        return csv.reader(lines, delimiter=mark, quoting=csv.QUOTE_NONE)

    @property
    def others(self) -> bytes:
        """The bytes that tell neither rows nor fields apart."""
        kept = self.mark + LF + (QUOTE if self.quoted else b"")
        return bytes(c for c in range(256) if c not in kept)


CSV, TSV = Style(b",", True), Style(b"\t", False)


@dataclass(frozen=True)
class Checked:
    """Text of so many whole rows, which have the right number of fields, and its first line."""

    text: bytes
    line: int
    rows: int


@dataclass(frozen=True)
class Sheet:
    """A file of rows: what to call it, the names in its header, and the lines these take."""

    path: str
    name: str
    style: Style
    header: tuple[str, ...]
    lines: int

    @property
    def width(self) -> int:
        """Fields in a row."""
        return len(self.header)

    def frames(self, places: Sequence[int]) -> Iterator[Any]:
        """The columns at some places, of all rows in order."""
        for part in ahead(self.parts()):
            if isinstance(part, Checked):
                found = self.quick(part, places)
                if len(found) == part.rows:
                    yield found
                    continue
                part = list(chain.from_iterable(self.listed([part.text], part.line)))
            yield _framed(part, places)

    def parts(self) -> Iterator[Checked | Rows]:
        """All rows: text of them that has been checked; then, if need be, lists of them."""
        rest, line, head = b"", 1, self.lines
        coming = blocks(self.path, self.name)
        for block in coming:
            text = rest + block.text
            while head and text:
                text = text[text.index(LF) + 1 :]
                head, line = head - 1, line + 1
            found = None if text.startswith(BOM) else self.whole_rows(text, line)
            if found is None:  # Polars would take a mark at the beginning of a text for no text
                yield from self.listed(chain([text], (b.text for b in coming)), line)
                return
            end, rows = found
            if rows:
                yield Checked(text[:end], line, rows)
                line += lines_in(text[:end])
            rest = text[end:]
        if rest.strip(LF):  # an open quote: the reader says so
            yield from self.listed([rest], line)

    def whole_rows(self, text: bytes, line: int) -> tuple[int, int] | None:
        """How much of a text is whole rows, and how many; ``None`` if its quotes are astray.

        A row with other than the header's number of fields is an error. Empty lines at the end
        are left over: nothing is lost with them if nothing follows.
        """
        if text.endswith(LF + LF) or text == LF:
            text = text.rstrip(LF)
            text += LF if text else b""
        marks = text.translate(None, self.style.others)
        if self.style.quoted and QUOTE in marks:
            return self.whole_quoted_rows(text, line)
        row = self.style.mark * (self.width - 1) + LF
        rows = len(marks) // len(row)
        blank = self.width == 1 and (text.startswith(LF) or LF + LF in text)
        if marks != row * rows or blank:
            for at, found in enumerate(text.split(LF)[:-1], line):
                self.fits(found.count(self.style.mark) + 1 if found else 0, at)
        return len(text), rows

    def whole_quoted_rows(self, text: bytes, line: int) -> tuple[int, int] | None:
        """The same where fields are quoted: every quote opens or closes a field, or is doubled."""
        mark = self.style.mark[0]
        codes = np.frombuffer(text, np.uint8)
        places = np.flatnonzero((codes == QUOTE[0]) | (codes == mark) | (codes == LF[0]))
        found = codes[places]
        quotes = places[found == QUOTE[0]]
        opening, closing = quotes[::2], quotes[1::2]
        before = np.where(opening > 0, codes[opening - 1], LF[0])
        doubled = np.append(closing, -2)[np.arange(len(opening)) - 1] == opening - 1
        after = codes[closing + 1]  # there always is an LF at the end
        opens = doubled | (before == mark) | (before == LF[0])
        closes = (after == mark) | (after == LF[0]) | (after == QUOTE[0])
        if not (opens.all() and closes.all()):
            return None
        outside = np.cumsum(found == QUOTE[0]) % 2 == 0
        rows = np.flatnonzero((found == LF[0]) & outside)
        if not len(rows):  # one long field, or a quote that is never closed
            return (0, 0) if len(text) < 4 * SIZE else None
        ends = places[rows]
        fields = np.diff(np.cumsum((found == mark) & outside)[rows], prepend=0) + 1
        fields[np.diff(ends, prepend=-1) == 1] = 0  # an empty line
        wrong = np.flatnonzero(fields != self.width)
        if len(wrong):
            start = ends[wrong[0] - 1] + 1 if wrong[0] else 0
            self.fits(int(fields[wrong[0]]), line + text[:start].count(LF))
        return int(ends[-1]) + 1, len(ends)

    def fits(self, fields: int, line: int) -> None:
        """Refuse a row that has not as many fields as the header."""
        if fields != self.width:
            first = "header" if self.lines else "first row"
            raise InputError(
                f"{self.name}, line {line}: expected {self.width} fields as in the {first}, "
                f"got {fields or 'an empty line'}"
            )

    def quick(self, part: Checked, places: Sequence[int]) -> Any:
        """Some columns of a text, by Polars."""
        import polars as pl

        names = [str(i) for i in range(self.width)]
        return (
            pl.scan_csv(
                part.text,
                has_header=False,
                schema=dict.fromkeys(names, pl.String),
                separator=self.style.mark.decode(),
                quote_char=QUOTE.decode() if self.style.quoted else None,
            )
            .select(names[i] for i in places)
            .collect()
        )

    def listed(self, texts: Iterable[bytes], line: int) -> Iterator[Rows]:
        """Rows as the standard library reads them, some at a time."""
        reader = self.style.reader(_lines(texts))
        rows = self.fitting(reader, line - 1)
        while True:
            limit = csv.field_size_limit(sys.maxsize)
            try:
                some = list(islice(rows, BATCH))
            except csv.Error as e:
                at = line - 1 + reader.line_num
                raise InputError(f"{self.name}, line {at}: {e}") from None
            finally:
                csv.field_size_limit(limit)
            if not some:
                return
            yield some

    def fitting(self, reader: Any, before: int) -> Iterator[list[str]]:
        """The rows of a reader that begins after so many lines, if they fit the header."""
        blank = 0
        for row in reader:
            line = before + reader.line_num
            if not row:
                blank = blank or line
                continue
            self.fits(0 if blank else len(row), blank or line)
            yield row


def sheet(path: str, name: str, style: Style, *, header: bool) -> Sheet:
    """The file of rows at ``path``; without a header, its columns are numbered from 1."""
    reader = style.reader(_lines(block.text for block in blocks(path, name, HEAD)))
    try:
        first = next(reader, None)
    except csv.Error as e:
        raise InputError(f"{name}, line {reader.line_num}: {e}") from None
    if not first:
        came = f"{name} is empty" if first is None else f"{name} begins with an empty line"
        raise InputError(f"{came}, expected {'a header and rows' if header else 'rows'}")
    if header:
        return Sheet(path, name, style, tuple(first), reader.line_num)
    return Sheet(path, name, style, tuple(str(i + 1) for i in range(len(first))), 0)


def scan_delimited(files: Sequence[tuple[str, str]], style: Style, *, header: bool) -> Any:
    """Files of rows alike, each a path and what to call it, as a lazy Polars frame."""
    import polars as pl

    sheets = [sheet(path, name, style, header=header) for path, name in files]
    first = sheets[0]
    for other in sheets[1:]:
        if other.header != first.header:
            raise InputError(
                f"{other.name} has columns {shown(other.header, 12)}, expected those of "
                f"{first.name}: {shown(first.header, 12)}"
            )
    columns = distinct(first.header)

    def frames(wanted: list[str]) -> Iterator[Any]:
        places = [columns.index(c) for c in wanted]
        for one in sheets:
            for frame in one.frames(places):
                frame.columns = wanted
                yield frame

    return lazy(frames, dict.fromkeys(columns, pl.String))


def distinct(names: Sequence[str]) -> list[str]:
    """Names as Polars tells them apart: a second ``a`` is ``a_duplicated_0``."""
    found: dict[str, None] = {}
    for name in names:
        tries = (f"{name}_duplicated_{i}" for i in range(len(names)))
        found[next(n for n in chain([name], tries) if n not in found)] = None
    return list(found)


def _lines(texts: Iterable[bytes]) -> Iterator[str]:
    return (line.decode() for text in texts for line in text.splitlines(keepends=True))


def _framed(rows: Rows, places: Sequence[int]) -> Any:
    import polars as pl

    return pl.DataFrame(
        {str(i): [row[i] for row in rows] for i in places},
        schema={str(i): pl.String for i in places},
    )
