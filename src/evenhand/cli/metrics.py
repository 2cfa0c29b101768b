"""``evenhand metrics``: the catalogue."""

from __future__ import annotations

import click

from evenhand.cli import names, options, out
from evenhand.cli.records import Output


@names.command(short_help="The catalogue of metrics.")
@click.argument("names", nargs=-1, metavar="[NAME | WORD]…")
@options.output()
def command(names: tuple[str, ...], output: Output) -> None:
    """List the metrics, or explain those named: formula, range, properties, reference.

    Words find the metrics of which documents say them: benevolent, doppelganger, macF1', F-score_M,
    class bags, bookmaker, inter-annotator, RMSD, bias, prevalence.

    \b
    evenhand metrics
    evenhand metrics doppelganger
    evenhand metrics macro_f1 f1_of_averages
    evenhand metrics --format markdown
    """
    from evenhand.catalogue.lists import metrics, search
    from evenhand.results.catalogue import Catalogue

    found = Catalogue(tuple(search(names) if names else metrics().values()))
    few = len(found) <= max(3, len(names))
    out.show(found, output, full=few)
