"""Printed: a number as a paper prints it, and the true values that the print allows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from evenhand.auditing.ranges import Range
from evenhand.errors import InputError, shown

Level = Literal["cut", "written", "column"]
"""How a print is read: rounded or cut off; rounded as written; rounded as its column is."""

FINEST = 12
"""Decimals beyond which digits are taken for floating-point noise."""

DIGITS, COUNTED = 50, 15
"""Digits that a score and a number of items can have: beyond, nobody has measured anything."""

_BLANK = frozenset({"", "-", "--", "–", "—", "?", "n/a", "na", "nan", "none", "null", "undefined"})
_NUMBER = re.compile(r"([+-]?)(\d*)(?:[.,](\d*))?(?:[eE]([+-]?\d{1,2}))?\s*(%?)")
_COUNT = re.compile(r"\d+|\d{1,3}(?:[,\s'’]\d{3})+")


@dataclass(frozen=True, slots=True)
class Printed:
    """A printed number: its text, its value as it stands, its decimals, and whether it has a %."""

    text: str
    value: Fraction
    decimals: int
    percent: bool = False

    @property
    def large(self) -> bool:
        """Whether it can only be a percentage."""
        return self.percent or abs(self.value.numerator) > self.value.denominator

    @property
    def finer(self) -> int:
        """Decimals that tell other values from it: one more than it is printed with."""
        return max(min(self.decimals, FINEST) + 1, 0)

    def range(self, scale: int, level: Level = "written", finest: int = 0) -> Range:
        """The true values, as fractions, that the print allows; ``scale`` is 100 for percent.

        Both ends belong to it, since some round halves up and some to even. ``finest`` is the
        number of decimals of the column, for the level of that name.

        >>> read_number("0.5667").range(1)
        Range(low=Fraction(11333, 20000), high=Fraction(2267, 4000))
        """
        decimals = max(self.decimals, finest) if level == "column" else self.decimals
        ratio = self.value.as_integer_ratio()
        return _range(ratio, min(decimals, FINEST), scale, level == "cut")


@lru_cache(maxsize=65536)
def _range(ratio: tuple[int, int], decimals: int, scale: int, cut: bool) -> Range:
    value = Fraction(*ratio)
    unit = Fraction(1, 10**decimals) if decimals >= 0 else Fraction(10**-decimals)
    below = above = unit / 2
    if cut:
        above = unit
        below = unit if value < 0 else below
    return Range((value - below) / scale, (value + above) / scale)


def is_blank(text: str) -> bool:
    """Whether nothing is printed, or a sign that says so."""
    return text.strip().lower() in _BLANK


def is_number(text: str) -> bool:
    """Whether a text is a score or a number of items as papers print them."""
    plain = text.strip().replace("−", "-")
    found = _NUMBER.fullmatch(plain)
    return bool(found and (found[2] or found[3])) or _COUNT.fullmatch(plain) is not None


def read_number(text: str, where: str = "value") -> Printed | None:
    """A printed score; ``None`` where nothing is printed.

    >>> read_number("75,2 %")
    Printed(text='75,2 %', value=Fraction(376, 5), decimals=1, percent=True)
    """
    plain = text.strip().replace("−", "-").replace("\u00a0", " ")
    if is_blank(plain):
        return None
    found = _NUMBER.fullmatch(plain)
    if found is None or not (found[2] or found[3]):
        raise InputError(
            f"{where}: expected a number such as 0.752, 75.2 or 75,2, got {shown([text])}"
        )
    sign, whole, part, power, mark = found.groups(default="")
    if len(whole) + len(part) > DIGITS:
        raise InputError(f"{where}: expected at most {DIGITS} digits, got {shown([text])}")
    decimals = len(part) - int(power or 0)
    digits = int(sign + whole + part)
    value = Fraction(digits * 10 ** max(-decimals, 0), 10 ** max(decimals, 0))
    return Printed(text.strip(), value, decimals, bool(mark))


def is_count(text: str) -> bool:
    """Whether a text is a whole number, thousands marked or not."""
    return _COUNT.fullmatch(re.sub(r"\.0*$", "", text.strip())) is not None


def read_count(text: str, where: str = "count") -> int | None:
    """A printed whole number, thousands marked or not.

    >>> read_count("1,234"), read_count("200.0")
    (1234, 200)
    """
    plain = text.strip()
    if is_blank(plain):
        return None
    plain = re.sub(r"\.0*$", "", plain)
    if _COUNT.fullmatch(plain) is None:
        raise InputError(f"{where}: expected a whole number, got {shown([text])}")
    digits = re.sub(r"\D", "", plain)
    if len(digits) > COUNTED:
        raise InputError(f"{where}: expected at most {COUNTED} digits, got {shown([text])}")
    return int(digits)
