"""``evenhand agree``: how well any number of annotators agree."""

from __future__ import annotations

import click

from evenhand.cli import names, options, out, sources
from evenhand.cli.records import Output


@names.command(short_help="Krippendorff's alpha of any number of annotators.")
@click.argument("file", type=names.FILE)
@options.file(
    "--distance",
    default="nominal",
    show_default=True,
    metavar="nominal|ordinal|interval|ratio|FILE",
    help="How far apart labels are: by kind, a matrix, or CHILD,PARENT lines.",
)
@options.column("--id", help="Column of the item; all others are annotators unless named.")
@options.column("--annotator", help="Column of the annotator: one row an item and annotator.")
@options.column("--label", help="With --annotator: column of the label.")
@options.column("--pred", multiple=True, help="Column of an annotator's labels (repeatable).")
@click.option(
    "--labels",
    metavar="A,B,…",
    callback=lambda *given: sources.label_list(given[-1]),
    help="The labels, in this order.",
)
@options.share("--level", 0.95, "Confidence level of the interval.")
@sources.layout
@options.output()
def command(
    file: str,
    distance: str,
    id: str | None,
    annotator: str | None,
    label: str | None,
    pred: tuple[str, ...],
    labels: tuple[str, ...] | None,
    level: float,
    no_header: bool,
    delimiter: str | None,
    encoding: str | None,
    output: Output,
) -> None:
    """How well annotators agree who need not have rated every item: Krippendorff's alpha.

    The file has a column for each annotator and a row for each item, empty where there is no
    rating; or a row for each rating, with columns for the item, the annotator and the label.

    \b
    evenhand agree ratings.csv --id item
    evenhand agree ratings.csv --pred anna --pred ben --pred cleo --distance ordinal
    evenhand agree long.csv --id item --annotator worker --label answer --distance interval
    evenhand agree ratings.csv --distance ordinal --labels low,middle,high --format json
    """
    from evenhand.core.coincidence import APART
    from evenhand.files.distances import read_distance
    from evenhand.files.layout import Layout
    from evenhand.files.ratings import read_ratings
    from evenhand.scoring.agreeing import agree

    if (annotator is None) != (label is None) or (annotator and id is None):
        raise click.UsageError("A row a rating needs --id, --annotator and --label.")
    if annotator and pred:
        raise click.UsageError("--pred names the annotators' columns: leave out --annotator.")
    layout = Layout(not no_header, delimiter, encoding)
    read = read_ratings(file, item=id, long=(annotator, label), own=pred, layout=layout)
    found = agree(
        read.data,
        distance=distance if distance in APART else read_distance(distance),
        **({"item": "item", "annotator": "annotator", "label": "label"} if annotator else {}),
        labels=labels,
        level=level,
    )
    out.show(found.noted(*read.notes), output, file)
