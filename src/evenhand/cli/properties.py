"""``evenhand properties``: which of the five properties a metric has."""

from __future__ import annotations

import click

from evenhand.cli import names, options, out
from evenhand.cli.records import Output


@names.command(short_help="The five properties of a metric.")
@click.argument(
    "metrics", type=names.Module("metric"), nargs=-1, metavar="[METRIC | MODULE:FUNCTION]…"
)
@click.option(
    "--classes",
    multiple=True,
    type=click.IntRange(2, 6),
    default=(2, 3, 4),
    show_default=True,
    help="Numbers of classes to search tables of (repeatable).",
)
@options.number("--seed", 0, "The same seed, the same tables.", least=0)
@options.output()
def command(metrics: tuple[str, ...], classes: tuple[int, ...], seed: int, output: Output) -> None:
    """Say which properties a metric has: monotonicity, class sensitivity, decomposability over
    classes, prevalence invariance, chance correction.

    A property it lacks comes with the smallest table found that shows it. A property that was
    not refuted comes with what was tried and, where one is known, a derivation. Without a
    metric, all of the catalogue. MODULE:FUNCTION is a function of your own, of Counts or of a
    matrix (rows = true): naming it runs the module.

    \b
    evenhand properties mcc kappa
    evenhand properties macro_fbeta:beta=2 macro_f1@uniform
    evenhand properties mymetrics:macro_jaccard --format json
    evenhand properties --format markdown --output properties.md
    """
    from evenhand.cli.progress import progress
    from evenhand.properties import table

    with progress("searching"):
        found = table(metrics=list(metrics) or None, sizes=classes, seed=seed)
    out.show(found, output)
