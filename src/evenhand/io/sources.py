"""Sources: files of one kind under one name, opened whatever their encoding or archive."""

from __future__ import annotations

import codecs
import lzma
import os
import re
import stat
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from glob import glob, has_magic
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple, TypeAlias, TypeVar

from evenhand.data.roles import FIRST_ROWS as MOST
from evenhand.data.roles import ColumnProfile, profile
from evenhand.errors import InputError, shown
from evenhand.io import detection
from evenhand.io.delimited import (
    BOM,
    CSV,
    HEAD,
    SIZE,
    TSV,
    USUAL,
    ZSTD,
    DelimiterStyle,
    NotUtf8Error,
    TextLayout,
    nameable,
    parse_name,
    pieces,
    plain,
    reading,
    scan_delimited,
    split_part,
    with_line_feeds,
)
from evenhand.io.detection import (
    NOTHING,
    Preview,
    detected,
    evident_mark,
    first_text,
    guess_encoding,
    rows_in,
)
from evenhand.io.json import (
    InferredSchema,
    in_json_lines,
    infer_schema,
    json_kind,
    read_labels,
    scan_json_lines,
)
from evenhand.io.saved import is_saved
from evenhand.io.scratch import Scratch
from evenhand.io.tabular import (
    first_rows,
    partition_keys,
    read_sheet,
    scan_duckdb,
    scan_parquet,
    scan_sqlite,
)
from evenhand.warnings import EncodingGuessed, NotInEncoding, ResultWarning

T = TypeVar("T")
_KINDS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "ndjson",
    ".ndjson": "ndjson",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".txt": "lines",
    ".labels": "lines",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".xlsb": "excel",
    ".xls": "excel",
    ".ods": "excel",
}
_PACKED = (".gz", ".zst", ".zstd")
_MAGIC = {
    b"PAR1": "parquet",
    b"ARRO": "arrow",
    b"PK\x03\x04": "excel",  # as archives are unpacked before
    b"\xd0\xcf\x11\xe0": "excel",
    b"SQLi": "sqlite",
}
TYPED = ("parquet", "arrow", "excel", "sqlite", "duckdb")
"""Kinds that are no text."""


def is_typed(head: bytes) -> bool:
    """Whether a file that begins so is no text, whatever it is called."""
    return _by_bytes(head) is not None


def _by_bytes(head: bytes) -> str | None:
    """The kind that the first bytes tell, of what is no text."""
    if b"\0" not in head:
        return None
    return "duckdb" if head[8:12] == b"DUCK" else _MAGIC.get(head[:4])


def bare_suffix(name: str) -> str:
    """How a name ends, packing aside."""
    suffixes = [s.lower() for s in Path(name).suffixes]
    if suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def kinds_by_name(paths: Iterable[str]) -> set[str]:
    """The kinds that the names of files tell; lines may turn out to be columns."""
    return {_KINDS.get(bare_suffix(p), "lines") for p in paths} - {"lines"}


def _by_text(
    head: bytes, suffix: str, columns: bool, mark: str | None, labels: Container[str]
) -> str | None:
    """The kind that text shows which has no telling name; nothing for lines of labels."""
    lined = _KINDS.get(suffix) == "lines"
    text = head.removeprefix(BOM).lstrip()
    first = with_line_feeds(text).split(b"\n", 1)[0]
    is_label = first.decode("utf-8", "replace").strip() in labels
    if (columns or not lined) and not is_label:
        kind = json_kind(head, suffix) or ("ndjson" if columns and text.startswith(b"{") else None)
        if kind and (kind != "labels" or suffix == ".json"):
            return kind
    if not columns:
        evident = None if head.startswith(ZSTD) else evident_mark(head, mark)
        return evident and ("tsv" if evident == "\t" else "csv")
    if b"\t" in first:
        return "tsv"
    return "csv" if not lined or mark is not None or re.search(rb"[,;|]", first) else None


def kind_of(path: str, name: str, columns: bool, mark: str | None, labels: Container[str]) -> str:
    """By the ending, or for endings that say nothing by how the file begins.

    ``mark`` separates the fields of a text with columns, if that has been said; a first line that
    is one of ``labels`` is no JSON.
    """
    with reading(path) as file:
        head = file.read(HEAD)
    binary = b"\0" in head
    kind = _by_bytes(head) or _KINDS.get(bare_suffix(path))
    suffix = bare_suffix(path)
    if kind == "ndjson" and json_kind(head, suffix) == "object":
        kind = "object"
    elif kind is None or kind == "lines":
        kind = _by_text(head, suffix, columns, mark, labels) or kind or "lines"
    if mark is not None and kind in ("csv", "tsv"):
        kind = "tsv" if mark == "\t" else "csv"
    if kind not in TYPED and binary and not head.startswith(ZSTD):
        raise InputError(f"{name} is a binary file, expected text")
    return kind


