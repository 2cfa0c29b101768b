"""Spans: of one class, precision, recall and F1 against each other and against whole numbers.

With s items of the class known, ``correct`` is a whole number near R·s and ``bias`` one near
correct/P (anything if correct is 0): a :class:`Span` holds all solutions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

from evenhand.auditing.facts import ClassFacts, Conflict, Facts
from evenhand.auditing.ranges import (
    UNIT,
    Number,
    Range,
    between,
    divided,
    harmonic,
    mean_of_f1,
    quotient,
)

MANY = 300
"""Values of ``correct`` beyond which they are kept as a range instead of one by one."""

ENDLESS = 10**15
"""Items of other classes, where nobody says how many there are."""


@dataclass(frozen=True, slots=True)
class Span:
    """The margins a class can have: for each ``correct``, the first and last ``bias``.

    ``listed`` says whether these are the solutions themselves; if not, ``rows`` is one row of
    outer bounds, kept as ranges of correct and of bias.
    """

    support: int
    rows: tuple[tuple[int, int, int], ...]
    correct: Range
    bias: Range
    listed: bool

    @classmethod
    def of(cls, support: int, rows: tuple[tuple[int, int, int], ...]) -> Span:
        """A span of listed solutions."""
        correct = Range(rows[0][0], rows[-1][0])
        return cls(
            support, rows, correct, Range(min(r[1] for r in rows), max(r[2] for r in rows)), True
        )

    def within(self, correct: Range, bias: Range, errors: Number) -> Span | None:
        """The solutions with margins in these ranges and at most ``errors`` errors around."""
        if not self.listed:
            c, b = self.correct.meet(correct), self.bias.meet(bias)
            return None if c is None or b is None else replace(self, correct=c, bias=b)
        worst = self.support + self.bias.high - 2 * self.correct.low
        if self.correct.within(correct) and self.bias.within(bias) and worst <= errors:
            return self
        rows = []
        first, last = ceil(correct.low), floor(correct.high)
        least, most, wrong = ceil(bias.low), floor(bias.high), floor(errors) - self.support
        for hits, low, high in self.rows:
            if first <= hits <= last:
                low, high = max(low, least), min(high, most, wrong + 2 * hits)
                if low <= high:
                    rows.append((hits, low, high))
        return Span.of(self.support, tuple(rows)) if rows else None

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Every (correct, bias); only of listed solutions."""
        for c, low, high in self.rows:
            for b in range(low, high + 1):
                yield c, b

    @property
    def size(self) -> int:
        """How many solutions there are."""
        return sum(high - low + 1 for _, low, high in self.rows)

    def scores(self, one: ClassFacts) -> ClassFacts:
        """Precision, recall and F1 as narrow as the solutions make them."""
        if not self.listed:
            return one
        s = self.support
        recall = one.recall
        if s:
            recall = between([(self.rows[0][0], s)], [(self.rows[-1][0], s)])
        precision, f1 = one.precision, one.f1
        undefined = any(c == 0 and low == 0 for c, low, _ in self.rows)
        if not undefined:
            ends = [(c, high) for c, _, high in self.rows], [(c, low) for c, low, _ in self.rows]
            precision = between(*ends)
        if s or not undefined:
            ends = (
                [(2 * c, high + s) for c, _, high in self.rows],
                [(2 * c, low + s) for c, low, _ in self.rows],
            )
            f1 = between(*ends)
        return ClassFacts(one.label, precision, recall, f1, one.support)


def settle(facts: Facts, i: int, n: int | None) -> tuple[ClassFacts, Span | None, list[Conflict]]:
    """One class made as narrow as its own numbers allow, and the conflicts among them."""
    one = facts.classes[i]
    span = _solved(facts, one, n)
    if span is not None:
        return span.scores(one), span, []
    conflicts = []
    made = _made(facts, one)
    unlike = _ratio_conflict(facts, one, made)
    if unlike is not None:
        one, conflicts = replace(one, f1=None), [unlike]
    if one.support is None:
        return _ratios(one, made), None, conflicts
    fraction = _whole_recall(facts, one, one.support)
    if fraction is not None:
        return replace(one, recall=None), None, [*conflicts, fraction]
    if facts.assumptions.runs > 1:
        return _ratios(one, made), None, conflicts
    settled, span, more = _reconstructed(facts, one, one.support, n)
    return settled, span, [*conflicts, *more]


