"""``evenhand rank``: a leaderboard that says how much it means."""

from __future__ import annotations

from typing import Any

import click

from evenhand.cli import names, options, out, sources
from evenhand.cli.records import Output, Scoring, Source


@names.command(short_help="Rank systems.")
@click.argument("files", type=names.FILE, nargs=-1, metavar="[GOLD RUN… | FILE]")
@sources.ranked
@options.scoring()
@click.option(
    "--set",
    "sets",
    type=names.FILE,
    nargs=3,
    multiple=True,
    metavar="NAME GOLD RUNS",
    help="A data set in place of [GOLD RUN…]: RUNS is a folder or a quoted pattern (repeatable).",
)
@options.choice(
    "--columns",
    among=("auto", "metrics", "slices"),
    help="With --layout paper: a column a metric, or a slice or data set where there are any.",
)
@options.choice(
    "--intervals",
    among=("pm", "ends", "small", "none"),
    help="With --layout paper: after ±, in brackets, in small brackets, or left out.",
)
@options.flag("--long", help="CSV with one row a number instead of one a system.")
@options.footnote
@options.printed
@options.output("leaderboard", "ranks", "agreement", "places")
def command(
    source: Source,
    by_metric: str,
    scoring: Scoring,
    sets: tuple[tuple[str, str, str], ...],
    columns: str,
    intervals: str,
    long: bool,
    output: Output,
) -> None:
    """Rank systems on the same items, and say what the order is worth.

    The input is GOLD and a file of predictions for each system, of lines or columns; one wide
    file with a column for each system; one long file with --system; or tables alone. The
    leaderboard has each score with its interval, the interval of its rank and its chance of
    being best (bootstrap, all systems on the same replicates), and letters: systems that share
    one are not told apart by paired tests. Then comes what every other metric makes of it.

    \b
    evenhand rank gold.txt systems/*.txt
    evenhand rank gold.txt systems/*.txt --by-metric macro_recall --format latex
    evenhand rank gold.tsv runs/*.tsv --id id --label label --missing wrong --keep-going
    evenhand rank gold.tsv runs.zip --no-header --true 2 --pred 2
    evenhand rank gold.txt systems/*.txt --plot ranks.svg --chart ranks
    evenhand rank answers.csv --true gold --id id
    evenhand rank long.csv --true gold --pred label --system team --run seed --id id
    evenhand rank --tables a.json b.json
    evenhand rank gold.txt systems/*.txt --layout paper -o table.tex
    evenhand rank --set German de/gold.txt 'de/*.run' --set Dutch nl/gold.txt 'nl/*.run'
    """
    from evenhand.cli.entries import entries_from, ranked, sets_from

    paper = {"columns": columns, "intervals": intervals}
    aside = [name for name in paper if options.said(name)]
    if aside and output.layout != "paper":
        raise click.UsageError(f"--{aside[0]} goes with --layout paper.")
    given = sets_from(source, sets) if sets else entries_from(source)
    board = ranked(given, source, by_metric, scoring, scoring.how(given.data))
    how: dict[str, Any] = paper if output.layout == "paper" else {"long": long}
    if output.footnote and scoring.metrics and not options.said("by_metric"):
        how["lead"] = scoring.metrics[0]
    out.show(board, output, **how)
    if output.plot is not None:
        from evenhand.show.pick import chart_of_board

        out.draw(chart_of_board(output.chart, board), output.plot)
    out.end(not given.failed)
