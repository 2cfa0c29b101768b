"""Pieces that charts share: axes of names, words on hover, layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evenhand.results.colours import LIGHT

Spec = dict[str, Any]

TIP: Spec = {
    "tooltip": {"field": "tip", "type": "nominal"},
    "description": {"field": "tip", "type": "nominal"},
}
"""Each mark says in words what it stands for: on hover, and to a screen reader."""


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


def numbers(field: str, title: str | None, **scale: Any) -> Spec:
    """A continuous axis."""
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": {"zero": False, "nice": True, **scale},
        "axis": {"tickCount": 6},
    }


def slant(names: Sequence[str], step: float) -> Spec:
    """How names stand under columns: upright where they fit, else on their side."""
    longest = max(map(len, names), default=0)
    if longest * 6.2 <= step - 4:
        return {"labelAngle": 0}
    return {"labelAngle": -90 if step < 22 else -45, "labelAlign": "right"} | (
        {"labelBaseline": "middle"} if step < 22 else {}
    )


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
