"""Text for a terminal: aligned columns, two spaces apart."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from evenhand.results.cells import Looks
from evenhand.results.content import (
    Block,
    Code,
    Content,
    Facts,
    Heading,
    Numbers,
    Sheet,
    Words,
    flat,
)
from evenhand.results.grid import Grid
from evenhand.results.text import shortened, visible, width

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
        said = _block(block, digits)
        parts += [f"{bold(heading)}\n{said}" if heading else said] if said else []
        heading = "" if said else heading
    if warnings:
        parts += ["\n".join(_wrapped(f"warning: {w}")) for w in content.warnings]
    signed = f"signature  {content.signature}" if content.signature else ""
    parts += [visible(content.footnote) or signed] if content.footnote or signed else []
    return "\n\n".join(parts)


def _block(block: Block, digits: int) -> str:
    if isinstance(block, Words):
        return "\n".join(line for part in block.text.split("\n") for line in _wrapped(part))
    if isinstance(block, Sheet):
        return table(block, digits)
    if isinstance(block, Facts | Numbers):
        return facts(block.of)
    if isinstance(block, Code):
        return visible(block.text)
    return ""  # a terminal shows the numbers that a picture shows


def table(block: Sheet, digits: int) -> str:
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


def facts(of: Sequence[tuple[str, str]]) -> str:
    """Names and what they are, a line each."""
    wide = max((width(visible(name)) for name, _ in of), default=0)
    return "\n".join(
        f"{visible(name)}{' ' * (wide - width(visible(name)))}  {visible(text)}".rstrip()
        for name, text in of
    )


def _wrapped(text: str) -> list[str]:
    """A sentence over lines, those that continue it set in as it is."""
    inset = text[: len(text) - len(text.lstrip(" "))]
    whole = visible(text).replace(" %", "\xa0%")  # a sign that begins no line
    lines = textwrap.wrap(
        whole,
        COLUMNS,
        subsequent_indent=inset + "  " * bool(inset),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace("\xa0%", " %") for line in lines] or [""]
