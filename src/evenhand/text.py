"""Numbers, lists and sentences as text, and all escaping but that of LaTeX."""

from __future__ import annotations

import html
import math
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Self

_DIRECTION = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_JOINERS = "\u200c\u200d"  # emoji and Persian are written with them
MINUS = "−"
"""Before a negative number; LaTeX and CSV have the plain hyphen instead."""

_MARKDOWN = frozenset("\\`*_{}[]<>()#+!|~&$")

POOLED = "all (pooled)"
"""What all items are called beside their slices."""


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


def number(value: float | int | None, digits: int | None = 4) -> str:
    """A count as it is with thousands marked, a score with ``digits`` decimals, ``None``: all.

    >>> number(12345), number(0.64349), number(-0.5, 1), number(None), number(float("nan"))
    ('12,345', '0.6435', '−0.5', '', 'undefined')
    """
    if value is None:
        return ""
    if isinstance(value, int):
        return f"{value:,}".replace("-", MINUS)
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    if digits is None:
        return repr(value).replace("-", MINUS)
    if abs(value) >= 1e15:
        return f"{value:.{digits}e}".replace("-", MINUS)
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", MINUS)  # no −0


def ends(low: float | None, high: float | None, digits: int | None = 4) -> str:
    """``[0.8123, 0.8456]``; nothing where there is no interval."""
    return "" if low is None else f"[{number(low, digits)}, {number(high, digits)}]"


def span(low: int | None, high: int | None) -> str:
    """From a place to a place: ``1–3``, or ``2`` alone."""
    return "" if low is None else f"{low}" if low == high else f"{low}–{high}"


def p_value(p: float | None) -> str:
    """A p value, which is never 0.

    >>> p_value(0.03123), p_value(1e-6), p_value(None)
    ('0.0312', '<0.0001', '')
    """
    return "" if p is None or math.isnan(p) else "<0.0001" if p < 1e-4 else f"{p:.4f}"


def p_words(p: float) -> str:
    """The same in a sentence: ``p = 0.0312`` or ``p < 0.0001``."""
    text = p_value(p)
    return f"p {text[0]} {text[1:]}" if text.startswith("<") else f"p = {text}"


def percent(share: float) -> str:
    """A share in percent, without decimals that say nothing, and never rounded to certainty.

    >>> percent(0.5), percent(0.004), percent(0.9996), percent(1e-5), percent(float("nan"))
    ('50 %', '0.4 %', '>99.9 %', '<0.1 %', '')
    """
    if math.isnan(share):
        return ""
    if 0.995 <= share < 1:
        return f"{100 * share:.1f} %" if share < 0.9995 else ">99.9 %"
    if 0 < share < 0.0005:
        return "<0.1 %"
    return f"{100 * share:.0f} %" if share >= 0.0995 or share == 0 else f"{100 * share:.1f} %"


def hundredths(share: float) -> str:
    """A share in a cell whose table says that it is in percent: whole, but never 0 for some.

    >>> hundredths(0.756), hundredths(0.002), hundredths(0)
    ('76', '<1', '0')
    """
    text = f"{100 * share:.0f}"
    return "<1" if share > 0 and text == "0" else text


def points(difference: float) -> str:
    """A difference of two scores in words, as hundredths.

    >>> points(0.0321), points(-0.2)
    ('3.2 points', '−20.0 points')
    """
    text = number(100 * difference, 1 if abs(difference) >= 0.0095 else 2)
    return f"{text} point{'s' * (text != '1.0')}"


def level_text(level: float) -> str:
    """A level in percent: ``95 %``, ``99.9 %``."""
    return f"{100 * level:.10g} %"


def amount(value: float) -> str:
    """A count or a weight with few characters: whole where it is, else three digits.

    >>> amount(12), amount(0.25), amount(12345.0), amount(3456789)
    ('12', '0.25', '12,345', '3.46M')
    """
    if abs(value) >= 1e6:
        return f"{value / 1e6:.3g}M" if abs(value) < 1e9 else f"{value:.2g}"
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:.3g}"


