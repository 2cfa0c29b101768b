"""Archives: files that hold files, as shared tasks collect their runs.

What is unpacked gets names of ours, so that no path leads elsewhere; links are refused, and what
would be larger than any run is too.
"""

from __future__ import annotations

import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, TypeAlias

from evenhand.errors import InputError, shown
from evenhand.files.kinds import bare_suffix
from evenhand.files.scratch import Scratch

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
    """A file by its name; if it is one of an archive, where it is unpacked."""

    name: str
    path: str | None = None


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
