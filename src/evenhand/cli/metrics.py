"""``evenhand metrics``: the catalogue."""

from __future__ import annotations

import click

from evenhand.cli import names, options, out
from evenhand.cli.records import Output


@names.command(short_help="The catalogue of metrics.")
@click.argument("asked", nargs=-1, metavar="[NAME | WORD]…")
@click.option("--search", metavar="WORDS", help="Those of which these words are said.")
@click.option("--family", metavar="FAMILY", help="Those of one family, such as agreement.")
@options.flag("--per-class", help="Those that have a value for each class.")
@click.option(
    "--property",
    "property_",
    metavar="PROPERTY",
    help="Those that promise one of the five properties, such as monotone.",
)
@options.output()
def command(
    asked: tuple[str, ...],
    search: str | None,
    family: str | None,
    per_class: bool,
    property_: str | None,
    output: Output,
) -> None:
    """List the metrics, or explain those named: formula, range, properties, reference.

    A name may be another library's or a paper's (TPR, f1_score, KAPPA, GmacR), and that of an
    average of any metric of one class (macro_jaccard, weighted_specificity, micro_npv).

    Words find the metrics of which documents say them: benevolent, doppelganger, macF1', F-score_M,
    class bags, bookmaker, inter-annotator, RMSD, bias, prevalence.

    \b
    evenhand metrics
    evenhand metrics doppelganger
    evenhand metrics macro_f1 f1_of_averages
    evenhand metrics --family agreement
    evenhand metrics --per-class --search "false alarms"
    evenhand metrics --property monotone
    evenhand metrics --format markdown
    """
    from evenhand.catalogue.lists import picked
    from evenhand.results.catalogue import Catalogue

    words = search.split() if search else []
    kept = picked(asked, words, family=family, per_class=per_class, having_property=property_)
    found = Catalogue(tuple(kept))
    few = len(found) <= max(3, len(asked))
    out.show(found, output, full=few)
