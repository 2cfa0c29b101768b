"""HTML for a notebook: words and tables, all text escaped, long tables cut."""

from __future__ import annotations

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
    if isinstance(block, Section):
        inner = "".join(_block(b, digits) for b in block.blocks)
        return f"<h3>{html_text(block.title)}</h3>{inner}"
    if isinstance(block, Words):
        of = "warning: " * (block.kind == "warning")
        return "".join(f"<p>{of}{html_text(line)}</p>" for line in block.text.split("\n"))
    if isinstance(block, Heading):
        return f"<h4>{html_text(block.text)}</h4>"
    if isinstance(block, Code):
        return f"<p><code>{html_text(block.text)}</code></p>"
    if isinstance(block, Sheet):
        return table(block, digits)
    if isinstance(block, Facts | Numbers):
        return facts(block)
    assert isinstance(block, Pictures)
    return ""


def facts(block: Facts | Numbers) -> str:
    """Names and what they are, as a list of definitions."""
    rows = block.of if isinstance(block, Facts) else [
        (f.name, f"{f.value} {f.detail}".strip()) for f in block.facts
    ]  # fmt: skip
    said = "".join(f"<dt>{html_text(n)}</dt><dd>{html_text(t)}</dd>" for n, t in rows)
    return f"<dl>{said}</dl>"


def table(block: Sheet, digits: int) -> str:
    """A table with its name as caption."""
    most = MOST if block.most is None else min(block.most, MOST)
    shown = Sheet(block.grid, most=most, rows=block.rows)
    caption = f"<caption>{html_text(block.name)}</caption>" if block.name else ""
    below = "".join(f"<p>{html_text(t)}</p>" for t in (shown.more, block.note) if t)
    return plain(block.grid.cut(most), block.digits or digits, caption) + below


def plain(grid: Grid, digits: int = 4, caption: str = "") -> str:
    """Rows and columns; ``caption`` is escaped already."""
    lines = grid.written(digits, html_text)
    right = [' style="text-align:right"' if grid.right(j) else "" for j in range(len(grid.columns))]
    head = "".join(f"<th{r}>{c}</th>" for c, r in zip(lines[0], right, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{r}>{c}</td>" for c, r in zip(line, right, strict=True)) + "</tr>"
        for line in lines[1:]
    )
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
