"""The hub: scores as files for the folder ``.eval_results`` of a model's repository."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any

from evenhand.bridges.leaderboards.systems import as_part, save, scores_by_system
from evenhand.catalogue.titles import title
from evenhand.errors import InputError, shown
from evenhand.results.reported import ALONE, Reported
from evenhand.results.result import Result
from evenhand.results.text import level_text, number
from evenhand.results.yaml import dumps


def eval_results(
    result: Result,
    *,
    dataset: str,
    task: str | Mapping[str, str],
    metric: str | None = None,
    revision: str | None = None,
    source: str | None = None,
    system: str = ALONE,
    evaluated: datetime | None = None,
) -> dict[str, str]:
    """The text of a file for ``.eval_results/`` in a model's repository, for each system.

    ``dataset`` is the benchmark's id on the hub, ``task`` the id of its task, which has one
    metric: ``metric``, or the first; or a task for each of several metrics. The interval and the
    signature stand in the notes; ``source`` is an address that shows more, ``system`` the name
    of a lone system.

    >>> import evenhand as eh
    >>> scores = eh.score([[6, 1], [1, 5]], metrics="accuracy")
    >>> print(eval_results(scores, dataset="us/toy", task="toy")["system"].splitlines()[3])
      value: 0.8461538461538461
    """
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", dataset):
        raise InputError(f"dataset must be an id on the hub, maker/name, got {dataset!r}")
    found = {}
    for name, scores in scores_by_system(result, system).items():
        whole = [r for r in scores if r.key is None]
        tasks = task if isinstance(task, Mapping) else {metric or whole[0].metric: task}
        lost = [m for m in tasks if m not in {r.metric for r in whole}]
        if lost:
            known = shown([r.metric for r in whole])
            raise InputError(f"the result has no {shown(lost)}: it has {known}")
        entries = []
        for r in whole:
            if r.metric not in tasks:
                continue
            about: dict[str, Any] = {"id": dataset, "task_id": tasks[r.metric]}
            if revision:
                about["revision"] = revision
            entry: dict[str, Any] = {"dataset": about, "value": r.sure.value}
            if evaluated is not None:
                entry["date"] = evaluated.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            if source:
                entry["source"] = {"url": source, "name": "evenhand"}
            entries.append({**entry, "notes": _notes(r)})
        found[name] = dumps(entries)
    return found


def _notes(r: Reported) -> str:
    said = f"{title(r.metric)}, {r.n:,} items"
    if r.sure.low is not None and r.sure.high is not None:
        level = "" if r.level is None else f"{level_text(r.level)} "
        said += f", {level}interval {number(r.sure.low)} to {number(r.sure.high)}"
        said += f" ({r.sure.method})" if r.sure.method else ""
    return f"{said}; {r.signature}"


def save_eval_results(texts: Mapping[str, str], folder: str | PathLike[str]) -> list[Path]:
    """Write each system's file as ``SYSTEM/.eval_results/evenhand.yaml``, to copy to its model."""
    return [
        save(text, Path(folder, as_part(system), ".eval_results", "evenhand.yaml"))
        for system, text in texts.items()
    ]
