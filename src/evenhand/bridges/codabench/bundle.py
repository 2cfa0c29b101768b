"""The bundle: everything that Codabench asks of a competition, in a folder and as a zip file."""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from evenhand._version import __version__
from evenhand.bridges.codabench import program
from evenhand.bridges.codabench.task import Task
from evenhand.catalogue.spelling import Spec
from evenhand.catalogue.titles import title
from evenhand.results.text import level_text, markdown
from evenhand.results.yaml import dumps
from evenhand.scoring.scores import Scores

COMMAND = "python3 /app/program/scoring.py /app/input/ /app/output/"
"""How a worker runs the scoring program."""


@dataclass(frozen=True)
class About:
    """What a competition says of itself."""

    description: str = ""
    image: str = "python:3.12-slim"
    start: date | None = None


def write(folder: Path, task: Task, gold: Path, about: About) -> None:
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
        folder / "competition.yaml": dumps(_competition(task, about)),
    }
    for path, text in texts.items():
        path.write_text(text + "\n", encoding="utf-8")
    shutil.copyfile(Path(__file__).with_name("scoring.py"), scoring / "scoring.py")
    (folder / "logo.png").write_bytes(logo())


def tried(task: Task, gold: Path) -> Scores:
    """The scores of the gold file as if it were a submission."""
    truth = task.reading.truth
    alike = replace(task, reading=replace(task.reading, pred=() if truth is None else (truth,)))
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place, f"submission{gold.suffix}")
        shutil.copyfile(gold, copy)
        return program.scored(alike, gold, copy)


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
    given, made = place / "input", place / "output"
    shutil.copytree(folder / "reference_data", given / "ref")
    (given / "res").mkdir()
    made.mkdir()
    if submission.suffix == ".zip" and zipfile.is_zipfile(submission):
        with zipfile.ZipFile(submission) as file:
            file.extractall(given / "res")
    else:
        shutil.copyfile(submission, given / "res" / submission.name)
    script = folder / "scoring_program" / "scoring.py"
    command = [sys.executable, str(script), str(given), str(made)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, (done.stderr if done.returncode else done.stdout).strip(), made


def _competition(task: Task, about: About) -> dict[str, Any]:
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


def _overview(task: Task, about: About, perfect: Scores) -> str:
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
        said = [key, title(metric), metric, record.formula, record.better]
        lines.append(f"| {' | '.join(markdown(text) for text in said)} |")
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


def logo() -> bytes:
    """A picture of our own: two bars of unlike height with the same middle, as a PNG file."""
    size = 256
    picture = np.full((size, size, 3), 0xFF, np.uint8)
    for top, left in ((size // 8, size // 5), (size // 3, 3 * size // 5)):
        picture[top : size - top, left : left + size // 5] = (0x1F, 0x4E, 0x79)
    rows = [b"\0" + row.tobytes() for row in picture]  # 0: as they are, without a filter
    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in (
            (b"IHDR", header),
            (b"IDAT", zlib.compress(b"".join(rows), 9)),
            (b"IEND", b""),
        )
    )
