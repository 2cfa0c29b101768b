"""Charts of another class mix: scores here and there, and one class from rare to common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evenhand.catalogue.lists import shown_in
from evenhand.draw.chart import Chart
from evenhand.draw.curves import curved, marked
from evenhand.draw.layout import Layout
from evenhand.draw.marks import (
    Spec,
    apart,
    between,
    bounded,
    layered,
    lines,
    numbers,
    points,
    series,
)
from evenhand.draw.names import merged_names, metric_names, names
from evenhand.draw.theme import SERIES
from evenhand.errors import InputError, shown
from evenhand.notes.interval import Interval
from evenhand.results.alike import alike, rounded
from evenhand.results.sentence import called
from evenhand.results.text import interval, percent
from evenhand.shift.estimating import PrevalenceEstimate
from evenhand.shift.extrapolating import Extrapolation
from evenhand.shift.sweeping import Sweep

KNOWN = shown_in("shift")


def mixes(found: Extrapolation | PrevalenceEstimate, *, title: str | None = None) -> Chart:
    """What another class mix does: each metric as observed and as expected there; or, for an
    estimate from unlabelled data, each class's share in the labelled and in the new data.

    >>> import evenhand as eh
    >>> cells = [[80, 20], [10, 90]]
    >>> mixes(eh.shift.extrapolate(cells, to="0=0.1,1=0.9", metrics="macro_f1")).description
    'Macro F1 (mean of F1) moves most: from 0.850 to 0.765.'
    """
    if isinstance(found, PrevalenceEstimate):
        here = {str(c.label): Interval(c.labelled) for c in found.classes}
        there = {str(c.label): c.shares[found.method] for c in found.classes}
        sides = {"labelled": here, "new data": there}
        head = title or "Class mix of the new data"
        return _beside(sides, names(there), "share of the items", head)
    if not isinstance(found, Extrapolation):
        raise InputError("mixes is for the result of eh.shift.extrapolate or estimate_prevalence")

    def number(name: str) -> tuple[str, ...]:
        both = (found.observed.get(name), found.expected[name])
        return rounded(*(x for s in both if s is not None for x in (s.value, s.low, s.high)))

    groups = alike([m for m in found.expected if bounded(m)], number)
    kept = [group[0] for group in groups]
    labels, same = merged_names(groups, "Equal here")
    sides = {
        "observed": {m: found.observed[m] for m in kept if m in found.observed},
        "expected": {m: found.expected[m] for m in kept},
    }
    head = title or "Scores here and under the other class mix"
    return _beside(sides, labels, "score and interval", head, same)


def _beside(
    sides: dict[str, dict[str, Interval]], labels: list[str], axis: str, title: str, same: str = ""
) -> Chart:
    first, second = sides.values()
    kept = list(second)
    values = [
        {
            "metric": label,
            "side": side,
            **scores[m].picked("value", "low", "high"),
            "tip": f"{label}, {side}: {interval(scores[m].value, scores[m].low, scores[m].high)}",
        }
        for side, scores in sides.items()
        for m, label in zip(kept, labels, strict=True)
        if m in scores
    ]
    order = list(sides)
    colour = series("side", order, SERIES[:2])
    shape = series("side", order, ["circle", "square"])
    x = numbers("value", axis)
    offset = {"field": "side", "type": "nominal", "scale": {"domain": order}}

    def draw(layout: Layout) -> Spec:
        y = apart(lines("metric", labels, layout, above=23), layout)
        return layered(
            values, layout.beside(labels), {"step": 12, "for": "offset"},
            between("x", x, {"color": colour}, strokeWidth=1.5),
            points({"x": x, "color": colour, "shape": shape}, size=45),
            encoding={"y": y, "yOffset": offset},
        )  # fmt: skip

    known = [m for m in kept if m in first]
    said = "Nothing to compare."
    if known:
        far = max(known, key=lambda m: abs(second[m].value - first[m].value))
        name = labels[kept.index(far)]
        said = f"{name} moves most: from {first[far].value:.3f} to {second[far].value:.3f}."
    return Chart.drawn(draw, title, said + same)


def prevalence(
    sweep: Sweep, metrics: str | Iterable[str] | None = None, *, title: str | None = None
) -> Chart:
    """Each metric as one class goes from rare to common: one system in one panel, two systems in
    a panel for each metric, with the shares at which they change places.

    >>> import evenhand as eh
    >>> prevalence(eh.shift.sweep([[80, 20], [10, 90]], label=0, metrics="accuracy")).title
    'Scores against the share of 0'
    """
    if not isinstance(sweep, Sweep):
        raise InputError("prevalence is for the result of eh.shift.sweep")
    have = list(next(iter(sweep.curves.values())))
    wanted = [metrics] if isinstance(metrics, str) else list(metrics or _usual(have))
    absent = [m for m in wanted if m not in have]
    if absent:
        raise InputError(f"the sweep has no {shown(absent)}; it has {shown(have)}")
    (label,) = names([sweep.label])
    systems = names(sweep.systems)

    def draw(layout: Layout) -> Spec:
        if len(sweep.systems) == 1:
            return _panel(sweep, wanted, systems, label, layout, by="metric")
        columns = 1 if layout.stacked or len(wanted) == 1 else 2
        how: dict[str, Any] = {"by": "system", "columns": columns}
        panels = [
            {
                "title": {"text": headed, "fontSize": 12, "offset": 22},
                **_panel(sweep, [m], systems, label, layout, **how, legend=i == 0),
            }
            for i, (m, headed) in enumerate(zip(wanted, metric_names(wanted), strict=True))
        ]
        return panels[0] if len(panels) == 1 else {"concat": panels, "columns": columns}

    head = title or f"Scores against the share of {label}"
    return Chart.drawn(draw, head, _swept(sweep, wanted, label))


def _usual(have: list[str]) -> list[str]:
    known = [m for m in KNOWN if m in have][:4]
    return known or have[:4]


def _panel(
    sweep: Sweep,
    metrics: list[str],
    systems: list[str],
    label: str,
    layout: Layout,
    *,
    by: str,
    columns: int = 1,
    legend: bool = True,
) -> Spec:
    curves = {
        headed if by == "metric" else name: sweep.curves[system][m]
        for system, name in zip(sweep.systems, systems, strict=True)
        for m, headed in zip(metrics, metric_names(metrics), strict=True)
    }
    more = marked(sweep.observed, f"observed, {percent(sweep.observed)}")
    crossed = [c for c in sweep.crossings if c.metric in metrics and by == "system"]
    for i, c in enumerate(crossed):
        more += marked(c.share, f"cross at {percent(c.share)}", line=len(crossed) - i)
    axis, score = f"share of {label}", "score" if by == "metric" else None
    how: dict[str, Any] = {"score": score, "legend": legend, "columns": columns}
    return curved(curves, sweep.shares, axis, "share", layout, *more, **how)


def _swept(sweep: Sweep, metrics: list[str], label: str) -> str:
    said = [f"{label} is {percent(sweep.observed)} of the items here."]
    for c in sweep.crossings:
        if c.metric in metrics:
            low, high = names([c.below, c.above])
            said.append(
                f"By {called(c.metric)}, {low} leads below {percent(c.share)}, {high} above."
            )
    for m in metrics:
        if len(sweep.systems) == 2 and sweep.leads.get(m):
            (leader,) = names([sweep.leads[m]])
            said.append(f"By {called(m)}, {leader} leads at every share.")
    if len(sweep.systems) == 1:
        for m, headed in zip(metrics[:2], metric_names(metrics[:2]), strict=True):
            known = [v for v in sweep.curves[sweep.systems[0]][m].value if v == v]
            ends = f"goes from {min(known):.3f} to {max(known):.3f}" if known else "is undefined"
            said.append(f"{headed} {ends}.")
    return " ".join(said)
