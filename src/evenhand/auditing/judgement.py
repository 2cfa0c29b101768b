"""Judgement: the one formula behind a column of macro F1, how sure that is, or that it is open.

A formula that allows a wide range of values fits almost any, so counting rows is not enough. Each
formula is weighed by how probable it makes the printed digits (``weighing``), and named when it is
:data:`SURE` times as probable as all others together, or when it is the only one that fits every
row. Any number may be a misprint, so that one row makes the evidence slight at best, and it is
conclusive only where more rows rule out every other formula than misprints explain. Nothing here
enters a proof.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf, log
from typing import Literal

from evenhand.auditing.formulas import FORMULAS, TWINS, Candidate, Question
from evenhand.auditing.weighing import Evidence, missed, near, one_digit_off, scores
from evenhand.notes.record import Record

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
    ``alone`` is the one formula that fits every row, where there is one.
    """

    formula: str | None
    status: Status
    candidates: tuple[Weighed, ...] = ()
    alone: str | None = None

    @property
    def strength(self) -> str:
        """The evidence for the formula in a word; empty where none is named."""
        if self.formula is None:
            return ""
        return next(word for least, word in WORDS if self.candidates[0].strength >= least)


def judge(rows: Sequence[Evidence]) -> Judgement:
    """The formula behind the macro F1 of some rows of one table."""
    if not any(e.question.told for e in rows):
        return Judgement(None, "untested")
    some = _odd(rows)
    found = [e.held(some) for e in rows]
    names = list(dict.fromkeys([*sorted(TWINS), *(n for one in found for n in one)]))
    misses = {n: [e for e, one in zip(rows, found, strict=True) if missed(n, one)] for n in names}
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
    for e, one in zip(rows, found, strict=True):
        explained.update(n for n, c in one.items() if c.fits)
        exact.update(n for n, c in one.items() if e.question.exact(c))
    weighed = tuple(Weighed(n, explained[n], exact[n], odds[n]) for n in order)
    if 2 * len(misses[best]) > len(rows):
        return Judgement(None, "none", weighed, alone)
    if alone == best:
        # As many hits but for one row are what a misprint looks like; it must be less probable.
        slip = len(rows) > _FEW and any(exact[n] == len(rows) - 1 for n in rivals)
        named = odds[best] >= SURE or not slip
        return Judgement(best if named else None, "named" if named else "open", weighed, alone)
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
        return Judgement(None, "open", weighed, alone)
    return Judgement(best, "named", weighed, alone)


def _odd(rows: Sequence[Evidence]) -> bool:
    """Whether averages over some of the classes matter: no plain one hits every row's digits."""
    plain = [(e.question, c) for e in rows for c in e.question.plain]
    return all(sum(q.exact(c) for q, c in plain if c.name == n) < len(rows) for n in FORMULAS)


def _own(rows: Sequence[Evidence], name: str) -> list[tuple[Question, Candidate]]:
    """A plain formula as it is held against some rows."""
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
