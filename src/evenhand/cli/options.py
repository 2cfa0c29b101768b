"""Options that several commands share, gathered into the records that a command gets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import partial, wraps
from pathlib import Path
from typing import Any, TypeAlias

import click
from click.core import ParameterSource

from evenhand.cli import names
from evenhand.cli.records import Averaging, Judging, Output, Scoring

Function: TypeAlias = Callable[..., Any]
Option: TypeAlias = Callable[[Function], Function]

FORMATS = ("table", "json", "csv", "markdown", "latex", "html")


def together(*options: Option) -> Option:
    """Several options as one decorator, listed in the help in this order."""

    def decorate(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def gathered(record: type, *options: Option) -> Option:
    """Several options as one decorator; the command gets the record, under its name in small.

    A field of the record whose option the command has not, here or elsewhere, is as by default.
    """

    def decorate(function: Function) -> Function:
        @wraps(function)
        def command(*args: Any, **given: Any) -> Any:
            own = {f.name: given.pop(f.name) for f in fields(record) if f.name in given}
            return function(*args, **given, **{record.__name__.lower(): record(**own)})

        return together(*options)(command)

    return decorate


def said(name: str) -> bool:
    """Whether the command line says it, and not a default."""
    source = click.get_current_context().get_parameter_source(name)
    return source is ParameterSource.COMMANDLINE


flag = partial(click.option, is_flag=True)
file = partial(click.option, type=names.FILE, metavar="FILE")
mix = partial(file, metavar="uniform|FILE|A=0.2,B=0.8")
label = partial(click.option, multiple=True, metavar="LABEL")
column = partial(click.option, type=names.COLUMN, metavar="COL")
size = partial(click.option, type=names.Size(0, min_open=True), metavar="NUMBER")
metric = partial(click.option, "--metric", "metrics", multiple=True, metavar="SPEC")
written = partial(click.option, "--output", "-o", type=names.Output(), metavar="FILE")
"""By what they are: a yes, a file to read, a class mix, labels, a column, a size of scores,
metrics, a file to write."""


def choice(*flags: str, among: Sequence[str], help: str) -> Option:
    """An option that is one of a few words, the first unless given."""
    kind = click.Choice(among)
    return click.option(*flags, type=kind, default=among[0], show_default=True, help=help)


def number(
    flag: str, default: int, help: str, *, least: int = 1, metavar: str | None = None
) -> Option:
    """An option that is a whole number."""
    kind = click.IntRange(least)
    return click.option(
        flag, type=kind, default=default, show_default=True, metavar=metavar, help=help
    )


def share(flag: str, default: float | None, help: str) -> Option:
    """An option that is a number between 0 and 1, and neither."""
    kind = click.FloatRange(0, 1, min_open=True, max_open=True)
    shown = default is not None
    return click.option(flag, type=kind, default=default, show_default=shown, help=help)


def baseline(help: str) -> Option:
    """An option that names the system others are held against, or its file."""
    return click.option("--baseline", type=names.Named("system"), metavar="NAME", help=help)


def by_ending(known: Mapping[str, str], path: str | None, otherwise: str) -> str:
    """The format that a file's ending asks for, which must be one that is written."""
    ending = Path(path or "").suffix.lower()
    if ending and ending not in known:
        raise click.UsageError(
            f"{path} must end in one of {', '.join(known)}, or say what it is with --format."
        )
    return known.get(ending, otherwise)


def _style() -> str:
    from evenhand.results.write import ENDINGS

    return by_ending(ENDINGS, click.get_current_context().params.get("path"), "table")


plot = click.option(
    "--plot",
    type=names.Output(),
    metavar="FILE",
    help="Also draw it: FILE ends in .svg, .png, .pdf, .html or .json (needs evenhand[plot]).",
)