def _solved(facts: Facts, one: ClassFacts, n: int | None) -> Span | None:
    """The whole numbers that give all of a class's numbers, where these can be listed."""
    s = one.support
    if not s or facts.assumptions.runs > 1:
        return None
    first, last, rest = _ends(one, s, n)
    if last - first >= MANY:
        return None
    rows = rows_of(one, s, first, last, rest)
    return Span.of(s, rows) if rows else None


def _ends(one: ClassFacts, s: int, n: int | None) -> tuple[int, int, int]:
    """The fewest and the most hits, and how many predictions can miss: items of other classes."""
    recall = one.recall or _recall(one)
    first, last = (ceil(recall.low * s), floor(recall.high * s)) if s else (0, 0)
    return first, last, ENDLESS if n is None else max(n - s, 0)


def _reconstructed(
    facts: Facts, one: ClassFacts, s: int, n: int | None
) -> tuple[ClassFacts, Span | None, list[Conflict]]:
    first, last, rest = _ends(one, s, n)
    if last - first >= MANY:
        return _ratios(one, _made(facts, one)), _loose(one, s, first, last, rest), []
    alone = replace(one, f1=None)
    pairs = rows_of(alone, s, first, last, rest)
    if not pairs:
        return (
            replace(one, precision=None),
            None,
            [_no_bias(facts, one, s, range(first, last + 1), rest)],
        )
    rows = rows_of(one, s, first, last, rest) if one.f1 is not None else pairs
    if not rows:
        attained = Span.of(s, pairs).scores(alone).f1 or UNIT
        reason = (
            f"with precision, recall and {s:,} items of the class, no whole numbers of hits and "
            "predictions give it"
        )
        conflict = Conflict(facts.header("f1", one.label), attained, reason)
        return replace(one, f1=None), None, [conflict]
    span = Span.of(s, rows)
    return span.scores(one), span, []


def _recall(one: ClassFacts) -> Range:
    """Recall from precision and F1: R = FP/(2P − F), which grows with F and falls with P."""
    p, f = one.precision, one.f1
    if p is None or f is None or 2 * p.low <= f.high:
        return UNIT
    ends = [divided(a * b, 2 * b - a) for a, b in ((f.low, p.high), (f.high, p.low))]
    return Range(ends[0], ends[1]).meet(UNIT) or UNIT


def rows_of(
    one: ClassFacts, s: int, first: int, last: int, rest: int
) -> tuple[tuple[int, int, int], ...]:
    """For each number of hits, the numbers of predictions that give the reported P and F1."""
    p, f = one.precision or UNIT, one.f1 or UNIT
    rows = []
    for c in range(first, last + 1):
        low, high = c, c + rest
        if c == 0:  # 0/0 may be worth 0 or 1
            none = (p.holds(0) or p.holds(1)) and (f.holds(0) or (s == 0 and f.holds(1)))
            some = p.holds(0) and f.holds(0)
            low, high = (0 if none else 1), (rest if some else 0)
        else:
            if p.high <= 0 or f.high <= 0:
                continue
            low = max(low, quotient(c, p.high)[1], quotient(2 * c, f.high)[1] - s)
            high = min(high, quotient(c, p.low)[0]) if p.low > 0 else high
            high = min(high, quotient(2 * c, f.low)[0] - s) if f.low > 0 else high
        if low <= high:
            rows.append((c, low, high))
    return tuple(rows)


