"""HTML for a notebook: words and tables, all text escaped, long tables cut."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from evenhand.results.document import (
    Block,
    Code,
    Content,
    ExactCell,
    FactList,
    Grid,
    Heading,
    KeyNumbers,
    Looks,
    Paragraph,
    Pictures,
    Section,
    Table,
)
from evenhand.text import html_text, in_lines

LOOKS: Looks = {
    "bold": "<b>{}</b>",
    "underlined": "<u>{}</u>",
    "small": "<small>{}</small>",
    "marked": "<mark>{}</mark>",
}
SHORT = 60
"""Characters of a signature that need not fold."""
WRAPPED = "white-space:normal;overflow-wrap:anywhere"
KEPT = "white-space:normal;overflow-wrap:normal"
LONG = 20
"""Words beyond so many characters break where they must, so that nothing scrolls sideways."""
MOST = 200
"""Rows that a notebook shows of a table: a hundred thousand would freeze the browser."""


def written(content: Content, digits: int = 4) -> str:
    """A piece of a page, without pictures."""
    parts = [f"<p><b>{html_text(content.title)}</b></p>"]
    parts.append(_blocks(content.parts, digits))
    parts += [f"<p>{html_text(content.footnote)}</p>"] if content.footnote else []
    parts += [folded(content.signature)] if content.signature else []
    return f'<div style="{WRAPPED}">{"".join(parts)}</div>'


def _blocks(blocks: Iterable[Block], digits: int) -> str:
    return "".join(_BLOCKS[type(block)](block, digits) for block in blocks)


def folded(signature: str) -> str:
    """A signature that does not stand in the way; short ones are in view."""
    code = f'<code style="{WRAPPED}">{html_text(signature)}</code>'
    if len(signature) <= SHORT:
        return f"<p>{code}</p>"
    return f"<details><summary>signature</summary>{code}</details>"


def _words(block: Paragraph, digits: int) -> str:
    prefix = "warning: " * (block.kind == "warning")
    lines = in_lines(block.text, html_text, "<b>{}</b>".format)
    return "".join(f"<p>{prefix}{line}</p>" for line in lines)


def facts(block: FactList | KeyNumbers, digits: int = 4) -> str:
    """Names and what they are, as a list of definitions."""
    terms = "".join(f"<dt>{html_text(n)}</dt><dd>{html_text(t)}</dd>" for n, t in block.pairs)
    return f"<dl>{terms}</dl>"


def table(block: Table, digits: int) -> str:
    """A table with its name as caption."""
    grid, more = block.shown(MOST)
    caption = f"<caption>{html_text(block.name)}</caption>" if block.name else ""
    below = "".join(f"<p>{html_text(t)}</p>" for t in (more, block.note) if t)
    return plain(grid, block.digits or digits, caption) + below


def plain(grid: Grid, digits: int = 4, caption: str = "") -> str:
    """Rows and columns, no number with all its digits; ``caption`` is escaped already."""
    rows = [[c.value if isinstance(c, ExactCell) else c for c in row] for row in grid.rows]
    lines = replace(grid, rows=rows).written(digits, html_text, LOOKS)
    sides = ["right" if right else "left" for right in grid.rights]
    columns = zip(sides, zip(*lines[1:], strict=True), strict=False)
    cells = [_styled("td", side, column) for side, column in columns]
    head = "".join(
        f"{_styled('th', side, [c])}{c}</th>" for side, c in zip(sides, lines[0], strict=True)
    )
    body = "".join(
        "<tr>" + "".join(f"{td}{c}</td>" for td, c in zip(cells, line, strict=True)) + "</tr>"
        for line in lines[1:]
    )
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _styled(tag: str, side: str, texts: Iterable[str]) -> str:
    """The tag that opens a cell of a column: long words in it break where they must."""
    long = any(len(word) > LONG for text in texts for word in text.split())
    return f'<{tag} style="text-align:{side};{WRAPPED if long else KEPT}">'


_BLOCKS: dict[type, Callable[[Any, int], str]] = {
    Section: lambda block, digits: (
        f"<h3>{html_text(block.title)}</h3>{_blocks(block.blocks, digits)}"
    ),
    Paragraph: _words,
    Heading: lambda block, digits: f"<h4>{html_text(block.text)}</h4>",
    Code: lambda block, digits: f"<p><code>{html_text(block.text)}</code></p>",
    Table: table,
    FactList: facts,
    KeyNumbers: facts,
    Pictures: lambda block, digits: "",
}
