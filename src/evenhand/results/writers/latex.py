"""LaTeX: booktabs tables that a paper can take as they are, words as comments above them."""

from __future__ import annotations

from collections.abc import Iterable

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
from evenhand.results.text import latex as escaped

MOST = 100
"""Rows of a table that a page holds."""


def written(content: Content, digits: int = 4) -> str:
    """Every table (needs ``\\usepackage{booktabs}``), the signature in the first one's caption."""
    parts, signed = [_comment(content.title)], False
    for block in flat(content.blocks):
        if isinstance(block, Sheet):
            caption = [f"Signature: {content.signature}"] * (bool(content.signature) > signed)
            parts.append(table(block, digits, caption))
            signed = True
        else:
            parts += list(map(_comment, _words(block)))
    if content.signature and not signed:
        parts.append(_comment(f"signature: {content.signature}"))
    parts[1:1] = [_comment(f"warning: {w}") for w in content.warnings]
    return "\n".join(parts)


def _words(block: Block) -> Iterable[str]:
    if isinstance(block, Words):
        yield from block.text.split("\n")
    elif isinstance(block, Heading | Code):
        yield block.text
    elif isinstance(block, Facts | Numbers):
        yield from (f"{name}: {text}" for name, text in block.of)


def _comment(text: str) -> str:
    """A line that a paper may take by deleting the sign before it."""
    return f"% {escaped(text)}".rstrip()


def table(block: Sheet, digits: int, captions: Iterable[str] = ()) -> str:
    """One table, its name and notes in the caption."""
    grid, more = block.shown(MOST)
    lines = grid.written(block.digits or digits, escaped)
    align = "".join("r" if right else "l" for right in grid.rights)
    said = [f"{block.name}." if block.name else "", block.note, f"{more}." if more else ""]
    caption = " ".join(escaped(t) for t in [*said, *captions] if t)
    rows = [_guarded(" & ".join(line)) + r" \\" for line in lines]
    head = [r"\begin{table}", r"\centering", *([rf"\caption{{{caption}}}"] if caption else [])]
    head += [rf"\begin{{tabular}}{{{align}}}", r"\toprule", rows[0], r"\midrule"]
    return "\n".join([*head, *rows[1:], r"\bottomrule", r"\end{tabular}", r"\end{table}"])


def _guarded(row: str) -> str:
    """A row that the line break before it does not take for its own star or argument."""
    return f"{{}}{row}" if row[:1] in ("[", "*") else row
