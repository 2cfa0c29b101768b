"""Formulas: which of those called 'macro F1' can have given the reported value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product

from evenhand.auditing.attained import ATTAINED, Attained, meets, scale, spread
from evenhand.auditing.columns import PER_CLASS
from evenhand.auditing.predict import Known
from evenhand.auditing.ranges import Number, Range, divided, hull

FORMULAS = ("macro_f1", "f1_of_averages", "weighted_f1", "micro_f1", "weighted_f1_of_averages")

TWINS = frozenset({"macro_f1", "f1_of_averages"})

_ROUGH = 1e-9
"""What floating point may be off by where it only says what need not be worked out."""

_MANY = 16
"""Pairs of conventions beyond which they are not kept one by one."""

FEW = 6
"""Classes of which an average may be over any two or more."""

ALIKE = 3
"""Printed values that a formula may leave open and still be said to hit one exactly."""


@dataclass(frozen=True)
class Candidate:
    """A formula, where its value can lie on this row, and whether the reported value does.

    ``share`` is the part of the row's tables on which it does, where all are listed.
    """

    name: str
    ranges: tuple[Range, ...]
    fits: bool
    share: float | None = None

    def meets(self, value: Range) -> bool:
        """Whether a value lies where its own can; the row's tables may still not give it."""
        return any(value.meets(r) for r in self.ranges)

    @cached_property
    def hull(self) -> Range:
        """The least and the largest value that it can have."""
        return hull(self.ranges)

    @cached_property
    def width(self) -> Number:
        """How little it says: what its conventions leave open, one by one."""
        return min(self.hull.width, sum(r.width for r in self.ranges))

    @cached_property
    def wide(self) -> float:
        """The same, where weights are made of it."""
        return float(self.width)


@dataclass(frozen=True)
class Question:
    """A row's reported macro F1, the plain formulas held against it, and what else is known."""

    reported: Range
    plain: tuple[Candidate, ...]
    known: Known

    @cached_property
    def others(self) -> tuple[Candidate, ...]:
        """The twins over all classes but one that fit: worked out only where somebody asks."""
        return tuple(_leaving_out(self.known, self.reported))

    @cached_property
    def subsets(self) -> tuple[Candidate, ...]:
        """The mean of F1 over fewer classes yet, of a few, where it fits."""
        return tuple(_over_some(self.known, self.reported))

    @property
    def told(self) -> bool:
        """Whether the rest of the row says something about one of the twins."""
        return any(c.name in TWINS for c in self.plain)

    def misses(self, formula: str) -> bool:
        """Whether a formula can be worked out for the row, and does not give its macro F1."""
        over_some = formula not in FORMULAS
        some = (*self.others, *self.subsets) if over_some else self.plain
        own = next((c for c in some if c.name == formula), None)
        return over_some if own is None else not own.fits

    @cached_property
    def unit(self) -> float:
        """One unit of the last printed digit."""
        return float(self.reported.width)

    @property
    def found(self) -> tuple[Candidate, ...]:
        """Every formula held against the row; a class is left out only if no plain one fits."""
        fits = any(c.fits for c in self.plain)
        return self.plain if fits else (*self.plain, *self.others)

    def exact(self, one: Candidate) -> bool:
        """Whether a formula hits the printed digits, hardly any others being open to it."""
        return one.fits and one.width <= ALIKE * self.reported.width

    @property
    def fitting(self) -> tuple[str, ...]:
        """The names of the formulas that fit, those that say most first."""
        fits = [c for c in self.found if c.fits]
        narrow = ALIKE * min((c.width for c in fits), default=0)
        return tuple(c.name for c in sorted(fits, key=lambda c: c.width > narrow))


