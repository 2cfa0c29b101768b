"""Pieces that charts share: axes, colours by name, shades, layers, words on hover."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from evenhand.core.registry import find
from evenhand.draw.chart import rows
from evenhand.draw.layout import COLUMN, Layout, pixels
from evenhand.results.colours import LIGHT

Spec = dict[str, Any]

TIP: Spec = {
    "tooltip": {"field": "tip", "type": "nominal"},
    "description": {"field": "tip", "type": "nominal"},
}
"""Each mark says in words what it stands for: on hover, and to a screen reader."""

WRITTEN = 20
"""Pixels from which on a cell has room for a number."""

TEXT: Spec = {"text": {"field": "text", "type": "nominal"}}
"""What is written at a mark stands in its row."""


def named(field: str, names: Sequence[str], *, title: str | None = None, **axis: Any) -> Spec:
    """A discrete axis with exactly these names in this order."""
    return {
        "field": field,
        "type": "nominal",
        "sort": None,
        "scale": {"domain": list(names)},
        "title": title,
        "axis": {"ticks": False, "domain": False, "labelPadding": 6, "grid": False, **axis},
    }


def lines(
    field: str, names: Sequence[str], layout: Layout, *, above: int = 13, **axis: Any
) -> Spec:
    """Names of rows: at their left, or ``above`` the middle of each where there is no room."""
    if layout.stacked:
        axis |= {"labelAlign": "left", "labelPadding": 0, "labelOffset": -above, "title": None}
    return named(field, names, **axis)


def apart(y: Spec, layout: Layout) -> Spec:
    """The same rows, each of several marks, with room between them: for a name, if stacked."""
    inner = 0.42 if layout.stacked else 0.25
    return {**y, "scale": {**y["scale"], "paddingInner": inner, "paddingOuter": inner / 2}}


def numbers(field: str, title: str | None, **scale: Any) -> Spec:
    """A continuous axis."""
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": {"zero": False, "nice": True, **scale},
        "axis": {"tickCount": 6},
    }


def series(field: str, names: Sequence[str], out: Sequence[object], **more: Any) -> Spec:
    """A colour, dash or shape for each name."""
    scale = {"domain": list(names), "range": list(out)}
    return {"field": field, "type": "nominal", "scale": scale, **more}


def either(test: str | Spec, yes: object, no: object) -> Spec:
    """One value where a row passes the test, another where it does not."""
    return {"condition": {"test": test, "value": yes}, "value": no}


def shade(field: str, least: float, **scale: Any) -> Spec:
    """From 0 to 1 as the opacity of one colour, which shows on any paper."""
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"domain": [0, 1], "range": [least, 1], **scale},
        "legend": None,
    }


def slant(names: Sequence[str], step: float) -> Spec:
    """How names stand under columns: upright where they fit, else on their side."""
    longest = max(map(len, names), default=0)
    if longest * COLUMN <= step - 4:
        return {"labelAngle": 0}
    return {"labelAngle": -90 if step < 22 else -45, "labelAlign": "right"} | (
        {"labelBaseline": "middle"} if step < 22 else {}
    )


def layered(values: Sequence[Spec], width: Any, height: Any, *layer: Spec, **shared: Any) -> Spec:
    """Layers over rows of data; ``shared`` is what all of them have."""
    return {"data": rows(values), "width": width, "height": height, **shared, "layer": [*layer]}


def shaded(mark: Spec, shades: Spec, dark: str, step: float) -> list[Spec]:
    """Cells in shades, ``step`` wide, written on where they have room: in white where ``dark``
    holds.
    """
    cells = {"mark": {"type": "rect", **mark}, "encoding": {**shades, **TIP}}
    if step < WRITTEN:
        return [cells]
    style = {"fontSize": 9 if step < 24 else 10} if step < 30 else {}
    colour = either(dark, LIGHT["paper"], LIGHT["ink"])
    return [cells, text(style, TEXT | {"color": colour})]


def between(axis: str, scale: Spec, encoding: Spec, **mark: Any) -> Spec:
    """A layer from ``low`` to ``high`` on one axis, in the rows that have an interval."""
    return {
        "mark": {"type": "rule", "aria": False, **mark},
        "encoding": {axis: {**scale, "field": "low"}, f"{axis}2": {"field": "high"}, **encoding},
        "transform": [{"filter": "isValid(datum.low)"}],
    }


def points(encoding: Spec, **mark: Any) -> Spec:
    """A layer of dots that say what they stand for."""
    return {
        "mark": {"type": "point", "filled": True, "opacity": 1, **mark},
        "encoding": {**encoding, **TIP},
    }


def bars(values: Sequence[Spec], layout: Layout, *, title: str, colour: str, name: str) -> Spec:
    """A bar of ``value`` for each ``pair`` of classes, with its text at the end."""
    labels = [row["pair"] for row in values]
    x = {"field": "value", "type": "quantitative", "title": title, "axis": {"tickCount": 4}}
    right = int(pixels(row["text"] for row in values))
    return layered(
        values, layout.beside(labels, right=right), {"step": layout.step(24)} if values else 24,
        {"mark": {"type": "bar", "color": colour, "height": 14}, "encoding": TIP},
        text({"align": "left", "dx": 4}, TEXT),
        encoding={"y": lines("pair", labels, layout, above=15, title=name or None), "x": x},
    )  # fmt: skip


def dots(values: Sequence[Spec], field: str, names: Sequence[str], x: Spec, layout: Layout) -> Spec:
    """A dot on its interval for each row, named by ``field``, with its text at the end."""
    room = 0 if layout.stacked else 50
    inner = layout.beside(names, right=room)
    return layered(
        values, inner, {"step": layout.step(24)},
        between("x", x, {}, strokeWidth=2, color=LIGHT["blue"]),
        points({"x": x}, size=50, color=LIGHT["blue"]),
        ending("text", inner + room, layout),
        encoding={"y": lines(field, names, layout)},
    )  # fmt: skip


def ending(field: str, at: int, layout: Layout, **mark: Any) -> Spec:
    """What a row has at its end, ``at`` pixels from the left: on the line of its name."""
    style = {"x": at, "align": "right", "dy": -13 * layout.stacked, **mark}
    return text(style, {"text": {"field": field, "type": "nominal"}})


def text(mark: Spec, encoding: Spec, **more: Any) -> Spec:
    """A layer of words, silent to screen readers: the marks under it speak."""
    return {"mark": {"type": "text", "aria": False, **mark}, "encoding": encoding, **more}


def rule_at(value: float, axis: str, **mark: Any) -> Spec:
    """A line across the chart at one value."""
    style = {"type": "rule", "color": LIGHT["soft"], "strokeDash": [3, 3], "aria": False}
    return {
        "data": {"values": [{"at": value}]},
        "mark": {**style, **mark},
        "encoding": {axis: {"field": "at", "type": "quantitative"}},
    }


def bounded(metric: str) -> bool:
    """Whether a metric can stand on the axis of scores: it is neither a gain nor a gap."""
    record = find(metric.split("@")[0].split(":")[0])
    return record is None or (record.better != "neither" and record.high == 1)


def undefined_last(value: float) -> tuple[bool, float]:
    """What puts scores in order where some are undefined."""
    return math.isnan(value), value
