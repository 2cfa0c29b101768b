"""Temporary files, and files written whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

from evenhand.errors import InputError
from evenhand.options import file_name

_FOLDERS: set[str] = set()


@contextmanager
def temporary_folder(parent: Path | None = None, prefix: str = "evenhand-") -> Iterator[str]:
    """A folder that is gone when it is left, and by :func:`clear` if the process is ended.

    It is on the list before it exists, so that a signal at any time leaves nothing behind.
    """
    folder = os.path.join(parent or tempfile.gettempdir(), prefix + uuid.uuid4().hex)
    _FOLDERS.add(folder)
    try:
        os.mkdir(folder, 0o700)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        _FOLDERS.discard(folder)


def clear() -> None:
    """Remove all files that are no more than steps on the way to a result."""
    for folder in list(_FOLDERS):
        shutil.rmtree(folder, ignore_errors=True)


class Scratch(AbstractContextManager["Scratch"]):
    """Temporary files for what cannot be read where it is, their folder made with the first."""

    def __init__(self) -> None:
        self.folder: str | None = None
        self.files = 0
        self.stack = ExitStack()

    def place(self, suffix: str = "") -> Path:
        """Where another file may be written."""
        if self.folder is None:
            self.folder = self.stack.enter_context(temporary_folder())
        self.files += 1
        return Path(self.folder, f"{self.files}{suffix}")

    def __exit__(self, *error: object) -> None:
        self.stack.close()


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Where to write: a file beside ``path`` that takes its place once all went well.

    Links are followed. A pipe or a device takes no replacing: it is written as it is.
    """
    if not file_name(path, "the output"):
        raise InputError("the output must be a file, got an empty name")
    try:
        if not replaces(path):
            yield Path(path)
            return
        target = Path(os.path.realpath(path))
        with temporary_folder(target.parent, ".evenhand-") as folder:
            part = Path(folder, target.name)
            yield part
            os.replace(part, target)
    except OSError as e:
        raise InputError(f"{path} cannot be written: {e.strerror or e}") from None


def replaces(path: str | os.PathLike[str]) -> bool:
    """Whether what is written to ``path`` is a file that takes the place of what is there."""
    return os.path.isfile(path) or not os.path.exists(path)
