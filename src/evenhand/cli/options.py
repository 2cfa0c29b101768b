"""Options that several commands share, and what they mean."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

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
    click.option("--output", type=click.Path(), metavar="FILE", help="Write to FILE instead."),
    click.option(
        "--digits",
        type=click.IntRange(0, 17),
        default=4,
        show_default=True,
        help="Decimals of a score; JSON and CSV always have all.",
    ),
)

runs = click.option(
    "--runs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="The reported scores are means of N runs on the same items.",
)

averaging = together(
    click.option(
        "--average",
        type=click.Choice(["seen", "true"]),
        default="seen",
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

tables = together(
    click.option("--true", "true", metavar="COL", help="Column of the true labels."),
    click.option("--pred", "pred", metavar="COL", help="Column of the predictions."),
    click.option("--weights", metavar="COL", help="Column of item weights."),
    click.option(
        "--by", multiple=True, metavar="COL", help="Also score each value of COL (repeatable)."
    ),
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
)


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


def write(text: str, path: str | None) -> None:
    """The result, to stdout or whole into a file."""
    if path is None or path == "-":
        click.echo(text)
        return
    target = Path(path)
    part = target.with_name(f".{target.name}.part")
    try:
        part.write_text(text + "\n", encoding="utf-8")
        part.replace(target)
    except OSError as e:
        part.unlink(missing_ok=True)
        raise InputError(f"{path} cannot be written: {e.strerror}") from None


def warn(messages: Iterable[str]) -> None:
    """Notes for the person, apart from the data."""
    from evenhand.format.text import visible

    for message in messages:
        click.echo(click.style("warning: ", fg="yellow") + visible(message), err=True)


def on_terminal(path: str | None) -> bool:
    """Whether the result goes to a person's screen."""
    return path is None and sys.stdout.isatty()
