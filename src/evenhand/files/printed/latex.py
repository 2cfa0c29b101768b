r"""LaTeX: the tables of a source, or rows of ``&`` and ``\\`` pasted from one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evenhand.errors import InputError
from evenhand.files.printed.table import Cell, PrintedTable, laid_out
from evenhand.files.printed.tex import Words, closing, words

_ENVIRONMENTS = (
    "tabular", "tabularx", "tabulary", "tabular*", "longtable", "supertabular", "xtabular",
    "longtable*", "array", "tblr", "longtblr", "NiceTabular", "NiceTabular*", "NiceTabularX",
)  # fmt: skip
_SIZED = ("tabularx", "tabulary", "tabular*", "NiceTabular*", "NiceTabularX")
_MARK = re.compile(r"\\(begin|end)\s*\{([A-Za-z]+\*?)\}")
_FLOATS = ("table", "table*", "sidewaystable", "sidewaystable*", "wraptable", "threeparttable")
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*")
_RULE = re.compile(r"\\(midrule|hline|hdashline|cmidrule|cline|toprule|bottomrule|Xhline)\b")
_PIECE = re.compile(r"\\begin\s*\{[^}\n]*\}|\\end\s*\{[^}\n]*\}|\\tabularnewline\b|\\.|[{}&]", re.S)
_BRACKETS = r"\[[^\]\n]{0,40}\]"
_RULES = (
    rf"(?:\s|\\(?:toprule|midrule|bottomrule|hline|hdashline)\b(?:{_BRACKETS})?"
    rf"|\\(?:cmidrule|cline)\s*(?:{_BRACKETS})?(?:\([^)\n]{{0,40}}\))?\{{[^}}\n]{{0,40}}\}})*"
)
_BEFORE = re.compile(_RULES)
_LOOKS = re.compile(
    r"\\begin\s*\{[A-Za-z*]*tab"
    rf"|(?:\\\\|\\tabularnewline\b)(?:\s*{_BRACKETS})?{_RULES}(?:%.*)?$",
    re.MULTILINE,
)
"""A table begins, or a row of one ends its line."""
_OPTION = re.compile(rf"\*?\s*{_BRACKETS}|\*")
_CAPTION = re.compile(r"\\caption(?:of\s*\{[^}]*\})?\*?\s*(?:\[[^\]]*\])?\s*(?=\{)")


def is_latex(text: str) -> bool:
    """Whether a text of any kind looks like rows of LaTeX."""
    return "&" in text and _LOOKS.search(text) is not None


def read_latex(text: str, where: str) -> list[PrintedTable]:
    """Every table of the source; if it has no environment, the rows that it is made of."""
    source = _COMMENT.sub(r"\1", text)
    found = [
        _table(source, start, end, _caption(source, start, where), where)
        for start, end in _bodies(source, where)
    ]
    if not found and "&" in source:
        return [_table(source, 0, len(source), _caption(source, 0, where), where)]
    return found


def _bodies(source: str, where: str) -> Iterator[tuple[int, int]]:
    """Where the outermost environments of columns have their rows."""
    depth, start = 0, 0
    for mark in _MARK.finditer(source):
        if mark[2] not in _ENVIRONMENTS:
            continue
        if mark[1] == "begin":
            if not depth:
                start = _after_columns(source, mark, where)
                opened = mark
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                yield start, mark.start()
    if depth:
        raise InputError(
            f"{where}, line {_line(source, opened.start())}: {opened[0]} is never ended"
        )


def _after_columns(source: str, mark: re.Match[str], where: str) -> int:
    """Where the rows begin, after the width, the place and the columns."""
    reader = Words(source, f"{where}, line {_line(source, mark.start())}")
    reader.at = mark.end()
    reader.option()
    for _ in range(2 if mark[2] in _SIZED else 1):
        reader.argument()
    return reader.at


def _caption(source: str, at: int, where: str) -> str:
    """The caption of the float around a place, or of the place itself."""
    begins = [m for m in _MARK.finditer(source, 0, at) if m[2] in _FLOATS]
    opened = [m for m in begins if m[1] == "begin"]
    start = opened[-1].end() if opened and begins[-1][1] == "begin" else at
    close = next((m.start() for m in _MARK.finditer(source, at) if m[2] in _FLOATS), len(source))
    found = _CAPTION.search(source, start, close)
    if found is None:
        return ""
    line = f"{where}, line {_line(source, found.start())}"
    end = closing(source, found.end(), line)
    return words(source[found.end() + 1 : end], line)


def _table(source: str, start: int, end: int, caption: str, where: str) -> PrintedTable:
    rows: list[tuple[int, list[Cell]]] = []
    heads = None
    for at, line in _rows(source, start, end, where):
        number = _line(source, at)
        whole = "".join(line)
        if heads is None and rows and re.match(r"\s*\\midrule\b", whole):
            heads = len(rows)
        said = whole
        if _RULE.search(whole):
            said = _RULE.sub("", re.sub(r"\[[^\]]*\]|\([^)]*\)|\{[\d\s.\-a-z]*\}", "", whole))
        if not said.strip():
            continue
        rows.append((number, [_cell(text, f"{where}, line {number}") for text in line]))
    return laid_out(rows, where, caption=caption, heads=heads, covered=True)


def _rows(source: str, start: int, end: int, where: str) -> Iterator[tuple[int, list[str]]]:
    """The rows, each as its cells and where it begins: braces and inner tables keep theirs."""
    cells, since, begun, depth = [], start, start, 0
    for piece in _PIECE.finditer(source, start, end):
        mark = piece[0]
        if mark in "{}" or mark.startswith(("\\begin", "\\end")):
            depth += 1 if mark == "{" or mark.startswith("\\begin") else -1
            if depth < 0:
                line = _line(source, piece.start())
                raise InputError(f"{where}, line {line}: a brace is closed that was never opened")
        elif not depth and mark == "&":
            cells.append(source[since : piece.start()])
            since = piece.end()
        elif not depth and mark in ("\\\\", "\\tabularnewline"):
            yield _begin(source, begun), [*cells, source[since : piece.start()]]
            option = _OPTION.match(source, piece.end())
            cells, since = [], option.end() if option else piece.end()
            begun = since
    if depth:
        line = _line(source, _begin(source, begun))
        raise InputError(f"{where}, line {line}: a brace is opened and never closed")
    last = source[since:end]
    if cells or last.strip():
        yield _begin(source, begun), [*cells, last]


def _begin(source: str, at: int) -> int:
    """Where a row has its first word, rules above it left out."""
    found = _BEFORE.match(source, at)
    return at if found is None else found.end()


def _cell(source: str, where: str) -> Cell:
    across = down = 1
    for _ in range(2):  # a cell may take both columns and rows
        head = re.search(r"\\(multicolumn|multirow)\b", source)
        if head is None:
            break
        reader = Words(source, where)
        reader.at = head.end()
        reader.option()
        size = re.fullmatch(r"\s*(-?\d{1,4})\s*", reader.argument())
        if size is None:
            raise InputError(f"{where}: \\{head[1]} must be followed by a number in braces")
        reader.option()
        reader.argument()
        reader.option()
        inner = reader.argument()
        if head[1] == "multicolumn":
            across = max(int(size[1]), 1)
        else:
            down = int(size[1])
        source = f"{source[: head.start()]}{{{inner}}}{source[reader.at :]}"
    return Cell(words(source, where), across, down)


def _line(source: str, at: int) -> int:
    return source.count("\n", 0, at) + 1
