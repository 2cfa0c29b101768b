"""Which formula is behind a reported macro F1.

The model: one formula made a column, either macro F1 ten times as probable beforehand as others
(`OTHER`; means over some classes share it). The rest of a row bounds its value, which lies within
close bounds as a sum of two roundings (`POINTS`). Where only one twin is bounded closely, the other
is a gap away, 4·m·gap = b·D² + (s·(1 − m))²·χ²₁, with m and D the mean and the difference of macro
precision and recall, b and s the same in a table (`SYSTEMS`). Wide bounds, and a row that no
formula explains, tell nothing. A macro F1 is a misprint (`MISPRINT`): of one digit, or, as often,
any number; or a table's digits are cut off (`CUT`) or unsaid means over runs (`RUNS`), where the F1
of averages is a gap below 2PR/(P + R), b = 0 and s of `RUN_SPREADS`. A formula is named if it is
`SURE` times as probable as all others together and explains half of the rows; not where another
alone fits every row while it hits one or two and misses one by more than a digit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import inf
from typing import Literal

import numpy as np

from evenhand.auditing.bounds import KnownRates
from evenhand.auditing.ranges import (
    ATTAINED,
    UNIT,
    AttainableTables,
    Number,
    Range,
    hull,
    meets,
    spread,
)
from evenhand.records import Record

Floats = np.ndarray

FORMULAS = ("macro_f1", "f1_of_averages", "weighted_f1", "micro_f1", "weighted_f1_of_averages")

TWINS = frozenset({"macro_f1", "f1_of_averages"})

OTHER = 0.1
MISPRINT = 0.03
CUT = 0.05
RUNS = 0.1
RUN_SPREADS = (0.01, 0.03, 0.1, 0.3)
SURE = 20

_SCALES = ((0.0, 0.02), (0.05, 0.08), (0.4, 0.3), (1.0, 0.6))
_SPREADS = ((0.02, 0.06), (0.1, 0.14), (0.3, 0.3), (1.0, 0.5))
SYSTEMS = tuple(product(_SCALES, _SPREADS))
"""Kinds of systems: b and s of the gap, each with its probability."""
_B, _S = (np.array([one[i][0] for one in SYSTEMS]) for i in range(2))
_CHANCE = np.array([b[1] * s[1] for b, s in SYSTEMS])


def _places(count: int) -> Floats:
    """Equally probable places between 0 and 1: quantiles of a triangular distribution."""
    p = (np.arange(count) + 0.5) / count
    return np.where(p < 0.5, np.sqrt(p / 2), 1 - np.sqrt((1 - p) / 2))


POINTS, FINE_POINTS = _places(9), _places(90)
"""Places of a value between its bounds."""

CLOSE = 3
"""Printed values that bounds may leave open and still be close."""

FEW = 6
"""Classes of which an average may be over any two or more."""

WRONG_DIGITS = frozenset(d * 10**place for place in range(4) for d in range(1, 10)) - {1}
"""Units that one wrong digit in one of the last four places is off by; 1 may be a rounding."""

MISPRINTED = 1 / (2 * len(WRONG_DIGITS))
"""P(the printed digits) of a misprint in one digit."""


# Formulas that fit the reported value


@dataclass(frozen=True)
class Candidate:
    """A formula, the ranges its value can have on a row, and whether the reported value fits."""

    name: str
    ranges: tuple[Range, ...]
    fits: bool

    def meets(self, value: Range) -> bool:
        """Whether a value lies where its own can; the row's tables may still not give it."""
        return any(value.meets(r) for r in self.ranges)

    @cached_property
    def hull(self) -> Range:
        """The least and the largest value that it can have."""
        return hull(self.ranges)

    @cached_property
    def width(self) -> Number:
        """The total width of its ranges."""
        return min(self.hull.width, sum(r.width for r in self.ranges))


