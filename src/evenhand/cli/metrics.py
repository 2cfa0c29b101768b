"""``evenhand metrics``: the catalogue."""

from __future__ import annotations

from functools import partial

import click

from evenhand.cli import names, options, out
from evenhand.cli.records import Output


@names.command(short_help="The catalogue of metrics.")
@click.argument("names", nargs=-1, metavar="[NAME]…")
@options.output()
def command(names: tuple[str, ...], output: Output) -> None:
    """List the metrics, or explain those named: formula, range, properties, reference.

    \b
    evenhand metrics
    evenhand metrics macro_f1 f1_of_averages
    evenhand metrics --format markdown
    """
    from evenhand.catalogue.lists import lookup, metrics
    from evenhand.results.catalogue import Catalogue

    chosen = [lookup(n) for n in names] or metrics().values()
    found = Catalogue(tuple(chosen))
    out.show(found, output, content=partial(found.content, full=bool(names)))
