"""Counting that resumes: which parts are counted, and where they are kept meanwhile."""

from __future__ import annotations

import json
import os
import uuid
from math import inf
from pathlib import Path
from time import monotonic

from evenhand.data.confusion import Confusion
from evenhand.data.multilabel import AnyTable
from evenhand.errors import InputError, Option, shown
from evenhand.io.columns import named_options
from evenhand.io.saved import Saved, identity, load, save
from evenhand.io.sources import expanded, is_stream

SETTINGS, EMPTY = "", "\0"
"""Under which no file's identity is kept, but the options, and the names of files without rows."""
PATIENCE = 1.0
"""Seconds of work that may have to be done again."""


def parts_of(files: list[str], columns: bool) -> list[tuple[str, ...]]:
    """What is counted one by one: every file with columns, or the one pair of files."""
    if columns:
        paths = [p for f in files for p in ((f,) if is_stream(f) else expanded(f))]
        known: set[str] = set()
        for path in paths:
            if os.path.realpath(path) in known:
                raise InputError(f"{path} is given more than once")
            known.add(os.path.realpath(path))
        return [(path,) for path in paths]
    if len(files) != 2:
        raise InputError(
            "expected a file of truth and one of predictions, or files with columns named by ",
            *named_options("true", "pred"),
            f", got {len(files)} file(s)",
        )
    return [tuple(files)]


def paths_of(part: tuple[str, ...]) -> list[str]:
    """The files of a part; a stream is none."""
    return [path for name in part if not is_stream(name) for path in expanded(name)]


def identities(part: tuple[str, ...]) -> dict[str, str]:
    """What tells the files of a part from others; a stream has nothing that would."""
    return {path: identity(path) for path in paths_of(part)}


class ResumableCount:
    """The table so far, and which files are in it; kept in a file every other moment."""

    def __init__(self, place: Path | None, settings: str) -> None:
        self.place = place
        self.settings = settings
        self.done: Saved | None = None
        self.files: dict[str, str] = {}
        self.empty: list[str] = []
        self.saved_at = -inf

    def restore(self, parts: list[tuple[str, ...]]) -> None:
        """Go on from what an interrupted count of these left; with nothing left, start anew."""
        if self.place is None or not self.place.exists():
            return
        self.done = load(self.place)
        self.files = dict(self.done.notes)
        self.empty = json.loads(self.files.pop(EMPTY, "[]"))
        if self.files.pop(SETTINGS, None) != self.settings:
            raise InputError(
                f"{self.place} was counted with other options; give the same, or start anew "
                "without ",
                Option("resume"),
            )
        left = sorted(self.files.keys() - {path for part in parts for path in paths_of(part)})
        if left:
            raise InputError(
                f"{self.place} has counted {shown(left)} too: give the same files, or start anew "
                "without ",
                Option("resume"),
            )

    def has(self, known: dict[str, str]) -> bool:
        """Whether these files are counted already; one that changed since is an error."""
        for path, now in known.items():
            if self.files.get(path, now) != now:
                raise InputError(
                    f"{path} changed since it was counted: start anew without ", Option("resume")
                )
        return bool(known) and known.keys() <= self.files.keys()

    def pass_over(self, part: tuple[str, ...], known: dict[str, str]) -> None:
        """Remember files that had nothing to count."""
        self.files |= known
        self.empty += part

    def add(self, table: AnyTable, known: dict[str, str]) -> None:
        """Count one part in, whose files had these identities before, and keep it."""
        if not isinstance(table, Confusion):
            raise InputError("multi-label data cannot be saved as a table; score them directly")
        part = Saved(table, tuple(known.values()) or (f"stream {uuid.uuid4().hex}",))
        try:
            self.done = part if self.done is None else self.done.merge(part)
        except InputError as e:
            here = " and ".join(known) or "a stream"
            raise InputError(f"{here} does not go with what was counted before: {e}") from None
        self.files |= known
        if monotonic() - self.saved_at > PATIENCE:
            self.keep()

    def __enter__(self) -> ResumableCount:
        return self

    def __exit__(self, *error: object) -> None:
        if error[0] is not None:
            self.keep()

    def keep(self) -> None:
        """Write what is done so far, if it is to be kept."""
        if self.place is not None and self.done is not None:
            notes = {SETTINGS: self.settings, EMPTY: json.dumps(self.empty), **self.files}
            save(self.done.table, self.place, self.done.sources, notes)
            self.saved_at = monotonic()

    @property
    def result(self) -> Saved:
        """Everything counted."""
        if self.done is None:
            raise InputError("there was nothing to count")
        return self.done

    def finish(self) -> None:
        """The result is safe: the file kept meanwhile can go."""
        if self.place is not None:
            self.place.unlink(missing_ok=True)
