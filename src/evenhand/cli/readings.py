"""``evenhand readings``: what macro recall and the F1 of averages mean."""

from __future__ import annotations

import click

from evenhand.cli import names, options, out, sources
from evenhand.cli.records import Averaging, Output, Source


@names.command(short_help="Macro recall and the F1 of averages in words.")
@click.argument("files", type=names.FILE, nargs=-1, metavar="[GOLD PRED | FILE]")
@options.number("--draws", 0, "Also draw so many items from class bags.", least=0, metavar="N")
@options.number("--seed", 0, "The same seed, the same draws.", least=0)
@sources.one
@options.averaging
@options.output()
def command(draws: int, seed: int, source: Source, averaging: Averaging, output: Output) -> None:
    """What macro recall and the F1 of averages of one system mean, as Opitz (2022) reads them.

    Macro recall is the chance that an item drawn from the bag of a random class (class bags) is
    right, what a bookmaker with fair odds would pay, class by class, and accuracy after prevalence
    calibration. The F1 of averages (macF1', F-score_M, the benevolent doppelganger) is an
    inter-annotator agreement: macro recall of either annotator against the other, and their
    harmonic mean. With --average seen it does not matter which of two annotators comes first.

    \b
    evenhand readings gold.txt pred.txt
    evenhand readings --matrix "6 1 1; 1 5 2; 2 3 7" --labels bird,cat,dog --draws 10000
    evenhand readings annotator-a.txt annotator-b.txt --average seen
    """
    from evenhand.cli.inputs import data_from, whole_only
    from evenhand.scoring.interpreting import readings

    whole_only(source, "readings", "macro_recall")
    if source.cluster:
        raise click.UsageError("--cluster changes intervals, and readings has none: leave it out.")
    loaded = data_from(source)
    over = averaging.over(loaded.data)
    found = readings(
        loaded.data, draws=draws, seed=seed, classes=over, undefined=averaging.undefined
    )
    out.show(found.noted(*loaded.notes), output, source.name)
