"""Colours that the colour-blind tell apart, each with one meaning and one place: here.

A picture in a file keeps them as they are, on white; a page has a CSS variable of the same name
for each, so that what it shows follows the reader's light or dark mode.
"""

from __future__ import annotations

ROLES = {
    "ink": ("#1b1f24", "#e6edf3"),
    "soft": ("#57606a", "#9ea7b3"),
    "line": ("#d0d7de", "#3d444d"),
    "paper": ("#ffffff", "#12161c"),
    "blue": ("#08519c", "#79b8ff"),
    "orange": ("#c2410c", "#ff9e64"),
    "green": ("#00745a", "#4cd3a5"),
    "purple": ("#8e3a80", "#e6a3da"),
    "gold": ("#8a6100", "#e3b341"),
    "teal": ("#0e7490", "#5cc8dc"),
    "grey": ("#8c959f", "#6e7681"),
}
"""Each role on white, and on a dark page, told from the paper at 4.5 to 1 or better, bar lines."""

LIGHT = {role: light for role, (light, _) in ROLES.items()}
DARK = {role: dark for role, (_, dark) in ROLES.items()}
