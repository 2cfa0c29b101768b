"""LaTeX: escaped text, and booktabs tables that a paper can take as they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from evenhand.catalogue.spelling import Spec, brief, spoken, title
from evenhand.errors import InputError, MetricError, shown
from evenhand.results.document import (
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
    FormattedName,
    Grid,
    IntervalCell,
    LimitsCell,
    Looks,
    MetricName,
    RankedCell,
    Sentence,
    cell_text,
    escape_parts,
    joined,
    parts_of,
    visible,
)

_MATHS = (
    "pm mp times cdot leq geq approx neq infty surd surd times partial int in rightarrow "
    "leftarrow uparrow downarrow Rightarrow Leftrightarrow Uparrow Downarrow Sigma Pi Delta "
    "Lambda Phi alpha beta gamma theta kappa lambda mu nu pi rho phi chi"
)
"""Commands of mathematics, in the order of their signs below."""
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
    MINUS: "-",
    "’": "'",
    "…": r"\dots{}",
    "§": r"\S{}",
    "½": r"$\frac12$",
    "′": "$'$",
    "Β": "B",
    "†": r"$^\dagger$",
    "ḡ": r"$\bar{g}$",
    **{
        raised: f"$^{plain}$"
        for raised, plain in zip("⁰¹²³⁴⁵⁶⁷⁸⁹ⁿᵖᵀ", "0123456789npT", strict=True)
    },
    **{lowered: f"$_{plain}$" for lowered, plain in zip("₁₂₋ᵢⱼ", "12-ij", strict=True)},
    **{
        sign: rf"$\{name}$"
        for sign, name in zip(
            "±∓×·≤≥≈≠∞√✓✗∂∫∈→←↑↓⇒⇔⇑⇓ΣΠΔΛΦαβγθκλμνπρφχ",
            _MATHS.split(),
            strict=True,
        )
    },
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
    50 \\% of -1 {\\ifdefined\\Umathchar 日本\\else U+65E5 U+672C\\fi} called `macro F1'
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


def renamed(content: Content, names: Mapping[str, str], *, titles: bool) -> Content:
    """Metrics under the ``names`` given, the others by their ``titles`` or as they are spelled.

    A note at each table says which metric has which of these names.
    """
    known = {spelled(name): text for name, text in names.items()}
    metrics = [name for sheet in content.sheets for name in _metrics(sheet)]
    strange = [name for name in known if name not in metrics]
    if strange:
        there = f"of the metrics shown here, {shown(dict.fromkeys(metrics), 12)}"
        raise InputError(f"names must be {there}, got {shown(strange)}")

    def called(name: MetricName) -> str:
        first = next((known[n] for n in name.spelled if n in known), None)
        if first is not None:
            return FormattedName(first)
        return title(name.spelled[0]) if titles else name

    def linked(sheet: Table) -> Table:
        names_here = [m for m in _metrics(sheet) if m in known]
        if not names_here:
            return sheet
        each = (Sentence(FormattedName(known[m]), " is ", spoken(title(m))) for m in names_here)
        note = Sentence(*[f"{sheet.note} "] * bool(sheet.note), joined("; ", each), ".")
        return replace(sheet, note=note)

    return of_sheets(content, lambda sheet: _called(linked(sheet), called))


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


_SCORE = re.compile(r"(?<!p [=<] )(?<![\d.,])[01]\.\d{4}(?!\d)")
"""A score in a sentence, and no p value."""
SCORES = frozenset(
    [
        "value",
        "low",
        "high",
        "interval",
        "precision",
        "recall",
        "F1",
        "difference",
        "gap",
        "corrected",
    ]
)
"""Columns of scores, beside those that a metric heads."""


def in_percent(content: Content) -> Content:
    """Every score times 100, which the title says; other numbers as they are."""
    sheets = of_sheets(content, lambda sheet: replace(sheet, grid=_percent(sheet.grid)))
    blocks = [
        replace(b, text=_SCORE.sub(lambda m: f"{100 * float(m[0]):.2f}", b.text))
        if isinstance(b, Paragraph) and b.kind == "verdict"
        else b
        for b in sheets.blocks
    ]
    return replace(sheets, blocks=blocks, title=f"{content.title}, scores in percent")


def _percent(grid: Grid) -> Grid:
    heads = [_bounded(c) if isinstance(c, MetricName) else c in SCORES for c in grid.columns]
    rows = []
    for row in grid.rows:
        metrics = [c for c in row if isinstance(c, MetricName)]
        scaled = all(map(_bounded, metrics))
        rows.append([_times_100(c) if h and scaled else c for c, h in zip(row, heads, strict=True)])
    return replace(grid, rows=rows)


def _bounded(name: MetricName) -> bool:
    """Whether a metric is a share or a difference of shares, and no gain, count or ratio."""
    try:
        metric = Spec.parse(name.spelled[0]).metric
    except MetricError:
        return False
    return max(abs(metric.low), abs(metric.high)) == 1


def _times_100(cell: Any) -> Any:
    if isinstance(cell, IntervalCell | RankedCell):
        x = cell.interval
        low, high = (None if end is None else 100 * end for end in (x.low, x.high))
        return replace(cell, interval=replace(x, value=100 * x.value, low=low, high=high))
    if isinstance(cell, LimitsCell):
        return LimitsCell(*(None if x is None else 100 * x for x in (cell.low, cell.high)))
    return 100 * cell if isinstance(cell, float) else cell


def _called(sheet: Table, called: Callable[[MetricName], str]) -> Table:
    """A table whose name, headings and cells call the metrics otherwise."""

    def changed(part: Any) -> Any:
        return called(part) if isinstance(part, MetricName) else part

    grid = sheet.grid
    columns, *rows = [list(map(changed, row)) for row in (grid.columns, *grid.rows)]
    name = Sentence(*map(changed, parts_of(sheet.name)))
    return replace(sheet, name=name, grid=replace(grid, columns=columns, rows=rows))


def _metrics(sheet: Table) -> list[str]:
    """The metrics that a table names."""
    grid = sheet.grid
    cells = (*parts_of(sheet.name), *grid.columns, *(cell for row in grid.rows for cell in row))
    metrics = (cell for cell in cells if isinstance(cell, MetricName))
    return list(dict.fromkeys(name for metric in metrics for name in metric.spelled))


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
        if isinstance(block, Table):
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
    return text if isinstance(text, FormattedName) else latex(text)


def _words(block: Block) -> Iterable[str]:
    if isinstance(block, Paragraph):
        yield from block.text.split("\n")
    elif isinstance(block, Heading | Code):
        yield block.text
    elif isinstance(block, FactList | KeyNumbers):
        yield from (f"{name}: {text}" for name, text in block.pairs)


def _comment(text: str) -> str:
    """A line that a paper may take by deleting the sign before it."""
    return f"% {escaped(text)}".rstrip()


def table(block: Table, digits: int, footnote: Iterable[str] = ()) -> str:
    """One table, its name and notes in the caption, no wider than the column it stands in."""
    grid, below = block.shown(MOST)
    decimals = block.digits or digits
    texts = [Sentence(block.name, ".") if block.name else "", *map(_ended, below)]
    caption = " ".join([*(escape_parts(t, escaped) for t in texts if t), *footnote])
    plain = [grid.columns, *([cell_text(c, decimals) for c in row] for row in grid.rows)]
    sizes = [max(map(len, column)) for column in zip(*plain, strict=True)]
    ems = _paragraphs(sizes)
    lines = [" & ".join(map(_cell, line, ems)) for line in grid.written(decimals, escaped, LOOKS)]
    # A row must not begin as the star or the argument of the line break before it.
    rows = ["{}" * line.startswith(("[", "*")) + line + r" \\" for line in lines]
    align = "".join("r" if right else "l" for right in grid.rights)
    body = [r"\toprule", rows[0], r"\midrule", *rows[1:], r"\bottomrule"]
    wide = sum(min(size, PARAGRAPH) + GAP for size in sizes) > COLUMN
    captioned = [rf"\caption{{{caption}}}", r"\smallskip"] if caption else []
    sloppy = [r"\sloppy"] if len(caption) > PAGE else []
    fitted = _fitted(body, align, wide, len(rows) > TALL)
    return "\n".join(
        [r"\begin{table}", r"\centering", *sloppy, *captioned, *fitted, r"\end{table}"]
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
