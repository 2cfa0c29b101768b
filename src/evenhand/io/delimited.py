"""Rows of fields, CSV and TSV: blocks of lines, how they are laid out, how they are read."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from glob import glob, has_magic
from itertools import chain
from typing import IO, Any, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np

from evenhand.errors import InputError, Option, shown
from evenhand.text import counted
from evenhand.warnings import ResultWarning

TAB = r"\t"
"""How people type a tab."""
FIELDS = ("header", "delimiter", "encoding")
_ANSWERS = {"yes": True, "no": False}


@dataclass(frozen=True)
class TextLayout:
    """Whether the first row names the columns, what separates fields, and what text is in.

    What is ``None`` shows in the file. What is set holds for the files that it fits, and for any
    if it is ``fixed``: set for one file alone.
    """

    header: bool | None = None
    delimiter: str | None = None
    encoding: str | None = None
    fixed: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Refuse what cannot tell fields apart, and an encoding that nobody knows."""
        if self.encoding is not None and not _is_encoding(self.encoding):
            raise InputError(
                f"text may be in cp1252, latin-1, utf-16, … but {shown([self.encoding])} is not "
                "known as an ",
                Option("encoding"),
            )
        mark = self.delimiter_char
        fits = isinstance(mark, str) and re.fullmatch(r'[^"\r\n\0\x80-\U0010ffff]', mark)
        if mark is not None and not fits:
            raise InputError(
                f"fields must be separated by one ASCII character, got {shown([self.delimiter])} "
                "as ",
                Option("delimiter"),
            )

    @property
    def delimiter_char(self) -> str | None:
        """The character that separates fields, if it has been said."""
        is_tab = isinstance(self.delimiter, str) and self.delimiter == TAB
        return "\t" if is_tab else self.delimiter

    def for_file(self, options: Mapping[str, Any], name: str) -> TextLayout:
        """The layout of one file, for which some fields are set."""
        if "header" in options:
            header = _ANSWERS.get(options["header"])
            if header is None:
                came = shown([options["header"]])
                raise InputError(f"{name}: expected header=yes or header=no, got {came}")
            options = {**options, "header": header}
        return replace(self, **options, fixed=self.fixed | set(options))


def _is_encoding(name: str) -> bool:
    with suppress(LookupError, ValueError, TypeError):
        return bool(getattr(codecs.lookup(name), "_is_text_encoding", True))
    return False


USUAL = TextLayout()
"""As each file shows."""


# Names of files: ``results.xlsx#sheet``, ``BERT=runs/bert.csv``, ``runs/a.csv::delimiter=;``.


@dataclass(frozen=True)
class InputFile:
    """A file by its name, and what is set for it: what its system is called, and its layout.

    ``path`` is where it is, if that is not its name: unpacked, or a stream that is kept.
    """

    name: str
    system: str | None = None
    layout: Mapping[str, str] = field(default_factory=dict)
    path: str | None = None
    notes: tuple[ResultWarning, ...] = ()


def parse_name(text: str) -> InputFile:
    """What a name on a command line stands for; a file of the whole name comes first.

    >>> file = parse_name("BERT=no such file.csv::delimiter=;::header=no")
    >>> file.name, file.system, file.layout
    ('no such file.csv', 'BERT', {'delimiter': ';', 'header': 'no'})
    """
    if _is_file(text):
        return InputFile(text)
    path, *settings = re.split(rf"::({'|'.join(FIELDS)})=", text)
    file, colons, setting = path.partition("::")
    if colons and (_is_file(file) or _is_file(file.partition("=")[2])):
        raise InputError(
            f"{file} takes ::delimiter=CHAR, ::header=yes|no and ::encoding=NAME, got "
            f"{shown([colons + setting])}"
        )
    system, equals, file = path.partition("=")
    if not equals or _is_file(path) or not system.strip() or "/" in system:
        system, file = "", path
    layout = dict(zip(settings[::2], settings[1::2], strict=True))
    return InputFile(file, system.strip() or None, layout)


def _is_file(name: str) -> bool:
    """Whether a name, without its sheet, is that of a file, or a pattern of some."""
    path = split_sheet(name)[0]
    return path == "-" or os.path.exists(path) or (has_magic(path) and bool(glob(path)))


