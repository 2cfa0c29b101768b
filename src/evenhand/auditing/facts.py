"""Facts and assumptions about one row, and the whole-number margins that each class allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, floor

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

UNKNOWN_RUNS = 10**12
"""Runs of which nobody says how many: so many that whole numbers of items tell nothing."""


@dataclass(frozen=True)
class Assumptions:
    """What an audit takes for granted; every finding holds only under these.

    ``runs``: scores are means of so many runs on the same items. ``abstentions``: predictions
    may lie outside the classes. ``complete``: the classes listed are all there are.
    ``several``: items may have several labels, or none.
    """

    runs: int = 1
    abstentions: bool = False
    complete: bool = True
    several: bool = False

    @property
    def times(self) -> str:
        """How many runs a row is the mean of."""
        return "some runs" if self.runs == UNKNOWN_RUNS else f"{self.runs} runs"

    def gives_none(self, items: int, scope: str = "") -> str:
        """Why a share is impossible: no number of items, a whole one in all runs together, has it.

        >>> Assumptions(runs=2).gives_none(54)
        'no whole number of 54 items in 2 runs gives it'
        """
        runs = f" in {self.times}" if self.runs > 1 else ""
        return f"no whole number of {items:,} items{scope}{runs} gives it"

    @property
    def _outside(self) -> str:
        if self.abstentions:
            return "predictions may be outside the classes"
        return "no prediction is outside the classes"

    @property
    def words(self) -> tuple[str, ...]:
        """The assumptions, as they are printed with the findings."""
        row = "one table: one test set" if self.runs == 1 else f"the mean of {self.times}"
        labels = "one label an item, one prediction an item"
        if self.runs > 1:
            row, labels = f"{row} on one test set", "one label an item"
        if self.several:
            labels = "items may have several labels and predictions, or none"
        return (
            f"each row is {row}, {labels}",
            *(() if self.several else (self._outside,)),
            "the classes listed are all there are, and averages run over all of them"
            if self.complete
            else "there may be more classes than those listed",
            "each value is rounded as it is written",
        )


@dataclass(frozen=True, slots=True)
class ClassFacts:
    """One class: its reported scores and its size, where known."""

    label: str
    precision: Range | None = None
    recall: Range | None = None
    f1: Range | None = None
    support: int | None = None

    @property
    def known(self) -> bool:
        """Whether its F1 follows from what is reported."""
        return self.f1 is not None or (self.precision is not None and self.recall is not None)

    def may_be_empty(self, runs: int) -> bool:
        """Whether it may be true of no item, so that some averages leave it out."""
        if self.support is not None:
            return self.support == 0

        def may(r: Range | None, *values: int) -> bool:
            return r is None or any(r.holds(v) for v in values)

        if runs > 1:  # 0/0 may be worth 1 in some runs only
            return may(self.recall, 0, 1) and (may(self.precision, 0) or may(self.recall, 1))
        return may(self.recall, 0, 1) and may(self.precision, 0, 1) and may(self.f1, 0, 1)


@dataclass(frozen=True, slots=True)
class TableFacts:
    """One row: its classes, its metrics by canonical name, its totals.

    ``headers`` has the header of each thing reported, for findings to name.
    """

    classes: tuple[ClassFacts, ...]
    metrics: Mapping[str, Range]
    n: int | None
    correct: Range | None
    assumptions: Assumptions
    headers: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @property
    def has_all_classes(self) -> bool:
        """Whether the classes listed can be taken for all there are."""
        return self.assumptions.complete and len(self.classes) > 1

    @property
    def supports(self) -> tuple[int, ...] | None:
        """The size of every class, if all are known."""
        sizes = tuple(c.support for c in self.classes if c.support is not None)
        return sizes if self.has_all_classes and len(sizes) == len(self.classes) else None

    def header(self, kind: str, name: str = "") -> str:
        """The header under which something was reported, or the name it would have had."""
        fallback = f"{kind}[{name}]" if kind != "metric" and name else name or kind
        return self.headers.get((kind, name), fallback)


@dataclass(frozen=True, slots=True)
class Conflict:
    """A reported number that cannot be true, the range it could have had, and why."""

    column: str
    range: Range
    reason: str


# One class: its precision, recall and F1 against whole numbers

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
    def from_rows(cls, support: int, rows: tuple[tuple[int, int, int], ...]) -> Span:
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
        return Span.from_rows(self.support, tuple(rows)) if rows else None

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
        """The class with precision, recall and F1 narrowed to the listed margins."""
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


def narrow_class(
    facts: TableFacts, i: int, n: int | None
) -> tuple[ClassFacts, Span | None, list[Conflict]]:
    """One class narrowed by its own numbers, its possible margins, and its conflicts."""
    one = facts.classes[i]
    span = _solved(facts, one, n)
    if span is not None:
        return span.scores(one), span, []
    conflicts = []
    implied_f1 = _implied_f1(facts, one)
    unlike = _ratio_conflict(facts, one, implied_f1)
    if unlike is not None:
        one, conflicts = replace(one, f1=None), [unlike]
    if one.support is None:
        return _ratios(one, implied_f1), None, conflicts
    fraction = _whole_recall(facts, one, one.support)
    if fraction is not None:
        return replace(one, recall=None), None, [*conflicts, fraction]
    if facts.assumptions.runs > 1:
        return _ratios(one, implied_f1), None, conflicts
    settled, span, more = _reconstructed(facts, one, one.support, n)
    return settled, span, [*conflicts, *more]


def _solved(facts: TableFacts, one: ClassFacts, n: int | None) -> Span | None:
    """The margins that give all scores of a class, where they are few enough to list."""
    s = one.support
    if not s or facts.assumptions.runs > 1:
        return None
    first, last, rest = _ends(one, s, n)
    if last - first >= MANY:
        return None
    rows = margin_rows(one, s, first, last, rest)
    return Span.from_rows(s, rows) if rows else None


def _ends(one: ClassFacts, s: int, n: int | None) -> tuple[int, int, int]:
    """The fewest and the most hits, and how many predictions can miss: items of other classes."""
    recall = one.recall or _recall(one)
    first, last = (ceil(recall.low * s), floor(recall.high * s)) if s else (0, 0)
    return first, last, ENDLESS if n is None else max(n - s, 0)


def _reconstructed(
    facts: TableFacts, one: ClassFacts, s: int, n: int | None
) -> tuple[ClassFacts, Span | None, list[Conflict]]:
    first, last, rest = _ends(one, s, n)
    if last - first >= MANY:
        return _ratios(one, _implied_f1(facts, one)), _loose(one, s, first, last, rest), []
    alone = replace(one, f1=None)
    pairs = margin_rows(alone, s, first, last, rest)
    if not pairs:
        return (
            replace(one, precision=None),
            None,
            [_no_bias(facts, one, s, range(first, last + 1), rest)],
        )
    rows = margin_rows(one, s, first, last, rest) if one.f1 is not None else pairs
    if not rows:
        attained = Span.from_rows(s, pairs).scores(alone).f1 or UNIT
        reason = (
            f"with precision, recall and {s:,} items of the class, no whole numbers of hits and "
            "predictions give it"
        )
        conflict = Conflict(facts.header("f1", one.label), attained, reason)
        return replace(one, f1=None), None, [conflict]
    span = Span.from_rows(s, rows)
    return span.scores(one), span, []


def _recall(one: ClassFacts) -> Range:
    """Recall from precision and F1: R = FP/(2P − F), which grows with F and falls with P."""
    p, f = one.precision, one.f1
    if p is None or f is None or 2 * p.low <= f.high:
        return UNIT
    ends = [divided(a * b, 2 * b - a) for a, b in ((f.low, p.high), (f.high, p.low))]
    return Range(ends[0], ends[1]).meet(UNIT) or UNIT


def margin_rows(
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


def _whole_recall(facts: TableFacts, one: ClassFacts, size: int) -> Conflict | None:
    """The conflict of a recall that no whole number of the class's items gives."""
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


