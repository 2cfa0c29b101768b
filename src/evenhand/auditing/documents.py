"""audits: every table of a document, each held against itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any

from evenhand.auditing.audit import Audit, audit
from evenhand.auditing.headed import Asked
from evenhand.auditing.reported import read_sources
from evenhand.notes.note import Note
from evenhand.results.cells import Cell
from evenhand.results.content import Content, Section
from evenhand.results.grid import Grid
from evenhand.results.result import Collection, Result
from evenhand.results.text import counted


@dataclass(frozen=True, eq=False, repr=False)
class Audits(Collection[str, Audit], Result):
    """The audits of the tables of a document, by their captions.

    >>> import evenhand as eh
    >>> text = "| Model | P | R | F1 |\\n|---|---|---|---|\\n| ours | 70.0 | 50.0 | 90.0 |\\n"
    >>> found = eh.audits(text)
    >>> list(found), found.ok
    (['table 1'], False)
    """

    tables: tuple[tuple[str, Audit], ...]
    cautions: tuple[Note, ...] = ()

    @property
    def parts(self) -> dict[str, Audit]:
        """The audits by caption; captions that come twice are numbered."""
        found: dict[str, Audit] = {}
        for caption, one in self.tables:
            names = chain([caption], (f"{caption} ({i})" for i in count(2)))
            found[next(name for name in names if name not in found)] = one
        return found

    @property
    def ok(self) -> bool:
        """Whether nothing was found in any table."""
        return all(one.ok for _, one in self.tables)

    def facts(self) -> dict[str, Any]:
        """What ``evenhand audit --format json`` prints of several tables."""
        return {"tables": [{"caption": c} | one.to_dict() for c, one in self.items()]}

    def content(self) -> Content:
        """One section a table."""
        sections = []
        for i, (caption, one) in enumerate(self.items(), 1):
            inner = one.content()
            title = f"{caption}: {inner.title}"
            sections.append(Section(f"table-{i}", caption, title, inner.parts))
        found = sum(not one.ok for _, one in self.tables)
        title = f"findings in {found:,} of {counted(len(self.tables), 'table')}"
        return Content(title, sections, self._data, warnings=self.warnings)

    def _data(self) -> Grid:
        """The rows of every table after each other."""
        grids = [(caption, one.content().data()) for caption, one in self.items()]
        rows: list[list[Cell]] = [[caption, *row] for caption, grid in grids for row in grid.rows]
        return Grid(["table", *grids[0][1].columns], rows)


def audits(
    data: Any,
    *,
    support: Mapping[str, int] | None = None,
    meanings: Mapping[str, str] | None = None,
    columns: Sequence[str] = (),
    **options: Any,
) -> Audits:
    """The audit of every table in a document: a file, its text, or ``-`` for standard input.

    Takes what ``audit`` takes, with the same options for all tables.

    >>> audits([{"name": "ours", "accuracy": "0.7", "micro_f1": "0.7"}]).ok
    True
    """
    found = read_sources(data, Asked(meanings or {}, columns, tuple(map(str, support or {}))))
    return Audits(tuple((s.caption, audit(s, support=support, **options)) for s in found))


def single(found: Audits) -> Audit | Audits:
    """The only audit, where a document has one table."""
    return found.tables[0][1] if len(found.tables) == 1 else found
