"""Laid: a table of reported scores with one system a row, whatever it looked like in print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evenhand.auditing.columns import Column


@dataclass(frozen=True)
class Record:
    """One system: its name, the line it is on, and its cells by heading."""

    name: str
    line: int
    cells: Mapping[str, str]


@dataclass(frozen=True)
class Laid:
    """A table with one system a row; ``unsaid`` are headings of averages without a name, and
    ``taken`` what they were taken for: "one" class, "weighted" or "macro" averages.
    ``over_items`` says that it has averages over items, as those of several labels do.
    """

    caption: str
    columns: Mapping[str, Column]
    records: tuple[Record, ...]
    unused: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()
    taken: str = ""
    over_items: bool = False
