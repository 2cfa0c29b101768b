"""Vega-Lite specifications of the documents' figures, as plain dictionaries."""

from __future__ import annotations

from typing import Any

Spec = dict[str, Any]
Rows = list[dict[str, Any]]
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
CONFIG: Spec = {
    "background": "white",
    "font": "sans-serif",
    "view": {"stroke": "#ccc"},
    "axis": {"gridColor": "#eee", "labelFontSize": 11, "titleFontSize": 12},
    "title": {"anchor": "start", "fontSize": 13, "subtitleFontSize": 11, "subtitleColor": "#555"},
}


def _figure(title: str, subtitle: str, rows: Rows, **parts: Any) -> Spec:
    return {
        "$schema": SCHEMA,
        "title": {"text": title, "subtitle": subtitle},
        "data": {"values": rows},
        "config": CONFIG,
        **parts,
    }


def scatter(title: str, subtitle: str, rows: Rows, x: str, y: str) -> Spec:
    """Points, and the line on which both scores would be the same."""
    ends = [min(min(r[x], r[y]) for r in rows), max(max(r[x], r[y]) for r in rows)]
    axis = {"type": "quantitative", "scale": {"zero": False}}
    points = {
        "mark": {"type": "point", "size": 14, "opacity": 0.5, "color": "#1f6f8b"},
        "encoding": {"x": {"field": x, **axis}, "y": {"field": y, **axis}},
    }
    diagonal = {
        "data": {"values": [{x: e, y: e} for e in ends]},
        "mark": {"type": "line", "strokeDash": [4, 4], "color": "#999"},
        "encoding": {"x": {"field": x, **axis}, "y": {"field": y, **axis}},
    }
    return _figure(title, subtitle, rows, width=360, height=300, layer=[diagonal, points])


def density(title: str, subtitle: str, rows: Rows, value: str, by: str) -> Spec:
    """A smoothed density for each group."""
    return _figure(
        title,
        subtitle,
        rows,
        width=420,
        height=260,
        transform=[{"density": value, "groupby": [by], "as": [value, "density"], "steps": 300}],
        mark={"type": "area", "opacity": 0.35, "line": True},
        encoding={
            "x": {"field": value, "type": "quantitative", "title": value},
            "y": {"field": "density", "type": "quantitative", "stack": None},
            "color": {"field": by, "type": "nominal", "title": None},
        },
    )


def heatmap(title: str, subtitle: str, rows: Rows, x: str, y: str, colour: str) -> Spec:
    """A surface over two quantities, seen from above."""
    kind = {"type": "ordinal", "axis": {"labelOverlap": "greedy", "format": ".2f"}}
    return _figure(
        title,
        subtitle,
        rows,
        width=360,
        height=300,
        mark={"type": "rect", "tooltip": True},
        encoding={
            "x": {"field": x, **kind},
            "y": {"field": y, "sort": "descending", **kind},
            "color": {
                "field": colour,
                "type": "quantitative",
                "scale": {"scheme": "viridis", "zero": True},
                "title": colour,
            },
        },
    )


def squares(
    title: str, subtitle: str, rows: Rows, x: str, y: str, text: str, colour: str, **scale: Any
) -> Spec:
    """A table whose cells are written on and coloured."""
    order: dict[str, Spec] = {
        name: {
            "field": name,
            "type": "nominal",
            "sort": list(dict.fromkeys(r[name] for r in rows)),
            "title": None,
        }
        for name in (x, y)
    }
    order[x] |= {"axis": {"orient": "top", "labelAngle": -30, "labelLimit": 240}}
    place = {"x": order[x], "y": order[y] | {"axis": {"labelLimit": 240}}}
    kind = "quantitative" if isinstance(rows[0][colour], float | int) else "nominal"
    shade = {"field": colour, "type": kind, "scale": scale, "legend": None}
    return _figure(
        title,
        subtitle,
        rows,
        width={"step": 62},
        height={"step": 26},
        layer=[
            {"mark": {"type": "rect", "stroke": "white"}, "encoding": {**place, "color": shade}},
            {
                "mark": {"type": "text", "fontSize": 10, "color": "#111"},
                "encoding": {**place, "text": {"field": text, "type": "nominal"}},
            },
        ],
    )
