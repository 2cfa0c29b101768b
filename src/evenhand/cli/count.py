"""``evenhand count``: labels into a table to keep."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from evenhand.cli import names, options, out, sources
from evenhand.cli.records import Source


@names.command(short_help="Count labels into a table.")
@click.argument("files", type=names.FILE, nargs=-1, required=True, metavar="[GOLD PRED | FILE…]")
@sources.one
@options.written(
    type=names.Output(".partial"),
    help="Where the table goes: .parquet by that ending, else JSON; without it, to the screen.",
)
@options.flag("--resume", help="Go on where an interrupted count with the same --output stopped.")
def command(source: Source, output: str | None, resume: bool) -> None:
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
    from evenhand.cli.progress import progress
    from evenhand.errors import InputError, NoRowsError
    from evenhand.files.opening import is_stream
    from evenhand.files.read import part_of
    from evenhand.files.rename import renamed
    from evenhand.files.resuming import Work, identities, parts_of
    from evenhand.files.whole import replaces
    from evenhand.notes.note import Note
    from evenhand.notes.reading import EmptyFiles
    from evenhand.results.words import said

    if source.matrix is not None:
        raise click.UsageError("A --matrix is counted already; score takes it as it is.")
    to_screen = output is None or output == "-"
    place = None if to_screen or not replaces(str(output)) else Path(f"{output}.partial")
    if resume and place is None:
        raise click.UsageError("--resume needs the --output FILE of the count to go on with.")
    if place is not None and not (output and place.parent.is_dir()):
        raise InputError(
            f"{output or 'an output without a name'} cannot be written: no such folder"
        )
    if len(source.pred) > 1:
        raise click.UsageError("count keeps the table of one system: expected one --pred.")
    if source.cluster:
        raise click.UsageError(
            "A table keeps no items and so no clusters: leave out --cluster, or score the files."
        )
    joined = source.id is not None and len(source.files) == 2
    columns = bool(source.true and (source.pred or source.probabilities) and not joined)
    parts = parts_of(list(source.files), columns)
    if resume and any(is_stream(p) for part in parts for p in part):
        raise click.UsageError("--resume cannot tell whether a stream was counted already.")
    asked = sorted(vars(replace(source, files=())).items())
    work = Work(place, " ".join(f"{k}={v}" for k, v in asked if v))
    if resume:
        work.restore(parts)
    seen: list[Note] = []
    with progress("counting", len(parts)) as advance, work:
        for part in parts:
            known = identities(part)
            if not work.has(known):
                try:
                    found = part_of(source, part)
                    work.add(found.data, known)
                    seen += found.notes
                except NoRowsError:
                    if len(parts) == 1:
                        raise
                    work.pass_over(part, known)
            advance(1)
    counted = work.result
    table, notes = renamed(counted.table, source)
    out.keep(table, counted.sources, output)
    work.finish()
    passed = [EmptyFiles(tuple(work.empty), len(parts))] if work.empty else []
    out.warn(map(said, dict.fromkeys((*seen, *passed, *notes))))
