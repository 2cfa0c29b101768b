"""What a command said of its items, held against the items."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from fuzz.cli import Ran
from fuzz.exact import METRICS, Exact

CHECKED = ("accuracy", "macro_f1", "kappa", "macro_precision")
"""The metrics whose values tell whether the items were the right ones."""

Items = list[tuple[Any, ...]]


def same_cells(ran: Ran, items: Items) -> str:
    """The table that ``count`` writes, cell by cell."""
    found = json.loads(ran.stdout)
    labels, cells = [*found["labels"], None], found["cells"]
    rows = zip(cells["true"], cells["pred"], cells["weight"], strict=True)
    got = Counter({typed(labels[t], labels[p]): w for t, p, w in rows})
    wanted = Counter(typed(t, p) for t, p in items)
    return "" if got == wanted else f"got {dict(got)}, expected {dict(wanted)}"


def typed(*values: Any) -> tuple[Any, ...]:
    return tuple((type(v).__name__, v) for v in values)


def expected(items: Items, at: int) -> dict[str, float]:
    """The metrics of one system, averaged over the classes that are true."""
    labels = sorted({typed(v) for row in items for v in (row[0], row[at]) if v is not None})
    place = {v: i for i, v in enumerate(labels)}
    cells = [[0] * (len(labels) + 1) for _ in labels]
    for row in items:
        guess = len(labels) if row[at] is None else place[typed(row[at])]
        cells[place[typed(row[0])]][guess] += 1
    table = Exact(cells, {place[typed(row[0])] for row in items}, 0, listed=False)
    return {name: float(METRICS[name](table)[0] or 0) for name in CHECKED}


def agree(what: str, got: dict[str, Any], wanted: dict[str, float]) -> str:
    """The first value that is not the expected one."""
    for name, value in got.items():
        if value is None or abs(value - wanted[name]) > 1e-12:
            return f"{what}{name}: got {value}, expected {wanted[name]}"
    return ""


def of_all(ran: Ran, items: Items) -> tuple[dict[str, Any], str]:
    """The JSON, and what is wrong with its number of items."""
    found = json.loads(ran.stdout)
    wrong = found["n"] != len(items)
    return found, f"got {found['n']} items, expected {len(items)}" if wrong else ""


def same_scores(ran: Ran, items: Items) -> str:
    found, wrong = of_all(ran, items)
    if wrong:
        return wrong
    values = {name: m.get("observed", m)["value"] for name, m in found["metrics"].items()}
    return agree("", values, expected(items, 1))


def same_twins(ran: Ran, items: Items) -> str:
    found = json.loads(ran.stdout)
    return agree("", {"macro_f1": found["macro_f1"]}, expected(items, 1))


def same_pairs(ran: Ran, items: Items) -> str:
    found, wrong = of_all(ran, items)
    for pair in found["pairs"]:
        for at, value in enumerate(pair["values"], 1):
            wrong = wrong or agree(f"system {at}, ", {pair["metric"]: value}, expected(items, at))
    return wrong


def same_board(ran: Ran, items: Items, names: Sequence[str] = ("a", "b")) -> str:
    found, wrong = of_all(ran, items)
    for system in found["systems"]:
        values = {name: s["value"] for name, s in system["scores"].items()}
        at = names.index(system["name"]) + 1
        wrong = wrong or agree(f"{system['name']}: ", values, expected(items, at))
    return wrong


def same_report(ran: Ran, items: Items) -> str:
    found = re.search(r"\*\*items\*\* (\d+)", ran.stdout)
    if found is None or int(found[1]) != len(items):
        return f"got {found and found[0]}, expected {len(items)} items"
    return ""
