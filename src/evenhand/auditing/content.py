"""Content: what an audit says, in words and tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, ClassVar

from evenhand.results.cells import Cell, Look, Shown
from evenhand.results.content import Block, Heading, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.text import counted, listed, number, shortened

if TYPE_CHECKING:
    from evenhand.auditing.audit import Audit, System
    from evenhand.auditing.findings import Finding
    from evenhand.auditing.judgement import Judgement, Weighed
    from evenhand.auditing.rerank import Reranked

SIGNS = (" ?", " ✗")
"""What marks a cell that is a weak finding, or a proof."""

WIDE = 12
"""Columns of a table that are all shown again."""

SHOWN = 40
"""Findings, reasons, and rows of a ranking, that a person is shown."""


@dataclass(frozen=True)
class Possible(Shown):
    """What a reported number could have been, to its own decimals and one more."""

    of: Finding

    def text(self, digits: int) -> str:
        low, high = (number(x, self.of.digits) for x in (self.of.low, self.of.high))
        return low if low == high else f"{low} to {high}"

    @property
    def sort(self) -> float | None:
        return self.of.low


@dataclass(frozen=True)
class Marked(Shown):
    """A number as it was printed, and a sign if it is a finding."""

    of: str
    sign: str = ""

    def text(self, digits: int) -> str:
        return f"{self.of}{self.sign}"

    def parts(self, digits: int) -> Iterable[tuple[str, Look]]:
        yield self.text(digits), "marked" if self.sign else "plain"

    @property
    def sort(self) -> float | None:
        return None


@dataclass(frozen=True)
class Move(Shown):
    """Places won or lost: ``+2``, ``−1``, or ``=``."""

    of: int | None

    def text(self, digits: int) -> str:
        if not self.of:
            return "" if self.of is None else "="
        return f"{'+' * (self.of > 0)}{number(self.of)}"


@dataclass(frozen=True)
class Odds(Shown):
    """How many times as probable: three digits, or ∞."""

    right: ClassVar[bool] = True
    of: float

    def text(self, digits: int) -> str:
        return "∞" if self.of == inf else f"{self.of:,.0f}" if self.of >= 100 else f"{self.of:.3g}"


def title(found: Audit) -> str:
    """How many systems have findings."""
    s = found.summary
    head = f"findings in {s['with_findings']:,} of {counted(s['systems'], 'system')}"
    if found.ok:
        return head
    return f"{head} ({counted(s['proofs'], 'proof')}, {s['weak']:,} weak)"


def blocks(found: Audit) -> list[Block]:
    """The formula behind macro F1, the findings and why, the ranking, what all of it assumes."""
    verdict = _verdict(found)
    said: list[Block] = [Words(verdict, "verdict")] if verdict else []
    said += _taken(found)
    said += _findings(found)
    said += _unexplained(found)
    said += _ranking(found, found.ranking) if found.ranking is not None else []
    assumed = "\n".join(f"  {words}" for words in found.assumptions.words)
    said += [Heading("Assumed"), Words(assumed, "note")]
    if found.unused:
        said.append(Words(f"Columns not used: {listed(found.unused, SHOWN)}.", "note"))
    return said


def _taken(found: Audit) -> list[Block]:
    """What each column was taken for, unless it is called so."""
    taken = [list(c.to_dict().values()) for c in found.columns]
    rows: list[list[Cell]] = [
        [header, means] for header, means in taken if means not in (header, f"reported_{header}")
    ]
    return [Sheet(Grid(["heading", "taken for"], rows), "Read as", most=SHOWN)] if rows else []


def _judged(found: Judgement, rows: int) -> str:
    """The formula behind macro F1 and how strong the evidence is; or why it cannot be told."""
    every = counted(rows, "row")
    if found.status == "untested":
        return (
            "Formula behind macro F1: cannot be told. Neither of the two can be worked out without "
            "macro precision and recall, or the scores of the classes."
        )
    if found.status == "inconsistent":
        return (
            "Formula behind macro F1: cannot be told. No row with one has other numbers that agree "
            "with each other."
        )
    if found.status == "none":
        best = found.candidates[0]
        if not any(c.explained for c in found.candidates):
            return f"Formula behind macro F1: none that is known explains any of {every}."
        most = f"{best.formula} explains most, {best.explained:,} of {every}"
        return f"Formula behind macro F1: none explains the table; {most}."
    best, *others = found.candidates
    rival = others[0] if others else None
    said = f"{best.explained:,} of {every}"
    if best.exact:
        said += f" ({best.exact:,} to the printed digits)"
    if found.formula is not None:
        return (
            f"Formula behind macro F1: {best.formula} explains {said}. The evidence is "
            f"{found.strength}: {times(found)}."
        )
    if found.status == "vague":
        return (
            f"Formula behind macro F1: cannot be told from these headings. {best.formula} explains "
            f"{said}, but of one class, or of micro averages, F1 is 2PR/(P+R) as well, and of "
            "weighted averages or means of folds it is below that: say what P, R and F1 are."
        )
    return (
        f"Formula behind macro F1: cannot be told from these numbers. {best.formula} explains "
        f"{said}, {rival.formula} explains {rival.explained:,}: {_why_open(best, rival)}."
        if rival is not None
        else f"Formula behind macro F1: cannot be told from these numbers ({said})."
    )


def times(found: Judgement) -> str:
    """How strong the evidence for a formula is, as a number in words."""
    best = found.candidates[0]
    if best.strength == inf:
        return "no other formula gives these numbers"
    odds = "over a million" if best.strength > 1e6 else Odds(best.strength).text(0)
    if found.alone == best.formula:
        said = "no other formula gives these numbers unless one of them is misprinted or cut off"
        return f"{said}, and it makes them {odds} times as probable as that"
    return f"these digits are {odds} times as probable as under any other formula"


def _why_open(best: Weighed, rival: Weighed) -> str:
    """What would be needed to tell two formulas apart."""
    if best.explained != rival.explained:
        return "a misprint or two would turn it"
    if best.exact and rival.exact:
        return "the two differ by less than the printed digits show"
    if best.exact:
        return f"the columns leave {rival.formula} so wide a range that it may be as well"
    return "the other columns do not say closely enough what either would be"


def _verdict(found: Audit) -> str:
    """The formula, and what it means that nothing was found."""
    said = []
    if any(c.of == "reported_macro_f1" for c in found.columns):
        said.append(_judged(found.judgement, found.tested))
    if found.ok:
        said.append("Nothing was found; that is no proof that the numbers are true.")
    return " ".join(said)


def _findings(found: Audit) -> list[Block]:
    """Where, what was printed and what was possible; then the reasons."""
    every = [(s.name, f) for s in found.systems for f in s.findings]
    if not every:
        return []
    rows: list[list[Cell]] = [
        [name, f.column, f.reported, Possible(f), f.strength] for name, f in every
    ]
    grid = Grid(["system", "column", "reported", "possible", "strength"], rows)
    return [
        Sheet(grid, "Cannot be reproduced from the rest of the row", most=SHOWN, rows="findings"),
        Heading("Why"),
        Words("\n".join(_reasons(every))),
        *_printed(found),
    ]


def _printed(found: Audit) -> list[Block]:
    """The table as it was printed, with what cannot be reproduced marked."""
    signs = [_signs(s) for s in found.systems]
    told = [c for c in found.columns if c.kind not in ("name", "other")]
    about = {c.of for c in told if any(c.header in of_row for of_row in signs)}
    if len(told) > WIDE:  # of many classes, those that something was found about
        told = [c for c in told if c.kind in ("metric", "n", "correct") or c.of in about]
    rows: list[list[Cell]] = []
    for row, of_row in zip(found.printed, signs, strict=True):
        texts = {h: row.text(h) for h in row.scores}
        texts |= {h: f"{n:,}" for h, n in row.counts.items()}
        marked = (Marked(texts.get(c.header, ""), of_row.get(c.header, "")) for c in told)
        rows.append([row.name, *marked])
    grid = Grid(["system", *(c.printed or c.header for c in told)], rows)
    note = (
        "✗ cannot be reproduced from the rest of its row, as far as what is assumed holds; "
        "? could be, under the condition that the reason names"
    )
    return [Sheet(grid, "As printed", most=SHOWN, rows="systems", note=note)] if rows else []


def _signs(system: System) -> dict[str, str]:
    """The cells of a row that are marked: that without which all is well, or those found."""
    if len(system.suspects) == 1 and system.findings:
        proof = any(f.strength == "proof" for f in system.findings)
        return {system.suspects[0]: SIGNS[proof]}
    return {f.column: SIGNS[f.strength == "proof"] for f in system.findings}


def _reasons(every: Iterable[tuple[str, Finding]]) -> Iterable[str]:
    """Each reason once, with the systems whose column it is about."""
    of: dict[tuple[str, str], list[tuple[str, Finding]]] = {}
    for name, f in every:
        of.setdefault((f.column, f.reason), []).append((shortened(name, 40), f))
    for (column, reason), found in list(of.items())[:SHOWN]:
        systems = listed([name for name, _ in found], SHOWN)
        yield f"  {shortened(column, 40)} of {systems}: {reason}"
        first, where = found[0][1], f" (of {found[0][0]})" if len(found) > 1 else ""
        yield from (f"  → {line}{where}" for line in first.arithmetic)
        possible = Possible(first).text(0)
        yield f"  → as the others are rounded: {possible}; printed: {first.reported}{where}"
    if len(of) > SHOWN:
        yield f"  … and {counted(len(of) - SHOWN, 'more reason', 'more reasons')}"


def _unexplained(found: Audit) -> list[Block]:
    """The rows that the table's formula does not explain, and what does."""
    if found.formula is None or not found.unexplained:
        return []
    fits = {s.name: " or ".join(s.formula) or "no formula" for s in found.systems}
    rows: list[list[Cell]] = [[name, fits[name]] for name in found.unexplained]
    grid = Grid(["system", "what fits"], rows)
    return [Sheet(grid, f"Not explained by {found.formula}", most=SHOWN)]


