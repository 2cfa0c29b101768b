"""``evenhand audit``: reported scores, held against themselves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from evenhand.cli import names, options, out
from evenhand.cli.records import Output
from evenhand.errors import shown

if TYPE_CHECKING:
    from collections.abc import Callable

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
@options.runs
@options.flag("--abstentions", help="Predictions may be outside the classes.")
@options.flag("--more-classes", help="The classes listed are not all.")
@options.flag("--rerank", help="Rank the systems by both macro F1s.")
@options.number(
    "--limit", 100, "Tables to search for in each row before answering 'unknown'.", metavar="N"
)
@options.output()
def command(
    file: str,
    supports: tuple[str, ...],
    runs: int,
    abstentions: bool,
    more_classes: bool,
    rerank: bool,
    limit: int,
    output: Output,
) -> None:
    """Which formula is behind each reported macro F1, and which numbers cannot be true.

    FILE is CSV or TSV with one system a row: name, metrics (accuracy, macro_precision,
    macro_recall, macro_f1, weighted_f1, kappa, mcc, …), per class precision[LABEL],
    recall[LABEL], f1[LABEL], support[LABEL], and n and correct. Values are read as they are
    written: 75.2, 75.20, 0.752 and 75,2 %. Exit code 1 says that something was found.

    \b
    evenhand audit table.csv
    evenhand audit table.csv --support positive=1200,negative=1500,neutral=900
    evenhand audit table.csv --runs 5 --rerank --format json
    """
    from evenhand.auditing.audit import audit

    with _progress() as step:
        found = audit(
            file,
            support=_sizes(supports),
            runs=runs,
            abstentions=abstentions,
            complete=not more_classes,
            rerank=rerank,
            limit=limit,
            progress=step,
        )
    out.show(found, output, file)
    out.end(found.ok)


def _sizes(given: tuple[str, ...]) -> dict[str, int]:
    """The sizes of ``LABEL=N,LABEL=N``, a comma in a label being quoted."""
    from evenhand.auditing.printed import read_count

    sizes: dict[str, int] = {}
    for text in given:
        for part in options.label_list(text) or []:
            label, equals, number = (p.strip() for p in part.rpartition("="))
            if not equals or not label or not (number.isascii() and number.isdigit()):
                raise click.UsageError(f"--support takes LABEL=N,LABEL=N…, got {shown([part])}.")
            if label in sizes:
                raise click.UsageError(f"--support gives {label!r} twice.")
            sizes[label] = read_count(number, f"--support {label}") or 0
    return sizes


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr for long tables; a line at the end where stderr is no terminal."""
    import sys

    shown = False

    def step(done: int, rows: int) -> None:
        nonlocal shown
        if rows >= LONG and (done % 10 == 0 or done == rows):
            shown = True
            if sys.stderr.isatty():
                click.echo(f"\raudited {done:,} of {rows:,} systems", nl=False, err=True)
            elif done % LONG == 0 or done == rows:
                click.echo(f"audited {done:,} of {rows:,} systems", err=True)

    yield step
    if shown and sys.stderr.isatty():
        click.echo(err=True)
