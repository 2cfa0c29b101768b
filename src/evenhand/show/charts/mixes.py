"""Scores here and under another class mix, side by side."""

from __future__ import annotations

from evenhand.errors import InputError
from evenhand.notes.interval import Interval
from evenhand.shift.estimation import PrevalenceEstimate
from evenhand.shift.extrapolation import Extrapolation
from evenhand.show.chart import Chart, rows
from evenhand.show.charts.marks import TIP, Spec, named, numbers
from evenhand.show.charts.scores import bounded
from evenhand.show.theme import SERIES
from evenhand.show.words import interval, names


def mixes(found: Extrapolation | PrevalenceEstimate, *, title: str | None = None) -> Chart:
    """What another class mix does: each metric as observed and as expected there; or, for an
    estimate from unlabelled data, each class's share in the labelled and in the new data.

    >>> import evenhand as eh
    >>> cells = [[80, 20], [10, 90]]
    >>> mixes(eh.shift.extrapolate(cells, to="0=0.1,1=0.9", metrics="macro_f1")).description
    'macro_f1 moves most: from 0.850 to 0.765.'
    """
    if isinstance(found, PrevalenceEstimate):
        here = {str(c.label): Interval(c.labelled) for c in found.classes}
        there = {str(c.label): c.shares[found.method] for c in found.classes}
        sides = {"labelled": here, "new data": there}
        return _chart(sides, "share of the items", title or "Class mix of the new data")
    if not isinstance(found, Extrapolation):
        raise InputError("mixes is for the result of eh.shift.extrapolate or estimate_prevalence")
    kept = [m for m in found.expected if bounded(m)]
    sides = {
        "observed": {m: found.observed[m] for m in kept if m in found.observed},
        "expected": {m: found.expected[m] for m in kept},
    }
    return _chart(sides, "score and interval", title or "Scores here and under the other class mix")


def _chart(sides: dict[str, dict[str, Interval]], axis: str, title: str) -> Chart:
    first, second = sides.values()
    kept = list(second)
    labels = names(kept, 44)
    values = [
        {
            "metric": label,
            "side": side,
            "value": scores[m].value,
            "low": scores[m].low,
            "high": scores[m].high,
            "tip": f"{label}, {side}: {interval(scores[m].value, scores[m].low, scores[m].high)}",
        }
        for side, scores in sides.items()
        for m, label in zip(kept, labels, strict=True)
        if m in scores
    ]
    order = list(sides)
    colour: Spec = {
        "field": "side",
        "type": "nominal",
        "scale": {"domain": order, "range": [SERIES[0], SERIES[1]]},
    }
    shape: Spec = {
        "field": "side",
        "type": "nominal",
        "scale": {"domain": order, "range": ["circle", "square"]},
    }
    x = numbers("value", axis)
    spec: Spec = {
        "data": rows(values),
        "width": 400,
        "height": {"step": 11, "for": "offset"},
        "encoding": {
            "y": named("metric", labels),
            "yOffset": {"field": "side", "type": "nominal", "scale": {"domain": order}},
        },
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 1.5, "aria": False},
                "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "color": colour},
                "transform": [{"filter": "isValid(datum.low)"}],
            },
            {
                "mark": {"type": "point", "filled": True, "size": 45, "opacity": 1},
                "encoding": {"x": x, "color": colour, "shape": shape, **TIP},
            },
        ],
    }
    known = [m for m in kept if m in first]
    said = "Nothing to compare."
    if known:
        far = max(known, key=lambda m: abs(second[m].value - first[m].value))
        (name,) = names([far], 44)
        said = f"{name} moves most: from {first[far].value:.3f} to {second[far].value:.3f}."
    return Chart(spec, title, said)
