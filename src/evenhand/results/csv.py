"""Comma-separated values of every number, with full precision."""

from __future__ import annotations

import csv
import io
from functools import cache

from evenhand.results.document import Content
from evenhand.text import Cell, cell_text, csv_cell


def written(content: Content, digits: int = 4) -> str:
    """Every number in all its digits; undefined and unknown ones are empty."""
    grid, out = content.data(), io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(grid.columns)
    safe = cache(csv_cell)  # labels and signatures stand in many rows

    def cell(c: Cell) -> str:
        if c is None or c != c:
            return ""
        return repr(c) if isinstance(c, int | float) else safe(cell_text(c, digits))

    writer.writerows(map(cell, row) for row in grid.rows)
    return out.getvalue().rstrip("\n")
