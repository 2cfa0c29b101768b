"""Options of what is read: labels, tables, and files of several systems, as one record."""

from __future__ import annotations

import csv

import click

from evenhand.cli import names
from evenhand.cli.options import choice, column, file, flag, gathered, together
from evenhand.cli.records import Source


def label_list(text: str | None) -> tuple[str, ...] | None:
    """Labels of one option: separated by commas, quoted where they hold one."""
    if text is None:
        return None
    try:
        found = next(csv.reader([text], skipinitialspace=True, strict=True))
    except csv.Error as e:
        raise click.UsageError(f"Expected labels separated by commas, got {text!r}: {e}.") from None
    return tuple(v.strip() for v in found)


layout = together(
    flag("--no-header", help="The first row is data: columns have numbers."),
    click.option(
        "--delimiter",
        metavar="CHAR",
        help="What separates columns, e.g. ';' or '\\t'  [default: as the file's name says]",
    ),
    click.option(
        "--encoding",
        metavar="NAME",
        help="What text is in, e.g. cp1252  [default: utf-8, or as a byte order mark says]",
    ),
)
_labels = together(
    column("--true", help="Column of the true labels, by name or by number (from 1)."),
    column("--pred", multiple=True, help="Column of a system's predictions (repeatable)."),
    column("--label", help="Column of the labels in all files."),
    column("--id", help="Match the items of files by this column."),
    choice(
        "--missing",
        among=("error", "wrong"),
        help="With --id: what an item without a prediction is.",
    ),
    flag("--drop-null-truth", help="Leave out rows without a true label, and count them."),
    column("--weights", help="Column of item weights."),
    column("--cluster", help="Column of dependent items: documents, authors, users."),
    column("--by", multiple=True, help="Also for each value of COL (repeatable)."),
    click.option(
        "--labels",
        metavar="A,B,…",
        callback=lambda *given: label_list(given[-1]),
        help="The classes, in this order.",
    ),
    file("--map", "mapping", help="Rename or merge labels: OLD,NEW lines."),
    flag("--ignore-case", help="Take labels that differ in case for one."),
    click.option(
        "--kind",
        type=click.Choice(["multi-label", "tokens"]),
        help="What lists are: sets of labels, or sequences with one item a token.",
    ),
    click.option(
        "--separator",
        type=names.Named("separator"),
        metavar="MARK",
        help="What parts the labels of an item, e.g. '|'.",
    ),
    column(
        "--probabilities",
        metavar="A,B,…|PREFIX|COL",
        help="Columns of class probabilities in place of --pred: by name, by how they begin, or "
        "one of lists or objects.",
    ),
    click.option(
        "--decide",
        metavar="argmax|LABEL=T",
        help="Make labels of probabilities: the largest, or LABEL from the threshold T on.",
    ),
    layout,
)
_matrix = together(
    file(
        "--matrix", metavar="TEXT|FILE", help='A confusion table: "6 1 1; 1 5 2; 2 3 7" or a file.'
    ),
    choice("--rows", among=("true", "pred"), help="What the rows of the matrix are."),
)
_several = together(
    column("--system", help="Column of the system: one row an item and system."),
    flag(
        "--keep-going",
        help="Name a file that does not fit, go on with the others, and end with exit code 1.",
    ),
)
_ranked = together(
    click.option(
        "--by-metric",
        default="macro_f1",
        show_default=True,
        metavar="SPEC",
        help="The metric that decides the order.",
    ),
    column(
        "--run",
        metavar="COL|PATTERN",
        help="Runs of one system: a column beside --system, or a pattern of names, "
        "e.g. '{system}-{run}'.",
    ),
    flag("--tables", help="The files are tables: saved ones, or matrices."),
)
one = gathered(Source, _labels, _matrix)
submitted = gathered(Source, _labels)
several = gathered(Source, _several, _labels)
ranked = gathered(Source, _ranked, _several, _labels)
planned = gathered(Source, _several, _labels, _matrix)
reported = gathered(Source, _ranked, _several, _labels, _matrix)
