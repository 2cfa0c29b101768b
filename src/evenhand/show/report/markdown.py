"""A report as Markdown for GitHub."""

from __future__ import annotations

from dataclasses import replace

from evenhand._version import __version__
from evenhand.results.grid import markdown as table
from evenhand.results.text import markdown as escaped
from evenhand.show.report.parts import Block, Code, Heading, Pictures, Report, Table, Words

MOST = 60
"""Rows of a table that Markdown shows; the page has all."""


def written(report: Report) -> str:
    """The report: the verdict quoted, then section by section; pictures as their words."""
    parts = [f"# {escaped(report.title)}", *(f"> {escaped(v)}" for v in report.verdict)]
    facts = [
        f"- **{escaped(f.name)}** {escaped(f.value)}"
        + (f" {escaped(f.detail)}" if f.detail else "")
        for f in report.facts
    ]
    parts.append("\n".join(facts))
    for section in report.sections:
        parts.append(f"## {escaped(section.title)}")
        parts += [_block(b) for b in section.blocks]
    parts.append(f"*evenhand {__version__}*")
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, Words):
        text = escaped(block.text)
        return f"> **Note:** {text}" if block.kind == "warning" else text
    if isinstance(block, Heading):
        return f"### {escaped(block.text)}"
    if isinstance(block, Code):
        return f"`{block.text.replace('`', ' ')}`"
    if isinstance(block, Table):
        rows = block.grid.rows
        grid = replace(block.grid, rows=rows[:MOST], caption=block.name, notes=())
        more = f"\n\n… and {len(rows) - MOST:,} more rows" if len(rows) > MOST else ""
        return table(grid, block.digits) + more
    assert isinstance(block, Pictures)
    return "\n\n".join(f"*{escaped(c.title)}.* {escaped(c.description)}" for c in block.charts)
