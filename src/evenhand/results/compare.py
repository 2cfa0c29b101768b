"""A comparison in words and as a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from evenhand.results.grid import Cell, Grid, plain
from evenhand.results.text import markdown, number, visible

if TYPE_CHECKING:
    from evenhand.comparing.comparison import Comparison, Pair

LIMITS = (
    "It speaks of items like these: not of other data, other training runs, "
    "or whether a difference matters."
)


def verdict(found: Comparison) -> Iterable[str]:
    """For each pair of systems what was and was not shown, and then the limits of it."""
    by_systems: dict[tuple[str, str], list[Pair]] = {}
    for pair in found.pairs:
        by_systems.setdefault(pair.systems, []).append(pair)
    some_open = False
    for systems, pairs in by_systems.items():
        a, b = map(visible, systems)
        clear = [p for p in pairs if p.p_adjusted is not None and p.p_adjusted < 1 - found.level]
        up = [_measured(p) for p in clear if p.difference > 0]
        down = [_measured(p) for p in clear if p.difference < 0]
        open_ = [p.metric for p in pairs if p not in clear]
        some_open = some_open or bool(open_)
        parts = [f"{a} scores above {b} on {', '.join(up)}"] if up else []
        parts += [f"{a} scores below {b} on {', '.join(down)}"] if down else []
        if open_:
            them = "they" if parts else f"{a} and {b}"
            parts.append(f"{them} are not told apart on {', '.join(open_)}")
        yield "; ".join(parts) + "."
    many = len(found.pairs)
    over = f", after Holm's correction over {many} comparisons" if many > 1 else ""
    equal = (
        " Not told apart is not equal: any difference inside the interval fits the data."
        if some_open
        else ""
    )
    yield f"This is at {100 * (1 - found.level):.3g} %{over}.{equal} {LIMITS}"


def _measured(p: Pair) -> str:
    unit = " points" if p.points else ""
    return f"{p.metric} (by {abs(p.effect):.3g}{unit})"


def comparison_grid(found: Comparison) -> Grid:
    """One row a pair of systems and metric, with a p value for each test."""
    tests = list(dict.fromkeys(t for p in found.pairs for t in p.p))
    several = len(found.systems) > 2
    head = ["systems"] * several + ["metric"]
    head += [*(["first", "second"] if several else found.systems), "difference", "low", "high"]
    head += [*(f"p {t}" for t in tests), "p adjusted"]
    head += ["items needed"] * (found.power is not None)
    rows: list[list[Cell]] = []
    for p in found.pairs:
        row: list[Cell] = [f"{p.systems[0]} − {p.systems[1]}"] * several
        row += [p.metric, *p.values, p.difference, p.low, p.high]
        row += [_p_text(x) for x in (*(p.p.get(t) for t in tests), p.p_adjusted)]
        rows.append(row + [p.needed] * (found.power is not None))
    return Grid(head, rows, notes=[f"Signature: {found.signature}"])


def _p_text(p: float | None) -> str:
    """A p value, which is never 0."""
    return "" if p is None else "<0.0001" if p < 1e-4 else f"{p:.4f}"


def comparison_text(found: Comparison, digits: int, *, fancy: bool = False) -> str:
    """Facts, the table, the verdict, the signature."""
    facts = f"{number(found.n)} items, {len(found.systems)} systems"
    facts += f", {100 * found.level:g} % intervals of the difference (first minus second)"
    title = f"\x1b[1m{facts}\x1b[0m" if fancy else facts
    parts = [title, plain(found.grid, digits), *found.verdict]
    if found.power is not None:
        parts.append(
            f"Items needed: test size for a power of {found.power:g} at this level, taking the "
            "observed difference for the true one."
        )
    return "\n\n".join([*parts, f"signature  {found.signature}"])


def escaped(text: str) -> str:
    """A sentence for Markdown."""
    return markdown(text)
