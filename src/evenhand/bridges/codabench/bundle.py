"""The bundle of a shared task on Codabench: competition, pages, program and wheels."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass, replace
from datetime import date
from importlib.metadata import requires, version
from pathlib import Path
from typing import Any

from evenhand import _version
from evenhand._version import __version__
from evenhand.bridges.codabench import program
from evenhand.bridges.codabench.program import Task
from evenhand.catalogue.spelling import Spec, title
from evenhand.errors import InputError
from evenhand.results.result import dumps
from evenhand.scoring.scores import Scores
from evenhand.text import level_text, markdown

PLATFORMS = [f"manylinux{tag}_x86_64" for tag in ("_2_28", "_2_27", "_2_17", "2014")]
"""What wheels may be built for that run in a Debian container on a usual worker."""


def add_wheels(folder: Path, *, python: str, source: Path | None = None) -> None:
    """Our own wheel, and those that it needs: of ``source``, or as pip finds them for a worker."""
    wheels = sorted(source.glob("*.whl")) if source is not None else []
    if source is not None and not wheels:
        raise InputError(f"{source} must hold wheels, got none")
    tree = Path(_version.__file__).parents[2]
    own = str(tree) if (tree / "pyproject.toml").is_file() else f"evenhand=={__version__}"
    _pip("wheel", "--no-deps", f"--wheel-dir={folder}", own)
    for path in wheels:
        if not path.name.startswith("evenhand-"):
            shutil.copyfile(path, folder / path.name)
    if source is None:
        target = ["--only-binary=:all:", "--implementation=cp", f"--python-version={python}"]
        target += [f"--platform={platform}" for platform in PLATFORMS]
        names = re.findall(r"(?m)^([\w.-]+)(?!.*extra ==)", "\n".join(requires("evenhand") or ()))
        # in the versions that run here, so that the numbers are the same
        pinned = [f"{name}=={version(name)}" for name in names]
        _pip("download", *target, f"--dest={folder}", *pinned)


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", *arguments, "-q", "--disable-pip-version-check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reasons = re.findall(r"ERROR: (.+)", done.stderr) or done.stderr.splitlines()
        raise InputError(
            f"pip cannot get the wheels: {(reasons or ['no reason given'])[-1]}; take them from a "
            "folder, or leave them out"
        )


# The bundle: everything that Codabench needs, in a folder and as a zip file.

COMMAND = "python3 /app/program/scoring.py /app/input/ /app/output/"
"""How a worker runs the scoring program."""


@dataclass(frozen=True)
class TaskDescription:
    """What a competition says of itself."""

    description: str = ""
    image: str = "python:3.12-slim"
    start: date | None = None


TERMS = """Submissions are scored automatically. What may be used for training, who may take part
and how results are published is up to the organisers, who replace this page."""


def write(folder: Path, task: Task, gold: Path, about: TaskDescription) -> None:
    """Write all but the wheels, once the gold file and the metrics have shown to fit."""
    perfect = tried(task, gold)
    scoring, reference, pages = (
        folder / name for name in ("scoring_program", "reference_data", "pages")
    )
    for part in (scoring / "wheels", reference, pages):
        part.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(gold, reference / task.gold)
    if task.reading.mapping is not None:
        named = f"labels{Path(task.reading.mapping).suffix}"
        shutil.copyfile(task.reading.mapping, scoring / named)
        task = replace(task, reading=replace(task.reading, mapping=named))
    task.save(scoring / "task.json")
    texts = {
        scoring / "metadata.yaml": f"command: {COMMAND}",
        pages / "overview.md": _overview(task, about, perfect),
        pages / "evaluation.md": _evaluation(task),
        pages / "terms.md": f"# Terms of {markdown(task.title)}\n\n{TERMS}",
        folder / "competition.yaml": dumps(_competition(task, about)),
    }
    for path, text in texts.items():
        path.write_text(text + "\n", encoding="utf-8")
    for place, name in ((scoring, "scoring.py"), (folder, "logo.png")):
        shutil.copyfile(Path(__file__).with_name(name), place / name)


def tried(task: Task, gold: Path) -> Scores:
    """The scores of the gold file as if it were a submission."""
    truth = task.reading.truth
    own_task = replace(task, reading=replace(task.reading, pred=() if truth is None else (truth,)))
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place, f"submission{gold.suffix}")
        shutil.copyfile(gold, copy)
        return program.scored(own_task, gold, copy)


def zipped(folder: Path) -> Path:
    """The folder as the one file to upload, ``competition.yaml`` at its top."""
    path = folder.with_name(f"{folder.name}.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for part in sorted(folder.rglob("*")):
            if part.is_file():
                file.write(part, part.relative_to(folder))
    return path


def dry_run(folder: Path, submission: Path) -> tuple[int, str, Path]:
    """Run the bundle's program as a worker does: exit code, words, and the folder of its output.

    What a worker's folders would hold stands beside the bundle, for people to look at.
    """
    place = folder.with_name(f"{folder.name}-tried") / submission.stem
    shutil.rmtree(place, ignore_errors=True)
    inputs, outputs = place / "input", place / "output"
    shutil.copytree(folder / "reference_data", inputs / "ref")
    (inputs / "res").mkdir()
    outputs.mkdir()
    if submission.suffix == ".zip" and zipfile.is_zipfile(submission):
        with zipfile.ZipFile(submission) as file:
            file.extractall(inputs / "res")
    else:
        shutil.copyfile(submission, inputs / "res" / submission.name)
    script = folder / "scoring_program" / "scoring.py"
    command = [sys.executable, str(script), str(inputs), str(outputs)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, (done.stderr if done.returncode else done.stdout).strip(), outputs


def _competition(task: Task, about: TaskDescription) -> dict[str, Any]:
    return {
        "version": 2,
        "title": task.title,
        "description": about.description or f"{task.title}, scored by evenhand {__version__}",
        "image": "logo.png",
        "terms": "pages/terms.md",
        "docker_image": about.image,
        "enable_detailed_results": True,
        "show_detailed_results_in_submission_panel": True,
        "show_detailed_results_in_leaderboard": True,
        "pages": [
            {"title": "Overview", "file": "pages/overview.md"},
            {"title": "Evaluation", "file": "pages/evaluation.md"},
        ],
        "tasks": [{
            "index": 0,
            "name": task.title,
            "description": f"{task.title}: predictions against {task.gold}",
            "scoring_program": "scoring_program",
            "reference_data": "reference_data",
        }],
        "phases": [{
            "index": 0,
            "name": "Submissions",
            "description": "Send in predictions",
            "start": f"{about.start or date.today():%Y-%m-%d} 00:00:00",
            "max_submissions_per_day": 5,
            "max_submissions": 100,
            "accepts_only_result_submissions": True,
            "tasks": [0],
        }],
        "leaderboards": [{
            "title": "Results",
            "key": "main",
            "submission_rule": "Force_Best",
            "columns": task.columns(),
        }],
    }  # fmt: skip


def _overview(task: Task, about: TaskDescription, perfect: Scores) -> str:
    labels = ", ".join(markdown(str(label)) for label in perfect.labels[:50])
    more = " and others" if len(perfect.labels) > 50 else ""
    return f"""# {markdown(task.title)}

