"""``evenhand twins``: the two formulas called macro F1."""

from __future__ import annotations

from typing import Any

import click

from evenhand.cli import options


@click.command(short_help="The two 'macro F1'.", context_settings={"ignore_unknown_options": False})
@click.argument("source", nargs=-1, metavar="[K CELL… | GOLD PRED | FILE]")
@options.tables
@options.averaging
@click.option(
    "--pairs",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    help="How many pairs of classes to list; JSON and CSV have all.",
)
@options.output
def command(
    source: tuple[str, ...],
    average: str,
    classes: tuple[str, ...],
    exclude: tuple[str, ...],
    undefined: str,
    pairs: int,
    style: str,
    output: str | None,
    digits: int,
    **given: Any,
) -> None:
    """Both macro F1s of one table, their gap, and the pairs of classes that make it.

    Bare numbers are the number of classes and the cells row by row, rows = predicted, as the
    program printed by Opitz & Burst (2019) takes them. Any input of ``score`` works too.

    \b
    evenhand twins 2 100 10000 0 100
    evenhand twins gold.txt pred.txt
    evenhand twins --matrix "6 1 1; 1 5 2; 2 3 7" --format json
    """
    from evenhand.cli.inputs import table_from
    from evenhand.format.grid import comma_separated, latex, markdown
    from evenhand.format.json import dumps
    from evenhand.format.report import twins_grid, twins_text
    from evenhand.scoring.twins import twins

    if given["by"]:
        raise click.UsageError("twins looks at one table: leave out --by.")
    if source and all(_is_number(s) for s in source):
        table = _as_the_paper_does(source, given["labels"])
    else:
        table = table_from(source, **given)
    chosen = options.averaged_classes(table, average, classes, exclude)
    found = twins(table, classes=chosen, undefined=undefined)
    if style == "json":
        text = dumps(found.to_dict())
    elif style == "csv":
        text = comma_separated(twins_grid(found, None).beside("signature", str(found.signature)))
    elif style == "markdown":
        text = markdown(twins_grid(found, pairs), digits)
    elif style == "latex":
        text = latex(twins_grid(found, pairs), digits)
    else:
        text = twins_text(found, pairs)
    options.write(text, output)


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdigit()


def _as_the_paper_does(numbers: tuple[str, ...], labels: str | None) -> Any:
    from evenhand.table import Confusion

    k, cells = numbers[0], numbers[1:]
    if not k.isdigit() or int(k) < 1 or len(cells) != int(k) ** 2:
        wanted = f"{int(k) ** 2} cells" if k.isdigit() else "a whole number first"
        raise click.UsageError(
            f"Expected K and K×K cells: {wanted} after K = {k}, got {len(cells)}."
        )
    values = [float(c) if "." in c else int(c) for c in cells]
    matrix = [values[i * int(k) : (i + 1) * int(k)] for i in range(int(k))]
    names = options.label_list(labels) or [_letter(i) for i in range(int(k))]
    return Confusion.from_matrix(matrix, labels=names, rows="pred")


def _letter(i: int) -> str:
    return chr(ord("a") + i) if i < 26 else f"class {i + 1}"
