"""Result: what every result can do, what those that are collections can, and what their parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from dataclasses import replace
from difflib import get_close_matches
from functools import cached_property
from os import PathLike
from typing import Any, ClassVar, Generic, Self, TypeVar, get_args

from evenhand.catalogue.spelling import Spec
from evenhand.errors import InputError, MetricError, UnknownNameError, shown
from evenhand.notes.note import Note
from evenhand.notes.record import Record
from evenhand.results import write
from evenhand.results.cells import Cell
from evenhand.results.content import Content
from evenhand.results.grid import Grid
from evenhand.results.json import SCHEMA, dumps, record
from evenhand.results.paper import Layout, renamed, spelled, tabled
from evenhand.results.reported import Reported
from evenhand.results.text import counted, number
from evenhand.results.words import said

K = TypeVar("K")
V = TypeVar("V")


class Result(Record, ABC):
    """Frozen data that can say themselves: as a dictionary, and as content for every format."""

    cautions: tuple[Note, ...] = ()

    def facts(self) -> dict[str, Any]:
        """What the JSON holds, but for what every result has there."""
        return self.picked(*self.told)

    @abstractmethod
    def content(self) -> Content:
        """Words, tables and charts in order of importance."""

    def reported(self) -> Iterable[Reported]:
        """The scores of systems that it holds, as leaderboards elsewhere take them."""
        return ()

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know, a sentence each."""
        return tuple(map(said, self.cautions))

    def warnings_on(self, metrics: Container[str]) -> tuple[str, ...]:
        """Those of them that concern the ``metrics`` that are shown."""
        found = (note.concerning(metrics) for note in self.cautions)
        return tuple(said(note) for note in found if note is not None)

    def noted(self, *notes: Note) -> Self:
        """The same with further notes before its own, none of them twice."""
        return replace(self, cautions=tuple(dict.fromkeys((*notes, *self.cautions))))  # type: ignore[type-var]

    def to_dict(self) -> dict[str, Any]:
        """Exactly what the command prints with ``--format json``."""
        return record({"schema": SCHEMA, **self.facts(), **warned(self.cautions)})

    def to_json(self) -> str:
        """The JSON text that the command prints."""
        return dumps(self.to_dict())

    def shown(
        self, *, layout: Layout = "full", names: Mapping[str, str] | None = None, **how: Any
    ) -> Content:
        """Its content, whole or as a paper has it, with ``names`` of your own for metrics.

        Whatever else is given goes to :meth:`content`, or to :meth:`paper`.
        """
        if layout not in get_args(Layout):
            raise InputError(f"layout must be one of {shown(get_args(Layout))}, got {layout!r}")
        made: Any = self.paper if layout == "paper" else self.content
        content: Content = made(**how)
        if layout == "full" and not names:
            return content
        return renamed(content, names or {}, titles=layout == "paper")

    def paper(self, **how: Any) -> Content:
        """What a paper has of it: the tables."""
        made: Any = self.content
        return tabled(made(**how))

    def to_csv(self, **how: Any) -> str:
        """Every number as comma-separated text with full precision."""
        return write.text(self.shown(**how), "csv")

    def to_pandas(self, **how: Any) -> Any:
        """A pandas frame of every number."""
        return write.pandas(self.shown(**how))

    def to_polars(self, **how: Any) -> Any:
        """A Polars frame of every number."""
        return write.polars(self.shown(**how))

    def to_markdown(self, *, digits: int = 4, **how: Any) -> str:
        """Words and tables in Markdown; ``how`` is what :meth:`shown` takes."""
        return write.text(self.shown(**how), "markdown", digits)

    def to_latex(self, *, digits: int = 4, **how: Any) -> str:
        """Booktabs tables for a paper, words as comments; ``how`` is what :meth:`shown` takes."""
        return write.text(self.shown(**how), "latex", digits)

    def to_html(self, *, digits: int = 4, **how: Any) -> str:
        """A page of its own that needs no network; ``how`` is what :meth:`shown` takes."""
        return write.text(self.shown(**how), "html", digits)

    def save(self, path: str | PathLike[str], *, digits: int = 4, **how: Any) -> None:
        """Write the result whole; the ending says how: .json, .csv, .md, .tex, .html or .txt."""
        style = write.style_of(path)
        text = self.to_json() if style == "json" else write.text(self.shown(**how), style, digits)
        write.whole_text(text, path)

    def __str__(self) -> str:
        return write.text(self.content(), "table")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {write.line(self.content())}>"

    def _repr_html_(self) -> str:
        return write.text(self.content(), "notebook")


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
        from evenhand.results.writers.html import folded, plain

        grid, signed = self.grid(), getattr(self, "signature", None)
        shown = [row for row in grid.rows if signed is None or row[0] != "signature"]
        return plain(replace(grid, rows=shown)) + ("" if signed is None else folded(str(signed)))


