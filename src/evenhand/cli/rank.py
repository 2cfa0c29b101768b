"""``evenhand rank``: a leaderboard that says how much it means."""

from __future__ import annotations

from typing import Any

import click

from evenhand.cli import names, options, out


@names.command(short_help="Rank systems.")
@click.argument("files", type=names.FILE, nargs=-1, metavar="[GOLD RUN… | FILE]")
@options.ranked
@options.metrics
@options.averaging
@options.draws
@options.charts("leaderboard", "ranks", "agreement", "places")
@options.output
@click.pass_context
def command(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    by_metric: str,
    run: str | None,
    metrics: tuple[str, ...],
    average: str,
    classes: tuple[str, ...],
    exclude: tuple[str, ...],
    undefined: str,
    level: float,
    replicates: int,
    seed: int,
    plot: str | None,
    chart: str,
    style: str,
    output: str | None,
    digits: int,
    **source: Any,
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
    evenhand rank gold.txt systems/*.txt --plot ranks.svg --chart ranks
    evenhand rank answers.csv --true gold --id id
    evenhand rank long.csv --true gold --pred label --system team --run seed --id id
    evenhand rank --tables a.json b.json
    """
    from evenhand.cli.entries import entries_from
    from evenhand.cli.progress import progress
    from evenhand.notes.ranks import LeftOut
    from evenhand.ranking.rank import rank

    out.check_plot(plot)
    given = entries_from(files, run=run, **source)
    known = given.tables() if classes or exclude else None
    with progress("bootstrap", given.units * replicates) as advance:
        board = rank(
            *given.data,
            **given.options,
            by_metric=by_metric,
            metrics=[by_metric, *metrics] if metrics else None,
            classes=options.averaged_classes(known, average, classes, exclude),
            undefined=undefined,
            level=level,
            replicates=replicates,
            seed=seed,
            progress=advance,
        )
    board = board.noted(*given.notes, *(LeftOut(*failed) for failed in given.failed.items()))
    out.show(board, style, digits, output)
    if plot is not None:
        from evenhand.show.pick import chart_of_board

        out.draw(chart_of_board(chart, board), plot)
    if given.failed:
        ctx.exit(1)
