"""The content of a result: paragraphs, tables and charts, which every format writes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal, Protocol

from evenhand.options import ValueObject
from evenhand.text import Grid, group_by

# Metrics that are the same number are shown once.


def group_equal(names: Iterable[str], number: Callable[[str], Hashable]) -> list[list[str]]:
    """Names in groups of one ``number``, each where its first name stands.

    >>> group_equal(["accuracy", "mcc", "micro_f1"], {"accuracy": 1, "mcc": 2, "micro_f1": 1}.get)
    [['accuracy', 'micro_f1'], ['mcc']]
    """
    return list(group_by(names, number).values())


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

    def inline(self, name: str) -> str:
        """SVG in the page's colours, a drawing for each width, none where it cannot be drawn; its
        ids begin with ``name``.
        """


class Block(ValueObject):
    """A part of content."""


class Paragraph(Block):
    """A paragraph, or lines that belong together; a verdict comes first wherever it is read.

    A headline is a verdict of numbers that begin the table below it.
    """

    text: str
    kind: Literal["text", "verdict", "headline", "note", "warning"] = "text"


class Heading(Block):
    """A heading inside a section."""

    text: str


class Table(Block):
    """A table; ``name`` is what it shows.

    ``digits`` are those it has whatever is asked for; ``most`` the rows that people are shown,
    where the data have all of them; ``wide`` the columns of a terminal that a text may take;
    ``legend`` the sentences of the note that are about a column.
    """

    grid: Grid
    name: str = ""
    digits: int | None = None
    most: int | None = None
    rows: str = "rows"
    wide: int = 40
    note: str = ""
    legend: Mapping[str, str] = field(default_factory=dict)

    def shown(self, most: int | None = None) -> tuple[Grid, list[str]]:
        """Its first rows as people read them, and what is said below: other names of metrics, how
        much is missing, its note.
        """
        most = min((m for m in (self.most, most) if m is not None), default=len(self.grid.rows))
        rest = len(self.grid.rows) - most
        grid, names = self.grid.cut(most).with_limits().with_footnotes()
        more = f"… and {rest:,} more {self.rows} (JSON has all)" if rest > 0 else ""
        return grid, list(filter(None, (names, more, self.note)))


class FactList(Block):
    """Names and what they are, a line each."""

    pairs: Sequence[tuple[str, str]]


class Fact(ValueObject):
    """One number that stands out."""

    name: str
    value: str
    detail: str = ""


class KeyNumbers(Block):
    """Numbers that stand out, beside each other."""

    facts: Sequence[Fact]

    @property
    def pairs(self) -> Sequence[tuple[str, str]]:
        """The same as names and what they are."""
        return [(f.name, f"{f.value} {f.detail}".strip()) for f in self.facts]


class Pictures(Block):
    """One chart, or several that belong together; made when they are drawn."""

    charts: Sequence[Picture | Callable[[], Picture]]

    def drawn(self) -> list[Picture]:
        """The charts."""
        return [c() if callable(c) else c for c in self.charts]


class Code(Block):
    """A line to quote as it is."""

    text: str


class Section(Block):
    """A part with a heading; ``name`` is its address and ``short`` what a list of parts says."""

    name: str
    short: str
    title: str
    blocks: Sequence[Block]


class Content(ValueObject):
    """Words, tables and charts in order of importance, and the data behind them.

    ``title`` says in a line what the result is of; ``data`` makes the table of every number, one
    a row, which CSV and data frames hold. ``footnote`` is the sentence that says which score it
    was. In LaTeX the first table has the ``caption`` and the ``label``, if they are set. A report
    has a ``kind``, and ``json`` and ``copies`` for its reader to take along.
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
    caption: str = ""
    label: str = ""

    def with_name(self, name: str) -> Content:
        """The same, with the name of what it is of."""
        return replace(self, title=f"{name}: {self.title}")

    @property
    def parts(self) -> list[Block]:
        """What it comes to, the warnings, and then the rest."""
        first = [b for b in self.blocks if leads(b)]
        return [*first, *self.warned, *(b for b in self.blocks if not leads(b))]

    @property
    def warned(self) -> list[Paragraph]:
        """The warnings and notes as paragraphs."""
        lines = self.warnings
        return [Paragraph(w, "warning" if w.startswith("warning") else "note") for w in lines]

    @property
    def sheets(self) -> list[Table]:
        """Every table, those of sections too."""
        return [b for b in flat(self.blocks) if isinstance(b, Table)]


VERDICTS = ("verdict", "headline")
"""Kinds of paragraphs that say what it all comes to."""


def leads(block: Block) -> bool:
    """Whether a block says what it all comes to: a verdict, or numbers that stand out."""
    return isinstance(block, KeyNumbers) or getattr(block, "kind", "") in VERDICTS


def flat(blocks: Iterable[Block]) -> Iterable[Block]:
    """The blocks with those of sections among them, each section's heading before its own."""
    for block in blocks:
        if isinstance(block, Section):
            yield Heading(block.title)
            yield from flat(block.blocks)
        else:
            yield block
