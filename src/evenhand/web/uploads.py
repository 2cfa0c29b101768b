"""Uploads: files that somebody sent, in a folder of their own until the answer is there."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from starlette.datastructures import UploadFile

from evenhand.web.answers import FieldError

PREFIX = "evenhand-web-"
_DATABASE = (".db", ".db3", ".sqlite", ".sqlite3", ".duckdb", ".ddb")
_MAGIC = (b"SQLite format 3\x00",)
_UNSAFE = re.compile(r"[^\w.()+ -]|^[-. ]+", re.ASCII)


@contextmanager
def folder() -> Iterator[Path]:
    """A folder that is gone afterwards; its name holds our process, for ``sweep``."""
    place = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def sweep() -> None:
    """Remove what servers that were killed have left behind."""
    for place in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        pid = place.name.removeprefix(PREFIX).split("-")[0]
        if pid.isdecimal() and not _alive(int(pid)):
            shutil.rmtree(place, ignore_errors=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


async def keep(given: Sequence[UploadFile], field: str, place: Path) -> list[str]:
    """Write files into a folder under names that are safe there; databases are refused."""
    names: list[str] = []
    for file in given:
        name = _free(place, _UNSAFE.sub("_", Path(file.filename or "file").name)[-100:] or "file")
        if name.lower().endswith(_DATABASE):
            raise FieldError(field, f"{name}: database files are not taken here")
        with (place / name).open("xb") as out:
            while part := await file.read(1 << 20):
                if not out.tell() and part.startswith(_MAGIC):
                    raise FieldError(field, f"{name}: database files are not taken here")
                out.write(part)
        with suppress(OSError):
            (place / name).chmod(0o400)
        names.append(name)
    return names


def _free(place: Path, name: str) -> str:
    """The name, or one like it that no other file has."""
    stem, dot, ending = name.partition(".")
    number = 2
    while (place / name).exists():
        name, number = f"{stem}-{number}{dot}{ending}", number + 1
    return name
