"""What a report is made of: sections of words, tables and pictures, and data to copy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from evenhand.count.whole import whole
from evenhand.draw.chart import Chart
from evenhand.results.grid import Grid


@dataclass(frozen=True)
class Words:
    """A paragraph; ``kind`` is ``"text"``, ``"note"`` or ``"warning"``."""

    text: str
    kind: str = "text"


@dataclass(frozen=True)
class Heading:
    """A heading inside a section."""

    text: str


@dataclass(frozen=True)
class Table:
    """A table that readers can sort; ``name`` is what it shows."""

    grid: Grid
    name: str
    digits: int = 4


@dataclass(frozen=True)
class Pictures:
    """One chart, or several beside each other where there is room."""

    charts: Sequence[Chart]


@dataclass(frozen=True)
class Code:
    """A line to quote as it is: a signature."""

    text: str


Block: TypeAlias = Words | Heading | Table | Pictures | Code


@dataclass(frozen=True)
class Section:
    """A part with a heading; ``name`` is its short name and address."""

    name: str
    short: str
    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Fact:
    """One number that stands out."""

    name: str
    value: str
    detail: str = ""


@dataclass(frozen=True)
class Report:
    """Everything about one system or several, verdict first.

    >>> import evenhand as eh
    >>> eh.report([[6, 1], [2, 5]], metrics="macro_f1", title="Ours").title
    'Ours'
    """

    title: str
    kind: str
    verdict: Sequence[str]
    facts: Sequence[Fact]
    sections: Sequence[Section]
    signature: str
    data: dict[str, Any]
    copies: dict[str, str] = field(default_factory=dict)

    def to_html(self) -> str:
        """One self-contained page."""
        from evenhand.show.report.html import written

        return written(self)

    def to_markdown(self) -> str:
        """The same for GitHub, without the pictures."""
        from evenhand.show.report.markdown import written

        return written(self)

    def save(self, path: str | Path) -> None:
        """Write the report: Markdown if ``path`` ends in .md, else HTML."""
        text = self.to_markdown() if str(path).endswith(".md") else self.to_html()
        with whole(path) as part:
            part.write_text(text, encoding="utf-8")
