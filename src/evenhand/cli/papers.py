"""``evenhand papers``: the founding documents' claims recomputed, their figures redrawn."""

from __future__ import annotations

import click

from evenhand.cli import names, options, out


@names.command(short_help="The founding documents, recomputed.")
@click.argument("names", nargs=-1, metavar="[DOCUMENT | CLAIM | figures]…")
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="The same seed, the same figures.",
)
@click.option(
    "--draws",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="Simulated tasks a point of figures 2 and 3.",
)
@options.output
def command(
    names: tuple[str, ...], seed: int, draws: int, style: str, output: str | None, digits: int
) -> None:
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
    if "figures" in names:
        _figures(names, seed, draws, style, output, digits)
        return
    from evenhand.cli.progress import progress
    from evenhand.papers import recompute

    with progress("recomputing"):
        found = recompute(names)
    out.show(found, style, digits, output)


def _figures(
    names: tuple[str, ...], seed: int, draws: int, style: str, output: str | None, digits: int
) -> None:
    from evenhand.cli.progress import progress
    from evenhand.papers.drawing import draw

    if names != ("figures",):
        raise click.UsageError("figures stands alone: all of them are drawn.")
    if not output or output == "-":
        raise click.UsageError("figures needs a directory: --output DIR.")
    with progress("drawing"):
        found = draw(output, seed=seed, draws=draws)
    out.show(found, style, digits, None)