def warned(cautions: tuple[Note, ...]) -> dict[str, Any]:
    """The notes as JSON has them: a sentence each, and as many codes with their facts."""
    return {
        "warnings": [said(note) for note in cautions],
        "warning_codes": [note.to_dict() for note in cautions],
    }


class Collection(Generic[K, V], ABC):
    """A mapping of names to parts: metrics in scores, systems in a leaderboard.

    A metric may be named by an alias or in any spelling. Where names have several parts, as
    those of a pair of systems on a metric, a part is enough if it fits one name only.
    """

    of_metrics: ClassVar[bool] = False

    @property
    @abstractmethod
    def parts(self) -> Mapping[K, V]:
        """The parts by name."""

    def __getitem__(self, name: Any) -> V:
        """The part called ``name``."""
        parts = self.parts
        if name in parts:
            return parts[name]
        wanted = [(n, spelled(n)) for n in (name if isinstance(name, tuple) else (name,))]
        if len(wanted) == 1 and wanted[0][1] in parts:
            return parts[wanted[0][1]]
        fits = [key for key in parts if isinstance(key, tuple) and _within(wanted, key)]
        if len(fits) == 1:
            return parts[fits[0]]
        if fits:
            raise UnknownNameError(f"{name!r} fits {len(fits)} of them: {shown(fits, 3)}")
        if self.of_metrics and isinstance(name, str):
            try:
                Spec.parse(name)
            except MetricError as e:  # which says what else might be meant
                raise UnknownNameError(str(e)) from None
        raise UnknownNameError(f"{name!r} is not one of {shown(parts)}{nearest(name, parts)}")

    def get(self, name: Any, default: Any = None) -> Any:
        """The part called ``name``, or ``default`` if there is none."""
        try:
            return self[name]
        except (UnknownNameError, TypeError):  # nothing that cannot be hashed is a name
            return default

    def __contains__(self, name: object) -> bool:
        return self.get(name, self) is not self

    def __iter__(self) -> Iterator[K]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __bool__(self) -> bool:
        return True

    def keys(self) -> KeysView[K]:
        """The names."""
        return self.parts.keys()

    def values(self) -> ValuesView[V]:
        """The parts."""
        return self.parts.values()

    def items(self) -> ItemsView[K, V]:
        """Names and parts."""
        return self.parts.items()


def nearest(name: Any, names: Iterable[Any]) -> str:
    """What may have been meant by a name, for the end of a message."""
    close = get_close_matches(str(name), list(map(str, names)), 1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _within(wanted: list[tuple[Any, Any]], key: tuple[Any, ...]) -> bool:
    """Whether the parts wanted, under one of two names each, stand in a name, in that order."""
    rest = iter(key)
    return all(any(at in names for at in rest) for names in wanted)


def _cell(value: Any) -> Cell:
    """A fact as a cell; of what has parts, how many."""
    if isinstance(value, bool):
        return str(value).lower()
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, dict):
        known = all(v is None or isinstance(v, int | float) for v in value.values())
        each = (f"{name} {number(v)}" for name, v in value.items() if v is not None)
        return ", ".join(each) if known else counted(len(value), "part")
    if isinstance(value, list | tuple):
        few = all(isinstance(v, str | int | float) for v in value)
        each = (v if isinstance(v, str) else number(v) for v in value)
        return ", ".join(each) if few else counted(len(value), "part")
    return str(value)