@dataclass(frozen=True)
class FormulaQuestion:
    """A row's reported macro F1, the candidate formulas over all classes, and its facts."""

    reported: Range
    plain: tuple[Candidate, ...]
    known: KnownRates

    @cached_property
    def others(self) -> tuple[Candidate, ...]:
        """Both macro F1s over all classes but one, where they fit; computed on demand."""
        return tuple(_over_some(self.known, self.reported, [1] if self.plain else ()))

    @cached_property
    def subsets(self) -> tuple[Candidate, ...]:
        """The mean of F1 over smaller subsets of few classes, where it fits."""
        classes = len(self.known.facts.classes)
        sizes = range(2, classes - 1) if classes <= FEW and self.plain else ()
        return tuple(_over_some(self.known, self.reported, sizes))

    @property
    def is_testable(self) -> bool:
        """Whether the rest of the row bounds one of the two macro F1s."""
        return any(c.name in TWINS for c in self.plain)

    @cached_property
    def by_name(self) -> dict[str, Candidate]:
        """Every formula, over all classes and over some."""
        return {c.name: c for c in (*self.plain, *self.others, *self.subsets)}

    def misses(self, formula: str) -> bool:
        """Whether a formula can be worked out for the row, and does not give its macro F1."""
        if formula in FORMULAS:
            return any(c.name == formula and not c.fits for c in self.plain)
        return formula not in self.by_name

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """Every formula held against the row; a class is left out only if no plain one fits."""
        fits = any(c.fits for c in self.plain)
        return self.plain if fits else (*self.plain, *self.others)

    def exact(self, one: Candidate) -> bool:
        """Whether a formula hits the printed digits, hardly any others being open to it."""
        narrow = (r for r in one.ranges if r.width <= CLOSE * self.reported.width)
        return one.fits and any(self.reported.meets(r) for r in narrow)

    @property
    def fitting(self) -> tuple[str, ...]:
        """The names of the formulas that fit, those that say most first."""
        fits = [c for c in self.candidates if c.fits]
        narrow = CLOSE * min((c.width for c in fits), default=0)
        return tuple(c.name for c in sorted(fits, key=lambda c: c.width > narrow))

    def twin(self, one: Candidate) -> Candidate | None:
        """The other of the two macro F1s, where the row bounds it."""
        return next((c for c in self.plain if {c.name, one.name} == TWINS), None)

    def bounds_closely(self, one: Candidate) -> bool:
        """Whether few printed values are open to a formula, or far fewer than to its twin."""
        twin = self.twin(one) or one
        return one.width <= max(CLOSE * self.reported.width, Fraction(twin.width, 10))

    def leaves_open(self, name: str, one: Candidate | None) -> bool:
        """Whether the row tells nothing of a formula: it bounds it not at all, or not closely."""
        if one is None:
            return name in FORMULAS
        return one.fits and name not in TWINS and one.width > CLOSE * self.reported.width

    def likelihood(self, c: Candidate) -> tuple[Floats, float]:
        """P(the printed digits) under a formula: rounded, cut off, and rounded means over runs of
        each spread, for each kind of systems; and as a misprint.
        """
        if c.name not in self._likelihoods:
            longer = self.reported + Range(*[Fraction(self.reported.width, 2)] * 2)
            # A value inside the range that no table gives is not cut off either.
            starts = c.meets(longer) and (c.fits or not c.meets(self.reported))
            hits = np.zeros((2 + len(RUN_SPREADS), len(_CHANCE)))
            hits[:] = _likelihood(self, c, self.reported) if c.fits else 0
            hits[1] = _likelihood(self, c, longer) if starts else 0
            unsaid = self.known.facts.assumptions.runs == 1 and self.bounds_closely(c)
            if c.name == "f1_of_averages" and unsaid:
                hits[2:] = _of_runs(self, c)
            misprint = MISPRINTED if one_digit_off(self, c) else float(self.reported.width) / 2
            self._likelihoods[c.name] = hits, misprint
        return self._likelihoods[c.name]

    @cached_property
    def _likelihoods(self) -> dict[str, tuple[Floats, float]]:
        return {}  # a row is judged alone and with its table


