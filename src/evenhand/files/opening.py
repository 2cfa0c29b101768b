"""Opening: what a name on a command line stands for, ready to be read.

A file, a pattern, a folder of Parquet, or a stream. What can be read only once or must be made
text in UTF-8 first is kept in a temporary file as long as it is open.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from glob import glob, has_magic
from pathlib import Path
from typing import IO

from evenhand.errors import InputError, shown
from evenhand.files.archives import Member, is_archive, only, unpacked
from evenhand.files.blocks import SIZE, reading
from evenhand.files.encodings import in_utf8
from evenhand.files.json_arrays import in_json_lines
from evenhand.files.kinds import kind_of, kinds_by_name
from evenhand.files.layout import USUAL, Layout
from evenhand.files.parts import split_part
from evenhand.files.scratch import Scratch
from evenhand.files.sources import Source

PARTED = ("excel", "sqlite", "duckdb")
"""Kinds of files that hold several tables."""


def is_stream(name: str) -> bool:
    """Whether ``name`` can be read only once: ``-`` for standard input, a pipe, a device."""
    return name == "-" or (os.path.exists(name) and not os.path.isfile(name) | os.path.isdir(name))


@contextmanager
def opened(
    name: str, *, at: str | None = None, columns: bool = False, layout: Layout = USUAL
) -> Iterator[Source]:
    """The files behind ``name``, all of one kind, in order; or one that is found elsewhere.

    ``columns`` says that the caller expects named columns, for files whose name does not tell.
    """
    if not name:
        raise InputError("a file must have a name, got an empty one")
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
        source = _source(called, paths, columns, layout, scratch)
        if part is not None and source.kind not in PARTED:
            raise InputError(f"{path} has no sheets or tables, got {part!r} to choose one")
        yield replace(source, part=part)


def files_of(names: Sequence[str], scratch: Scratch) -> list[Member]:
    """The files of predictions by name: those of an archive stand for it."""
    found: list[Member] = []
    for name in names:
        found += unpacked(name, name, scratch) if is_archive(name) else [Member(name)]
    return found


def _source(
    called: str, paths: list[str], columns: bool, layout: Layout, scratch: Scratch
) -> Source:
    names = paths if len(paths) > 1 else [called]
    with ExitStack() as naming:
        for path, name in zip(paths, names, strict=True):
            naming.enter_context(_naming(path, name))
        found = [
            in_utf8(path, name, layout.encoding, scratch)
            for path, name in zip(paths, names, strict=True)
        ]
        kinds = {kind_of(file.path, columns, layout.mark) for file in found}
    _refuse_several(called, kinds)
    kind, ready, array = kinds.pop(), tuple(file.path for file in found), None
    if kind == "json":
        ready, array = in_json_lines(list(zip(ready, names, strict=True)), scratch)
    notes = tuple(note for file in found for note in file.notes)
    return Source(called, ready, kind, layout, tuple(names), notes=notes, array=array)


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
        paths = sorted(str(p) for p in folder.rglob("*.parquet") if not _is_hidden(p, folder))
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


def _is_hidden(path: Path, folder: Path) -> bool:
    """Whether engines keep the file for themselves: logs, check-points, unfinished work."""
    parts = path.relative_to(folder).parts
    return any(p.startswith(".") or (p.startswith("_") and "=" not in p) for p in parts)
