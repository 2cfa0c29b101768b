"""``evenhand shift``: what the scores become elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

import click

from evenhand.cli import names, options, out, sources
from evenhand.cli.records import Output, Scoring, Source


@dataclass(frozen=True)
class Elsewhere:
    """The class mix that scores are asked for: stated, swept, or that of unlabelled data."""

    mix: str | None
    sweep: str | None
    points: str | None
    against: str | None
    unlabelled: str | None
    unlabelled_pred: str | None
    method: str | None
    trained_on: str | None

    def __post_init__(self) -> None:
        """Refuse options that ask for nothing, or for two things at once."""
        stated, swept = self.mix is not None, self.sweep is not None
        if not stated and not swept and self.unlabelled is None:
            raise click.UsageError("Expected --to MIX, --sweep CLASS or --unlabelled FILE.")
        if swept and (stated or self.unlabelled is not None):
            raise click.UsageError(
                "--sweep goes through all mixes: leave out --to and --unlabelled."
            )
        if not swept and (self.points is not None or self.against is not None):
            raise click.UsageError("--points and --against go with --sweep CLASS.")
        if self.unlabelled is None and (self.unlabelled_pred or self.method or self.trained_on):
            raise click.UsageError(
                "--unlabelled-pred, --method and --trained-on need --unlabelled."
            )


@names.command(short_help="What the scores become under another class mix.")
@click.argument("files", type=names.FILE, nargs=-1, metavar="[GOLD PRED | FILE]")
@options.gathered(
    Elsewhere,
    options.mix("--to", "mix", help="The class mix there; with --unlabelled it is tested."),
    click.option("--sweep", metavar="CLASS", help="Let this class go from rare to common."),
    click.option("--points", metavar="S,S,…", help="Shares of the swept class, e.g. 0.01,0.1,0.5."),
    options.file(
        "--against",
        metavar="OTHER",
        help="With --sweep: another system (file, column, matrix), and where the two change "
        "places.",
    ),
    options.file(
        "--unlabelled",
        help="Predictions there, without truth: labels, or a column of probabilities for each "
        "class.",
    ),
    options.column("--unlabelled-pred", help="Column of the labels in that file."),
    click.option(
        "--method",
        type=click.Choice(["adjusted", "likelihood", "saerens"]),
        help="With --unlabelled: the mix that the expected scores rest on  [default: likelihood]",
    ),
    options.mix(
        "--trained-on",
        help="The mix that probabilities were made for, if not that of the labelled items.",
    ),
)
@sources.one
@options.scoring(options.interval("delta", "bootstrap", "bca"))
@options.printed
@options.footnote
@options.output()
@options.plot
def command(elsewhere: Elsewhere, source: Source, scoring: Scoring, output: Output) -> None:
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
    from evenhand.cli.inputs import whole_only
    from evenhand.cli.mixes import estimated, extrapolated, swept
    from evenhand.results.result import Result

    whole_only(source, "shift", "macro_f1@A=0.2,B=0.8")
    found: Result
    if elsewhere.sweep is not None:
        found = swept(source, scoring, elsewhere.sweep, elsewhere)
    elif elsewhere.unlabelled is not None:
        found = estimated(source, scoring, elsewhere.unlabelled, elsewhere)
    else:
        found = extrapolated(source, scoring, str(elsewhere.mix))
    out.show(found, output, source.name)
    if output.plot is not None:
        from evenhand.show.pick import chart_of_shift

        out.draw(chart_of_shift(found), output.plot)
