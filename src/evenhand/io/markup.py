"""Tables in HTML, LaTeX and Markdown."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from evenhand.errors import InputError
from evenhand.io.printed_tables import WIDEST, Cell, PrintedTable, laid_out, one_line

_UNREAD = ("script", "style", "sup", "template", "del", "noscript")
_PARTS = ("br", "p", "div", "li")


@dataclass
class _HtmlTable:
    """A table that is being read: its rows, how many name columns, and where text belongs."""

    rows: list[tuple[int, list[Cell]]] = field(default_factory=list)
    heads: int | None = None
    caption: Cell = field(default_factory=lambda: Cell(""))
    into: Cell | None = None
    in_head: bool = False

    def printed(self, where: str) -> PrintedTable:
        """The table that was read."""
        for cell in (self.caption, *(cell for _, row in self.rows for cell in row)):
            cell.text = one_line(cell.text)
        heads = len(self.rows) if self.heads is None else self.heads
        return laid_out(self.rows, where, caption=self.caption.text, heads=heads or None)


class _Page(HTMLParser):
    """The tables of a page in the order in which they begin."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.unread = 0
        self.tables: list[_HtmlTable] = []
        self.open: list[_HtmlTable] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.unread += tag in _UNREAD
        if tag == "table":
            self.tables.append(_HtmlTable())
            self.open.append(self.tables[-1])
        if not self.open:
            return
        table = self.open[-1]
        if tag in ("thead", "tbody"):
            table.in_head = tag == "thead"
        if tag == "tr" or (tag in ("td", "th") and not table.rows):
            table.rows.append((self.getpos()[0], []))
            table.into = None
        if tag in ("td", "th"):
            table.into = Cell("", *(_size(dict(attrs).get(x)) for x in ("colspan", "rowspan")))
            table.rows[-1][1].append(table.into)
            if table.heads is None and tag == "td" and not table.in_head:
                table.heads = len(table.rows) - 1
        elif tag == "caption":
            table.into = table.caption
        elif tag in _PARTS and table.into is not None:
            table.into.text += " "

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNREAD:
            self.unread = max(self.unread - 1, 0)
        if not self.open:
            return
        if tag == "table":
            self.open.pop()
        elif tag in ("td", "th", "tr", "caption"):
            self.open[-1].into = None
        elif tag == "thead":
            self.open[-1].in_head = False

    def handle_data(self, data: str) -> None:
        if self.open and not self.unread and self.open[-1].into is not None:
            self.open[-1].into.text += data


def _size(text: str | None) -> int:
    """How many columns or rows a cell takes."""
    plain = (text or "").strip()
    return min(max(int(plain), 1), WIDEST) if plain.isascii() and plain.isdigit() else 1


def read_html(text: str, where: str) -> list[PrintedTable]:
    """Every table of the page."""
    page = _Page()
    page.feed(text)
    page.close()
    return [table for tag in page.tables if (table := tag.printed(where)).rows]


# TeX: the words of LaTeX source, its mark-up left out.