# Encodings: text that is not in UTF-8, brought there once before it is read.

_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


class InUtf8(NamedTuple):
    """Where a file is in UTF-8, and what was guessed to bring it there."""

    path: str
    notes: tuple[ResultWarning, ...] = ()
    encoding: str | None = None


def in_utf8(path: str, name: str, layout: TextLayout, scratch: Scratch) -> InUtf8:
    """The file itself, or a temporary one with its text.

    A byte order mark says what a file is. Else text is in the encoding that is set, unless it is
    in UTF-8 already, which other text hardly ever is by chance; or as its first bytes show.
    """
    with reading(path) as file:
        head = file.read(HEAD)
    encoding = layout.encoding
    marked = next((found for mark, found in _MARKS.items() if head.startswith(mark)), None)
    asked = None if encoding is None else codecs.lookup(encoding).name
    named = marked or asked
    if named == "utf-8" or head.startswith(codecs.BOM_UTF8) or is_typed(head):
        return InUtf8(path)
    guess = guess_encoding(head) or (_guess_by_line(path) if layout.thorough else None)
    if named is None or (b"\0" in head and guess and not named.startswith("utf")):
        return InUtf8(_decoded(path, name, guess, scratch) if guess else path, (), guess)
    if not marked and _is_utf8(path):
        return InUtf8(path, (NotInEncoding(name, named),))
    notes = () if asked == named else (EncodingGuessed(name, named),)
    return InUtf8(_decoded(path, name, named, scratch), notes)


def _guess_by_line(path: str) -> str | None:
    """The encoding that all lines of a file show which are not ASCII, if none is in UTF-8."""
    guesses, rest = set[str | None](), b""
    for piece in pieces(path):
        *lines, rest = (rest + piece).split(b"\n")
        guesses |= {guess_encoding(line) for line in lines if not line.isascii()}
        if None in guesses:
            return None
    guesses |= set() if rest.isascii() else {guess_encoding(rest)}
    return guesses.pop() if len(guesses) == 1 else None


def _is_utf8(path: str) -> bool:
    """Whether the bytes are text in UTF-8 and more than ASCII, which most encodings share."""
    decoder, plain = codecs.getincrementaldecoder("utf-8")(), True
    try:
        for piece in pieces(path):
            plain = plain and piece.isascii()
            if b"\0" in piece:
                return False
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return not plain


def _decoded(path: str, name: str, encoding: str, scratch: Scratch) -> str:
    """A temporary file with the text in UTF-8, under the same ending."""
    place = scratch.place(bare_suffix(name))
    with place.open("wb") as file:
        for text in _texts(path, name, encoding):
            file.write(text.encode())
    return str(place)


def _texts(path: str, name: str, encoding: str) -> Iterator[str]:
    decoder, line = codecs.getincrementaldecoder(encoding)(), 1
    turn = pieces(path)
    piece: bytes | None = b""
    while piece is not None:
        piece = next(turn, None)
        try:
            text = decoder.decode(piece or b"", final=piece is None)
        except UnicodeError as e:
            came = "other bytes"
            if isinstance(e, UnicodeDecodeError):
                before = e.object[: e.start].decode(encoding, "replace")
                line += before.count("\n") or before.count("\r")
                came = f"byte 0x{e.object[e.start]:02x}"
            where = f"{name}, line {line}"
            raise InputError(f"{where}: expected {encoding} text, got {came}") from None
        line += text.count("\n")
        yield text


# Archives: files that hold files, as shared tasks collect their runs.

Inner: TypeAlias = tuple[str, Callable[[], IO[bytes]]]
LIMIT = 1 << 32
"""Bytes that an archive may hold, unpacked."""
MANY = 10_000
"""Files that it may hold."""
_TAR = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_DOCUMENTS = {"[Content_Types].xml", "mimetype"}
"""What tells an office document, which is a zip archive too, from others."""
_WRONG = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError,
    RuntimeError, NotImplementedError, ValueError,
)  # fmt: skip


