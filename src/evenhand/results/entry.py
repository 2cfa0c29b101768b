"""Entry: one part of a result, such as a score, as a table where a notebook shows it."""

from __future__ import annotations

from typing import Any

from evenhand.notes.record import Record
from evenhand.results.cells import Cell
from evenhand.results.grid import Grid
from evenhand.results.text import counted


class Entry(Record):
    """Frozen data that a notebook shows as a table: a row a fact, but for those unknown.

    >>> import evenhand as eh
    >>> [row[0] for row in eh.score([[6, 1], [1, 5]], metrics="mcc")["mcc"].grid().rows]
    ['metric', 'value', 'se', 'low', 'high', 'method', 'signature']
    """

    def grid(self) -> Grid:
        """Its facts, a row each."""
        held = {name: _cell(value) for name, value in self.to_dict().items()}
        rows = [[name, cell] for name, cell in held.items() if cell is not None]
        return Grid([type(self).__name__, ""], rows)

    def _repr_html_(self) -> str:
        from evenhand.results.writers.html import plain

        return plain(self.grid())


def _cell(value: Any) -> Cell:
    """A fact as a cell; of what has parts, how many."""
    if isinstance(value, bool):
        return str(value).lower()
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, dict):
        return counted(len(value), "part")
    if isinstance(value, list | tuple):
        few = all(isinstance(v, str | int | float) for v in value)
        return ", ".join(map(str, value)) if few else counted(len(value), "part")
    return str(value)
