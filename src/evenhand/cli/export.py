"""``evenhand export``: scores as records for leaderboards elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from evenhand.cli import names, options, out, sources
from evenhand.cli.records import Scoring, Source
from evenhand.errors import shown


@names.command(short_help="Scores as records for leaderboards elsewhere.")
@click.argument("files", type=names.FILE, nargs=-1, metavar="[GOLD RUN… | FILE]")
@options.choice(
    "--to",
    among=("every-eval-ever", "hub"),
    help="A record of Every Eval Ever for each system, or files for .eval_results on the hub.",
)
@click.option("--dataset", required=True, metavar="NAME", help="What the test items are called.")
@click.option("--organization", metavar="NAME", help="Who publishes the scores.")
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="SYSTEM=ID",
    callback=options.pairs,
    help="The id of a system's model, e.g. balanced=ourlab/balanced (repeatable).",
)
@click.option("--hub", metavar="MAKER/NAME", help="The data's id on the hub.")
@click.option("--split", metavar="NAME", help="Which part of the data on the hub.")
@click.option("--url", multiple=True, metavar="ADDRESS", help="Where the data are (repeatable).")
@options.choice(
    "--relationship",
    among=("other", "first_party", "third_party", "collaborative"),
    help="Who the publisher is to the makers of the models.",
)
@click.option(
    "--task",
    "tasks",
    multiple=True,
    metavar="METRIC=TASK",
    callback=options.pairs,
    help="With --to hub: the task that has this metric (repeatable).",
)
@sources.ranked
@options.scoring()
@click.option(
    "--output",
    "-o",
    "folder",
    default="leaderboard",
    show_default=True,
    metavar="DIR",
    help="The folder to write into.",
)
def command(
    to: str,
    dataset: str,
    organization: str | None,
    models: dict[str, str],
    hub: str | None,
    split: str | None,
    url: tuple[str, ...],
    relationship: str,
    tasks: dict[str, str],
    source: Source,
    by_metric: str,
    scoring: Scoring,
    folder: str,
) -> None:
    """Write the scores of systems as others keep them, with intervals and signatures.

    Every Eval Ever 0.3 (--to every-eval-ever): a JSON record a system, in the folders of its
    datastore. The hub (--to hub): a YAML file a system for the folder .eval_results of its model;
    --dataset is then the benchmark's id there, and --task names the task of each metric.

    \b
    evenhand export gold.txt systems/*.txt --dataset our-task --organization "Our lab"
    evenhand export gold.txt a.txt --dataset t --organization us --model a=us/a --metric macro_f1
    evenhand export gold.txt a.txt --to hub --dataset us/our-task --task macro_f1=default
    """
    from evenhand.bridges import leaderboards
    from evenhand.cli.inputs import named_system

    if to == "hub" and not tasks:
        raise click.UsageError("With --to hub, say which task a metric is of: --task METRIC=TASK.")
    if to != "hub" and not organization:
        raise click.UsageError("Say who publishes the scores: --organization NAME.")
    result, systems, complete = _scored(source, by_metric, scoring)
    ids = {named_system(name, systems): model for name, model in models.items()}
    strange = [name for name in ids if name not in systems]
    if strange:
        raise click.UsageError(f"--model names {strange[0]!r}, but there is {shown(systems)}.")
    if to == "hub":
        texts = leaderboards.eval_results(result, dataset=dataset, task=tasks, system=systems[0])
        paths = leaderboards.save_eval_results(texts, folder)
    else:
        records = leaderboards.every_eval_ever(
            result,
            dataset=dataset,
            organization=str(organization),
            model={name: ids.get(name, name) for name in systems},
            hub=hub,
            split=split,
            url=url,
            relationship=relationship,  # type: ignore[arg-type]
            system=systems[0],
        )
        paths = leaderboards.save_every_eval_ever(records, folder)
    for path in paths:
        out.line(str(path), beside=False)
    out.warn(result.warnings)
    out.end(complete)


def _scored(source: Source, by_metric: str, scoring: Scoring) -> tuple[Any, list[str], bool]:
    """The scores of one system or several, their names, and whether all are there."""
    from evenhand.cli.entries import entries_from, ranked
    from evenhand.cli.inputs import data_from, of_one
    from evenhand.scoring.score import score

    if not of_one(source):
        given = entries_from(source)
        board = ranked(given, source, by_metric, scoring, scoring.how(given.data.tables()))
        return board, list(board), not given.failed
    loaded = data_from(replace(source, keep_going=False))  # there is nothing to go on with
    asked = scoring.metrics or None
    scores = score(loaded.data, metrics=asked, **scoring.how(loaded.data)).noted(*loaded.notes)
    return scores, [(*source.pred, Path(source.files[-1]).stem)[0]], True
