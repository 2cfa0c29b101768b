"""``evenhand rank``: a leaderboard that says how much it means."""

from __future__ import annotations

import click

from evenhand.cli import names, options, out
from evenhand.cli.records import Output, Scoring, Source


@names.command(short_help="Rank systems.")
@click.argument("files", type=names.FILE, nargs=-1, metavar="[GOLD RUN… | FILE]")
@options.ranked
@options.scoring()
@options.output("leaderboard", "ranks", "agreement", "places")
def command(source: Source, by_metric: str, scoring: Scoring, output: Output) -> None:
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
    """
    from evenhand.cli.entries import entries_from, ranked

    given = entries_from(source)
    board = ranked(given, source, by_metric, scoring, scoring.how(given.data))
    out.show(board, output)
    if output.plot is not None:
        from evenhand.show.pick import chart_of_board

        out.draw(chart_of_board(output.chart, board), output.plot)
    out.end(not given.failed)