TEX_DEEPEST = 60
"""Braces inside braces: beyond, nobody wrote this by hand."""
_SIGNS = {
    "pm": "±", "textpm": "±", "kappa": "κ", "mu": "μ", "alpha": "α", "beta": "β", "times": "×",
    "dagger": "†", "dag": "†", "textdagger": "†", "ddagger": "‡", "ddag": "‡", "ast": "*",
    "star": "*", "percent": "%", "textemdash": "—", "textendash": "–", "ldots": "…", "dots": "…",
    "quad": " ", "qquad": " ", "newline": " ", "textbackslash": "\\", "textunderscore": "_",
}  # fmt: skip
_SWITCH_NAMES = (
    "bf it rm sf tt em sc sl bfseries itshape mdseries rmfamily sffamily ttfamily scshape upshape "
    "slshape normalfont boldmath small footnotesize scriptsize tiny normalsize large Large "
    "centering raggedright raggedleft displaystyle textstyle uparrow downarrow hline toprule "
    "midrule bottomrule hfill strut noindent left right par arraybackslash xspace ensuremath "
    "endhead endfirsthead endfoot endlastfoot hdashline tabularnewline"
)
_SWITCHES = frozenset(_SWITCH_NAMES.split())
"""Commands that are no word."""
_DROPPED = {
    "footnote": 1, "footnotemark": 0, "footnotetext": 1, "tnote": 1, "textsuperscript": 1,
    "cite": 1, "citep": 1, "citet": 1, "citealp": 1, "citeyear": 1, "parencite": 1, "textcite": 1,
    "autocite": 1, "label": 1, "ref": 1, "cref": 1, "autoref": 1, "cellcolor": 1, "rowcolor": 1,
    "columncolor": 1, "color": 1, "vspace": 1, "hspace": 1, "phantom": 1, "cmidrule": 1,
    "cline": 1, "cdashline": 1, "addlinespace": 0, "specialrule": 3, "rule": 2, "noalign": 1,
    "arrayrulecolor": 1, "setlength": 2, "renewcommand": 2,
    "begin": 2, "end": 1,
}  # fmt: skip
"""Commands that say nothing, and how many arguments go with them."""
_LAST = {
    "textcolor": 2, "colorbox": 2, "rotatebox": 2, "resizebox": 3, "scalebox": 2, "raisebox": 2,
    "href": 2, "parbox": 2, "multirow": 3, "multicolumn": 3,
}  # fmt: skip
"""Commands of several arguments; what counts is in the last."""
_ARGUMENTS = _DROPPED | _LAST
_OPTION = r"\s*(?:\[[^\]\n]*\]|\([lr\d.a-z{}]*\)(?=\s*\{))"
_OPTIONAL = re.compile(_OPTION)
_OPENING = re.compile(rf"(?:{_OPTION})?\s*[{{*]")
"""Where an argument of a command begins; a star may be one."""
_TOKEN = re.compile(
    r"\\(?P<name>[A-Za-z]+)\*?(?P<space>\s*)|\\(?P<escaped>.?)"
    r"|(?P<raised>\^\s*(?:\\[A-Za-z]+|[^\s{])?\{?)|(?P<lowered>_\s*\{)|[{}$~_]|[^\\{}$~^_]+",
    re.DOTALL,
)


def words(source: str, where: str) -> str:
    r"""The words of a piece of LaTeX in one line.

    >>> words(r"\textbf{75{,}2}$_{\pm 0.4}^{\dagger}$ \%", "a cell")
    '75,2 ±0.4 %'
    """
    text = _phrase(source, 0, where)[0].replace("---", "—").replace("--", "–")
    return one_line(text.replace("``", '"').replace("''", '"'))


def _phrase(source: str, at: int, where: str, depth: int = 0) -> tuple[str, int]:
    """The words up to the brace that closes, and where what follows begins."""
    if depth > TEX_DEEPEST:
        raise InputError(f"{where}: braces stand in braces more than {TEX_DEEPEST} deep")
    text = ""
    while token := _TOKEN.match(source, at):
        mark, at = token[0], token.end()
        if mark == "}" and depth:
            return text, at
        if mark.endswith("{"):
            inner, at = _phrase(source, at, where, depth + 1)
            if token["lowered"]:
                inner = inner.strip() if inner.strip().isdigit() else f" {inner.strip()}"
            text += "" if token["raised"] else inner  # a footnote's mark, not a power
        elif token["name"]:
            inner, at = _command(source, token, where, depth)
            text += inner
        elif token["escaped"] is not None:
            text += mark[1:] if mark[1:] in {*"%&_#${}"} else " "
        elif not token["raised"] and mark not in "$}":
            is_index = mark == "_" and source[at : at + 1].isdigit()
            text += " " if mark == "~" else "" if is_index else mark
    return text, len(source) + 1  # no brace closes


def _command(source: str, token: re.Match[str], where: str, depth: int) -> tuple[str, int]:
    """What a command says with its arguments, and where what follows begins."""
    name, at = token["name"], token.start("space")
    if name in _SIGNS or name in _SWITCHES:
        return _SIGNS.get(name, ""), token.end()
    groups: list[str] = []
    while len(groups) < _ARGUMENTS.get(name, 0) and (opening := _OPENING.match(source, at)):
        group, at = "", opening.end()
        if opening[0].endswith("{"):
            group, at = _phrase(source, at, where, depth + 1)
        groups.append(group)
    if name in ("begin", "end"):
        return " ", at
    if groups:
        return groups[-1] if name in _LAST else "", at
    at = _after(_OPTIONAL, source, at)
    return "" if name in _ARGUMENTS or source.startswith("{", at) else name, at


