"""Judgement: the one formula behind a column of macro F1, how sure that is, or that it is open.

A formula that allows a wide range of values fits almost any, so counting rows is not enough. Each
formula is weighed by how probable it makes the printed digits, given what the other columns
leave open: the part of its own range that rounds to them, or, where only one of the twins can be
worked out, the chance of such a gap between the two. Any number may be a misprint, so that no
row can decide by itself. A formula is named when it is :data:`SURE` times as probable as all
others together, and the evidence is conclusive only where more rows rule out every other formula
than misprints explain. Nothing here enters a proof.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import erf, exp, inf, log, sqrt
from typing import Literal

import numpy as np

from evenhand.auditing.columns import PER_CLASS
from evenhand.auditing.formulas import ALIKE, FEW, FORMULAS, TWINS, Candidate, Question
from evenhand.auditing.gaps import Floats, Worlds
from evenhand.auditing.ranges import Range
from evenhand.notes.record import Record

SURE = 20
"""How many times as probable as all others a formula must make the column to be named."""

WORDS = ((inf, "conclusive"), (1000, "overwhelming"), (100, "strong"), (SURE, "fair"))
"""What so many times as probable is called; no other formula gives most of them: infinity."""

SLIP = 0.01
"""How often a printed number is taken to be a misprint."""

_OFTEN = 0.1
"""How often a row has one, at most."""

_CUT = 0.03
"""How often a table's digits are taken to be cut off instead of rounded."""

_PROVEN = 1000
"""How probable beside all others a formula must be for evidence to be conclusive."""

_OTHER = 0.02
"""How likely a formula that is neither of the twins is, beforehand, beside one of them."""

_CLOSE = 5
"""Printed values that a formula may leave open and still tell something by itself."""

_LARGEST = 500.0
_POINTS = np.array([0.1, 0.3, 0.5, 0.7, 0.9])

Status = Literal["named", "open", "vague", "none", "inconsistent", "untested"]


@dataclass(frozen=True)
class Weighed(Record):
    """A formula: rows it explains, rows whose digits it hits, and how strong the evidence is.

    ``strength`` is how many times as probable it makes the column as all other formulas
    together do: below 1 where others are better, infinite where no other can have made it.
    """

    told = ("formula", "explained", "exact", "strength")

    formula: str
    explained: int
    exact: int
    strength: float


@dataclass(frozen=True)
class Judgement:
    """The formula behind a column, or none, and every candidate, the most probable first.

    ``status`` says why there is none: the numbers or the headings leave it open, none explains half
    of the rows, every row is inconsistent, or neither of the two macro F1s could be worked out.
    """

    formula: str | None
    status: Status
    candidates: tuple[Weighed, ...] = ()

    @property
    def strength(self) -> str:
        """The evidence for the formula in a word; empty where none is named."""
        if self.formula is None:
            return ""
        return next(word for least, word in WORDS if self.candidates[0].strength >= least)


def judge(rows: Sequence[Question]) -> Judgement:
    """The formula behind the macro F1 of some rows of one table."""
    if not any(q.told for q in rows):
        return Judgement(None, "untested")
    found = _held(rows)
    names = list(dict.fromkeys([*sorted(TWINS), *(n for one in found for n in one)]))
    misses = {n: [q for q, one in zip(rows, found, strict=True) if _missed(n, one)] for n in names}
    scores = _scores(rows, found, names)
    for n in names:  # what half of the rows have, and more than one, is no slip
        scores[n] -= log(_PROVEN) if len(misses[n]) >= max(2, len(rows) / 2) else 0
    odds = {n: _odds(n, scores) for n in names}
    order = sorted(names, key=lambda n: -scores[n])
    best, *rivals = order
    if odds[best] >= _PROVEN and all(_beyond_slips(misses[n], misses[best], n) for n in rivals):
        odds[best] = inf
    weighed = tuple(
        Weighed(
            n,
            sum(n in one and one[n].fits for one in found),
            sum(n in one and q.exact(one[n]) for q, one in zip(rows, found, strict=True)),
            odds[n],
        )
        for n in order
    )
    if 2 * len(misses[best]) > len(rows):
        return Judgement(None, "none", weighed)
    # A number such as accuracy may agree with a twin throughout, and what hits the digits of every
    # row is not passed over for a wider range that holds them.
    spare = best not in TWINS and not all(misses[n] for n in TWINS)
    closer = weighed[0].exact < len(rows) and any(c.exact == len(rows) for c in weighed)
    # Rows that are missed by one unit are no slips where the other twin explains more.
    slight = any(_near(q, c) for q in misses[best] for c in q.plain if c.name == best)
    slight = slight and any(len(misses[n]) < len(misses[best]) for n in TWINS)
    if odds[best] < SURE or spare or closer or slight:
        return Judgement(None, "open", weighed)
    return Judgement(best, "named", weighed)


