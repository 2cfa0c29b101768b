"""``evenhand shift``: what the scores become elsewhere."""

from __future__ import annotations

from typing import Any

import click

from evenhand.cli import names, options, out


@names.command(short_help="What the scores become under another class mix.")
@click.argument("files", type=names.FILE, nargs=-1, metavar="[GOLD PRED | FILE]")
@click.option(
    "--to",
    "mix",
    type=names.FILE,
    metavar="uniform|FILE|A=0.2,B=0.8",
    help="The class mix there; with --unlabelled it is tested.",
)
@click.option("--sweep", metavar="CLASS", help="Let this class go from rare to common.")
@click.option("--points", metavar="S,S,…", help="Shares of the swept class, e.g. 0.01,0.1,0.5.")
@click.option(
    "--against",
    type=names.FILE,
    metavar="OTHER",
    help="With --sweep: another system (file, column, matrix), and where the two change places.",
)
@click.option(
    "--unlabelled",
    type=names.FILE,
    metavar="FILE",
    help="Predictions there, without truth: labels, or a column of probabilities for each class.",
)
@click.option(
    "--unlabelled-pred", type=names.COLUMN, metavar="COL", help="Column of the labels in that file."
)
@click.option(
    "--method",
    type=click.Choice(["adjusted", "likelihood", "saerens"]),
    help="With --unlabelled: the mix that the expected scores rest on  [default: likelihood]",
)
@click.option(
    "--trained-on",
    type=names.FILE,
    metavar="uniform|FILE|A=0.2,B=0.8",
    help="The mix that probabilities were made for, if not that of the labelled items.",
)
@options.one_system
@options.plot
def command(
    files: tuple[str, ...],
    mix: str | None,
    sweep: str | None,
    points: str | None,
    against: str | None,
    unlabelled: str | None,
    unlabelled_pred: str | None,
    method: str | None,
    trained_on: str | None,
    plot: str | None,
    style: str,
    output: str | None,
    digits: int,
    **given: Any,
) -> None:
    """What the scores become where the class mix is another: stated, swept or estimated.

    Each class's errors are taken from the labelled data; precision and every metric follow from
    the mix. This holds if only the mix changes, and with --unlabelled it is tested. Intervals
    cover the labelled items, and with --unlabelled the new items too.

    \b
    evenhand shift gold.txt pred.txt --to spam=0.01,ham=0.99
    evenhand shift gold.txt pred.txt --sweep spam --against other.txt --plot sweep.svg
    evenhand shift gold.txt pred.txt --unlabelled live.txt
    evenhand shift gold.txt pred.txt --unlabelled live.parquet --method saerens --format json
    """
    _agree(mix, sweep, points, against, unlabelled, unlabelled_pred, method, trained_on)
    out.check_plot(plot)
    from evenhand.cli import mixes

    found: Any
    if sweep is not None:
        found, name = mixes.swept(files, sweep, given, against=against, points=points)
    elif unlabelled is not None:
        found, name = mixes.estimated(
            files,
            unlabelled,
            given,
            column=unlabelled_pred,
            method=method,
            mix=mix,
            trained_on=trained_on,
        )
    else:
        found, name = mixes.extrapolated(files, str(mix), given)
    out.show(found, style, digits, output, name)
    if plot is not None:
        from evenhand.show.pick import chart_of_shift

        out.draw(chart_of_shift(found), plot)


def _agree(
    mix: str | None,
    sweep: str | None,
    points: str | None,
    against: str | None,
    unlabelled: str | None,
    column: str | None,
    method: str | None,
    trained_on: str | None,
) -> None:
    """Options that ask for nothing, or for two things at once."""
    if mix is None and sweep is None and unlabelled is None:
        raise click.UsageError("Expected --to MIX, --sweep CLASS or --unlabelled FILE.")
    if sweep is not None and (mix is not None or unlabelled is not None):
        raise click.UsageError("--sweep goes through all mixes: leave out --to and --unlabelled.")
    if sweep is None and (points is not None or against is not None):
        raise click.UsageError("--points and --against go with --sweep CLASS.")
    if unlabelled is None and (column or method or trained_on):
        raise click.UsageError("--unlabelled-pred, --method and --trained-on need --unlabelled.")
