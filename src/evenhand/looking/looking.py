"""Look: what a file is, what its columns hold, and which of them look like labels."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from evenhand.count.exact import exact, values_of
from evenhand.count.trim import trim
from evenhand.errors import InputError, Option
from evenhand.files.archives import Member, is_archive, unpacked
from evenhand.files.check import explained
from evenhand.files.columns import MARKS, like_data
from evenhand.files.kinds import TYPED
from evenhand.files.layout import TAB, USUAL, Layout
from evenhand.files.opening import is_stream, opened, spooled
from evenhand.files.saved import is_saved
from evenhand.files.scratch import Scratch
from evenhand.files.sources import Source, height, scan
from evenhand.looking.roles import FEW, ID, PRED, TRUE, WEIGHT, Column, as_runs, roles
from evenhand.notes.note import Note
from evenhand.notes.reading import EncodingGuessed
from evenhand.results.cells import Cell
from evenhand.results.content import Block, Code, Content, Facts, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.result import Result
from evenhand.results.text import counted, listed

_WORDS = {
    "csv": "CSV",
    "tsv": "TSV",
    "ndjson": "JSON Lines",
    "json": "a JSON array of objects",
    "labels": "a JSON array of labels",
    "lines": "text, one label a line",
    "parquet": "Parquet",
    "arrow": "Arrow",
    "excel": "a spreadsheet",
    "sqlite": "a table of SQLite",
    "duckdb": "a table of DuckDB",
}
_NUMBER = r"^\s*[-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?\s*$"


@dataclass(frozen=True, eq=False, repr=False)
class Look(Result):
    """What a file is: its kind, encoding, rows and columns, and the options that read it.

    ``command`` is what to run next, where there is a command line to run it.

    >>> print(Look("gold.txt", "text, one label a line", "utf-8", 2).content().title)
    gold.txt
    """

    file: str
    kind: str
    encoding: str = ""
    rows: int | None = None
    columns: tuple[Column, ...] = ()
    members: tuple[str, ...] = ()
    layout: Layout = USUAL
    command: str = ""
    cautions: tuple[Note, ...] = ()

    told = ("file", "kind", "encoding", "rows", "columns", "members", "command")

    def facts(self) -> dict[str, Any]:
        """What the JSON holds."""
        more = {"header": self.layout.header, "delimiter": self.layout.delimiter}
        return self.picked(*self.told) | more

    def of(self, role: str) -> list[str]:
        """The columns that look like that: ``truth``, ``predictions``, ``ids`` or ``weights``."""
        return [c.name for c in self.columns if c.role == role]

    def _named(self, role: str) -> list[str]:
        """The same as one asks for them: by number where two have one name."""
        names = {c.name for c in self.columns}
        found = [c for c in self.columns if c.role == role]
        twice = {c for c in found if "_duplicated_" in c.name or f"{c.name}_duplicated_0" in names}
        return [str(c.number) if c in twice else c.name for c in found]

    @property
    def options(self) -> list[Option]:
        """What has to be said to read it."""
        asked = {"true": TRUE, "pred": PRED, "weights": WEIGHT}
        if not (self.of(TRUE) and self.of(PRED)):  # the others are in another file
            role = PRED if self.members else TRUE
            asked = {"label": role, "weights": WEIGHT} | ({"id": ID} if self.of(role) else {})
        found = [Option(name, c) for name, role in asked.items() for c in self._named(role)]
        found += [] if self.layout.header else [Option("no_header")]
        said = (("delimiter", self.layout.delimiter), ("encoding", self.layout.encoding))
        return found + [Option(name, value) for name, value in said if value]

    def content(self) -> Content:
        """What it is, its columns a row each, and what to run next."""
        size = "" if self.rows is None else f", {counted(self.rows, 'row')}"
        told = [("format", self.kind), ("encoding", self.encoding)]
        told += [("header", "no")] if not self.layout.header else []
        told += [("files", listed(self.members))] if self.members else []
        looks = [
            f"{role}: {listed(found)}"
            for role in (TRUE, PRED, ID, WEIGHT)
            if (found := self.of(role))
        ]
        blocks: list[Block] = [
            Words(f"{self.kind}{size}{'; ' if looks else ''}{'; '.join(looks)}", "verdict"),
            Facts([(name, text) for name, text in told if text]),
        ]
        title = f"Columns of {self.members[0]}" if self.members else "Columns"
        blocks += [Sheet(self._data(), title, rows="columns")] if self.columns else []
        blocks += [Words("run next"), Code(self.command)] if self.command else []
        return Content(self.file, blocks, self._data, warnings=self.warnings)

    def _data(self) -> Grid:
        heads = ["number", "column", "type", "distinct", "missing", "looks like", "examples"]
        rows: list[list[Cell]] = [
            [c.number, c.name, c.type, c.distinct, c.missing, c.role, listed(c.examples)]
            for c in self.columns
        ]
        return Grid(heads, rows)


def look(
    file: str | os.PathLike[str],
    *,
    no_header: bool = False,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> Look:
    """What a file is: format, encoding, columns, which of them look like truth and predictions.

    Text without a header, between other marks or in other encodings is recognised, and ``options``
    are what reads it so.

    >>> import tempfile, evenhand as eh
    >>> with tempfile.NamedTemporaryFile(suffix=".csv") as file:
    ...     _ = file.write(b"gold;system\\na;a\\nb;a\\n")
    ...     file.flush()
    ...     found = eh.look(file.name)
    >>> found.kind, found.of("truth"), found.of("predictions"), found.layout.delimiter
    ('CSV', ['gold'], ['system'], ';')
    """
    name, layout = os.fspath(file), Layout(not no_header, delimiter, encoding)
    if is_archive(name):
        with Scratch() as scratch:
            inner = unpacked(name, name, scratch)
            if len(inner) > 1:
                return _archive(name, inner, layout)
    if is_saved(name):
        return Look(name, "a saved table", layout=layout)
    with Scratch() as scratch:
        at = spooled(name, scratch.place()) if is_stream(name) else None
        name = "standard input" if name == "-" else name
        columns, best = _best(name, at, layout)
        with opened(name, at=at, columns=columns, layout=best) as source, explained(source):
            return _looked(name, source)


def _archive(name: str, inner: list[Member], layout: Layout) -> Look:
    """An archive of runs, which are taken to be alike: columns are those of the first."""
    first, found = inner[0], Look(name, "an archive", layout=layout)
    with suppress(InputError):  # which will be said when it is read
        columns, best = _best(first.name, first.path, layout)
        with opened(first.name, at=first.path, columns=columns, layout=best) as source:
            seen = _looked(first.name, source)
            runs = tuple(as_runs(seen.columns, seen.rows or 0)) if source.has_columns else ()
            found = replace(found, columns=runs, layout=best)
    return replace(found, members=tuple(m.name.removeprefix(f"{name}/") for m in inner))


def _best(name: str, at: str | None, layout: Layout) -> tuple[bool, Layout]:
    """How a file is best read: with columns if it has several, in an encoding that fits."""
    for columns, tried in _tries(layout):
        try:
            with opened(name, at=at, columns=columns, layout=tried) as source, explained(source):
                frame = scan(source)
                have = list(frame.collect_schema())
                if source.kind in ("csv", "tsv") and len(have) == 1:
                    continue
                if like_data(source, frame, have):
                    tried = replace(tried, header=False)
                height(frame)  # every row can be read
                return columns, tried
        except InputError as e:
            if any(isinstance(p, Option) and p.name == "encoding" for p in e.args):
                return _best(name, at, replace(layout, encoding="cp1252"))
    return True, layout


def _tries(layout: Layout) -> Iterator[tuple[bool, Layout]]:
    """Ways to read a file, the likeliest first."""
    yield True, layout
    if layout.delimiter is None:
        for mark in MARKS:
            yield True, replace(layout, delimiter=TAB if mark == "\t" else mark)
    yield False, layout


def _looked(name: str, source: Source) -> Look:
    frame = scan(source)
    have = list(frame.collect_schema())
    rows = height(frame)
    mixed = source.learnt.mixed if source.is_json else {}
    found = [
        (Column(c, i, mixed[c], 0, 0, ()), None) if c in mixed else _column(frame, c, i)
        for i, c in enumerate(have, 1)
    ]
    columns = [column for column, _ in found]
    labels = {c.name: values for c, values in found if values is not None}
    if source.has_columns:
        named = roles(columns, labels, rows)
        columns = [replace(c, role=role) for c, role in zip(columns, named, strict=True)]
    guessed = (n.encoding for n in source.notes if isinstance(n, EncodingGuessed))
    return Look(
        name,
        _WORDS.get(source.kind, source.kind),
        "" if source.kind in TYPED else next(guessed, source.layout.encoding or "utf-8"),
        rows,
        tuple(columns),
        layout=source.layout,
        cautions=source.notes,
    )


def _column(frame: Any, name: str, number: int) -> tuple[Column, frozenset[Any] | None]:
    """What a column holds, and its values if they are few."""
    import polars as pl

    column = trim(frame.select(pl.col(exact(name)).alias("")), [""]).collect(engine="streaming")
    values = values_of(column, "")
    distinct = values.unique(maintain_order=True).drop_nulls()
    kind = _type(values)
    first = [str(v) for v in distinct.head(3).to_list()]
    few = 0 < len(distinct) <= FEW and not values.dtype.is_nested()
    known = frozenset(map(str, distinct.to_list())) if few else None
    if known is not None and len(distinct) == len(values) > 2:
        known = None
    return Column(name, number, kind, len(distinct), values.null_count(), tuple(first)), known


def _type(values: Any) -> str:
    dtype = values.dtype
    if str(dtype) == "String":
        full = values.drop_nulls()
        return "text like numbers" if len(full) and full.str.contains(_NUMBER).all() else "text"
    if dtype.is_nested():
        return "lists" if "List" in str(dtype) else "objects"
    kinds = (("integers", dtype.is_integer()), ("decimals", dtype.is_float()))
    return next((word for word, fits in kinds if fits), str(dtype).lower())
