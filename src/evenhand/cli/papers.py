"""``evenhand papers``: the founding documents' claims recomputed, their figures redrawn."""

from __future__ import annotations

from dataclasses import replace

import click

from evenhand.cli import names, options, out
from evenhand.cli.records import Output


@names.command(short_help="The founding documents, recomputed.")
@click.argument("words", nargs=-1, metavar="[WORD]…")
@options.number("--seed", 0, "Of what is simulated: figures, and claims about them.", least=0)
@options.number("--draws", 200, "Simulated tasks a point of the figures 2 and 3 that are drawn.")
@options.output()
def command(words: tuple[str, ...], seed: int, draws: int, output: Output) -> None:
    """Recompute every claim of the documents behind the metrics, or those with the words in their
    id, document (author, year, title, arXiv number), section or text.

    \b
    000  Opitz & Burst 2019, Macro F1 and Macro F1 (arXiv:1911.03347); 004 another rendering
    001  a note: Calculating Accuracy, Weighted Precision, … and Weighted F1-Score
    002  Shmueli 2019, A Tale of Two Macro-F1's
    003  Opitz 2022, From Bias and Prevalence to Macro F1, Kappa, and MCC

    A claim holds, perhaps with a remark, is a misprint (a corrected form holds), fails as printed
    or cannot be checked, because what it rests on is not printed. Nothing is stored: each verdict
    is computed now, but for the few that are marked as read by eye.

    The word figures (or figure 2a, figure table 8) with --output redraws the figures, or that one,
    from fresh simulation into the directory.

    \b
    evenhand papers
    evenhand papers 000-theorem-2
    evenhand papers Opitz 2022 calibration
    evenhand papers 003 --format json
    evenhand papers figure 2a
    evenhand papers figures --output figures
    """
    from evenhand.cli.progress import progress

    drawing = words[:1] in (("figure",), ("figures",))
    if drawing and output.path and output.path != "-":
        from evenhand.papers.redraw import redraw

        with progress("drawing"):
            drawn = redraw(output.path, words[1:], seed=seed, draws=draws)
        out.show(drawn, replace(output, path=None))
        return
    from evenhand.papers import recompute

    with progress("recomputing"):
        found = recompute(("figure", *words[1:]) if drawing else words, seed=seed)
    out.show(found, output)
