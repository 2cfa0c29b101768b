"""Temporary files, and files written whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from pathlib import Path

from evenhand.errors import InputError
from evenhand.options import file_name

_PARENTS: set[str] = set()
"""Where folders of this process may lie."""


def _prefix() -> str:
    return f".evenhand-{os.getpid()}-"


def temporary_folder(parent: str | None = None) -> tempfile.TemporaryDirectory[str]:
    """A folder that is gone when it is left, and by :func:`clear` if the process is ended."""
    parent = parent or tempfile.gettempdir()
    _PARENTS.add(parent)
    return tempfile.TemporaryDirectory(prefix=_prefix(), dir=parent, ignore_cleanup_errors=True)


def clear() -> None:
    """Remove all files that are no more than steps on the way to a result."""
    for parent in list(_PARENTS):
        with suppress(OSError):
            for name in os.listdir(parent):
                if name.startswith(_prefix()):
                    shutil.rmtree(os.path.join(parent, name), ignore_errors=True)


class Scratch(ExitStack):
    """Temporary files for what cannot be read where it is."""

    @cached_property
    def folder(self) -> str:
        """Where they are, from the first on."""
        return self.enter_context(temporary_folder())

    def place(self, suffix: str = "") -> Path:
        """Where another file may be written."""
        return Path(self.folder, uuid.uuid4().hex + suffix)


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
        with temporary_folder(str(target.parent)) as folder:
            part = Path(folder, target.name)
            yield part
            os.replace(part, target)
    except OSError as e:
        raise InputError(f"{path} cannot be written: {e.strerror or e}") from None


def replaces(path: str | os.PathLike[str]) -> bool:
    """Whether what is written to ``path`` is a file that takes the place of what is there."""
    return os.path.isfile(path) or not os.path.exists(path)
