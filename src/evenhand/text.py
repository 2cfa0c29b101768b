"""Numbers, sentences, cells and tables as text, and all escaping but that of LaTeX."""

from __future__ import annotations

import html
import math
import textwrap
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from operator import attrgetter
from typing import Any, ClassVar, Literal, Self, TypeAlias, TypeVar

from evenhand.options import ValueObject
from evenhand.records import Interval

K = TypeVar("K")
V = TypeVar("V")

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


def folded(text: str, columns: int | None, inset: str | None = None) -> list[str]:
    """A sentence over lines, those that continue it set in as it is."""
    if columns is None:
        return [visible(text)]
    if inset is None:
        inset = text[: len(text) - len(text.lstrip(" "))]
        inset += "  " * bool(inset)
    joined = visible(text).replace(" %", "\xa0%")  # a sign that begins no line
    lines = textwrap.wrap(
        joined, columns, subsequent_indent=inset, break_long_words=False, break_on_hyphens=False
    )
    return [line.replace("\xa0%", " %") for line in lines] or [""]


def width(text: str) -> int:
    """Columns that ``text`` takes on a terminal."""
    if text.isascii():
        return len(text)
    seen = (c for c in text if unicodedata.category(c) not in ("Mn", "Me") and c not in _JOINERS)
    return sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in seen)


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


def percents(low: float | None, high: float | None) -> str:
    """Shares from one to another in percent: ``12–45 %``, or one alone where they are alike.

    >>> percents(0.123, 0.45), percents(0.5, 0.504), percents(0.97, 0.9999)
    ('12–45 %', '50 %', '97–>99.9 %')
    """
    if low is None or high is None or percent(low) == percent(high):
        return "" if low is None else percent(low)
    return f"{percent(low).removesuffix(' %')}–{percent(high)}"


def move_text(places: int) -> str:
    """Places up or down: ``↑ 2``, ``↓ 1``, nothing where it stays."""
    return f"{'↑' if places > 0 else '↓'} {abs(places)}" if places else ""


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


def counted(amount: float, one: str, many: str = "") -> str:
    """An amount with its noun: ``1 item``, ``2,000 items``."""
    return f"{amount:,.10g} {one if amount == 1 else many or f'{one}s'}"


def interval(value: float, low: float | None, high: float | None, digits: int = 3) -> str:
    """A number with its interval, or alone.

    >>> interval(0.812, 0.79, 0.834), interval(0.812, None, None)
    ('0.812 [0.790, 0.834]', '0.812')
    """
    return f"{number(float(value), digits)} {ends(low, high, digits)}".rstrip()


def group_by(values: Iterable[V], key: Callable[[V], K]) -> dict[K, list[V]]:
    """Values by their key, in the order of the first of each."""
    groups: dict[K, list[V]] = {}
    for value in values:
        groups.setdefault(key(value), []).append(value)
    return groups


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


def in_lines(text: str, escape: Callable[[str], str], bold: Callable[[str], str]) -> list[str]:
    """Each line of a text, escaped part by part, names in ``bold``."""
    lines = [""]
    for part in parts_of(text):
        first, *rest = [part] if isinstance(part, Name) else part.split("\n")
        lines[-1] += bold(escape(first)) if isinstance(part, Name) else escape(first)
        lines += map(escape, rest)
    return lines


def named(names: Iterable[str], few: int = 6) -> Sentence:
    """Names as people say them: ``a``, ``a and b``, ``a, b and c``, the rest by number.

    >>> named("ab"), named("abcdefgh")
    ('a and b', 'a, b, c, d, e and 3 more')
    """
    every = list(names)
    if len(every) > few:
        every[few - 1 :] = [f"{len(every) - few + 1:,} more"]
    return Sentence(joined(" and ", filter(None, (joined(", ", every[:-1]), *every[-1:]))))


def sentence_named(names: Iterable[str]) -> Sentence:
    """The same with names that stand out; nothing in them repaints a screen."""
    return named(Name(visible(n).strip() or "(empty)") for n in names)


# Cells: what stands in a table.

Look: TypeAlias = Literal["plain", "bold", "underlined", "small", "marked", "lowered"]
"""How a part of a cell looks."""
Looks: TypeAlias = Mapping[Look, str]
"""A format's way of each, around ``{}``; what it has none for is plain."""

