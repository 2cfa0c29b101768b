"""Comma-separated values: the data behind the content, with full precision."""

from __future__ import annotations

import csv
import io
from functools import cache

from evenhand.results.content import Content
from evenhand.results.grid import said
from evenhand.results.text import csv_cell


def written(content: Content, digits: int = 4) -> str:
    """Every number in all its digits; undefined and unknown ones are empty."""
    grid, out = content.data(), io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(grid.columns)
    safe = cache(csv_cell)  # labels and signatures stand in many rows
    for row in grid.rows:
        writer.writerow(
            [
                safe(c)
                if isinstance(c, str)
                else ""
                if c is None or c != c
                else repr(c)
                if isinstance(c, int | float)
                else safe(said(c, digits))
                for c in row
            ]
        )
    return out.getvalue().rstrip("\n")
