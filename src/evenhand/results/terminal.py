"""Plain text for a terminal: aligned columns, two spaces apart."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from evenhand.results.document import (
    Block,
    Code,
    Content,
    FactList,
    Grid,
    Heading,
    KeyNumbers,
    Looks,
    Paragraph,
    Table,
    flat,
)
from evenhand.text import shortened, visible, width

LOOKS: Looks = {"bold": "*{}*", "underlined": "_{}_"}
COLUMNS = 100
"""Where sentences break."""


def written(
    content: Content, digits: int = 4, *, fancy: bool = False, warnings: bool = True
) -> str:
    """The title, then block by block; ``fancy`` may be bold.

    ``warnings`` are left out where they go to another place.
    """

    def bold(text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if fancy else text

    parts = [bold(visible(content.title))]
    heading = ""
    for block in flat(content.blocks):
        if isinstance(block, Heading):
            heading = visible(block.text)
            continue
        body = _block(block, digits)
        parts += [f"{bold(heading)}\n{body}" if heading else body] if body else []
        heading = "" if body else heading
    if warnings:
        parts += ["\n".join(_wrapped(f"warning: {w}")) for w in content.warnings]
    signed = f"signature  {content.signature}" if content.signature else ""
    parts += [visible(content.footnote) or signed] if content.footnote or signed else []
    return "\n\n".join(parts)


def _block(block: Block, digits: int) -> str:
    if isinstance(block, Paragraph):
        return "\n".join(line for part in block.text.split("\n") for line in _wrapped(part))
    if isinstance(block, Table):
        return table(block, digits)
    if isinstance(block, FactList | KeyNumbers):
        return facts(block.pairs)
    if isinstance(block, Code):
        return visible(block.text)
    return ""  # a terminal shows the numbers that a picture shows


def table(block: Table, digits: int) -> str:
    """A table with what it shows above it and how much is missing below."""
    grid, more = block.shown()
    text = plain(grid, block.digits or digits, block.wide)
    above = f"{visible(block.name)}\n" if block.name else ""
    below = [visible(t) for t in (more, block.note) if t]
    return "\n".join([above + text, *(line for t in below for line in _wrapped(t))])


def plain(grid: Grid, digits: int = 4, label_width: int = 40) -> str:
    """Aligned columns; text columns stand left, numbers right; a header of nothing is left out."""

    def fitted(s: str) -> str:
        return shortened(visible(s), label_width)

    lines = grid.written(digits, fitted, LOOKS)
    widths = [max(map(width, column)) for column in zip(*lines, strict=True)]
    out, right = [], grid.rights
    for line in lines if any(grid.columns) else lines[1:]:
        padded = [
            " " * (w - width(c)) + c if r else c + " " * (w - width(c))
            for c, w, r in zip(line, widths, right, strict=True)
        ]
        out.append("  ".join(padded).rstrip())
    return "\n".join(out)


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """Names and what they are, a line each."""
    wide = max((width(visible(name)) for name, _ in pairs), default=0)
    return "\n".join(
        f"{visible(name)}{' ' * (wide - width(visible(name)))}  {visible(text)}".rstrip()
        for name, text in pairs
    )


def _wrapped(text: str) -> list[str]:
    """A sentence over lines, those that continue it set in as it is."""
    inset = text[: len(text) - len(text.lstrip(" "))]
    joined = visible(text).replace(" %", "\xa0%")  # a sign that begins no line
    lines = textwrap.wrap(
        joined,
        COLUMNS,
        subsequent_indent=inset + "  " * bool(inset),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace("\xa0%", " %") for line in lines] or [""]
