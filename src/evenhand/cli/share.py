"""The commands serve and publish."""

from __future__ import annotations

import re
import shutil
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import click

from evenhand.cli import options, output, sources
from evenhand.cli.options import Flags, SourceOptions
from evenhand.errors import InputError, shown
from evenhand.options import RankOptions, ScoringOptions, TaskOptions


@options.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="Where to listen; 0 takes any that is free.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen at; any but this machine's own can be reached by others.",
)
@options.flag("--no-browser", help="Do not open the page.")
def serve_command(flags: Flags) -> None:
    """Start the web page and open it: change a table and watch every metric, score files, audit a
    published table, choose a metric. Files stay on this machine. Stop it with Ctrl-C.

    \b
    evenhand serve
    evenhand serve --port 9000 --no-browser
    """
    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise InputError("the web page needs: pip install 'evenhand[web]'") from None
    from evenhand.web.app import serve

    serve(flags.host, flags.port, browser=not flags.no_browser)


# ``evenhand publish``: where scores go.


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def publish_command() -> None:
    """Publish a shared task, or the scores of systems.

    \b
    evenhand publish codabench task --gold gold.txt --metric macro_f1
    evenhand publish records gold.txt runs/*.txt --dataset task --organization us
    """


@options.command(
    TaskOptions,
    usual="gold title metric average intervals id label start python image try",
    name="codabench",
)
@click.argument("folder", type=options.NamedParam("folder"), metavar="DIR")
@options.file("--gold", required=True, help="The true labels of the test items.")
@click.option("--title", metavar="TEXT", help="What the task is called  [default: as DIR]")
@click.option("--description", metavar="TEXT", default="", help="A sentence about it.")
@options.declared(TaskOptions)
@options.flag("--intervals", help="Columns for both ends of each metric's interval too.")
@sources.submitted
@click.option(
    "--start",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="First day of submissions, e.g. 2026-03-01  [default: today]",
)
@click.option(
    "--python",
    default="3.12",
    show_default=True,
    metavar="VERSION",
    help="The Python of the worker's image, which the wheels are for.",
)
@click.option("--image", metavar="NAME", help="The worker's image  [default: python:VERSION-slim]")
@click.option(
    "--wheels",
    type=options.NamedParam("folder"),
    metavar="DIR",
    help="Take the wheels from this folder and do not ask pip.",
)
@options.flag("--no-wheels", help="Ship none: the image has evenhand.")
@click.option(
    "--try",
    "tries",
    type=options.FILE,
    multiple=True,
    metavar="FILE",
    help="Run the bundle's program on this submission, here and now (repeatable).",
)
def codabench_command(source: SourceOptions, flags: Flags) -> None:
    """A bundle to upload to Codabench: competition, pages, gold labels, scoring program.

    DIR gets the bundle and DIR.zip is the file to upload. The scoring program brings the wheels
    of evenhand and all that it needs, since workers may have no network. A submission is one file
    in the form of the gold file; one that does not fit gets one line that says why.

    \b
    evenhand publish codabench task --gold gold.txt --metric macro_f1
    evenhand publish codabench task --gold gold.csv --id id --label label
    evenhand publish codabench task --gold gold.txt --try good.txt
    """
    from evenhand.bridges.codabench import bundle
    from evenhand.bridges.codabench.program import Task
    from evenhand.catalogue.spelling import Spec
    from evenhand.io.columns import ReadOptions

    place, gold_path = Path(flags.folder), Path(flags.gold)
    if flags.wheels is not None and flags.no_wheels:
        raise click.UsageError("--wheels and --no-wheels go one at a time.")
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise click.UsageError(f"{place} is there already: name a new folder.")
    for name in (flags.gold, *flags.tries):
        if not Path(name).is_file():
            raise click.UsageError(f"{name} is not a file.")
    python = flags.python
    if not re.fullmatch(r"3\.\d+", python):
        raise click.UsageError(f"--python must be a version such as 3.12, got {python!r}.")
    if flags.exclude:  # which are known only of a table
        raise click.UsageError("Name the --classes that averages run over, not those left out.")
    read = (f for f in fields(ReadOptions) if f.name != "files")
    task = Task(
        title=flags.title or place.name,
        gold=f"gold{gold_path.suffix}",
        metrics=tuple(dict.fromkeys(Spec.parse(metric).name for metric in flags.metrics)),
        reading=ReadOptions(**{f.name: getattr(source, f.name) for f in read}),
        classes=flags.classes or flags.average,
        undefined=flags.undefined,
        level=flags.level,
        intervals=flags.intervals,
    )
    about = bundle.TaskDescription(
        description=flags.description,
        image=flags.image or f"python:{python}-slim",
        start=flags.start.date() if flags.start else None,
    )
    try:
        bundle.write(place, task, gold_path, about)
        if not flags.no_wheels:
            with output.progress("wheels"):
                wheels = None if flags.wheels is None else Path(flags.wheels)
                target = place / "scoring_program" / "wheels"
                bundle.add_wheels(target, python=python, source=wheels)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)  # half a bundle is none
        raise
    path = bundle.zipped(place)
    output.line(
        f"{path} ({path.stat().st_size / 1e6:,.1f} MB) is the file to upload", to_stderr=False
    )
    good = True
    for name in flags.tries:
        code, words, outputs = bundle.dry_run(place, Path(name))
        message = "; ".join(words.splitlines())
        output.line(f"{name}: {message}{f' ({outputs})' if not code else ''}", to_stderr=False)
        good &= code == 0
    output.end(good)


