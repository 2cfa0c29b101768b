"""Weighing: how probable each formula makes the printed digits of rows.

A formula is weighed by the part of its own range that rounds to the digits, given what the other
columns leave open, or, where only one of the twins can be worked out, by the chance of such a gap
between the two. Any number may be a misprint. Nothing here enters a proof.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import erf, log, sqrt

import numpy as np

from evenhand.auditing.columns import PER_CLASS
from evenhand.auditing.formulas import ALIKE, FEW, FORMULAS, TWINS, Candidate, Question
from evenhand.auditing.gaps import Floats, Worlds
from evenhand.auditing.ranges import Range, divided, upwards

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
    """What one row says about each formula, worked out once for the row and for its table."""

    question: Question

    @cached_property
    def worlds(self) -> Worlds:
        """The kinds of systems that the row may be of."""
        facts = self.question.known.facts
        told = facts.assumptions
        loose = told.abstentions or told.several or not told.complete
        return Worlds.of(len(facts.classes) if facts.whole else None, loose)

    def held(self, some: bool) -> Mapping[str, Candidate]:
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
    def often(self) -> float:
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
        return self._hit(replace(c, fits=self.begins(c)), self._longer)

    def begins(self, c: Candidate) -> bool:
        """Whether a formula gives a value that begins with the printed digits."""
        if not c.fits and c.meets(self.question.reported):
            return False  # inside the range, and still no table gives it
        return c.meets(self._longer.reported)

    @cached_property
    def _longer(self) -> Question:
        """The row whose macro F1 begins with the printed digits, instead of being rounded to them.

        Only the range of the value is another; what holds of it was worked out before.
        """
        rounded = self.question.reported
        half = divided(rounded.width, 2)
        return replace(self.question, reported=Range(rounded.low + half, rounded.high + half))

    def _hit(self, c: Candidate, q: Question) -> Floats | float | None:
        if not c.fits:
            return 0.0
        told = c.name in TWINS or c.share is not None or c.wide <= _CLOSE * q.unit
        return _likelihood(q, c, self._plain, self.worlds) if told else None


def scores(rows: Sequence[Evidence], names: Sequence[str], some: bool) -> dict[str, float]:
    """Log of prior × probability of the rows' macro F1, for each formula."""
    worlds = rows[0].worlds
    at = {name: i for i, name in enumerate(names)}
    known = np.array([n in FORMULAS for n in names], dtype=float)
    hits = np.empty((len(names), len(rows), len(worlds.weight)))
    slips = np.empty((len(names), len(rows), 1))
    shorter: dict[int, None] = {}  # formulas of which digits may have been cut off
    silents = []
    for j, one in enumerate(rows):
        held = one.held(some)
        weights = {n: one.weight(c) for n, c in held.items()}
        # What cannot be worked out, or not closely, is no evidence either way.
        told = [np.max(hit) for n, (hit, _) in weights.items() if held[n].fits and hit is not None]
        silent = float(max(told, default=1.0))
        hits[:, j] = silent * known[:, None]
        slips[:, j] = one.question.unit / 2
        for n, (hit, slip) in weights.items():
            i = at[n]
            hits[i, j], slips[i, j] = silent if hit is None else hit, slip
            if not held[n].fits and one.begins(held[n]):
                shorter[i] = None
        silents.append(silent)
    often = np.array([one.often for one in rows])[:, None]

    def score(hits: Floats, slips: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            logs = np.log((1 - often) * hits + often * slips).sum(-2)
        return _log_mean(logs, worlds.weight)

    found = score(hits, slips)
    odd = list(shorter)
    if odd:
        for j, (one, silent) in enumerate(zip(rows, silents, strict=True)):
            held = one.held(some)
            for i in odd:
                if names[i] in held:
                    hit = one.cut(held[names[i]])
                    hits[i, j] = silent if hit is None else hit
        found[odd] = np.logaddexp(found[odd], log(_CUT) + score(hits[odd], slips[odd]))
    k = len(rows[0].question.known.facts.classes)
    fewer = log(_OTHER) - (k * log(2) if k <= FEW else log(max(k, 1)))
    prior = [0.0 if n in TWINS else log(_OTHER) if n in FORMULAS else fewer for n in names]
    return dict(zip(names, (np.array(prior) + found).tolist(), strict=True))


def missed(name: str, held: Mapping[str, Candidate]) -> bool:
    """Whether a formula does not give a row's macro F1; not if it cannot be worked out."""
    return not held[name].fits if name in held else name not in FORMULAS


def near(q: Question, c: Candidate) -> bool:
    """Whether a value that is no more than one unit off would do."""
    if c.meets(q.reported):
        return False  # inside the range, and still no table gives it
    unit = q.reported.width
    return c.meets(Range(q.reported.low - unit, q.reported.high + unit))


def _likelihood(
    q: Question, c: Candidate, beside: Mapping[str, Candidate], worlds: Worlds
) -> Floats | float:
    """P(the printed digits) if this formula, which fits them, made them; in each world."""
    unit, width = q.unit, c.wide
    if c.share is not None and width <= 2 * unit:  # tables are not equally likely: it fits or not
        return 1.0
    twins = [o for n, o in beside.items() if n in TWINS and n != c.name]
    wide = max((o.wide for o in (c, *twins)), default=0.0)
    close = max(2 * unit, wide / 10)
    if c.name in TWINS and twins and width > 1.5 * twins[0].wide:
        if twins[0].wide > close:
            return unit / (unit + wide)
        flat = unit / (unit + width)
        return 0.98 * _by_gap(q, c, twins[0], worlds, flat) + 0.02 * flat
    apart = all(o.wide > 1.5 * width for o in twins)
    rounded = width <= 2 * unit  # by rounding alone; else the range need not have a middle
    return _bell(q, c) if rounded or (apart and width <= close) else unit / (unit + wide)


def _bell(q: Question, c: Candidate) -> float:
    """A value that is worked out from several rounded ones is likelier in its range's middle."""
    return sum(_near_middle(q, r) for r in c.ranges) / len(c.ranges)


def _near_middle(q: Question, r: Range) -> float:
    width, middle = float(r.width), float(r.low + r.high) / 2
    scale = max(width, 1e-12) / sqrt(12)  # √2 times the standard deviation of two roundings
    ends = [erf((float(x) - middle) / scale) for x in (q.reported.low, q.reported.high)]
    flat = q.unit / (q.unit + width) if q.reported.meets(r) else 0.0
    return 0.9 * (ends[1] - ends[0]) / 2 + 0.1 * flat


def _by_gap(q: Question, c: Candidate, twin: Candidate, worlds: Worlds, flat: float) -> Floats:
    """The printed digits from the twin that can be worked out, and a gap of unknown size."""
    ends = [float(x) for x in (q.reported.low, q.reported.high, c.hull.low, c.hull.high)]
    at = float(twin.hull.low) + _POINTS[:, None] * twin.wide
    gaps = np.maximum(at - np.array(ends) if c.name == "macro_f1" else np.array(ends) - at, 0)
    middle, apart = _middle(q)
    below = worlds.below(gaps, middle, apart)
    hit = np.abs(below[:, 0] - below[:, 1])
    open_ = np.abs(below[:, 2] - below[:, 3])
    share = np.where(open_ > 1e-12, hit / np.maximum(open_, 1e-12), flat)
    return np.asarray(np.minimum(share, 1).mean(0))


def _middle(q: Question) -> tuple[float, float]:
    """Where precision and recall are, and the square of how far apart their means are at least."""
    p, r = q.known.averages
    if not p or not r:
        return float(q.reported.low + q.reported.high) / 2, 0.0
    ends = [float(x) for one in (p, r) for x in (min(v.low for v in one), max(v.high for v in one))]
    least = max(ends[0] - ends[3], ends[2] - ends[1], 0.0)
    return sum(ends) / 4, least**2


def _slip(q: Question, c: Candidate) -> float:
    """P(the printed digits) if a number is a slip: one wrong digit, one of a class, or anything."""
    unit = q.unit
    if one_digit_off(q, c):
        return max(1 / 72, unit)
    k = max(len(q.known.facts.classes), 1)
    off = max(c.hull.low - q.reported.high, q.reported.low - c.hull.high)
    return unit * k / 2 if off * k < 1 else unit / 2


def one_digit_off(q: Question, c: Candidate) -> bool:
    """Whether another digit in one place would make a formula hit that leaves little open."""
    unit = q.reported.width
    if c.width > ALIKE * unit:
        return False
    low = upwards(c.hull.low - q.reported.high, unit)
    high = -upwards(q.reported.low - c.hull.high, unit)
    whole = upwards(1, unit)
    low, high = max(low, 1 - whole), min(high, whole - 1)
    first = bisect_left(_WRONG, low)
    return first < len(_WRONG) and _WRONG[first] <= high


def _log_mean(logs: Floats, weight: Floats) -> Floats:
    """Log of the weighted mean over worlds, the last axis."""
    top = logs.max(-1)
    safe = np.where(np.isfinite(top), top, 0)
    with np.errstate(divide="ignore"):
        return np.asarray(safe + np.log(np.exp(logs - safe[..., None]) @ weight))
