"""Sources: files of one kind under one name, opened whatever their encoding or archive."""

from __future__ import annotations

import codecs
import lzma
import os
import re
import shutil
import struct
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from glob import glob, has_magic
from pathlib import Path, PurePosixPath
from stat import S_ISLNK
from typing import IO, Any

from evenhand.data.roles import FIRST_ROWS, ColumnProfile, profile
from evenhand.errors import InputError, shown
from evenhand.io.delimited import (
    BOM,
    HEAD,
    USUAL,
    ZSTD,
    InputFile,
    LineBlock,
    TextLayout,
    parse_name,
    pieces,
    reading,
    scan_delimited,
    scan_text,
    split_sheet,
    with_line_feeds,
)
from evenhand.io.detection import (
    FIRST,
    NOTHING,
    Preview,
    Rows,
    bare_field,
    evident_delimiter,
    find_delimiter,
    guess_encoding,
    has_header,
    heads_lines,
    is_utf8,
    rows_in,
)
from evenhand.io.json import (
    JsonType,
    json_kind,
    json_rows,
    lined_objects,
    read_labels,
    rows_frame,
    scan_json_lines,
    type_of,
)
from evenhand.io.saved import begins_saved
from evenhand.io.scratch import Scratch
from evenhand.io.tabular import (
    first_rows,
    partitions,
    read_sheet,
    scan_arrow,
    scan_parquet,
    sheets_left_out,
)
from evenhand.warnings import EncodingGuessed, MembersLeftOut, NotInEncoding, ResultWarning

LINE = "line"
"""What the one column of files without columns is called."""


@dataclass(frozen=True)
class Source:
    """One or more files of one kind, under the name the user gave.

    ``names`` are what to call each of them, ``sheet`` is the one to read if it has several;
    ``notes`` say what had to be guessed or looked up, ``rows`` are the first, of text and sheets,
    ``head`` is how a text begins; ``table`` is what was read of a log.
    """

    name: str
    paths: tuple[str, ...]
    kind: str
    layout: TextLayout = USUAL
    names: tuple[str, ...] = ()
    sheet: str | None = None
    notes: list[ResultWarning] = field(default_factory=list, compare=False)
    rows: Rows = field(default_factory=list, compare=False, repr=False)
    head: bytes = field(default=b"", compare=False, repr=False)
    table: Any = field(default=None, compare=False, repr=False)

    @cached_property
    def frame(self) -> Any:
        """A lazy Polars frame; lines and bare labels are its column :data:`LINE`."""
        if self.table is not None:
            return self.table.lazy()
        if all(os.path.getsize(p) == 0 for p in self.paths):
            rows = "one label per line" if self.kind == "lines" else "a header and rows"
            raise InputError(f"{self.name} is empty, expected {rows}")
        if self.kind == "saved":
            raise InputError(f"{self.name} is a saved table: labels of items are needed here")
        scan = KINDS[self.kind].scan
        return rows_frame(self.objects, self.json_type) if scan is None else scan(self)

    @cached_property
    def schema(self) -> Any:
        """The names of columns and their types."""
        return self.frame.collect_schema()

    @cached_property
    def json_type(self) -> JsonType:
        """What objects in JSON hold."""
        if self.kind == "ndjson":
            return type_of((n, rows) for p, n in self.files for rows in lined_objects(p, n))
        return type_of([(self.name, self.objects)])

    @cached_property
    def objects(self) -> list[dict[str, Any]]:
        """The rows of files that are taken apart into objects."""
        read = KINDS[self.kind].rows
        return [row for path, name in self.files for row in read(path, name)] if read else []

    @property
    def files(self) -> list[tuple[str, str]]:
        """Each path, and what to call it."""
        return list(zip(self.paths, self.names, strict=True))

    @property
    def has_columns(self) -> bool:
        """Whether labels stand in named columns rather than one after the other."""
        return self.kind not in ("lines", "labels")

    @property
    def is_json(self) -> bool:
        """Whether it is lines of objects, or was brought into them, so that types may vary."""
        return self.kind == "ndjson" or KINDS[self.kind].rows is not None

    @property
    def has_header(self) -> bool:
        """Whether the names of columns stand where others would have data."""
        return self.kind in (*SHEETS, "lines") and bool(self.layout.header)

    @property
    def has_names(self) -> bool:
        """Whether columns have names of their own, not numbers."""
        return self.has_header or self.kind not in SHEETS

    @property
    def delimiter(self) -> str | None:
        """What separates the fields of its rows, if it is such text."""
        usual = KINDS[self.kind].delimiter
        return usual and (self.layout.delimiter_char or usual)

    @cached_property
    def preview(self) -> Preview:
        """The names and values of the first rows, as far as they are quickly read."""
        if self.rows or self.kind == "labels":
            return Preview.from_rows(self.rows, self.has_header)
        frame = self.frame.head(FIRST).collect()
        flat = [c for c in frame if not c.dtype.is_nested()]
        rows = [frame.columns, *([str(v) for v in c.unique()] for c in flat)]
        return Preview.from_rows(rows, header=True)

    @cached_property
    def profiles(self) -> tuple[ColumnProfile, ...]:
        """What each column holds, in the first rows of a long file."""
        return self.profiled(self.frame.head(FIRST_ROWS).collect(engine="streaming").lazy())

    def profiled(self, frame: Any) -> tuple[ColumnProfile, ...]:
        """What each column holds in some of the rows."""
        mixed = self.json_type.mixed if self.is_json else {}
        return tuple(
            ColumnProfile(c, i, mixed[c], 0, 0, ()) if c in mixed else profile(frame, c, i)
            for i, c in enumerate(self.schema, 1)
        )

    @property
    def described(self) -> dict[str, str | bool | None]:
        """How its text lies, for JSON."""
        text = self.delimiter or self.kind == "lines"
        return {
            "format": self.kind,
            "header": self.has_header if self.kind in SHEETS else None,
            "delimiter": self.delimiter,
            "encoding": (self.layout.encoding or "utf-8") if text else None,
        }

    @property
    def partitions(self) -> list[str]:
        """The columns that only the names of folders give."""
        return partitions(self.paths) if self.kind == "parquet" else []