@options.command(
    RankOptions,
    usual="to dataset organization model hub split url task true pred id metric output",
    name="records",
)
@options.files(metavar="[GOLD RUN… | FILE]")
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
@sources.sources_ranked
@options.declared(ScoringOptions)
@click.option(
    "--output",
    "-o",
    "folder",
    default="leaderboard",
    show_default=True,
    metavar="DIR",
    help="The folder to write into.",
)
def records_command(source: SourceOptions, flags: Flags) -> None:
    """Records of scores for leaderboards elsewhere, with intervals and signatures.

    Every Eval Ever 0.3 (--to every-eval-ever): a JSON record a system, in the folders of its
    datastore. The hub (--to hub): a YAML file a system for the folder .eval_results of its model;
    --dataset is then the benchmark's id there, and --task names the task of each metric.

    \b
    evenhand publish records gold.txt runs/*.txt --dataset task --organization us
    evenhand publish records gold.txt a.txt --dataset task --organization us
    evenhand publish records answers.csv --true gold --dataset t --organization us
    evenhand publish records gold.txt a.txt --dataset t --organization us --model a=us/a
    evenhand publish records gold.txt a.txt --to hub --dataset us/t --task macro_f1=default
    """
    from evenhand.bridges import leaderboards

    to_hub, dataset = flags.to == "hub", flags.dataset
    if to_hub and not flags.tasks:
        raise click.UsageError("With --to hub, say which task a metric is of: --task METRIC=TASK.")
    if not to_hub and not flags.organization:
        raise click.UsageError("Say who publishes the scores: --organization NAME.")
    result, systems, complete = _scored(source, flags)
    ids = {sources.named_system(name, systems): model for name, model in flags.models.items()}
    strange = [name for name in ids if name not in systems]
    if strange:
        raise click.UsageError(f"--model names {strange[0]!r}, but there is {shown(systems)}.")
    if to_hub:
        texts = leaderboards.eval_results(
            result, dataset=dataset, task=flags.tasks, system=systems[0]
        )
        paths = leaderboards.save_eval_results(texts, flags.folder)
    else:
        names = ("dataset", "organization", "hub", "split", "url", "relationship")
        records = leaderboards.every_eval_ever(
            result,
            model={name: ids.get(name, name) for name in systems},
            system=systems[0],
            **{name: flags.values[name] for name in names},
        )
        paths = leaderboards.save_every_eval_ever(records, flags.folder)
    for path in paths:
        output.line(str(path), to_stderr=False)
    output.warn(result.warnings)
    output.end(complete)


def _scored(source: SourceOptions, flags: Flags) -> tuple[Any, list[str], bool]:
    """The scores of one system or several, their names, and whether all are there."""
    from evenhand.scoring.score import score

    if not sources.of_one(source):
        entries = sources.entries_from(source)
        board = sources.ranked(entries, source, flags)
        return board, list(board), not entries.failed
    alone = replace(source, keep_going=False)  # there is nothing to go on with
    loaded = sources.data_from(alone, soft=True)
    scores = score(loaded.data, **flags.arguments(loaded.data, ScoringOptions))
    name = (*source.pred, Path(source.files[-1]).stem)[0]
    return scores.noted(*loaded.notes), [name], True


publish_command.add_command(codabench_command)
publish_command.add_command(records_command)
