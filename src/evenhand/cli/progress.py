"""Progress on long work: a bar on stderr once it takes more than a moment, for people only."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from evenhand.cli.out import coloured

PATIENCE = 1.5


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Show ``what`` with the time it takes; call the value with how much is done."""
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
