"""What a comparison says: its tables and numbers, which a report may take for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.results.cells import Cell, Chance
from evenhand.results.content import Sheet
from evenhand.results.grid import Grid
from evenhand.results.text import POOLED
from evenhand.tables.labels import key_text

if TYPE_CHECKING:
    from evenhand.comparing.compare import Comparison


def pairs_sheet(found: Comparison) -> Sheet:
    """One row a pair of systems and metric, with a p value for each test."""
    several, sized = len(found.systems) > 2, found.power is not None
    head = ["systems"] * several + ["metric"]
    head += [*(["first", "second"] if several else found.systems), "difference", "low", "high"]
    head += [*(f"p {t}" for t in found.tests), "p adjusted", *["items needed"] * sized]
    rows: list[list[Cell]] = []
    for p in found.pairs:
        row: list[Cell] = [f"{p.systems[0]} − {p.systems[1]}"] * several
        row += [p.metric, *p.values, p.value, p.low, p.high]
        row += [Chance(x) for x in (*(p.p.get(t) for t in found.tests), p.p_adjusted)]
        rows.append([*row, *[p.needed] * sized])
    minus = "First minus second" if several else " minus ".join(found.systems)
    return Sheet(Grid(head, rows), f"{minus} on every metric", rows="comparisons")


def slices_sheet(found: Comparison) -> Sheet:
    """One row a slice, pair of systems and metric."""
    several = len(found.systems) > 2
    head = ["slice", "items", *["systems"] * several, "metric", "difference", "low", "high"]
    rows: list[list[Cell]] = []
    for s in found.slices:
        for p in s.pairs:
            row: list[Cell] = [key_text(s.key), s.n]
            row += [f"{p.systems[0]} − {p.systems[1]}"] * several
            rows.append([*row, p.metric, p.value, p.low, p.high, Chance(p.p_adjusted)])
    minus = "First minus second" if several else " minus ".join(found.systems)
    grid = Grid([*head, "p adjusted"], rows)
    return Sheet(grid, f"{minus} in every slice", most=60, rows="comparisons")


def every_number(found: Comparison) -> Grid:
    """Every number, one row a pair and metric; with slices, one in each and in all items."""
    head = ["slice"] * bool(found.slices)
    head += ["first", "second", "metric", "first_value", "second_value", "difference", "effect"]
    head += ["se", "low", "high", *(f"p_{t}" for t in found.tests), "p_adjusted", "needed"]
    rows: list[list[Cell]] = []
    parts = [([key_text(s.key)], s) for s in found.slices]
    for key, part in (*parts, ([POOLED] if found.slices else [], found)):
        for p in part.pairs:
            row: list[Cell] = [*key, *p.systems, p.metric, *p.values, p.value, p.effect]
            row += [p.se, p.low, p.high, *(p.p.get(t) for t in found.tests)]
            rows.append([*row, p.p_adjusted, p.needed])
    return Grid(head, rows)
