"""Each class's precision, recall and F1 with their intervals."""

from __future__ import annotations

from typing import Any

from evenhand.errors import InputError
from evenhand.results.text import amount, interval, percent
from evenhand.scoring.classes import PER_CLASS
from evenhand.scoring.result import Scores
from evenhand.scoring.score import score
from evenhand.show.chart import Chart, rows
from evenhand.show.charts.marks import TIP, Spec, named, numbers
from evenhand.show.theme import SERIES
from evenhand.show.words import names

MOST = 60
SHAPES = ["triangle-right", "square", "circle"]
CALLED = {"precision": "precision", "recall": "recall", "f1": "F1"}


def classes(data: Any, *, limit: int = MOST, title: str | None = None) -> Chart:
    """Precision, recall and F1 of each class, with intervals; the classes with the lowest F1
    where there are more than ``limit``.

    >>> classes([[6, 1, 1], [1, 5, 2], [2, 3, 7]]).title
    'Precision, recall and F1 of each class'
    """
    scores = data if isinstance(data, Scores) else score(data)
    if limit < 1:
        raise InputError(f"limit must be at least 1, got {limit}")
    found = list(scores.classes)
    if len(found) > limit:
        found = sorted(found, key=lambda c: c.f1)[:limit]
    labels = names([c.label for c in found])
    values = []
    for label, c in zip(labels, found, strict=True):
        for name in PER_CLASS:
            b = c.intervals.get(name)
            low, high = (None, None) if b is None else (b.low, b.high)
            value = getattr(c, name)
            values.append(
                {
                    "label": label,
                    "metric": CALLED[name],
                    "value": value,
                    "low": low,
                    "high": high,
                    "tip": f"{label}, {CALLED[name]} {interval(value, low, high)}; "
                    f"{amount(c.prevalence)} true, {amount(c.bias)} predicted",
                }
            )
    order = list(CALLED.values())
    step = 12 if len(found) <= 25 else 8
    colour: Spec = {
        "field": "metric",
        "type": "nominal",
        "scale": {"domain": order, "range": [SERIES[1], SERIES[0], SERIES[2]]},
    }
    shape: Spec = {
        "field": "metric",
        "type": "nominal",
        "scale": {"domain": order, "range": SHAPES},
    }
    offset: Spec = {"field": "metric", "type": "nominal", "sort": None, "scale": {"domain": order}}
    y = named("label", labels, title="class") | {
        "scale": {"domain": labels, "paddingInner": 0.25, "paddingOuter": 0.1}
    }
    x = numbers("value", "score", domain=[0, 1])
    spec: Spec = {
        "data": rows(values),
        "width": 420,
        "height": {"step": step, "for": "offset"},
        "encoding": {"y": y, "yOffset": offset},
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 1.5, "aria": False},
                "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "color": colour},
                "transform": [{"filter": "isValid(datum.low)"}],
            },
            {
                "mark": {"type": "point", "filled": True, "size": 40, "opacity": 1},
                "encoding": {"x": x, "color": colour, "shape": shape, **TIP},
            },
        ],
    }
    if len(found) < len(scores.classes):
        said = f"the {len(found)} of {len(scores.classes):,} classes with the lowest F1"
        spec["title"] = {"subtitle": said}
    weak = min(found, key=lambda c: c.f1)
    (name,) = names([weak.label])
    text = f"The lowest F1 is {weak.f1:.3f}, that of {name} ({amount(weak.prevalence)} true items)."
    if scores.n:
        text += f" It has {percent(float(weak.prevalence) / scores.n)} of the items."
    return Chart(spec, title or "Precision, recall and F1 of each class", text)