def question(known: KnownRates, tables: AttainableTables | None = None) -> FormulaQuestion:
    """Compare a row's macro F1, if it has one, with every formula that its numbers determine.

    With the row's tables at hand, a formula fits if it fits on one of them.
    """
    reported, predicted = known.facts.metrics.get("reported_macro_f1"), known.predicted
    if reported is None:
        return FormulaQuestion(UNIT, (), known)
    values = predicted | {"micro_f1": _micro(known, predicted)}
    if not all(known.averages):  # bounds by one of the two say nothing of the formula
        values = {name: places for name, places in values.items() if name not in TWINS}
    candidates = [
        _candidate(name, values[name], reported)
        for name in FORMULAS
        if values.get(name) and (not name.startswith("weighted") or _is_determined(known, name))
    ]
    if tables is not None:
        candidates = [_on_tables(c, reported, tables) for c in candidates]
    return FormulaQuestion(reported, tuple(candidates), known)


def _is_determined(known: KnownRates, name: str) -> bool:
    """Whether a weighted form follows from what is reported, instead of being merely possible."""
    facts = known.facts
    averages = "weighted_precision" in facts.metrics and known.accuracy is not None
    of_classes = facts.supports is not None and all(c.known for c in facts.classes)
    return of_classes or (name == "weighted_f1_of_averages" and averages)


def _micro(known: KnownRates, predicted: dict[str, list[Range]]) -> list[Range]:
    """Micro F1 is accuracy; with predictions outside it lies between that and 2a/(1+a)."""
    facts, share = known.facts, known.accuracy
    if facts.assumptions.several:
        share = facts.metrics.get("micro_f1")
    elif share is None and facts.supports is not None and all(c.recall for c in facts.classes):
        share = hull(predicted["accuracy"])
    if share is not None and facts.assumptions.abstentions and not facts.assumptions.several:
        share = Range(share.low, Fraction(2 * share.high, 1 + share.high))
    return [] if share is None else [share]


def _on_tables(c: Candidate, reported: Range, tables: AttainableTables) -> Candidate:
    if c.name not in ATTAINED:
        return c
    values = tables[c.name]
    return Candidate(c.name, (spread(values),), bool(meets(reported, values).any()))


def _over_some(known: KnownRates, reported: Range, sizes: Iterable[int]) -> Iterator[Candidate]:
    """Macro F1s that leave out so many classes, where they fit: of more than one the mean alone."""
    classes = known.facts.classes
    if not known.facts.has_all_classes or not all(c.known for c in classes):
        return
    pairs = all(c.precision and c.recall for c in classes)
    # Averages over all classes may leave out an empty one as well.
    labels = [c.label for c in classes if c.support != 0]
    for size in sizes:
        for left in combinations(labels, size):
            ranges = {"macro_f1": known.means("f1", left)}
            if pairs and size == 1:
                p, r = ([hull(known.means(part, left))] for part in ("precision", "recall"))
                ranges["f1_of_averages"] = known.f1_of_averages(p, r)
            for name, places in ranges.items():
                one = _candidate(f"{name} without {', '.join(left)}", places, reported)
                if one.fits:
                    yield one


def _candidate(name: str, ranges: list[Range], reported: Range) -> Candidate:
    return Candidate(name, tuple(ranges), any(reported.meets(r) for r in ranges))


# Likelihood of the printed digits under each formula


def _likelihood(q: FormulaQuestion, c: Candidate, value: Range) -> Floats | float:
    """P(the printed digits) if a formula made them; for each kind of systems where it matters."""
    unit, width = float(q.reported.width), float(c.width)
    close, flat = CLOSE * unit, unit / (unit + width)
    twin = q.twin(c)
    other = width if twin is None else float(twin.width)
    if twin is not None and 1.5 * other < width and other <= max(close, width / 10):
        share: Floats | float = _by_gap(q, c, twin, value)
    elif q.bounds_closely(c):
        low, high = float(value.low), float(value.high)
        at = np.array([float(r.low) + POINTS * float(r.width) for r in c.ranges])
        share = float(((low <= at) & (at <= high)).mean())
    else:
        return unit / (unit + max(width, other))
    return 0.95 * share + 0.05 * flat


