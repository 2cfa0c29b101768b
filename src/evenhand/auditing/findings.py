"""Findings: reported numbers that cannot be true, as their rows' conflicts say them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from evenhand.auditing.examiner import Examiner, Graded
from evenhand.auditing.facts import Conflict
from evenhand.auditing.formulas import Question
from evenhand.auditing.reported import Row
from evenhand.auditing.scale import Units
from evenhand.auditing.weighing import one_digit_off
from evenhand.auditing.worked import Worked
from evenhand.notes.record import Record


@dataclass(frozen=True, eq=False)
class Finding(Record):
    """A reported number that cannot be true, and the range it could have had.

    ``low`` and ``high`` are in the unit of ``reported``. ``strength`` is "proof" under the
    assumptions that ``message`` names, or "weak" where the number is possible if it was cut
    off instead of rounded, or rounded more coarsely than its column is. ``digits`` are the
    decimals that tell the range from what was printed, and ``arithmetic`` lines to redo by hand.
    """

    told = ("column", "reported", "low", "high", "strength", "message")

    column: str
    reported: str
    low: float
    high: float
    strength: str
    reason: str
    assuming: str
    digits: int = 0
    arithmetic: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """The reason, and what it assumes."""
        return f"{self.reason} (assuming {self.assuming})"


def finding(examiner: Examiner, row: Row, units: Units, g: Graded) -> Finding:
    """A conflict in the unit of the printed number, with the arithmetic to redo."""
    column = g.conflict.column
    scale = units.get(column, 1)
    written = row.scores.get(column)
    reported = str(row.counts.get(column, "")) if written is None else written.text
    digits = 0 if written is None or examiner.whole(column, written) else written.finer
    reason = g.conflict.reason if not g.note else f"{g.conflict.reason}, {g.note}"
    assuming = "; ".join(examiner.assumptions.words)
    bounds = g.conflict.range
    low, high = float(bounds.low * scale), float(bounds.high * scale)
    lines = Worked(examiner, row, units).lines(column)
    return Finding(column, reported, low, high, g.strength, reason, assuming, digits, lines)


def over_some(g: Graded) -> Graded:
    """A macro F1 that no formula gives, unless it is over some of the classes."""
    return replace(g, strength="weak", note="unless it is over some of the classes only")


def other_formula(q: Question, formula: str, header: str) -> list[Graded]:
    """A macro F1 that is not the table's formula though another gives it: a slip, or that other."""
    own = next((c for c in q.plain if c.name == formula), None)
    if own is None or not q.fitting:
        return []
    why = f"it is no {formula} as the other rows are, and fits only as {' or '.join(q.fitting)}"
    if one_digit_off(q, own):
        why += "; with another digit it would be"
    return [Graded(Conflict(header, own.hull, why), "weak")]
