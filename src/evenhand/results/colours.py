"""Colours that the colour-blind tell apart, each with one meaning and one place: here.

A picture in a file keeps them as they are, on white; a page has a CSS variable of the same name
for each, so that what it shows follows the reader's light or dark mode.
"""

from __future__ import annotations

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