def split_sheet(name: str) -> tuple[str, str | None]:
    """A file and the sheet of it that is meant, if any; a file of the whole name comes first.

    >>> split_sheet("no such file.xlsx#sheet")
    ('no such file.xlsx#sheet', None)
    """
    path, hash_sign, sheet = name.rpartition("#")
    if hash_sign and sheet and not os.path.exists(name) and os.path.isfile(path):
        return path, sheet
    return name, None


# The text of files in blocks of whole lines: unpacked, in UTF-8, every line ended by LF.

GZIP, ZSTD, BOM = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xef\xbb\xbf"
SIZE = 1 << 21
"""Bytes that are read, checked and handed on at a time."""
T = TypeVar("T")


@dataclass(frozen=True)
class LineBlock:
    """Whole lines of a file, each ended by LF, and the number of the first."""

    text: bytes
    line: int


@contextmanager
def reading(path: str, name: str = "") -> Iterator[IO[bytes]]:
    """The bytes of a file, unpacked if gzip; what cannot be read is an error with the reason."""
    try:
        with open(path, "rb") as file:
            packed = file.seekable() and file.peek(2)[:2] == GZIP
            with cast(IO[bytes], gzip.open(file) if packed else file) as stream:
                yield stream
    except FileNotFoundError:
        raise InputError(f"{name or path} does not exist") from None
    except IsADirectoryError:
        raise InputError(f"{name or path} is a directory, expected a file") from None
    except (OSError, EOFError, zlib.error) as e:
        raise unreadable(name or path, e) from None


def unreadable(name: str, error: BaseException) -> InputError:
    """What to say of a file whose reader gives up: the first line of the reason."""
    reason = getattr(error, "strerror", None) or str(error).strip() or type(error).__name__
    return InputError(f"{name} cannot be read: {reason.splitlines()[0]}")


def pieces(path: str, name: str = "", size: int | None = None) -> Iterator[bytes]:
    """The bytes of a text file, unpacked, some at a time."""
    size = size or SIZE
    with reading(path, name) as file:
        head = file.read(max(size, 4))  # enough to tell what it is
        if not head.startswith(ZSTD):
            while head:
                yield head
                head = file.read(size)
            return
    import polars as pl  # which unpacks what Python cannot

    try:
        for batch in pl.scan_lines(path, name="line", glob=False).collect_batches():
            yield (batch["line"].str.join("\n").item() + "\n").encode()
    except (pl.exceptions.PolarsError, OSError) as e:
        raise unreadable(name or path, e) from None


def zstandard_text(packed: bytes) -> bytes:
    """Text that was packed with zstandard, which Polars unpacks."""
    import polars as pl

    try:
        return "\n".join(pl.read_lines(packed, name="line")["line"]).encode()
    except pl.exceptions.PolarsError as e:
        raise ValueError(str(e).partition("\n")[0]) from None


def blocks(path: str, name: str, size: int | None = None) -> Iterator[LineBlock]:
    """The lines of a text file in order, without a byte order mark; what is no text is refused.

    Lines may end with LF, CRLF or CR; the last one may lack its end.
    """
    rest, line, first = b"", 1, True
    for piece in pieces(path, name, size):
        text = rest + (piece.removeprefix(BOM) if first else piece)
        first = False
        tail = text[-1:] if text.endswith(b"\r") else b""  # LF may follow in the next piece
        text = with_line_feeds(text.removesuffix(tail))
        end = text.rfind(b"\n") + 1
        rest = text[end:] + tail
        if end:
            block = LineBlock(_text(text[:end], name, line), line)
            yield block
            line += lines_in(block.text)
    if rest:
        yield LineBlock(_text(with_line_feeds(rest).removesuffix(b"\n") + b"\n", name, line), line)


def read_text(path: str, name: str = "") -> str:
    """A text file, whole."""
    return text_of(b"".join(pieces(path, name)), name or path)


def text_of(data: bytes, name: str) -> str:
    """The text of a file, without a byte order mark, every line ended by LF, the last one too."""
    text = _text(with_line_feeds(data.removeprefix(BOM)), name, 1)
    return (text if text.endswith(b"\n") or not text else text + b"\n").decode()


