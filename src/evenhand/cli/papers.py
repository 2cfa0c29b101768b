"""``evenhand papers``: the founding documents' claims recomputed, their figures redrawn."""

from __future__ import annotations

from dataclasses import replace

import click

from evenhand.cli import names, options, out
from evenhand.cli.records import Output


@names.command(short_help="The founding documents, recomputed.")
@click.argument("names", nargs=-1, metavar="[DOCUMENT | CLAIM | figures]…")
@options.number("--seed", 0, "The same seed, the same figures.", least=0)
@options.number("--draws", 200, "Simulated tasks a point of figures 2 and 3.")
@options.output()
def command(names: tuple[str, ...], seed: int, draws: int, output: Output) -> None:
    """Recompute every claim of the documents behind the metrics, or those named: 000 and 004
    (Opitz & Burst 2019), 001 (a note on weighted metrics), 002 (Shmueli 2019), 003 (Opitz 2022).

    A claim holds, is a misprint (a corrected form holds) or fails as printed. Nothing is stored:
    each verdict is computed now. The word figures redraws the figures from fresh simulation into
    the directory --output names.

    \b
    evenhand papers
    evenhand papers 000-theorem-2
    evenhand papers 003 --format json
    evenhand papers figures --output figures
    """
    from evenhand.cli.progress import progress

    if "figures" not in names:
        from evenhand.papers import recompute

        with progress("recomputing"):
            found = recompute(names)
        out.show(found, output)
        return
    from evenhand.papers.redraw import redraw

    if names != ("figures",):
        raise click.UsageError("figures stands alone: all of them are drawn.")
    if not output.path or output.path == "-":
        raise click.UsageError("figures needs a directory: --output DIR.")
    with progress("drawing"):
        drawn = redraw(output.path, seed=seed, draws=draws)
    out.show(drawn, replace(output, path=None))
