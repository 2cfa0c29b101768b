"""Every metric of one system with its interval."""

from __future__ import annotations

from typing import Any

from evenhand.core.registry import find
from evenhand.results.colours import LIGHT
from evenhand.results.text import interval
from evenhand.scoring.result import Scores
from evenhand.scoring.score import score
from evenhand.show.chart import Chart, rows
from evenhand.show.charts.marks import TIP, Spec, named, numbers, text
from evenhand.show.words import names


def scores(data: Any, *, title: str | None = None) -> Chart:
    """Every metric of one system side by side, with its interval.

    >>> scores([[6, 1, 1], [1, 5, 2], [2, 3, 7]], title="Three animals").title
    'Three animals'
    """
    found = data if isinstance(data, Scores) else score(data)
    kept = [s for s in found.metrics.values() if bounded(s.metric) and s.value == s.value]
    labels = names([s.metric for s in kept], 44)
    values = [
        {
            "metric": label,
            "value": s.value,
            "low": s.low,
            "high": s.high,
            "text": f"{s.value:.3f}",
            "tip": f"{label} {interval(s.value, s.low, s.high, 4)}",
        }
        for label, s in zip(labels, kept, strict=True)
    ]
    y, x = named("metric", labels), numbers("value", "score and interval")
    spec: Spec = {
        "data": rows(values),
        "width": 400,
        "height": {"step": 22},
        "encoding": {"y": y},
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 2, "color": LIGHT["blue"], "aria": False},
                "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}},
                "transform": [{"filter": "isValid(datum.low)"}],
            },
            {
                "mark": {
                    "type": "point",
                    "filled": True,
                    "size": 50,
                    "opacity": 1,
                    "color": LIGHT["blue"],
                },
                "encoding": {"x": x, **TIP},
            },
            text({"x": 445, "align": "right"}, {"text": {"field": "text", "type": "nominal"}}),
        ],
    }
    said = "No metric is defined here."
    if kept:
        low, high = min(kept, key=lambda s: s.value), max(kept, key=lambda s: s.value)
        said = (
            f"The metrics go from {low.value:.3f} ({low.metric}) to {high.value:.3f} "
            f"({high.metric})."
        )
    return Chart(spec, title or "Every metric with its interval", said)


def bounded(name: str) -> bool:
    """Whether the metric is a score on the common scale: neither a gain nor a gap."""
    record = find(name.split("@")[0].split(":")[0])
    return record is None or (record.better != "neither" and record.high == 1)