def _no_bias(facts: TableFacts, one: ClassFacts, s: int, hits: range, rest: int) -> Conflict:
    """The conflict of a precision that no whole number of predictions gives.

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
    hits_text = f"{hits[0]:,}" if len(hits) == 1 else f"{hits[0]:,} to {hits[-1]:,}"
    why = f"recall and {s:,} items of the class make {hits_text} hits, "
    if some and p.high < least:
        why += f"and only the {rest:,} items of other classes can be predictions that miss"
        return Conflict(column, Range(least, 1), why)
    why += "and no whole number of predictions gives it"
    return Conflict(column, Range(max(below), min(above)), why)


def _implied_f1(facts: TableFacts, one: ClassFacts) -> Range:
    """F1 from precision and recall."""
    p, r = one.precision or UNIT, one.recall or UNIT
    return harmonic(p, r) if facts.assumptions.runs == 1 else mean_of_f1(p, r)


def _ratios(one: ClassFacts, implied_f1: Range) -> ClassFacts:
    """The class with F1 narrowed by its precision and recall."""
    return replace(one, f1=implied_f1 if one.f1 is None else one.f1.meet(implied_f1) or one.f1)


def _ratio_conflict(facts: TableFacts, one: ClassFacts, implied_f1: Range) -> Conflict | None:
    """The conflict between a class's F1 and 2PR/(P+R), if any."""
    if one.f1 is None or implied_f1.meets(one.f1):
        return None
    why = "F1 is 2PR/(P+R) of the class's precision and recall"
    if facts.assumptions.runs > 1:
        why = "a mean of F1 lies between P + R − 1 and 2PR/(P+R)"
    return Conflict(facts.header("f1", one.label), implied_f1, why)