def height(frame: Any) -> int:
    """Number of rows of a lazy frame."""
    import polars as pl

    return int(frame.select(pl.len()).collect(engine="streaming").item())


# Kinds of files: what each is called, how it is recognised and what scans it.


@dataclass(frozen=True)
class FileKind:
    """A kind of file: its name for people, what scans it, and how its names end.

    Files that are no text begin as ``magic``. ``rows`` gives the rows of a file that is taken
    apart into objects, in the place of what scans it.
    """

    words: str
    scan: Callable[[Source], Any] | None = None
    suffixes: tuple[str, ...] = ()
    magic: bytes = b""
    delimiter: str | None = None
    rows: Callable[[str, str], Iterable[dict[str, Any]]] | None = None


def _scan_lines(source: Source) -> Any:
    import polars as pl

    def parse(block: LineBlock, _: list[str]) -> Any:
        lines = pl.read_lines(block.text, name=LINE)
        return lines.slice(1) if source.has_header and block.line == 1 else lines

    return scan_text(source.files, {LINE: pl.String}, parse)


def _scan_fields(source: Source) -> Any:
    """Text of fields. Between tabs, quotes around all of a field are taken off.

    A quote elsewhere is a quote there, as in a column of tweets: it never joins two lines.
    """
    import polars as pl

    frame = scan_delimited(source.files, str(source.delimiter), header=source.has_header)
    if source.kind != "tsv":
        return frame
    text = pl.all().str.strip_chars()
    inner = text.str.strip_prefix('"').str.strip_suffix('"')
    inner = inner.str.replace_all('""', '"', literal=True)
    quoted = text.str.starts_with('"') & text.str.ends_with('"') & (text != '"')
    return frame.rename(bare_field).with_columns(pl.when(quoted).then(inner).otherwise(text))


def _joined(frames: Iterable[Any]) -> Any:
    import polars as pl

    return pl.concat(frames).lazy()