IntervalStyle: TypeAlias = Literal["pm", "ends", "small", "none"]
"""How an interval stands beside its number: ±, [low, high], the same small, or not."""


class MetricName(str):
    """The spelling of a metric, or of several that are one number, for which papers have words.

    >>> MetricName("accuracy = micro_f1").spelled
    ('accuracy', 'micro_f1')
    """

    @property
    def spelled(self) -> tuple[str, ...]:
        """The spellings, in none of which the sign between them stands."""
        return tuple(self.split(" = "))


class Term(MetricName):
    """What people call a metric of the positive class, which has a spelling too.

    >>> Term("LR+", "positive_likelihood_ratio:label=spam").spelled
    ('positive_likelihood_ratio:label=spam',)
    """

    spelling: str

    def __new__(cls, term: str, spelling: str) -> Self:
        """Of the term and the spelling."""
        self = super().__new__(cls, term)
        self.spelling = spelling
        return self

    @property
    def spelled(self) -> tuple[str, ...]:
        """The spelling."""
        return (self.spelling,)


class ShownCell(ValueObject, ABC):
    """What a cell holds where a number alone would say too little; ``sort`` orders such cells."""

    right: ClassVar[bool] = False

    @abstractmethod
    def text(self, digits: int) -> str:
        """The cell in words."""

    def parts(self, digits: int) -> Iterable[tuple[str, Look]]:
        """The same, part by part, with how each looks."""
        yield self.text(digits), "plain"

    @property
    def sort(self) -> float | None:
        """The number that orders it among its like: the first that it holds."""
        first: Any = next(iter(vars(self).values()))
        return first.value if isinstance(first, Interval) else first


class IntervalCell(ShownCell):
    """A number with its interval: ``0.8123 [0.7900, 0.8346]``, and its rank if it has one."""

    interval: Interval
    rank: int | None = None

    def text(self, digits: int) -> str:
        rank = "" if self.rank is None else f" ({self.rank})"
        return interval(self.interval.value, self.interval.low, self.interval.high, digits) + rank


class RankedCell(ShownCell):
    """A score among those of its column: ``0.8123 ± 0.0223``.

    The best stands in bold, the second underlined; a dagger is at those that tie with the best.
    """

    right: ClassVar[bool] = True
    interval: Interval
    style: IntervalStyle = "pm"
    rank: int | None = None
    tied: bool = False

    def text(self, digits: int) -> str:
        return "".join(text for text, _ in self.parts(digits))

    def parts(self, digits: int) -> Iterable[tuple[str, Look]]:
        looks: dict[int | None, Look] = {1: "bold", 2: "underlined"}
        yield number(self.interval.value, digits), looks.get(self.rank, "plain")
        yield "†" * self.tied, "plain"
        low, high = self.interval.low, self.interval.high
        if low is None or high is None or self.style == "none":
            return
        if self.style == "pm":
            yield f" ± {number((high - low) / 2, digits)}", "plain"
        else:
            yield " ", "plain"
            yield ends(low, high, digits), "small" if self.style == "small" else "plain"


class LimitsCell(ShownCell):
    """An interval alone: ``[0.7900, 0.8346]``."""

    right: ClassVar[bool] = True
    low: float | None
    high: float | None

    def text(self, digits: int) -> str:
        return ends(self.low, self.high, digits)


class TextCell(ShownCell):
    """A number as ``words``: a share in percent, a p value, the first of several ranks."""

    right: ClassVar[bool] = True
    value: float | None
    words: str

    def text(self, digits: int) -> str:
        return self.words


class ShadedCell(TextCell):
    """A cell of a confusion: its share of the true class, and whether it is a hit."""

    share: float
    hit: bool


class RankCell(TextCell):
    """Ranks from one to another, which stand left: ``1–3``."""

    right: ClassVar[bool] = False


def share_cell(low: float | None, high: float | None = None) -> TextCell:
    """A share in percent, or from one share to another: ``12 %``, ``12–45 %``."""
    return TextCell(low, percents(low, low if high is None else high))


def p_cell(p: float | None) -> TextCell:
    """A p value."""
    return TextCell(p, p_value(p))


