"""``evenhand merge``: saved tables, added up."""

from __future__ import annotations

import click

from evenhand.cli import names, options, out


@names.command(short_help="Add up saved tables.")
@click.argument("files", type=names.FILE, nargs=-1, required=True, metavar="TABLE…")
@options.written(
    help="Where the sum goes: .parquet by that ending, else JSON; without it, to the screen."
)
def command(files: tuple[str, ...], output: str | None) -> None:
    """Add up tables that count saved; a source that two of them count is an error.

    \b
    evenhand merge part*.json --output all.json
    """
    from evenhand.cli.progress import progress
    from evenhand.errors import InputError
    from evenhand.files.saved import Saved, load

    whole: Saved | None = None
    with progress("merging", len(files)) as advance:
        for name in files:
            part = load(name)
            try:
                whole = part if whole is None else whole.merge(part)
            except InputError as e:
                raise InputError(f"{name}: {e}") from None
            advance(1)
    assert whole is not None
    out.keep(whole.table, whole.sources, output)
