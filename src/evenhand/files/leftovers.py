"""Leftovers: files and folders that must not stay when a command is ended before its time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress

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
