"""Values: what a cell of a paper's table prints, without its marks, and what stands beside it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evenhand.auditing.printed import is_blank, is_number

_MARKS = "*†‡§¶#^♠♣♦♥⋆★☆◇◆△▲▽▼↑↓⇑⇓ªº" + "".join(
    map(chr, (0xB9, 0xB2, 0xB3, *range(0x2070, 0x2080), *range(0x1D43, 0x1D6B), 0x1D9C, 0x1DA0))
)
_VALUE = re.compile(
    r"(?P<value>[^±(\[]*?)"
    r"(?:\s*(?:±|\+/[-−]|\+[-−])\s*(?P<spread>[\d.,]+)\s*(?P<unit>%?))?"
    r"(?:\s*[(\[](?P<beside>[^)\]]*)[)\]])?\s*(?P<mark>%?)"
)
_LAST_DIGITS = re.compile(r"\d?[.](?P<decimals>\d+)[(](?P<digits>\d{1,4})[)]$")
"""64.7(103) is 64.7 ± 10.3; with a space before it, the number in parentheses is a rank."""
_ALONE = re.compile(r"(?:±|\+/[-−])\s*[\d.,]+\s*%?|[(]\s*±?\s*[\d.,]+\s*%?[)]")
_END = r"[+\-−]?[\d.,]*?\d\s*%?"
_ENDS = re.compile(rf"\s*({_END})\s*(?:[,;–—]|-|to|\s)\s*({_END})\s*")


@dataclass(frozen=True)
class Value:
    """A number as written, and beside it a spread or the ends of an interval, if printed."""

    text: str
    spread: str = ""
    ends: tuple[str, str] | None = None


def read_value(text: str) -> Value:
    """The parts of a cell; what is no number stays as it is.

    >>> read_value("75.2±0.4*"), read_value("0.752 (0.70, 0.80)†").ends
    (Value(text='75.2', spread='0.4', ends=None), ('0.70', '0.80'))
    """
    if is_number(text):
        return Value(text.strip())
    plain = text.replace("\u00a0", " ").replace("\u2009", " ").replace("\u202f", " ")
    plain = plain.strip().strip(_MARKS).strip()
    found = _VALUE.fullmatch(plain)
    if found is None or is_blank(plain):
        return Value(plain)
    number = found["value"].strip().strip(_MARKS).strip()
    spread, beside = found["spread"] or "", (found["beside"] or "").strip().lstrip("±").strip()
    if not number and beside and not spread:
        return Value(beside.strip(_MARKS).strip())  # a cell in parentheses
    if found["mark"] or found["unit"]:
        number = number if number.endswith("%") else f"{number}%"
    if not is_number(number):
        return Value(plain)
    ends = _ENDS.fullmatch(beside)
    if ends is not None and not is_number(beside):
        both = ends[1].strip(), ends[2].strip()
        return Value(number, spread, both if all(map(is_number, both)) else None)
    if not spread and is_number(beside) and re.search(r"[.,]", beside):
        return Value(number, beside)
    last = _LAST_DIGITS.search(plain)
    if last is not None and not spread:
        return Value(number, _of_last_digits(last["decimals"], last["digits"]))
    return Value(number, spread)


def _of_last_digits(decimals: str, digits: str) -> str:
    """A spread that is written in units of the last digit.

    >>> _of_last_digits("7", "103")
    '10.3'
    """
    whole = digits.zfill(len(decimals) + 1)
    return f"{whole[: -len(decimals)]}.{whole[-len(decimals) :]}"


def is_spread(text: str) -> bool:
    """Whether a cell prints a spread alone, as ``±0.4`` or ``(0.4)``."""
    return _ALONE.fullmatch(text.strip()) is not None


def is_value(text: str) -> bool:
    """Whether a cell prints a number."""
    return is_number(read_value(text).text)
