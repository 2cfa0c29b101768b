"""Where results go: the screen, a file, a chart, and notes beside them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TextIO

import click

from evenhand.errors import InputError
from evenhand.files.whole import whole

if TYPE_CHECKING:
    from evenhand.cli.records import Output
    from evenhand.results.result import Result
    from evenhand.tables.confusion import Confusion


TELLING = ("markdown", "latex", "html")
"""Formats that have the warnings among their words: on one screen they are said once."""


def show(result: Result, output: Output, name: str = "", **how: Any) -> None:
    """A result in any format, to stdout or whole into a file, and its warnings beside it.

    ``name`` is what it is of; ``how`` says what of it is shown.
    """
    text, warnings = _text(result, output, name, how)
    write(text, output.path)
    told = output.style in TELLING and not output.footnote and on_screen(output.path)
    warn(() if told else warnings)


def on_screen(path: str | None) -> bool:
    """Whether what is written there is read where the warnings are."""
    return path in (None, "-") and sys.stdout.isatty()


def _text(
    result: Result, output: Output, name: str, how: dict[str, Any]
) -> tuple[str, Sequence[str]]:
    """What is written, and the warnings on what it shows: data for programs show everything."""
    from evenhand.results.write import alone, text

    if output.style == "json" and not output.footnote:
        return result.to_json(), result.warnings
    layout: Any = output.layout
    content = result.shown(layout=layout, names=output.called, **how)
    if output.footnote:
        return alone(content.footnote or content.signature, output.style), content.warnings
    content = content.of(name) if name else content
    if output.style == "csv":
        return text(content, "csv"), result.warnings
    if output.style != "table":
        return text(content, output.style, output.digits), content.warnings
    fancy = output.path is None and coloured(sys.stdout)
    said = text(content, "table", output.digits, fancy=fancy, warnings=False)
    return said, content.warnings


def keep(table: Confusion, sources: tuple[str, ...], path: str | None) -> None:
    """A table to read again, to stdout or into a file."""
    from evenhand.files.saved import dumps, save

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
    with whole(path) as part:
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
    from evenhand.results.text import visible

    head = click.style("warning: ", fg="yellow") if coloured(sys.stderr) else "warning: "
    for message in messages:
        click.echo(head + visible(message), err=True)


def coloured(stream: TextIO | None) -> bool:
    """Whether what is written there may carry colour: on a screen, unless NO_COLOR forbids."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream is not None and stream.isatty() and not plain


def line(text: str, *, beside: bool) -> None:
    """One line for a log, on stdout or ``beside`` the data that stand there."""
    from evenhand.results.text import visible

    click.echo(visible(text), err=beside)


def draw(chart: Any, path: str) -> None:
    """Write the chart, and say so beside the data."""
    chart.save(path)
    wrote(path, f": {chart.title}")


def wrote(path: str, what: str) -> None:
    """Say beside the data that a file is there."""
    from evenhand.results.text import visible

    click.echo(visible(f"wrote {path}{what}"), err=True)