def listed(names: Iterable[object], few: int = 5) -> str:
    """Names in a sentence, the first few and how many more: ``a, b and 3 more``.

    >>> listed("ab"), listed("abcdefgh"), listed([])
    ('a, b', 'a, b, c, d, e and 3 more', 'none')
    """
    every = [str(n) for n in names]
    if not every:
        return "none"
    more = len(every) - few
    return ", ".join(every[:few]) + (f" and {more:,} more" if more > 0 else "")


def named(names: Iterable[str], few: int = 6) -> str:
    """Names as people say them: ``a``, ``a and b``, ``a, b and c``, the rest by number.

    >>> named("ab"), named("abcdefgh")
    ('a and b', 'a, b, c, d, e and 3 more')
    """
    every = _few(list(names), few)
    return every[0] if len(every) == 1 else f"{', '.join(every[:-1])} and {every[-1]}"


def _few(names: Sequence[str], few: int) -> Sequence[str]:
    """The names, or the first of them and how many more there are."""
    if len(names) <= few:
        return names
    return [*names[: few - 1], f"{len(names) - few + 1:,} more"]


def counted(amount: float, one: str, many: str = "") -> str:
    """An amount with its noun: ``1 item``, ``2,000 items``."""
    return f"{amount:,.10g} {one if amount == 1 else many or f'{one}s'}"


def interval(value: float, low: float | None, high: float | None, digits: int = 3) -> str:
    """A number with its interval, or alone.

    >>> interval(0.812, 0.79, 0.834), interval(0.812, None, None)
    ('0.812 [0.790, 0.834]', '0.812')
    """
    return f"{number(float(value), digits)} {ends(low, high, digits)}".rstrip()


def key_text(key: object) -> str:
    """The key of a slice as a heading."""
    if isinstance(key, tuple):
        return ", ".join(map(key_text, key))
    return "(empty)" if key is None else str(key)


# Sentences that know which of their parts are names.


class Name(str):
    """What a sentence is about, which stands out where a format can do that."""

    __slots__ = ()


class Sentence(str):
    """A text that remembers its parts; everywhere else it is the plain text.

    >>> said = Sentence("By accuracy, ", Name("ours"), " is first.")
    >>> said, in_lines(said, str, "*{}*".format)
    ('By accuracy, ours is first.', ['By accuracy, *ours* is first.'])
    """

    parts: tuple[str, ...]

    def __new__(cls, *parts: str) -> Self:
        """Of its parts, the parts of sentences among them."""
        sentence = super().__new__(cls, "".join(parts))
        sentence.parts = tuple(p for part in parts for p in parts_of(part))
        return sentence


def parts_of(text: str) -> tuple[str, ...]:
    """The parts of a sentence; any other text is one."""
    return text.parts if isinstance(text, Sentence) else (text,)


def joined(sign: str, texts: Iterable[str]) -> Sentence:
    """Texts one after another, the sign between them."""
    parts = [part for text in texts for part in (sign, text)]
    return Sentence(*parts[1:])


def escape_parts(text: str, escape: Callable[[str], str]) -> str:
    """A text escaped part by part."""
    return "".join(map(escape, parts_of(text)))


def in_lines(text: str, escape: Callable[[str], str], bold: Callable[[str], str]) -> list[str]:
    """Each line of a text, escaped part by part, names in ``bold``."""
    lines = [""]
    for part in parts_of(text):
        if isinstance(part, Name):
            lines[-1] += bold(escape(part))
            continue
        first, *rest = part.split("\n")
        lines[-1] += escape(first)
        lines += map(escape, rest)
    return lines


def sentence_named(names: Iterable[str], few: int = 6) -> Sentence:
    """Names as people say them, the rest by number; nothing in them repaints a screen.

    >>> sentence_named("abcdefgh")
    'a, b, c, d, e and 3 more'
    """
    every = _few([Name(visible(n).strip() or "(empty)") for n in names], few)
    last = [" and ", every[-1]] if len(every) > 1 else []
    return Sentence(joined(", ", every[:-1] or every), *last)
