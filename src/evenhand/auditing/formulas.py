"""Formulas: which of those called 'macro F1' gave the reported value."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.auditing.predict import Known
from evenhand.auditing.ranges import Number, Range, divided, hull
from evenhand.auditing.solutions import Values, meets, scale, spread

FORMULAS = ("macro_f1", "f1_of_averages", "weighted_f1", "micro_f1", "weighted_f1_of_averages")

TWINS = frozenset({"macro_f1", "f1_of_averages"})

ALIKE = 3
"""Predictions up to so many times as wide as the narrowest count as equally telling."""


@dataclass(frozen=True)
class Candidate:
    """A formula, where its value can lie on this row, and whether the reported value does."""

    name: str
    ranges: tuple[Range, ...]
    fits: bool

    @property
    def width(self) -> Number:
        """How little it says."""
        return hull(self.ranges).width


def candidates(
    known: Known, reported: Range, tables: list[Values] | None = None
) -> list[Candidate]:
    """Every formula that can be worked out for a row, held against its reported macro F1.

    With the solutions at hand, a formula fits if it fits on one of them.
    """
    predicted = known.predicted
    made = predicted | {"micro_f1": _micro(known, predicted) or []}
    result = [
        _candidate(name, made[name], reported)
        for name in FORMULAS
        if made.get(name) and (not name.startswith("weighted") or _telling(known, name))
    ]
    if tables:
        result = [_on_tables(c, reported, tables) for c in result]
    return result + _leaving_out(known, reported)


def _telling(known: Known, name: str) -> bool:
    """Whether a weighted form follows from what is reported, instead of being merely possible."""
    facts = known.facts
    if facts.supports is not None and all(c.known for c in facts.classes):
        return True
    if name == "weighted_f1_of_averages":
        return "weighted_precision" in facts.metrics and known.accuracy is not None
    return False


def _micro(known: Known, made: dict[str, list[Range]]) -> list[Range] | None:
    """Micro F1 is accuracy; with predictions outside it lies between that and 2a/(1+a)."""
    if known.accuracy is not None:
        share = known.accuracy
    elif known.facts.supports is not None and all(c.recall for c in known.facts.classes):
        share = hull(made["accuracy"])
    else:
        return None
    if known.facts.assumptions.abstentions:
        return [Range(share.low, divided(2 * share.high, 1 + share.high))]
    return [share]


def _on_tables(c: Candidate, reported: Range, tables: list[Values]) -> Candidate:
    values = [v for t in tables for v in t.get(c.name, ())]
    return Candidate(c.name, (spread(values),), meets(scale(reported), values)) if values else c


def _leaving_out(known: Known, reported: Range) -> list[Candidate]:
    """Both twins over all classes but one."""
    if not known.facts.whole or not all(c.known for c in known.facts.classes):
        return []
    found = []
    for one in known.facts.classes:
        f1 = known.means("f1", one.label) or []
        found.append(_candidate(f"macro_f1 without {one.label}", f1, reported))
        if all(c.precision and c.recall for c in known.facts.classes):
            p, r = known.means("precision", one.label), known.means("recall", one.label)
            of_averages = known.f1_of_averages(p, r) or []
            found.append(_candidate(f"f1_of_averages without {one.label}", of_averages, reported))
    return [c for c in found if c.fits]


def _candidate(name: str, ranges: list[Range], reported: Range) -> Candidate:
    return Candidate(name, tuple(ranges), any(reported.meets(r) for r in ranges))


def fitting(found: list[Candidate]) -> tuple[str, ...]:
    """The names of the formulas that fit, those that say most first."""
    fits = [c for c in found if c.fits]
    if not fits:
        return ()
    narrow = ALIKE * min(c.width for c in fits)

    def place(c: Candidate) -> tuple[bool, bool]:
        return c.name not in FORMULAS, c.width > narrow

    return tuple(c.name for c in sorted(fits, key=place))