def _of_runs(q: FormulaQuestion, c: Candidate) -> Floats:
    """P(the printed digits) if the F1 of averages is a mean over runs: a row for each spread."""
    from scipy.special import gammainc

    middle, _ = _averages(q)
    ends = np.array([float(q.reported.low), float(q.reported.high)])
    at = (float(c.hull.low) + FINE_POINTS * float(c.hull.width))[:, None]
    scaled = 4 * middle * np.maximum(at - ends, 0) / max(1 - middle, 0.02) ** 2
    below = gammainc(0.5, scaled / (2 * np.array(RUN_SPREADS)[:, None, None] ** 2))
    return np.asarray((below[..., 0] - below[..., 1]).mean(axis=1, keepdims=True))


def _averages(q: FormulaQuestion) -> tuple[float, float]:
    """The mean of a row's macro precision and recall, and how far these are apart at least."""
    if not all(q.known.averages):
        return q.reported.middle, 0.0
    p, r = map(hull, q.known.averages)
    return (p.middle + r.middle) / 2, float(max(p.low - r.high, r.low - p.high, 0))


def _by_gap(q: FormulaQuestion, c: Candidate, twin: Candidate, value: Range) -> Floats:
    """P(the printed digits) from the other macro F1 and the gap to it."""
    from scipy.special import gammainc

    middle, apart = _averages(q)
    ends = np.array([float(x) for x in (value.low, value.high, c.hull.low, c.hull.high)])
    at = (float(twin.hull.low) + POINTS * float(twin.hull.width))[:, None]
    gaps = np.maximum(at - ends if c.name == "macro_f1" else ends - at, 0)[..., None]
    noise = np.maximum(4 * middle * gaps - _B * apart**2, 0) / (_S * max(1 - middle, 0.02)) ** 2
    below = gammainc(0.5, noise / 2)
    hit, possible = abs(below[:, 0] - below[:, 1]), abs(below[:, 2] - below[:, 3])
    flat = float(q.reported.width / (q.reported.width + c.width))
    share = np.where(possible > 1e-12, hit / np.maximum(possible, 1e-12), flat)
    return np.asarray(np.minimum(share, 1).mean(0))


def one_digit_off(q: FormulaQuestion, c: Candidate) -> bool:
    """Whether another digit in one place would make a formula hit that leaves little open."""
    unit = q.reported.width
    if c.width > CLOSE * unit:
        return False
    return any(
        abs(off) in WRONG_DIGITS for off in (c.hull - q.reported).times(Fraction(1, unit)).whole
    )


def log_evidence(
    rows: Sequence[tuple[FormulaQuestion, Mapping[str, Candidate]]], names: Sequence[str]
) -> dict[str, float]:
    """Log of prior × probability of the rows' macro F1, for each formula."""
    ways = np.array([1 - CUT - RUNS, CUT, *[RUNS / len(RUN_SPREADS)] * len(RUN_SPREADS)])
    logs = np.zeros((len(ways), len(names), len(_CHANCE)))
    for q, candidates in rows:
        weights = {n: q.likelihood(c) for n, c in candidates.items()}
        silent = max(hits[0].max() for hits, _ in weights.values())
        nothing = np.zeros((1, 1)), float(q.reported.width) / 2
        for i, n in enumerate(names):
            hits, misprint = weights.get(n, nothing)
            # What cannot be worked out, or not closely, is no evidence either way.
            if q.leaves_open(n, candidates.get(n)):
                hits = np.full((1, 1), silent)
            logs[:, i] += np.log((1 - MISPRINT) * hits + MISPRINT * misprint)
    top = logs.max(-1)
    totals = top + np.log(np.exp(logs - top[..., None]) @ _CHANCE)
    both = np.logaddexp.reduce(np.log(ways)[:, None] + totals)
    k = max((len(q.known.facts.classes) for q, _ in rows), default=0)
    subsets = 2**k if k <= FEW else k
    prior = [1.0 if n in TWINS else OTHER if n in FORMULAS else OTHER / subsets for n in names]
    return dict(zip(names, (np.log(prior) + both).tolist(), strict=True))


# Verdict on a column of macro F1

WORDS = ((inf, "conclusive"), (1000, "overwhelming"), (100, "strong"), (SURE, "fair"))
"""What so many times as probable is called; infinite if no other formula gives the numbers."""

