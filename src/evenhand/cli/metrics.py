"""``evenhand metrics``: the catalogue."""

from __future__ import annotations

import click

from evenhand.cli import names, options, out


@names.command(short_help="The catalogue of metrics.")
@click.argument("names", nargs=-1, metavar="[NAME]…")
@options.output
def command(names: tuple[str, ...], style: str, output: str | None, digits: int) -> None:
    """List the metrics, or explain those named: formula, range, properties, reference.

    \b
    evenhand metrics
    evenhand metrics macro_f1 f1_of_averages
    evenhand metrics --format markdown
    """
    from evenhand.catalogue import lookup, metrics
    from evenhand.results.catalogue import catalogue_dict, catalogue_grid, metric_text
    from evenhand.results.grid import comma_separated, latex, markdown, plain
    from evenhand.results.json import dumps

    chosen = [lookup(n) for n in names] or list(metrics().values())
    if style == "json":
        text = dumps(catalogue_dict(chosen))
    elif style == "table" and names:
        text = "\n\n".join(metric_text(m) for m in chosen)
    else:
        grid = catalogue_grid(chosen)
        writers = {"csv": comma_separated, "markdown": markdown, "latex": latex}
        text = writers[style](grid) if style in writers else plain(grid, label_width=120)
    out.write(text, output)
