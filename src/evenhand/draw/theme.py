"""One visual language: how every chart is drawn, in the colours of all results."""

from __future__ import annotations

from typing import Any

from evenhand.results.colours import LIGHT

SERIES = [LIGHT[c] for c in ("blue", "orange", "green", "purple", "gold", "teal")]
DASHES = [[1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [4, 4], [1, 3]]
"""Lines differ in dash as well as in colour, for print without colour."""

FONT = "Arial, Helvetica, Liberation Sans, sans-serif"
SIZE = 12
"""Of all type but titles and the numbers in small cells, in pixels of a drawing."""
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"


def config() -> dict[str, Any]:
    """How every chart is drawn unless it says otherwise."""
    words: dict[str, Any] = {"labelFont": FONT, "titleFont": FONT, "labelColor": LIGHT["ink"]}
    words |= {"titleColor": LIGHT["soft"], "labelFontSize": SIZE, "titleFontSize": SIZE}
    words |= {"titleFontWeight": "normal"}
    return {
        "font": FONT,
        "background": LIGHT["paper"],
        "padding": 8,
        "view": {"stroke": None},
        "axis": {
            **words,
            "domainColor": LIGHT["line"],
            "tickColor": LIGHT["line"],
            "gridColor": LIGHT["line"],
            "gridOpacity": 0.6,
            "labelLimit": 0,
            "titleLimit": 0,
            "labelOverlap": False,
        },
        "axisQuantitative": {"labelOverlap": True, "labelSeparation": 4},
        "legend": {**words, "labelLimit": 0, "titleLimit": 0, "orient": "top", "title": None},
        "title": {
            "font": FONT,
            "color": LIGHT["ink"],
            "subtitleColor": LIGHT["soft"],
            "subtitleFont": FONT,
            "anchor": "start",
            "frame": "group",
            "fontSize": 14,
            "subtitleFontSize": SIZE,
            "limit": 0,
            "offset": 10,
        },
        "text": {"font": FONT, "fontSize": SIZE, "color": LIGHT["ink"]},
        "range": {"category": SERIES},
    }
