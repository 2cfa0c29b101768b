"""Scratch: temporary files for what cannot be read where it is, gone when it is left."""

from __future__ import annotations

import tempfile
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

from evenhand.files.leftovers import leftover


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
