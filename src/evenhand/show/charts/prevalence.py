"""Metrics against the prevalence of one class, and where systems change places."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evenhand.errors import InputError, shown
from evenhand.results.colours import LIGHT
from evenhand.results.text import interval, percent
from evenhand.shift.sweeps import Sweep
from evenhand.show.chart import Chart, rows
from evenhand.show.charts.marks import TIP, Spec, numbers, rule_at, text
from evenhand.show.theme import DASHES, SERIES
from evenhand.show.words import names

LEGEND = {
    "columns": 4,
    "offset": 20,
    "symbolType": "stroke",
    "symbolSize": 300,
    "symbolOpacity": 1,
    "symbolStrokeWidth": 2.5,
}
KNOWN = ("macro_f1", "f1_of_averages", "accuracy", "macro_recall", "kappa", "mcc")


def prevalence(
    sweep: Sweep, metrics: Iterable[str] | None = None, *, title: str | None = None
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
    wanted = list(metrics) if metrics is not None else _usual(have)
    absent = [m for m in wanted if m not in have]
    if absent:
        raise InputError(f"the sweep has no {shown(absent)}; it has {shown(have)}")
    (label,) = names([sweep.label])
    systems = names(sweep.systems)
    if len(sweep.systems) == 1:
        spec = _panel(sweep, wanted, systems, label, by="metric")
    else:
        panels = [
            {
                "title": {"text": m, "fontSize": 12, "offset": 22},
                **_panel(sweep, [m], systems, label, by="system", legend=i == 0),
            }
            for i, m in enumerate(wanted)
        ]
        spec = {"concat": panels, "columns": 2}
        if len(panels) == 1:
            spec = {**panels[0]}
    return Chart(spec, title or f"Scores against the share of {label}", _said(sweep, wanted, label))


def _usual(have: list[str]) -> list[str]:
    known = [m for m in KNOWN if m in have][:4]
    return known or have[:4]


def _panel(
    sweep: Sweep,
    metrics: list[str],
    systems: list[str],
    label: str,
    *,
    by: str,
    legend: bool = True,
) -> Spec:
    values = [
        {
            "share": share,
            "value": v,
            "low": low,
            "high": high,
            "series": m if by == "metric" else name,
            "tip": f"{name if by == 'system' else m} at a share of {percent(share)}: "
            f"{interval(v, low, high)}",
        }
        for system, name in zip(sweep.systems, systems, strict=True)
        for m in metrics
        for share, v, low, high in zip(
            sweep.shares,
            sweep.curves[system][m].value,
            sweep.curves[system][m].low,
            sweep.curves[system][m].high,
            strict=True,
        )
    ]
    series = metrics if by == "metric" else systems
    colour: Spec = {
        "field": "series",
        "type": "nominal",
        "scale": {"domain": series, "range": SERIES[: len(series)]},
        "legend": LEGEND if legend else None,
    }
    dash: Spec = {
        "field": "series",
        "type": "nominal",
        "scale": {"domain": series, "range": DASHES[: len(series)]},
        "legend": colour["legend"],
    }
    x = numbers("share", f"share of {label}", domain=[0, 1])
    x["axis"] |= {"format": ".0%"}
    y = numbers("value", "score" if by == "metric" else None)
    layer: list[Spec] = [
        {
            "mark": {"type": "area", "opacity": 0.15, "aria": False},
            "encoding": {
                "x": x,
                "y": {**y, "field": "low"},
                "y2": {"field": "high"},
                "color": colour,
            },
            "transform": [{"filter": "isValid(datum.low)"}],
        },
        {
            "mark": {"type": "line", "strokeWidth": 2, "aria": False},
            "encoding": {"x": x, "y": y, "color": colour, "strokeDash": dash},
        },
        {
            "mark": {"type": "point", "size": 60, "color": LIGHT["ink"], "opacity": 0.01},
            "encoding": {"x": x, "y": y, **TIP},
            "transform": [{"filter": "round(datum.share * 100) % 5 == 0"}],
        },
        rule_at(sweep.observed, "x"),
        _flag(sweep.observed, f"observed, {percent(sweep.observed)}"),
    ]
    crossed = [c for c in sweep.crossings if c.metric in metrics and by == "system"]
    for i, c in enumerate(crossed):
        layer.append(rule_at(c.share, "x", color=LIGHT["ink"], strokeDash=[1, 0]))
        layer.append(_flag(c.share, f"cross at {percent(c.share)}", line=len(crossed) - i))
    return {"data": rows(values), "width": 340, "height": 220, "layer": layer}


def _flag(share: float, words: str, *, line: int = 0) -> Spec:
    """Words at a line: above the panel, or inside it from the bottom, on the side with room."""
    left = share > 0.6
    side = "left" if share < 0.2 else "right" if share > 0.8 else "center"
    place: Spec = {"y": -7, "align": side, "color": LIGHT["soft"]}
    if line:
        place = {"align": "right" if left else "left", "dx": -4 if left else 4}
        place |= {"y": "height", "dy": 8 - 14 * line, "color": LIGHT["ink"]}
    return text(
        place,
        {"x": {"field": "at", "type": "quantitative"}, "text": {"field": "words"}},
        data={"values": [{"at": share, "words": words}]},
    )


def _said(sweep: Sweep, metrics: list[str], label: str) -> str:
    said = [f"{label} is {percent(sweep.observed)} of the items here."]
    for c in sweep.crossings:
        if c.metric in metrics:
            low, high = names([c.below, c.above])
            said.append(f"By {c.metric} {low} leads below {percent(c.share)}, {high} above.")
    for m in metrics:
        if len(sweep.systems) == 2 and sweep.leads.get(m):
            (leader,) = names([sweep.leads[m]])
            said.append(f"By {m} {leader} leads at every share.")
    if len(sweep.systems) == 1:
        for m in metrics[:2]:
            v: Any = next(iter(sweep.curves.values()))[m].value
            said.append(f"{m} goes from {min(v):.3f} to {max(v):.3f}.")
    return " ".join(said)
