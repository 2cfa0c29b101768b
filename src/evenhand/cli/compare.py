"""``evenhand compare``: are two systems different?"""

from __future__ import annotations

from typing import Any

import click

from evenhand.cli import names, options, out


@names.command(short_help="Compare systems on the same items.")
@click.argument("files", type=names.FILE, nargs=-1, metavar="[GOLD A B… | FILE]")
@options.several
@options.metrics
@options.averaging
@options.draws
@click.option(
    "--power",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Also the test size needed for this power, e.g. 0.8.",
)
@options.charts("differences", "replicates")
@options.output
def command(
    files: tuple[str, ...],
    metrics: tuple[str, ...],
    average: str,
    classes: tuple[str, ...],
    exclude: tuple[str, ...],
    undefined: str,
    level: float,
    replicates: int,
    seed: int,
    power: float | None,
    plot: str | None,
    chart: str,
    style: str,
    output: str | None,
    digits: int,
    **source: Any,
) -> None:
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
    from evenhand.cli.inputs import sample_from
    from evenhand.comparing.compare import compare

    out.check_plot(plot)
    loaded = sample_from(files, **source)
    sample = loaded.table
    if len(sample.systems) < 2:
        raise click.UsageError("Expected at least two systems to compare.")
    how: dict[str, Any] = {
        "classes": options.averaged_classes(sample.tables(), average, classes, exclude),
        "undefined": undefined,
        "level": level,
        "replicates": replicates,
        "seed": seed,
    }
    found = compare(sample, metrics=list(metrics) or None, power=power, **how)
    out.show(found.noted(*loaded.notes), style, digits, output)
    if plot is not None:
        from evenhand.show.pick import chart_of_comparison

        out.draw(chart_of_comparison(chart, found, sample, metrics, how), plot)
