"""LaTeX: escaped text, and booktabs tables that a paper can take as they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import chain
from typing import Any, Literal, TypeAlias

from evenhand.catalogue.signature import formula_words
from evenhand.catalogue.spelling import Spec, brief, spec_of, spoken, title
from evenhand.errors import MetricError
from evenhand.results.document import (
    VERDICTS,
    Block,
    Code,
    Content,
    FactList,
    Heading,
    KeyNumbers,
    Paragraph,
    Section,
    Table,
    flat,
)
from evenhand.text import (
    MINUS,
    ExactCell,
    Grid,
    IntervalCell,
    LimitsCell,
    Looks,
    MetricName,
    RankedCell,
    Sentence,
    StarredCell,
    Term,
    cell_text,
    parts_of,
    visible,
)

_COMMANDS = (
    "pm mp times cdot leq geq approx neq infty surd surd times partial int in rightarrow "
    "leftarrow uparrow downarrow Rightarrow Leftrightarrow Uparrow Downarrow Sigma Pi Delta "
    "Lambda Phi alpha beta gamma theta kappa lambda mu nu pi rho phi chi"
)
_MATHS = dict(zip("±∓×·≤≥≈≠∞√✓✗∂∫∈→←↑↓⇒⇔⇑⇓ΣΠΔΛΦαβγθκλμνπρφχ", _COMMANDS.split(), strict=True))
"""Commands of mathematics by their signs."""
_SIGNS = {
    "\\": r"\textbackslash{}",
    **{c: f"\\{c}" for c in "{}$&#%_"},
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "“": "``",
    "”": "''",
    "‘": "`",
    **{c: f"{{{c}}}" for c in "[]*"},  # after a line's end LaTeX would read them as options
    "–": "--",
    "—": "---",
    MINUS: "$-$",
    "’": "'",
    "…": r"\dots{}",
    "§": r"\S{}",
    "½": r"$\frac12$",
    "′": "$'$",
    "Β": "B",
    "†": r"$^\dagger$",
    "ḡ": r"$\bar{g}$",
    **{c: f"$^{plain}$" for c, plain in zip("⁰¹²³⁴⁵⁶⁷⁸⁹ⁿᵖᵀ", "0123456789npT", strict=True)},
    **{c: f"$_{plain}$" for c, plain in zip("₁₂₋ᵢⱼ", "12-ij", strict=True)},
    **{c: rf"$\{name}$" for c, name in _MATHS.items()},
}
_LETTERS = (
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿĀāĂăĆćĈĉĊċČčĎďĒēĔĕĖėĚěĜĝĞğĠġĢģĤĥĨĩĪīĬĭ"
    "İıĴĵĶķĹĺĻļĽľŁłŃńŅņŇňŌōŎŏŐőŒœŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŨũŪūŬŭŮůŰűŴŵŶŷŸŹźŻżŽž"
)
"""Letters that every LaTeX sets as they are."""
_PARTS = re.compile(
    f"(?P<barred>[A-Za-z]\u0304)|(?P<foreign>[^\x00-\x7f{_LETTERS}{re.escape(''.join(_SIGNS))}]+)"
    "|(?P<word>(?:[!-~](?!\u0304))+)|(?P<rest>.)",
    re.DOTALL,
)
_OPENING = re.compile(r"""(?<![^(\[{/=])['"](?=.)""")
"""Quotation marks at the beginning of a word, or of what its marks part."""
LONG = 20
"""Characters from which on a word may break."""
STEP = 12
"""Characters of such a word after which it may break anywhere."""


def latex(text: str, *, long: int = LONG) -> str:
    """``text`` for LaTeX, nothing in it a command; words beyond ``long`` characters may break.

    A letter with a bar is one of mathematics. What pdflatex has no letter for stands as it is for
    engines that have one, and by its code point for pdflatex.

    >>> print(latex("50 % of −1"), latex("日本"), latex("called 'macro F1'"))
    50 \\% of $-$1 {\\ifdefined\\Umathchar 日本\\else U+65E5 U+672C\\fi} called `macro F1'
    """
    return "".join(_part(match, long) for match in _PARTS.finditer(visible(text)))


def sentence(text: str) -> str:
    """A footnote, whose signature may break where its fields end."""
    return latex(text.replace("|", "| "), long=2 * LONG).replace(_SIGNS["|"], "$|$")


def _part(match: re.Match[str], long: int) -> str:
    text = match[0]
    if match["barred"]:
        return rf"$\bar{{{text[0]}}}$"
    if match["foreign"]:
        codes = " ".join(f"U+{ord(c):04X}" for c in text)
        return rf"{{\ifdefined\Umathchar {text}\else {codes}\fi}}"
    if match["word"]:
        text = _OPENING.sub(lambda mark: "‘" if mark[0] == "'" else "“", text)
    if match["word"] and len(text) > long:
        return _breakable(text)
    return "".join(_SIGNS.get(c, c) for c in text)


def _breakable(word: str) -> str:
    """A long word, which may break behind its marks and every so many characters."""
    out, since = [], 0
    for c in word:
        out.append(_SIGNS.get(c, c))
        since += 1
        if c in "|,;/" or since == STEP:
            out.append(r"\allowbreak{}")
            since = 0
    return "".join(out)


# The tables of a paper: metrics by the names that people know.

Layout: TypeAlias = Literal["full", "paper"]
"""Everything there is to say, or the tables of a paper."""


def tabled(content: Content) -> Content:
    """The tables alone, those without a name under that of their heading."""
    return replace(content, blocks=list(_tables(content.blocks)))


def _tables(blocks: Iterable[Block]) -> Iterable[Table]:
    heading = ""
    for block in flat(blocks):
        if isinstance(block, Heading):
            heading = block.text
        elif isinstance(block, Table):
            yield block if block.name else replace(block, name=heading)
            heading = ""


def renamed(content: Content) -> Content:
    """Metrics by the titles that papers have for them, the first of those that are one number."""
    return of_sheets(content, lambda sheet: _called(sheet, _titled))


def _titled(name: MetricName) -> MetricName:
    return Term(title(name.spelled[0]), name.spelled[0])


def titled(content: Content) -> Content:
    """Metrics by what people call them, each of those that are one number."""

    def called(name: MetricName) -> str:
        first, *rest = map(brief, name.spelled)
        return MetricName(" = ".join([first, *map(spoken, rest)]))

    return of_sheets(content, lambda sheet: _called(sheet, called))


def of_sheets(content: Content, change: Callable[[Table], Table]) -> Content:
    """The same with every table changed."""

    def changed(block: Block) -> Block:
        if isinstance(block, Section):
            return replace(block, blocks=list(map(changed, block.blocks)))
        return change(block) if isinstance(block, Table) else block

    return replace(content, blocks=list(map(changed, content.blocks)))


_SCORE = re.compile(r"(?<!p [=<] )(?<![\d.,])[01]\.\d{3,4}(?!\d)")
"""A score in a sentence, and no p value."""
COUNTS = frozenset(["true", "predicted", "correct"])
"""Columns of a table of classes, where they may be weights."""
OTHERS = frozenset(["ratio", "threshold", "no class", "Spearman", "Kendall", "odds"])
"""Columns of numbers that are no scores and no shares."""


def in_percent(content: Content) -> Content:
    """Every score times 100, which the title says; other numbers as they are."""
    sheets = of_sheets(content, lambda sheet: replace(sheet, grid=_percent(sheet.grid)))
    blocks = [
        replace(b, text=_SCORE.sub(lambda m: f"{100 * float(m[0]):.{len(m[0]) - 4}f}", b.text))
        if isinstance(b, Paragraph) and b.kind in VERDICTS
        else b
        for b in sheets.blocks
    ]
    return replace(sheets, blocks=blocks, title=f"{content.title}, scores in percent")


def _percent(grid: Grid) -> Grid:
    others = OTHERS | COUNTS if set(grid.columns) > COUNTS else OTHERS
    metrics = (c for c in grid.columns if isinstance(c, MetricName))
    ranges: dict[str, bool] = {c: _bounded(c) for c in metrics}
    plain = any(ranges.values()) or not ranges
    heads = [ranges.get(c, plain and c not in others) for c in grid.columns]
    rows = []
    for row in grid.rows:
        scaled = all(_bounded(c) for c in row if isinstance(c, MetricName))
        rows.append([_times_100(c) if h and scaled else c for c, h in zip(row, heads, strict=True)])
    return replace(grid, rows=rows)


def _bounded(name: MetricName) -> bool:
    """Whether a metric is a share or a difference of shares, and no gain, count or ratio."""
    try:
        metric = Spec.parse(name.spelled[0]).metric
    except MetricError:
        return False
    return max(abs(metric.low), abs(metric.high)) <= 1


def _times_100(cell: Any) -> Any:
    if isinstance(cell, IntervalCell | RankedCell):
        x = cell.interval
        low, high = (None if end is None else 100 * end for end in (x.low, x.high))
        return replace(cell, interval=replace(x, value=100 * x.value, low=low, high=high))
    if isinstance(cell, StarredCell | ExactCell):
        return replace(cell, value=round(100 * cell.value, 12))
    if isinstance(cell, LimitsCell):
        return LimitsCell(*(None if x is None else 100 * x for x in (cell.low, cell.high)))
    return 100 * cell if isinstance(cell, float) else cell


def _called(sheet: Table, called: Callable[[MetricName], str]) -> Table:
    """A table whose name, headings and cells call the metrics otherwise."""

    def changed(part: Any) -> Any:
        is_name = isinstance(part, MetricName) and not isinstance(part, Term)
        return called(part) if is_name else part

    grid = sheet.grid
    columns, *rows = [list(map(changed, row)) for row in (grid.columns, *grid.rows)]
    name = Sentence(*map(changed, parts_of(sheet.name)))
    return replace(sheet, name=name, grid=replace(grid, columns=columns, rows=rows))


def spelled(name: Any) -> Any:
    """The one spelling of a metric; anything else, as a function of a user's own, as it is."""
    try:
        return str(Spec.parse(name)) if isinstance(name, str) else name
    except MetricError:
        return name


# The writer: booktabs tables, all other text as comments above them.

MOST = 100
"""Rows of a table that a page holds."""
COLUMN = 44
"""Characters that a column of a two-column paper holds."""
PAGE = 66
"""Characters that a column of a one-column paper holds."""
PARAGRAPH = 32
"""Characters of a text beyond which it is set as a paragraph."""
FIT = r"\resizebox{\ifdim\width>\columnwidth\columnwidth\else\width\fi}{!}{%"
"""Begins what is made smaller if it is wider than the column of text, which only TeX knows."""
GAP = 2.4
"""Characters that stand free between two columns."""
LOOKS: Looks = {"bold": r"\textbf{{{}}}", "underlined": r"\underline{{{}}}",
           "small": r"{{\scriptsize {}}}", "lowered": "$_{{{}}}$"}  # fmt: skip


def written(content: Content, digits: int = 4) -> str:
    """Every table (needs booktabs and graphicx), the footnote below the first of them."""
    parts, tables, heading, footnote = [_comment(content.title)], 0, "", content.footnote
    for block, original in zip(flat(titled(content).blocks), flat(content.blocks), strict=True):
        if isinstance(block, Table):
            tables += 1
            first = (content.caption, content.title) if tables == 1 else ("", "")
            name = first[0] or block.name or heading or first[1]
            label = content.label + f"-{tables}" * (tables > 1) if content.label else ""
            notes = [footnote] * bool(footnote) + [*_formulas(original, content.footnote)]
            parts.append(table(replace(block, name=name), digits, label, " ".join(notes)))
            footnote = ""
        else:
            parts += list(map(_comment, _words(block)))
        heading = block.text if isinstance(block, Heading) else ""
    signature = f"Signature: {content.signature}" if content.signature else ""
    signature = "" if content.footnote else signature
    parts += [f"% {sentence(text)}" for text in (footnote or signature,) if text]
    parts[1:1] = [_comment(w) for w in content.warnings]
    return "\n".join(["% " + r"\usepackage{booktabs,graphicx}"] * bool(tables) + parts)


def _formulas(sheet: Any, footnote: str) -> Iterable[str]:
    """The formulas behind names that several go by, but for the one in the footnote."""
    parts = chain(parts_of(sheet.name), sheet.grid.columns, *sheet.grid.rows)
    names = (name for part in parts if isinstance(part, MetricName) for name in part.spelled)
    for spec in filter(None, map(spec_of, dict.fromkeys(names))):
        called, formula = formula_words(spec)
        if "(" in called and called not in footnote:
            yield f"{called}: {formula}."


def _words(block: Block) -> Iterable[str]:
    if isinstance(block, Paragraph):
        yield from block.text.split("\n")
    elif isinstance(block, Heading | Code):
        yield block.text
    elif isinstance(block, FactList | KeyNumbers):
        yield from (f"{name}: {text}" for name, text in block.pairs)


def _comment(text: str) -> str:
    """A line that a paper may take by deleting the sign before it."""
    return f"% {latex(text)}".rstrip()


def table(block: Table, digits: int, label: str = "", footnote: str = "") -> str:
    """One table, its name and notes in the caption, no wider than the column it stands in."""
    grid, below = block.shown(MOST)
    decimals = block.digits or digits
    texts = [Sentence(block.name, ".") if block.name else "", *map(_ended, below)]
    caption = " ".join(latex(t) for t in texts if t)
    plain = [grid.columns, *([cell_text(c, decimals) for c in row] for row in grid.rows)]
    sizes = [max(map(len, column)) for column in zip(*plain, strict=True)]
    ems = _paragraphs(sizes)
    lines = [" & ".join(map(_cell, line, ems)) for line in grid.written(decimals, latex, LOOKS)]
    # A row must not begin as the star or the argument of the line break before it.
    rows = ["{}" * line.startswith(("[", "*")) + line + r" \\" for line in lines]
    align = "".join("r" if right else "l" for right in grid.rights)
    body = [r"\toprule", rows[0], r"\midrule", *rows[1:], r"\bottomrule"]
    captioned = [rf"\caption{{{caption}}}"] if caption else []
    captioned += [rf"\label{{{label}}}"] * bool(label) + [r"\smallskip"] * bool(caption or label)
    sloppy = [r"\sloppy"] if len(caption) > PAGE else []
    tabular = [rf"\begin{{tabular}}{{{align}}}", *body, r"\end{tabular}"]
    if sum(min(size, PARAGRAPH) + GAP for size in sizes) > COLUMN:
        tabular = [FIT, *tabular[:-1], tabular[-1] + "}"]
    if footnote:
        tabular += [rf"\par\smallskip{{\footnotesize\raggedright {sentence(footnote)}\par}}"]
    return "\n".join(
        [r"\begin{table}", r"\centering", *sloppy, *captioned, *tabular, r"\end{table}"]
    )


def _ended(text: str) -> str:
    return text if text.endswith((".", ")")) else Sentence(text, ".")


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
