"""Scratch: temporary files for what cannot be read where it is, gone when it is left."""

from __future__ import annotations

import tempfile
from contextlib import AbstractContextManager
from pathlib import Path


class Scratch(AbstractContextManager["Scratch"]):
    """A folder of temporary files, made when the first is asked for."""

    def __init__(self) -> None:
        self.folder: tempfile.TemporaryDirectory[str] | None = None
        self.files = 0

    def place(self, suffix: str = "") -> Path:
        """Where another file may be written."""
        if self.folder is None:
            self.folder = tempfile.TemporaryDirectory(prefix="evenhand-")
        self.files += 1
        return Path(self.folder.name, f"{self.files}{suffix}")

    def __exit__(self, *error: object) -> None:
        if self.folder is not None:
            self.folder.cleanup()
