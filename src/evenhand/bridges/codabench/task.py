"""Task: what a scoring program must know, written beside it and read there."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from evenhand._version import __version__
from evenhand.catalogue.spelling import Spec
from evenhand.catalogue.titles import title
from evenhand.files.reading import Reading
from evenhand.tables.labels import positions

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
    reading: Reading = Reading()  # noqa: RUF009 (frozen)
    classes: str | tuple[Any, ...] = "task"
    undefined: str = "0"
    level: float = 0.95
    intervals: bool = False

    def columns(self) -> list[dict[str, Any]]:
        """The leaderboard's columns: a metric each, with its ends if they are asked for."""
        found: list[dict[str, Any]] = []
        for metric, key in self.keys().items():
            record = Spec.parse(metric).metric
            order = "asc" if record.better == "lower" else "desc"
            for end in ("", " low", " high") if self.intervals else ("",):
                name, own = _cut(title(metric) + end), key + end.replace(" ", "_")
                about = {"title": name, "key": own, "index": len(found)}
                found.append({**about, "sorting": order, "precision": 4})
        titles = [c["title"] for c in found]
        for c in found:  # cut to the same beginning, or the same by name
            if titles.count(c["title"]) > 1:
                c["title"] = c["key"]
        return found

    def keys(self) -> dict[str, str]:
        """A key for each metric, of letters, digits and underscores, none of them twice."""
        found: dict[str, str] = {}
        for metric in self.metrics:
            name = re.sub(r"\W+", "_", metric, flags=re.ASCII).strip("_")[: LONGEST - 5]
            taken, i, key = set(found.values()), 2, name
            while key in taken:
                key, i = f"{name[: LONGEST - 8]}_{i}", i + 1
            found[metric] = key
        return found

    def save(self, path: str | PathLike[str]) -> None:
        """Write it as JSON, with the version of evenhand that has made it."""
        held, usual = vars(self.reading), vars(Reading())
        how = {k: v for k, v in held.items() if k != "files" and v != usual[k]}
        plain = {**asdict(self), "reading": how, "evenhand": __version__}
        Path(path).write_text(json.dumps(plain, indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Task:
        """Read what :meth:`save` has written."""
        plain: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
        del plain["evenhand"]
        reading = Reading(**_listed(plain.pop("reading")))
        return cls(**_listed(plain), reading=reading)

    def over(self, labels: Sequence[Any]) -> str | list[Any]:
        """The rule or the classes, as labels of the data at hand."""
        if isinstance(self.classes, str):
            return self.classes
        return [labels[i] for i in positions(self.classes, labels, "classes")]


def _listed(held: dict[str, Any]) -> dict[str, Any]:
    """The same with tuples for lists, which JSON has in their place."""
    return {k: tuple(v) if isinstance(v, list) else v for k, v in held.items()}


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
