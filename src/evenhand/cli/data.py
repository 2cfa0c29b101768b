"""The commands look, count and merge."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evenhand.cli import options, sources
from evenhand.cli import output as out
from evenhand.cli.options import Flags, OutputOptions, SourceOptions

if TYPE_CHECKING:
    from evenhand.looking import Look


@options.command()
@click.argument("file", type=options.FILE, metavar="FILE")
@sources.layout
@options.output()
def look_command(flags: Flags, output: OutputOptions) -> None:
    """What a file is: format, encoding, columns, which look like labels, and what to run next.

    Columns have their type, the number of distinct values and examples. What they are taken for
    (truth, predictions, ids, systems, runs, samples, clusters, weights) goes by names, by how full
    and how distinct they are, and by labels that they share; what is unsure is said.

    \b
    evenhand look answers.csv
    evenhand look 'results.xlsx#sheet' --format json
    """
    from evenhand.looking import look

    description = look(**flags.values)
    out.show(replace(description, command=next_command(description, flags.file)), output)


def next_command(about: Look, file: str) -> str:
    """The command line that scores the file, as far as it is known."""
    from evenhand.data.roles import PRED, TRUE

    chosen = [options.spelled(option) for option in about.options]
    name, systems = shlex.quote(file), about.of(PRED)
    if about.members:
        parts = ["rank", "GOLD", name, *chosen]
    elif systems and not about.of(TRUE):
        parts = ["score", "GOLD", name, *chosen]
    elif about.kind == "a saved table" or systems:
        several = len(systems) > 1 or any(o.name == "system" for o in about.options)
        parts = ["rank" if several else "score", name, *chosen]
    elif about.columns and not about.of("truth") and about.kind.startswith(("CSV", "TSV", "Par")):
        parts = ["score", name, *chosen, "--true COL --pred COL"]
    else:
        parts = ["score", name, "PRED", *chosen]
    return " ".join(["evenhand", *parts])


# ``evenhand count``: labels into a table to keep.


@options.command()
@options.files(required=True, metavar="[GOLD PRED | FILE…]")
@sources.one
@options.written(
    type=options.OutputPath(".partial"),
    help="Where the table goes: .parquet by that ending, else JSON; without it, to the screen.",
)
@options.flag("--resume", help="Go on where an interrupted count with the same --output stopped.")
def count_command(source: SourceOptions, flags: Flags) -> None:
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
    from evenhand.errors import InputError, NoRowsError
    from evenhand.io.items import renamed
    from evenhand.io.loading import part_of
    from evenhand.io.resuming import ResumableCount, identities, parts_of
    from evenhand.io.scratch import replaces
    from evenhand.io.sources import is_stream
    from evenhand.warnings import EmptyFiles, ResultWarning

    output, resume = flags.output, flags.resume
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
    source = sources.deciding(source)
    joined = source.id is not None and len(source.files) == 2
    columns = bool(source.true and (source.pred or source.probabilities) and not joined)
    parts = parts_of(list(source.files), columns)
    if resume and any(is_stream(p) for part in parts for p in part):
        raise click.UsageError("--resume cannot tell whether a stream was counted already.")
    settings = sorted(vars(replace(source, files=())).items())
    work = ResumableCount(place, " ".join(f"{k}={v}" for k, v in settings if v))
    if resume:
        work.restore(parts)
    seen: list[ResultWarning] = []
    with out.progress("counting", len(parts)) as advance, work:
        for part in parts:
            known = identities(part)
            if not work.has(known):
                try:
                    counted_part = part_of(source, part)
                    work.add(counted_part.data, known)
                    seen += counted_part.notes
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
    kinds = dict.fromkeys((*seen, *passed, *notes))
    out.warn(note.sentence for note in kinds if not note.is_record)


# ``evenhand merge``: saved tables, added up.


@options.command()
@options.files(required=True, metavar="TABLE…")
@options.written(
    help="Where the sum goes: .parquet by that ending, else JSON; without it, to the screen."
)
def merge_command(flags: Flags) -> None:
    """Add up tables that count saved; a source that two of them count is an error.

    \b
    evenhand merge part*.json --output all.json
    """
    from evenhand.errors import InputError
    from evenhand.io.saved import Saved, load

    merged: Saved | None = None
    with out.progress("merging", len(flags.files)) as advance:
        for name in flags.files:
            part = load(name)
            try:
                merged = part if merged is None else merged.merge(part)
            except InputError as e:
                raise InputError(f"{name}: {e}") from None
            advance(1)
    assert merged is not None
    out.keep(merged.table, merged.sources, flags.output)
