"""The content of a result: paragraphs, tables and charts, which every format writes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Protocol, TypeAlias

from evenhand.records import Interval
from evenhand.text import ends, number, p_value, percent, span

Look: TypeAlias = Literal["plain", "bold", "underlined", "small", "marked"]
"""How a part of a cell looks."""
Looks: TypeAlias = Mapping[Look, str]
"""A format's way of each, around ``{}``; what it has none for is plain."""

IntervalStyle: TypeAlias = Literal["pm", "ends", "small", "none"]
"""How an interval stands beside its number: ±, [low, high], the same small, or not."""


class OwnNumber(str):
    """A name that a user has written for the format at hand, and no label: it is not escaped."""

    __slots__ = ()


class MetricName(str):
    """The spelling of a metric, or of several that are one number, for which papers have words.

    >>> MetricName("accuracy = micro_f1").spelled
    ('accuracy', 'micro_f1')
    """

    @property
    def spelled(self) -> tuple[str, ...]:
        """The spellings, in none of which the sign between them stands."""
        return tuple(self.split(" = "))


class ShownCell(ABC):
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


@dataclass(frozen=True)
class IntervalCell(ShownCell):
    """A number with its interval: ``0.8123 [0.7900, 0.8346]``, and its rank if it has one."""

    interval: Interval
    rank: int | None = None

    def text(self, digits: int) -> str:
        known = [
            number(self.interval.value, digits),
            ends(self.interval.low, self.interval.high, digits),
        ]
        known.append("" if self.rank is None else f"({self.rank})")
        return " ".join(part for part in known if part)


@dataclass(frozen=True)
class PlaceCell(ShownCell):
    """A score among those of its column: ``0.8123 ± 0.0223``.

    The best stands in bold, the second underlined; a dagger is at those that are not told apart
    from the best.
    """

    interval: Interval
    style: IntervalStyle = "pm"
    place: int | None = None
    tied: bool = False

    def text(self, digits: int) -> str:
        return "".join(text for text, _ in self.parts(digits))

    def parts(self, digits: int) -> Iterable[tuple[str, Look]]:
        looks: dict[int | None, Look] = {1: "bold", 2: "underlined"}
        yield number(self.interval.value, digits), looks.get(self.place, "plain")
        yield "†" * self.tied, "plain"
        low, high = self.interval.low, self.interval.high
        if low is None or high is None or self.style == "none":
            return
        if self.style == "pm":
            yield f" ± {number((high - low) / 2, digits)}", "plain"
        else:
            yield " ", "plain"
            yield ends(low, high, digits), "small" if self.style == "small" else "plain"


@dataclass(frozen=True)
class LimitsCell(ShownCell):
    """An interval alone: ``[0.7900, 0.8346]``."""

    low: float | None
    high: float | None

    def text(self, digits: int) -> str:
        return ends(self.low, self.high, digits)


@dataclass(frozen=True)
class ShareCell(ShownCell):
    """A share of a whole, in percent."""

    right: ClassVar[bool] = True
    share: float

    def text(self, digits: int) -> str:
        return percent(self.share)


@dataclass(frozen=True)
class ProbabilityCell(ShownCell):
    """A p value or a probability."""

    right: ClassVar[bool] = True
    p: float | None

    def text(self, digits: int) -> str:
        return p_value(self.p)


@dataclass(frozen=True)
class PlacesCell(ShownCell):
    """From a place to a place: ``1–3``."""

    low: int | None
    high: int | None

    def text(self, digits: int) -> str:
        return span(self.low, self.high)


@dataclass(frozen=True)
class StarredCell(ShownCell):
    """A number, marked with a star where it is significant."""

    right: ClassVar[bool] = True
    value: float
    star: bool

    def text(self, digits: int) -> str:
        return number(self.value, digits) + "*" * self.star


@dataclass(frozen=True)
class MoveCell(ShownCell):
    """Places up or down: ``↑ 2``, ``↓ 1``, nothing where it stays."""

    right: ClassVar[bool] = True
    places: int

    def text(self, digits: int) -> str:
        return f"{'↑' if self.places > 0 else '↓'} {abs(self.places)}" if self.places else ""


@dataclass(frozen=True)
class ExactCell(ShownCell):
    """A number with all its digits."""

    right: ClassVar[bool] = True
    value: float

    def text(self, digits: int) -> str:
        return number(self.value, None)


Cell: TypeAlias = str | int | float | ShownCell | None


# Tables of cells, not yet written in any format.


