"""The catalogue of metrics as text and data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evenhand.catalogue import property_lines
from evenhand.core.properties import NAMES
from evenhand.core.registry import Metric
from evenhand.results.grid import Cell, Grid
from evenhand.results.json import SCHEMA, record
from evenhand.results.text import number


def catalogue_grid(metrics: Iterable[Metric]) -> Grid:
    """One row a metric."""
    rows: list[list[Cell]] = [
        [m.name, m.symbol, extent(m), m.better, m.formula, ", ".join(m.aliases), lacks(m)]
        for m in metrics
    ]
    return Grid(["metric", "symbol", "range", "better", "formula", "aliases", "lacks"], rows)


def lacks(m: Metric) -> str:
    """The properties that a metric does not have, by number: I monotonicity … V chance."""
    if m.properties is None:
        return ""
    numbers = dict(zip(NAMES, ("I", "II", "III", "IV", "V"), strict=True))
    return " ".join(numbers[name] for name in m.properties.lacks())


def extent(m: Metric) -> str:
    """The metric's range."""
    return f"{number(float(m.low), 0)} to {m.high:g}" if m.high != float("inf") else "unbounded"


def metric_text(m: Metric) -> str:
    """Everything about one metric."""
    lines = [f"{m.name}  ({m.symbol})", f"  {m.summary}", ""]
    facts = [
        ("formula", m.formula),
        ("range", f"{extent(m)}, better: {m.better}"),
        ("signature", m.signature),
        ("aliases", ", ".join(m.aliases)),
        ("parameters", ", ".join(f"{k} (default {v:g})" for k, v in m.parameters.items())),
        ("tasks", ", ".join(f"{t}-label" for t in sorted(m.tasks))),
        ("reference", m.reference),
    ]
    if m.of_one_class:
        facts.insert(0, ("write", f"{m.name}:label=NAME"))
    facts += property_lines(m)
    said = [(k, v) for k, v in facts if v]
    wide = max(len(k) for k, _ in said)
    lines += [f"  {k:<{wide}}  {v}" for k, v in said]
    return "\n".join(lines)


def catalogue_dict(metrics: Iterable[Metric]) -> dict[str, Any]:
    """As JSON."""
    return record(
        {
            "schema": SCHEMA,
            "metrics": {
                m.name: {
                    "symbol": m.symbol,
                    "summary": m.summary,
                    "formula": m.formula,
                    "signature": m.signature,
                    "range": [m.low, m.high],
                    "better": m.better,
                    "aliases": m.aliases,
                    "parameters": dict(m.parameters),
                    "tasks": sorted(m.tasks),
                    "needs": m.needs,
                    "reference": m.reference,
                    "properties": None if m.properties is None else vars(m.properties),
                }
                for m in metrics
            },
        }
    )
