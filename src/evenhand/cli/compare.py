"""``evenhand compare``: are two systems different?"""

from __future__ import annotations

from itertools import starmap

import click

from evenhand.cli import names, options, out
from evenhand.cli.records import Output, Scoring, Source


@names.command(short_help="Compare systems on the same items.")
@click.argument("files", type=names.FILE, nargs=-1, metavar="[GOLD A B… | FILE]")
@options.several
@options.scoring()
@options.share("--power", None, "Also the test size needed for this power, e.g. 0.8.")
@options.output("differences", "replicates")
def command(source: Source, scoring: Scoring, power: float | None, output: Output) -> None:
    """Compare two or more systems on the same items: difference, interval, tests.

    The input is GOLD and a file of predictions for each system, one label a line, or one CSV or
    TSV file with a column for each. The p values are by the paired delta method, the paired
    bootstrap, approximate randomisation and, for accuracy, McNemar's test; those of the
    randomisation are adjusted by Holm over all metrics and pairs.

    \b
    evenhand compare gold.txt a.txt b.txt
    evenhand compare gold.txt a.txt b.txt --metric macro_f1 --power 0.8
    evenhand compare gold.txt a.txt b.txt --metric macro_f1 --plot apart.pdf --chart replicates
    evenhand compare answers.csv --true gold --pred a --pred b --cluster document
    evenhand compare gold.tsv a.tsv b.tsv --id id --label label --missing wrong
    """
    from evenhand.cli.entries import worded
    from evenhand.cli.inputs import systems_from
    from evenhand.comparing.compare import compare
    from evenhand.files.gather import refuse_few
    from evenhand.notes.ranks import LeftOut

    loaded = systems_from(source)
    sample = loaded.data
    refuse_few(sample.systems, loaded.failed)
    if len(sample.systems) < 2:
        raise click.UsageError("Expected at least two systems to compare.")
    how = scoring.how(sample)
    found = compare(sample, metrics=scoring.metrics or None, power=power, **how)
    left = starmap(LeftOut, worded(loaded.failed))
    out.show(found.noted(*loaded.notes, *left), output)
    if output.plot is not None:
        from evenhand.show.pick import chart_of_comparison

        chart = chart_of_comparison(output.chart, found, sample, scoring.metrics, how)
        out.draw(chart, output.plot)
    out.end(not loaded.failed)
