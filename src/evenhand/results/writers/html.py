"""HTML for a notebook: words and tables, all text escaped, long tables cut."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from evenhand.results.content import (
    Block,
    Code,
    Content,
    Facts,
    Heading,
    Numbers,
    Pictures,
    Section,
    Sheet,
    Words,
)
from evenhand.results.grid import Grid
from evenhand.results.sentence import in_lines
from evenhand.results.text import html_text

MOST = 200
"""Rows that a notebook shows of a table: a hundred thousand would freeze the browser."""


def written(content: Content, digits: int = 4) -> str:
    """A piece of a page, without pictures."""
    parts = [f"<p><b>{html_text(content.title)}</b></p>"]
    parts += [_block(block, digits) for block in content.parts]
    parts += [f"<p><code>{html_text(content.signature)}</code></p>"] if content.signature else []
    return "".join(parts)


def _block(block: Block, digits: int) -> str:
    return _BLOCKS[type(block)](block, digits)


def _section(block: Section, digits: int) -> str:
    inner = "".join(_block(b, digits) for b in block.blocks)
    return f"<h3>{html_text(block.title)}</h3>{inner}"


def _words(block: Words, digits: int) -> str:
    of = "warning: " * (block.kind == "warning")
    lines = in_lines(block.text, html_text, "<b>{}</b>".format)
    return "".join(f"<p>{of}{line}</p>" for line in lines)


def facts(block: Facts | Numbers, digits: int = 4) -> str:
    """Names and what they are, as a list of definitions."""
    said = "".join(f"<dt>{html_text(n)}</dt><dd>{html_text(t)}</dd>" for n, t in block.of)
    return f"<dl>{said}</dl>"


def table(block: Sheet, digits: int) -> str:
    """A table with its name as caption."""
    grid, more = block.shown(MOST)
    caption = f"<caption>{html_text(block.name)}</caption>" if block.name else ""
    below = "".join(f"<p>{html_text(t)}</p>" for t in (more, block.note) if t)
    return plain(grid, block.digits or digits, caption) + below


def plain(grid: Grid, digits: int = 4, caption: str = "") -> str:
    """Rows and columns; ``caption`` is escaped already."""
    lines = grid.written(digits, html_text)
    right = [' style="text-align:right"' * r for r in grid.rights]
    head = "".join(f"<th{r}>{c}</th>" for c, r in zip(lines[0], right, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{r}>{c}</td>" for c, r in zip(line, right, strict=True)) + "</tr>"
        for line in lines[1:]
    )
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


_BLOCKS: dict[type, Callable[[Any, int], str]] = {
    Section: _section,
    Words: _words,
    Heading: lambda block, digits: f"<h4>{html_text(block.text)}</h4>",
    Code: lambda block, digits: f"<p><code>{html_text(block.text)}</code></p>",
    Sheet: table,
    Facts: facts,
    Numbers: facts,
    Pictures: lambda block, digits: "",
}
