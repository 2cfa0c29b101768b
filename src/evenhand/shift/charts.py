"""Charts of another class mix: scores here and there, and one class from rare to common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evenhand.charts.chart import (
    Chart,
    ChartLayout,
    Spec,
    bounded,
    grouped_dots,
    interval_row,
    merged_names,
    metric_names,
    names,
    numbers,
)
from evenhand.charts.confusion import curved, marked
from evenhand.options import heading, instance, some_of
from evenhand.records import Interval
from evenhand.results.document import group_equal, rounded
from evenhand.shift.estimation import Drift, PrevalenceEstimate
from evenhand.shift.extrapolation import Extrapolation
from evenhand.shift.sweeps import Sweep
from evenhand.text import percent

USUAL_METRICS = ("macro_f1", "f1_of_averages", "accuracy", "macro_recall", "kappa", "mcc")


def mixes(
    shifted: Extrapolation | PrevalenceEstimate | Drift, *, title: str | None = None
) -> Chart:
    """What another class mix does: each metric as observed and as expected there; or, for an
    estimate from unlabelled data, each class's share in the labelled and in the new data.

    >>> import evenhand as eh
    >>> cells = [[80, 20], [10, 90]]
    >>> mixes(eh.shift.extrapolate(cells, to="0=0.1,1=0.9", metrics="macro_f1")).description
    'Macro F1 moves most: from 0.850 to 0.765.'
    """
    if isinstance(shifted, Drift):
        shifted = shifted.estimate
    if isinstance(shifted, PrevalenceEstimate):
        here = {str(c.label): Interval(c.labelled) for c in shifted.classes}
        there = {str(c.label): c.shares[shifted.method] for c in shifted.classes}
        sides = {"labelled": here, "new data": there}
        head = heading(title, "Class mix of the new data")
        return _paired_dots(sides, names(there), "share of the items", head)
    instance(shifted, Extrapolation, "mixes", "the result of extrapolate or estimate_prevalence")

    def number(name: str) -> tuple[str, ...]:
        both = (shifted.observed.get(name), shifted.expected[name])
        return rounded(*(x for s in both if s is not None for x in (s.value, s.low, s.high)))

    groups = group_equal([m for m in shifted.expected if bounded(m)], number)
    shown = [group[0] for group in groups]
    labels, same = merged_names(groups, "Equal here")
    sides = {
        "observed": {m: shifted.observed[m] for m in shown if m in shifted.observed},
        "expected": {m: shifted.expected[m] for m in shown},
    }
    head = heading(title, "Scores here and under the other class mix")
    return _paired_dots(sides, labels, "score and interval", head, same)


def _paired_dots(
    sides: dict[str, dict[str, Interval]], labels: list[str], axis: str, title: str, same: str = ""
) -> Chart:
    first, second = sides.values()
    rows = list(second)
    values = [
        interval_row(scores[m], f"{label}, {side}:", metric=label, side=side)
        for side, scores in sides.items()
        for m, label in zip(rows, labels, strict=True)
        if m in scores
    ]
    x = numbers("value", axis)

    def draw(layout: ChartLayout) -> Spec:
        return grouped_dots(values, "metric", labels, "side", list(sides), x, layout)

    description = "Nothing to compare."
    if known := [m for m in rows if m in first]:
        far = max(known, key=lambda m: abs(second[m].value - first[m].value))
        before, after = (f"{side[far].value:.3f}" for side in (first, second))
        description = f"{labels[rows.index(far)]} moves most: from {before} to {after}."
        if before == after:
            description = "Nothing moves by 0.001 or more."
    return Chart.drawn(draw, title, description + same)


def prevalence(
    sweep: Sweep, metrics: str | Iterable[str] | None = None, *, title: str | None = None
) -> Chart:
    """Each metric as one class goes from rare to common: one system in one panel, two systems in
    a panel for each metric, with the shares at which they change places.

    >>> import evenhand as eh
    >>> prevalence(eh.shift.sweep([[80, 20], [10, 90]], label=0, metrics="accuracy")).title
    'Scores against the share of 0'
    """
    instance(sweep, Sweep, "prevalence", "the result of eh.shift.sweep")
    have = sweep.metrics
    usual = [m for m in USUAL_METRICS if m in have] or have
    shown = some_of(usual[:4] if metrics is None else metrics, have, "metrics")
    (label,) = names([sweep.label])

    def draw(layout: ChartLayout) -> Spec:
        if len(sweep.systems) == 1:
            return _panel(sweep, shown, label, layout, by="metric")
        columns = 1 if layout.stacked or len(shown) == 1 else 2
        panels: list[Spec] = []
        for m, name in zip(shown, metric_names(shown), strict=True):
            options: dict[str, Any] = {"columns": columns, "legend": not panels}
            panel = _panel(sweep, [m], label, layout, by="system", **options)
            panels.append({"title": {"text": name, "fontSize": 12, "offset": 22}, **panel})
        return panels[0] if len(panels) == 1 else {
            "concat": panels, "columns": columns, "resolve": {"scale": {"y": "shared"}},
        }  # fmt: skip

    head = heading(title, f"Scores against the share of {label}")
    words = f"{label} is {percent(sweep.observed)} of the items here; {sweep.headline}."
    return Chart.drawn(draw, head, words)


def _panel(
    sweep: Sweep, metrics: list[str], label: str, layout: ChartLayout, *, by: str, **options: Any
) -> Spec:
    curves = {
        metric_title if by == "metric" else name: sweep.curves[system][m]
        for system, name in zip(sweep.systems, names(sweep.systems), strict=True)
        for m, metric_title in zip(metrics, metric_names(metrics), strict=True)
    }
    more = marked(sweep.observed, f"observed, {percent(sweep.observed)}")
    crossed = [c for c in sweep.crossings if c.metric in metrics and by == "system"]
    for i, c in enumerate(crossed):
        more += marked(c.share, f"cross at {percent(c.share)}", line=len(crossed) - i)
    axis, options["score"] = f"share of {label}", "score" if by == "metric" else None
    return curved(curves, sweep.shares, axis, "share", layout, *more, **options)