@dataclass(frozen=True)
class Grid:
    """Columns and rows; text columns stand left, numbers right."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]

    def cut(self, most: int) -> Grid:
        """Its first rows."""
        return replace(self, rows=self.rows[:most])

    @property
    def rights(self) -> list[bool]:
        """For each column, whether it holds numbers and nothing else."""
        columns = ([r[j] for r in self.rows if r[j] is not None] for j in range(len(self.columns)))
        return [bool(cells) and all(map(_is_number, cells)) for cells in columns]

    def written(
        self, digits: int, escape: Callable[[str], str], looks: Looks | None = None
    ) -> list[list[str]]:
        """All cells as escaped text, the header first; ``looks`` are those of its parts."""
        rows = ([written(c, digits, escape, looks) for c in row] for row in self.rows)
        return [[escape(c) for c in self.columns], *rows]


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


# Metrics that are the same number are shown once.


def group_equal(names: Iterable[str], number: Callable[[str], Hashable]) -> list[list[str]]:
    """Names in groups of one ``number``, each where its first name stands.

    >>> group_equal(["accuracy", "mcc", "micro_f1"], {"accuracy": 1, "mcc": 2, "micro_f1": 1}.get)
    [['accuracy', 'micro_f1'], ['mcc']]
    """
    groups: dict[Hashable, list[str]] = {}
    for name in names:
        groups.setdefault(number(name), []).append(name)
    return list(groups.values())


def rounded(*numbers: float | None) -> tuple[str, ...]:
    """What two rows of numbers that are one have in common, rounding aside.

    >>> rounded(0.1 + 0.2, None) == rounded(0.3, None)
    True
    """
    return tuple("" if x is None else f"{x:.9g}" for x in numbers)


# Blocks of content, in order of importance.


class Picture(Protocol):
    """What a page asks of a chart."""

    @property
    def title(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def note(self) -> str:
        """How to read it."""

    @property
    def drawable(self) -> bool:
        """Whether it can be drawn here; its words can always be read."""

    def inline(self, name: str) -> str:
        """SVG in the page's colours, a drawing for each width; its ids begin with ``name``."""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph, or lines that belong together; a verdict comes first wherever it is read."""

    text: str
    kind: Literal["text", "verdict", "note", "warning"] = "text"


@dataclass(frozen=True)
class Heading:
    """A heading inside a section."""

    text: str


@dataclass(frozen=True)
class Table:
    """A table; ``name`` is what it shows.

    ``digits`` are those it has whatever is asked for; ``most`` the rows that people are shown,
    where the data have all of them; ``wide`` the columns of a terminal that a text may take.
    """

    grid: Grid
    name: str = ""
    digits: int | None = None
    most: int | None = None
    rows: str = "rows"
    wide: int = 40
    note: str = ""

    def shown(self, most: int | None = None) -> tuple[Grid, str]:
        """Its first rows, as many as it and ``most`` allow, and how much is missing."""
        most = min((m for m in (self.most, most) if m is not None), default=len(self.grid.rows))
        rest = len(self.grid.rows) - most
        more = f"… and {rest:,} more {self.rows} (JSON has all)" if rest > 0 else ""
        return self.grid.cut(most), more


@dataclass(frozen=True)
class FactList:
    """Names and what they are, a line each."""

    pairs: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Fact:
    """One number that stands out."""

    name: str
    value: str
    detail: str = ""


@dataclass(frozen=True)
class KeyNumbers:
    """Numbers that stand out, beside each other."""

    facts: Sequence[Fact]

    @property
    def pairs(self) -> Sequence[tuple[str, str]]:
        """The same as names and what they are."""
        return [(f.name, f"{f.value} {f.detail}".strip()) for f in self.facts]


@dataclass(frozen=True)
class Pictures:
    """One chart, or several that belong together; made when they are drawn."""

    charts: Sequence[Picture | Callable[[], Picture]]

    def drawn(self) -> list[Picture]:
        """The charts."""
        return [c() if callable(c) else c for c in self.charts]


@dataclass(frozen=True)
class Code:
    """A line to quote as it is."""

    text: str


@dataclass(frozen=True)
class Section:
    """A part with a heading; ``name`` is its address and ``short`` what a list of parts says."""

    name: str
    short: str
    title: str
    blocks: Sequence[Block]


Block: TypeAlias = Paragraph | Heading | Table | FactList | KeyNumbers | Pictures | Code | Section


@dataclass(frozen=True)
class Content:
    """Words, tables and charts in order of importance, and the data behind them.

    ``title`` says in a line what the result is of; ``data`` makes the table of every number, one
    a row, which CSV and data frames hold. ``footnote`` is the sentence that says which score it
    was. A report has a ``kind``, and ``json`` and ``copies`` for its reader to take along.
    """

    title: str
    blocks: Sequence[Block]
    data: Callable[[], Grid]
    signature: str = ""
    warnings: Sequence[str] = ()
    kind: str = ""
    json: Any = None
    copies: Sequence[tuple[str, str]] = ()
    footnote: str = ""

    def with_name(self, name: str) -> Content:
        """The same, with the name of what it is of."""
        return replace(self, title=f"{name}: {self.title}")

    @property
    def parts(self) -> list[Block]:
        """What it comes to, the warnings, and then the rest."""
        first = [b for b in self.blocks if leads(b)]
        warned: list[Block] = [Paragraph(w, "warning") for w in self.warnings]
        return [*first, *warned, *(b for b in self.blocks if not leads(b))]

    @property
    def sheets(self) -> list[Table]:
        """Every table, those of sections too."""
        return [b for b in flat(self.blocks) if isinstance(b, Table)]


def leads(block: Block) -> bool:
    """Whether a block says what it all comes to: a verdict, or numbers that stand out."""
    return isinstance(block, KeyNumbers) or getattr(block, "kind", "") == "verdict"


def flat(blocks: Iterable[Block]) -> Iterable[Block]:
    """The blocks with those of sections among them, each section's heading before its own."""
    for block in blocks:
        if isinstance(block, Section):
            yield Heading(block.title)
            yield from flat(block.blocks)
        else:
            yield block
