"""``evenhand score``: everything about one system."""

from __future__ import annotations

from typing import Any

import click

from evenhand.cli import options


@click.command(short_help="Score one system.")
@click.argument("files", nargs=-1, metavar="[GOLD PRED | FILE]")
@options.tables
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="SPEC",
    help="Score only this, e.g. macro_f1, macro_fbeta:beta=2, f1:label=spam, "
    "macro_f1@uniform (repeatable).",
)
@options.averaging
@click.option(
    "--like", metavar="SIGNATURE", help="Repeat the settings of a score: its metric, classes, 0/0."
)
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
    like: str | None,
    style: str,
    output: str | None,
    digits: int,
    **source: Any,
) -> None:
    """Score one system: every metric, both macro F1s, and each class.

    The input is two files with one label a line, one CSV or TSV file with columns, or a
    confusion table.

    \b
    evenhand score gold.txt pred.txt
    evenhand score answers.csv --true gold --pred system --by language
    evenhand score --matrix "6 1 1; 1 5 2; 2 3 7" --labels bird,cat,dog
    evenhand score gold.txt pred.txt --metric macro_f1@uniform --format json
    evenhand score gold.txt pred.txt --like "metric:macro_f1|classes:true.3|undefined:0"
    """
    from evenhand.cli.inputs import table_from
    from evenhand.scoring.score import score

    table = table_from(files, **source)
    chosen = options.averaged_classes(table, average, classes, exclude)
    notes: list[str] = []
    if like is not None:
        from evenhand.cli.like import repeated, unrepeated

        wanted = repeated(like, context)
        metrics = wanted.metrics or metrics
        undefined = wanted.undefined or undefined
        chosen = wanted.classes or chosen
    scores = score(table, list(metrics) or None, classes=chosen, undefined=undefined)
    if like is not None:
        notes = unrepeated(wanted, scores)
    name = " × ".join(files) or "matrix"
    if style == "table":
        from evenhand.format.report import score_text

        text = score_text(scores, name, digits, fancy=options.on_terminal(output))
    else:
        text = written(scores, style, digits)
    options.write(text, output)
    options.warn([*notes, *scores.warnings])
    for part in scores.slices:
        options.warn(f"{part.key}: {w}" for w in part.warnings)


def written(scores: Any, style: str, digits: int) -> str:
    """The scores for another program or a paper."""
    from evenhand.format.grid import comma_separated
    from evenhand.format.json import dumps

    if style == "json":
        return dumps(scores.to_dict())
    if style == "csv":
        return comma_separated(scores.long_grid)
    text: str = getattr(scores, f"to_{style}")(digits=digits)
    return text