def _ranking(found: Audit, ranking: tuple[Reranked, ...]) -> list[Block]:
    """Both rankings side by side, and the winner under each."""
    head = ["system", "macro_f1", "rank by it", "f1_of_averages", "rank by that", "move"]
    rows: list[list[Cell]] = [
        [r.name, r.macro_f1, r.rank_macro_f1, r.f1_of_averages, r.rank_f1_of_averages, Move(r.move)]
        for r in ranking
    ]
    name, note = "Ranked by both formulas", _winners(ranking)
    if all(r.macro_f1 is None or r.f1_of_averages is None for r in ranking):
        return [Heading(name), Words(note, "note")]
    unsure = [s.name for s in found.systems if any(f.strength == "proof" for f in s.findings)]
    if unsure and any(r.rank_macro_f1 for r in ranking):
        note += f" Places may change with what cannot be reproduced: {listed(unsure, SHOWN)}."
    return [Sheet(Grid(head, rows), name, most=SHOWN, rows="systems", note=note)]


def _winners(ranking: tuple[Reranked, ...]) -> str:
    first = [r.name for r in ranking if r.rank_macro_f1 == 1]
    second = [r.name for r in ranking if r.rank_f1_of_averages == 1]
    if not first or not second:
        return "Per-class precision and recall are needed for both rankings."
    moves = [abs(r.move) for r in ranking if r.move]
    change = "No system moves."
    if moves:
        move = "moves" if len(moves) == 1 else "move"
        far = counted(max(moves), "place")
        change = f"{len(moves):,} of {counted(len(ranking), 'system')} {move}, by up to {far}."
    return f"Winner by macro_f1: {listed(first)}; by f1_of_averages: {listed(second)}. {change}"
