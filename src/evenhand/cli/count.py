"""``evenhand count``: labels into a table to keep."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from evenhand.cli import names, options, out


@names.command(short_help="Count labels into a table.")
@click.argument("files", type=names.FILE, nargs=-1, required=True, metavar="[GOLD PRED | FILE…]")
@options.tables
@click.option(
    "--output",
    type=names.Output(".partial"),
    metavar="FILE",
    help="Where the table goes: .parquet by that ending, else JSON; without it, to the screen.",
)
@click.option(
    "--resume",
    is_flag=True,
    help="Go on where an interrupted count with the same --output stopped.",
)
def command(files: tuple[str, ...], output: str | None, resume: bool, **given: Any) -> None:
    """Count labels into a table that score, merge and all other commands take.

    With --true and --pred any number of files, patterns and folders of Parquet are counted, one
    after the other; without them, or with --id, GOLD and PRED. Folders named lang=de around
    Parquet files are a column lang. The table remembers what it counted, so that nothing is
    added twice.

    \b
    evenhand count gold.txt pred.txt --output table.json
    evenhand count 'logs/*.parquet' --true gold --pred system --output part.json
    evenhand count 'logs/*.parquet' --true gold --pred system --output part.json --resume
    """
    from evenhand.cli.inputs import reading_of, renaming_of
    from evenhand.cli.progress import progress
    from evenhand.count.rename import renamed
    from evenhand.count.saved import dumps, save
    from evenhand.count.sources import is_stream
    from evenhand.count.whole import replaces
    from evenhand.count.work import Work, identities, parts_of
    from evenhand.errors import InputError, NoRowsError
    from evenhand.notes.reading import EmptyFiles
    from evenhand.results.words import said

    if given["matrix"] is not None:
        raise click.UsageError("A --matrix is counted already; score takes it as it is.")
    to_screen = output is None or output == "-"
    place = None if to_screen or not replaces(str(output)) else Path(f"{output}.partial")
    if resume and place is None:
        raise click.UsageError("--resume needs the --output FILE of the count to go on with.")
    if place is not None and not (output and place.parent.is_dir()):
        raise InputError(
            f"{output or 'an output without a name'} cannot be written: no such folder"
        )
    reading, rename = reading_of(**given), renaming_of(**given)
    reading, labels = reading.without_labels() if any(rename) else (reading, None)
    columns = bool(given["true"] and given["pred"] and not given["id"])
    if columns and given["true"] == given["pred"]:
        raise click.UsageError("--true and --pred name one column; for two files say --label COL.")
    parts = parts_of(list(files), columns)
    if resume and any(is_stream(p) for part in parts for p in part):
        raise click.UsageError("--resume cannot tell whether a stream was counted already.")
    settings = " ".join(f"{k}={v}" for k, v in sorted(given.items()) if v)
    work = Work(place, settings)
    if resume:
        work.restore(parts)
    empty: list[str] = []
    with progress("counting", len(parts)) as advance, work:
        for part in parts:
            known = identities(part)
            if not work.has(known):
                try:
                    work.add(reading.one(part[0]) if columns else reading.two(*part), known)
                except NoRowsError:
                    if len(parts) == 1:
                        raise
                    work.pass_over(known)
                    empty += part
            advance(1)
    found = work.result
    table, notes = renamed(found.table, *rename, labels)
    if output is None or output == "-":
        out.write(dumps(table, found.sources), None)
    else:
        save(table, output, found.sources)
        work.finish()
    if empty:
        reading.notes.append(EmptyFiles(tuple(empty), len(parts)))
    out.warn(map(said, dict.fromkeys((*reading.notes, *notes))))
