"""An audit as a person reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.results.grid import Cell, Grid, plain
from evenhand.results.text import shortened, visible

if TYPE_CHECKING:
    from evenhand.auditing.rerank import Reranked
    from evenhand.auditing.result import Audit, Finding
    from evenhand.auditing.which import Which

SHOWN = 40
"""Findings, and rows of a ranking, that a terminal shows."""


def audit_text(found: Audit, name: str) -> str:
    """Findings, the formula behind macro F1, the ranking, and what all of it assumes."""
    s = found.summary
    head = f"{visible(name)}: findings in {s['with_findings']:,} of {s['systems']:,} systems"
    parts = [f"{head} ({s['proofs']:,} proofs, {s['weak']:,} weak)" if s["findings"] else head]
    if s["findings"]:
        parts.append(_finding_lines(found))
    parts += _formula_lines(found)
    if found.ranking is not None:
        grid = ranking_grid(found)
        parts.append(plain(Grid(grid.columns, grid.rows[:SHOWN])))
        parts += [visible(n) for n in grid.notes]
    parts.append("\n".join(["Assumed:", *(f"  {w}" for w in s["assumptions"])]))
    notes = _notes(found)
    return "\n\n".join([*parts, *(["\n".join(map(visible, notes))] if notes else [])])


def _finding_lines(found: Audit) -> str:
    """One block a finding: where, what was printed, what was possible, why."""
    lines = []
    every = [(s.name, f) for s in found.systems for f in s.findings]
    for system, f in every[:SHOWN]:
        where = f"{shortened(visible(system), 40)}, {shortened(visible(f.column), 40)}"
        lines.append(f"[{f.strength}] {where}: {f.reported} cannot be; possible {possible(f)}")
        lines.append(f"    {visible(f.reason)}")
    if len(every) > SHOWN:
        lines.append(f"… and {len(every) - SHOWN:,} more findings (--format csv)")
    return "\n".join(lines)


def possible(f: Finding) -> str:
    """The range that a number could have had, one decimal finer than it was printed."""
    _, dot, decimals = f.reported.replace(",", ".").rstrip("% ").partition(".")
    digits = len(decimals) + 1 if dot else 0
    low, high = f"{f.low:.{digits}f}", f"{f.high:.{digits}f}"
    return low if low == high else f"{low} to {high}"


def _formula_lines(found: Audit) -> list[str]:
    if not found.tested:
        return []
    if found.formula is None:
        return [f"No formula explains the macro F1 of any of {found.tested:,} rows."]
    explained = found.tested - len(found.unexplained)
    rows = f"{explained:,} of {found.tested:,} rows"
    line = f"Formula behind macro F1: {visible(found.formula)} explains {rows}"
    if not found.unexplained:
        return [f"{line}."]
    others = {s.name: s.formula for s in found.systems}
    listed = [
        visible(f"  {name}: {' or '.join(others[name]) or 'no formula'}")
        for name in found.unexplained[:SHOWN]
    ]
    return ["\n".join([f"{line}; not these:", *listed])]


def _notes(found: Audit) -> list[str]:
    notes = []
    unknown = [s.name for s in found.systems if s.unknown]
    if unknown:
        notes.append(
            f"Unknown for {len(unknown):,} rows whether a table exists: the margins allow more "
            "tables than were searched (--limit)."
        )
    if found.unused:
        notes.append(f"Columns not used: {', '.join(found.unused)}.")
    if found.ok:
        notes.append("Nothing was found; that is no proof that the numbers are true.")
    return notes


def ranking_grid(found: Audit) -> Grid:
    """Both rankings side by side, and the winner under each."""
    rows: list[list[Cell]] = [
        [
            r.name,
            r.macro_f1,
            r.rank_macro_f1,
            r.f1_of_averages,
            r.rank_f1_of_averages,
            move(r),
        ]
        for r in found.ranking or ()
    ]
    head = ["system", "macro_f1", "rank by it", "f1_of_averages", "rank by that", "move"]
    return Grid(head, rows, notes=_ranking_notes(found))


def move(r: Reranked) -> str:
    """Places won or lost between the two rankings."""
    return "" if r.move is None else "=" if not r.move else f"{r.move:+d}"


def _ranking_notes(found: Audit) -> list[str]:
    ranking = found.ranking or ()
    first = [r.name for r in ranking if r.rank_macro_f1 == 1]
    second = [r.name for r in ranking if r.rank_f1_of_averages == 1]
    moved = [r for r in ranking if r.move]
    if not first or not second:
        return ["Per-class precision and recall are needed for both rankings."]
    far = max((abs(r.move or 0) for r in moved), default=0)
    change = f"{len(moved):,} of {len(ranking):,} systems move, by up to {far:,} places."
    change = change if moved else "No system moves."
    winners = f"macro_f1: {', '.join(first)}; by f1_of_averages: {', '.join(second)}"
    return [f"Winner by {winners}. {change}"]


def audit_grids(found: Audit) -> list[Grid]:
    """Findings, formulas and ranking as tables for a document."""
    rows: list[list[Cell]] = [
        [s.name, f.column, f.reported, possible(f), f.strength, f.reason]
        for s in found.systems
        for f in s.findings
    ]
    notes = [f"Assumed: {'; '.join(found.assumptions.words)}.", *_notes(found)]
    head = ["system", "column", "reported", "possible", "strength", "finding"]
    grids = [Grid(head, rows, caption="Findings.", notes=notes)]
    fits: list[list[Cell]] = [
        [s.name, " or ".join(s.formula) or "none"]
        for s in found.systems
        if s.formula or s.name in found.unexplained
    ]
    if fits:
        lines = [line.replace("\n", " ") for line in _formula_lines(found)]
        grids.append(Grid(["system", "formula"], fits, caption="Macro F1.", notes=lines))
    if found.ranking is not None:
        grids.append(ranking_grid(found))
    return grids


def which_grid(found: Which) -> Grid:
    """Where each formula's value lies, and whether the reported one is there."""
    places = {"macro_f1": found.macro_f1, "f1_of_averages": found.f1_of_averages}
    rows: list[list[Cell]] = [
        [name, low, high, "fits" if name in found.formula else "does not fit"]
        for name, (low, high) in places.items()
        if low <= high
    ]
    triple = f"P {found.precision}, R {found.recall}, macro F1 {found.f1}"
    notes = [f"{triple}: {found.message}."]
    return Grid(["formula", "low", "high", f"reported {found.f1}"], rows, notes=notes)


def which_text(found: Which) -> str:
    """One triple, in words."""
    grid = which_grid(found)
    digits = len(found.f1.replace(",", ".").rstrip("% ").partition(".")[2]) + 1
    return f"{visible(grid.notes[0])}\n\n{plain(grid, digits)}"