KINDS = {
    "saved": FileKind("a saved table"),
    "lines": FileKind("text, one label per line", _scan_lines, (".txt", ".labels")),
    "csv": FileKind("CSV", _scan_fields, (".csv",), delimiter=","),
    "tsv": FileKind("TSV", _scan_fields, (".tsv", ".tab"), delimiter="\t"),
    "ndjson": FileKind(
        "JSON Lines", lambda s: scan_json_lines(s.files, s.json_type), (".jsonl", ".ndjson")
    ),
    "json": FileKind("a JSON array of objects", rows=json_rows),
    "labels": FileKind(
        "a JSON array of labels", lambda s: _joined(read_labels(*f, LINE) for f in s.files)
    ),
    "log": FileKind("a log of an evaluation"),
    "parquet": FileKind("Parquet", lambda s: scan_parquet(s.paths), (".parquet", ".pq"), rb"PAR1"),
    "arrow": FileKind(
        "Arrow", lambda s: scan_arrow(s.paths), (".arrow", ".feather", ".ipc"), rb"ARRO"
    ),
    "excel": FileKind(
        "a spreadsheet",
        lambda s: _joined(read_sheet(*f, s.sheet, header=s.has_header) for f in s.files),
        (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
        rb"PK\x03\x04|\xd0\xcf\x11\xe0",  # as archives are unpacked before
    ),
}
"""All kinds of files: another is one more entry, and a function that scans it or gives its rows."""
MAGIC_KINDS = tuple(name for name, kind in KINDS.items() if kind.magic)
"""Kinds that are no text."""
SHEETS = ("csv", "tsv", "excel")
"""Kinds whose first row may be a header."""


def bare_suffix(name: str) -> str:
    """How a name ends, packing aside."""
    suffixes = [s.lower() for s in Path(name).suffixes]
    if suffixes and suffixes[-1] in (".gz", ".zst", ".zstd"):
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _kind_by_name(name: str) -> str | None:
    suffix = bare_suffix(name)
    return next((kind for kind, record in KINDS.items() if suffix in record.suffixes), None)


def _text_kind(
    source: TextFile, name: str, columns: bool, delimiter: str | None, labels: Container[str]
) -> str:
    """By the ending, or for endings that say nothing by how the text begins.

    ``delimiter`` separates the fields of a text with columns, if that has been said; a first line
    that is one of ``labels`` is no JSON.
    """
    suffix, kind = bare_suffix(source.path), _kind_by_name(source.path)
    if kind in MAGIC_KINDS:
        return kind
    if begins_saved(source.head):
        return "saved"
    if b"\0" in source.head:
        raise InputError(f"{name} is a binary file, expected text")
    text = source.head.lstrip()
    if kind == "ndjson":
        return "json" if json_kind(text, suffix) == "json" else kind
    if kind in ("csv", "tsv"):
        return kind
    lined = kind == "lines"
    first = text.split(b"\n", 1)[0]
    is_label = first.decode("utf-8", "replace").strip() in labels
    is_object = re.match(rb'\{\s*"', text) is not None
    if (columns or not lined or is_object) and not is_label:
        kind = json_kind(text, suffix) or ("ndjson" if columns and text.startswith(b"{") else None)
        if kind and (kind != "labels" or suffix == ".json"):
            return kind
    if columns and b"\t" in first:
        return "tsv"
    if columns:
        return "csv" if not lined or delimiter or re.search(rb"[,;|]", first) else "lines"
    evident = evident_delimiter(source.head, delimiter)
    return "lines" if evident is None else "tsv" if evident == "\t" else "csv"


# Encodings: text that is not in UTF-8, brought there once before it is read.

_BYTE_ORDER_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
ENCODED = 1 << 25
"""Bytes that are looked at where nothing says what text is in."""


@dataclass(frozen=True)
class TextFile:
    """Where a file is in UTF-8, how it begins, and what was guessed to bring it there.

    A file that is no text has its ``kind`` at once.
    """

    path: str
    head: bytes = b""
    kind: str | None = None
    notes: Sequence[ResultWarning] = ()
    encoding: str | None = None


def in_utf8(path: str, name: str, layout: TextLayout, scratch: Scratch) -> TextFile:
    """The file itself, or a temporary one with its text.

    A byte order mark says what a file is. Else text is in the encoding that is set, unless it is
    in UTF-8 already, which other text hardly ever is by chance; or as its first bytes show.
    """
    kind = _kind_by_name(path)
    if kind is not None and KINDS[kind].rows is not None:
        return TextFile(path, kind=kind)
    with reading(path, name) as file:
        head = file.read(HEAD)
        marked = "utf-16" if head.startswith(_BYTE_ORDER_MARKS) else None
        option = None if layout.encoding is None else codecs.lookup(layout.encoding).name
        known = marked or option
        binary = MAGIC_KINDS if b"\0" in head else ()
        kind = next((k for k in binary if re.match(KINDS[k].magic, head, re.DOTALL)), None)
        if known == "utf-8" or head.startswith((BOM, ZSTD)) or kind:
            return TextFile(path, b"" if kind else _first_lines(path, head), kind)
        text = head + file.read(ENCODED - HEAD)
    guess, notes = guess_encoding(text), list[ResultWarning]()
    if known is None or (b"\0" in text and guess and not known.startswith("utf")):
        known = guess
    else:
        guess = None
        if not marked and not text.isascii() and is_utf8(text) and b"\0" not in text:
            notes, known = [NotInEncoding(name, known)], None
        elif option != known:
            notes = [EncodingGuessed(name, known)]
    if known:
        path, head = _decoded(path, name, known, scratch), b""
    return TextFile(path, _first_lines(path, head), None, notes, guess)


def _first_lines(path: str, head: bytes = b"") -> bytes:
    """How the text of a file begins, if it has been read so far; one line alone may be cut."""
    if not head or head.startswith(ZSTD):
        head = next(pieces(path, size=HEAD), b"")
    text = with_line_feeds(head.removeprefix(BOM))
    return text if len(head) < HEAD else text[: text.rfind(b"\n") + 1] or text


def _decoded(path: str, name: str, encoding: str, scratch: Scratch) -> str:
    """A temporary file with the text in UTF-8, under the same ending."""
    place, line = scratch.place(bare_suffix(name)), 1
    try:
        with place.open("wb") as file:
            for text in codecs.iterdecode(pieces(path, name), encoding):
                file.write(text.encode())
                line += text.count("\n") or text.count("\r")
    except UnicodeDecodeError as e:
        before = e.object[: e.start].decode(encoding, "replace")
        line += before.count("\n") or before.count("\r")
        came = f"byte 0x{e.object[e.start]:02x}"
        raise InputError(f"{name}, line {line}: expected {encoding} text, got {came}") from None
    except UnicodeError as e:
        raise InputError(f"{name}: expected {encoding} text, got {e}") from None
    return str(place)


# Archives: files that hold files, as shared tasks collect their runs.

LIMIT = 1 << 32
"""Bytes that an archive may hold, unpacked."""
MANY = 10_000
"""Files that it may hold."""
_TAR = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
_DOCUMENTS = {"[Content_Types].xml", "mimetype"}
"""What tells an office document, which is a zip archive too, from others."""
_DAMAGE = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError,
           RuntimeError, ValueError, struct.error)  # fmt: skip


