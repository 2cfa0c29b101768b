"""``evenhand score``: everything about one system."""

from __future__ import annotations

from typing import Any

import click

from evenhand.cli import names, options, out


@names.command(short_help="Score one system.")
@click.argument("files", type=names.FILE, nargs=-1, metavar="[GOLD PRED | FILE]")
@options.tables
@options.metrics
@options.averaging
@click.option(
    "--interval",
    type=click.Choice(["auto", "delta", "bootstrap", "bca", "wilson", "none"]),
    default="auto",
    show_default=True,
    help="How sure: auto is wilson for plain proportions, else delta on the metric's range.",
)
@click.option(
    "--transform",
    type=click.Choice(["logit", "fisher", "range"]),
    help="Keep delta intervals inside the metric's range.",
)
@options.draws
@click.option(
    "--stratify", is_flag=True, help="The class mix was fixed by design: resample within classes."
)
@click.option(
    "--like",
    metavar="SIGNATURE",
    help="Repeat the settings of a score: its metric, classes, 0/0 and interval.",
)
@options.charts("confusion", "counts", "classes", "metrics", "gap")
@options.output
@click.pass_context
def command(
    context: click.Context,
    /,
    files: tuple[str, ...],
    metrics: tuple[str, ...],
    average: str,
    classes: tuple[str, ...],
    exclude: tuple[str, ...],
    undefined: str,
    interval: str,
    transform: str | None,
    level: float,
    replicates: int,
    seed: int,
    cluster: str | None,
    stratify: bool,
    like: str | None,
    plot: str | None,
    chart: str,
    style: str,
    output: str | None,
    digits: int,
    **source: Any,
) -> None:
    """Score one system: every metric with its interval, both macro F1s, and each class.

    The input is two files, of lines or columns; one file with columns; a saved table; or a
    confusion table. Files may be text, CSV, TSV, JSON Lines, Parquet or Arrow, a pattern, a
    folder of Parquet, or - for standard input.

    \b
    evenhand score gold.txt pred.txt
    evenhand score answers.csv --true gold --pred system --by language
    evenhand score gold.tsv run.tsv --id id --true label --pred label --missing wrong
    evenhand score --matrix "6 1 1; 1 5 2; 2 3 7" --labels bird,cat,dog
    evenhand score gold.txt pred.txt --metric macro_f1@uniform --format json
    evenhand score gold.txt pred.txt --plot confusion.svg
    evenhand score answers.csv --true gold --pred system --cluster document --interval bootstrap
    evenhand score gold.txt pred.txt --like "metric:macro_f1|classes:true.3|undefined:0"
    """
    from evenhand.cli.inputs import data_from, named
    from evenhand.scoring.score import score

    out.check_plot(plot)
    sure: dict[str, Any] = {
        "interval": None if interval == "none" else interval,
        "level": level,
        "replicates": replicates,
        "seed": seed,
        "transform": transform,
        "stratify": stratify,
    }
    wanted = None
    if like is not None:
        from evenhand.cli.like import repeated, unrepeated

        wanted = repeated(like, context)
        metrics = wanted.metrics or metrics
        undefined = wanted.undefined or undefined
        sure |= wanted.interval
    drawn = sure["interval"] in ("bootstrap", "bca")
    items = bool(cluster or (drawn and source["weights"]))
    loaded = data_from(files, source, cluster, items=items)
    data = loaded.table
    chosen = options.averaged_classes(data.tables(), average, classes, exclude)
    if wanted is not None:
        chosen = wanted.classes or chosen
    scores = score(data, metrics=list(metrics) or None, classes=chosen, undefined=undefined, **sure)
    again = () if wanted is None else unrepeated(wanted, scores)
    scores = scores.noted(*loaded.notes, *again)
    out.show(scores, style, digits, output, " × ".join(files) or named(source["matrix"]))
    if plot is not None:
        from evenhand.show.pick import chart_of_scores

        out.draw(chart_of_scores(chart, scores, data.tables()), plot)
