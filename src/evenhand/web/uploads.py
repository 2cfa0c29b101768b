"""Uploads: files that somebody sent, in a folder of their own until the answer is there."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from starlette.datastructures import UploadFile

from evenhand.web.answers import FieldError

PREFIX = "evenhand-web-"
REPORT = "report.html"
"""What a command writes there, and no upload is called."""
LOCK = ".held"
"""The file in a folder that its server holds, as long as it lives."""
_DATABASE = (".db", ".db3", ".sqlite", ".sqlite3", ".duckdb", ".ddb")
_MAGIC = ((0, b"SQLite format 3\x00"), (8, b"DUCK"))
"""What databases begin with, and where."""
_UNSAFE = re.compile(r"[^\w.()+ -]|^[-. ]+", re.ASCII)


@contextmanager
def folder() -> Iterator[Path]:
    """A folder that is gone afterwards, and that ``sweep`` knows to be in use until then."""
    made = Path(tempfile.mkdtemp(prefix=f".{PREFIX}"))
    with (made / LOCK).open("wb") as lock:
        _held(lock)
        place = made.rename(made.with_name(made.name[1:]))  # held before anybody looks for it
        try:
            yield place
        finally:
            shutil.rmtree(place, ignore_errors=True)


def sweep() -> None:
    """Remove what servers that were killed have left behind."""
    for place in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError), (place / LOCK).open("rb+") as lock:
            if _held(lock):
                shutil.rmtree(place, ignore_errors=True)


def _held(lock: IO[bytes]) -> bool:
    """Hold a file unless another process does; the system lets go of it when a process ends."""
    try:
        import fcntl
    except ImportError:  # where the system itself keeps open files from being removed
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


async def keep(given: Sequence[UploadFile], field: str, place: Path) -> list[str]:
    """Write files into a folder under names that are safe there; databases are refused."""
    names: list[str] = []
    for file in given:
        name = _free(place, _UNSAFE.sub("_", Path(file.filename or "file").name)[-100:] or "file")
        database = FieldError(field, f"{name}: database files are not taken here")
        if name.lower().endswith(_DATABASE):
            raise database
        with (place / name).open("xb") as out:
            while part := await file.read(1 << 20):
                if not out.tell() and any(part[i:].startswith(m) for i, m in _MAGIC):
                    raise database
                out.write(part)
        with suppress(OSError):
            (place / name).chmod(0o400)
        names.append(name)
    return names


def _free(place: Path, name: str) -> str:
    """The name, or one like it that no other file has."""
    stem, dot, ending = name.partition(".")
    number = 2
    while name == REPORT or (place / name).exists():
        name, number = f"{stem}-{number}{dot}{ending}", number + 1
    return name
