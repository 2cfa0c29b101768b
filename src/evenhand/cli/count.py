"""``evenhand count``: labels into a table to keep."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from evenhand.cli import options


@click.command(short_help="Count labels into a table.")
@click.argument("files", nargs=-1, required=True, metavar="[GOLD PRED | FILE…]")
@options.tables
@click.option(
    "--output",
    type=click.Path(),
    metavar="FILE",
    help="Where the table goes: .json or .parquet; without it, JSON to the screen.",
)
@click.option(
    "--resume",
    is_flag=True,
    help="Go on where an interrupted count with the same --output stopped.",
)
def command(files: tuple[str, ...], output: str | None, resume: bool, **given: Any) -> None:
    """Count labels into a table that score, merge and all other commands take.

    With --true and --pred any number of files, patterns and folders of Parquet are counted, one
    after the other; without, GOLD and PRED. The table remembers what it counted, so that nothing
    is added twice.

    \b
    evenhand count gold.txt pred.txt --output table.json
    evenhand count 'logs/*.parquet' --true gold --pred system --output part.json
    evenhand count 'logs/*.parquet' --true gold --pred system --output part.json --resume
    """
    from evenhand.cli.inputs import reading_of
    from evenhand.cli.progress import progress
    from evenhand.count.rename import renamed
    from evenhand.count.saved import dumps, save
    from evenhand.count.work import Work, parts_of

    if given["matrix"] is not None:
        raise click.UsageError("A --matrix is counted already; score takes it as it is.")
    if resume and output is None:
        raise click.UsageError("--resume needs the --output of the count to go on with.")
    reading = reading_of(**given)
    columns = bool(given["true"] and given["pred"])
    parts = parts_of(list(files), columns)
    settings = " ".join(f"{k}={v}" for k, v in sorted(given.items()) if v)
    work = Work(None if output is None else Path(f"{output}.partial"), settings)
    if resume:
        work.restore()
    with progress("counting", len(parts)) as advance:
        for part in parts:
            counted = [work.has(p) for p in part]  # every one is checked for changes
            if not all(counted):
                work.add(reading.one(part[0]) if columns else reading.two(*part), part)
            advance(1)
    found = work.result
    table, notes = renamed(found.table, given["mapping"], given["ignore_case"])
    if output is None:
        options.write(dumps(table, found.sources), None)
    else:
        save(table, output, found.sources)
        work.finish()
    options.warn((*dict.fromkeys(reading.notes), *notes))
