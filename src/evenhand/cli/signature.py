"""``evenhand signature``: a signature in words."""

from __future__ import annotations

import click

from evenhand.cli import names, options, out
from evenhand.cli.records import Output


@names.command(short_help="A signature in words.")
@click.argument("text", metavar="TEXT")
@click.argument("other", required=False, metavar="[OTHER]")
@options.flag("--short", help="Print the short form only.")
@options.flag("--long", "full", help="Print the long form only.")
@options.output()
def command(text: str, other: str | None, short: bool, full: bool, output: Output) -> None:
    """Explain a signature field by field; with a second one, name the fields that differ.

    Exit code 1 says that two signatures differ.

    \b
    evenhand signature "metric:macro_f1|formula:mean-of-f1|classes:seen.3|undefined:0"
    evenhand signature "m:macro_f1|c:seen.3" "m:macro_f1|c:true.3"
    """
    from evenhand.results.json import SCHEMA, dumps
    from evenhand.results.signature import Differences, Explained
    from evenhand.signature.line import Signature

    found = Signature.parse(text)
    if other is not None:
        unlike = Differences(found, Signature.parse(other))
        out.show(unlike, output)
        out.end(unlike.ok)
    elif short or full:
        form, line = ("short", found.short) if short else ("signature", str(found))
        record = {"schema": SCHEMA, form: line}
        out.write(dumps(record) if output.style == "json" else line, output.path)
    else:
        out.show(Explained(found), output)
