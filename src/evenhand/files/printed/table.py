"""PrintedTable: rows of cells as they stand in a document, under their caption."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evenhand.errors import InputError

WIDEST = 2_000
"""Columns that a table may have: beyond, something else was taken for one."""

_SPACES = re.compile(r"\s+")


@dataclass(frozen=True)
class PrintedTable:
    """Cells without mark-up; what spans several is in each of them.

    ``lines`` are the lines of the document that the rows begin on. ``heads`` are the rows that
    name columns, if the document tells, and ``spans`` those rows that are one cell all across.
    ``unread`` says why what looks like a table could not be read; it then has no rows.
    """

    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    lines: tuple[int, ...] = ()
    heads: int | None = None
    spans: frozenset[int] = frozenset()
    unread: str = ""

    @property
    def width(self) -> int:
        """How many columns it has."""
        return max((len(row) for row in self.rows), default=0)


@dataclass
class Cell:
    """A cell as a document has it: its text, the columns and the rows it takes."""

    text: str
    across: int = 1
    down: int = 1


def laid_out(
    rows: Sequence[tuple[int, Sequence[Cell]]],
    where: str,
    *,
    caption: str = "",
    heads: int | None = None,
    covered: bool = False,
) -> PrintedTable:
    """The rows, each with its line, with every cell at each place that it takes.

    ``covered``: a place below a cell that takes several rows still has a cell of its own, as in
    LaTeX; in HTML it has none. A cell that takes rows upwards has a negative ``down``.
    """
    found: list[list[str | None]] = [[] for _ in rows]
    spans = set()
    for i, (line, cells) in enumerate(rows):
        j = 0
        for cell in cells:
            while not covered and j < len(found[i]) and found[i][j] is not None:
                j += 1
            if j + cell.across > WIDEST:
                raise InputError(f"{where}, line {line}: expected at most {WIDEST:,} columns")
            up = range(i + cell.down + 1, i) if cell.down < 0 else range(0)
            down = range(i, min(i + max(cell.down, 1), len(rows)))
            for k in [k for k in (*up, *down) if k >= 0]:
                for m in range(j, j + cell.across):
                    found[k] += [None] * (m + 1 - len(found[k]))
                    if not found[k][m] or (k == i and cell.text):
                        found[k][m] = cell.text
            j += cell.across
        if len(cells) == 1 and cells[0].across > 1:
            spans.add(i)
    width = max(map(len, found), default=0)
    padded = tuple(tuple(t or "" for t in [*row, *[""] * (width - len(row))]) for row in found)
    lines = tuple(line for line, _ in rows)
    return PrintedTable(padded, caption, lines, heads, frozenset(spans))


def one_line(text: str) -> str:
    """The text with every run of white space as one space."""
    return _SPACES.sub(" ", text).strip()


def without_blank(tables: Iterable[PrintedTable]) -> list[PrintedTable]:
    """The tables with something in them or to say of, rows without anything left out."""
    found = []
    for table in tables:
        kept = [i for i, row in enumerate(table.rows) if any(cell.strip() for cell in row)]
        if not kept:
            found += [table] if table.unread else []
            continue
        heads = None if table.heads is None else sum(i < table.heads for i in kept)
        found.append(
            PrintedTable(
                tuple(table.rows[i] for i in kept),
                table.caption,
                tuple(table.lines[i] for i in kept),
                heads,
                frozenset(n for n, i in enumerate(kept) if i in table.spans),
            )
        )
    return found
