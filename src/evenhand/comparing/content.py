"""What a comparison says: its tables and numbers, which a report may take for itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evenhand.catalogue.lists import chosen, shown_in, sums
from evenhand.comparing.pair import Pair
from evenhand.results.alike import alike, rounded
from evenhand.results.cells import Cell, Chance, MetricName
from evenhand.results.content import Sheet
from evenhand.results.grid import Grid
from evenhand.results.text import POOLED
from evenhand.tables.labels import key_text

if TYPE_CHECKING:
    from evenhand.comparing.compare import Comparison


def merged(pairs: Sequence[Pair]) -> list[list[str]]:
    """Metrics in groups that are one number of every pair given; those people ask for first.

    Metrics that were chosen keep their order.
    """
    by: dict[str, list[Pair]] = {}
    for p in pairs:
        by.setdefault(p.metric, []).append(p)
    usual = [] if chosen(list(by)) else [m for m in shown_in("score") if m in by]

    def number(name: str) -> tuple[tuple[str, ...], ...]:
        return tuple(rounded(*p.values, p.low, p.high, p.p_adjusted) for p in by[name])

    return alike(dict.fromkeys((*usual, *by)), number)


def pairs_sheets(found: Comparison, minus: str = "") -> list[Sheet]:
    """The metrics that are shares or coefficients, and then those that grow with the items.

    ``minus`` is what the difference is called.
    """
    minus = minus or _minus(found)
    names = (f"{minus} on every metric", f"{minus}, of gains over items")
    kinds = zip(names, _kinds(found.pairs), strict=True)
    return [_pairs_sheet(found, of, name) for name, of in kinds if of]


def _kinds(pairs: Sequence[Pair]) -> tuple[list[list[str]], list[list[str]]]:
    """Metrics that are one number together: shares or coefficients, and gains over the items."""
    groups = merged(pairs)
    grown = sums(group[0] for group in groups)
    return [g for g in groups if g[0] not in grown], [g for g in groups if g[0] in grown]


def _pairs_sheet(found: Comparison, groups: list[list[str]], name: str) -> Sheet:
    """One row a pair of systems and metric: one p, or with several tests that of each before it."""
    several, sized = len(found.systems) > 2, found.power is not None
    within = found.margin is not None
    tests = found.tests if len(found.tests) > 1 else ()
    head = ["systems"] * several + ["metric"]
    head += [*(["first", "second"] if several else found.pairs[0].systems)]
    head += ["difference", "low", "high"]
    head += [*(f"p {t}" for t in tests), "p adjusted" if len(found.pairs) > 1 else "p"]
    head += [*["not worse"] * within, *["items needed"] * sized]
    rows: list[list[Cell]] = []
    systems = dict.fromkeys(p.systems for p in found.pairs)
    for p, group in ((found.parts[(*of, group[0])], group) for of in systems for group in groups):
        row: list[Cell] = [" − ".join(p.systems)] * several
        row += [MetricName(" = ".join(group)), *p.values, p.value, p.low, p.high]
        row += [Chance(x) for x in (*(p.p.get(t) for t in tests), p.p_adjusted)]
        row += [", ".join(p.margin.not_worse) if p.margin else None] * within
        rows.append([*row, *[str(p.needed) if p.needed else None] * sized])
    return Sheet(Grid(head, rows), name, rows="comparisons", wide=100)


def slices_sheets(found: Comparison) -> list[Sheet]:
    """The slices on the metrics that are shares or coefficients, and then on those that grow."""
    minus = _minus(found)
    names = (f"{minus} in every slice", f"{minus} in every slice, of gains over items")
    pairs = [p for part in found.slices for p in part.pairs]
    kinds = zip(names, _kinds(pairs), strict=True)
    return [_slices_sheet(found, of, name) for name, of in kinds if of]


def _slices_sheet(found: Comparison, groups: list[list[str]], name: str) -> Sheet:
    """One row a metric, slice and pair of systems."""
    several = len(found.systems) > 2
    head = ["metric", "slice", "items", *["systems"] * several, "difference", "low", "high"]
    rows: list[list[Cell]] = []
    for group in groups:
        called = MetricName(" = ".join(group))
        for s in found.slices:
            for p in (p for p in s.pairs if p.metric == group[0]):
                row: list[Cell] = [called, key_text(s.key), s.n]
                row += [" − ".join(p.systems)] * several
                rows.append([*row, p.value, p.low, p.high, Chance(p.p_adjusted)])
    grid = Grid([*head, "p adjusted"], rows)
    return Sheet(grid, name, most=60, rows="comparisons", wide=100)


def _minus(found: Comparison) -> str:
    if len(found.systems) > 2:
        return "First minus second"
    return " minus ".join(found.pairs[0].systems)


def every_number(found: Comparison) -> Grid:
    """Every number, one row a pair and metric; with slices, one in each and in all items."""
    head = ["slice"] * bool(found.slices)
    head += ["first", "second", "metric", "first_value", "second_value", "difference", "effect"]
    head += ["se", "low", "high", *(f"p_{t}" for t in found.tests), "p_adjusted", "p_least"]
    head += ["margin_low", "margin_high", "equivalent", "needed", "needed_low", "needed_high"]
    rows: list[list[Cell]] = []
    parts = [([key_text(s.key)], s) for s in found.slices]
    for key, part in (*parts, ([POOLED] if found.slices else [], found)):
        for p in part.pairs:
            row: list[Cell] = [*key, *p.systems, p.metric, *p.values, p.value, p.effect]
            row += [p.se, p.low, p.high, *(p.p.get(t) for t in found.tests)]
            row += [p.p_adjusted, p.p_least]
            m, items = p.margin, p.needed
            row += [None] * 3 if m is None else [m.low, m.high, str(m.equivalent).lower()]
            row += [None] * 3 if items is None else [items.items, items.low, items.high]
            rows.append(row)
    return Grid(head, rows)
