"""One visual language: colours that the colour-blind tell apart, and how every chart is drawn.

Each colour has one meaning and one place here. Pages replace it by a CSS variable of the same
name, so that a chart follows the reader's light or dark mode; files keep it as it is, on white.
"""

from __future__ import annotations

from typing import Any

LIGHT = {
    "ink": "#1b1f24",
    "soft": "#57606a",
    "line": "#d0d7de",
    "paper": "#ffffff",
    "blue": "#08519c",
    "orange": "#c2410c",
    "green": "#00745a",
    "purple": "#8e3a80",
    "gold": "#8a6100",
    "teal": "#0e7490",
    "grey": "#8c959f",
}
DARK = {
    "ink": "#e6edf3",
    "soft": "#9ea7b3",
    "line": "#3d444d",
    "paper": "#12161c",
    "blue": "#79b8ff",
    "orange": "#ff9e64",
    "green": "#4cd3a5",
    "purple": "#e6a3da",
    "gold": "#e3b341",
    "teal": "#5cc8dc",
    "grey": "#6e7681",
}
"""The same roles on a dark page; each is told from the paper at 4.5 to 1 or better, bar lines."""

SERIES = [LIGHT[c] for c in ("blue", "orange", "green", "purple", "gold", "teal")]
DASHES = [[1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [4, 4], [1, 3]]
"""Lines differ in dash as well as in colour, for print without colour."""

FONT = "Arial, Helvetica, Liberation Sans, sans-serif"
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
BLANK = " "


def config() -> dict[str, Any]:
    """How every chart is drawn unless it says otherwise."""
    words: dict[str, Any] = {"labelFont": FONT, "titleFont": FONT, "labelColor": LIGHT["ink"]}
    words |= {"titleColor": LIGHT["soft"], "labelFontSize": 11, "titleFontSize": 11}
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
        "axisQuantitative": {"labelOverlap": True},
        "legend": {**words, "labelLimit": 0, "titleLimit": 0, "orient": "top", "title": None},
        "header": {**words, "labelFontSize": 12, "labelFontWeight": "bold", "labelLimit": 0},
        "title": {
            "font": FONT,
            "color": LIGHT["ink"],
            "subtitleColor": LIGHT["soft"],
            "subtitleFont": FONT,
            "anchor": "start",
            "frame": "group",
            "fontSize": 13,
            "subtitleFontSize": 11,
            "limit": 0,
            "offset": 10,
        },
        "text": {"font": FONT, "fontSize": 11, "color": LIGHT["ink"]},
        "range": {"category": SERIES},
    }
