"""``evenhand codabench``: a bundle for a shared task."""

from __future__ import annotations

import re
import shutil
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from evenhand.cli import names, options, out, sources
from evenhand.cli.records import Judging, Source


@names.command(short_help="A scoring bundle for a shared task on Codabench.")
@click.argument("folder", type=names.Named("folder"), metavar="DIR")
@options.file("--gold", required=True, help="The true labels of the test items.")
@click.option("--title", metavar="TEXT", help="What the task is called  [default: as DIR]")
@click.option("--description", metavar="TEXT", default="", help="A sentence about it.")
@options.judging(
    "A column of the leaderboard, e.g. macro_f1, f1:label=spam (repeatable); the first decides.",
    "Confidence level of the intervals in the detailed results.",
)
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
    type=names.Named("folder"),
    metavar="DIR",
    help="Take the wheels from this folder and do not ask pip.",
)
@options.flag("--offline", help="Make the wheels from what is installed here (the same Python).")
@options.flag("--no-wheels", help="Ship none: the image has evenhand.")
@click.option(
    "--try",
    "tries",
    type=names.FILE,
    multiple=True,
    metavar="FILE",
    help="Run the bundle's program on this submission, here and now (repeatable).",
)
def command(
    folder: str,
    gold: str,
    title: str | None,
    description: str,
    judging: Judging,
    intervals: bool,
    source: Source,
    start: datetime | None,
    python: str,
    image: str | None,
    wheels: str | None,
    offline: bool,
    no_wheels: bool,
    tries: tuple[str, ...],
) -> None:
    """Write a bundle to upload to Codabench: competition, pages, gold labels, scoring program.

    DIR gets the bundle and DIR.zip is the file to upload. The scoring program brings the wheels
    of evenhand and all that it needs, since workers may have no network. A submission is one file
    in the form of the gold file; one that does not fit gets one line that says why.

    \b
    evenhand codabench task --gold gold.txt --metric macro_f1 --metric accuracy
    evenhand codabench task --gold gold.csv --id id --label label --metric macro_f1 --intervals
    evenhand codabench task --gold gold.txt --metric macro_f1 --try good.txt --try bad.zip
    evenhand codabench task --gold gold.txt --metric macro_f1 --offline --python 3.11
    """
    from evenhand.bridges.codabench import bundle
    from evenhand.bridges.codabench.task import Task
    from evenhand.cli.progress import progress

    place, given = Path(folder), Path(gold)
    if sum(map(bool, (wheels, offline, no_wheels))) > 1:
        raise click.UsageError("--wheels, --offline and --no-wheels go one at a time.")
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise click.UsageError(f"{folder} is there already: name a new folder.")
    for name in (gold, *tries):
        if not Path(name).is_file():
            raise click.UsageError(f"{name} is not a file.")
    if not re.fullmatch(r"3\.\d+", python):
        raise click.UsageError(f"--python must be a version such as 3.12, got {python!r}.")
    task = Task(
        title=title or place.name,
        gold=f"gold{given.suffix}",
        metrics=tuple(dict.fromkeys(map(_spelled, judging.metrics))),
        reading=_reading(source),
        classes=_over(judging),
        undefined=judging.undefined,
        level=judging.level,
        intervals=intervals,
    )
    about = bundle.About(
        description=description,
        image=image or f"python:{python}-slim",
        start=start.date() if start else None,
    )
    try:
        bundle.write(place, task, given, about)
        if not no_wheels:
            with progress("wheels"):
                _ship(place / "scoring_program" / "wheels", python, wheels, offline)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)  # half a bundle is none
        raise
    path = bundle.zipped(place)
    out.line(f"{path} ({path.stat().st_size / 1e6:,.1f} MB) is the file to upload", beside=False)
    good = True
    for name in tries:
        code, words, made = bundle.dry_run(place, Path(name))
        said = "; ".join(words.splitlines())
        out.line(f"{name}: {said}{f' ({made})' if not code else ''}", beside=False)
        good &= code == 0
    out.end(good)


def _spelled(metric: str) -> str:
    from evenhand.catalogue.spelling import Spec

    return Spec.parse(metric).name


def _over(judging: Judging) -> Any:
    """The classes by rule or by list; those to leave out are known only of a table."""
    if judging.exclude:
        raise click.UsageError("Name the --classes that averages run over, not those left out.")
    return judging.classes or judging.average


def _reading(source: Source) -> Any:
    from evenhand.files.reading import Reading

    own = (f.name for f in fields(Reading) if f.name != "files")
    return Reading(**{name: getattr(source, name) for name in own})


def _ship(folder: Path, python: str, wheels: str | None, offline: bool) -> None:
    from evenhand.bridges.codabench import wheels as shipping

    if wheels is not None:
        shipping.collect(folder, Path(wheels))
    elif offline:
        shipping.repack(folder, python=python)
    else:
        shipping.ship(folder, python=python)
