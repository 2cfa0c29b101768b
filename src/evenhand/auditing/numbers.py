"""Numbers as papers print them, and the values that their rounding allows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache

from evenhand.auditing.headers import PER_CLASS, ReportedColumn, heading_column
from evenhand.auditing.ranges import Range, harmonic
from evenhand.errors import InputError, shown

FINEST = 12
"""Decimals beyond which digits are taken for floating-point noise."""

DIGITS, COUNTED = 50, 15
"""Digits that a score and a number of items can have: beyond, nobody has measured anything."""

_BLANK = frozenset({"", "-", "--", "–", "—", "?", "n/a", "na", "nan", "none", "null", "undefined"})
_NUMBER = re.compile(r"([+-]?)(\d*)(?:[.,](\d*))?(?:[eE]([+-]?\d{1,2}))?\s*(%?)")
_COUNT = re.compile(r"\d+|\d{1,3}(?:[,\s'’]\d{3})+")


@dataclass(frozen=True, slots=True)
class PrintedNumber:
    """A printed number: its text, its value as it stands, its decimals, and whether it has a %.

    ``spread`` is printed after ± or in parentheses beside it, ``ends`` are those of an interval.
    """

    text: str
    value: Fraction
    decimals: int
    percent: bool = False
    spread: str = field(default="", compare=False)
    ends: tuple[str, str] | None = field(default=None, compare=False)

    @property
    def with_spread(self) -> str:
        """As printed, with what stands beside it."""
        spread = f" ± {self.spread}" if self.spread else ""
        return f"{self.text}{spread}" + (f" [{', '.join(self.ends)}]" if self.ends else "")

    @property
    def large(self) -> bool:
        """Whether it can only be a percentage."""
        return self.percent or abs(self.value.numerator) > self.value.denominator

    @property
    def finer(self) -> int:
        """One decimal more than it is printed with."""
        return max(min(self.decimals, FINEST) + 1, 0)

    def range(self, scale: int, *, cut: bool = False) -> Range:
        """The true values, as fractions, that round to it, or with ``cut`` are perhaps cut off to
        it; ``scale`` is 100 for percent.

        Both ends belong to it, since some round halves up and some to even.

        >>> read_number("0.5667").range(1)
        Range(low=Fraction(11333, 20000), high=Fraction(2267, 4000))
        """
        return _range(self.value.as_integer_ratio(), min(self.decimals, FINEST), scale, cut)


@lru_cache(maxsize=65536)
def _range(ratio: tuple[int, int], decimals: int, scale: int, cut: bool) -> Range:
    top, bottom = ratio
    top, unit = 2 * top * 10 ** max(decimals, 0), bottom * 10 ** max(-decimals, 0)
    below, above = unit * (1 + (cut and top < 0)), unit * (1 + cut)
    steps = 2 * bottom * scale * 10 ** max(decimals, 0)
    return Range(Fraction(top - below, steps), Fraction(top + above, steps))


def is_blank(text: str) -> bool:
    """Whether a cell is empty or holds a sign for a missing value."""
    return text.strip().lower() in _BLANK


def is_number(text: str) -> bool:
    """Whether a text is a score or a number of items as papers print them."""
    plain = text.strip().replace("−", "-")
    match = _NUMBER.fullmatch(plain)
    return bool(match and (match[2] or match[3])) or _COUNT.fullmatch(plain) is not None


def read_number(text: str, where: str = "value") -> PrintedNumber | None:
    """A printed score; ``None`` where nothing is printed.

    >>> number = read_number("75,2 %")
    >>> number.value, number.decimals, number.percent
    (Fraction(376, 5), 1, True)
    """
    plain = text.strip().replace("−", "-").replace("\u00a0", " ")
    if is_blank(plain):
        return None
    match = _NUMBER.fullmatch(plain)
    if match is None or not (match[2] or match[3]):
        raise InputError(
            f"{where}: expected a number such as 0.752, 75.2 or 75,2, got {shown([text])}"
        )
    sign, integer, part, power, mark = match.groups(default="")
    if len(integer) + len(part) > DIGITS:
        raise InputError(f"{where}: expected at most {DIGITS} digits, got {shown([text])}")
    decimals = len(part) - int(power or 0)
    digits = int(sign + integer + part)
    value = Fraction(digits * 10 ** max(-decimals, 0), 10 ** max(decimals, 0))
    return PrintedNumber(text.strip(), value, decimals, bool(mark))


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
    if not is_count(plain):
        raise InputError(f"{where}: expected a whole number, got {shown([text])}")
    digits = re.sub(r"\.0*$|\D", "", plain)
    if len(digits) > COUNTED:
        raise InputError(f"{where}: expected at most {COUNTED} digits, got {shown([text])}")
    return int(digits)


# Cells: a number with its marks, spread or interval

_MARKS = "*†‡§¶#^♠♣♦♥⋆★☆◇◆△▲▽▼↑↓⇑⇓ªº" + "".join(
    map(chr, (0xB9, 0xB2, 0xB3, *range(0x2070, 0x2080), *range(0x1D43, 0x1D6B), 0x1D9C, 0x1DA0))
)
_VALUE = re.compile(
    r"(?P<value>[^±(\[]*?)"
    r"(?:\s*(?:±|\+/[-−]|\+[-−])\s*(?P<spread>[\d.,]+)\s*(?P<unit>%?))?"
    r"(?:\s*[(\[](?P<extra>[^)\]]*)[)\]])?\s*(?P<mark>%?)"
)
_LAST_DIGITS = re.compile(r"\d?[.](?P<decimals>\d+)[(](?P<digits>\d{1,4})[)]$")
"""64.7(103) is 64.7 ± 10.3; with a space before it, the number in parentheses is a rank."""
_ALONE = re.compile(r"(?:±|\+/[-−])\s*[\d.,]+\s*%?|[(]\s*±?\s*[\d.,]+\s*%?[)]")
_END = r"[+\-−]?[\d.,]*?\d\s*%?"
_ENDS = re.compile(rf"\s*({_END})\s*(?:[,;–—]|-|to|\s)\s*({_END})\s*")


@dataclass(frozen=True)
class PrintedValue:
    """A number as written, and beside it a spread or the ends of an interval, if printed."""

    text: str
    spread: str = ""
    ends: tuple[str, str] | None = None


def read_value(text: str) -> PrintedValue:
    """The parts of a cell; what is no number stays as it is.

    >>> read_value("75.2±0.4*"), read_value("0.752 (0.70, 0.80)†").ends
    (PrintedValue(text='75.2', spread='0.4', ends=None), ('0.70', '0.80'))
    """
    if is_number(text):
        return PrintedValue(text.strip())
    plain = text.replace("\u00a0", " ").replace("\u2009", " ").replace("\u202f", " ")
    plain = plain.strip().strip(_MARKS).strip()
    match = _VALUE.fullmatch(plain)
    if match is None or is_blank(plain):
        return PrintedValue(plain)
    number = match["value"].strip().strip(_MARKS).strip()
    spread, extra = match["spread"] or "", (match["extra"] or "").strip().lstrip("±").strip()
    if not number and extra and not spread:
        return PrintedValue(extra.strip(_MARKS).strip())  # a cell in parentheses
    if match["mark"] or match["unit"]:
        number = number if number.endswith("%") else f"{number}%"
    if not is_number(number):
        return PrintedValue(plain)
    ends = _ENDS.fullmatch(extra)
    if ends is not None and not is_number(extra):
        both = ends[1].strip(), ends[2].strip()
        return PrintedValue(number, spread, both if all(map(is_number, both)) else None)
    if not spread and is_number(extra) and re.search(r"[.,]", extra):
        spread = extra
    elif not spread and (last := _LAST_DIGITS.search(plain)) is not None:
        decimals = len(last["decimals"])
        digits = last["digits"].zfill(decimals + 1)
        spread = f"{digits[:-decimals]}.{digits[-decimals:]}"
    return PrintedValue(number, spread)


def read_score(text: str, where: str) -> PrintedNumber | None:
    """The score that a cell prints, with what stands beside it; ``None`` for a blank cell."""
    cell = read_value(text)
    number = read_number(cell.text, where)
    return None if number is None else replace(number, spread=cell.spread, ends=cell.ends)


def is_spread(text: str) -> bool:
    """Whether a cell prints a spread alone, as ``±0.4`` or ``(0.4)``."""
    return _ALONE.fullmatch(text.strip()) is not None


def is_value(text: str) -> bool:
    """Whether a cell prints a number."""
    return is_number(read_value(text).text)


# Precision, recall and F1 whose average or class the heading does not name

QUESTION = heading_column("macro_f1")
"""An F1 of all classes, whichever formula it is."""
ONE = "?"
"""The name of a class that nobody names."""

Rows = Sequence[Sequence[str]]


def resolve_unspecified(
    columns: Mapping[int, ReportedColumn], vague: Mapping[int, str], rows: Rows, *, sized: bool
) -> tuple[dict[int, ReportedColumn], str]:
    """The columns with those that are ``vague``, each a part, as what they do says, and what that
    is: "one", "weighted", "macro", or nothing where they are not used.

    They are not used beside an average that has a name, or if sizes of classes are given that
    they may be of; beside classes, F1 alone is.
    """
    rest = {j: c for j, c in columns.items() if j not in vague}
    at = {part: j for j, part in vague.items()}
    twice = len(at) < len(vague)
    if not vague or twice:
        return dict(columns), "macro" if vague else ""
    if {c.name for c in rest.values() if c.kind == "metric"} & {columns[j].name for j in vague}:
        return rest, ""
    if any(c.kind in PER_CLASS for c in rest.values()):
        f1 = {j: columns[j] for j in vague if columns[j].name == QUESTION.name}
        return rest | f1, "macro"
    if all(part in at for part in PER_CLASS) and all(harmonic_checks(rows, at)):
        if sized:
            return rest, ""
        of_class = {j: _named(f"{part}[{ONE}]", columns[j]) for part, j in at.items()}
        return rest | of_class, "one"
    accuracy = [j for j, c in rest.items() if c.name == "accuracy"]
    named = any("macro" in c.name or "weighted" in c.name for c in rest.values())
    if accuracy and "recall" in at and not named and _same_values(rows, accuracy[0], at["recall"]):
        rates = [part for part in at if part != "f1"]
        weighted = {at[part]: _named(f"weighted_{part}", columns[at[part]]) for part in rates}
        return dict(columns) | weighted, "weighted"
    return dict(columns), "macro"


def _named(name: str, was: ReportedColumn) -> ReportedColumn:
    target = heading_column(name)
    header = target.header if target.kind in PER_CLASS else was.header
    return replace(target, header=header, printed=was.header)


def harmonic_checks(rows: Rows, at: Mapping[str, int]) -> Iterable[bool]:
    """Of every row with precision, recall and F1: whether F1 can be 2PR/(P+R)."""
    for row in rows:
        values = [x for part in PER_CLASS if (x := _printed_range(row[at[part]])) is not None]
        if len(values) == len(PER_CLASS):
            p, r, f1 = values
            yield harmonic(p, r).meets(f1)


def _same_values(rows: Rows, one: int, other: int) -> bool:
    """Whether two columns have the same values in every row, as far as they are printed."""
    pairs = [(_printed_range(row[one]), _printed_range(row[other])) for row in rows]
    return all(a.meets(b) for a, b in pairs if a is not None and b is not None)


def _printed_range(text: str) -> Range | None:
    number = read_value(text).text
    value = read_number(number) if is_number(number) else None
    return None if value is None else value.range(1)
