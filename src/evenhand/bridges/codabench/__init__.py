"""A shared task on Codabench: a bundle to upload, whose scoring program is evenhand.

:func:`write_bundle` and :func:`add_wheels` make it; :func:`run` scores a submission on a worker.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from dataclasses import asdict, dataclass, replace
from datetime import date
from importlib.metadata import requires, version
from os import PathLike
from pathlib import Path
from typing import Any

from evenhand import _version
from evenhand._version import __version__
from evenhand.catalogue.spelling import Spec, title
from evenhand.data.labels import positions
from evenhand.errors import Command, EvenhandError, InputError, Option, shown
from evenhand.io.columns import ReadOptions
from evenhand.io.loading import read
from evenhand.results.page import page
from evenhand.results.result import dumps
from evenhand.scoring.score import score
from evenhand.scoring.scores import Scores
from evenhand.text import html_text, level_text, markdown, visible

LONGEST = 36
"""Characters that Codabench has room for in the title and the key of a column."""


@dataclass(frozen=True)
class Task:
    """A gold file, how submissions are read beside it, and what is scored.

    ``gold`` is the name of the file among the reference data; ``reading`` says what its columns
    and those of submissions are; ``classes`` is the rule or the list that averages run over.
    """

    title: str
    gold: str
    metrics: tuple[str, ...]
    reading: ReadOptions = ReadOptions()  # noqa: RUF009 (frozen)
    classes: str | tuple[Any, ...] = "task"
    undefined: str = "0"
    level: float = 0.95
    intervals: bool = False

    def columns(self) -> list[dict[str, Any]]:
        """The leaderboard's columns: a metric each, with its ends if they are asked for."""
        columns: list[dict[str, Any]] = []
        for metric, key in self.keys().items():
            order = "asc" if Spec.parse(metric).metric.better == "lower" else "desc"
            for end in ("", " low", " high") if self.intervals else ("",):
                name = title(metric) + end
                name = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
                about = {"title": name, "key": key + end.replace(" ", "_"), "index": len(columns)}
                columns.append({**about, "sorting": order, "precision": 4})
        titles = Counter(c["title"] for c in columns)  # cut to the same beginning, or the same
        return [c | ({"title": c["key"]} if titles[c["title"]] > 1 else {}) for c in columns]

    def keys(self) -> dict[str, str]:
        """A key for each metric, of letters, digits and underscores, none of them twice."""
        keys: dict[str, str] = {}
        for i, metric in enumerate(self.metrics):
            name = re.sub(r"\W+", "_", metric, flags=re.ASCII).strip("_")[: LONGEST - 5]
            keys[metric] = f"{name[: LONGEST - 8]}_{i}" if name in keys.values() else name
        return keys

    def save(self, path: str | PathLike[str]) -> None:
        """Write it as JSON, with the version of evenhand that has made it."""
        options, defaults = vars(self.reading), vars(ReadOptions())
        changed = {k: v for k, v in options.items() if k != "files" and v != defaults[k]}
        plain = {**asdict(self), "reading": changed, "evenhand": __version__}
        Path(path).write_text(json.dumps(plain, indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Task:
        """Read what :meth:`save` has written."""
        plain: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
        del plain["evenhand"]
        reading = ReadOptions(**_listed(plain.pop("reading")))
        return cls(**_listed(plain), reading=reading)


def _listed(fields: dict[str, Any]) -> dict[str, Any]:
    """The same with tuples for lists, which JSON has in their place."""
    return {k: tuple(v) if isinstance(v, list) else v for k, v in fields.items()}


# The scoring program: a submission and the gold file give scores and a page.

LARGEST = 1e10
"""What Codabench has digits for before the point."""
IGNORED = ("__MACOSX", "metadata", "metadata.yaml")
"""What stands beside a submission without being of it."""


def run(
    program: str | PathLike[str], inputs: str | PathLike[str], outputs: str | PathLike[str]
) -> int:
    """Score ``inputs/res`` by ``inputs/ref`` into ``outputs``, and return the exit code.

    A submission that cannot be scored gets one line, on the error stream and on the page.
    """
    task = Task.load(Path(program, "task.json"))
    folder = Path(outputs)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        submission = submitted(Path(inputs, "res"))
        scores = scored(task, Path(inputs, "ref", task.gold), submission, program)
    except Exception as error:  # whatever a stranger's file may do
        line = f"This submission cannot be scored: {visible(_message(error, Path(inputs)))}"
        print(line, file=sys.stderr)
        body = f"<main><h1>{html_text(task.title)}</h1><p>{html_text(line)}</p></main>"
        _write(folder / "detailed_results.html", page(task.title, body, script=False))
        return 1
    numbers, lost = columns(task, scores)
    for name in lost:
        print(f"{visible(name)} has no finite value for this submission", file=sys.stderr)
    for key, value in numbers.items():
        print(f"{key} {value:.6f}")
    _write(folder / "scores.json", json.dumps(numbers, allow_nan=False))
    _write(folder / "detailed_results.html", scores.to_html(full=True))
    print(f"scored {visible(submission.name)}: {scores.n:,} items")
    return 0


def submitted(folder: Path) -> Path:
    """The one file of a submission, at any depth."""
    names = [path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file()]
    names = [n for n in names if not any(p in IGNORED or p[0] == "." for p in n.parts)]
    if len(names) != 1:
        got = shown(map(str, names))
        raise InputError(f"a submission must be one file of predictions, got {got}")
    return folder / names[0]


def scored(task: Task, gold: Path, submission: Path, program: str | PathLike[str] = "") -> Scores:
    """The scores of a submission, with what a reader must know of how it was read."""
    reading = replace(task.reading, files=(str(gold), str(submission)))
    if reading.mapping is not None:
        reading = replace(reading, mapping=str(Path(program, reading.mapping)))
    loaded = read(reading, rows=reading.cluster is not None)
    classes, labels = task.classes, loaded.data.labels
    rule: dict[str, Any] = {"classes": classes, "undefined": task.undefined, "level": task.level}
    if not isinstance(classes, str):
        rule["classes"] = [labels[i] for i in positions(classes, labels, "classes")]
    return score(loaded.data, metrics=list(task.metrics), **rule).noted(*loaded.notes)


def columns(task: Task, scores: Scores) -> tuple[dict[str, float], list[str]]:
    """The leaderboard's finite numbers by key, and the metrics that have none.

    Where an interval is not known its ends are those of the metric's range.
    """
    numbers, lost = dict[str, float](), list[str]()
    for metric, key in task.keys().items():
        score, record = scores[metric], Spec.parse(metric).metric
        values = {key: score.value}
        if task.intervals:
            values[f"{key}_low"] = record.low if score.low is None else score.low
            values[f"{key}_high"] = record.high if score.high is None else score.high
        finite = {k: v for k, v in values.items() if math.isfinite(v) and abs(v) < LARGEST}
        if key in finite:
            numbers |= finite
        else:
            lost.append(metric)
    return numbers, lost


def _message(error: Exception, inputs: Path) -> str:
    """An error in the words of participants, who know neither our folders nor our options."""

    def spelled(option: Option | Command) -> str:
        if isinstance(option, Command):
            return " and ".join(map(spelled, option.options))
        words = f"the organisers' option {option.name.replace('_', '-')} {option.value}"
        return f"({words.strip()})"

    if isinstance(error, EvenhandError):
        text = error.message(spelled)
    else:
        text = f"{type(error).__name__}: {error}"
    for folder in (inputs / "res", inputs / "ref", inputs):
        text = text.replace(f"{folder}/", "")
    return text.splitlines()[0]


def _write(path: Path, text: str) -> None:
    path.write_text(text + "\n", encoding="utf-8")


# The bundle: everything that Codabench needs, in a folder and as a zip file.

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


def write_bundle(folder: Path, task: Task, gold: Path, about: TaskDescription) -> None:
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
        _write(path, text)
    for place, name in ((scoring, "scoring.py"), (folder, "logo.png")):
        shutil.copyfile(Path(__file__).with_name(name), place / name)


def tried(task: Task, gold: Path) -> Scores:
    """The scores of the gold file as if it were a submission."""
    truth = task.reading.truth
    own_task = replace(task, reading=replace(task.reading, pred=() if truth is None else (truth,)))
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place, f"submission{gold.suffix}")
        shutil.copyfile(gold, copy)
        return scored(own_task, gold, copy)


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
    return "one label per line, in the order of the items"


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