def _after(pattern: re.Pattern[str], source: str, at: int) -> int:
    """Where what a pattern takes ends, if it takes anything."""
    match = pattern.match(source, at)
    return match.end() if match else at


def _closing(source: str, start: int, where: str) -> int:
    """Where what follows the brace begins that closes the one that opens before ``start``."""
    end = _phrase(source, start, where, 1)[1]
    if end > len(source):
        raise InputError(f"{where}: a brace is opened and never closed")
    return end


# LaTeX: the tables of a source, or rows of ``&`` and ``\\`` pasted from one.

_SIZED = ("tabularx", "tabulary", "tabular*")
_ENVIRONMENTS = (*_SIZED, "tabular", "longtable", "supertabular", "array", "tblr", "longtblr")
_MARK = re.compile(r"\\(begin|end)\s*\{([A-Za-z]+\*?)\}")
_FLOATS = ("table", "table*", "sidewaystable", "sidewaystable*", "wraptable", "threeparttable")
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*")
_PIECE = re.compile(r"\\begin\s*\{[^}\n]*\}|\\end\s*\{[^}\n]*\}|\\tabularnewline\b|\\.|[{}&]", re.S)
_BRACKETS = r"\[[^\]\n]{0,40}\]"
_RULES = (
    rf"(?:\s|\\(?:toprule|midrule|bottomrule|hline|hdashline)\b(?:{_BRACKETS})?"
    rf"|\\(?:cmidrule|cline)\s*(?:{_BRACKETS})?(?:\([^)\n]{{0,40}}\))?\{{[^}}\n]{{0,40}}\}})*"
)
_BEFORE = re.compile(_RULES)
"""What may stand before the first word of a row."""
_LOOKS = re.compile(
    r"\\begin\s*\{[A-Za-z*]*tab"
    rf"|(?:\\\\|\\tabularnewline\b)(?:\s*{_BRACKETS})?{_RULES}(?:%.*)?$",
    re.MULTILINE,
)
"""A table begins, or a row of one ends its line."""
_LATEX_OPTION = re.compile(rf"\*?\s*{_BRACKETS}|\*")
_CAPTION = re.compile(r"\\caption(?:of\s*\{[^}]*\})?\*?\s*(?:\[[^\]]*\])?\s*\{")
_SPAN = re.compile(r"\\multi(column|row)\b(?:\s*\[[^\]]*\])?(?:\s*\{?\s*(-?\d{1,4})\s*\}?)?")
_LENGTH = re.compile(r"\s*(?:\\[A-Za-z]+\*?\s*)?")


def is_latex(text: str) -> bool:
    """Whether a text of any kind looks like rows of LaTeX."""
    return "&" in text and _LOOKS.search(text) is not None


def read_latex(text: str, where: str) -> list[PrintedTable]:
    """Every table of the source; if it has no environment, the rows that it is made of."""
    source = _COMMENT.sub(r"\1", text)
    bodies = list(_bodies(source, where)) or [(0, len(source))] * ("&" in source)
    return [t for start, end in bodies if (t := _table(source, start, end, where)).rows]


def _bodies(source: str, where: str) -> Iterator[tuple[int, int]]:
    """Where the outermost environments of columns have their rows."""
    open_marks: list[re.Match[str]] = []
    for mark in _MARK.finditer(source):
        if mark[2] not in _ENVIRONMENTS:
            continue
        if mark[1] == "begin":
            open_marks.append(mark)
        elif open_marks:
            begin = open_marks.pop()
            if not open_marks:
                yield _after_columns(source, begin, where), mark.start()
    for mark in open_marks:
        line = _line(source, mark.start())
        raise InputError(f"{where}, line {line}: {mark[0]} is never ended")


