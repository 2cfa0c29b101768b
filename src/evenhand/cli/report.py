"""``evenhand report``: one file to publish."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evenhand.cli import names, options, out, sources
from evenhand.cli.records import Scoring, Source

if TYPE_CHECKING:
    from evenhand.show.report.document import Report

PLACES = {"html": "report.html", "markdown": "report.md"}
"""Where a report goes unless told."""
ENDINGS = {".html": "html", ".htm": "html", ".md": "markdown"}


@names.command(short_help="A report as one HTML file.")
@click.argument("files", type=names.FILE, nargs=-1, metavar="[GOLD RUN… | FILE]")
@click.option("--title", help="Heading of the report.")
@sources.reported
@options.scoring()
@click.option(
    "--format",
    "style",
    type=click.Choice(list(PLACES)),
    default=lambda: options.by_ending(
        ENDINGS, click.get_current_context().params.get("output"), "html"
    ),
    help="A page with pictures, or Markdown for GitHub  [default: html; markdown for a file .md]",
)
@options.written(
    default=lambda: PLACES[click.get_current_context().params["style"]],
    help="Where to write it, - for the screen  [default: report.html or report.md]",
)
def command(
    title: str | None,
    source: Source,
    by_metric: str,
    scoring: Scoring,
    style: str,
    output: str,
) -> None:
    """Write a report to publish: verdict, leaderboard, intervals, classes, prevalence, data.

    The input is that of score (one system), or of compare and rank (several). The HTML file needs
    no network and opens from disk; drawing needs pip install 'evenhand[plot]'.

    \b
    evenhand report gold.txt systems/*.txt --title "Our shared task" --output report.html
    evenhand report gold.txt pred.txt
    evenhand report answers.csv --true gold --pred a --pred b
    evenhand report --matrix "6 1 1; 1 5 2; 2 3 7" --labels bird,cat,dog --format markdown
    """
    if style == "html":
        from evenhand.draw.render import require

        require()
    from evenhand.cli.inputs import of_one

    complete = True
    if of_one(source):
        report = _of_one(source, scoring, title)
    else:
        report, complete = _of_several(source, by_metric, scoring, title)
    from evenhand.cli.progress import progress

    with progress("drawing"):
        text = report.to_html() if style == "html" else report.to_markdown()
    out.write(text.rstrip("\n"), output)
    if not out.on_screen(output):  # where the report itself has them
        out.warn(report.warnings)
    if output != "-":
        size = len(text.encode("utf-8")) / 1000
        out.wrote(output, f" ({size:,.0f} kB)")
    out.end(complete)


def _of_one(source: Source, scoring: Scoring, title: str | None) -> Report:
    from evenhand.cli.inputs import data_from
    from evenhand.scoring.score import score
    from evenhand.show.report.of_scores import report_of_scores

    loaded = data_from(replace(source, keep_going=False))  # there is nothing to go on with
    table = loaded.data.tables()
    if loaded.data.systems:
        table = table[0]
    how = scoring.how(table)
    scores = score(loaded.data, metrics=scoring.metrics or None, **how).noted(*loaded.notes)
    name = Path(source.files[-1]).name if source.files else source.name
    return report_of_scores(
        scores,
        table,
        loaded.data,
        title=title or f"How good is {name}?",
        classes=how["classes"],
        undefined=scoring.undefined,
    )


def _of_several(
    source: Source, by_metric: str, scoring: Scoring, title: str | None
) -> tuple[Report, bool]:
    """The report, and whether all systems are in it."""
    from evenhand.cli.entries import entries_from, ranked
    from evenhand.cli.progress import progress
    from evenhand.show.report.of_board import report_of_board
    from evenhand.tables.sample import Sample

    given = entries_from(source)
    tables = given.data.tables()
    how = scoring.how(tables)
    board = ranked(given, source, by_metric, scoring, how)
    with progress("comparing"):
        made = report_of_board(
            board,
            tables,
            given.data if isinstance(given.data, Sample) else None,
            title=title,
            classes=how["classes"],
            undefined=scoring.undefined,
            distance=how["distance"],
            seed=scoring.seed,
        )
    return made, not given.failed
