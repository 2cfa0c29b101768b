"""Facts and assumptions about one row, and the whole-number margins that each class allows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, floor
from typing import Any

from evenhand.auditing.ranges import (
    UNIT,
    Number,
    Range,
    between,
    harmonic,
    mean_of_f1,
    quotient,
    total,
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

    def attain(self, share: Range, items: int) -> tuple[Range | None, Range]:
        """A share of items narrowed to whole numbers of them in all runs together, if there are
        any, and the nearest such shares around it.
        """
        items *= self.runs
        fits = share.times(items).whole
        first, last = fits.start, fits.stop - 1
        if not fits:
            first, last = max(last, 0), min(first, items)
        near = Range(Fraction(first, items), Fraction(last, items))
        return near if fits else None, near

    @property
    def words(self) -> tuple[str, ...]:
        """The assumptions, as they are printed with the findings."""
        outside = "predictions may be" if self.abstentions else "no prediction is"
        row = "one table: one test set" if self.runs == 1 else f"the mean of {self.times}"
        labels = "one label and one prediction per item"
        if self.runs > 1:
            row, labels = f"{row} on one test set", "one label per item"
        if self.several:
            labels = "items may have several labels and predictions, or none"
        return (
            f"each row is {row}, {labels}",
            *(() if self.several else (f"{outside} outside the classes",)),
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

    ``headers`` has the header of each thing reported, for findings to name, and ``units`` for each
    header 100 where its value is a percentage and 1 where it is a fraction. ``impossible`` are
    conflicts of values that no metric of their kind has; the others are clipped to what it has.
    """

    classes: tuple[ClassFacts, ...]
    metrics: Mapping[str, Range]
    n: int | None
    correct: Range | None
    assumptions: Assumptions
    headers: Mapping[tuple[str, str], str] = field(default_factory=dict)
    units: Mapping[str, int] = field(default_factory=dict)
    impossible: tuple[Conflict, ...] = ()

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
    """A reported number that cannot be true, the range it could have had, and why.

    ``strength`` is "proof", or "weak" with a ``note`` on what would explain it; ``outside`` says
    that predictions outside the classes would.
    """

    column: str
    range: Range
    reason: str
    strength: str = "proof"
    note: str = ""
    outside: bool = False


# Rates that a printed mean leaves to one class

_MEANS = (
    ("macro_precision", "precision"),
    ("macro_recall", "recall"),
    ("balanced_accuracy", "recall"),
    ("macro_f1", "f1"),
)


@dataclass(frozen=True, slots=True)
class Solved:
    """A rate of a class that is not printed: what a mean over ``count`` classes, times these,
    leaves to it beside the ``others``. ``rates`` are the headers of the class's other rates.
    """

    column: str
    mean: str
    others: Range
    count: int
    rates: tuple[str, ...]

    def named_rate(self, c: Conflict) -> Conflict:
        """A conflict with the rate named; one of the rate itself as one of the mean."""
        if c.column != self.column:
            more = f"; {self.column} follows from {self.mean}" if c.column in self.rates else ""
            return replace(c, reason=c.reason + more)
        possible = (self.others + c.range).times(Fraction(1, self.count))
        reason = f"{self.column}, which follows from it: {c.reason}"
        return replace(c, column=self.mean, range=possible, reason=reason)


