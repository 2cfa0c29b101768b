"""The commands audit, which and agree."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from evenhand.cli import options, sources
from evenhand.cli import output as out
from evenhand.cli.options import Flags, OutputOptions
from evenhand.errors import shown
from evenhand.options import LevelOptions

LONG = 100
"""Rows from which on progress is shown."""


@options.command()
@click.argument("file", type=options.FILE, metavar="FILE")
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
def audit_command(flags: Flags, output: OutputOptions) -> None:
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
    from evenhand.auditing.audit import audits, single

    names = ("runs", "multilabel", "abstentions", "rerank", "limit")
    with _progress() as step:
        result = audits(
            flags.file,
            support=_sizes(flags.supports),
            meanings=_pairs(flags.meanings, "--map", "HEADING=SCORE,…"),
            columns=sources.label_list(flags.columns) or () if flags.columns else (),
            complete=not flags.more_classes,
            progress=step,
            **{name: flags.values[name] for name in names},
        )
    out.show(single(result), output, "standard input" if flags.file == "-" else flags.file)
    out.end(result.ok)


def _sizes(texts: tuple[str, ...]) -> dict[str, int]:
    """The sizes of ``LABEL=N,LABEL=N``."""
    from evenhand.auditing.numbers import read_count

    sizes = {}
    for label, number in _pairs(texts, "--support", "LABEL=N,LABEL=N…").items():
        if not (number.isascii() and number.isdigit()):
            part = shown([f"{label}={number}"])
            raise click.UsageError(f"--support takes LABEL=N,LABEL=N…, got {part}.")
        sizes[label] = read_count(number, f"--support {label}") or 0
    return sizes


def _pairs(texts: tuple[str, ...], option: str, form: str) -> dict[str, str]:
    """What ``NAME=VALUE,NAME=VALUE`` says by name, a comma in a name being quoted."""
    pairs: dict[str, str] = {}
    for part in (part for text in texts for part in sources.label_list(text) or ()):
        name, equals, value = (p.strip() for p in part.rpartition("="))
        if not equals or not name:
            raise click.UsageError(f"{option} takes {form}, got {shown([part])}.")
        if name in pairs:
            raise click.UsageError(f"{option} gives {name!r} twice.")
        pairs[name] = value
    return pairs


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr for long tables; a line at the end where stderr is no terminal."""
    shown_once = False

    def step(done: int, rows: int) -> None:
        nonlocal shown_once
        if rows >= LONG and (done % 10 == 0 or done == rows):
            shown_once = True
            if sys.stderr.isatty():
                click.echo(f"\raudited {done:,} of {rows:,} systems", nl=False, err=True)
            elif done % LONG == 0 or done == rows:
                click.echo(f"audited {done:,} of {rows:,} systems", err=True)

    yield step
    if shown_once and sys.stderr.isatty():
        click.echo(err=True)


# ``evenhand which``: the formula behind one precision, recall and macro F1.


@options.command()
@click.option("--precision", required=True, metavar="P", help="Reported macro precision.")
@click.option("--recall", required=True, metavar="R", help="Reported macro recall.")
@click.option("--f1", required=True, metavar="F", help="Reported macro F1.")
@options.number(
    "--runs", 1, "The reported scores are means of N runs on the same items.", metavar="N"
)
@options.output()
def which_command(flags: Flags, output: OutputOptions) -> None:
    """Tell which formula gave a reported macro F1: the mean of F1, or the F1 of averages.

    Give the values with all the decimals that are printed: rounding is part of the answer.
    Exit code 1 says that no formula gives it.

    \b
    evenhand which --precision 0.725 --recall 0.5667 --f1 0.6042
    evenhand which --precision 72,5 --recall 56,67 --f1 63,61
    """
    from evenhand.auditing.audit import which

    result = which(flags.precision, flags.recall, flags.f1, runs=flags.runs)
    out.show(result, output)
    out.end(result.ok)


# ``evenhand agree``: how well any number of annotators agree.


@options.command(LevelOptions)
@click.argument("file", type=options.FILE)
@options.file(
    "--distance",
    default="nominal",
    show_default=True,
    metavar="nominal|ordinal|interval|ratio|FILE",
    help="How far apart labels are: by kind, a matrix, or CHILD,PARENT lines.",
)
@options.column("--id", help="Column of the item; all others are annotators unless named.")
@options.column("--annotator", help="Column of the annotator: one row an item and annotator.")
@options.column("--label", help="With --annotator: column of the label.")
@options.column("--pred", multiple=True, help="Column of an annotator's labels (repeatable).")
@click.option(
    "--labels",
    metavar="A,B,…",
    callback=lambda *arguments: sources.label_list(arguments[-1]),
    help="The labels, in this order.",
)
@options.declared(LevelOptions)
@sources.layout
@options.output()
def agree_command(flags: Flags, output: OutputOptions) -> None:
    """How well annotators agree who need not have rated every item: Krippendorff's alpha.

    The file has a column for each annotator and a row for each item, empty where there is no
    rating; or a row for each rating, with columns for the item, the annotator and the label.

    \b
    evenhand agree ratings.csv --id item
    evenhand agree ratings.csv --pred anna --pred ben --distance ordinal
    evenhand agree long.csv --id item --annotator worker --label answer
    evenhand agree ratings.csv --distance ordinal --labels low,middle,high --format json
    """
    from evenhand.core.contingency import APART
    from evenhand.io.delimited import TextLayout
    from evenhand.io.matrices import read_distance
    from evenhand.io.ratings import read_ratings
    from evenhand.scoring.agreement import agree

    long = (flags.annotator, flags.label)
    if len(set(map(bool, long))) > 1 or (flags.annotator and flags.id is None):
        raise click.UsageError("A row a rating needs --id, --annotator and --label.")
    if flags.annotator and flags.pred:
        raise click.UsageError("--pred names the annotators' columns: leave out --annotator.")
    layout = TextLayout(False if flags.no_header else None, flags.delimiter, flags.encoding)
    ratings = read_ratings(flags.file, item=flags.id, long=long, own=flags.pred, layout=layout)
    known = flags.distance in APART
    result = agree(
        ratings.data,
        distance=flags.distance if known else read_distance(flags.distance),
        **({n: n for n in ("item", "annotator", "label")} if flags.annotator else {}),
        labels=flags.labels,
        level=flags.level,
    )
    out.show(result.noted(*ratings.notes), output, flags.file)
