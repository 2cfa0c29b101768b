"""Curves: scores along an axis of shares or thresholds, as lines with bands around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evenhand.draw.layout import Layout, pixels
from evenhand.draw.marks import TIP, Spec, between, layered, numbers, rule_at, series, text
from evenhand.draw.theme import DASHES, SERIES
from evenhand.notes.curve import Curve
from evenhand.results.colours import LIGHT
from evenhand.results.text import interval, percent

LEGEND = {
    "offset": 20,
    "symbolType": "stroke",
    "symbolSize": 300,
    "symbolOpacity": 1,
    "symbolStrokeWidth": 2.5,
}


def curved(
    curves: Mapping[str, Curve],
    at: Sequence[float],
    axis: str,
    place: str,
    layout: Layout,
    *more: Spec,
    columns: int = 1,
    score: str | None = "score",
    legend: bool = True,
    percents: bool = True,
) -> Spec:
    """Lines by name over ``at``, from 0 to 1 on the axis; ``place`` names a point of it in words.

    ``more`` are layers over them; ``columns`` such plots stand beside each other; without
    ``percents`` the axis has plain numbers.
    """
    said = percent if percents else "{:g}".format
    values = [
        {
            "at": x,
            "value": v,
            "low": low,
            "high": high,
            "series": name,
            "tip": f"{name} at a {place} of {said(x)}: {interval(v, low, high)}",
        }
        for name, c in curves.items()
        for x, v, low, high in zip(at, c.value, c.low, c.high, strict=True)
    ]
    lines = list(curves)
    across = int(layout.width // (pixels(lines) + 50)) or 1
    key = {**LEGEND, "columns": across} if legend else None
    colour = series("series", lines, SERIES[: len(lines)], legend=key)
    dash = series("series", lines, DASHES[: len(lines)], legend=key)
    x = numbers("at", axis, domain=[0, 1])
    shown = {"labelExpr": "format(datum.value * 100, '.0f') + ' %'"}
    x["axis"] |= {"values": [0, 0.25, 0.5, 0.75, 1], **(shown if percents else {"format": ".2f"})}
    y = numbers("value", score)
    layer: list[Spec] = [
        between("y", y, {"x": x, "color": colour}, type="area", opacity=0.15),
        {
            "mark": {"type": "line", "strokeWidth": 2, "aria": False},
            "encoding": {"x": x, "y": y, "color": colour, "strokeDash": dash},
        },
        {
            "mark": {"type": "point", "size": 60, "color": LIGHT["ink"], "opacity": 0.01},
            "encoding": {"x": x, "y": y, **TIP},
            "transform": [{"filter": "round(datum.at * 100) % 10 == 0"}],
        },
    ]
    width = (layout.width - 20) // columns - 60
    return layered(values, width, min(260, int(0.7 * width)), *layer, *more)


def marked(at: float, words: str, *, line: int = 0) -> list[Spec]:
    """A rule at one place and its words: above the panel, or inside it from the bottom, on the
    side with room."""
    if not line:
        side = "left" if at < 0.2 else "right" if at > 0.8 else "center"
        return [rule_at(at, "x"), _words(at, words, y=-7, align=side, color=LIGHT["soft"])]
    left = at > 0.6
    place = {"align": "right" if left else "left", "dx": -4 if left else 4}
    rule = rule_at(at, "x", color=LIGHT["ink"], strokeDash=[1, 0])
    more = {"y": "height", "dy": 8 - 14 * line, "color": LIGHT["ink"]}
    return [rule, _words(at, words, **place, **more)]


def _words(at: float, words: str, **place: object) -> Spec:
    shown = {"x": {"field": "at", "type": "quantitative"}, "text": {"field": "words"}}
    return text(place, shown, data={"values": [{"at": at, "words": words}]})