def solve(facts: TableFacts) -> tuple[TableFacts, list[Solved]]:
    """The facts with each rate that a printed mean and all classes but one determine.

    None is solved where the mean may be one over fewer classes: where another class may be empty,
    where that of the others is what is printed, or in means of runs, which may differ in this.
    """
    solved: list[Solved] = []
    classes, k = list(facts.classes), len(facts.classes)
    means = _MEANS if facts.has_all_classes and facts.assumptions.runs == 1 else ()
    for name, part in means:
        missing = [i for i, c in enumerate(classes) if getattr(c, part) is None]
        mean = facts.metrics.get(name)
        if mean is None or len(missing) != 1:
            continue
        one = classes[missing[0]]
        rest = [c for c in facts.classes if c.label != one.label]
        others = total(getattr(c, part) for c in rest)
        value = (mean.times(k) - others).meet(UNIT)
        if value is None or others.meets(mean.times(k - 1)) or any(c.may_be_empty(1) for c in rest):
            continue
        rate: dict[str, Any] = {part: value.rounded}
        classes[missing[0]] = replace(one, **rate)
        rates = tuple(facts.header(p, one.label) for p in ("precision", "recall", "f1"))
        columns = facts.header(part, one.label), facts.header("metric", name)
        solved.append(Solved(*columns, others, k, rates))
    return replace(facts, classes=tuple(classes)), solved


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
        bias = Range(min(low for _, low, _ in rows), max(high for *_, high in rows))
        return cls(support, rows, Range(rows[0][0], rows[-1][0]), bias, True)

    def within(self, correct: Range, bias: Range, errors: Number) -> Span | None:
        """The solutions with margins in these ranges and at most ``errors`` errors around."""
        c, b = self.correct.meet(correct), self.bias.meet(bias)
        if c is None or b is None:
            return None
        if not self.listed:
            return replace(self, correct=c, bias=b)
        worst = self.support + self.bias.high - 2 * self.correct.low
        if (c, b) == (self.correct, self.bias) and worst <= errors:
            return self
        least, most, wrong = ceil(bias.low), floor(bias.high), floor(errors) - self.support
        possible = correct.whole
        narrowed = (
            (hits, max(low, least), min(high, most, wrong + 2 * hits))
            for hits, low, high in self.rows
            if hits in possible
        )
        rows = tuple(row for row in narrowed if row[1] <= row[2])
        return Span.from_rows(self.support, rows) if rows else None

    @property
    def size(self) -> int:
        """How many solutions there are."""
        return sum(high - low + 1 for _, low, high in self.rows)

    def scores(self, one: ClassFacts) -> ClassFacts:
        """The class with precision, recall and F1 narrowed to the listed margins."""
        if not self.listed:
            return one
        s, rows = self.support, self.rows
        undefined = any(c == 0 and low == 0 for c, low, _ in rows)

        def rate(times: int, size: int) -> Range:
            """Hits as a share of predictions and ``size``."""
            least = [(times * c, high + size) for c, _, high in rows]
            return between(least, [(times * c, low + size) for c, low, _ in rows])

        recall = between([(rows[0][0], s)], [(rows[-1][0], s)]) if s else one.recall
        precision = one.precision if undefined else rate(1, 0)
        f1 = rate(2, s) if s or not undefined else one.f1
        return ClassFacts(one.label, precision, recall, f1, one.support)


def narrow_class(
    facts: TableFacts, i: int, n: int | None
) -> tuple[ClassFacts, Span | None, list[Conflict]]:
    """One class narrowed by its own numbers, its possible margins, and its conflicts."""
    one, runs = facts.classes[i], facts.assumptions.runs
    s, span = one.support, None
    rest = ENDLESS if n is None else max(n - (s or 0), 0)
    if s is not None and runs == 1:
        span = _span(one, s, rest)
        if span is not None and span.listed:
            return span.scores(one), span, []
    p, r = one.precision or UNIT, one.recall or UNIT
    implied_f1 = harmonic(p, r) if runs == 1 else mean_of_f1(p, r)
    conflicts = []
    if one.f1 is not None and not implied_f1.meets(one.f1):
        rule = "F1 is 2PR/(P+R) of the class's precision and recall"
        why = rule if runs == 1 else "a mean of F1 lies between P + R − 1 and 2PR/(P+R)"
        conflicts.append(Conflict(facts.header("f1", one.label), implied_f1, why))
        one = replace(one, f1=None)
    if s is not None:
        fraction = _whole_recall(facts, one, s)
        if fraction is not None:
            return one, None, [*conflicts, fraction]
        if runs == 1 and span is None and _span(one, s, rest) is None:
            conflicts.append(_no_margins(facts, one, s, rest))
    f1 = implied_f1 if one.f1 is None else one.f1.meet(implied_f1) or one.f1
    return replace(one, f1=f1), span, conflicts


def _span(one: ClassFacts, s: int, rest: int) -> Span | None:
    """The margins that give the scores of a class, or outer bounds of them if they are many.

    Of the predictions, those that miss are no more than the ``rest``, the items of other classes.
    """
    hits = _hits(one, s)
    if len(hits) <= MANY:
        rows = margin_rows(one, s, hits, rest)
        return Span.from_rows(s, rows) if rows else None
    first, last = hits[0], hits[-1]
    low, high = _predictions(one, s, first, last, rest) if first else (0, last + rest)
    bias = Range(low, high) if low <= high else Range(first, last + rest)
    return Span(s, ((first, low, high),), Range(first, last), bias, False)