def question(known: Known, reported: Range, tables: list[Attained] | None = None) -> Question:
    """Every formula that can be worked out for a row, held against its reported macro F1.

    With the row's tables at hand, a formula fits if it fits on one of them.
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
    return Question(reported, tuple(result), known)


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
    if known.facts.assumptions.several:
        reported = known.facts.metrics.get("micro_f1")
        return None if reported is None else [reported]
    if known.accuracy is not None:
        share = known.accuracy
    elif known.facts.supports is not None and all(c.recall for c in known.facts.classes):
        share = hull(made["accuracy"])
    else:
        return None
    if known.facts.assumptions.abstentions:
        return [Range(share.low, divided(2 * share.high, 1 + share.high))]
    return [share]


def _on_tables(c: Candidate, reported: Range, tables: list[Attained]) -> Candidate:
    values = [v for t in tables if c.name in ATTAINED and (v := t[c.name])]
    if not values:
        return c
    scaled = scale(reported)
    hits = sum(meets(scaled, v) for v in values)
    ranges = (spread([x for v in values for x in v]),)
    return Candidate(c.name, ranges, hits > 0, hits / len(values))


def _leaving_out(known: Known, reported: Range) -> list[Candidate]:
    """Both twins over all classes but one."""
    if not known.facts.whole or not all(c.known for c in known.facts.classes):
        return []
    found = []
    pairs = all(c.precision and c.recall for c in known.facts.classes)
    near = {part: known.near(part) for part in PER_CLASS}
    low, high = float(reported.low) - _ROUGH, float(reported.high) + _ROUGH
    single = known.facts.assumptions.runs == 1
    for i, one in enumerate(known.facts.classes):
        if one.support == 0:  # averages over all classes may leave it out as well
            continue
        ends = near["f1"][i]
        if ends[0] <= high and ends[1] >= low:
            f1 = known.means("f1", (one.label,)) or []
            found.append(_candidate(_without("macro_f1", [one.label]), f1, reported))
        if pairs and _can_meet([near["precision"][i]], [near["recall"][i]], low, high, single):
            p, r = (known.means(part, (one.label,)) or [] for part in ("precision", "recall"))
            of_averages = _of_averages(known, p, r, reported)
            if of_averages is not None:
                found.append(replace(of_averages, name=_without("f1_of_averages", [one.label])))
    return [c for c in found if c.fits]


def _over_some(known: Known, reported: Range) -> Iterator[Candidate]:
    """The mean of F1 over two classes or more, at least two being left out."""
    labels = [c.label for c in known.facts.classes if c.support != 0]
    if len(labels) > FEW or not known.facts.whole or not all(c.known for c in known.facts.classes):
        return
    for size in range(2, len(labels) - 1):
        for left in combinations(labels, size):
            one = _candidate(_without("macro_f1", left), known.means("f1", left) or [], reported)
            if one.fits:
                yield one


def _without(formula: str, left: Sequence[str]) -> str:
    return f"{formula} without {', '.join(left)}"


def _of_averages(known: Known, p: list[Range], r: list[Range], reported: Range) -> Candidate | None:
    """The F1 of averages, if it fits; of many conventions only the ends of all are kept."""
    name = "f1_of_averages"
    if len(p) * len(r) <= _MANY:
        return _candidate(name, known.f1_of_averages(p, r) or [], reported)
    single = known.facts.assumptions.runs == 1
    low, high = float(reported.low) - _ROUGH, float(reported.high) + _ROUGH
    for a, b in product(p, r):
        if _can_meet(_rough([a]), _rough([b]), low, high, single):
            (made,) = known.f1_of_averages([a], [b]) or [reported]
            if made.meets(reported):
                ends = known.f1_of_averages([hull(p)], [hull(r)]) or []
                return Candidate(name, tuple(ends), True)
    return None


def _can_meet(
    p: Sequence[tuple[float, float]],
    r: Sequence[tuple[float, float]],
    low: float,
    high: float,
    single: bool,
) -> bool:
    """Whether 2PR/(P+R), or a mean of some over runs, may lie between two ends."""
    return any(
        (_harmonic(a, c) if single else a + c - 1) <= high and _harmonic(b, d) >= low
        for (a, b), (c, d) in product(p, r)
    )


def _rough(ranges: Sequence[Range]) -> list[tuple[float, float]]:
    return [(float(r.low), float(r.high)) for r in ranges]


def _harmonic(a: float, b: float) -> float:
    return 2 * a * b / (a + b) if a > 0 and b > 0 else 0.0


def _candidate(name: str, ranges: list[Range], reported: Range) -> Candidate:
    return Candidate(name, tuple(ranges), any(reported.meets(r) for r in ranges))
