"""Markdown as GitHub reads it."""

from __future__ import annotations

from collections.abc import Iterable

from evenhand.results.document import (
    Block,
    Code,
    Content,
    FactList,
    Heading,
    KeyNumbers,
    Paragraph,
    Pictures,
    Section,
    Table,
)
from evenhand.text import Grid, Looks, in_lines, markdown

LOOKS: Looks = {"bold": "**{}**", "underlined": "<u>{}</u>", "small": "<sub>{}</sub>",
                "lowered": "<sub>{}</sub>"}  # fmt: skip
MOST = 60
"""Rows of a table that a reader is shown."""


def written(content: Content, digits: int = 4) -> str:
    """The title, then block by block; a report has the words of its pictures too."""
    parts = [f"# {markdown(content.title)}" if content.kind else f"**{markdown(content.title)}**"]
    shown = [b for b in content.parts if content.kind or not isinstance(b, Pictures)]
    parts += [part for block in shown for part in _block(block, digits)]
    parts += [markdown(content.footnote)] if content.footnote else []
    parts += [code(content.signature)] if content.signature else []
    return "\n\n".join(parts)


def _block(block: Block, digits: int) -> Iterable[str]:
    if isinstance(block, Section):
        yield f"## {markdown(block.title)}"
        for inner in block.blocks:
            yield from _block(inner, digits)
    elif isinstance(block, Paragraph):
        lines = [line.strip() for line in in_lines(block.text, markdown, "**{}**".format)]
        mark = MARKS.get(block.kind, "- " * (len(lines) > 1))
        yield "\n".join(mark + line for line in lines)
    elif isinstance(block, Heading):
        yield f"### {markdown(block.text)}"
    elif isinstance(block, Code):
        yield code(block.text)
    elif isinstance(block, Table):
        yield table(block, digits)
    elif isinstance(block, FactList | KeyNumbers):
        yield "\n".join(f"- **{markdown(name)}** {markdown(text)}" for name, text in block.pairs)
    elif isinstance(block, Pictures):
        for c in block.drawn():
            yield f"*{markdown(c.title)}.* {markdown(c.description)}"


MARKS = {"verdict": "> ", "headline": "> ", "warning": "> "}
"""Before a paragraph of a kind."""


def code(text: str) -> str:
    """A line as it is."""
    return f"`{text.replace('`', ' ')}`"


def table(block: Table, digits: int) -> str:
    """A table with what it shows above it, and what is missing below."""
    grid, below = block.shown(MOST)
    above = [f"**{markdown(block.name)}**"] if block.name else []
    notes = (markdown(text) for text in below)
    return "\n\n".join([*above, plain(grid, block.digits or digits), *notes])


def plain(grid: Grid, digits: int = 4) -> str:
    """A GitHub table."""
    lines = grid.written(digits, markdown, LOOKS)
    rule = ["---:" if right else "---" for right in grid.rights]
    return "\n".join(f"| {' | '.join(line)} |" for line in [lines[0], rule, *lines[1:]])
