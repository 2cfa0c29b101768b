"""Inference of the formula behind a reported macro F1."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import combinations, product
from math import erf, exp, inf, log, sqrt
from typing import Literal

import numpy as np

from evenhand.auditing.bounds import KnownRates
from evenhand.auditing.headers import PER_CLASS
from evenhand.auditing.ranges import (
    ATTAINED,
    AttainableValues,
    Number,
    Range,
    divided,
    hull,
    meets,
    scale,
    spread,
    upwards,
)
from evenhand.records import Record

Floats = np.ndarray

LEAST = 0.4
"""Var(d) / D² as small as simulated systems of many classes have it."""

_SPREADS = ((0.02, 0.06), (0.1, 0.14), (0.3, 0.3), (1.0, 0.5))
_LOOSE = 0.5
"""The weight of β = 0 where predictions of the averaged classes need not add up."""


@dataclass(frozen=True, eq=False)
class PriorMixture:
    """A mixture of priors on the gap between the two macro F1s."""

    beta: Floats
    spread: Floats
    freedom: Floats
    weight: Floats

    @classmethod
    @lru_cache(maxsize=256)
    def for_classes(cls, classes: int | None, loose: bool = False) -> PriorMixture:
        """The mixture for a number of classes, or an unknown number."""
        k = classes or 20
        floor = 1 / max(k - 1, 1)
        betas = [(0.0, 0.01), (floor, 0.09), (max(LEAST, floor), 0.3), (1.0, 0.6)]
        if loose:
            betas = [(0.0, _LOOSE), *((b, w * (1 - _LOOSE)) for b, w in betas)]
        freedoms = [(f, 0.5) for f in (1, min(k - 1, 3) or 1)]
        every = list(product(betas, _SPREADS, freedoms))
        beta, spread, freedom = (np.array([one[i][0] for one in every]) for i in range(3))
        weight = np.array([b[1] * c[1] * f[1] for b, c, f in every])
        return cls(beta, spread, freedom, weight / weight.sum())

    def below(self, gap: Floats, middle: float, apart: float) -> Floats:
        """P(a row's gap ≤ ``gap``) in each component (last axis), ``apart`` being D²."""
        from scipy.special import gammainc

        error = max(1 - middle, 0.02)
        noise = 4 * middle * np.asarray(gap)[..., None] - self.beta * apart
        share = np.maximum(noise, 0) / (self.spread * error) ** 2
        return np.asarray(gammainc(self.freedom / 2, self.freedom * share / 2))


# Formulas that fit the reported value

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
    """A formula, the ranges its value can have on a row, and whether the reported value fits.

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
        """The total width of its ranges."""
        return min(self.hull.width, sum(r.width for r in self.ranges))

    @cached_property
    def wide(self) -> float:
        """The width as a float."""
        return float(self.width)


@dataclass(frozen=True)
class FormulaQuestion:
    """A row's reported macro F1, the candidate formulas over all classes, and its facts."""

    reported: Range
    plain: tuple[Candidate, ...]
    known: KnownRates

    @cached_property
    def others(self) -> tuple[Candidate, ...]:
        """Both macro F1s over all classes but one, where they fit; computed on demand."""
        return tuple(_leaving_out(self.known, self.reported))

    @cached_property
    def subsets(self) -> tuple[Candidate, ...]:
        """The mean of F1 over smaller subsets of few classes, where it fits."""
        return tuple(_over_some(self.known, self.reported))

    @property
    def is_testable(self) -> bool:
        """Whether the rest of the row bounds one of the two macro F1s."""
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
    def candidates(self) -> tuple[Candidate, ...]:
        """Every formula held against the row; a class is left out only if no plain one fits."""
        fits = any(c.fits for c in self.plain)
        return self.plain if fits else (*self.plain, *self.others)

    def exact(self, one: Candidate) -> bool:
        """Whether a formula hits the printed digits, hardly any others being open to it."""
        return one.fits and one.width <= ALIKE * self.reported.width

    @property
    def fitting(self) -> tuple[str, ...]:
        """The names of the formulas that fit, those that say most first."""
        fits = [c for c in self.candidates if c.fits]
        narrow = ALIKE * min((c.width for c in fits), default=0)
        return tuple(c.name for c in sorted(fits, key=lambda c: c.width > narrow))


def question(
    known: KnownRates, reported: Range, tables: list[AttainableValues] | None = None
) -> FormulaQuestion:
    """Compare a row's macro F1 with every formula that its numbers determine.

    With the row's tables at hand, a formula fits if it fits on one of them.
    """
    predicted = known.predicted
    values = predicted | {"micro_f1": _micro(known, predicted) or []}
    result = [
        _candidate(name, values[name], reported)
        for name in FORMULAS
        if values.get(name) and (not name.startswith("weighted") or _is_determined(known, name))
    ]
    if tables:
        result = [_on_tables(c, reported, tables) for c in result]
    return FormulaQuestion(reported, tuple(result), known)


def _is_determined(known: KnownRates, name: str) -> bool:
    """Whether a weighted form follows from what is reported, instead of being merely possible."""
    facts = known.facts
    if facts.supports is not None and all(c.known for c in facts.classes):
        return True
    if name == "weighted_f1_of_averages":
        return "weighted_precision" in facts.metrics and known.accuracy is not None
    return False


def _micro(known: KnownRates, predicted: dict[str, list[Range]]) -> list[Range] | None:
    """Micro F1 is accuracy; with predictions outside it lies between that and 2a/(1+a)."""
    if known.facts.assumptions.several:
        reported = known.facts.metrics.get("micro_f1")
        return None if reported is None else [reported]
    if known.accuracy is not None:
        share = known.accuracy
    elif known.facts.supports is not None and all(c.recall for c in known.facts.classes):
        share = hull(predicted["accuracy"])
    else:
        return None
    if known.facts.assumptions.abstentions:
        return [Range(share.low, divided(2 * share.high, 1 + share.high))]
    return [share]


def _on_tables(c: Candidate, reported: Range, tables: list[AttainableValues]) -> Candidate:
    values = [v for t in tables if c.name in ATTAINED and (v := t[c.name])]
    if not values:
        return c
    scaled = scale(reported)
    hits = sum(meets(scaled, v) for v in values)
    ranges = (spread([x for v in values for x in v]),)
    return Candidate(c.name, ranges, hits > 0, hits / len(values))


def _leaving_out(known: KnownRates, reported: Range) -> list[Candidate]:
    """Both macro F1s over all classes but one, where they fit."""
    if not known.facts.has_all_classes or not all(c.known for c in known.facts.classes):
        return []
    candidates = []
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
            candidates.append(_candidate(_without("macro_f1", [one.label]), f1, reported))
        if pairs and _can_meet(near["precision"][i], near["recall"][i], low, high, single):
            p, r = (known.means(part, (one.label,)) or [] for part in ("precision", "recall"))
            of_averages = _of_averages(known, p, r, reported)
            if of_averages is not None:
                candidates.append(
                    replace(of_averages, name=_without("f1_of_averages", [one.label]))
                )
    return [c for c in candidates if c.fits]


def _over_some(known: KnownRates, reported: Range) -> Iterator[Candidate]:
    """The mean of F1 over subsets of classes that leave out two or more, where it fits."""
    labels = [c.label for c in known.facts.classes if c.support != 0]
    if (
        len(labels) > FEW
        or not known.facts.has_all_classes
        or not all(c.known for c in known.facts.classes)
    ):
        return
    for size in range(2, len(labels) - 1):
        for left in combinations(labels, size):
            one = _candidate(_without("macro_f1", left), known.means("f1", left) or [], reported)
            if one.fits:
                yield one


def _without(formula: str, left: Sequence[str]) -> str:
    return f"{formula} without {', '.join(left)}"


def _of_averages(
    known: KnownRates, p: list[Range], r: list[Range], reported: Range
) -> Candidate | None:
    """The F1 of averages, if it fits; of many conventions only the ends of all are kept."""
    name = "f1_of_averages"
    if len(p) * len(r) <= _MANY:
        return _candidate(name, known.f1_of_averages(p, r) or [], reported)
    single = known.facts.assumptions.runs == 1
    low, high = float(reported.low) - _ROUGH, float(reported.high) + _ROUGH
    for a, b in product(p, r):
        ends = (float(a.low), float(a.high)), (float(b.low), float(b.high))
        if _can_meet(*ends, low, high, single):
            (value,) = known.f1_of_averages([a], [b]) or [reported]
            if value.meets(reported):
                every = known.f1_of_averages([hull(p)], [hull(r)]) or []
                return Candidate(name, tuple(every), True)
    return None


def _can_meet(
    p: tuple[float, float], r: tuple[float, float], low: float, high: float, single: bool
) -> bool:
    """Whether 2PR/(P+R), or a mean of some over runs, may lie between two ends."""
    least = _harmonic(p[0], r[0]) if single else p[0] + r[0] - 1
    return least <= high and _harmonic(p[1], r[1]) >= low


def _harmonic(a: float, b: float) -> float:
    return 2 * a * b / (a + b) if a > 0 and b > 0 else 0.0


def _candidate(name: str, ranges: list[Range], reported: Range) -> Candidate:
    return Candidate(name, tuple(ranges), any(reported.meets(r) for r in ranges))


# Likelihood of the printed digits under each formula

SLIP = 0.01
"""How often a printed number is taken to be a misprint."""

_OFTEN = 0.1
"""How often a row has one, at most."""

_CUT = 0.03
"""How often a table's digits are taken to be cut off instead of rounded."""

_OTHER = 0.02
"""How likely a formula that is neither of the twins is, beforehand, beside one of them."""

_CLOSE = 5
"""Printed values that a formula may leave open and still tell something by itself."""

_POINTS = np.array([0.1, 0.3, 0.5, 0.7, 0.9])

_WRONG = sorted(d * 10**place for place in range(4) for d in (*range(-9, 0), *range(1, 10)))
"""Units that one wrong digit in one of the last four places is off by."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """The likelihood of one row's macro F1 under each formula, computed once."""

    question: FormulaQuestion

    @cached_property
    def prior(self) -> PriorMixture:
        """The kinds of systems that the row may be of."""
        facts = self.question.known.facts
        assumptions = facts.assumptions
        loose = assumptions.abstentions or assumptions.several or not assumptions.complete
        return PriorMixture.for_classes(
            len(facts.classes) if facts.has_all_classes else None, loose
        )

    def candidates(self, some: bool) -> Mapping[str, Candidate]:
        """The formulas held against the row, those over some of the classes only if asked for."""
        return self._all if some else self._plain

    @cached_property
    def _plain(self) -> dict[str, Candidate]:
        return {c.name: c for c in self.question.plain}

    @cached_property
    def _all(self) -> dict[str, Candidate]:
        q = self.question
        return self._plain | {c.name: c for c in (*q.others, *q.subsets)}

    @cached_property
    def misprint_rate(self) -> float:
        """How often a row has a misprint: the more, the more numbers the formula is made from."""
        facts = self.question.known.facts
        values = sum(getattr(c, part) is not None for c in facts.classes for part in PER_CLASS)
        return min(SLIP * (3 + values), _OFTEN)

    @cached_property
    def _weights(self) -> dict[str, tuple[Floats | float | None, float]]:
        return {}

    def weight(self, c: Candidate) -> tuple[Floats | float | None, float]:
        """P(the printed digits) if a formula made them, and if a number is a slip.

        The first is none where the formula fits and says too little to tell anything.
        """
        if c.name not in self._weights:
            self._weights[c.name] = self._hit(c, self.question), _slip(self.question, c)
        return self._weights[c.name]

    def cut(self, c: Candidate) -> Floats | float | None:
        """P(the printed digits) if a formula made them, and what is beyond them was cut off."""
        return self._hit(replace(c, fits=self.starts_with(c)), self._longer)

    def starts_with(self, c: Candidate) -> bool:
        """Whether a formula gives a value that begins with the printed digits."""
        if not c.fits and c.meets(self.question.reported):
            return False  # inside the range, and still no table gives it
        return c.meets(self._longer.reported)

    @cached_property
    def _longer(self) -> FormulaQuestion:
        """The row whose macro F1 begins with the printed digits, instead of being rounded to them.

        Only the range of the value is another; what holds of it was worked out before.
        """
        rounded = self.question.reported
        half = divided(rounded.width, 2)
        return replace(self.question, reported=Range(rounded.low + half, rounded.high + half))

    def _hit(self, c: Candidate, q: FormulaQuestion) -> Floats | float | None:
        if not c.fits:
            return 0.0
        informative = c.name in TWINS or c.share is not None or c.wide <= _CLOSE * q.unit
        return _likelihood(q, c, self._plain, self.prior) if informative else None


def scores(rows: Sequence[Evidence], names: Sequence[str], some: bool) -> dict[str, float]:
    """Log of prior × probability of the rows' macro F1, for each formula."""
    mixture = rows[0].prior
    at = {name: i for i, name in enumerate(names)}
    known = np.array([n in FORMULAS for n in names], dtype=float)
    hits = np.empty((len(names), len(rows), len(mixture.weight)))
    slips = np.empty((len(names), len(rows), 1))
    shorter: dict[int, None] = {}  # formulas of which digits may have been cut off
    silents = []
    for j, one in enumerate(rows):
        candidates = one.candidates(some)
        weights = {n: one.weight(c) for n, c in candidates.items()}
        # What cannot be worked out, or not closely, is no evidence either way.
        best_hits = [
            np.max(hit) for n, (hit, _) in weights.items() if candidates[n].fits and hit is not None
        ]
        silent = float(max(best_hits, default=1.0))
        hits[:, j] = silent * known[:, None]
        slips[:, j] = one.question.unit / 2
        for n, (hit, slip) in weights.items():
            i = at[n]
            hits[i, j], slips[i, j] = silent if hit is None else hit, slip
            if not candidates[n].fits and one.starts_with(candidates[n]):
                shorter[i] = None
        silents.append(silent)
    often = np.array([one.misprint_rate for one in rows])[:, None]

    def score(hits: Floats, slips: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            logs = np.log((1 - often) * hits + often * slips).sum(-2)
        return _log_mean(logs, mixture.weight)

    totals = score(hits, slips)
    odd = list(shorter)
    if odd:
        for j, (one, silent) in enumerate(zip(rows, silents, strict=True)):
            candidates = one.candidates(some)
            for i in odd:
                if names[i] in candidates:
                    hit = one.cut(candidates[names[i]])
                    hits[i, j] = silent if hit is None else hit
        totals[odd] = np.logaddexp(totals[odd], log(_CUT) + score(hits[odd], slips[odd]))
    k = len(rows[0].question.known.facts.classes)
    fewer = log(_OTHER) - (k * log(2) if k <= FEW else log(max(k, 1)))
    prior = [0.0 if n in TWINS else log(_OTHER) if n in FORMULAS else fewer for n in names]
    return dict(zip(names, (np.array(prior) + totals).tolist(), strict=True))


def missed(name: str, candidates: Mapping[str, Candidate]) -> bool:
    """Whether a formula does not give a row's macro F1; not if it cannot be worked out."""
    return not candidates[name].fits if name in candidates else name not in FORMULAS


def near(q: FormulaQuestion, c: Candidate) -> bool:
    """Whether a value at most one unit off would fit."""
    if c.meets(q.reported):
        return False  # inside the range, and still no table gives it
    unit = q.reported.width
    return c.meets(Range(q.reported.low - unit, q.reported.high + unit))


def _likelihood(
    q: FormulaQuestion, c: Candidate, plain: Mapping[str, Candidate], mixture: PriorMixture
) -> Floats | float:
    """P(the printed digits) if this formula, which fits them, made them; in each component."""
    unit, width = q.unit, c.wide
    if c.share is not None and width <= 2 * unit:  # tables are not equally likely: it fits or not
        return 1.0
    twins = [o for n, o in plain.items() if n in TWINS and n != c.name]
    wide = max((o.wide for o in (c, *twins)), default=0.0)
    close = max(2 * unit, wide / 10)
    if c.name in TWINS and twins and width > 1.5 * twins[0].wide:
        if twins[0].wide > close:
            return unit / (unit + wide)
        flat = unit / (unit + width)
        return 0.98 * _by_gap(q, c, twins[0], mixture, flat) + 0.02 * flat
    apart = all(o.wide > 1.5 * width for o in twins)
    rounded = width <= 2 * unit  # by rounding alone; else the range need not have a middle
    if rounded or (apart and width <= close):
        return sum(_near_middle(q, r) for r in c.ranges) / len(c.ranges)
    return unit / (unit + wide)


def _near_middle(q: FormulaQuestion, r: Range) -> float:
    """P(the printed digits) if the value is more likely in the middle of its range."""
    width, middle = float(r.width), float(r.low + r.high) / 2
    scale = max(width, 1e-12) / sqrt(12)  # √2 times the standard deviation of two roundings
    ends = [erf((float(x) - middle) / scale) for x in (q.reported.low, q.reported.high)]
    flat = q.unit / (q.unit + width) if q.reported.meets(r) else 0.0
    return 0.9 * (ends[1] - ends[0]) / 2 + 0.1 * flat


def _by_gap(
    q: FormulaQuestion, c: Candidate, twin: Candidate, mixture: PriorMixture, flat: float
) -> Floats:
    """P(the printed digits) from the other macro F1 and the prior on the gap."""
    ends = [float(x) for x in (q.reported.low, q.reported.high, c.hull.low, c.hull.high)]
    at = float(twin.hull.low) + _POINTS[:, None] * twin.wide
    gaps = np.maximum(at - np.array(ends) if c.name == "macro_f1" else np.array(ends) - at, 0)
    middle, apart = _middle(q)
    below = mixture.below(gaps, middle, apart)
    hit = np.abs(below[:, 0] - below[:, 1])
    open_ = np.abs(below[:, 2] - below[:, 3])
    share = np.where(open_ > 1e-12, hit / np.maximum(open_, 1e-12), flat)
    return np.asarray(np.minimum(share, 1).mean(0))


def _middle(q: FormulaQuestion) -> tuple[float, float]:
    """Where precision and recall are, and the square of how far apart their means are at least."""
    p, r = q.known.averages
    if not p or not r:
        return float(q.reported.low + q.reported.high) / 2, 0.0
    ends = [float(x) for one in (p, r) for x in (min(v.low for v in one), max(v.high for v in one))]
    least = max(ends[0] - ends[3], ends[2] - ends[1], 0.0)
    return sum(ends) / 4, least**2


def _slip(q: FormulaQuestion, c: Candidate) -> float:
    """P(the printed digits) if a number is a slip: one wrong digit, one of a class, or anything."""
    unit = q.unit
    if one_digit_off(q, c):
        return max(1 / 72, unit)
    k = max(len(q.known.facts.classes), 1)
    off = max(c.hull.low - q.reported.high, q.reported.low - c.hull.high)
    return unit * k / 2 if off * k < 1 else unit / 2


def one_digit_off(q: FormulaQuestion, c: Candidate) -> bool:
    """Whether another digit in one place would make a formula hit that leaves little open."""
    unit = q.reported.width
    if c.width > ALIKE * unit:
        return False
    low = upwards(c.hull.low - q.reported.high, unit)
    high = -upwards(q.reported.low - c.hull.high, unit)
    units = upwards(1, unit)
    low, high = max(low, 1 - units), min(high, units - 1)
    first = bisect_left(_WRONG, low)
    return first < len(_WRONG) and _WRONG[first] <= high


def _log_mean(logs: Floats, weight: Floats) -> Floats:
    """Log of the weighted mean over the mixture's components, the last axis."""
    top = logs.max(-1)
    safe = np.where(np.isfinite(top), top, 0)
    with np.errstate(divide="ignore"):
        return np.asarray(safe + np.log(np.exp(logs - safe[..., None]) @ weight))


# Verdict on a column of macro F1

SURE = 20
"""How many times as probable as all others a formula must make the column to be named."""

WORDS = (
    (inf, "conclusive"), (1000, "overwhelming"), (100, "strong"), (SURE, "fair"), (0, "slight")
)  # fmt: skip
"""What so many times as probable is called; no other formula gives most of them: infinity."""

_PROVEN = 1000
"""How probable beside all others a formula must be for evidence to be conclusive."""

_FEW = 2
"""Rows of which none can be called the odd one out."""

_LARGEST = 500.0
"""A difference of logarithms beyond which its power would be too large for floats."""

Status = Literal["named", "open", "vague", "none", "inconsistent", "untested"]


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class FormulaVerdict:
    """The formula behind a column, or none, and every candidate, the most probable first.

    ``status`` says why there is none: the numbers or the headings leave it open, none explains half
    of the rows, every row is inconsistent, or neither of the two macro F1s could be worked out.
    ``alone`` is the one formula that fits every row, where there is one.
    """

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


def judge(rows: Sequence[Evidence]) -> FormulaVerdict:
    """The formula behind the macro F1 of some rows of one table."""
    if not any(e.question.is_testable for e in rows):
        return FormulaVerdict(None, "untested")
    some = _needs_subsets(rows)
    candidates = [e.candidates(some) for e in rows]
    names = list(dict.fromkeys([*sorted(TWINS), *(n for one in candidates for n in one)]))
    misses = {
        n: [e for e, one in zip(rows, candidates, strict=True) if missed(n, one)] for n in names
    }
    weights = scores(rows, names, some)
    for n in names:  # what half of the rows have, and more than one, is no slip
        if len(misses[n]) >= max(2, len(rows) / 2):
            far = [q for q, c in _own(misses[n], n) if not near(q, c)]
            weights[n] -= log(_PROVEN) * max(len(far), 1)
    fitting = [n for n in names if not misses[n]]
    alone = fitting[0] if len(fitting) == 1 else None
    if alone in TWINS:  # what is neither and misses rows agrees with it in the others
        weights |= {n: -inf for n in names if n not in TWINS and len(misses[n]) > 1}
    odds = {n: _odds(n, weights) for n in names}
    order = sorted(names, key=lambda n: -weights[n])
    if alone in FORMULAS and len(rows) <= _FEW:
        order = [*fitting, *(n for n in order if n != alone)]
    best, *rivals = order
    if odds[best] >= _PROVEN and all(_beyond_slips(misses[n], misses[best], n) for n in rivals):
        odds[best] = inf
    explained, exact = Counter[str](), Counter[str]()
    for e, one in zip(rows, candidates, strict=True):
        explained.update(n for n, c in one.items() if c.fits)
        exact.update(n for n, c in one.items() if e.question.exact(c))
    weighed = tuple(WeightedFormula(n, explained[n], exact[n], odds[n]) for n in order)
    if 2 * len(misses[best]) > len(rows):
        return FormulaVerdict(None, "none", weighed, alone)
    if alone == best:
        # As many hits but for one row are what a misprint looks like; it must be less probable.
        slip = len(rows) > _FEW and any(exact[n] == len(rows) - 1 for n in rivals)
        named = odds[best] >= SURE or not slip
        return FormulaVerdict(best if named else None, "named" if named else "open", weighed, alone)
    # A number such as accuracy may agree with a twin throughout, and what hits the digits of every
    # row is not passed over for a wider range that holds them.
    spare = best not in TWINS and not all(misses[n] for n in TWINS)
    closer = weighed[0].exact < len(rows) and any(c.exact == len(rows) for c in weighed)
    # Rows that are missed by one unit are no slips where the other twin explains more.
    slight = any(near(q, c) for q, c in _own(misses[best], best))
    slight = slight and any(len(misses[n]) < len(misses[best]) for n in TWINS)
    # A row or two that hit are little beside one that is missed by more than a digit, where another
    # formula fits them all.
    odd = [q for q, c in _own(misses[best], best) if not one_digit_off(q, c)]
    few = alone is not None and exact[best] <= _FEW and bool(odd)
    if odds[best] < SURE or spare or closer or slight or few:
        return FormulaVerdict(None, "open", weighed, alone)
    return FormulaVerdict(best, "named", weighed, alone)


def _needs_subsets(rows: Sequence[Evidence]) -> bool:
    """Whether averages over subsets matter: no formula over all classes hits every row."""
    plain = [(e.question, c) for e in rows for c in e.question.plain]
    return all(sum(q.exact(c) for q, c in plain if c.name == n) < len(rows) for n in FORMULAS)


def _own(rows: Sequence[Evidence], name: str) -> list[tuple[FormulaQuestion, Candidate]]:
    """The questions of some rows with one formula's candidates."""
    return [(e.question, c) for e in rows for c in e.question.plain if c.name == name]


def _beyond_slips(missing: Sequence[Evidence], own: Sequence[Evidence], name: str) -> bool:
    """Whether a formula misses rows by more than a digit cut off, and more than slips explain.

    A row whose tables are all listed has more than one number against a slip.
    """
    plain = [c for q, c in _own(missing, name) if not near(q, c)]
    count = sum(1 if c.share is None else 2 for c in plain) if name in FORMULAS else len(missing)
    return count >= len(own) + 2


def _odds(name: str, scores: Mapping[str, float]) -> float:
    """How many times as probable as all others together, to three digits."""
    own, top = scores[name], max((s for n, s in scores.items() if n != name), default=-inf)
    if own == -inf or top == -inf:
        return 0.0 if own == -inf else inf
    rest = sum(exp(s - top) for n, s in scores.items() if n != name)
    return float(f"{exp(min(own - top, _LARGEST)) / rest:.3g}")
