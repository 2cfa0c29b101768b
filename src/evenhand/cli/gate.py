"""``evenhand gate``: may a new system take the place of an old one?"""

from __future__ import annotations

import click

from evenhand.cli import names, options, out, sources
from evenhand.cli.records import Judging, Output, Source


@names.command(short_help="Let NEW pass if it is shown to be not worse than OLD.")
@click.argument("files", type=names.FILE, nargs=-1, metavar="[GOLD OLD NEW | FILE]")
@options.size(
    "--margin",
    type=names.Size(0),
    required=True,
    help="How much worse NEW may be and pass, e.g. 0.01 or 1%: only you know what matters.",
)
@options.choice(
    "--test",
    among=("noninferior", "superior", "equivalent"),
    help="What must be shown: not worse by more than the margin, better by more than it (which "
    "may be 0), or neither.",
)
@options.baseline("Which system is OLD, if not the first.")
@options.judging(
    "What it must be shown on, e.g. macro_f1, f1:label=spam (repeatable: on all of them).",
    "One-sided confidence level.",
)
@sources.several
@options.footnote
@options.output()
def command(
    source: Source,
    margin: float,
    test: str,
    baseline: str | None,
    judging: Judging,
    output: Output,
) -> None:
    """Pass (exit code 0) if NEW is shown to be not worse than OLD by more than the margin, else
    fail (exit code 1): also where the items are too few to tell.

    The input is GOLD, OLD and NEW, or one file with two columns of predictions, OLD's first. With
    --by it must be shown in every slice too, corrected over slices. One line says what was
    decided; with --format or --output the whole result is written as well.

    \b
    evenhand gate gold.txt old.txt new.txt --margin 0.01
    evenhand gate gold.txt old.txt new.txt --margin 0.01 --metric macro_f1 --metric accuracy
    evenhand gate answers.csv --true gold --pred old --pred new --margin 0.02 --by language
    evenhand gate gold.tsv old.tsv new.tsv --id id --label label --cluster user --margin 0.01
    evenhand gate gold.txt old.txt new.txt --margin 0 --test superior --output gate.json
    evenhand gate gold.txt old.txt new.txt --margin 0.01 --format markdown >> summary.md
    """
    from evenhand.cli.inputs import named_system, two_systems
    from evenhand.deciding.gating import gate

    if source.system and baseline is None:
        raise click.UsageError("With --system, say which system is OLD: --baseline NAME.")
    loaded = two_systems(source)
    found = gate(
        loaded.data,
        margin=margin,
        test=test,
        baseline=named_system(baseline, loaded.data.systems),
        metrics=judging.metrics,
        classes=judging.over(loaded.data),
        undefined=judging.undefined,
        level=judging.level,
        distance=judging.apart,
    ).noted(*loaded.notes)
    styled = options.said("style") or output.footnote or output.path == "-"
    if styled or output.path is not None:
        out.show(found, output)
    else:
        out.warn(found.warnings)
    out.line(found.message, beside=styled)
    out.end(found.passed)
