"""Content: what a result says, in order of importance; every format is one writer of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeAlias

from evenhand.results.grid import Grid


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
class Words:
    """A paragraph, or lines that belong together; a verdict comes first wherever it is read."""

    text: str
    kind: Literal["text", "verdict", "note", "warning"] = "text"


@dataclass(frozen=True)
class Heading:
    """A heading inside a section."""

    text: str


@dataclass(frozen=True)
class Sheet:
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
class Facts:
    """Names and what they are, a line each."""

    of: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Fact:
    """One number that stands out."""

    name: str
    value: str
    detail: str = ""


@dataclass(frozen=True)
class Numbers:
    """Numbers that stand out, beside each other."""

    facts: Sequence[Fact]

    @property
    def of(self) -> Sequence[tuple[str, str]]:
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


Block: TypeAlias = Words | Heading | Sheet | Facts | Numbers | Pictures | Code | Section


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

    def of(self, name: str) -> Content:
        """The same, with the name of what it is of."""
        return replace(self, title=f"{name}: {self.title}")

    @property
    def parts(self) -> list[Block]:
        """What it comes to, the warnings, and then the rest."""
        first = [b for b in self.blocks if leads(b)]
        warned: list[Block] = [Words(w, "warning") for w in self.warnings]
        return [*first, *warned, *(b for b in self.blocks if not leads(b))]

    @property
    def sheets(self) -> list[Sheet]:
        """Every table, those of sections too."""
        return [b for b in flat(self.blocks) if isinstance(b, Sheet)]


def leads(block: Block) -> bool:
    """Whether a block says what it all comes to: a verdict, or numbers that stand out."""
    return isinstance(block, Numbers) or (isinstance(block, Words) and block.kind == "verdict")


def flat(blocks: Iterable[Block]) -> Iterable[Block]:
    """The blocks with those of sections among them, each section's heading before its own."""
    for block in blocks:
        if isinstance(block, Section):
            yield Heading(block.title)
            yield from flat(block.blocks)
        else:
            yield block
