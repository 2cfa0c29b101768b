"""The scoring program: a submission against the gold file, into scores and a page."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import replace
from os import PathLike
from pathlib import Path

from evenhand.bridges.codabench.task import Task
from evenhand.catalogue.spelling import Spec
from evenhand.errors import EvenhandError, InputError, Option, shown
from evenhand.files.read import read
from evenhand.results.page import page
from evenhand.results.text import html_text, visible
from evenhand.scoring.score import score
from evenhand.scoring.scores import Scores

LARGEST = 1e10
"""What Codabench has digits for before the point."""
IGNORED = ("__MACOSX", "metadata", "metadata.yaml")
"""What stands beside a submission without being of it."""


def run(program: str | PathLike[str], given: str | PathLike[str], made: str | PathLike[str]) -> int:
    """Score what lies in ``given/res`` by ``given/ref`` into ``made``; the program's exit code.

    A submission that cannot be scored gets one line, on the error stream and on the page.
    """
    task = Task.load(Path(program, "task.json"))
    folder = Path(made)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        submission = submitted(Path(given, "res"))
        scores = scored(task, Path(given, "ref", task.gold), submission, program)
    except Exception as error:  # whatever a stranger's file may do
        line = f"This submission cannot be scored: {visible(_said(error, Path(given)))}"
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
    found = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not any(p in IGNORED or p.startswith(".") for p in path.relative_to(folder).parts)
    ]
    if len(found) == 1:
        return found[0]
    names = [str(path.relative_to(folder)) for path in found]
    raise InputError(f"a submission must be one file of predictions, got {shown(names)}")


def scored(task: Task, gold: Path, submission: Path, program: str | PathLike[str] = "") -> Scores:
    """The scores of a submission, with what a reader must know of how it was read."""
    reading = replace(task.reading, files=(str(gold), str(submission)))
    if reading.mapping is not None:
        reading = replace(reading, mapping=str(Path(program, reading.mapping)))
    loaded = read(reading, rows=reading.cluster is not None)
    found = score(
        loaded.data,
        metrics=list(task.metrics),
        classes=task.over(loaded.data.labels),
        undefined=task.undefined,
        level=task.level,
    )
    return found.noted(*loaded.notes)


def columns(task: Task, scores: Scores) -> tuple[dict[str, float], list[str]]:
    """The leaderboard's finite numbers by key, and the metrics that have none.

    Where an interval is not known its ends are those of the metric's range.
    """
    found, lost = dict[str, float](), list[str]()
    for metric, key in task.keys().items():
        one = scores[metric]
        if not math.isfinite(one.value) or abs(one.value) >= LARGEST:
            lost.append(metric)
            continue
        found[key] = one.value
        if task.intervals:
            record = Spec.parse(metric).metric
            ends = {
                "low": record.low if one.low is None else one.low,
                "high": record.high if one.high is None else one.high,
            }
            for end, value in ends.items():
                if math.isfinite(value) and abs(value) < LARGEST:
                    found[f"{key}_{end}"] = value
    return found, lost


def _said(error: Exception, given: Path) -> str:
    """An error in the words of participants, who know neither our folders nor our options."""

    def spelled(option: Option) -> str:
        words = f"the organisers' option {option.name.replace('_', '-')} {option.value}"
        return f"({words.strip()})"

    if isinstance(error, EvenhandError):
        text = error.said(spelled)
    else:
        text = f"{type(error).__name__}: {error}"
    for folder in (given / "res", given / "ref", given):
        text = text.replace(f"{folder}/", "")
    return text.splitlines()[0]


def _write(path: Path, text: str) -> None:
    path.write_text(text + "\n", encoding="utf-8")
