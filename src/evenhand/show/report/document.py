"""Report: everything about one system or several, to publish."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from evenhand.notes.note import Note
from evenhand.results.content import Block, Content, Fact, Numbers, Section, Words
from evenhand.results.grid import Grid
from evenhand.results.result import Result
from evenhand.results.sentence import joined


@dataclass(frozen=True, eq=False, repr=False)
class Report(Result):
    """Everything about one system or several, verdict first.

    ``data`` is the JSON of the scores or the leaderboard that it shows, ``rows`` their
    table of every number, ``copies`` are texts for the reader to take along.

    >>> import evenhand as eh
    >>> eh.report([[6, 1], [2, 5]], metrics="macro_f1", title="Ours").title
    'Ours'
    """

    title: str
    kind: str
    verdict: Sequence[str]
    numbers: Sequence[Fact]
    sections: Sequence[Section]
    signature: str
    data: dict[str, Any]
    rows: Grid
    copies: Sequence[tuple[str, str]] = ()
    cautions: tuple[Note, ...] = field(default=())

    def facts(self) -> dict[str, Any]:
        """The JSON of what it shows."""
        return {name: part for name, part in self.data.items() if name != "schema"}

    def content(self) -> Content:
        """The verdict, the numbers that stand out, then section by section."""
        verdict = Words(joined("\n", self.verdict), "verdict")
        blocks: list[Block] = [verdict, Numbers(self.numbers), *self.sections]
        return Content(
            title=self.title,
            blocks=blocks,
            data=lambda: self.rows,
            signature=self.signature,
            warnings=self.warnings,
            kind=self.kind,
            json=self.to_dict(),
            copies=self.copies,
        )