def _predictions(one: ClassFacts, s: int, first: int, last: int, rest: int) -> tuple[int, int]:
    """The first and last number of predictions with which so many hits, at least one, give P and
    F1; the first is above the last where none do.
    """
    low, high = first, last + rest
    for times, size, printed in ((1, 0, one.precision or UNIT), (2, s, one.f1 or UNIT)):
        if printed.high <= 0:
            return 1, 0
        low = max(low, quotient(times * first, printed.high)[1] - size)
        if printed.low > 0:
            high = min(high, quotient(times * last, printed.low)[0] - size)
    return low, high


def _hits(one: ClassFacts, s: int) -> range:
    """The numbers of hits that its scores allow."""
    recall = one.recall or _recall(one)
    return recall.times(s).whole if s else range(recall.holds(0) or recall.holds(1))


def _recall(one: ClassFacts) -> Range:
    """Recall from precision and F1: R = FP/(2P − F), which grows with F and falls with P."""
    p, f = one.precision, one.f1
    if p is None or f is None or 2 * p.low <= f.high:
        return UNIT
    ends = [Fraction(a * b, 2 * b - a) for a, b in ((f.low, p.high), (f.high, p.low))]
    return Range(ends[0], ends[1]).meet(UNIT) or UNIT


def margin_rows(
    one: ClassFacts, s: int, hits: Iterable[int], rest: int
) -> tuple[tuple[int, int, int], ...]:
    """For each number of hits, the first and last number of predictions that give P and F1."""
    p, f = one.precision or UNIT, one.f1 or UNIT
    none = (p.holds(0) or p.holds(1)) and (f.holds(0) or (s == 0 and f.holds(1)))  # 0/0 is 0 or 1
    without = (0 if none else 1), (rest if p.holds(0) and f.holds(0) else 0)
    rows = ((c, *(_predictions(one, s, c, c, rest) if c else without)) for c in hits)
    return tuple(row for row in rows if row[1] <= row[2])


def _whole_recall(facts: TableFacts, one: ClassFacts, size: int) -> Conflict | None:
    """The conflict of a recall that no whole number of the class's items gives."""
    r, column = one.recall, facts.header("recall", one.label)
    if r is None or (size == 0 and (r.holds(0) or r.holds(1))):
        return None
    if size == 0:
        return Conflict(column, Range(0, 0), "the class has no items, so that its recall is 0/0")
    attained, near = facts.assumptions.attain(r, size)
    why = facts.assumptions.gives_none(size, " of the class")
    return Conflict(column, near, why) if attained is None else None


def _no_margins(facts: TableFacts, one: ClassFacts, s: int, rest: int) -> Conflict:
    """The conflict of the first score that no whole numbers give together with those before it.

    Its range is from the next smaller to the next larger number that they give, if there are both.
    """
    hits = _hits(one, s)
    if one.recall is None:
        hits = range(max(hits.start - 1, 0), min(hits.stop, s) + 1)
    rows = margin_rows(replace(one, precision=None, f1=None), s, hits, rest)
    part, printed, times, size = "precision", one.precision or UNIT, 1, 0
    if pairs := margin_rows(replace(one, f1=None), s, hits, rest):
        rows, part, printed, times, size = pairs, "f1", one.f1 or UNIT, 2, s
    values: list[Number] = []
    for c, low, high in rows:
        nearest = floor(Fraction(2 * times * c, printed.low + printed.high)) - size if c else 0
        predictions = {min(max(b, low, 1), high) for b in (nearest, nearest + 1)} - {0}
        values += [Fraction(times * c, b + size) for b in predictions]
    below, above = [v for v in values if v < printed.low], [v for v in values if v > printed.high]
    around = Range(min(above, default=0), max(below, default=1))
    if below and above:
        around = Range(max(below), min(above))
    why = f"no whole numbers of hits and predictions give it with its other scores, {s:,} items"
    why += "" if rest == ENDLESS else f" of the class and {rest:,} of other classes"
    return Conflict(facts.header(part, one.label), around, why)