@dataclass(frozen=True)
class Member:
    """A file by its name; if it is one of an archive, where it is unpacked.

    ``system`` is what its system is called, ``layout`` the layout of the file, where set.
    """

    name: str
    path: str | None = None
    system: str | None = None
    layout: Mapping[str, str] = field(default_factory=dict)


def is_archive(path: str) -> bool:
    """Whether a file holds other files."""
    if not os.path.isfile(path):
        return False
    if path.lower().endswith(_TAR):
        return True
    try:
        with open(path, "rb") as file:
            if file.read(4) not in _ZIP:
                return False
        with zipfile.ZipFile(path) as archive:
            return not _DOCUMENTS & set(archive.namelist())
    except _WRONG:
        return path.lower().endswith(".zip")


def unpacked(path: str, name: str, scratch: Scratch) -> list[Member]:
    """The files of an archive in order of their names, without what systems add of their own."""
    found, left = [], LIMIT
    with _explained(name), _streams(path, name) as files:
        for number, (inner, opening) in enumerate(files):
            called = f"{name}/{inner}"
            if inner.lower().endswith((".zip", *_TAR)):
                raise InputError(f"{called} is an archive in an archive: unpack it first")
            if number == MANY:
                raise InputError(f"{name} holds more than {MANY:,} files")
            place = scratch.place(_ending(inner))
            with opening() as stream, place.open("wb") as file:
                while part := stream.read(min(1 << 20, left + 1)):
                    left -= len(part)
                    if left < 0:
                        raise InputError(f"{name} holds more than {LIMIT:,} bytes, unpacked")
                    file.write(part)
            found.append(Member(called, str(place)))
    if not found:
        raise InputError(f"{name} holds no files")
    return sorted(found, key=lambda member: member.name)


def only(members: list[Member], name: str) -> Member:
    """The one file of an archive, where there may be but one."""
    if len(members) != 1:
        inner = [member.name.removeprefix(f"{name}/") for member in members]
        raise InputError(f"{name} holds {len(inner):,} files ({shown(inner)}), expected one here")
    return members[0]


def holds_several(path: str) -> bool:
    """Whether a file is an archive of more than one."""
    if not is_archive(path):
        return False
    with _explained(path), _streams(path, path) as files:
        return sum(1 for _ in files) > 1


@contextmanager
def _streams(path: str, name: str) -> Iterator[Iterator[Inner]]:
    """The names of files in an archive, and what opens each."""
    if path.lower().endswith(_TAR):
        with tarfile.open(path) as tar:
            yield _of_tar(tar, name)
    else:
        with zipfile.ZipFile(path) as archive:
            yield _of_zip(archive, name)


def _of_zip(archive: zipfile.ZipFile, name: str) -> Iterator[Inner]:
    for info in archive.infolist():
        if not (info.is_dir() or _is_hidden(info.filename)):
            if stat.S_ISLNK(info.external_attr >> 16):
                raise InputError(f"{name}/{info.filename} is a link, expected a file")
            yield info.filename, partial(archive.open, info)


def _of_tar(archive: tarfile.TarFile, name: str) -> Iterator[Inner]:
    for info in archive:
        if not (info.isdir() or _is_hidden(info.name)):
            if not info.isreg():
                raise InputError(f"{name}/{info.name} is a link, expected a file")
            yield info.name, partial(archive.extractfile, info)  # type: ignore[misc]


def _is_hidden(name: str) -> bool:
    """Whether a system keeps the file for itself."""
    parts = PurePosixPath(name).parts
    return "__MACOSX" in parts or any(p.startswith(".") and p not in (".", "..") for p in parts)


def _ending(name: str) -> str:
    """How the name of a file ends, packing included, if that is something to go by."""
    last = Path(name).suffix.lower()
    found = bare_suffix(name) + (last if bare_suffix(name) != last else "")
    return found if found.isascii() and len(found) < 20 and found.isprintable() else ""


@contextmanager
def _explained(name: str) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except _WRONG as e:
        raise InputError(f"{name} cannot be unpacked: {e}") from None


# Sources: files of one kind under one name, and how to read each kind.

LINE = "line"
"""What the one column of files without columns is called."""


