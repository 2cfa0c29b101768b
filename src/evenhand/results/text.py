"""Text that is safe where it goes: terminals, Markdown, LaTeX, CSV and HTML.

Labels are hostile: a label may hold control characters that repaint a terminal, characters
that turn the reading direction, a table's own separators, or a spreadsheet formula.
"""

from __future__ import annotations

import html
import math
import unicodedata

_DIRECTION = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_JOINERS = "\u200c\u200d"  # emoji and Persian are written with them
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    # In braces: after a line's end LaTeX would read them as options.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "±": r"$\pm$",
    "–": "--",
    "…": r"\dots{}",
}
_MARKDOWN = frozenset("\\`*_{}[]<>()#+!|~&")


def visible(text: str) -> str:
    """Every character that is not plainly printable, written as its escape."""
    if text.isprintable() and not _DIRECTION.intersection(text):
        return text
    return "".join(
        c
        if (c.isprintable() or c in _JOINERS) and c not in _DIRECTION
        else c.encode("unicode_escape").decode("ascii")
        for c in text
    )


def width(text: str) -> int:
    """Columns that ``text`` takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.category(c) in ("Mn", "Me") or c in _JOINERS
        else 2
        if unicodedata.east_asian_width(c) in "WF"
        else 1
        for c in text
    )


def shortened(text: str, columns: int) -> str:
    """``text`` in at most ``columns`` columns, cut in the middle, where labels differ least."""
    if width(text) <= columns:
        return text
    keep = max(columns - 1, 2)
    head, tail = text[: (keep + 1) // 2], text[len(text) - keep // 2 :]
    while width(head) + width(tail) + 1 > columns and (head or tail):
        head, tail = (head[:-1], tail) if width(head) >= width(tail) else (head, tail[1:])
    return f"{head}…{tail}"


def latex(text: str) -> str:
    """``text`` for LaTeX, nothing in it a command."""
    return "".join(_LATEX.get(c, c) for c in visible(text))


def markdown(text: str) -> str:
    """``text`` for a cell of a Markdown table, nothing in it markup."""
    return "".join(f"\\{c}" if c in _MARKDOWN else c for c in visible(text))


def csv_cell(text: str) -> str:
    """``text`` for a CSV cell that no spreadsheet takes for a formula."""
    text = visible(text)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text


def html_text(text: str) -> str:
    """``text`` for HTML, in an element or a quoted attribute."""
    return html.escape(visible(text), quote=True)


def number(value: float | int | None, digits: int = 4) -> str:
    """A count as it is with thousands marked, a score with ``digits`` decimals.

    >>> number(12345), number(0.64349), number(None), number(float("nan"))
    ('12,345', '0.6435', '', 'undefined')
    """
    if value is None:
        return ""
    if isinstance(value, int):
        return f"{value:,}"
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if abs(value) >= 1e15:
        return f"{value:.{digits}e}"
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text  # no minus sign before zero


def key_text(key: object) -> str:
    """The key of a slice as a heading."""
    if isinstance(key, tuple):
        return ", ".join(map(key_text, key))
    return "(empty)" if key is None else str(key)


def counted(amount: float, one: str, many: str) -> str:
    """An amount with its noun: ``1 item``, ``2,000 items``."""
    return f"{amount:,.10g} {one if amount == 1 else many}"


def amount(value: float) -> str:
    """A count with few characters: whole where it is, three digits of a weight.

    >>> amount(12), amount(0.25), amount(12345.0), amount(3456789)
    ('12', '0.25', '12,345', '3.46M')
    """
    if abs(value) >= 1e6:
        return f"{value / 1e6:.3g}M" if abs(value) < 1e9 else f"{value:.2g}"
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:.3g}"


def percent(share: float) -> str:
    """A share as a percentage, without decimals that say nothing.

    >>> percent(0.5), percent(0.004), percent(float("nan"))
    ('50 %', '0.4 %', '')
    """
    if math.isnan(share):
        return ""
    return f"{100 * share:.0f} %" if share >= 0.0995 or share == 0 else f"{100 * share:.1f} %"


def chance(share: float) -> str:
    """A share of replicates in whole percent, never rounded to certainty.

    >>> chance(0.998), chance(1.0), chance(0.0001)
    ('>99 %', '100 %', '<1 %')
    """
    if 0.99 < share < 1:
        return ">99 %"
    return "<1 %" if 0 < share < 0.01 else f"{100 * share:.0f} %"


def ends(low: float | None, high: float | None, digits: int = 3) -> str:
    """An interval in brackets, or nothing.

    >>> ends(0.79, 0.834), ends(None, None)
    ('[0.790, 0.834]', '')
    """
    if low is None or high is None:
        return ""
    return f"[{number(low, digits)}, {number(high, digits)}]"


def interval(value: float, low: float | None, high: float | None, digits: int = 3) -> str:
    """A number with its interval, or alone.

    >>> interval(0.812, 0.79, 0.834), interval(0.812, None, None)
    ('0.812 [0.790, 0.834]', '0.812')
    """
    return f"{number(float(value), digits)} {ends(low, high, digits)}".rstrip()
