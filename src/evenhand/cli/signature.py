"""``evenhand signature``: a signature in words."""

from __future__ import annotations

import click

from evenhand.cli import names, options, out


@names.command(short_help="A signature in words.")
@click.argument("text", metavar="TEXT")
@click.argument("other", required=False, metavar="[OTHER]")
@click.option("--short", is_flag=True, help="Print the short form only.")
@click.option("--long", "full", is_flag=True, help="Print the long form only.")
@options.output
def command(
    text: str,
    other: str | None,
    short: bool,
    full: bool,
    style: str,
    output: str | None,
    digits: int,
) -> None:
    """Explain a signature field by field; with a second one, name the fields that differ.

    Exit code 1 says that two signatures differ.

    \b
    evenhand signature "metric:macro_f1|formula:mean-of-f1|classes:seen.3|undefined:0"
    evenhand signature "m:macro_f1|c:seen.3" "m:macro_f1|c:true.3"
    """
    from evenhand.results.grid import Grid, written
    from evenhand.results.json import SCHEMA, dumps
    from evenhand.results.signature import explained, explained_grid
    from evenhand.signature import Signature

    found = Signature.parse(text)
    if other is not None:
        unlike = found.differences(Signature.parse(other))
        if style == "json":
            result = dumps({"schema": SCHEMA, "differences": unlike})
        elif not unlike and style == "table":
            result = "no difference"
        else:
            rows = [[name, a, b] for name, (a, b) in unlike.items()]
            result = written(Grid(["field", "first", "second"], rows), style, digits)
        out.write(result, output)
        if unlike:
            raise click.exceptions.Exit(1)
        return
    if short or full:
        result = found.short if short else str(found)
        if style == "json":
            result = dumps({"schema": SCHEMA, "short" if short else "signature": result})
    elif style == "json":
        words = dict(explained(found))
        fields = {k: {"value": v, "meaning": words[k]} for k, v in found.items()}
        long, brief = str(found), found.short
        result = dumps({"schema": SCHEMA, "signature": long, "short": brief, "fields": fields})
    else:
        result = written(explained_grid(found), style, digits, label_width=200)
    out.write(result, output)