def _held(rows: Sequence[Question]) -> list[dict[str, Candidate]]:
    """The formulas held against each row; those over some of the classes against all or none."""
    hits = [sum(q.exact(c) for q in rows for c in q.plain if c.name == n) for n in FORMULAS]
    odd = max(hits) < len(rows)  # else one of them hits the digits of every row
    return [
        {c.name: c for c in (*q.plain, *((*q.others, *q.subsets) if odd else ()))} for q in rows
    ]


def _missed(name: str, held: Mapping[str, Candidate]) -> bool:
    """Whether a formula does not give a row's macro F1; not if it cannot be worked out."""
    return not held[name].fits if name in held else name not in FORMULAS


def _beyond_slips(missed: Sequence[Question], own: Sequence[Question], name: str) -> bool:
    """Whether a formula misses rows by more than a digit cut off, and more than slips explain.

    A row whose tables are all listed has more than one number against a slip.
    """
    plain = [c for q in missed for c in q.plain if c.name == name and not _near(q, c)]
    count = sum(1 if c.share is None else 2 for c in plain) if name in FORMULAS else len(missed)
    return count >= len(own) + 2


def _near(q: Question, c: Candidate) -> bool:
    """Whether a value that is no more than one unit off would do, as if digits were cut off."""
    unit = q.reported.width
    wider = Range(q.reported.low - unit, q.reported.high + unit)
    return any(wider.meets(r) for r in c.ranges)


def _scores(
    rows: Sequence[Question], found: Sequence[Mapping[str, Candidate]], names: Sequence[str]
) -> dict[str, float]:
    """Log of prior × probability of the column, for each formula."""
    facts = rows[0].known.facts
    k = len(facts.classes)
    told = facts.assumptions
    loose = told.abstentions or told.several or not told.complete
    worlds = Worlds.of(k if facts.whole else None, loose)
    likely = [_likelihoods(q, one, worlds) for q, one in zip(rows, found, strict=True)]
    # What cannot be worked out, or not closely, is no evidence either way.
    silent = [max((float(np.max(x)) for x in one.values()), default=1.0) for one in likely]

    def score(name: str, cut: bool) -> float:
        total = np.zeros(len(worlds.weight))
        for q, one, held, most in zip(rows, likely, found, silent, strict=True):
            hit: Floats | float = one.get(name, 0.0 if _missed(name, held) else most)
            if cut and name in held and not held[name].fits and _near(q, held[name]):
                hit = max(1 / ALIKE, float(np.max(hit)))
            often = _slips(q)
            total = total + np.log((1 - often) * hit + often * _slip(q, held.get(name)))
        return _log_mean(total, worlds.weight)

    some = log(_OTHER) - (k * log(2) if k <= FEW else log(max(k, 1)))
    prior = {n: 0.0 if n in TWINS else log(_OTHER) if n in FORMULAS else some for n in names}
    return {
        n: prior[n] + float(np.logaddexp(score(n, False), log(_CUT) + score(n, True)))
        for n in names
    }