@dataclass(frozen=True)
class Source:
    """One or more files of one kind, under the name the user gave.

    ``names`` are what to call each of them, ``part`` is the one to read if it has several;
    ``notes`` say what had to be guessed, ``array`` what is known of an array already.
    """

    name: str
    paths: tuple[str, ...]
    kind: str
    layout: TextLayout = USUAL
    names: tuple[str, ...] = ()
    part: str | None = None
    notes: tuple[ResultWarning, ...] = ()
    array: InferredSchema | None = field(default=None, compare=False, repr=False)

    @cached_property
    def learnt(self) -> InferredSchema:
        """What objects in JSON hold."""
        return self.array or infer_schema(self.files)

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
        """Whether it is lines of objects, or was an array of them, so that types may vary."""
        return self.kind in ("ndjson", "json")

    @property
    def has_header(self) -> bool:
        """Whether the names of columns stand where others would have data."""
        return self.kind in ("csv", "tsv", "excel", "lines") and bool(self.layout.header)

    @cached_property
    def preview(self) -> Preview:
        """The names and values of the first rows, as far as they are quickly read."""
        path, name = self.files[0]
        if self.kind in ("csv", "tsv", "lines"):
            mark = self.layout.mark or {"csv": ",", "tsv": "\t"}.get(self.kind)
            rows = rows_in(first_text(path, name), mark)
        elif self.kind == "excel":
            rows = first_rows(path, name, self.part, detection.FIRST)
        elif self.has_columns:
            frame = scan_typed(self).head(detection.FIRST).collect()
            plain = [c for c in frame if not c.dtype.is_nested()]
            rows = [frame.columns, *([str(v) for v in c.unique()] for c in plain)]
            return Preview.from_rows(rows, header=True)
        else:
            return NOTHING
        return Preview.from_rows(rows, self.has_header)

    @property
    def has_names(self) -> bool:
        """Whether columns have names of their own, not numbers."""
        return self.has_header or self.kind not in ("csv", "tsv", "excel")

    @cached_property
    def profiles(self) -> tuple[ColumnProfile, ...]:
        """What each column holds, in the first rows of a long file."""
        frame = scan_typed(self).head(MOST).collect(engine="streaming").lazy()
        mixed = self.learnt.mixed if self.is_json else {}
        return tuple(
            ColumnProfile(c, i, mixed[c], 0, 0, ()) if c in mixed else profile(frame, c, i)
            for i, c in enumerate(scan(self).collect_schema(), 1)
        )

    @property
    def described(self) -> dict[str, str | bool | None]:
        """How its text lies, for JSON."""
        text = self.kind in ("csv", "tsv", "lines")
        mark = {"csv": ",", "tsv": "\t"}.get(self.kind)
        return {
            "format": self.kind,
            "header": self.has_header if self.kind in ("csv", "tsv", "excel") else None,
            "delimiter": self.layout.mark or mark if mark else None,
            "encoding": (self.layout.encoding or "utf-8") if text else None,
        }

    @property
    def in_order(self) -> bool:
        """Whether columns have an order, so that they can be counted."""
        return self.has_columns and not self.is_json

    @property
    def partitions(self) -> list[str]:
        """The columns that only the names of folders give."""
        keys = partition_keys(self.paths) if self.kind == "parquet" else []
        if not keys:
            return []
        import polars as pl

        own = pl.read_parquet_schema(self.paths[0])
        return [key for key in keys if key not in own]


def height(frame: Any) -> int:
    """Number of rows of a lazy frame."""
    import polars as pl

    return int(frame.select(pl.len()).collect(engine="streaming").item())


def scan(source: Source) -> Any:
    """The source as a lazy Polars frame; lines and bare labels as its column :data:`LINE`."""
    import polars as pl

    if all(os.path.getsize(p) == 0 for p in source.paths):
        wanted = {"lines": "one label a line", "json": "objects"}.get(
            source.kind, "a header and rows"
        )
        raise InputError(f"{source.name} is empty, expected {wanted}")
    if source.kind == "lines":
        lines = [plain(path, name) for path, name in source.files]
        if source.has_header:
            return pl.concat(pl.scan_lines(x, name=LINE, glob=False).slice(1) for x in lines)
        return pl.scan_lines(lines, name=LINE, glob=False)
    if source.kind == "csv":
        style = (
            CSV if source.layout.mark is None else DelimiterStyle(source.layout.mark.encode(), True)
        )
        return scan_delimited(source.files, style, header=source.has_header)
    if source.kind == "tsv":
        return _unquoted(scan_delimited(source.files, TSV, header=source.has_header))
    if source.is_json:
        return scan_json_lines(source.files, source.learnt)
    if source.kind == "labels":
        found = [read_labels(path, name).alias(LINE) for path, name in source.files]
        return pl.concat(found).to_frame().lazy()
    if source.kind == "excel":
        header, part = source.has_header, source.part
        sheets = [read_sheet(path, name, part, header=header) for path, name in source.files]
        return pl.concat(sheets).lazy()
    if source.kind in ("sqlite", "duckdb"):
        scan_table = scan_sqlite if source.kind == "sqlite" else scan_duckdb
        return pl.concat([scan_table(path, name, source.part) for path, name in source.files])
    paths = [nameable(p) for p in source.paths]
    if any(isinstance(p, bytes) for p in paths):  # which Polars does not take beside names
        paths = [p if isinstance(p, bytes) else Path(p).read_bytes() for p in paths]
    if source.kind == "parquet":
        return scan_parquet(paths)
    return pl.scan_ipc(paths, glob=False)


