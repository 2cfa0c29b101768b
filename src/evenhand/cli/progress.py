"""Progress on long work: a bar on stderr once it takes more than a moment, for people only.

For programs, a line for each step where ``EVENHAND_PROGRESS`` is set.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from evenhand.cli.out import coloured

PATIENCE = 1.5
"""Seconds before a bar is shown."""
OFTEN = 0.2
"""Seconds between two lines for a program."""
STEP = "\x1e"
"""What such a line begins with."""


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Show ``what`` with the time it takes; call the value with how much is done."""
    if os.environ.get("EVENHAND_PROGRESS"):
        yield _lines(what, total)
        return
    bar: Any = None
    done, over = 0, False
    lock = threading.Lock()

    def show() -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        nonlocal bar
        with lock:
            if over:
                return
            bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            bar.add_task(what, total=total, completed=done)
            bar.start()

    def advance(by: int) -> None:
        nonlocal done
        with lock:
            done += by
            if bar is not None:
                bar.update(bar.task_ids[0], completed=done)

    timer = threading.Timer(PATIENCE, show)
    timer.daemon = True
    if coloured(sys.stderr):  # a bar is drawn with the same codes as colour
        timer.start()
    try:
        yield advance
    finally:
        timer.cancel()
        with lock:
            over = True
            if bar is not None:
                bar.stop()


def _lines(what: str, total: int | None) -> Callable[[int], None]:
    """Say each step in a line."""
    done, last = 0, -OFTEN

    def advance(by: int) -> None:
        nonlocal done, last
        done += by
        now = time.monotonic()
        if now - last >= OFTEN:
            last = now
            share = f" {min(100, 100 * done // total)} %" if total else ""
            print(f"{STEP}{what}{share}", file=sys.stderr, flush=True)

    advance(0)
    return advance