def _after_columns(source: str, mark: re.Match[str], where: str) -> int:
    """Where the rows begin, after the width, the place and the columns."""
    at = mark.end()
    for _ in range(2 if mark[2] in _SIZED else 1):
        at = _after(_LENGTH, source, _after(_OPTIONAL, source, at))
        if source.startswith("{", at):
            at = _closing(source, at + 1, f"{where}, line {_line(source, mark.start())}")
    return at


def _caption(source: str, at: int, where: str) -> str:
    """The caption of the float around a place, or of the place itself."""
    marks = [m for m in _MARK.finditer(source, 0, at) if m[2] in _FLOATS]
    start = marks[-1].end() if marks and marks[-1][1] == "begin" else at
    close = next((m.start() for m in _MARK.finditer(source, at) if m[2] in _FLOATS), len(source))
    match = _CAPTION.search(source, start, close)
    if match is None:
        return ""
    line = f"{where}, line {_line(source, match.start())}"
    return words(source[match.end() : _closing(source, match.end(), line) - 1], line)


def _table(source: str, start: int, end: int, where: str) -> PrintedTable:
    rows: list[tuple[int, list[Cell]]] = []
    heads = None
    for at, texts in _rows(source, start, end, where):
        line = _line(source, at)
        if heads is None and rows and re.match(r"\s*\\midrule\b", texts[0]):
            heads = len(rows)
        cells = [_cell(text, f"{where}, line {line}") for text in texts]
        if len(cells) > 1 or cells[0].text:  # else it is a rule
            rows.append((line, cells))
    caption = _caption(source, start, where)
    return laid_out(rows, where, caption=caption, heads=heads, covered=True)


def _rows(source: str, start: int, end: int, where: str) -> Iterator[tuple[int, list[str]]]:
    """The rows, each as its cells and where it begins: braces and inner tables keep theirs."""
    cells, since, begun, depth = [], start, start, 0
    for piece in _PIECE.finditer(source, start, end):
        mark = piece[0]
        if mark.startswith(("{", "}", "\\begin", "\\end")):
            depth += 1 if mark.startswith(("{", "\\begin")) else -1
            if depth < 0:
                line = _line(source, piece.start())
                raise InputError(f"{where}, line {line}: a brace is closed that was never opened")
        elif not depth and mark == "&":
            cells.append(source[since : piece.start()])
            since = piece.end()
        elif not depth and mark in ("\\\\", "\\tabularnewline"):
            yield _after(_BEFORE, source, begun), [*cells, source[since : piece.start()]]
            cells, since = [], _after(_LATEX_OPTION, source, piece.end())
            begun = since
    if depth:
        line = _line(source, _after(_BEFORE, source, begun))
        raise InputError(f"{where}, line {line}: a brace is opened and never closed")
    last = source[since:end]
    if cells or last.strip():
        yield _after(_BEFORE, source, begun), [*cells, last]


def _cell(source: str, where: str) -> Cell:
    sizes = {"column": "1", "row": "1"} | dict(_SPAN.findall(source))
    for name, size in sizes.items():
        if not size:
            raise InputError(f"{where}: \\multi{name} must be followed by a number in braces")
    return Cell(words(source, where), max(int(sizes["column"]), 1), int(sizes["row"]))


def _line(source: str, at: int) -> int:
    return source.count("\n", 0, at) + 1


# Markdown: tables of bars, as in GitHub, Pandoc and the print-outs of many programs.

LONGEST = 2_000
"""Characters of a cell whose mark-up is read."""