def pairs(ctx: click.Context, param: click.Parameter, given: Sequence[str]) -> dict[str, str]:
    """What an option that is given as NAME=VALUE says, by name."""
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = text.rpartition("=")
        if not equals or not name or not value:
            raise click.UsageError(f"Expected {param.opts[0]} {param.metavar}, got {text!r}.")
        if name in found:
            raise click.UsageError(f"{param.opts[0]} gives {name!r} twice.")
        found[name] = value
    return found


def _by_metric(*given: Any) -> dict[str, str]:
    """The same of metrics, whatever their spelling."""
    found = pairs(*given)
    if not found:
        return found
    from evenhand.catalogue.spelling import Spec

    return {str(Spec.parse(metric)): name for metric, name in found.items()}


printed = together(
    choice(
        "--layout",
        among=("full", "paper"),
        help="Everything there is to say, or the tables that a paper has, metrics by title.",
    ),
    click.option(
        "--name",
        "called",
        multiple=True,
        metavar="METRIC=TEXT",
        callback=_by_metric,
        help="Call a metric so in tables, e.g. macro_f1='F$_1$' for LaTeX (repeatable).",
    ),
)
footnote = flag(
    "--footnote", help="Only the sentence for a footnote: which score this is, in --format."
)


def output(*charts: str) -> Option:
    """Where a result goes; with charts, --plot and which of them it draws."""
    drawing = (plot, choice("--chart", among=charts, help="What --plot draws.")) if charts else ()
    return gathered(
        Output,
        *drawing,
        click.option(
            "--format",
            "style",
            type=click.Choice(FORMATS),
            default=_style,
            help="How to write the result  [default: as the ending of --output says, else table]",
        ),
        written("path", help="Write to FILE, not to the screen."),
        click.option(
            "--digits",
            type=click.IntRange(0, 17),
            metavar="N",
            default=4,
            show_default=True,
            help="Decimals of a score; JSON and CSV always have all.",
        ),
    )


_averaging = together(
    choice(
        "--average",
        among=("task", "true", "seen"),
        help="Average over the task's classes (those that are true of some item; of label lists "
        "all given or seen), the true ones, or all seen in truth or predictions.",
    ),
    label("--classes", help="Average over these classes only (repeatable)."),
    label("--exclude", help="Leave this class out of the averages (repeatable)."),
    choice(
        "--undefined",
        among=("0", "1", "nan"),
        help="What 0/0 is worth; nan leaves the class out of the mean.",
    ),
)
averaging = gathered(Averaging, _averaging)


def interval(*methods: str) -> Option:
    """How intervals are made; ``none`` is the last way."""
    return click.option(
        "--interval",
        type=click.Choice(["auto", *methods, "none"]),
        default="auto",
        show_default=True,
        callback=lambda *given: None if given[-1] == "none" else given[-1],
        help="How sure: auto is wilson for proportions, jackknife for averages, else delta.",
    )


_metrics = metric(
    help="Only this, e.g. macro_f1, macro_fbeta:beta=2, f1:label=spam, "
    "macro_f1@uniform (repeatable).",
)

_distance = file(
    "--distance",
    metavar="ordinal|FILE",
    help="How far apart classes are: in the order of --labels, a matrix, or CHILD,PARENT lines.",
)


def judging(on: str, level: str) -> Option:
    """What is judged without draws: on which metric unless told, at which level."""
    metrics = metric(help=on, default=["macro_f1"], show_default=True)
    return gathered(Judging, metrics, _distance, _averaging, share("--level", 0.95, level))


def scoring(*intervals: Option) -> Option:
    """What is scored and how, with a choice of intervals where there is one."""
    return gathered(
        Scoring,
        _metrics,
        _distance,
        _averaging,
        *intervals,
        share("--level", 0.95, "Confidence level of the intervals."),
        number("--replicates", 2000, "Draws of a bootstrap or a randomisation test."),
        click.option(
            "--seed",
            type=int,
            default=0,
            show_default=True,
            help="The same seed, the same numbers.",
        ),
    )