def scan_typed(source: Source) -> Any:
    """The columns of a source whose values are of one type: others can be named, not read."""
    return scan(source).drop(source.learnt.mixed) if source.is_json else scan(source)


def _unquoted(frame: Any) -> Any:
    """Tab-separated text: a field is what stands between tabs, less quotes around all of it.

    A quote elsewhere is a quote, as in a column of tweets: it never joins two lines.
    """
    import polars as pl

    names = pl.Series(frame.collect_schema().names(), dtype=pl.String)
    bare = names.str.strip_chars().str.strip_prefix('"').str.strip_suffix('"')
    frame = frame.rename(dict(zip(names, bare, strict=True)))
    text = pl.all().str.strip_chars()
    inner = text.str.strip_prefix('"').str.strip_suffix('"')
    inner = inner.str.replace_all('""', '"', literal=True)
    quoted = text.str.starts_with('"') & text.str.ends_with('"') & (text != '"')
    return frame.with_columns(pl.when(quoted).then(inner).otherwise(text))


# Opening: what a name on a command line stands for, ready to be read.

PARTED = ("excel", "sqlite", "duckdb")
"""Kinds of files that hold several tables."""


def is_stream(name: str) -> bool:
    """Whether ``name`` can be read only once: ``-`` for standard input, a pipe, a device."""
    return name == "-" or (os.path.exists(name) and not os.path.isfile(name) | os.path.isdir(name))


def with_encodings(load: Callable[[TextLayout], T], layout: TextLayout, names: Iterable[str]) -> T:
    """What ``load`` makes of files; where one proves not to be UTF-8, all its lines are looked at.

    Those of a stream are at once, as it cannot be read again.
    """
    thorough = replace(layout, thorough=True)
    if any(map(is_stream, names)):
        return load(thorough)
    try:
        return load(layout)
    except NotUtf8Error:
        return load(thorough)


@contextmanager
def opened(
    name: str,
    *,
    at: str | None = None,
    columns: bool = False,
    layout: TextLayout = USUAL,
    names: Collection[str] = (),
    gold: Source | None = None,
) -> Iterator[Source]:
    """The files behind ``name``, all of one kind, in order; or one that is found elsewhere.

    ``columns`` says that the caller expects named columns, for files whose name does not tell;
    ``names`` are some that a header may have. ``gold`` is the file of truth that it goes with.
    """
    if not name:
        raise InputError("a file must have a name, got an empty one")
    name, _, settings = parse_name(name)
    layout = layout.for_file(settings, name)
    with Scratch() as scratch:
        called, (path, part) = name, split_part(at or name)
        paths = [path]
        if at is None and is_stream(name):
            called = "standard input" if name == "-" else name
            paths = [spooled(name, scratch.place())]
        elif at is None and part is None:
            paths = expanded(name)
        if len(paths) == 1 and is_archive(paths[0]):
            member = only(unpacked(paths[0], called, scratch), called)
            called, paths = member.name, [str(member.path)]
        labels = gold.preview.values if gold is not None and gold.kind == "lines" else ()
        source = _source(called, paths, columns, layout, scratch, part, labels)
        source = replace(source, layout=_detected(source, names, gold))
        if source.layout.mark == "\t" and source.kind == "csv":
            source = replace(source, kind="tsv")
        elif source.layout.mark is not None and source.kind == "tsv":
            source = replace(source, kind="csv")
        if part is not None and source.kind not in PARTED:
            raise InputError(f"{path} has no sheets or tables, got {part!r} to choose one")
        yield source


