"""Markdown: tables of bars, as in GitHub, Pandoc and the print-outs of many programs."""

from __future__ import annotations

import html
import re

from evenhand.files.printed.html import read_html
from evenhand.files.printed.table import Cell, PrintedTable, laid_out, one_line
from evenhand.files.printed.tex import words

LONGEST = 2_000
"""Characters of a cell whose mark-up is read."""

_RULE = re.compile(r"\s*[|+]?\s*:?[-=]+:?\s*(?:[|+]\s*:?[-=]+:?\s*)*[|+]?\s*")
_BARS = {ord(c): "|" for c in "│┃║"} | {ord(c): "-" for c in "─━═"}
_BARS |= {ord(c): "+" for c in "┼╋╪╬┬┳╤╦┴┻╧╩├┣╞╠┤┫╡╣┌┏╒╔┐┓╕╗└┗╘╚┘┛╛╝┡┩╇"}
_BAR = re.compile(r"`+[^`]*`+|\\.|\|")
_BELOW = re.compile(r"\s*(?:table)?\s*:\s", re.IGNORECASE)
_TITLE = re.compile(r"\s*(?:#+\s|\**\s*(?:table|tab\.)(?:\s|:|$)|:\s)", re.IGNORECASE)
_MATHS = re.compile(r"\$([^$\n]+)\$")
_DROPPED = re.compile(
    r"\[\^[^\]]*\]|<sup\b[^>]*>.*?</sup>|\^[^^\s]+\^|<!--.*?-->", re.I | re.DOTALL
)
_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_STRONG = re.compile(r"(?<!\\)(\*\*|__|~~|\*|(?<!\w)_)(?=\S)(.+?)(?<=[^\s\\])\1(?!\w)")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def read_markdown(text: str, where: str) -> list[PrintedTable]:
    """Every table of bars, with the title above or below it, and every table in HTML."""
    lines = text.translate(_BARS).splitlines()
    found, i = [], 0
    while i < len(lines):
        end = i
        while end < len(lines) and _is_row(lines[end]):
            end += 1
        if any(map(_is_rule, lines[i:end])) and end - i > 2:
            found.append(_table(lines, i, end, where))
        i = end + 1
    return [*found, *(read_html(text, where) if "<table" in text.lower() else [])]


def _is_rule(line: str) -> bool:
    return _RULE.fullmatch(line) is not None


def _is_row(line: str) -> bool:
    return "|" in line or (line.lstrip().startswith("+") and _is_rule(line))


def _table(lines: list[str], start: int, end: int, where: str) -> PrintedTable:
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
    text = _LINK.sub(r"\1", _DROPPED.sub("", text))
    text = _TAG.sub(lambda m: " " if m[0].lower().startswith(("<br", "<p")) else "", text)
    for _ in range(3):  # bold in italics in what was struck out
        text = _STRONG.sub(r"\2", text)
    return one_line(_ESCAPED.sub(r"\1", html.unescape(text.replace("`", ""))))
