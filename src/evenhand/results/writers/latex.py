"""LaTeX: booktabs tables that a paper can take as they are, words as comments above them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from evenhand.results.cells import Looks, Own
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
from evenhand.results.grid import Grid, said
from evenhand.results.paper import titled
from evenhand.results.sentence import Sentence
from evenhand.results.sentence import said as in_parts
from evenhand.results.tex import latex, sentence

MOST = 100
"""Rows of a table that a page holds."""
COLUMN = 44
"""Characters that a column of a two-column paper holds."""
PAGE = 66
"""Characters that a column of a one-column paper holds."""
PARAGRAPH = 32
"""Characters of a text beyond which it is set as a paragraph."""
TALL = 32
"""Rows beyond which a table may be taller than a page."""
CLOSE = "2pt"
"""What stands free on either side of a column where columns are close together."""
GAP = 2.4
"""Characters that stand free between two columns."""
LOOKS: Looks = {"bold": r"\textbf{{{}}}", "underlined": r"\underline{{{}}}",
           "small": r"{{\scriptsize {}}}"}  # fmt: skip


def written(content: Content, digits: int = 4) -> str:
    """Every table (needs booktabs and graphicx), the footnote in the caption of the first."""
    parts, signed, heading = [_comment(content.title)], False, ""
    footnote = footed(content)
    for block in flat(titled(content).blocks):
        if isinstance(block, Sheet):
            named = replace(block, name=block.name or heading)
            parts.append(table(named, digits, [] if signed else footnote))
            signed = True
        else:
            parts += list(map(_comment, _words(block)))
        heading = block.text if isinstance(block, Heading) else ""
    parts += [] if signed else [f"% {line}" for line in footnote]
    parts[1:1] = [_comment(f"warning: {w}") for w in content.warnings]
    return "\n".join(["% " + r"\usepackage{booktabs,graphicx}"] * signed + parts)


def footed(content: Content) -> list[str]:
    """What a footnote says, escaped: the sentence, or the signature alone."""
    if content.footnote:
        return [sentence(content.footnote)]
    return [sentence(f"Signature: {content.signature}")] if content.signature else []


def escaped(text: str) -> str:
    """Text without commands; what a user has written for LaTeX as it is."""
    return text if isinstance(text, Own) else latex(text)


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


def table(block: Sheet, digits: int, footnote: Iterable[str] = ()) -> str:
    """One table, its name and notes in the caption, no wider than the column it stands in."""
    grid, more = block.shown(MOST)
    own = block.digits or digits
    told = [Sentence(block.name, ".") if block.name else "", block.note, f"{more}." if more else ""]
    caption = " ".join([*(in_parts(t, escaped) for t in told if t), *footnote])
    sizes = _sizes(grid, own)
    lines = grid.written(own, escaped, LOOKS)
    ems = _paragraphs(sizes)
    cells = [map(_cell, line, ems) for line in lines]
    rows = [_guarded(" & ".join(row)) + r" \\" for row in cells]
    align = "".join("r" if right else "l" for right in grid.rights)
    body = [r"\toprule", rows[0], r"\midrule", *rows[1:], r"\bottomrule"]
    wide = sum(min(size, PARAGRAPH) + GAP for size in sizes) > COLUMN
    captioned = [rf"\caption{{{caption}}}", r"\smallskip"] if caption else []
    sloppy = [r"\sloppy"] if len(caption) > PAGE else []
    fitted = _fitted(body, align, wide, len(rows) > TALL)
    return "\n".join(
        [r"\begin{table}", r"\centering", *sloppy, *captioned, *fitted, r"\end{table}"]
    )


def _sizes(grid: Grid, digits: int) -> list[int]:
    """Characters of the longest cell of every column."""
    lines = [list(grid.columns), *([said(c, digits) for c in row] for row in grid.rows)]
    return [max(map(len, column)) for column in zip(*lines, strict=True)]


def _paragraphs(sizes: list[int]) -> list[float | None]:
    """The widths, in em, of the columns whose texts are set as paragraphs."""
    long = sum(size > PARAGRAPH for size in sizes)
    free = PAGE - sum(GAP + (size if size <= PARAGRAPH else 0) for size in sizes)
    each = max(free / long if long else 0, 0.75 * PARAGRAPH) / 2
    return [each if size > PARAGRAPH else None for size in sizes]


def _cell(text: str, em: float | None) -> str:
    if em is None or len(text) < 2 * em:
        return text
    return rf"\parbox[t]{{{em:.3g}em}}{{\raggedright {text}\strut}}"


def _fitted(body: list[str], align: str, wide: bool, tall: bool) -> list[str]:
    """A table as it is, or one that fits its column and page, which only TeX can measure.

    What is too wide has its columns closer together, in a ``tabular*`` as wide as the column;
    where that is not enough, or it is too high, it is made smaller.
    """
    if not wide and not tall:
        return [rf"\begin{{tabular}}{{{align}}}", *body, r"\end{tabular}"]
    column, page = r"\columnwidth", r"0.75\textheight"
    fits = [
        rf"\sbox0{{\begin{{tabular}}{{{align}}}\rows\end{{tabular}}}}",
        rf"\ifdim\wd0>{column}\setlength{{\tabcolsep}}{{{CLOSE}}}",
        rf"\sbox0{{\begin{{tabular}}{{@{{}}{align}@{{}}}}\rows\end{{tabular}}}}",
        rf"\ifdim\wd0>{column}\sbox0{{\resizebox{{{column}}}{{!}}{{\usebox0}}}}\else",
        rf"\sbox0{{\begin{{tabular*}}{{{column}}}{{@{{\extracolsep{{\fill}}}}{align}@{{}}}}\rows\end{{tabular*}}}}",
        r"\fi\fi",
    ]
    if tall:
        smaller = rf"\sbox0{{\resizebox*{{!}}{{{page}}}{{\usebox0}}}}"
        fits.append(rf"\ifdim\dimexpr\ht0+\dp0\relax>{page}{smaller}\fi")
    return [r"\def\rows{%", *body[:-1], body[-1] + "}", *fits, r"\usebox0"]


def _guarded(row: str) -> str:
    """A row that the line break before it does not take for its own star or argument."""
    return f"{{}}{row}" if row[:1] in ("[", "*") else row
