"""``evenhand score``: everything about one system."""

from __future__ import annotations

import click

from evenhand.cli import names, options, out, sources
from evenhand.cli.records import Output, Scoring, Source


@names.command(short_help="Score one system.")
@click.argument("files", type=names.FILE, nargs=-1, metavar="[GOLD PRED | FILE]")
@sources.one
@options.scoring(
    options.interval("delta", "jackknife", "bootstrap", "bca", "wilson"),
    click.option(
        "--transform",
        type=click.Choice(["logit", "fisher", "range"]),
        help="Keep delta intervals inside the metric's range.",
    ),
)
@options.flag("--stratify", help="The class mix was fixed by design: resample within classes.")
@click.option(
    "--thresholds",
    metavar="LABEL",
    help="Of probabilities: the scores by threshold of LABEL, and the best for the first --metric.",
)
@click.option(
    "--like",
    metavar="SIGNATURE",
    help="Repeat the settings of a score: its metric, classes, 0/0 and interval.",
)
@options.flag("--groups", help="With --by: the worst group, differences and ratios of groups.")
@options.flag("--all", "full", help="Score every metric, not only those that people ask for first.")
@options.flag("--explain", help="Also show what the metrics do not promise, and how it was scored.")
@options.footnote
@options.printed
@options.output("confusion", "counts", "classes", "metrics", "gap", "reliability")
def command(
    source: Source,
    scoring: Scoring,
    thresholds: str | None,
    like: str | None,
    groups: bool,
    full: bool,
    explain: bool,
    output: Output,
) -> None:
    """Score one system: every metric with its interval, both macro F1s, and each class.

    The input is two files, of lines or columns; one file with columns; a saved table; what PyCM,
    caret or scikit-learn have printed of one; or a confusion table. Files may be text, CSV, TSV,
    JSON, JSON Lines, Excel, Parquet or Arrow, a pattern, a folder of Parquet, an archive, or - for
    standard input.

    \b
    evenhand score gold.txt pred.txt
    evenhand score answers.csv --true gold --pred system --by language
    evenhand score answers.csv --true gold --pred system --by language --groups --metric macro_f1
    evenhand score gold.tsv run.tsv --id id --true label --pred label --missing wrong
    evenhand score gold.tsv run.tsv --no-header --true 2 --pred 2
    evenhand score --matrix "6 1 1; 1 5 2; 2 3 7" --labels bird,cat,dog
    evenhand score caret-output.txt
    evenhand score gold.txt pred.txt --metric macro_f1@uniform --format json
    evenhand score gold.txt pred.txt --footnote --format latex
    evenhand score gold.txt pred.txt --layout paper -o table.tex
    evenhand score gold.txt pred.txt --plot confusion.svg
    evenhand score gold.txt pred.txt --distance ordinal --labels low,middle,high
    evenhand score gold.txt pred.txt --distance costs.csv --metric mean_cost
    evenhand score gold.txt pred.txt --distance tree.csv --metric hierarchical_f1
    evenhand score tagged.jsonl --true gold --pred tags --kind tokens
    evenhand score answers.csv --true topics --pred system --separator '|'
    evenhand score answers.csv --true gold --probabilities p_
    evenhand score answers.csv --true gold --probabilities p_ --thresholds spam --plot sweep.svg
    evenhand score answers.csv --true gold --pred system --cluster document --interval bootstrap
    evenhand score gold.txt pred.txt --like "metric:macro_f1|classes:true.3|undefined:0"
    """
    from evenhand.cli.inputs import data_from
    from evenhand.cli.like import repeated, unrepeated
    from evenhand.scoring.score import score
    from evenhand.signature.line import Signature

    if groups:
        if full or explain or like is not None or thresholds is not None:
            raise click.UsageError(
                "--groups goes without --all, --explain, --like and --thresholds."
            )
        by_group(source, scoring, output)
        return
    if thresholds is not None:
        if full or explain:
            raise click.UsageError("--thresholds goes without --all and --explain.")
        by_threshold(source, scoring, thresholds, like, output)
        return
    wanted = None if like is None else Signature.parse(like)
    if wanted is not None:
        scoring = repeated(wanted, scoring)
    loaded = data_from(source, drawn=scoring.drawn)
    how = scoring.how(loaded.data)
    scores = score(
        loaded.data,
        metrics=scoring.metrics or ("all" if full else None),
        interval=scoring.interval,
        transform=scoring.transform,
        stratify=scoring.stratify,
        **how,
    )
    again = () if wanted is None else unrepeated(wanted, scoring, scores)
    scores = scores.noted(*loaded.notes, *again)
    out.show(scores, output, source.name, full=full, explain=explain)
    if output.plot is not None:
        from evenhand.show.pick import chart_of_scores

        chart = chart_of_scores(
            output.chart,
            scores,
            loaded.data,
            classes=how["classes"],
            undefined=how["undefined"],
        )
        out.draw(chart, output.plot)


def by_group(source: Source, scoring: Scoring, output: Output) -> None:
    """The worst group and the others against it."""
    from evenhand.cli.inputs import data_from
    from evenhand.scoring.group_chart import groups as chart
    from evenhand.scoring.grouping import groups

    if not source.by and source.of_columns:
        raise click.UsageError("--groups needs --by, the column that says of which group it is.")
    if scoring.interval != "auto" or scoring.transform is not None or scoring.stratify:
        raise click.UsageError("--groups has intervals of its own: leave out --interval.")
    loaded = data_from(source)
    found = groups(
        loaded.data,
        metrics=scoring.metrics or None,
        classes=scoring.over(loaded.data),
        undefined=scoring.undefined,
        distance=scoring.apart,
        level=scoring.level,
    ).noted(*loaded.notes)
    out.show(found, output, source.name)
    if output.plot is not None:
        out.draw(chart(found), output.plot)


def by_threshold(
    source: Source, scoring: Scoring, label: str, like: str | None, output: Output
) -> None:
    """The scores along the threshold of a label."""
    from evenhand.cli.inputs import data_from, whole_only
    from evenhand.scoring.threshold_chart import thresholds as chart
    from evenhand.scoring.thresholding import INTERVALS, thresholds
    from evenhand.tables.labels import positions

    if source.probabilities is None or source.decide is not None:
        raise click.UsageError("--thresholds needs --probabilities, and goes without --decide.")
    if like is not None or scoring.interval not in INTERVALS or scoring.stratify:
        raise click.UsageError(
            "--thresholds goes without --like and --stratify, and with --interval auto, delta or "
            "none."
        )
    if scoring.distance is not None:
        raise click.UsageError("--thresholds goes without --distance: it follows margins alone.")
    whole_only(source, "score --thresholds", "macro_f1")
    loaded = data_from(source)
    positions([label], loaded.data.labels, "--thresholds")
    first, *more = scoring.metrics or ("macro_f1",)
    found = thresholds(
        loaded.data,
        label=label,
        by_metric=first,
        metrics=more or None,
        interval=scoring.interval,
        classes=scoring.over(loaded.data),
        undefined=scoring.undefined,
        level=scoring.level,
        seed=scoring.seed,
    ).noted(*loaded.notes)
    out.show(found, output, source.name)
    if output.plot is not None:
        out.draw(chart(found), output.plot)
