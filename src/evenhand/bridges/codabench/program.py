"""A shared task on Codabench: its settings and its scoring program."""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter
from dataclasses import asdict, dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from evenhand._version import __version__
from evenhand.catalogue.spelling import Spec, title
from evenhand.data.labels import positions
from evenhand.errors import Command, EvenhandError, InputError, Option, shown
from evenhand.io.columns import ReadOptions
from evenhand.io.loading import read
from evenhand.results.page import page
from evenhand.scoring.score import score
from evenhand.scoring.scores import Scores
from evenhand.text import html_text, visible

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
    classes: Any = task.classes
    if not isinstance(classes, str):
        labels = loaded.data.labels
        classes = [labels[i] for i in positions(classes, labels, "classes")]
    scores = score(
        loaded.data,
        metrics=list(task.metrics),
        classes=classes,
        undefined=task.undefined,
        level=task.level,
    )
    return scores.noted(*loaded.notes)


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