def is_archive(path: str) -> bool:
    """Whether a file holds other files, and is no kind of file itself that does."""
    if not os.path.isfile(path) or _kind_by_name(path):
        return False
    if path.lower().endswith((".zip", *_TAR)):
        return True
    names = zip_names(path)
    return bool(names) and _DOCUMENTS.isdisjoint(names)


def zip_names(path: str) -> list[str]:
    """The names of files in a zip archive, or none if it is no such archive, or a damaged one."""
    with suppress(*_DAMAGE), zipfile.ZipFile(path) as archive:
        return archive.namelist()
    return []


def unpacked(path: str, name: str, scratch: Scratch) -> list[InputFile]:
    """The files of an archive in order of their names, without what systems add of their own."""
    members, left, notes = list[InputFile](), LIMIT, list[str]()
    with unpacking(name):
        for number, (inner, opening) in enumerate(_inner_files(path, name)):
            called = f"{name}/{inner}"
            if inner.lower().endswith((".zip", *_TAR)):
                raise InputError(f"{called} is an archive in an archive: unpack it first")
            if _is_note(inner):
                notes.append(inner)
                continue
            if number == MANY:
                raise InputError(f"{name} holds more than {MANY:,} files")
            ending = re.search(r"(\.[A-Za-z0-9]{1,10}){1,2}$", inner)
            place = scratch.place(ending[0] if ending else "")
            with opening() as stream, place.open("wb") as file:
                while part := stream.read(min(1 << 20, left + 1)):
                    left -= len(part)
                    if left < 0:
                        raise InputError(f"{name} holds more than {LIMIT:,} bytes, unpacked")
                    file.write(part)
            members.append(InputFile(called, path=str(place)))
    if not members:
        raise InputError(f"{name} holds no files")
    members.sort(key=lambda member: member.name)
    if notes:
        members[0] = replace(members[0], notes=(MembersLeftOut(name, tuple(notes)),))
    return members


