"""As a paper has it: the tables of content alone, metrics by the names that people know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from evenhand.catalogue.titles import title
from evenhand.results.cells import Cell, MetricName, Own
from evenhand.results.content import Block, Content, Heading, Section, Sheet, flat

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
    """Metrics under the ``names`` given, the others by their ``titles`` or as they are spelled."""

    def called(cell: Cell) -> Cell:
        if not isinstance(cell, MetricName):
            return cell
        first = next((names[n] for n in cell.spelled if n in names), None)
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
        return replace(block, grid=replace(block.grid, columns=columns, rows=rows))

    return replace(content, blocks=list(map(of, content.blocks)))


def str_of(cell: Cell) -> str:
    """A heading, which is text."""
    assert isinstance(cell, str)
    return cell
