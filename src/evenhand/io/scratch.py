"""Temporary files, and files written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from glob import escape
from pathlib import Path

from evenhand.errors import InputError, file_name

_PATHS: set[str] = set()


@contextmanager
def leftover(path: str | os.PathLike[str]) -> Iterator[None]:
    """While this lasts, the file or folder is one to be cleared away."""
    name = os.fspath(path)
    _PATHS.add(name)
    try:
        yield
    finally:
        _PATHS.discard(name)


def clear() -> None:
    """Remove all files that are no more than steps on the way to a result."""
    for path in list(_PATHS):
        shutil.rmtree(path, ignore_errors=True)
        with suppress(OSError):
            os.unlink(path)


# Scratch: temporary files for what cannot be read where it is, gone when it is left.


class Scratch(AbstractContextManager["Scratch"]):
    """A folder of temporary files, made when the first is asked for."""

    def __init__(self) -> None:
        self.folder: str | None = None
        self.files = 0
        self.held = ExitStack()

    def place(self, suffix: str = "") -> Path:
        """Where another file may be written."""
        if self.folder is None:
            self.folder = self.held.enter_context(tempfile.TemporaryDirectory(prefix="evenhand-"))
            self.held.enter_context(leftover(self.folder))
        self.files += 1
        return Path(self.folder, f"{self.files}{suffix}")

    def __exit__(self, *error: object) -> None:
        self.held.close()


# Whole: a file is written completely, or not at all.

_PART = f".evenhand-{platform.node()}-"
"""How the name of a file begins that is being written on this machine."""


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Where to write: a file beside ``path`` that takes its place once all went well.

    Links are followed. A pipe or a device takes no replacing: it is written as it is.
    """
    if not file_name(path, "the output"):
        raise InputError("the output must be a file, got an empty name")
    if not replaces(path):
        with _written(path):
            yield Path(path)
        return
    target = Path(os.path.realpath(path))
    part = target.with_name(f"{_PART}{os.getpid()}-{threading.get_ident()}.part")
    _bury(target.parent)
    with _written(path), leftover(part):
        try:
            yield part
            part.replace(target)
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)


def _bury(folder: Path) -> None:
    """Remove what processes of this machine that are no more have left half-written."""
    for part in folder.glob(f"{escape(_PART)}*.part"):
        pid = part.name.removeprefix(_PART).split("-")[0]
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            with contextlib.suppress(OSError):
                part.unlink()
        except (OSError, ValueError, OverflowError):
            continue


@contextmanager
def _written(path: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except OSError as e:
        raise InputError(f"{path} cannot be written: {e.strerror or e}") from None


def replaces(path: str | os.PathLike[str]) -> bool:
    """Whether what is written to ``path`` is a file that takes the place of what is there."""
    return os.path.isfile(path) or not os.path.exists(path)
