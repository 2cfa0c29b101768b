"""Grid: a table of results, and the ways to write one down."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Literal, TypeAlias

from evenhand.results import text
from evenhand.results.text import number, shortened, visible, width

Cell: TypeAlias = str | int | float | None
Style: TypeAlias = Literal["table", "csv", "markdown", "latex"]

NOTEBOOK_ROWS = 200
"""Rows that a notebook shows of a table: a hundred thousand would freeze the browser."""


@dataclass(frozen=True)
class Grid:
    """Columns and rows; text columns stand left, numbers right."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    notes: Sequence[str] = field(default_factory=tuple)

    def numeric(self, column: int) -> bool:
        """Whether the column holds numbers."""
        return any(isinstance(r[column], int | float) for r in self.rows) and not any(
            isinstance(r[column], str) for r in self.rows
        )

    def beside(self, column: str, value: Cell) -> Grid:
        """The same with one more column that says the same in every row."""
        return replace(
            self, columns=[*self.columns, column], rows=[[*row, value] for row in self.rows]
        )

    def written(self, digits: int, escape: Callable[[str], str]) -> list[list[str]]:
        """All cells as escaped text, the header first."""
        head = [escape(c) for c in self.columns]
        return [head, *([_cell(c, digits, escape) for c in row] for row in self.rows)]


def _cell(value: Cell, digits: int, escape: Callable[[str], str]) -> str:
    return escape(value) if isinstance(value, str) else number(value, digits)


def plain(grid: Grid, digits: int = 4, label_width: int = 40) -> str:
    """Aligned columns, two spaces apart."""

    def fitted(s: str) -> str:
        return shortened(visible(s), label_width)

    lines = grid.written(digits, fitted)
    widths = [max(width(line[j]) for line in lines) for j in range(len(grid.columns))]
    right = [grid.numeric(j) for j in range(len(grid.columns))]
    out = []
    for line in lines:
        padded = [
            " " * (w - width(c)) + c if r else c + " " * (w - width(c))
            for c, w, r in zip(line, widths, right, strict=True)
        ]
        out.append("  ".join(padded).rstrip())
    return "\n".join(out)


def markdown(grid: Grid, digits: int = 4) -> str:
    """A GitHub table, with caption and notes around it."""
    lines = grid.written(digits, text.markdown)
    rule = ["---:" if grid.numeric(j) else "---" for j in range(len(grid.columns))]
    body = [f"| {' | '.join(line)} |" for line in [lines[0], rule, *lines[1:]]]
    above = [f"**{text.markdown(grid.caption)}**", ""] if grid.caption else []
    below = [line for note in grid.notes for line in ("", text.markdown(note))]
    return "\n".join([*above, *body, *below])


def latex(grid: Grid, digits: int = 4) -> str:
    """A booktabs table (needs ``\\usepackage{booktabs}``), notes in the caption."""
    lines = grid.written(digits, text.latex)
    align = "".join("r" if grid.numeric(j) else "l" for j in range(len(grid.columns)))
    caption = " ".join(text.latex(t) for t in [grid.caption, *grid.notes] if t)
    rows = [_guarded(" & ".join(line)) + r" \\" for line in lines]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            *([rf"\caption{{{caption}}}"] if caption else []),
            rf"\begin{{tabular}}{{{align}}}",
            r"\toprule",
            rows[0],
            r"\midrule",
            *rows[1:],
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    )


def _guarded(row: str) -> str:
    """A row that the line break before it does not take for its own star or argument."""
    return f"{{}}{row}" if row[:1] in ("[", "*") else row


def comma_separated(grid: Grid) -> str:
    """CSV with full precision; undefined and unknown numbers are empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(grid.columns)
    safe = cache(text.csv_cell)  # labels and signatures stand in many rows
    for row in grid.rows:
        writer.writerow(
            [safe(c) if isinstance(c, str) else "" if c is None or c != c else repr(c) for c in row]
        )
    return out.getvalue().rstrip("\n")


def to_pandas(grid: Grid) -> Any:
    """A pandas frame of the grid."""
    import pandas as pd

    return pd.DataFrame(grid.rows, columns=list(grid.columns))


def to_polars(grid: Grid, text: Sequence[str]) -> Any:
    """A Polars frame of the grid: the columns named are text, the others floats."""
    import polars as pl

    schema = {c: pl.String if c in text else pl.Float64 for c in grid.columns}
    rows = [[float(c) if isinstance(c, int) else c for c in row] for row in grid.rows]
    return pl.DataFrame(rows, schema=schema, orient="row")


def written(grid: Grid, style: str, digits: int = 4, label_width: int = 40) -> str:
    """The grid as ``--format`` names it: table, csv, markdown or latex."""
    if style == "csv":
        return comma_separated(grid)
    if style == "table":
        return plain(grid, digits, label_width)
    return {"markdown": markdown, "latex": latex}[style](grid, digits)


def html_table(grid: Grid, digits: int = 4) -> str:
    """A plain HTML table for notebooks, its first rows where there are many; all text escaped."""
    more = len(grid.rows) - NOTEBOOK_ROWS
    if more > 0:
        notes = [f"… and {more:,} more rows", *grid.notes]
        grid = replace(grid, rows=grid.rows[:NOTEBOOK_ROWS], notes=notes)
    lines = grid.written(digits, text.html_text)
    right = [
        ' style="text-align:right"' if grid.numeric(j) else "" for j in range(len(grid.columns))
    ]
    head = "".join(f"<th{r}>{c}</th>" for c, r in zip(lines[0], right, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{r}>{c}</td>" for c, r in zip(line, right, strict=True)) + "</tr>"
        for line in lines[1:]
    )
    caption = f"<caption>{text.html_text(grid.caption)}</caption>" if grid.caption else ""
    below = "".join(f"<p>{text.html_text(n)}</p>" for n in grid.notes)
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"
