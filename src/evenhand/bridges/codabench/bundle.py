"""The bundle of a shared task on Codabench: competition, pages, program and wheels."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from importlib import metadata
from pathlib import Path
from typing import Any

from evenhand import _version
from evenhand._version import __version__
from evenhand.bridges.codabench import program
from evenhand.bridges.codabench.program import Task
from evenhand.catalogue.spelling import Spec, title
from evenhand.errors import InputError
from evenhand.results.result import yaml_dumps
from evenhand.scoring.scores import Scores
from evenhand.text import level_text, markdown

PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_17_x86_64",
             "manylinux2014_x86_64")  # fmt: skip
"""What wheels may be built for that run in a Debian container on a usual worker."""


def ship(folder: Path, *, python: str) -> None:
    """Our own wheel, and the wheels it needs as pip finds them for that Python and platform."""
    own(folder)
    command = [
        sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check",
        "--only-binary=:all:", "--implementation", "cp", "--python-version", python,
        "--dest", str(folder),
    ]  # fmt: skip
    for platform in PLATFORMS:
        command += ["--platform", platform]
    done = subprocess.run([*command, *pinned()], capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        reason = (lines or done.stderr.splitlines() or ["no reason given"])[-1]
        raise InputError(
            f"pip cannot get the wheels: {reason.removeprefix('ERROR: ')}; take them from a "
            "folder, from this environment, or leave them out"
        )


def collect(folder: Path, source: Path) -> None:
    """Our own wheel, and those of a folder."""
    wheels = sorted(source.glob("*.whl"))
    if not wheels:
        raise InputError(f"{source} must hold wheels, got none")
    own(folder)
    for path in wheels:
        if not path.name.startswith("evenhand-"):
            shutil.copyfile(path, folder / path.name)


def repack(folder: Path, *, python: str) -> None:
    """Our own wheel, and wheels made from what is installed here."""
    here = "{}.{}".format(*sys.version_info)
    if here != python:
        raise InputError(
            f"wheels made from this environment are for Python {here}, the worker has {python}"
        )
    own(folder)
    for name in closure("evenhand"):
        if name != "evenhand":
            _packed(metadata.distribution(name), folder)


def own(folder: Path) -> Path:
    """The wheel of evenhand as it runs here, installed or from its sources."""
    root = Path(_version.__file__).parent
    files = {
        f"evenhand/{path.relative_to(root).as_posix()}": path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.suffix != ".pyc"
    }
    dist = _dist("evenhand")
    about = f"evenhand-{_version.__version__}.dist-info"
    text = dist.read_text("METADATA") or ""
    text = re.sub(r"(?m)^Version: .*$", f"Version: {_version.__version__}", text)
    files[f"{about}/METADATA"] = text.encode()
    points = dist.read_text("entry_points.txt")
    if points:
        files[f"{about}/entry_points.txt"] = points.encode()
    kind = "Wheel-Version: 1.0\nGenerator: evenhand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{about}/WHEEL"] = kind.encode()
    return _zipped(folder / f"evenhand-{_version.__version__}-py3-none-any.whl", about, files)


def pinned() -> list[str]:
    """What evenhand needs, in the versions that run here, so that the numbers are the same."""
    return [f"{name}=={metadata.version(name)}" for name in _needs("evenhand")]


def closure(name: str) -> list[str]:
    """A package and all that it needs of what is installed here."""
    packages: dict[str, None] = {}
    waiting = [name]
    while waiting:
        one = waiting.pop()
        if one not in packages:
            packages[one] = None
            waiting += _needs(one)
    return list(packages)


def _needs(name: str) -> Iterator[str]:
    """The packages that one needs here, without extras."""
    for text in _dist(name).requires or ():
        if "extra ==" in text:
            continue
        needed = re.match(r"[\w.-]+", text)
        assert needed is not None
        try:
            metadata.distribution(needed[0])
        except metadata.PackageNotFoundError:
            continue  # for another platform or Python
        yield needed[0]


def _dist(name: str) -> metadata.Distribution:
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        raise InputError(f"{name} must be installed to be shipped, e.g. by pip") from None


def _packed(dist: metadata.Distribution, folder: Path) -> Path:
    """The wheel that a package was installed from, made again from its files."""
    about = re.sub(r"[-_.]+", "_", dist.metadata["Name"]) + f"-{dist.version}"
    tags = re.findall(r"(?m)^Tag: (.+)$", dist.read_text("WHEEL") or "")
    if not tags or not dist.files:
        raise InputError(f"{about} was not installed from a wheel: take the wheels from a folder")
    parts = [tag.split("-") for tag in tags]
    tag = "-".join(".".join(dict.fromkeys(column)) for column in zip(*parts, strict=True))
    files = {
        file.as_posix(): Path(str(file.locate())).read_bytes()
        for file in dist.files
        if ".." not in file.parts
        and file.suffix != ".pyc"
        and file.name not in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")
    }
    info = next(name for name in files if name.endswith(".dist-info/METADATA"))
    return _zipped(folder / f"{about}-{tag}.whl", info.partition("/")[0], files)


def _zipped(path: Path, about: str, files: dict[str, bytes]) -> Path:
    """A wheel of files, with the list of them and their hashes that pip checks."""
    listed = io.StringIO()
    rows = csv.writer(listed, lineterminator="\n")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as wheel:
        for name, data in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
            rows.writerow([name, f"sha256={digest.decode()}", len(data)])
            wheel.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data)
        rows.writerow([f"{about}/RECORD", "", ""])
        wheel.writestr(zipfile.ZipInfo(f"{about}/RECORD", (2020, 1, 1, 0, 0, 0)), listed.getvalue())
    return path


# The bundle: everything that Codabench needs, in a folder and as a zip file.

COMMAND = "python3 /app/program/scoring.py /app/input/ /app/output/"
"""How a worker runs the scoring program."""


@dataclass(frozen=True)
class TaskDescription:
    """What a competition says of itself."""

    description: str = ""
    image: str = "python:3.12-slim"
    start: date | None = None


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
        pages / "terms.md": _terms(task),
        folder / "competition.yaml": yaml_dumps(_competition(task, about)),
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
    start = about.start or date.today()
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
        "tasks": [
            {
                "index": 0,
                "name": task.title,
                "description": f"{task.title}: predictions against {task.gold}",
                "scoring_program": "scoring_program",
                "reference_data": "reference_data",
            }
        ],
        "phases": [
            {
                "index": 0,
                "name": "Submissions",
                "description": "Send in predictions",
                "start": f"{start:%Y-%m-%d} 00:00:00",
                "max_submissions_per_day": 5,
                "max_submissions": 100,
                "accepts_only_result_submissions": True,
                "tasks": [0],
            }
        ],
        "leaderboards": [
            {
                "title": "Results",
                "key": "main",
                "submission_rule": "Force_Best",
                "columns": task.columns(),
            }
        ],
    }


def _overview(task: Task, about: TaskDescription, perfect: Scores) -> str:
    labels = ", ".join(markdown(str(label)) for label in perfect.labels[:50])
    more = " and others" if len(perfect.labels) > 50 else ""
    return "\n".join(
        [
            f"# {markdown(task.title)}",
            "",
            about.description,
            "",
            "## What to send in",
            "",
            f"A zip file with one file of predictions for the {perfect.n:,} items: {_form(task)}.",
            f"The labels are {labels}{more}.",
        ]
    )


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
        lines.append(f"| {' | '.join(markdown(text) for text in cells)} |")
    rule = task.classes if isinstance(task.classes, str) else ", ".join(map(str, task.classes))
    which = " (those that are true of some item)" if rule == "task" else ""
    return "\n".join(
        [
            "# Evaluation",
            "",
            *lines,
            "",
            f"Averages run over the classes: {markdown(rule)}{which}; 0/0 counts as "
            f"{task.undefined}. Systems are ordered by the first column.",
            "",
            f"The detailed results of a submission have intervals ({level_text(task.level)}), "
            "every class, and the signature that says which score it is. "
            f"Scored by evenhand {__version__}, which gives the same numbers at home.",
        ]
    )


def _terms(task: Task) -> str:
    return (
        f"# Terms of {markdown(task.title)}\n\n"
        "Submissions are scored automatically. What may be used for training, who may take part "
        "and how results are published is up to the organisers, who replace this page."
    )
