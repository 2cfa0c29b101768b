"""Grid: columns and rows of a result, before anyone writes them down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from evenhand.results.cells import Cell, Looks, Shown
from evenhand.results.text import number


@dataclass(frozen=True)
class Grid:
    """Columns and rows; text columns stand left, numbers right."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]

    def right(self, column: int) -> bool:
        """Whether the column holds numbers and nothing else."""
        found = [r[column] for r in self.rows if r[column] is not None]
        return bool(found) and all(
            c.right if isinstance(c, Shown) else isinstance(c, int | float) for c in found
        )

    def cut(self, most: int) -> Grid:
        """Its first rows."""
        return self if len(self.rows) <= most else replace(self, rows=self.rows[:most])

    @property
    def rights(self) -> list[bool]:
        """Of every column, whether it holds numbers and nothing else."""
        return [self.right(j) for j in range(len(self.columns))]

    def written(
        self, digits: int, escape: Callable[[str], str], looks: Looks | None = None
    ) -> list[list[str]]:
        """All cells as escaped text, the header first; ``looks`` are those of its parts."""
        rows = ([written(c, digits, escape, looks) for c in row] for row in self.rows)
        return [[escape(c) for c in self.columns], *rows]


def written(
    cell: Cell, digits: int, escape: Callable[[str], str], looks: Looks | None = None
) -> str:
    """A cell as escaped text."""
    if looks is None or not isinstance(cell, Shown):
        return escape(said(cell, digits))
    parts = ((escape(text), look) for text, look in cell.parts(digits) if text)
    return "".join(looks.get(look, "{}").format(text) for text, look in parts)


def said(cell: Cell, digits: int) -> str:
    """A cell as text, nothing escaped yet."""
    if isinstance(cell, str):
        return cell
    return cell.text(digits) if isinstance(cell, Shown) else number(cell, digits)