def _is_note(name: str) -> bool:
    """Whether the name of a file is one of words about others."""
    return bool(re.fullmatch(r"(?i)(readme|licen[cs]e|notice)(\..*)?|.*\.md", Path(name).name))


def only(members: list[InputFile], name: str) -> InputFile:
    """The one file of an archive, where there may be but one."""
    if len(members) != 1:
        inner = [member.name.removeprefix(f"{name}/") for member in members]
        raise InputError(f"{name} holds {len(inner):,} files ({shown(inner)}), expected one here")
    return members[0]


def holds_several(path: str) -> bool:
    """Whether a file is an archive of more than one."""
    if not is_archive(path):
        return False
    with unpacking(path):
        return sum(not _is_note(inner) for inner, _ in _inner_files(path, path)) > 1


def _inner_files(path: str, name: str) -> Iterator[tuple[str, Callable[[], IO[bytes]]]]:
    """The names of files in an archive, and what opens each."""
    entries: Iterator[tuple[str, bool, Any]]
    with tarfile.open(path) if path.lower().endswith(_TAR) else zipfile.ZipFile(path) as archive:
        if isinstance(archive, tarfile.TarFile):
            files = (file for file in archive if not file.isdir())
            entries = ((f.name, f.isreg(), partial(archive.extractfile, f)) for f in files)
        else:
            zipped = ((f, f.external_attr >> 16) for f in archive.infolist() if not f.is_dir())
            entries = ((f.filename, not S_ISLNK(m), partial(archive.open, f)) for f, m in zipped)
        for inner, is_file, opening in entries:
            parts = PurePosixPath(inner).parts
            hidden = any(p.startswith(".") and p not in (".", "..") for p in parts)
            if hidden or "__MACOSX" in parts:  # which a system keeps for itself
                continue
            if not is_file:
                raise InputError(f"{name}/{inner} is a link, expected a file")
            yield inner, opening


@contextmanager
def unpacking(name: str) -> Iterator[None]:
    """Say what is wrong with an archive in one line."""
    try:
        yield
    except InputError:
        raise
    except _DAMAGE as e:
        raise InputError(f"{name} cannot be unpacked: {e}") from None


def files_of(names: Sequence[str], scratch: Scratch) -> list[InputFile]:
    """The files of predictions by name: those of an archive stand for it."""
    files: list[InputFile] = []
    for file in map(parse_name, names):
        if is_archive(file.name):
            members = unpacked(file.name, file.name, scratch)
            system = file.system if len(members) == 1 else None
            files += [replace(m, system=system, layout=file.layout) for m in members]
        else:
            files.append(file)
    return files


# Opening: what a name on a command line stands for, ready to be read.


def is_stream(name: str) -> bool:
    """Whether ``name`` can be read only once: ``-`` for standard input, a pipe, a device."""
    return name == "-" or (os.path.exists(name) and not os.path.isfile(name) | os.path.isdir(name))


@contextmanager
def opened(
    file: str | InputFile,
    *,
    columns: bool = False,
    layout: TextLayout = USUAL,
    names: Collection[str] = (),
    gold: Source | None = None,
) -> Iterator[Source]:
    """The files behind a name, all of one kind, in order; or one that is found elsewhere.

    ``columns`` says that the caller expects named columns, for files whose name does not tell;
    ``names`` are some that a header may have. ``gold`` is the file of truth that it goes with.
    """
    if not file:
        raise InputError("a file must have a name, got an empty one")
    file = parse_name(file) if isinstance(file, str) else file
    layout = layout.for_file(file.layout, file.name)
    with Scratch() as scratch:
        called, (path, sheet) = file.name, split_sheet(file.path or file.name)
        paths = [path]
        if file.path is None and is_stream(called):
            paths = [spooled(called, scratch.place())]
            called = "standard input" if called == "-" else called
        elif file.path is None and sheet is None:
            paths = expanded(called)
        if len(paths) == 1 and is_archive(paths[0]):
            member = only(unpacked(paths[0], called, scratch), called)
            called, paths = member.name, [str(member.path)]
            file = replace(file, notes=member.notes)
        labels = gold.preview.values if gold is not None and gold.kind == "lines" else ()
        files = paths if len(paths) > 1 else [called]
        texts = [in_utf8(*pair, layout, scratch) for pair in zip(paths, files, strict=True)]
        kinds = {
            text.kind or _text_kind(text, name, columns, layout.delimiter_char, labels)
            for text, name in zip(texts, files, strict=True)
        }
        kind = _only_kind(called, kinds)
        guesses = (text.encoding for text in texts if text.encoding)
        layout = replace(layout, encoding=next(guesses, layout.encoding))
        heads = (text.head for text in texts if text.head)
        notes = [*(note for text in texts for note in text.notes), *file.notes]
        places = tuple(text.path for text in texts)
        source = Source(
            called, places, kind, layout, tuple(files), sheet, notes, head=next(heads, b"")
        )
        source = _with_layout(source, names, NOTHING if gold is None else gold.preview)
        if source.kind == "excel" and sheet is None:
            source.notes.extend(sheets_left_out(source.files, is_stream(file.name)))
        if sheet is not None and source.kind != "excel":
            raise InputError(f"{path} has no sheets, got {sheet!r} to choose one")
        yield source


