"""Plain text for a terminal: aligned columns, two spaces apart."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from itertools import chain, repeat
from typing import TextIO

from evenhand.results.document import (
    Block,
    Code,
    Content,
    FactList,
    Heading,
    KeyNumbers,
    Paragraph,
    Table,
    flat,
)
from evenhand.text import aligned, cell_text, folded, listed, visible, width


def terminal_columns(stream: TextIO | None) -> int | None:
    """The width to keep to: COLUMNS if it is set, else the terminal's; none for a pipe."""
    if os.environ.get("COLUMNS", "").isdigit():
        return max(int(os.environ["COLUMNS"]), 40)
    return shutil.get_terminal_size().columns if stream and stream.isatty() else None


def written(
    content: Content, digits: int = 4, *, fancy: bool = False, warnings: bool = True
) -> str:
    """The title, then block by block; ``fancy`` may be bold.

    ``warnings`` are left out where they go to another place.
    """

    columns, bold = terminal_columns(sys.stdout), "\x1b[1m{}\x1b[0m" if fancy else "{}"
    blocks = list(flat(content.blocks))
    parts = [bold.format("\n".join(folded(content.title, columns)))]
    heading = ""
    for block in blocks:
        if isinstance(block, Heading):
            heading = visible(block.text)
            continue
        body = _block(block, digits, columns)
        parts += [f"{bold.format(heading)}\n{body}" if heading else body] if body else []
        heading = "" if body else heading
    if warnings:
        parts += ["\n".join(folded(w, columns)) for w in content.warnings]
    signed = f"signature  {content.signature}" if content.signature else ""
    parts += [visible(content.footnote) or signed] if content.footnote or signed else []
    return "\n\n".join(parts)


def _block(block: Block, digits: int, columns: int | None) -> str:
    if isinstance(block, Paragraph):
        if block.kind == "headline":
            return ""  # its numbers begin the table below
        return "\n".join(chain(*map(folded, block.text.split("\n"), repeat(columns))))
    if isinstance(block, Table):
        return table(block, digits, columns)
    if isinstance(block, FactList | KeyNumbers):
        return facts(block.pairs, columns)
    if isinstance(block, Code):
        return visible(block.text)
    return ""  # a terminal shows the numbers that a picture shows


def table(block: Table, digits: int, columns: int | None) -> str:
    """A table with what it shows above it, and its notes below."""
    grid, below = block.shown()
    above = folded(block.name, columns) if block.name else []
    if columns is not None and not any(grid.columns) and len(grid.columns) == 2:
        pairs = [(cell_text(name, digits), cell_text(text, digits)) for name, text in grid.rows]
        return "\n".join([*above, facts(pairs, columns), *below])
    text, dropped = aligned(grid, block.digits or digits, block.wide, columns)
    if dropped:
        for sentence in filter(None, map(block.legend.get, dropped)):
            below = [line.replace(sentence, "").replace("  ", " ").strip() for line in below]
        hidden = f"not shown at {columns} columns: {listed(dropped, 12)} (COLUMNS=200 shows all)"
        below = [*filter(None, below), hidden]
    return "\n".join([*above, text, *chain(*map(folded, below, repeat(columns)))])


def facts(pairs: Sequence[tuple[str, str]], columns: int | None) -> str:
    """Names and what they are, a line each."""
    wide = max((width(visible(name)) for name, _ in pairs), default=0)
    lines = []
    for name, text in pairs:
        head = f"{visible(name)}{' ' * (wide - width(visible(name)))}  "
        lines += folded(head + text, columns, " " * (wide + 2))
    return "\n".join(line.rstrip() for line in lines)
