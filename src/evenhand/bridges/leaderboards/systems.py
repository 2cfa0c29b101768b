"""Systems: what a result says of each, and files that are named for them."""

from __future__ import annotations

import math
import re
import warnings
from pathlib import Path

from evenhand.errors import EvenhandWarning, InputError, shown
from evenhand.results.reported import ALONE, Reported
from evenhand.results.result import Result
from evenhand.results.write import whole_text


def scores_by_system(result: Result, alone: str) -> dict[str, list[Reported]]:
    """The scores that have a value, of each system that has some."""
    found: dict[str, list[Reported]] = {}
    lost = []
    for r in result.reported():
        scores = found.setdefault(alone if r.system == ALONE else r.system, [])
        if math.isfinite(r.sure.value):
            scores.append(r)
        else:
            lost.append(r.metric)
    if not any(found.values()):
        kind = type(result).__name__
        raise InputError(
            f"{kind} holds no scores of a system: export what score, rank, cross_validated or "
            "shift.extrapolate give"
        )
    if lost:
        words = f"left out, since a record needs a number: {shown(dict.fromkeys(lost))}"
        empty = [name for name, scores in found.items() if not scores]
        words += f", and with it all of {shown(empty)}" if empty else ""
        warnings.warn(words, EvenhandWarning, stacklevel=3)
    return {name: scores for name, scores in found.items() if scores}


def as_part(name: str) -> str:
    """A name as a part of a path on any system; ``data`` is the folder of the records."""
    safe = re.sub(r'[<>:"/\\|?*\x00-\x1f\x7f]', "_", name).rstrip(". ") or "_"
    return "data_" if safe == "data" else safe


def save(text: str, path: Path) -> Path:
    """Write a file and the folders that it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    whole_text(text, path)
    return path