def _slips(q: Question) -> float:
    """How often a row has a misprint: the more, the more numbers the formula is worked out from."""
    facts = q.known.facts
    values = sum(getattr(c, part) is not None for c in facts.classes for part in PER_CLASS)
    return min(SLIP * (3 + values), _OFTEN)


def _likelihoods(q: Question, held: Mapping[str, Candidate], worlds: Worlds) -> dict[str, Floats]:
    """Probability of the printed digits under each formula that fits and tells something."""
    found = {}
    for name, c in held.items():
        told = name in TWINS or c.share is not None or float(c.width) <= _CLOSE * q.unit
        if c.fits and told:
            found[name] = np.asarray(_likelihood(q, c, held, worlds))
    return found


def _likelihood(
    q: Question, c: Candidate, beside: Mapping[str, Candidate], worlds: Worlds
) -> Floats | float:
    """P(the printed digits) if this formula, which fits them, made them; in each world."""
    unit, width = q.unit, float(c.width)
    if c.share is not None and width <= 2 * unit:  # tables are not equally likely: it fits or not
        return 1.0
    twins = [o for n, o in beside.items() if n in TWINS and n != c.name]
    wide = max((float(o.width) for o in (c, *twins)), default=0.0)
    close = max(2 * unit, wide / 10)
    if c.name in TWINS and twins and width > 1.5 * float(twins[0].width):
        if float(twins[0].width) > close:
            return unit / (unit + wide)
        flat = unit / (unit + width)
        return 0.98 * _by_gap(q, c, twins[0], worlds, flat) + 0.02 * flat
    apart = all(float(o.width) > 1.5 * width for o in twins)
    rounded = width <= 2 * unit  # by rounding alone; else the range need not have a middle
    return _bell(q, c) if rounded or (apart and width <= close) else unit / (unit + wide)


def _bell(q: Question, c: Candidate) -> float:
    """A value that is worked out from several rounded ones is likelier in its range's middle."""
    unit, width = q.unit, float(c.width)
    middle = float(c.hull.low + c.hull.high) / 2
    scale = max(width, 1e-12) / sqrt(12)  # √2 times the standard deviation of two roundings
    ends = [erf((float(x) - middle) / scale) for x in (q.reported.low, q.reported.high)]
    return 0.9 * (ends[1] - ends[0]) / 2 + 0.1 * unit / (unit + width)


def _by_gap(q: Question, c: Candidate, twin: Candidate, worlds: Worlds, flat: float) -> Floats:
    """The printed digits from the twin that can be worked out, and a gap of unknown size."""
    ends = [float(x) for x in (q.reported.low, q.reported.high, c.hull.low, c.hull.high)]
    at = float(twin.hull.low) + _POINTS[:, None] * float(twin.width)
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


def _slip(q: Question, c: Candidate | None) -> float:
    """P(the printed digits) if a number is a slip: one wrong digit, one of a class, or anything."""
    unit = q.unit
    if c is None:
        return unit / 2
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
    steps = [d * 10**place * unit for place in range(4) for d in (*range(-9, 0), *range(1, 10))]
    low, high = c.hull.low - q.reported.high, c.hull.high - q.reported.low
    return any(low <= step <= high for step in steps if abs(step) < 1)


def _log_mean(logs: Floats, weight: Floats) -> float:
    top = float(logs.max())
    return top if top == -inf else top + log(float(weight @ np.exp(logs - top)))


def _odds(name: str, scores: Mapping[str, float]) -> float:
    """How many times as probable as all others together, to three digits."""
    own, top = scores[name], max((s for n, s in scores.items() if n != name), default=-inf)
    if own == -inf or top == -inf:
        return 0.0 if own == -inf else inf
    rest = sum(exp(s - top) for n, s in scores.items() if n != name)
    return float(f"{exp(min(own - top, _LARGEST)) / rest:.3g}")
