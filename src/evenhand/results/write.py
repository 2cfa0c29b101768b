"""Write: content in any format, by the writer of that format."""

from __future__ import annotations

from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.results.content import Content, Words
from evenhand.results.grid import Grid
from evenhand.results.json import dumps
from evenhand.results.text import html_text, markdown, visible

WRITERS = {
    "table": "terminal",
    "csv": "comma",
    "markdown": "markdown",
    "latex": "latex",
    "html": "page",
    "notebook": "html",
}
"""Each format and the module that writes it."""

ENDINGS = {
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
    ".txt": "table",
}

DIGITS = range(18)
"""Decimals that a number may be written with, as on the command line."""


def text(content: Content, style: str, digits: int = 4, **how: Any) -> str:
    """The content as ``--format`` names it."""
    if digits not in DIGITS:
        raise InputError(f"digits must be a whole number from 0 to {DIGITS[-1]}, got {digits!r}")
    writer = import_module(f"evenhand.results.writers.{WRITERS[style]}")
    written: str = writer.written(content, digits, **how)
    return written


def alone(sentence: str, style: str) -> str:
    """A sentence alone, as the format writes text; a program gets it as a value."""
    if style == "json":
        return dumps({"footnote": sentence})
    if style == "latex":
        from evenhand.results import tex

        return tex.sentence(sentence)
    escape = {"markdown": markdown, "html": html_text}.get(style, visible)
    return escape(sentence)


def line(content: Content) -> str:
    """What it is and what it comes to, in a line."""
    first = next((b for b in content.blocks if isinstance(b, Words) and b.kind == "verdict"), None)
    said = [content.title, *(first.text.splitlines()[:1] if first else ())]
    return visible("; ".join(said))


def style_of(path: str | PathLike[str]) -> str:
    """The format that a file's ending asks for."""
    name = Path(fspath(path))
    if name.suffix.lower() not in ENDINGS:
        raise InputError(f"a result must end in one of {', '.join(ENDINGS)}, got {name.name!r}")
    return ENDINGS[name.suffix.lower()]


def whole_text(text: str, path: str | PathLike[str]) -> None:
    """The text in a file, whole or not at all."""
    from evenhand.files.whole import whole

    with whole(path) as part:
        part.write_text(text.rstrip("\n") + "\n", encoding="utf-8")


def pandas(content: Content) -> Any:
    """A pandas frame of the data: numbers as floats, unknown ones NaN."""
    import pandas as pd

    grid = content.data()
    frame = pd.DataFrame(list(map(list, grid.rows)), columns=list(grid.columns))
    return frame.astype(dict.fromkeys(_numbers(grid), float))


def polars(content: Content) -> Any:
    """A Polars frame of the data."""
    import polars as pl

    grid = content.data()
    numbers = _numbers(grid)
    schema = {c: pl.Float64 if c in numbers else pl.String for c in grid.columns}
    rows = [[float(c) if isinstance(c, int) else c for c in row] for row in grid.rows]
    return pl.DataFrame(rows, schema=schema, orient="row")


def _numbers(grid: Grid) -> set[str]:
    return {
        c for j, c in enumerate(grid.columns) if not any(isinstance(r[j], str) for r in grid.rows)
    }