Status = Literal["named", "open", "vague", "none", "inconsistent", "untested"]


class WeightedFormula(Record):
    """A formula: rows it explains, rows whose digits it hits, and how strong the evidence is.

    ``strength`` is how many times as probable it makes the column as all other formulas
    together do: below 1 where others are better, infinite where no other can have made it.
    """

    json_fields = "formula explained exact strength"

    formula: str
    explained: int
    exact: int
    strength: float


class FormulaVerdict(Record):
    """The formula behind a column, or none, and every candidate, the most probable first.

    ``status`` says why there is none: the numbers or the headings leave it open, none explains half
    of the rows, every row is inconsistent, or neither of the two macro F1s could be worked out.
    ``alone`` is the one formula that fits every row, where there is one.
    """

    json_fields = "formula status strength candidates"

    formula: str | None
    status: Status
    candidates: tuple[WeightedFormula, ...] = ()
    alone: str | None = None

    @property
    def strength(self) -> str:
        """The evidence for the formula in a word; empty where none is named."""
        if self.formula is None:
            return ""
        return next(word for least, word in WORDS if self.candidates[0].strength >= least)


def judge(rows: Sequence[FormulaQuestion]) -> FormulaVerdict:
    """The formula behind the macro F1 of some rows of one table."""
    if not any(q.is_testable for q in rows):
        return FormulaVerdict(None, "untested")
    hits = Counter(c.name for q in rows for c in q.plain if q.exact(c))
    # Averages over some of the classes explain no more than a formula that hits most digits.
    plain = any(2 * hits[n] > len(rows) and not any(q.misses(n) for q in rows) for n in FORMULAS)
    candidates = [(q, {c.name: c for c in q.plain} if plain else q.by_name) for q in rows]
    names = list(dict.fromkeys([*sorted(TWINS), *(n for _, one in candidates for n in one)]))
    explained, exact = Counter[str](), Counter[str]()
    for q, one in candidates:
        explained.update(n for n, c in one.items() if c.fits)
        exact.update(n for n, c in one.items() if q.exact(c))
    telling = [(q, one) for q, one in candidates if any(c.fits for c in one.values())]
    missed = {n: [q for q, _ in telling if q.misses(n)] for n in names}
    evidence = log_evidence(telling, names)
    odds = {n: _odds(n, evidence) for n in names}
    best, *rivals = order = sorted(names, key=lambda n: -evidence[n])
    far = [sum(not _near(q, n) for q in missed[n]) for n in rivals]
    if odds[best] >= 1000 and min(far) >= len(missed[best]) + 2:
        odds[best] = inf
    weighed = tuple(WeightedFormula(n, explained[n], exact[n], odds[n]) for n in order)
    fitting = [n for n in names if not any(q.misses(n) for q in rows)]
    alone = fitting[0] if len(fitting) == 1 else None
    if 2 * sum(q.misses(best) for q in rows) > len(rows):
        return FormulaVerdict(None, "none", weighed, alone)
    # A number such as accuracy may agree with one of the two macro F1s throughout.
    spare = best not in TWINS and any(not missed[n] for n in TWINS)
    own = [(q, c) for q in missed[best] for c in q.plain if c.name == best]
    odd = [q for q, c in own if not one_digit_off(q, c)]
    few = alone not in (None, best) and exact[best] <= 2 and bool(odd)
    if odds[best] < SURE or spare or few:
        return FormulaVerdict(None, "open", weighed, alone)
    return FormulaVerdict(best, "named", weighed, alone)


def _near(q: FormulaQuestion, name: str) -> bool:
    """Whether a formula would give a value at most one unit off the printed one."""
    unit = q.reported.width
    around = q.reported + Range(-unit, unit)
    return any(c.meets(around) and not c.meets(q.reported) for c in q.plain if c.name == name)


def _odds(name: str, evidence: Mapping[str, float]) -> float:
    """How many times as probable as all others together, to three digits."""
    rest = np.logaddexp.reduce([s for n, s in evidence.items() if n != name])
    return float(f"{np.exp(min(evidence[name] - rest, 500.0)):.3g}")