{about.description}

## What to send in

A zip file with one file of predictions for the {perfect.n:,} items: {_form(task)}.
The labels are {labels}{more}."""


def _form(task: Task) -> str:
    """What a submission looks like, in words."""
    r = task.reading
    ids = f" The column `{r.id}` says which item a row is of" if r.id else ""
    if r.probabilities:
        return f"a table with class probabilities in `{r.probabilities}`.{ids}"
    if r.guess:
        return f"a table (CSV, TSV, JSON Lines, Parquet) with the labels in `{r.guess}`.{ids}"
    return "one label a line, in the order of the items"


def _evaluation(task: Task) -> str:
    lines = ["| column | metric | spelling | formula | better |", "| --- | --- | --- | --- | --- |"]
    for metric, key in task.keys().items():
        record = Spec.parse(metric).metric
        cells = [key, title(metric), metric, record.formula, record.better]
        lines.append(f"| {' | '.join(map(markdown, cells))} |")
    rule = task.classes if isinstance(task.classes, str) else ", ".join(map(str, task.classes))
    which = " (those that are true of some item)" if rule == "task" else ""
    table = "\n".join(lines)
    return f"""# Evaluation

{table}

Averages run over the classes: {markdown(rule)}{which}; 0/0 counts as {task.undefined}. \
Systems are ordered by the first column.

The detailed results of a submission have intervals ({level_text(task.level)}), every class, \
and the signature that says which score it is. \
Scored by evenhand {__version__}, which gives the same numbers at home."""