_MARKDOWN_RULE = re.compile(r"\s*[|+]?\s*:?[-=]+:?\s*(?:[|+]\s*:?[-=]+:?\s*)*[|+]?\s*")
_BARS = {ord(c): "|" for c in "│┃║"} | {ord(c): "-" for c in "─━═"}
_BARS |= {ord(c): "+" for c in "┼╋╪╬┬┳╤╦┴┻╧╩├┣╞╠┤┫╡╣┌┏╒╔┐┓╕╗└┗╘╚┘┛╛╝┡┩╇"}
_BAR_NUMBER = re.compile(r"\|\s*[.,]?\d")
_BAR = re.compile(r"`+[^`]*`+|\\.|\|")
_BELOW = re.compile(r"\s*(?:table)?\s*:\s", re.IGNORECASE)
_TITLE = re.compile(r"\s*(?:#+\s|\**\s*(?:table|tab\.)(?:\s|:|$)|:\s)", re.IGNORECASE)
_MATHS = re.compile(r"\$([^$\n]+)\$")
_MARKDOWN_DROPPED = re.compile(
    r"\[\^[^\]]*\]|<sup\b[^>]*>.*?</sup>|\^[^^\s]+\^|<!--.*?-->", re.I | re.DOTALL
)
_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_STRONG = re.compile(r"(?<!\\)(\*\*|__|~~|\*|(?<!\w)_)(?=\S)(.+?)(?<=[^\s\\])\1(?!\w)")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def read_markdown(text: str, where: str, *, ruled: bool = True) -> list[PrintedTable]:
    """Every table of bars, with the title above or below it, and every table in HTML.

    Not ``ruled``, a rule below the header is not needed where all lines have as many cells and each
    below the first has a number.
    """
    lines = text.translate(_BARS).splitlines()
    tables, i = [], 0
    while i < len(lines):
        end = i
        while end < len(lines) and _is_row(lines[end]):
            end += 1
        has_rule = any(map(_is_rule, lines[i:end])) and end - i > 2
        numbered = end - i > 1 and all(map(_BAR_NUMBER.search, lines[i + 1 : end]))
        even = len({len(_cells(line)) for line in lines[i:end]}) == 1
        if has_rule or (not ruled and numbered and even):
            table = _markdown_table(lines, i, end, where)
            tables += [table] if table.rows else []
        i = end + 1
    return [*tables, *(read_html(text, where) if "<table" in text.lower() else [])]


def _is_rule(line: str) -> bool:
    return _MARKDOWN_RULE.fullmatch(line) is not None


def _is_row(line: str) -> bool:
    return "|" in line or (line.lstrip().startswith("+") and _is_rule(line))


def _markdown_table(lines: list[str], start: int, end: int, where: str) -> PrintedTable:
    rows: list[tuple[int, list[Cell]]] = []
    heads = None
    for i in range(start, end):
        if _is_rule(lines[i]):
            heads = len(rows) if heads is None and rows else heads
        else:
            place = f"{where}, line {i + 1}"
            rows.append((i + 1, [Cell(_words(c, place)) for c in _cells(lines[i])]))
    return laid_out(rows, where, caption=_title(lines, start, end, where), heads=heads)


def _cells(line: str) -> list[str]:
    """What stands between bars, those of code and escaped ones left alone."""
    inner = line.strip().removeprefix("|")
    cells, since = [], 0
    for mark in _BAR.finditer(inner):
        if mark[0] == "|":
            cells.append(inner[since : mark.start()])
            since = mark.end()
    return [*cells, inner[since:]] if inner[since:].strip() else cells


def _title(lines: list[str], start: int, end: int, where: str) -> str:
    """The line that names the table: after it or before it, blank lines between."""
    after = next((line for line in lines[end : end + 2] if line.strip()), "")
    before = next((line for line in lines[max(start - 2, 0) : start][::-1] if line.strip()), "")
    for line, pattern in ((before, _TITLE), (after, _BELOW)):
        if pattern.match(line):
            return re.sub(r"^(?:#+|:|Table:)\s*", "", _words(line.strip(), where))
    return ""


def _words(text: str, where: str) -> str:
    """A cell without its mark-up.

    >>> _words("**75.2**[^1] &plusmn; 0.4 <br> $F_1$", "a cell")
    '75.2 ± 0.4 F1'
    """
    if len(text) > LONGEST:
        return one_line(text)
    text = _MATHS.sub(lambda m: words(m[1], where), text)
    text = _LINK.sub(r"\1", _MARKDOWN_DROPPED.sub("", text))
    text = _TAG.sub(lambda m: " " if m[0].lower().startswith(("<br", "<p")) else "", text)
    for _ in range(3):  # bold in italics in what was struck out
        text = _STRONG.sub(r"\2", text)
    return one_line(_ESCAPED.sub(r"\1", html.unescape(text.replace("`", ""))))