def _with_layout(source: Source, names: Collection[str], like: Preview) -> Source:
    """The source with the layout that the first of its files shows which is not empty.

    What is set for it holds, then what it shows, and then what is set where it fits. ``names`` are
    some that a header may have, ``like`` is a file that it goes with.
    """
    path, name = next((f for f in source.files if os.path.getsize(f[0])), source.files[0])
    layout, kind, delimiter = source.layout, source.kind, source.layout.delimiter_char
    if kind == "excel":
        rows = first_rows(path, name, source.sheet, FIRST)
    elif kind in ("csv", "tsv"):
        if delimiter is None or "delimiter" not in layout.fixed:
            delimiter = find_delimiter(source.head, KINDS[kind].delimiter or "", delimiter)
        kind = "tsv" if delimiter == "\t" else "csv"
        layout = replace(layout, delimiter=None if delimiter in "\t," else delimiter)
        rows = [row for row in rows_in(source.head, delimiter) if row]
    elif kind == "lines":
        rows = rows_in(source.head, None)
    else:
        return source
    header = layout.header
    if kind == "lines":
        header = header if "header" in layout.fixed else heads_lines(rows, like) or None
    elif "header" in layout.fixed or not rows:
        header = header is not False
    else:
        full = [*rows[:1], *filter(any, rows[1:])]
        header = has_header(full, name, header, names, like)
    return replace(source, kind=kind, layout=replace(layout, header=header), rows=rows)


def _only_kind(name: str, kinds: Collection[str]) -> str:
    """The one kind of several files."""
    if len(kinds) > 1:
        raise InputError(f"{name} matches files of different kinds: {shown(sorted(kinds))}")
    return next(iter(kinds), "")


def spooled(name: str, place: Path) -> str:
    """A stream in a file, for which there must be room."""
    if name == "-" and sys.stdin is None:
        raise InputError("standard input is closed")
    called = "standard input" if name == "-" else name
    with nullcontext(sys.stdin.buffer) if name == "-" else reading(name) as stream:
        try:
            with place.open("wb") as file:
                shutil.copyfileobj(stream, file)
        except OSError as e:
            raise InputError(
                f"{called} cannot be kept in {place.parent.parent} while it is read: {e.strerror}; "
                "the variable TMPDIR names another folder"
            ) from None
    return str(place)


def expanded(name: str) -> list[str]:
    """The paths behind the name of a file, a pattern or a folder of Parquet, in order."""
    if os.path.isdir(name):
        files = (path.relative_to(name) for path in Path(name).rglob("*.parquet"))
        own = re.compile(r"\.|_[^=]*$")  # which engines keep for themselves
        paths = sorted(str(Path(name, f)) for f in files if not any(map(own.match, f.parts)))
        if not paths:
            raise InputError(
                f"{name} is a folder without Parquet files: name the files in it, such as "
                f"{Path(name, '*')}"
            )
        return paths
    if has_magic(name) and not os.path.exists(name):
        paths = sorted(p for p in glob(name, recursive=True) if os.path.isfile(p))
        if not paths:
            raise InputError(f"{name} matches no file")
        _only_kind(name, {_kind_by_name(p) or "lines" for p in paths} - {"lines"})
        return paths
    with reading(split_sheet(name)[0]):
        return [name]