def lines_in(text: bytes) -> int:
    """How many lines a text has; thrice as quick as ``bytes.count``."""
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == 10))


def with_line_feeds(text: bytes) -> bytes:
    """The same lines, each ended by LF."""
    if b"\r" not in text:
        return text
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _text(text: bytes, name: str, line: int) -> bytes:
    """Bytes that are text in UTF-8; the first that are not are named."""
    if b"\0" in text:
        at = line + text[: text.index(b"\0")].count(b"\n")
        raise InputError(f"{name} is a binary file, expected text: line {at} has a NUL byte")
    if not text.isascii():
        try:
            text.decode("utf-8")
        except UnicodeDecodeError as e:
            at = line + text[: e.start].count(b"\n")
            words = f"{name}, line {at}: expected UTF-8 text, got byte 0x{text[e.start]:02x}"
            with suppress(UnicodeDecodeError):
                text.decode("cp1252")  # as old programs write
                raise InputError(
                    words, "; ", Option("encoding", "cp1252"), " would read it"
                ) from None
            raise InputError(words) from None
    return text


def ahead(items: Iterable[T]) -> Iterator[T]:
    """The same items, the next one made in another thread while one is used."""
    end = object()
    turn = iter(items)
    with ThreadPoolExecutor(1) as worker:
        coming = worker.submit(next, turn, end)
        while (item := coming.result()) is not end:
            coming = worker.submit(next, turn, end)
            yield cast(T, item)


def lazy(frames: Callable[[list[str]], Iterator[Any]], schema: Mapping[str, Any]) -> Any:
    """A lazy Polars frame of what ``frames`` yields for the columns that a query needs."""
    from polars.io.plugins import register_io_source

    def source(
        columns: list[str] | None, predicate: Any, n_rows: int | None, _: int | None
    ) -> Iterator[Any]:
        left = n_rows
        for frame in frames(list(schema) if columns is None else columns):
            part = frame if left is None else frame.head(left)
            yield part if predicate is None else part.filter(predicate)
            if left is not None:
                left -= len(part)
                if not left:
                    return

    return register_io_source(source, schema=dict(schema), is_pure=True)


def scan_text(
    files: Sequence[tuple[str, str]],
    schema: Mapping[str, Any],
    parse: Callable[[LineBlock, list[str]], Any],
) -> Any:
    """Text files as a lazy Polars frame: ``parse`` makes columns of a block of their lines."""

    def frames(columns: list[str]) -> Iterator[Any]:
        for path, name in files:
            for block in ahead(blocks(path, name)):
                yield parse(block, columns)

    return lazy(frames, schema)


# Rows of fields, CSV and TSV: every row has the fields of the header, and every row is read.

LF, QUOTE = b"\n", b'"'
HEAD = 1 << 16
"""Bytes read at a time in search of the header."""
BATCH = 50_000
"""Rows that the standard library's reader hands on at a time."""
Rows: TypeAlias = list[list[str]]


class CheckedRows(NamedTuple):
    """Text of so many whole rows, which have the right number of fields, and its first line."""

    text: bytes
    line: int
    rows: int


def csv_reader(lines: Iterable[str], delimiter: str) -> Any:
    """The standard library's reader; between tabs, quotes neither hold tabs nor line ends."""
    if delimiter == "\t":
        return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    return csv.reader(lines, delimiter=delimiter, strict=True)


def rows_of(text: str, where: str, **options: Any) -> Iterator[tuple[int, list[str]]]:
    """The rows of a short text, bare, each with the line that it ends on."""
    reader = csv.reader(io.StringIO(text), strict=True, **options)
    try:
        yield from ((reader.line_num, list(map(str.strip, row))) for row in reader if row)
    except csv.Error as e:
        raise InputError(f"{where}, line {reader.line_num}: {e}") from None