class StarredCell(ShownCell):
    """A number, marked with a star where it is significant."""

    right: ClassVar[bool] = True
    value: float
    star: bool

    def text(self, digits: int) -> str:
        return number(self.value, digits) + "*" * self.star


class ExactCell(ShownCell):
    """A number with all its digits."""

    right: ClassVar[bool] = True
    value: float

    def text(self, digits: int) -> str:
        return number(self.value, None)


Cell: TypeAlias = str | int | float | ShownCell | None


def measured_cells(x: Interval) -> list[Cell]:
    """Value, standard error, ends and method of an interval, for a row of data."""
    return [x.value, x.se, x.low, x.high, str(x.method or "")]


RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


# Grids of cells, written as any format escapes them.


class Grid(ValueObject):
    """Columns and rows; text columns stand left, numbers right."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]

    @classmethod
    def from_records(
        cls, records: Iterable[Any], *columns: str | tuple[str, str | Callable[[Any], Cell]]
    ) -> Grid:
        """One row a record; a column is an attribute, or a function of the record.

        Text lists columns as ``heading=attribute:kind``, of which a heading alone is enough.

        >>> Grid.from_records([Interval(0.5, low=0.4)], "score=value, low").rows
        [[0.5, 0.4]]
        """
        pairs = list[tuple[str, Callable[[Any], Cell]]]()
        for column in columns:
            if isinstance(column, str):
                parts = (part.partition("=") for part in column.split(", "))
                pairs += [
                    (head.partition(":")[0], _cell_of(name or head)) for head, _, name in parts
                ]
            else:
                heading, cell = column
                pairs.append((heading, _cell_of(cell) if isinstance(cell, str) else cell))
        rows = [[cell(record) for _, cell in pairs] for record in records]
        return cls([heading for heading, _ in pairs], rows)

    def cut(self, most: int) -> Grid:
        """Its first rows."""
        return replace(self, rows=self.rows[:most])

    def without_empty(self) -> Grid:
        """Without columns of which no row has anything."""
        nothing = (None, LimitsCell(None, None))
        some = [any(row[j] not in nothing for row in self.rows) for j in range(len(self.columns))]
        rows = [list(compress(row, some)) for row in self.rows]
        return Grid(list(compress(self.columns, some)), rows)

    def with_limits(self) -> Grid:
        """Columns ``low`` and ``high`` as one, ``[0.801, 0.846]``, each pair of them."""
        if not {"low", "high"} <= set(self.columns):
            return self
        low, high = list(self.columns).index("low"), list(self.columns).index("high")
        rows = [[*row[:low], _limits(row[low], row[high]), *row[high + 1 :]] for row in self.rows]
        head = [*self.columns[:low], "interval", *self.columns[high + 1 :]]
        return Grid(head, rows).with_limits()

    def with_footnotes(self) -> tuple[Grid, str]:
        """Metrics that are one number under their first name, the others in a note."""
        notes: dict[MetricName, str] = {}

        def marked(cell: Cell) -> Cell:
            if not isinstance(cell, MetricName) or len(cell.spelled) == 1:
                return cell
            mark = notes.setdefault(cell, str(len(notes) + 1).translate(RAISED))
            return MetricName(f"{cell.spelled[0]}{mark}")

        rows = [list(map(marked, row)) for row in self.rows]
        texts = (f"{mark} also {listed(name.spelled[1:], 12)}" for name, mark in notes.items())
        return replace(self, rows=rows), "; ".join(texts)

    @property
    def rights(self) -> list[bool]:
        """For each column, whether it holds numbers and nothing else."""
        columns = ([r[j] for r in self.rows if r[j] is not None] for j in range(len(self.columns)))
        return [bool(cells) and all(map(_is_number, cells)) for cells in columns]

    def marked(self, j: int) -> bool:
        """Whether a cell of a column stands out by a mark."""
        cells = [row[j] for row in self.rows]
        shown = [part for c in cells if isinstance(c, ShownCell) for part in c.parts(0)]
        return any(look == "marked" for _, look in shown)

    def written(
        self, digits: int, escape: Callable[[str], str], looks: Looks | None = None
    ) -> list[list[str]]:
        """All cells as escaped text, the header first; ``looks`` are those of its parts."""
        rows = ([written(c, digits, escape, looks) for c in row] for row in self.rows)
        return [[escape(c) for c in self.columns], *rows]


def judged_columns(records: Iterable[Any]) -> list[tuple[str, Callable[[Any], Cell]]]:
    """What human labels and a judge say alone, where a judge corrects some of the records."""
    columns: list[tuple[str, Callable[[Any], Cell]]] = [
        ("human labels alone", lambda r: r.judged and IntervalCell(r.judged.human)),
        ("judge alone", lambda r: r.judged and IntervalCell(r.judged.judge)),
        ("lambda", lambda r: r.judged and f"{r.judged.power:.2f}"),
    ]
    return columns if any(r.judged for r in records) else []


KINDS: dict[str, Callable[[Any], Cell]] = {
    "exact": ExactCell,
    "interval": IntervalCell,
    "key": key_text,
    "metric": MetricName,
    "minus": " − ".join,
    "p": p_cell,
    "share": share_cell,
    "text": str,
}
"""How an attribute is shown in a column, by the name of the kind."""


def _cell_of(attribute: str) -> Callable[[Any], Cell]:
    """The cell of a record: an attribute as it is, or of a kind, where it is known."""
    name, _, kind = attribute.partition(":")
    if not kind:
        return attrgetter(name)
    return lambda record: None if (x := getattr(record, name)) is None else KINDS[kind](x)


def _limits(low: Cell, high: Cell) -> Cell:
    known = isinstance(low, int | float) and isinstance(high, int | float)
    return LimitsCell(low, high) if known else None  # type: ignore[arg-type]


def _is_number(cell: Cell) -> bool:
    return cell.right if isinstance(cell, ShownCell) else isinstance(cell, int | float)


def written(
    cell: Cell, digits: int, escape: Callable[[str], str], looks: Looks | None = None
) -> str:
    """A cell as escaped text."""
    if looks is None or not isinstance(cell, ShownCell):
        return escape(cell_text(cell, digits))
    parts = ((escape(text), look) for text, look in cell.parts(digits) if text)
    return "".join(looks.get(look, "{}").format(text) for text, look in parts)


def cell_text(cell: Cell, digits: int) -> str:
    """A cell as text, nothing escaped yet."""
    if isinstance(cell, str):
        return cell
    return cell.text(digits) if isinstance(cell, ShownCell) else number(cell, digits)


LOOKS: Looks = {"bold": "*{}*", "underlined": "_{}_", "lowered": "_{}"}
"""Looks in plain text."""
NARROW = 28
"""Columns that a text keeps where a table is too wide."""


def aligned(
    grid: Grid, digits: int = 4, label_width: int = 40, columns: int | None = None
) -> tuple[str, Sequence[str]]:
    """Aligned columns, and those left out so that no line is wider than asked: the last first,
    and those with a mark after all others.

    Text columns stand left, numbers right; a header of nothing is left out.
    """

    def fitted(s: str) -> str:
        return shortened(visible(s), label_width)

    lines = grid.written(digits, fitted, LOOKS)
    widths = [max(map(width, column)) for column in zip(*lines, strict=True)]
    right = grid.rights
    if columns is not None and sum(widths) + 2 * len(widths) - 2 > columns:
        room = columns - sum(widths[:-1]) - 2 * len(widths) + 2
        if room >= NARROW and not right[-1]:  # sentences, which go on below
            blank, widths[-1] = [""] * (len(widths) - 1), room
            lines = [
                [*(blank if i else start), part]
                for *start, last in lines
                for i, part in enumerate(textwrap.wrap(last, room) or [""])
            ]
        elif label_width > NARROW:
            return aligned(grid, digits, max(NARROW, label_width // 2), columns)
        elif len(widths) > 2:
            last = max(range(1, len(widths)), key=lambda j: (not grid.marked(j), j))
            rows = [[*row[:last], *row[last + 1 :]] for row in grid.rows]
            narrower = Grid([*grid.columns[:last], *grid.columns[last + 1 :]], rows)
            text, dropped = aligned(narrower, digits, label_width, columns)
            return text, [*dropped, grid.columns[last]]
    out = []
    for line in lines if any(grid.columns) else lines[1:]:
        cells = ((c, " " * (w - width(c)), r) for c, w, r in zip(line, widths, right, strict=True))
        out.append("  ".join(pad + c if r else c + pad for c, pad, r in cells).rstrip())
    return "\n".join(out), ()
