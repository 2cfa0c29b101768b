"""``evenhand score``: everything about one system."""

from __future__ import annotations

from dataclasses import replace
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
@options.output
def command(
    files: tuple[str, ...],
    metrics: tuple[str, ...],
    average: str,
    classes: tuple[str, ...],
    exclude: tuple[str, ...],
    undefined: str,
    style: str,
    output: str | None,
    digits: int,
    **source: Any,
) -> None:
    """Score one system: every metric, both macro F1s, and each class.

    The input is two files, of lines or columns; one file with columns; a saved table; or a
    confusion table. Files may be text, CSV, TSV, JSON Lines, Parquet or Arrow, a pattern, a
    folder of Parquet, or - for standard input.

    \b
    evenhand score gold.txt pred.txt
    evenhand score answers.csv --true gold --pred system --by language
    evenhand score gold.tsv run.tsv --id id --true label --pred label --missing wrong
    evenhand score --matrix "6 1 1; 1 5 2; 2 3 7" --labels bird,cat,dog
    evenhand score gold.txt pred.txt --metric macro_f1@uniform --format json
    """
    from evenhand.cli.inputs import named, table_from
    from evenhand.format.text import key_text
    from evenhand.scoring.score import score

    loaded = table_from(files, **source)
    table = loaded.table
    scores = score(
        table,
        list(metrics) or None,
        classes=options.averaged_classes(table, average, classes, exclude),
        undefined=undefined,
    )
    scores = replace(scores, warnings=(*loaded.notes, *scores.warnings))
    name = " × ".join(files) or named(source["matrix"])
    if style == "table":
        from evenhand.format.report import score_text

        text = score_text(scores, name, digits, fancy=options.on_terminal(output))
    else:
        text = written(scores, style, digits)
    options.write(text, output)
    options.warn(scores.warnings)
    for part in scores.slices:
        options.warn(f"{key_text(part.key)}: {w}" for w in part.warnings)


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