def _loose(one: ClassFacts, s: int, first: int, last: int, rest: int) -> Span | None:
    """Outer bounds where the solutions are too many to list."""
    p, f = one.precision or UNIT, one.f1 or UNIT
    low, high = first, last + rest
    if first and p.high > 0 and f.high > 0:
        low = max(low, quotient(first, p.high)[1], quotient(2 * first, f.high)[1] - s)
    if last and first:
        high = min(high, quotient(last, p.low)[0]) if p.low > 0 else high
        high = min(high, quotient(2 * last, f.low)[0] - s) if f.low > 0 else high
    if low > high:
        return None
    return Span(s, ((first, low, high),), Range(first, last), Range(low, high), False)


def _whole_recall(facts: Facts, one: ClassFacts, size: int) -> Conflict | None:
    """Recall must be a whole number of the class's items, in all runs together."""
    r = one.recall
    if r is None:
        return None
    column = facts.header("recall", one.label)
    if size == 0:
        if r.holds(0) or r.holds(1):
            return None
        return Conflict(column, Range(0, 0), "the class has no items, so that its recall is 0/0")
    s = size * facts.assumptions.runs
    if ceil(r.low * s) <= floor(r.high * s):
        return None
    below, above = floor(r.low * s), ceil(r.high * s)
    near = Range(Fraction(max(below, 0), s), Fraction(min(above, s), s))
    return Conflict(column, near, facts.assumptions.gives_none(size, " of the class"))


def _no_bias(facts: Facts, one: ClassFacts, s: int, hits: range, rest: int) -> Conflict:
    """Precision that no whole number of predictions gives: the nearest that some do.

    Of the predictions, those that miss are no more than the ``rest``, the items of other classes.
    """
    column = facts.header("precision", one.label)
    p = one.precision or UNIT
    if not hits:  # recall is told by precision and F1
        f = one.f1 or UNIT
        why = f"with F1 and {s:,} items of the class, no whole number of hits gives it"
        return Conflict(column, Range(divided(f.low, 2 - f.low), 1), why)
    middle = (p.low + p.high) / Fraction(2)
    some = [c for c in hits if c > 0]
    least = min((Fraction(c, c + rest) for c in some), default=Fraction(0))
    below: list[Number] = [0]
    above: list[Number] = [1]
    for c in some:
        if middle > 0:
            b = min(max(c, floor(c / middle)), c + rest)
            near = [Fraction(c, b), Fraction(c, min(b + 1, c + rest))]
            below += [x for x in near if x < p.low]
            above += [x for x in near if x > p.high]
    made = f"{hits[0]:,}" if len(hits) == 1 else f"{hits[0]:,} to {hits[-1]:,}"
    why = f"recall and {s:,} items of the class make {made} hits, "
    if some and p.high < least:
        why += f"and only the {rest:,} items of other classes can be predictions that miss"
        return Conflict(column, Range(least, 1), why)
    why += "and no whole number of predictions gives it"
    return Conflict(column, Range(max(below), min(above)), why)


def _made(facts: Facts, one: ClassFacts) -> Range:
    """F1 from precision and recall."""
    p, r = one.precision or UNIT, one.recall or UNIT
    return harmonic(p, r) if facts.assumptions.runs == 1 else mean_of_f1(p, r)


def _ratios(one: ClassFacts, made: Range) -> ClassFacts:
    """The class with F1 as narrow as its precision and recall make it."""
    return replace(one, f1=made if one.f1 is None else one.f1.meet(made) or one.f1)


def _ratio_conflict(facts: Facts, one: ClassFacts, made: Range) -> Conflict | None:
    """F1 of a class against its precision and recall: F1 = 2PR/(P+R)."""
    if one.f1 is None or made.meets(one.f1):
        return None
    why = "F1 is 2PR/(P+R) of the class's precision and recall"
    if facts.assumptions.runs > 1:
        why = "a mean of F1 lies between P + R − 1 and 2PR/(P+R)"
    return Conflict(facts.header("f1", one.label), made, why)
