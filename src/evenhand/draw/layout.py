"""Layout: how much room a drawing has, and where names stand in it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from evenhand.results.text import width as columns

COLUMN = 6.6
"""Pixels that a character takes on average in the size of the theme."""
PADDING = 24
"""Pixels around a plot and between it and its names."""


@dataclass(frozen=True)
class Layout:
    """The width of a whole drawing in pixels; ``stacked`` sets names above what they name.

    >>> WIDE.beside(["ten letter"]), NARROW.beside(["ten letter"])
    (690, 326)
    """

    width: int
    stacked: bool = False

    def beside(self, names: Iterable[str], *, right: int = 0) -> int:
        """What is left for a plot whose rows have these names, with ``right`` to spare."""
        return int(self.width - PADDING - right - (0 if self.stacked else pixels(names)))

    def step(self, high: int) -> int:
        """The height of a row with its name, where the row alone would have ``high``."""
        return high + 16 * self.stacked

    def cell(self, names: Iterable[str], cells: int, most: int) -> float:
        """How wide the cells of a table are whose rows have these names at the left."""
        return min(most, (self.width - PADDING - pixels(names)) / max(cells, 1))

    def name(self, wide: int) -> int:
        """How many columns a name at the left of a table may take."""
        return min(wide, 14) if self.stacked else wide

    def wrapped(self, text: str) -> Any:
        """Words as lines that fit, for a title."""
        lines = textwrap.wrap(text, int(self.width / COLUMN), break_on_hyphens=False)
        return lines if len(lines) > 1 else text


WIDE, NARROW = Layout(780), Layout(350, stacked=True)
"""For a page, a paper or a screen; and for a phone."""


def pixels(names: Iterable[str]) -> float:
    """How wide the longest of these names is."""
    return COLUMN * max(map(columns, names), default=0)
