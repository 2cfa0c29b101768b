"""The commands serve and publish."""

from __future__ import annotations

import re
import shutil
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from evenhand.cli import options, output, sources
from evenhand.cli.options import Flags, SourceOptions, refuse
from evenhand.errors import InputError, shown
from evenhand.options import RankOptions, ScoringOptions, TaskOptions

FOLDER, DAY = options.NamedParam("folder"), click.DateTime(["%Y-%m-%d"])
PORT = click.IntRange(0, 65535)


@options.command()
@options.option("--port", "Where to listen; 0 takes any free port.", type=PORT, default=8765)
@options.option("--host", "Only 127.0.0.1 is closed to other machines.", default="127.0.0.1")
@options.flag("--no-browser", "Do not open the page.")
def serve_command(flags: Flags) -> None:
    """Start the web page and open it: change a table and watch every metric, score files, audit a
    published table, choose a metric. Files stay on this machine. Stop it with Ctrl-C.

    \b
    evenhand serve
    evenhand serve --port 9000 --no-browser
    evenhand serve --host 0.0.0.0
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
    """Publish a shared task, the scores of systems, or the page that explains macro F1.

    \b
    evenhand publish codabench task --gold gold.txt --metric macro_f1
    evenhand publish records gold.txt runs/*.txt --dataset task --organization us
    evenhand publish page -o site/
    """


@options.command(name="page")
@options.option("--output -o place", "Where to write.", "DIR", type=FOLDER, default="site")
@options.option("--address", "Where it will stand, for links to it.", "URL", default="")
def page_command(flags: Flags) -> None:
    """The page's Play as files for any web space: no server, no network, no intervals.

    DIR gets index.html, which also opens from disk, and the picture that previews of links show.

    \b
    evenhand publish page
    evenhand publish page -o site/
    evenhand publish page -o site/ --address https://scores.example.org/
    """
    from evenhand.charts.chart import available
    from evenhand.io.scratch import atomic_write
    from evenhand.scoring.charts import ring
    from evenhand.web import static_page

    strange = flags.address and not re.fullmatch(r"https?://[^\s\"<>]+/", flags.address)
    refuse(strange, f"--address is such as https://example.org/, got {shown(flags.address)}.")
    place = Path(flags.place)
    place.mkdir(parents=True, exist_ok=True)
    with atomic_write(place / "index.html") as part:
        part.write_text(static_page(flags.address), encoding="utf-8")
    if available():
        title = "Two systems. Which has the better macro F1?"
        ring([[5, 5], [10, 10]], [[1, 9], [1, 19]], title=title).save(place / "picture.png")
    output.line(f"wrote {place / 'index.html'}")


@options.command(
    TaskOptions,
    usual="gold title metric average intervals id label start python image try",
    name="codabench",
)
@click.argument("folder", type=FOLDER, metavar="DIR")
@options.file("--gold", "The true labels of the test items.", required=True)
@options.option("--title", "What the task is called  [default: as DIR]", "TEXT")
@options.option("--description", "A sentence about it.", "TEXT")
@options.declared(TaskOptions)
@options.flag("--intervals", "Columns for both ends of each metric's interval too.")
@sources.submitted
@options.option("--start", "First day, e.g. 2026-03-01  [default: today]", "DATE", type=DAY)
@options.option("--python", "The Python of the worker's image.", "VERSION", default="3.12")
@options.option("--image", "The worker's image  [default: python:VERSION-slim]", "NAME")
@options.option("--wheels", "Take the wheels from here, not from pip.", "DIR", type=FOLDER)
@options.flag("--no-wheels", "Ship none: the image has evenhand.")
@options.file("--try tries", "Score this submission here and now (repeatable).", multiple=True)
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
    from evenhand.bridges import codabench
    from evenhand.catalogue.spelling import Spec
    from evenhand.io.columns import ReadOptions

    place, gold_path = Path(flags.folder), Path(flags.gold)
    both = flags.wheels is not None and flags.no_wheels
    refuse(both, "--wheels and --no-wheels go one at a time.")
    full = place.exists() and (not place.is_dir() or any(place.iterdir()))
    refuse(full, f"{place} is there already: name a new folder.")
    for name in (flags.gold, *flags.tries):
        refuse(not Path(name).is_file(), f"{name} is not a file.")
    python = flags.python
    known = re.fullmatch(r"3\.\d+", python)
    refuse(not known, f"--python must be a version such as 3.12, got {python!r}.")
    # Classes to leave out are known only of a table.
    refuse(flags.exclude, "Name the --classes that averages run over, not those left out.")
    read = (f for f in fields(ReadOptions) if f.name != "files")
    task = codabench.Task(
        title=flags.title or place.name,
        gold=f"gold{gold_path.suffix}",
        metrics=tuple(dict.fromkeys(Spec.parse(metric).name for metric in flags.metrics)),
        reading=ReadOptions(**{f.name: getattr(source, f.name) for f in read}),
        classes=flags.classes or flags.average,
        undefined=flags.undefined,
        level=flags.level,
        intervals=flags.intervals,
    )
    about = codabench.TaskDescription(
        description=flags.description or "",
        image=flags.image or f"python:{python}-slim",
        start=flags.start.date() if flags.start else None,
    )
    try:
        codabench.write_bundle(place, task, gold_path, about)
        if not flags.no_wheels:
            with output.progress("wheels"):
                wheels = None if flags.wheels is None else Path(flags.wheels)
                target = place / "scoring_program" / "wheels"
                codabench.add_wheels(target, python=python, source=wheels)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)  # half a bundle is none
        raise
    path = codabench.zipped(place)
    output.line(f"{path} ({path.stat().st_size / 1e6:,.1f} MB) is the file to upload")
    codes = []
    for name in flags.tries:
        code, words, outputs = codabench.dry_run(place, Path(name))
        codes.append(code)
        message = "; ".join(words.splitlines())
        output.line(f"{name}: {message}{f' ({outputs})' if not code else ''}")
    output.end(not any(codes))


@options.command(
    RankOptions,
    usual="dataset organization model hub split url true pred id metric output",
    name="records",
)
@options.files(metavar="[GOLD PRED… | FILE]")
@options.option("--dataset", "What the test items are called.", "NAME", required=True)
@options.option("--organization", "Who publishes the scores.", "NAME", required=True)
@options.by_name(
    "--model models", "A system's model, e.g. a=us/a (repeatable).", metavar="SYSTEM=ID"
)
@options.option("--hub", "The data's id on the hub.", "MAKER/NAME")
@options.option("--split", "Which part of the data on the hub.", "NAME")
@options.label("--url", "Where the data are (repeatable).", metavar="ADDRESS")
@options.choice(
    "--relationship",
    ("other", "first_party", "third_party", "collaborative"),
    "Who the publisher is to the makers of the models.",
)
@sources.sources_ranked
@options.declared(ScoringOptions)
@options.of_output("--output -o folder", "Folder to write to.", "DIR", default="leaderboard")
def records_command(source: SourceOptions, flags: Flags) -> None:
    """Records of scores for leaderboards elsewhere, with intervals and signatures.

    A JSON record of Every Eval Ever 0.3 for each system, in the folders of its datastore.

    \b
    evenhand publish records gold.txt runs/*.txt --dataset task --organization us
    evenhand publish records gold.txt a.txt --dataset task --organization us
    evenhand publish records answers.csv --true gold --dataset t --organization us
    evenhand publish records gold.txt a.txt --dataset t --organization us --model a=us/a
    """
    from evenhand.bridges import leaderboards

    result, systems, complete = _scored(source, flags)
    ids = {sources.named_system(name, systems): model for name, model in flags.models.items()}
    for name in ids:
        refuse(name not in systems, f"--model names {name!r}, but there is {shown(systems)}.")
    names = ("dataset", "organization", "hub", "split", "url", "relationship")
    records = leaderboards.every_eval_ever(
        result,
        model={name: ids.get(name, name) for name in systems},
        system=systems[0],
        **{name: flags.values[name] for name in names},
    )
    for path in leaderboards.save_every_eval_ever(records, flags.folder):
        output.line(str(path))
    output.warn(result.warning_lines)
    output.end(complete)


def _scored(source: SourceOptions, flags: Flags) -> tuple[Any, list[str], bool]:
    """The scores of one system or several, their names, and whether all are there."""
    if sources.of_one(source):
        name = (*source.pred, Path(source.files[-1]).stem)[0]
        return sources.scored(source, flags)[0], [name], True
    entries = sources.entries_from(source)
    board = sources.ranked(entries, source, flags)
    return board, list(board), not entries.failed


for publishing in (page_command, codabench_command, records_command):
    publish_command.add_command(publishing)
