"""The documents' figures as charts: plain specifications, drawn as every chart is."""

from __future__ import annotations

from typing import Any

from evenhand.draw.chart import Chart
from evenhand.draw.chart import rows as data
from evenhand.draw.marks import Spec, named, numbers, text
from evenhand.results.colours import LIGHT

Rows = list[dict[str, Any]]
TICKS = "DejaVu Sans, Segoe UI Symbol, Arial Unicode MS, sans-serif"
"""Fonts that have ✓ and ✗; others borrow them from fonts that look odd beside letters."""


def graded(*colours: str) -> Spec:
    """A scale that goes through these colours of the theme."""
    return {"range": [LIGHT[c] for c in colours], "interpolate": "rgb"}


def _figure(title: str, said: str, rows: Rows, **parts: Any) -> Chart:
    return Chart({"title": {"subtitle": said}, "data": data(rows), **parts}, title, f"{said}.")


def scatter(title: str, said: str, rows: Rows, x: str, y: str) -> Chart:
    """Points, and the line on which both scores would be the same."""
    ends = [min(min(r[x], r[y]) for r in rows), max(max(r[x], r[y]) for r in rows)]
    place = {"x": numbers(x, x), "y": numbers(y, y)}
    points = {
        "mark": {"type": "point", "size": 14, "opacity": 0.5, "color": LIGHT["blue"]},
        "encoding": place,
    }
    diagonal = {
        "data": {"values": [{x: e, y: e} for e in ends]},
        "mark": {"type": "line", "strokeDash": [4, 4], "color": LIGHT["soft"]},
        "encoding": place,
    }
    return _figure(title, said, rows, width=360, height=300, layer=[diagonal, points])


def density(title: str, said: str, rows: Rows, value: str, by: str) -> Chart:
    """A smoothed density for each group, from 0 on."""
    smooth = {"extent": [0, max(r[value] for r in rows)], "steps": 300}
    return _figure(
        title,
        said,
        rows,
        width=420,
        height=260,
        transform=[{"density": value, "groupby": [by], "as": [value, "density"], **smooth}],
        mark={"type": "area", "opacity": 0.35, "line": True},
        encoding={
            "x": {"field": value, "type": "quantitative", "title": value},
            "y": {"field": "density", "type": "quantitative", "stack": None},
            "color": {"field": by, "type": "nominal", "legend": {"columns": 2}},
        },
    )


def heatmap(title: str, said: str, rows: Rows, x: str, y: str, colour: str) -> Chart:
    """A surface over two quantities, seen from above."""
    kind = {"type": "ordinal", "axis": {"labelOverlap": "greedy", "format": ".2f"}}
    most = max(r[colour] for r in rows)
    shade: Spec = {
        "field": colour,
        "type": "quantitative",
        "scale": {**graded("paper", "blue"), "domain": [0, most], "nice": False},
        "legend": {"orient": "right", "title": colour, "values": [0, most / 2, most],
                   "format": ".2f", "labelOverlap": False},
    }  # fmt: skip
    return _figure(
        title,
        said,
        rows,
        width=360,
        height=300,
        mark={"type": "rect", "tooltip": True},
        encoding={
            "x": {"field": x, **kind},
            "y": {"field": y, "sort": "descending", **kind},
            "color": shade,
        },
    )


def squares(
    title: str,
    said: str,
    rows: Rows,
    x: str,
    y: str,
    written: str,
    colour: str,
    *,
    step: int = 62,
    opacity: float = 0.6,
    font: str | None = None,
    **scale: Any,
) -> Chart:
    """A table whose cells are written on and coloured, pale enough to be read."""
    across, down = (list(dict.fromkeys(r[name] for r in rows)) for name in (x, y))
    kind = "quantitative" if isinstance(rows[0][colour], float | int) else "nominal"
    shade = {"field": colour, "type": kind, "scale": scale, "legend": None}
    mark = {"type": "rect", "stroke": LIGHT["paper"], "fillOpacity": opacity}
    return _figure(
        title,
        said,
        rows,
        width={"step": step},
        height={"step": 26},
        encoding={
            "x": named(x, across, orient="top", labelAngle=-30, labelAlign="left"),
            "y": named(y, down),
        },
        layer=[
            {"mark": mark, "encoding": {"fill": shade}},
            text(
                {"fontSize": 10} | ({"font": font} if font else {}),
                {"text": {"field": written, "type": "nominal"}},
            ),
        ],
    )
