"""``evenhand audit``: reported scores, held against themselves."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from evenhand.cli import names, options, out, sources
from evenhand.cli.records import Output
from evenhand.errors import shown

LONG = 100
"""Rows from which on progress is shown."""


@names.command(short_help="Audit reported scores.")
@click.argument("file", type=names.FILE, metavar="FILE")
@options.label(
    "--support",
    "supports",
    metavar="LABEL=N,…",
    help="Class sizes, for all rows (repeatable).",
)
@click.option(
    "--map",
    "meanings",
    multiple=True,
    metavar="HEADING=SCORE,…",
    help="What headings mean that are not recognised (repeatable); HEADING=- is not used.",
)
@click.option(
    "--columns",
    metavar="SCORE,…",
    help="What every column is, in order: name,macro_precision,…; - is not used.",
)
@click.option(
    "--runs",
    type=click.IntRange(min=1),
    metavar="N",
    help="The reported scores are means of N runs on the same items; 1 unless ± is beside them.",
)
@click.option(
    "--multilabel/--single-label",
    default=None,
    help="Whether items may have several labels; the table's micro averages tell.",
)
@options.flag("--abstentions", help="Predictions may be outside the classes.")
@options.flag("--more-classes", help="The classes listed are not all.")
@options.flag("--rerank", help="Rank the systems by both macro F1s.")
@options.number(
    "--limit", 100, "Tables to search for in each row before answering 'unknown'.", metavar="N"
)
@options.printed
@options.output()
def command(
    file: str,
    supports: tuple[str, ...],
    meanings: tuple[str, ...],
    columns: str | None,
    runs: int | None,
    multilabel: bool | None,
    abstentions: bool,
    more_classes: bool,
    rerank: bool,
    limit: int,
    output: Output,
) -> None:
    """Which formula is behind each reported macro F1, and which numbers cannot be true.

    FILE is a document: LaTeX, Markdown, HTML, text copied from a PDF, CSV, TSV, Excel, what
    scikit-learn, PyCM and caret print, or - for standard input. Every table in it is audited.
    Headings are read as papers write them (P, R, F1, Prec., macro-F1, Acc., κ, a class over its
    columns, systems or classes down), and what each was taken for is shown. Values are read as
    they are written: 75.2, 75.20, .752, 75,2 %, 75.2 ± 0.4. Exit code 1 says that something was
    found, 2 that nothing could be read.

    \b
    evenhand audit table.csv
    evenhand audit paper.tex --support positive=1200,negative=1500,neutral=900
    evenhand audit - < copied.txt
    evenhand audit table.md --map 'F=macro_f1,Score=accuracy'
    evenhand audit table.txt --columns name,macro_precision,macro_recall,macro_f1
    evenhand audit table.csv --runs 5 --rerank --format json
    """
    from evenhand.auditing.documents import audits, single

    with _progress() as step:
        found = audits(
            file,
            support=_sizes(supports),
            meanings=_pairs(meanings, "--map", "HEADING=SCORE,…"),
            columns=sources.label_list(columns) or () if columns else (),
            runs=runs,
            multilabel=multilabel,
            abstentions=abstentions,
            complete=not more_classes,
            rerank=rerank,
            limit=limit,
            progress=step,
        )
    out.show(single(found), output, "standard input" if file == "-" else file)
    out.end(found.ok)


def _sizes(given: tuple[str, ...]) -> dict[str, int]:
    """The sizes of ``LABEL=N,LABEL=N``."""
    from evenhand.auditing.printed import read_count

    sizes = {}
    for label, number in _pairs(given, "--support", "LABEL=N,LABEL=N…").items():
        if not (number.isascii() and number.isdigit()):
            part = shown([f"{label}={number}"])
            raise click.UsageError(f"--support takes LABEL=N,LABEL=N…, got {part}.")
        sizes[label] = read_count(number, f"--support {label}") or 0
    return sizes


def _pairs(given: tuple[str, ...], option: str, form: str) -> dict[str, str]:
    """What ``NAME=VALUE,NAME=VALUE`` says by name, a comma in a name being quoted."""
    found: dict[str, str] = {}
    for part in (part for text in given for part in sources.label_list(text) or ()):
        name, equals, value = (p.strip() for p in part.rpartition("="))
        if not equals or not name:
            raise click.UsageError(f"{option} takes {form}, got {shown([part])}.")
        if name in found:
            raise click.UsageError(f"{option} gives {name!r} twice.")
        found[name] = value
    return found


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr for long tables; a line at the end where stderr is no terminal."""
    told = False

    def step(done: int, rows: int) -> None:
        nonlocal told
        if rows >= LONG and (done % 10 == 0 or done == rows):
            told = True
            if sys.stderr.isatty():
                click.echo(f"\raudited {done:,} of {rows:,} systems", nl=False, err=True)
            elif done % LONG == 0 or done == rows:
                click.echo(f"audited {done:,} of {rows:,} systems", err=True)

    yield step
    if told and sys.stderr.isatty():
        click.echo(err=True)
