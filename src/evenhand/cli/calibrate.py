"""``evenhand calibrate``: every metric at another class mix."""

from __future__ import annotations

import click

from evenhand.cli import names, options, out, sources
from evenhand.cli.records import Output, Scoring, Source


@names.command(short_help="Every metric at another class mix.")
@click.argument("files", type=names.FILE, nargs=-1, metavar="[GOLD PRED | FILE]")
@options.mix(
    "--to",
    "mix",
    default="uniform",
    show_default=True,
    help="The class mix; a FILE has lines of LABEL,SHARE or is a JSON object.",
)
@click.option(
    "--scale",
    metavar="A=1,B=2",
    help="Multiply the items of true classes by these factors (λ) instead; others stay.",
)
@sources.one
@options.scoring(options.interval("delta", "bootstrap", "bca"))
@options.printed
@options.footnote
@options.output()
def command(mix: str, scale: str | None, source: Source, scoring: Scoring, output: Output) -> None:
    """Every metric as observed and calibrated to a class mix, side by side, with intervals.

    Calibration multiplies each true class until the mix is as wanted, so that systems scored on
    different test sets can be compared. It depends on the data, and the intervals include that.
    Prevalence scaling by factors (--scale) is the same, said another way.

    \b
    evenhand calibrate gold.txt pred.txt
    evenhand calibrate gold.txt pred.txt --to mix.csv --metric macro_f1 --metric mcc
    evenhand calibrate --matrix "15 10; 5 10" --labels a,b --to a=0.2,b=0.8
    evenhand calibrate --matrix "15 5; 10 10" --rows pred --labels a,b --scale a=1,b=2
    """
    from evenhand.cli.inputs import whole_only
    from evenhand.cli.mixes import extrapolated

    whole_only(source, "calibrate", "macro_f1@uniform")
    if scale is not None and options.said("mix"):
        raise click.UsageError("--scale gives another class mix than --to: leave one out.")
    found = extrapolated(source, scoring, mix, scale)
    out.show(found, output, source.name, classes=False)
