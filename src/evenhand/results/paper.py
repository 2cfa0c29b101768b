"""As a paper has it: the tables of content alone, metrics by the names that people know."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from evenhand.catalogue.spelling import Spec
from evenhand.catalogue.titles import brief, spoken, title
from evenhand.errors import InputError, MetricError, shown
from evenhand.results.cells import Cell, MetricName, Own
from evenhand.results.content import Block, Content, Heading, Section, Sheet, flat
from evenhand.results.sentence import Sentence, joined, parts_of

Layout: TypeAlias = Literal["full", "paper"]
"""Everything there is to say, or the tables of a paper."""


def tabled(content: Content) -> Content:
    """The tables alone, those without a name under that of their heading."""
    return replace(content, blocks=list(_tables(content.blocks)))


def _tables(blocks: Iterable[Block]) -> Iterable[Sheet]:
    heading = ""
    for block in flat(blocks):
        if isinstance(block, Heading):
            heading = block.text
        elif isinstance(block, Sheet):
            yield block if block.name else replace(block, name=heading)
            heading = ""


def renamed(content: Content, names: Mapping[str, str], *, titles: bool) -> Content:
    """Metrics under the ``names`` given, the others by their ``titles`` or as they are spelled.

    A note at each table says which metric has which of these names.
    """
    known = {spelled(name): text for name, text in names.items()}
    metrics = [name for sheet in content.sheets for name in _metrics(sheet)]
    strange = [name for name in known if name not in metrics]
    if strange:
        there = f"of the metrics shown here, {shown(dict.fromkeys(metrics), 12)}"
        raise InputError(f"names must be {there}, got {shown(strange)}")

    def called(name: MetricName) -> str:
        first = next((known[n] for n in name.spelled if n in known), None)
        if first is not None:
            return Own(first)
        return title(name.spelled[0]) if titles else name

    def linked(sheet: Sheet) -> Sheet:
        mine = {m: known[m] for m in _metrics(sheet) if m in known}
        return replace(sheet, note=_linked(sheet.note, mine))

    return of_sheets(content, lambda sheet: _called(linked(sheet), called))


def titled(content: Content) -> Content:
    """Metrics by what people call them, each of those that are one number."""

    def called(name: MetricName) -> str:
        first, *rest = map(brief, name.spelled)
        return " = ".join([first, *map(spoken, rest)])

    return of_sheets(content, lambda sheet: _called(sheet, called))


def of_sheets(content: Content, change: Callable[[Sheet], Sheet]) -> Content:
    """The same with every table changed."""

    def of(block: Block) -> Block:
        if isinstance(block, Section):
            return replace(block, blocks=list(map(of, block.blocks)))
        return change(block) if isinstance(block, Sheet) else block

    return replace(content, blocks=list(map(of, content.blocks)))


def _called(sheet: Sheet, called: Callable[[MetricName], str]) -> Sheet:
    """A table, its name, headings and cells, with metrics called otherwise."""

    def text(part: str) -> str:
        return called(part) if isinstance(part, MetricName) else part

    def cell(of: Cell) -> Cell:
        return text(of) if isinstance(of, str) else of

    grid = sheet.grid
    columns, rows = list(map(text, grid.columns)), [list(map(cell, row)) for row in grid.rows]
    name = Sentence(*map(text, parts_of(sheet.name)))
    return replace(sheet, name=name, grid=replace(grid, columns=columns, rows=rows))


def _metrics(sheet: Sheet) -> list[str]:
    """The metrics that a table names."""
    grid = sheet.grid
    cells = (*parts_of(sheet.name), *grid.columns, *(cell for row in grid.rows for cell in row))
    found = (cell.spelled for cell in cells if isinstance(cell, MetricName))
    return list(dict.fromkeys(name for several in found for name in several))


def spelled(name: Any) -> Any:
    """The one spelling of a metric; anything else, as a function of a user's own, as it is."""
    try:
        return str(Spec.parse(name)) if isinstance(name, str) else name
    except MetricError:
        return name


def _linked(note: str, names: Mapping[str, str]) -> str:
    """The note, and behind it which metric a name of a user's own stands for."""
    if not names:
        return note
    each = (Sentence(Own(text), " is ", spoken(title(m))) for m, text in names.items())
    return Sentence(*[f"{note} "] * bool(note), joined("; ", each), ".")
