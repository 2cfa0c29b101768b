"""As a paper has it: the tables of content alone, metrics by the names that people know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from evenhand.catalogue.spelling import Spec
from evenhand.catalogue.titles import spoken, title
from evenhand.errors import InputError, MetricError, shown
from evenhand.results.cells import Cell, MetricName, Own
from evenhand.results.content import Block, Content, Heading, Section, Sheet, flat
from evenhand.results.sentence import Sentence, joined

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
    known = {_spelled(name): text for name, text in names.items()}
    metrics = [name for sheet in content.sheets for name in _metrics(sheet)]
    strange = [name for name in known if name not in metrics]
    if strange:
        there = f"of the metrics shown here, {shown(dict.fromkeys(metrics), 12)}"
        raise InputError(f"names must be {there}, got {shown(strange)}")

    def called(cell: Cell) -> Cell:
        if not isinstance(cell, MetricName):
            return cell
        first = next((known[n] for n in cell.spelled if n in known), None)
        if first is not None:
            return Own(first)
        return title(cell.spelled[0]) if titles else cell

    def of(block: Block) -> Block:
        if isinstance(block, Section):
            return replace(block, blocks=list(map(of, block.blocks)))
        if not isinstance(block, Sheet):
            return block
        columns: Sequence[str] = [str_of(called(c)) for c in block.grid.columns]
        rows = [list(map(called, row)) for row in block.grid.rows]
        note = _linked(block.note, {m: known[m] for m in _metrics(block) if m in known})
        return replace(block, grid=replace(block.grid, columns=columns, rows=rows), note=note)

    return replace(content, blocks=list(map(of, content.blocks)))


def _metrics(sheet: Sheet) -> list[str]:
    """The metrics that a table names."""
    cells = (*sheet.grid.columns, *(cell for row in sheet.grid.rows for cell in row))
    found = (cell.spelled for cell in cells if isinstance(cell, MetricName))
    return list(dict.fromkeys(name for spelled in found for name in spelled))


def _spelled(name: str) -> str:
    """The one spelling of a metric; a function of a user's own has its name."""
    try:
        return str(Spec.parse(name))
    except MetricError:
        return name


def _linked(note: str, names: Mapping[str, str]) -> str:
    """The note, and behind it which metric a name of a user's own stands for."""
    if not names:
        return note
    each = (Sentence(Own(text), " is ", spoken(title(m))) for m, text in names.items())
    return Sentence(*[f"{note} "] * bool(note), joined("; ", each), ".")


def str_of(cell: Cell) -> str:
    """A heading, which is text."""
    assert isinstance(cell, str)
    return cell
