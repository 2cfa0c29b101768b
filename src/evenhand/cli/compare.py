"""``evenhand compare``: are two systems different?"""

from __future__ import annotations

from itertools import starmap

import click

from evenhand.cli import names, options, out, sources
from evenhand.cli.records import Output, Scoring, Source


@names.command(short_help="Compare systems on the same items.")
@click.argument("files", type=names.FILE, nargs=-1, metavar="[GOLD A B… | FILE]")
@sources.several
@options.scoring()
@click.option(
    "--tests",
    type=click.Choice(["randomisation", "delta", "bootstrap", "mcnemar", "all"]),
    default=["randomisation"],
    show_default=True,
    multiple=True,
    help="By which test (repeatable); the first is corrected for all metrics and pairs.",
)
@options.size(
    "--margin", help="Also whether a system is not worse by more than this, e.g. 0.01 or 1%."
)
@options.share("--power", None, "Also the test size needed for this power, e.g. 0.8.")
@options.baseline("Hold all others against this one: differences are theirs less its own.")
@options.printed
@options.footnote
@options.output("differences", "replicates")
def command(
    source: Source,
    scoring: Scoring,
    tests: tuple[str, ...],
    margin: float | None,
    power: float | None,
    baseline: str | None,
    output: Output,
) -> None:
    """Compare two or more systems on the same items: difference, interval, tests.

    The input is GOLD and a file of predictions for each system, one label a line, or one CSV or
    TSV file with a column for each. The p value is by randomisation of the studentised difference,
    corrected for all metrics and pairs; --tests all adds difference/error by itself, the paired
    bootstrap and, for accuracy, McNemar's test.

    \b
    evenhand compare gold.txt a.txt b.txt
    evenhand compare gold.txt a.txt b.txt --metric macro_f1 --power 0.8
    evenhand compare gold.txt a.txt b.txt --metric macro_f1 --margin 0.01
    evenhand compare gold.txt old.txt new.txt --baseline old.txt
    evenhand compare gold.txt a.txt b.txt --metric macro_f1 --plot apart.pdf --chart replicates
    evenhand compare answers.csv --true gold --pred a --pred b --cluster document
    evenhand compare gold.tsv a.tsv b.tsv --id id --label label --missing wrong
    """
    from evenhand.cli.entries import worded
    from evenhand.cli.inputs import compared_from, named_system
    from evenhand.comparing.compare import compare
    from evenhand.files.gather import refuse_few
    from evenhand.notes.ranks import LeftOut

    loaded = compared_from(source)
    sample = loaded.data
    refuse_few(sample.systems, loaded.failed)
    if len(sample.systems) < 2:
        raise click.UsageError("Expected at least two systems to compare.")
    how = scoring.how(sample)
    chosen = "all" if "all" in tests else tests
    metrics = scoring.metrics or None
    held = named_system(baseline, sample.systems)
    found = compare(
        sample, metrics=metrics, tests=chosen, margin=margin, power=power, baseline=held, **how
    )
    left = starmap(LeftOut, worded(loaded.failed))
    out.show(found.noted(*loaded.notes, *left), output)
    if output.plot is not None:
        from evenhand.show.pick import chart_of_comparison

        chart = chart_of_comparison(output.chart, found, sample, scoring.metrics, how)
        out.draw(chart, output.plot)
    out.end(not loaded.failed)
