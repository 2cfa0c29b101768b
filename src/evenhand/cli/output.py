"""Output, progress and exit codes of commands."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO

import click

from evenhand.errors import InputError

if TYPE_CHECKING:
    from evenhand.cli.options import OutputOptions
    from evenhand.data.confusion import Confusion
    from evenhand.results.document import Block, Table
    from evenhand.results.result import Result


def clear_at_termination() -> None:
    """Let SIGTERM clear temporary files away, unless somebody else takes care of it.

    A thread is told at once; Python's own handler would wait until Polars returns, maybe minutes.
    """
    if os.name != "posix" or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    signal.signal(signal.SIGTERM, _ended)
    threading.Thread(target=_wait, args=(reader,), daemon=True).start()


def _ended(*_: Any) -> None:
    """The thread ends the process."""


def _wait(reader: int) -> None:
    while signal.SIGTERM not in os.read(reader, 1) or signal.getsignal(signal.SIGTERM) != _ended:
        pass
    if scratch := sys.modules.get("evenhand.io.scratch"):  # else there is nothing to remove
        scratch.clear()
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
    result: Result, output: OutputOptions, name: str, more: Sequence[Block], options: dict[str, Any]
) -> tuple[str, Sequence[str]]:
    """What is written, and the warnings on what it shows: data for programs show everything."""
    from evenhand.results.result import alone, in_format

    if output.style == "json" and not output.footnote:
        return result.to_json(), result.warning_lines
    layout: Any = output.layout
    percent = output.percent and output.style != "csv"
    words = {"title": output.title, "label": output.latex_label}
    fancy = output.path is None and coloured(sys.stdout)
    content = result.shown(layout=layout, percent=percent, **words, **options)
    if output.footnote:
        return alone(content.footnote or content.signature, output.style), content.warnings
    content = replace(content, blocks=[*content.blocks, *more])
    content = content.with_name(name) if name and output.title is None else content
    if output.style == "csv":
        return in_format(content, "csv"), result.warning_lines
    digits = 4 - 2 * output.percent if output.digits is None else output.digits
    if output.style != "table":
        return in_format(content, output.style, digits), content.warnings
    on_request = "footnote" in click.get_current_context().params and not options.get("explain")
    if output.path is None and on_request:
        content = replace(content, footnote="", signature="")
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
    from evenhand.results.result import whole_text

    whole_text(text, path)


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
    """Warnings and notes for the person, apart from the data."""
    from evenhand.results.terminal import terminal_columns
    from evenhand.text import folded

    head = "warning:"
    shown = click.style(head, fg="yellow") if coloured(sys.stderr) else head
    for message in messages:
        message = re.sub(r"\(option (\w+)\)", r"(--\1)", message)
        text = "\n".join(folded(message, terminal_columns(sys.stderr), "  "))
        click.echo(text.replace(head, shown, 1), err=True)


def coloured(stream: TextIO | None) -> bool:
    """Whether what is written there may carry colour: on a screen, unless NO_COLOR forbids."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream is not None and stream.isatty() and not plain


def line(text: str, *, to_stderr: bool = False, fold: bool = False) -> None:
    """One line for a log, on stdout, or on stderr where data stand; a terminal may fold it."""
    from evenhand.results.terminal import terminal_columns
    from evenhand.text import folded

    columns = terminal_columns(sys.stderr if to_stderr else sys.stdout) if fold else None
    click.echo("\n".join(folded(text, columns)), err=to_stderr)


def sheet(table: Table) -> None:
    """A table below a line."""
    from evenhand.results import terminal

    click.echo("\n" + terminal.table(table, 4, terminal.terminal_columns(sys.stdout)))


def draw(chart: Any, output: OutputOptions) -> None:
    """Write the chart, and say so beside the data."""
    chart.save(output.plot, width=output.paper)
    line(f"wrote {output.plot}: {chart.title}", to_stderr=True)


# Progress: a bar on the error stream once the work takes more than a moment.

PATIENCE = 1.5
"""Seconds before a bar is shown."""


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Show ``what`` with the time it takes; call the value with how much is done."""
    if not coloured(sys.stderr):  # bars are as colour is
        yield lambda by: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    words = TextColumn("{task.description}", markup=False)
    screen = Console(stderr=True)
    bar = Progress(words, BarColumn(), TimeElapsedColumn(), console=screen, transient=True)
    task = bar.add_task(what, total=total)
    timer = threading.Timer(PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda by: bar.advance(task, by)
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
