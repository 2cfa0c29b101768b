"""``evenhand twins``: the two formulas called macro F1."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from typing import Any

import click

from evenhand.cli import names, options, out, sources
from evenhand.cli.records import Averaging, Output, Source
from evenhand.errors import shown
from evenhand.notes.note import Note

OF_NUMBERS = ("files", "labels", "rows")
"""What bare numbers may come with."""


@names.command(short_help="The two 'macro F1'.")
@click.argument("files", type=names.FILE, nargs=-1, metavar="[K CELL… | GOLD PRED | FILE]")
@sources.one
@options.averaging
@options.number(
    "--pairs",
    5,
    "How many pairs of classes to list; JSON and CSV have all (up to 2,000 classes).",
    least=0,
    metavar="N",
)
@click.option(
    "--style",
    "program",
    type=click.Choice(["mf1"]),
    help="Print a matrix of bare numbers as the program of the paper does, digit for digit.",
)
@options.output()
def command(
    source: Source, averaging: Averaging, pairs: int, program: str | None, output: Output
) -> None:
    """Both macro F1s of one table, their gap, and the pairs of classes that make it.

    Bare numbers are the number of classes and the cells row by row, rows = predicted, as the
    program printed by Opitz & Burst (2019) takes them. Any input of evenhand score works too.

    \b
    evenhand twins 2 100 10000 0 100
    evenhand twins 2 100 10000 0 100 --style mf1
    evenhand twins gold.txt pred.txt
    evenhand twins --matrix "6 1 1; 1 5 2; 2 3 7" --format json
    """
    from evenhand.cli.inputs import data_from
    from evenhand.scoring.twins import twins

    if source.cluster:
        raise click.UsageError("--cluster changes intervals, and twins has none: leave it out.")
    files = source.files
    notes: tuple[Note, ...] = ()
    if files and _is_number(files[0]) and (len(files) > 2 or _is_number(files[-1])):
        table = _as_the_paper_does(files, source)
        if program:
            _as_the_paper_prints(table, averaging, output)
            return
        if not options.said("average") and not averaging.classes:
            listed = tuple(map(str, table.labels))  # it lists them, true of some item or not
            averaging = replace(averaging, classes=listed)
    elif program:
        raise click.UsageError("--style mf1 prints a matrix of bare numbers, as its program does.")
    else:
        loaded = data_from(source)
        table, notes = loaded.data, loaded.notes
    found = twins(table, classes=averaging.over(table), undefined=averaging.undefined)
    found = found.noted(*notes)
    out.show(found, output, pairs=pairs)


def _as_the_paper_prints(table: Any, *others: Any) -> None:
    """Every class counts there and the text is fixed, so that nothing else may be asked for."""
    from evenhand.papers.program import printed

    if any(options.said(f.name) for record in others for f in fields(record)):
        raise click.UsageError("--style mf1 prints what its program prints: no other choices.")
    click.echo(printed(table.cells.T.tolist()))


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?[0-9]+(\.[0-9]*)?([eE][0-9]+)?", text) is not None


def _as_the_paper_does(numbers: tuple[str, ...], source: Source) -> Any:
    from evenhand.files.matrices import number
    from evenhand.tables.confusion import Confusion

    if any(options.said(f.name) for f in fields(source) if f.name not in OF_NUMBERS):
        raise click.UsageError("Bare numbers are a matrix: they take no files or columns beside.")
    for i, text in enumerate(numbers):
        if not _is_number(text):
            raise click.UsageError(f"Expected a number in place {i + 1}, got {shown([text])}.")
    if not re.fullmatch(r"0*[1-9][0-9]{0,8}", numbers[0]):
        raise click.UsageError(f"Expected the number of classes first, got {numbers[0][:60]}.")
    k, cells = int(numbers[0]), numbers[1:]
    if len(cells) != k * k:
        raise click.UsageError(f"Expected {k * k} cells after K = {k}, got {len(cells)}.")
    values = list(map(number, cells))
    matrix = [values[i * k : (i + 1) * k] for i in range(k)]
    names = source.labels or [_letter(i) for i in range(k)]
    rows = source.rows if options.said("rows") else "pred"
    return Confusion.from_matrix(matrix, labels=names, rows=rows)  # type: ignore[arg-type]


def _letter(i: int) -> str:
    return chr(ord("a") + i) if i < 26 else f"class {i + 1}"
