"""``evenhand plan``: how many items must a test set have?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evenhand.cli import names, options, out, sources
from evenhand.cli.records import Judging, Output, Source

if TYPE_CHECKING:
    from evenhand.files.read import Read


@names.command(short_help="How many items a test set needs.")
@click.argument("files", type=names.FILE, nargs=-1, metavar="[GOLD PRED | GOLD A B | FILE]")
@options.size("--width", help="Of the interval that is wanted, from end to end, e.g. 0.05.")
@options.size("--difference", help="Between two systems that is to be shown (compare), e.g. 0.02.")
@options.size("--margin", help="Of a gate that equally good systems are to pass, e.g. 0.01.")
@options.share("--power", 0.8, "Chance with which the difference is shown, or the gate passed.")
@click.option(
    "--recalls",
    metavar="NUMBER|A=0.8,B=0.9",
    help="How often each class is right, in place of data; with --mix.",
)
@click.option("--mix", metavar="A=0.2,B=0.8", help="How frequent each class is.")
@click.option(
    "--correlation",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.0,
    show_default=True,
    help="Of the errors of two systems, where only one is given.",
)
@click.option(
    "--design-effect",
    type=click.FloatRange(1),
    default=1.0,
    show_default=True,
    help="How many times as much items vary that come in clusters; a pilot with --cluster has it.",
)
@options.judging("What is measured, e.g. macro_f1 (repeatable).", "Of the interval or test.")
@sources.planned
@options.output()
def command(
    source: Source,
    judging: Judging,
    output: Output,
    width: float | None,
    difference: float | None,
    margin: float | None,
    power: float,
    recalls: str | None,
    mix: str | None,
    correlation: float,
    design_effect: float,
) -> None:
    """Say how many items a test set needs for an interval of a given width, to show a difference
    between two systems, or to let equally good ones pass a gate.

    The input is a pilot of one system or of two, a confusion table, or recalls and a class mix.

    \b
    evenhand plan gold.txt pilot.txt --width 0.05
    evenhand plan gold.txt old.txt new.txt --difference 0.02 --power 0.9
    evenhand plan gold.txt old.txt new.txt --margin 0.01 --metric accuracy
    evenhand plan --matrix "45 5; 10 40" --width 0.1 --metric macro_recall
    evenhand plan --recalls spam=0.8,ham=0.95 --mix spam=0.05,ham=0.95 --width 0.05
    evenhand plan answers.csv --true gold --pred a --cluster document --width 0.05
    """
    from evenhand.cli.inputs import data_from, systems_from
    from evenhand.deciding.planning import plan

    if source.by:
        raise click.UsageError("plan looks at all items together: leave out --by.")
    loaded: Read[Any] | None = None
    if (recalls is None and mix is None) or source.files or source.matrix:
        several = len(source.files) > 2 or len(source.pred) > 1 or source.system
        loaded = (systems_from if several else data_from)(source)
    found = plan(
        *([] if loaded is None else [loaded.data]),
        width=width,
        difference=difference,
        margin=margin,
        power=power,
        recalls=_rates(recalls),
        mix=mix,
        correlation=correlation,
        design_effect=design_effect,
        metrics=judging.metrics,
        classes=judging.average if loaded is None else judging.over(loaded.data),
        undefined=judging.undefined,
        level=judging.level,
        distance=judging.apart,
    )
    out.show(found if loaded is None else found.noted(*loaded.notes), output)


def _rates(text: str | None) -> str | float | None:
    """One number for all classes, or one each."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text
