"""``evenhand look``: what a file is."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from evenhand.cli import names, options, out, sources
from evenhand.cli.records import Output

if TYPE_CHECKING:
    from evenhand.looking.looking import Look


@names.command(short_help="What a file is.")
@click.argument("file", type=names.FILE, metavar="FILE")
@sources.layout
@options.output()
def command(
    file: str, no_header: bool, delimiter: str | None, encoding: str | None, output: Output
) -> None:
    """What a file is: format, encoding, columns, which look like labels, and what to run next.

    Columns have their type, the number of distinct values and examples. What is guessed of truth,
    predictions, ids and weights goes by names and by labels that columns share.

    \b
    evenhand look answers.csv
    evenhand look 'results.xlsx#sheet' --format json
    """
    from evenhand.looking.looking import look

    found = look(file, no_header=no_header, delimiter=delimiter, encoding=encoding)
    out.show(replace(found, command=next_command(found, file)), output)


def next_command(found: Look, file: str) -> str:
    """The command line that scores the file, as far as it is known."""
    from evenhand.looking.roles import PRED

    said = [names.spelled(option) for option in found.options]
    name, systems = shlex.quote(file), found.of(PRED)
    if found.members:
        parts = ["rank", "GOLD", name, *said]
    elif found.kind == "a saved table" or systems:
        parts = ["rank" if len(systems) > 1 else "score", name, *said]
    elif found.columns and not found.of("truth") and found.kind.startswith(("CSV", "TSV", "Par")):
        parts = ["score", name, *said, "--true COL --pred COL"]
    else:
        parts = ["score", name, "PRED", *said]
    return " ".join(["evenhand", *parts])
