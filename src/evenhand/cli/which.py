"""``evenhand which``: the formula behind one precision, recall and macro F1."""

from __future__ import annotations

import click

from evenhand.cli import names, options, out
from evenhand.cli.records import Output


@names.command(short_help="Which macro F1 was it?")
@click.option("--precision", required=True, metavar="P", help="Reported macro precision.")
@click.option("--recall", required=True, metavar="R", help="Reported macro recall.")
@click.option("--f1", required=True, metavar="F", help="Reported macro F1.")
@options.number(
    "--runs", 1, "The reported scores are means of N runs on the same items.", metavar="N"
)
@options.output()
def command(precision: str, recall: str, f1: str, runs: int, output: Output) -> None:
    """Tell which formula gave a reported macro F1: the mean of F1, or the F1 of averages.

    Give the values with all the decimals that are printed: rounding is part of the answer.
    Exit code 1 says that no formula gives it.

    \b
    evenhand which --precision 0.725 --recall 0.5667 --f1 0.6042
    evenhand which --precision 72,5 --recall 56,67 --f1 63,61
    """
    from evenhand.auditing.which import which

    found = which(precision, recall, f1, runs=runs)
    out.show(found, output)
    out.end(found.ok)
