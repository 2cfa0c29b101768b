"""Output, progress and exit codes of commands."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import click

from evenhand.errors import InputError

if TYPE_CHECKING:
    from evenhand.cli.options import OutputOptions
    from evenhand.data.confusion import Confusion
    from evenhand.results.document import Block
    from evenhand.results.result import Result

GRACE = 2.0
"""Seconds in which a command may put its things away itself."""


class EndedError(BaseException):
    """Somebody sent SIGTERM."""


@contextmanager
def ending() -> Iterator[None]:
    """Let SIGTERM be an error, so that files are closed and cleared as after any other.

    Python hears of it only when Polars returns, which may take minutes: a thread is told at once,
    and clears the files away itself where the command is too busy to do so.
    """
    if os.name != "posix" or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    signal.signal(signal.SIGTERM, _raise)
    signal.signal(signal.SIGUSR1, lambda *_: None)
    threading.Thread(target=_wait, args=(reader,), daemon=True).start()
    try:
        yield
    except EndedError:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _clear()
        os.kill(os.getpid(), signal.SIGTERM)


def _raise(*_: Any) -> NoReturn:
    raise EndedError


def _clear() -> None:
    if scratch := sys.modules.get("evenhand.io.scratch"):  # else there is nothing to remove
        scratch.clear()


def _wait(reader: int) -> None:
    while signal.SIGTERM not in os.read(reader, 1):
        pass
    # Another thread may have got the signal: one that means nothing wakes the first from waiting.
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)
    time.sleep(GRACE)
    _clear()
    os._exit(128 + signal.SIGTERM)


# Results go to the screen or a file, warnings to the error stream.

TELLING = ("markdown", "latex", "html")
"""Formats that have the warnings among their words: on one screen they are said once."""


def show(
    result: Result,
    output: OutputOptions,
    name: str = "",
    more: Sequence[Block] = (),
    **options: Any,
) -> None:
    """A result in any format, to stdout or whole into a file, and its warnings beside it.

    ``name`` is what it is of, ``more`` what people are shown after it, and ``options`` say what of
    it is shown.
    """
    text, warnings = _text(result, output, name, more, options)
    write(text, output.path)
    shown_already = output.style in TELLING and not output.footnote and on_screen(output.path)
    warn(() if shown_already else warnings)


def on_screen(path: str | None) -> bool:
    """Whether what is written there is read where the warnings are."""
    return path in (None, "-") and sys.stdout.isatty()


def _text(
    result: Result,
    output: OutputOptions,
    name: str,
    more: Sequence[Block],
    options: dict[str, Any],
) -> tuple[str, Sequence[str]]:
    """What is written, and the warnings on what it shows: data for programs show everything."""
    from evenhand.results.result import alone, in_format

    if output.style == "json" and not output.footnote:
        return result.to_json(), result.warnings
    layout: Any = output.layout
    percent = output.percent and output.style != "csv"
    content = result.shown(layout=layout, names=output.called, percent=percent, **options)
    if output.footnote:
        return alone(content.footnote or content.signature, output.style), content.warnings
    content = replace(content, blocks=[*content.blocks, *more])
    content = content.with_name(name) if name else content
    if output.style == "csv":
        return in_format(content, "csv"), result.warnings
    digits = max(output.digits - 2 * output.percent, 0)
    if output.style != "table":
        return in_format(content, output.style, digits), content.warnings
    on_request = "footnote" in click.get_current_context().params and not options.get("explain")
    if output.path is None and on_request:
        content = replace(content, footnote="", signature="")
    fancy = output.path is None and coloured(sys.stdout)
    text = in_format(content, "table", digits, fancy=fancy, warnings=False)
    return text, content.warnings


def keep(table: Confusion, sources: tuple[str, ...], path: str | None) -> None:
    """A table to read again, to stdout or into a file."""
    from evenhand.io.saved import dumps, save

    if path is None or path == "-":
        write(dumps(table, sources), None)
    else:
        save(table, path, sources)


def end(ok: bool) -> None:
    """Exit code 1 says that something is not as it should be."""
    if not ok:
        raise click.exceptions.Exit(1)


def write(text: str, path: str | None) -> None:
    """The result, to stdout or whole into a file."""
    if path is None or path == "-":
        _say(text)
        return
    from evenhand.io.scratch import atomic_write

    with atomic_write(path) as part:
        part.write_text(text + "\n", encoding="utf-8")


def _say(text: str) -> None:
    try:
        click.echo(text)
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as e:
        # What is left in the buffer goes nowhere, or Python would complain again on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(e, BrokenPipeError):  # a reader that has seen enough is no error
            raise InputError(f"the result cannot be written: {e.strerror}") from None


def warn(messages: Iterable[str]) -> None:
    """Notes for the person, apart from the data."""
    from evenhand.text import visible

    head = click.style("warning: ", fg="yellow") if coloured(sys.stderr) else "warning: "
    for message in messages:
        click.echo(head + visible(message), err=True)


def coloured(stream: TextIO | None) -> bool:
    """Whether what is written there may carry colour: on a screen, unless NO_COLOR forbids."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream is not None and stream.isatty() and not plain


def line(text: str, *, to_stderr: bool) -> None:
    """One line for a log, on stdout or ``beside`` the data that stand there."""
    from evenhand.text import visible

    click.echo(visible(text), err=to_stderr)


def draw(chart: Any, path: str) -> None:
    """Write the chart, and say so beside the data."""
    chart.save(path)
    wrote(path, f": {chart.title}")


def wrote(path: str, what: str) -> None:
    """Say beside the data that a file is there."""
    from evenhand.text import visible

    click.echo(visible(f"wrote {path}{what}"), err=True)


# Progress: a bar on the error stream once the work takes more than a moment.

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
