"""Options that several commands share, and what they mean."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from evenhand.cli import names
from evenhand.errors import InputError

F = TypeVar("F", bound=Callable[..., Any])

FORMATS = ("table", "json", "csv", "markdown", "latex", "html")


def together(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one decorator, listed in the help in this order."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def _by_ending(path: str | None) -> str:
    from evenhand.results.write import ENDINGS

    return ENDINGS.get(Path(path or "").suffix.lower(), "table")


output = together(
    click.option(
        "--format",
        "style",
        type=click.Choice(FORMATS),
        default=lambda: _by_ending(click.get_current_context().params.get("output")),
        help="How to write the result  [default: as the ending of --output says, else table]",
    ),
    click.option(
        "--output",
        "-o",
        type=names.Output(),
        metavar="FILE",
        help="Write to FILE, not to the screen.",
    ),
    click.option(
        "--digits",
        type=click.IntRange(0, 17),
        metavar="N",
        default=4,
        show_default=True,
        help="Decimals of a score; JSON and CSV always have all.",
    ),
)

plot = click.option(
    "--plot",
    type=names.Output(),
    metavar="FILE",
    help="Also draw it: FILE ends in .svg, .png, .pdf, .html or .json (needs evenhand[plot]).",
)


def charts(*names: str) -> Callable[[F], F]:
    """--plot and which chart it draws, the first unless chosen."""
    chosen = click.option(
        "--chart",
        type=click.Choice(names),
        default=names[0],
        show_default=True,
        help="What --plot draws.",
    )
    return together(plot, chosen)


runs = click.option(
    "--runs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="The reported scores are means of N runs on the same items.",
)

metrics = click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="SPEC",
    help="Only this, e.g. macro_f1, macro_fbeta:beta=2, f1:label=spam, "
    "macro_f1@uniform (repeatable).",
)


averaging = together(
    click.option(
        "--average",
        type=click.Choice(["task", "true", "seen"]),
        default="task",
        show_default=True,
        help="Average over the task's classes (those that are true of some item; of label lists "
        "all given or seen), the true ones, or all seen in truth or predictions.",
    ),
    click.option(
        "--classes",
        multiple=True,
        metavar="LABEL",
        help="Average over these classes only (repeatable).",
    ),
    click.option(
        "--exclude",
        multiple=True,
        metavar="LABEL",
        help="Leave this class out of the averages (repeatable).",
    ),
    click.option(
        "--undefined",
        type=click.Choice(["0", "1", "nan"]),
        default="0",
        show_default=True,
        help="What 0/0 is worth; nan leaves the class out of the mean.",
    ),
)

intervals = click.option(
    "--interval",
    type=click.Choice(["auto", "delta", "bootstrap", "bca", "none"]),
    default="auto",
    show_default=True,
    help="How sure: auto is wilson for plain proportions, else delta on the metric's range.",
)

draws = together(
    click.option(
        "--level",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.95,
        show_default=True,
        help="Confidence level of the intervals.",
    ),
    click.option(
        "--replicates",
        type=click.IntRange(1),
        default=2000,
        show_default=True,
        help="Draws of a bootstrap or a randomisation test.",
    ),
    click.option(
        "--seed", type=int, default=0, show_default=True, help="The same seed, the same numbers."
    ),
    click.option(
        "--cluster",
        type=names.COLUMN,
        metavar="COL",
        help="Column of dependent items: documents, authors, users.",
    ),
)

_true = click.option(
    "--true", "true", type=names.COLUMN, metavar="COL", help="Column of the true labels."
)
_pred = click.option(
    "--pred", "pred", type=names.COLUMN, metavar="COL", help="Column of the predictions."
)
_by = click.option(
    "--by",
    type=names.COLUMN,
    multiple=True,
    metavar="COL",
    help="Also for each value of COL (repeatable).",
)
_items = together(
    click.option(
        "--label", type=names.COLUMN, metavar="COL", help="Column of the labels in all files."
    ),
    click.option(
        "--id",
        "id",
        type=names.COLUMN,
        metavar="COL",
        help="Match the items of files by this column.",
    ),
    click.option(
        "--missing",
        type=click.Choice(["error", "wrong"]),
        default="error",
        show_default=True,
        help="With --id: what an item without a prediction is.",
    ),
    click.option(
        "--drop-null-truth",
        is_flag=True,
        help="Leave out rows without a true label, and count them.",
    ),
    click.option("--weights", type=names.COLUMN, metavar="COL", help="Column of item weights."),
)
_names = together(
    click.option("--labels", metavar="A,B,…", help="The classes, in this order."),
    click.option(
        "--map",
        "mapping",
        type=names.FILE,
        metavar="FILE",
        help="Rename or merge labels: OLD,NEW lines.",
    ),
    click.option("--ignore-case", is_flag=True, help="Take labels that differ in case for one."),
)
matrix = together(
    click.option(
        "--matrix",
        type=names.FILE,
        metavar="TEXT|FILE",
        help='A confusion table: "6 1 1; 1 5 2; 2 3 7" or a file.',
    ),
    click.option(
        "--rows",
        type=click.Choice(["true", "pred"]),
        default="true",
        show_default=True,
        help="What the rows of the matrix are.",
    ),
)
tables = together(_true, _pred, _items, _by, matrix, _names)
one_table = together(_true, _pred, _items, matrix, _names)
one_system = together(one_table, metrics, averaging, intervals, draws, output)
several = together(
    _true,
    click.option(
        "--pred",
        multiple=True,
        type=names.COLUMN,
        metavar="COL",
        help="Column of a system (repeatable).",
    ),
    _items,
    _names,
)
ranked = together(
    click.option(
        "--by-metric",
        default="macro_f1",
        show_default=True,
        metavar="SPEC",
        help="The metric that decides the order.",
    ),
    _true,
    click.option(
        "--pred",
        type=names.COLUMN,
        multiple=True,
        metavar="COL",
        help="Column of a system's predictions (repeatable); of a wide file all others, "
        "if not given.",
    ),
    click.option(
        "--system",
        type=names.COLUMN,
        metavar="COL",
        help="Column of the system: one row an item and system.",
    ),
    click.option(
        "--run",
        type=names.COLUMN,
        metavar="COL|PATTERN",
        help="Runs of one system: a column beside --system, or a pattern of names, "
        "e.g. '{system}-{run}'.",
    ),
    click.option("--tables", is_flag=True, help="The files are tables: saved ones, or matrices."),
    click.option(
        "--keep-going",
        is_flag=True,
        help="Name a file that does not fit, go on with the others, and end with exit code 1.",
    ),
    _items,
    _by,
    _names,
)


def label_list(text: str | None) -> list[str] | None:
    """Labels of one option: separated by commas, quoted where they hold one."""
    if text is None:
        return None
    try:
        return [v.strip() for v in next(csv.reader([text], skipinitialspace=True, strict=True))]
    except csv.Error as e:
        raise click.UsageError(f"Expected labels separated by commas, got {text!r}: {e}.") from None


def averaged_classes(
    table: Any, average: str, classes: Sequence[str], exclude: Sequence[str]
) -> str | list[Any]:
    """The rule or the list of classes that an average runs over."""
    if not classes and not exclude:
        return average
    from evenhand.labels import positions

    if classes:
        kept = [table.labels[i] for i in positions(classes, table.labels, "--classes")]
    else:
        mask = table.averaged(average).reshape(-1, table.k).any(axis=0)
        kept = [v for v, m in zip(table.labels, mask, strict=True) if m]
    out = {table.labels[i] for i in positions(exclude, table.labels, "--exclude")}
    kept = [v for v in kept if v not in out]
    if not kept:
        raise InputError("--exclude leaves no class to average over")
    return kept
