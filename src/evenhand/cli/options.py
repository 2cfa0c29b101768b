"""Options that several commands share, and what they mean."""

from __future__ import annotations

import contextlib
import csv
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TextIO, TypeVar

import click

from evenhand.errors import InputError

F = TypeVar("F", bound=Callable[..., Any])

FORMATS = ("table", "json", "csv", "markdown", "latex")


def together(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one decorator, listed in the help in this order."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


output = together(
    click.option(
        "--format",
        "style",
        type=click.Choice(FORMATS),
        default="table",
        show_default=True,
        help="How to write the result.",
    ),
    click.option(
        "--output", type=click.Path(), metavar="FILE", help="Write to FILE, not to the screen."
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


def check_plot(path: str | None) -> None:
    """Refuse a file that cannot be a chart before any work is done."""
    if path is not None:
        from evenhand.show.chart import ending_of
        from evenhand.show.render import require

        if ending_of(path) != ".json":
            require()


def draw(chart: Any, path: str) -> None:
    """Write the chart, and say so beside the data."""
    chart.save(path)
    click.echo(f"wrote {path}: {chart.title}", err=True)


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


def averaging_over(rule: str) -> Callable[[F], F]:
    """Which classes an average runs over, with this rule as the default."""
    return together(
        click.option(
            "--average",
            type=click.Choice(["seen", "true"]),
            default=rule,
            show_default=True,
            help="Average over classes in truth or predictions, or in the truth only.",
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


averaging = averaging_over("seen")
averaging_truth = averaging_over("true")

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
        "--cluster", metavar="COL", help="Column of dependent items: documents, authors, users."
    ),
)

_labels = (
    click.option("--true", "true", metavar="COL", help="Column of the true labels."),
    click.option("--pred", "pred", metavar="COL", help="Column of the predictions."),
    click.option("--label", metavar="COL", help="Column of the labels in both files."),
    click.option("--id", "id", metavar="COL", help="Join two files by this column."),
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
    click.option("--weights", metavar="COL", help="Column of item weights."),
)
_by = click.option(
    "--by", multiple=True, metavar="COL", help="Also score each value of COL (repeatable)."
)
_tables = (
    click.option(
        "--matrix", metavar="TEXT|FILE", help='A confusion table: "6 1 1; 1 5 2; 2 3 7" or a file.'
    ),
    click.option(
        "--rows",
        type=click.Choice(["true", "pred"]),
        default="true",
        show_default=True,
        help="What the rows of the matrix are.",
    ),
    click.option("--labels", metavar="A,B,…", help="The classes, in this order."),
    click.option("--map", "mapping", metavar="FILE", help="Rename or merge labels: OLD,NEW lines."),
    click.option("--ignore-case", is_flag=True, help="Take labels that differ in case for one."),
)
tables = together(*_labels, _by, *_tables)
one_table = together(*_labels, *_tables)
one_system = together(one_table, metrics, averaging, intervals, draws, output)


def label_list(text: str | None) -> list[str] | None:
    """Labels of one option: separated by commas, quoted where they hold one."""
    if text is None:
        return None
    return [v.strip() for v in next(csv.reader([text], skipinitialspace=True))]


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


def written(result: Any, style: str, digits: int) -> str:
    """A result for another program or a paper."""
    from evenhand.format.grid import comma_separated
    from evenhand.format.json import dumps

    if style == "json":
        return dumps(result.to_dict())
    if style == "csv":
        return comma_separated(result.long_grid)
    text: str = getattr(result, f"to_{style}")(digits=digits)
    return text


def write(text: str, path: str | None) -> None:
    """The result, to stdout or whole into a file."""
    if path is None or path == "-":
        _say(text)
        return
    if not path:
        raise InputError("--output must name a file, got an empty name")
    target = Path(os.path.realpath(path))
    whole = target.is_file() or not target.exists()  # a pipe or a device takes no replacing
    part = target.with_name(f".{target.name}.{os.getpid()}.part") if whole else target
    try:
        part.write_text(text + "\n", encoding="utf-8")
        if whole:
            part.replace(target)
    except OSError as e:
        if whole:
            with contextlib.suppress(OSError):
                part.unlink()
        raise InputError(f"{path} cannot be written: {e.strerror}") from None


def _say(text: str) -> None:
    try:
        click.echo(text)
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as e:
        # What is left in the buffer goes nowhere, or Python would complain again on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(e, BrokenPipeError):  # a reader that has seen enough is no error
            raise InputError(f"the result cannot be written: {e.strerror}") from None


def warn(messages: Iterable[str]) -> None:
    """Notes for the person, apart from the data."""
    from evenhand.format.text import visible

    head = click.style("warning: ", fg="yellow") if coloured(sys.stderr) else "warning: "
    for message in messages:
        click.echo(head + visible(message), err=True)


def coloured(stream: TextIO | None) -> bool:
    """Whether what is written there may carry colour: on a screen, unless NO_COLOR forbids."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream is not None and stream.isatty() and not plain


def on_terminal(path: str | None) -> bool:
    """Whether the result goes to a person's screen, and may be decorated."""
    return path is None and coloured(sys.stdout)