@dataclass(frozen=True)
class DelimitedTable:
    """A file of rows: what to call it, the names in its header, and the lines these take."""

    path: str
    name: str
    delimiter: str
    header: tuple[str, ...]
    lines: int

    @property
    def width(self) -> int:
        """Fields in a row."""
        return len(self.header)

    def frames(self, places: Sequence[int]) -> Iterator[Any]:
        """The columns at some places, of all rows in order."""
        import polars as pl

        for part in ahead(self.parts()):
            if isinstance(part, CheckedRows):
                frame = self.quick(part, places)
                if len(frame) == part.rows:
                    yield frame
                    continue
                part = list(chain.from_iterable(self.listed([part.text], part.line)))
            columns = {str(i): [row[i] for row in part] for i in places}
            yield pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))

    def parts(self) -> Iterator[CheckedRows | Rows]:
        """All rows: text of them that has been checked; then, if need be, lists of them."""
        rest, line, header_lines = b"", 1, self.lines
        coming = blocks(self.path, self.name)
        for block in coming:
            text = rest + block.text
            while header_lines and text:
                text = text[text.index(LF) + 1 :]
                header_lines, line = header_lines - 1, line + 1
            # Polars would take a byte order mark at the beginning of a text for no text.
            checked = None if text.startswith(BOM) else self.checked(text, line)
            if checked is None:
                yield from self.listed(chain([text], (b.text for b in coming)), line)
                return
            if checked.rows:
                yield checked
                line += lines_in(checked.text)
            rest = text[len(checked.text) :]
        if rest.strip(LF + self.delimiter.encode()):  # an open quote: the reader says so
            yield from self.listed([rest], line)

    def checked(self, text: bytes, line: int) -> CheckedRows | None:
        """The whole rows that a text begins with; ``None`` if its quotes are astray.

        Every quote must open or close a field, or be doubled. A row with other than the header's
        number of fields is an error. Lines without anything in their fields at the end are left
        over: nothing is lost with them if nothing follows.
        """
        full = len(text.rstrip(LF + self.delimiter.encode()))
        text = text[: text.find(LF, full) + 1] if full else b""
        comma, quote, end = ord(self.delimiter), QUOTE[0], LF[0]
        codes = np.frombuffer(text, np.uint8)
        quoted = self.delimiter != "\t" and QUOTE in text
        is_sign = (codes == comma) | (codes == end)
        places = np.flatnonzero(is_sign | (codes == quote) if quoted else is_sign)
        signs = codes[places]
        outside: Any = True
        if quoted:
            quotes = places[signs == quote]
            opening, closing = quotes[::2], quotes[1::2]
            before = np.where(opening > 0, codes[opening - 1], end)
            doubled = np.append(closing, -2)[np.arange(len(opening)) - 1] == opening - 1
            after = codes[closing + 1]  # there always is an LF at the end
            opens = doubled | (before == comma) | (before == end)
            closes = (after == comma) | (after == end) | (after == quote)
            if not (opens.all() and closes.all()):
                return None
            outside = np.cumsum(signs == quote) % 2 == 0
            lines = np.flatnonzero(signs == end)
            fields = np.diff(np.cumsum(signs == comma)[lines], prepend=0) + 1
            if np.any(~outside[lines[:-1]] & (fields[1:] == self.width)):
                self.refuse_swallowed(csv_reader(_lines([text]), self.delimiter), line)
        rows = np.flatnonzero((signs == end) & outside)
        if not len(rows):  # one long field, or a quote that is never closed
            return CheckedRows(b"", line, 0) if len(text) < 4 * SIZE else None
        ends = places[rows]
        fields = np.diff(np.cumsum((signs == comma) & outside)[rows], prepend=0) + 1
        fields[np.diff(ends, prepend=-1) == 1] = 0  # an empty line
        wrong = np.flatnonzero(fields != self.width)
        if len(wrong):
            start = ends[wrong[0] - 1] + 1 if wrong[0] else 0
            self.fits(int(fields[wrong[0]]), line + text[:start].count(LF))
        return CheckedRows(text[: int(ends[-1]) + 1], line, len(ends))

    def fits(self, fields: int, line: int) -> None:
        """Refuse a row that has not as many fields as the header."""
        if fields != self.width:
            first = "header" if self.lines else "first row"
            raise InputError(
                f"{self.name}, line {line}: expected {self.width} fields as in the {first}, "
                f"got {fields or 'an empty line'}"
            )

    def refuse_swallowed(self, rows: Iterable[list[str]], line: int) -> None:
        """Refuse a quoted field that holds what look like rows: its quote was meant as a sign."""
        with suppress(csv.Error):  # the last row may not be complete
            for row in rows:
                for i, text in ((i, text) for i, text in enumerate(row) if "\n" in text):
                    first, *inner = text.split("\n")
                    counts = [part.count(self.delimiter) + 1 for part in inner]
                    heads = {form(part.split(self.delimiter)[0]) for part in inner}
                    if heads == {form(row[0])}:
                        counts[-1] += len(row) - 1 - i
                        if set(counts) == {self.width}:
                            raise InputError(
                                f"{self.name}: a quote before {shown([first])} takes in "
                                f"{counted(len(inner), 'row')} after line {line}: take it out or "
                                "double it"
                            )
                line += 1 + sum(text.count("\n") for text in row)

    def quick(self, part: CheckedRows, places: Sequence[int]) -> Any:
        """Some columns of a text, by Polars."""
        import polars as pl

        frame = pl.scan_csv(
            part.text,
            has_header=False,
            schema=dict.fromkeys(map(str, range(self.width)), pl.String),
            separator=self.delimiter,
            quote_char=None if self.delimiter == "\t" else QUOTE.decode(),
        )
        return frame.select(map(str, places)).collect()

    def listed(self, texts: Iterable[bytes], line: int) -> Iterator[Rows]:
        """Rows as the standard library reads them, some at a time."""
        reader = csv_reader(_lines(texts), self.delimiter)
        rows: Rows = []
        blank = 0
        limit = csv.field_size_limit(sys.maxsize)
        try:
            for row in reader:
                at = line - 1 + reader.line_num
                if row:
                    self.fits(0 if blank else len(row), blank or at)
                    self.refuse_swallowed([row], at)
                    rows.append(row)
                blank = blank or (0 if row else at)
                if len(rows) >= BATCH and any(row):
                    yield rows
                    rows = []
        except csv.Error as e:
            raise InputError(f"{self.name}, line {line - 1 + reader.line_num}: {e}") from None
        finally:
            csv.field_size_limit(limit)
        while rows and not any(rows[-1]):
            rows.pop()
        yield rows


