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
    state: dict[str, Any] = {"done": 0, "bar": None, "task": None}
    lock = threading.Lock()

    def show() -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        with lock:
            if state["bar"] is not None or state["done"] is None:
                return
            state["bar"] = bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            state["task"] = bar.add_task(what, total=total, completed=state["done"])
            bar.start()

    def advance(by: int = 1) -> None:
        with lock:
            state["done"] += by
            if state["bar"] is not None:
                state["bar"].advance(state["task"], by)

    timer = threading.Timer(PATIENCE, show)
    timer.daemon = True
    if coloured(sys.stderr):  # a bar is drawn with the same codes as colour
        timer.start()
    try:
        yield advance
    finally:
        timer.cancel()
        with lock:
            if state["bar"] is not None:
                state["bar"].stop()
            state["done"] = None


def _lines(what: str, total: int | None) -> Callable[[int], None]:
    """Say each step in a line."""
    done, last = 0, -OFTEN

    def advance(by: int = 1) -> None:
        nonlocal done, last
        done += by
        now = time.monotonic()
        if now - last >= OFTEN:
            last = now
            share = f" {min(100, 100 * done // total)} %" if total else ""
            print(f"{STEP}{what}{share}", file=sys.stderr, flush=True)

    advance(0)
    return advance