def _detected(source: Source, names: Collection[str], gold: Source | None) -> TextLayout:
    """The layout that the first of some files shows which is not empty."""
    path, name = next((f for f in source.files if os.path.getsize(f[0])), source.files[0])
    like = NOTHING if gold is None else gold.preview
    return detected(path, name, source.kind, source.layout, names, like, source.part)


def files_of(names: Sequence[str], scratch: Scratch) -> list[Member]:
    """The files of predictions by name: those of an archive stand for it."""
    files: list[Member] = []
    for name in names:
        path, system, layout = parse_name(name)
        if is_archive(path):
            members = unpacked(path, path, scratch)
            only_system = system if len(members) == 1 else None
            files += [replace(m, system=only_system, layout=layout) for m in members]
        else:
            files.append(Member(path, None, system, layout))
    return files


def _source(
    called: str,
    paths: list[str],
    columns: bool,
    layout: TextLayout,
    scratch: Scratch,
    part: str | None,
    labels: Container[str],
) -> Source:
    names = paths if len(paths) > 1 else [called]
    with ExitStack() as naming:
        for path, name in zip(paths, names, strict=True):
            naming.enter_context(_naming(path, name))
        found = [
            in_utf8(path, name, layout, scratch) for path, name in zip(paths, names, strict=True)
        ]
        kinds = {
            kind_of(file.path, name, columns, layout.mark, labels)
            for file, name in zip(found, names, strict=True)
        }
    _refuse_several(called, kinds)
    kind, ready, array = kinds.pop(), tuple(file.path for file in found), None
    if kind == "object" and is_saved(ready[0]):
        kind = "ndjson"
    if kind in ("json", "object"):
        ready, array = in_json_lines(list(zip(ready, names, strict=True)), scratch)
        kind = "json"
    notes = tuple(note for file in found for note in file.notes)
    layout = replace(
        layout, encoding=next((f.encoding for f in found if f.encoding), layout.encoding)
    )
    return Source(called, ready, kind, layout, tuple(names), part, notes, array)


def _refuse_several(name: str, kinds: Collection[str]) -> None:
    if len(kinds) > 1:
        raise InputError(f"{name} matches files of different kinds: {shown(sorted(kinds))}")


@contextmanager
def _naming(path: str, name: str) -> Iterator[None]:
    """What is wrong with a temporary file is said of what the user knows."""
    try:
        yield
    except InputError as e:
        if path == name:
            raise
        parts = [p.replace(path, name) if isinstance(p, str) else p for p in e.args]
        raise type(e)(*parts) from None


def spooled(name: str, place: Path) -> str:
    """A stream in a file."""
    with place.open("wb", buffering=0) as file:
        if name != "-":
            with reading(name) as stream:
                _kept(stream, file, name)
        elif sys.stdin is None:
            raise InputError("standard input is closed")
        else:
            _kept(sys.stdin.buffer, file, "standard input")
    return str(place)


def _kept(stream: IO[bytes], file: IO[bytes], called: str) -> None:
    """Keep a stream in a file of ours, for which there must be room."""
    while piece := stream.read(SIZE):
        left = memoryview(piece)
        try:
            while left:
                left = left[file.write(left) :]
        except OSError as e:
            folder = os.path.dirname(os.path.dirname(str(file.name)))
            raise InputError(
                f"{called} cannot be kept in {folder} while it is read: {e.strerror}; the variable "
                "TMPDIR names another folder"
            ) from None


def expanded(name: str) -> list[str]:
    """The paths behind the name of a file, a pattern or a folder of Parquet, in order."""
    if os.path.isdir(name):
        folder = Path(name)
        paths = sorted(
            str(p) for p in folder.rglob("*.parquet") if not _opening_is_hidden(p, folder)
        )
        if not paths:
            raise InputError(f"{name} is a directory without Parquet files, expected a file")
        return paths
    if has_magic(name) and not os.path.exists(name):
        paths = sorted(p for p in glob(name, recursive=True) if os.path.isfile(p))
        if not paths:
            raise InputError(f"{name} matches no file")
        _refuse_several(name, kinds_by_name(paths))
        return paths
    with reading(split_part(name)[0]):
        return [name]


def _opening_is_hidden(path: Path, folder: Path) -> bool:
    """Whether engines keep the file for themselves: logs, check-points, unfinished work."""
    parts = path.relative_to(folder).parts
    return any(p.startswith(".") or (p.startswith("_") and "=" not in p) for p in parts)