def delimited_table(path: str, name: str, delimiter: str, *, header: bool) -> DelimitedTable:
    """The file of rows at ``path``; without a header, its columns are numbered from 1."""
    reader = csv_reader(_lines(block.text for block in blocks(path, name, HEAD)), delimiter)
    try:
        first = next(reader, None)
    except csv.Error as e:
        raise InputError(f"{name}, line {reader.line_num}: {e}") from None
    if not first:
        came = f"{name} is empty" if first is None else f"{name} begins with an empty line"
        raise InputError(f"{came}, expected {'a header and rows' if header else 'rows'}")
    names = first if header else [str(i + 1) for i in range(len(first))]
    return DelimitedTable(path, name, delimiter, tuple(names), reader.line_num if header else 0)


def scan_delimited(files: Sequence[tuple[str, str]], delimiter: str, *, header: bool) -> Any:
    """Files of rows alike, each a path and what to call it, as a lazy Polars frame."""
    import polars as pl

    sheets = [delimited_table(path, name, delimiter, header=header) for path, name in files]
    first = sheets[0]
    for other in sheets[1:]:
        if other.header != first.header:
            raise InputError(
                f"{other.name} has columns {shown(other.header, 12)}, expected those of "
                f"{first.name}: {shown(first.header, 12)}"
            )
    columns = distinct(first.header)

    def frames(selected: list[str]) -> Iterator[Any]:
        places = [columns.index(c) for c in selected]
        for frame in chain.from_iterable(sheet.frames(places) for sheet in sheets):
            frame.columns = selected
            yield frame

    return lazy(frames, dict.fromkeys(columns, pl.String))


def form(text: str) -> str:
    """A text with its numbers and words of any length as one sign each."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"[0-9]+", "9", text))


def distinct(names: Sequence[str]) -> list[str]:
    """Names as Polars tells them apart: a second ``a`` is ``a_duplicated_0``."""
    unique: dict[str, None] = {}
    for name in names:
        tries = (f"{name}_duplicated_{i}" for i in range(len(names)))
        unique[next(n for n in chain([name], tries) if n not in unique)] = None
    return list(unique)


def _lines(texts: Iterable[bytes]) -> Iterator[str]:
    return (line.decode() for text in texts for line in text.splitlines(keepends=True))
