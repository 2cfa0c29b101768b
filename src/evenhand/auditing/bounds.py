"""Bounds that the reported numbers of a row put on each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import ceil, floor

from evenhand.auditing.facts import Assumptions, ClassFacts, Conflict, Span, TableFacts, margin_rows
from evenhand.auditing.headers import PER_CLASS
from evenhand.auditing.ranges import (
    GRID,
    UNIT,
    Margins,
    Number,
    Range,
    divided,
    harmonic,
    hull,
    mean_of_f1,
    means,
    root,
    total,
    weighted,
)


def agreement(
    spans: Sequence[Span], n: int, accuracy: Range | None, abstentions: bool
) -> dict[str, Range]:
    """Bounds of kappa and MCC on n items, where there are any."""
    ranges: dict[str, Range] = {}
    hits = total(s.correct for s in spans)
    hits = hits if accuracy is None else hits.meet(accuracy.times(n)) or hits
    chance = _product(spans, n, abstentions)
    top = hits.times(n) - chance
    if n * n > chance.high:
        low = Fraction(n * hits.low - chance.high) / (n * n - chance.high)
        high = Fraction(n * hits.high - chance.low) / (n * n - chance.low)
        ranges["kappa"] = Range(max(low, Fraction(-1)), high)
    truth = n * n - sum(s.support**2 for s in spans)
    squares = _squares(spans, n)
    if truth > 0 and n * n > squares.high:
        slow = root(truth * (n * n - squares.high)).low
        fast = root(truth * (n * n - squares.low)).high
        bounds = [divided(t, b) for t in (top.low, top.high) for b in (slow, fast)]
        ranges["mcc"] = Range(max(min(bounds), Fraction(-1)), min(max(bounds), Fraction(1)))
    return ranges


def _product(spans: Sequence[Span], n: int, abstentions: bool) -> Range:
    """Bounds of Σ prevalence·bias, where bias adds up to n."""
    base = sum(s.support * s.bias.low for s in spans)
    left = n - sum(s.bias.low for s in spans)

    def filled(order: Sequence[Span]) -> Number:
        gain: Number = 0
        rest = left
        for s in order:
            take = min(max(rest, 0), s.bias.width)
            gain, rest = gain + take * s.support, rest - take
        return gain

    rising = sorted(spans, key=lambda s: s.support)
    low = base if abstentions else base + filled(rising)
    return Range(low, base + filled(rising[::-1]))


def _squares(spans: Sequence[Span], n: int) -> Range:
    """Bounds of Σ bias², predictions outside the classes being one more category."""
    low = sum(s.bias.low**2 for s in spans)
    outside = max(n - sum(s.bias.low for s in spans), 0)
    return Range(low, min(n * n, sum(s.bias.high**2 for s in spans) + outside**2))


# Two classes: the margins of one follow from those of the other

MOST = 20_000
"""Pairs of hits that are tried; where there are more, the spans are left as they are."""


def fit_two_classes(
    classes: Sequence[ClassFacts],
    spans: Sequence[Span],
    hits: Range | None,
    recall: Range | None = None,
) -> tuple[Span, Span] | None:
    """The spans of two classes, narrowed to margins that fit both; ``None`` if none do.

    ``hits`` is how many both have, and ``recall`` their mean recall, where known.
    """
    first, second = spans
    hit_pairs = _hits(first, second, hits)
    if hit_pairs is None:
        return first, second
    sizes = first.support, second.support
    rows: tuple[dict[int, list[int]], dict[int, list[int]]] = ({}, {})

    @cache
    def allowed(i: int, c: int) -> tuple[int, int]:
        """The first and last bias that class i may have with so many hits."""
        margins = margin_rows(classes[i], sizes[i], c, c, sizes[1 - i])
        return margins[0][1:] if margins else (1, 0)

    denominator = 2 * sizes[0] * sizes[1]
    mean = Range(-1, denominator) if recall is None else recall.times(denominator)
    for c in hit_pairs:
        if not mean.holds(c[0] * sizes[1] + c[1] * sizes[0]):
            continue
        bias = (c[0] + sizes[1] - c[1], c[1] + sizes[0] - c[0])
        ends = allowed(0, c[0]), allowed(1, c[1])
        if all(low <= b <= high for b, (low, high) in zip(bias, ends, strict=True)):
            for i in (0, 1):
                rows[i].setdefault(c[i], []).append(bias[i])
    if not rows[0]:
        return None
    one, other = (
        Span.from_rows(s, tuple((c, min(b), max(b)) for c, b in sorted(part.items())))
        for s, part in zip(sizes, rows, strict=True)
    )
    return one, other


def _hits(first: Span, second: Span, hits: Range | None) -> Iterator[tuple[int, int]] | None:
    """Pairs of hits, from the known sum or from a class whose margins are listed."""
    least, most = int(second.correct.low), int(second.correct.high)
    if hits is not None:
        low, high = ceil(hits.low), floor(hits.high)
        if (first.correct.width + 1) * (high - low + 1) <= MOST:
            return (
                (c, d)
                for c in range(int(first.correct.low), int(first.correct.high) + 1)
                for d in range(max(low - c, least), min(high - c, most) + 1)
            )
    for one, other, turned in ((first, second, False), (second, first, True)):
        if one.listed and one.size <= MOST:
            pairs = ((c, other.support - b + c) for c, b in one.pairs())
            inside = ((c, d) for c, d in pairs if other.correct.holds(d))
            return ((d, c) for c, d in inside) if turned else inside
    return None


# Enumeration of all margins that fit a row


def solutions(
    spans: Sequence[Span], n: int, hits: Range | None, *, abstentions: bool, limit: int
) -> list[Margins] | None:
    """All margins in the spans that add up, or ``None`` if there are more than ``limit``.

    The search also ends, undecided, after 50 steps for each solution that it may list.
    """
    if not all(s.listed for s in spans):
        return None
    order = sorted(range(len(spans)), key=lambda i: spans[i].size)
    bias = _suffix_sums(spans[i].bias for i in order)
    correct = _suffix_sums(spans[i].correct for i in order)
    hit_limits = (0, n) if hits is None else (ceil(hits.low), floor(hits.high))
    tables: list[Margins] = []
    chosen: list[tuple[int, int, int]] = [(0, 0, 0)] * len(spans)
    steps = 0

    def search(at: int, left: int, got: int, worst: int) -> bool:
        nonlocal steps
        if at == len(order):
            if worst <= n - got:  # no class errs more than all classes together
                tables.append(tuple(chosen))
            return len(tables) <= limit
        span = spans[order[at]]
        # What the remaining classes can still take bounds what this one may.
        few, many = (
            hit_limits[0] - got - correct[at + 1][1],
            hit_limits[1] - got - correct[at + 1][0],
        )
        least, most = left - bias[at + 1][1], left - bias[at + 1][0]
        for c, low, high in span.rows:
            if c < few or c > many:
                continue
            for b in range(low if abstentions else max(low, least), min(high, most) + 1):
                steps += 1
                if steps > 50 * limit:
                    return False
                chosen[order[at]] = (c, b, span.support)
                errors = span.support + b - 2 * c
                if not search(at + 1, left - b, got + c, errors if errors > worst else worst):
                    return False
        return True

    return tables if search(0, n, 0, 0) else None


def _suffix_sums(ranges: Iterable[Range]) -> list[tuple[int, int]]:
    """For each position, bounds of the sum from there to the end."""
    sums = [(0, 0)]
    for r in reversed(list(ranges)):
        low, high = sums[-1]
        sums.append((low + int(r.low), high + int(r.high)))
    return sums[::-1]


# Sums over classes

ROUNDS = 4
_EQUAL = ("accuracy", "micro_recall", "weighted_recall")
_EQUAL_INSIDE = ("micro_precision", "micro_f1")


def hit_rate_names(assumptions: Assumptions) -> tuple[str, ...]:
    """The metrics that equal the share of hits under these assumptions."""
    return _EQUAL if assumptions.abstentions or assumptions.several else _EQUAL + _EQUAL_INSIDE


def accuracy(facts: TableFacts, n: int | None) -> tuple[Range | None, list[Conflict]]:
    """The share of hits from all metrics that equal it, and conflicts among these.

    Accuracy, micro and weighted recall are one number; so are micro precision and micro F1
    when nothing is outside. With n known it is a whole number of items.
    """
    names = hit_rate_names(facts.assumptions)
    share: Range | None = None
    conflicts = []
    if facts.correct is not None and n:
        share = facts.correct.times(Fraction(1, n))
    first = "correct / n"
    for name in names if facts.assumptions.complete else ("accuracy",):
        reported = facts.metrics.get(name)
        if reported is None:
            continue
        column = facts.header("metric", name)
        both = reported if share is None else share.meet(reported)
        if both is None:
            why = f"it equals {first} when every class is averaged and nothing is outside"
            conflicts.append(Conflict(column, share or UNIT, why))
            continue
        if share is None:
            first = name
        if n is not None:
            items = n * facts.assumptions.runs
            low, high = ceil(both.low * items), floor(both.high * items)
            if low > high:
                near = Range(Fraction(high, items), Fraction(low, items))
                conflicts.append(Conflict(column, near, facts.assumptions.gives_none(n)))
                continue
            both = Range(Fraction(low, items), Fraction(high, items))
        share = both
    return share, conflicts


def fit_totals(
    spans: Sequence[Span], n: int, hits: Range | None, abstentions: bool
) -> tuple[Span, ...] | None:
    """The spans narrowed to margins that add up to n and the hits; ``None`` if none do."""
    narrowed = list(spans)
    hit_range = Range(0, n) if hits is None else Range(ceil(hits.low), floor(hits.high))
    bias, correct = total(s.bias for s in narrowed), total(s.correct for s in narrowed)
    for _ in range(ROUNDS):
        before = list(narrowed)
        for i in range(len(narrowed)):
            if bias.low > n or correct.low > hit_range.high or correct.high < hit_range.low:
                return None
            if bias.high < n and not abstentions:
                return None
            span = narrowed[i]
            most = n - (bias.low - span.bias.low)
            least = 0 if abstentions else n - (bias.high - span.bias.high)
            c = Range(
                hit_range.low - (correct.high - span.correct.high),
                hit_range.high - (correct.low - span.correct.low),
            )
            errors = n - max(correct.low, hit_range.low)
            inside = span.within(c, Range(least, most), errors)
            if inside is None:
                return None
            if inside is not span:
                narrowed[i] = inside
                bias, correct = total(s.bias for s in narrowed), total(s.correct for s in narrowed)
        if narrowed == before:
            break
    return tuple(narrowed)


def sizes_conflict(facts: TableFacts) -> Conflict | None:
    """The conflict between n and the sum of the class sizes, if any."""
    supports = facts.supports
    if supports is None or facts.n is None or sum(supports) == facts.n:
        return None
    size = sum(supports)
    why = f"a wrong total: the classes' sizes add up to {size:,}"
    return Conflict(facts.header("n"), Range(size, size), why)


def _precision(correct: Range, bias: Range) -> Range:
    """Bounds of precision from bounds of hits and predictions."""
    if bias.high <= 0:
        return UNIT
    high = Fraction(correct.high) / bias.low if bias.low > 0 else 1
    return Range(Fraction(correct.low) / bias.high, high).meet(UNIT) or UNIT


def predictions_conflict(facts: TableFacts, spans: Sequence[Span], n: int) -> Conflict | None:
    """The conflict between the predictions of all classes and n, if any."""
    bias = total(s.bias for s in spans)
    if bias.low <= n and (bias.high >= n or facts.assumptions.abstentions):
        return None
    at = max(range(len(spans)), key=lambda i: spans[i].bias.high)
    label = facts.classes[at].label
    kind = "precision" if facts.classes[at].precision is not None else "f1"
    rest = total(s.bias for i, s in enumerate(spans) if i != at)
    predictions = f"{bias.low:,}" if bias.low == bias.high else f"{bias.low:,} to {bias.high:,}"
    return Conflict(
        facts.header(kind, label),
        _precision(spans[at].correct, Range(n - rest.high, n - rest.low)),
        f"precision and recall make {predictions} predictions over all classes, and there are "
        f"{n:,} items",
    )


# Range of each metric, from the rest of its row


@dataclass(frozen=True)
class KnownRates:
    """What follows from a row: narrowed classes, their margins, n, the share of hits."""

    facts: TableFacts
    classes: tuple[ClassFacts, ...]
    spans: tuple[Span, ...] | None
    n: int | None
    accuracy: Range | None

    def values(self, part: str, without: Collection[str] = ()) -> list[Range] | None:
        """The classes' precision, recall or F1, if the classes are all there."""
        if not self.facts.has_all_classes:
            return None
        return [getattr(c, part) or UNIT for c in self.classes if c.label not in without]

    def means(self, part: str, without: Collection[str] = ()) -> list[Range] | None:
        """Ranges of a macro average: over all classes, and without those that may be empty."""
        return self._means(part, without) if without else self._over_all[part]

    @cached_property
    def _over_all(self) -> dict[str, list[Range] | None]:
        return {part: self._means(part, ()) for part in PER_CLASS}

    def _means(self, part: str, without: Collection[str]) -> list[Range] | None:
        if not self.facts.has_all_classes or len(without) >= len(self.classes):
            return None
        pairs = list(zip(self.classes, self.may_be_empty, strict=True))
        perhaps = [getattr(c, part) or UNIT for c, e in pairs if e and c.label not in without]
        base, count = self._sure[part]
        if without:
            left = [getattr(c, part) or UNIT for c, e in pairs if not e and c.label in without]
            out = total(left)
            base, count = Range(base.low - out.low, base.high - out.high), count - len(left)
        if perhaps and self.facts.assumptions.runs > 1:
            # In the runs that leave such a class out, its own 0/0 does not count.
            return [hull(means(base, count, [UNIT] * len(perhaps)))]
        return means(base, count, perhaps)

    @cached_property
    def may_be_empty(self) -> list[bool]:
        """Of each class, whether it may be true of no item."""
        return [c.may_be_empty(self.facts.assumptions.runs) for c in self.facts.classes]

    @cached_property
    def _sure(self) -> dict[str, tuple[Range, int]]:
        """The sum over the classes that have items, and how many they are."""
        sure = [c for c, e in zip(self.classes, self.may_be_empty, strict=True) if not e]
        sums = {part: total(getattr(c, part) or UNIT for c in sure) for part in PER_CLASS}
        return {part: (one, len(sure)) for part, one in sums.items()}

    def weighted(self, part: str) -> Range | None:
        """The average weighted by class size."""
        values, sizes = self.values(part), self.facts.supports
        if values is None or sizes is None or not sum(sizes):
            return hull(values) if values else None
        return weighted(values, sizes).times(Fraction(1, sum(sizes)))

    def reported(self, metric: str, predicted: list[Range] | None) -> list[Range] | None:
        """A reported metric, narrowed by its prediction; else the prediction."""
        value = self.facts.metrics.get(metric)
        if value is None:
            return predicted
        both = [m for p in predicted or [] if (m := value.meet(p)) is not None]
        return both or [value]

    @cached_property
    def averages(self) -> tuple[list[Range] | None, list[Range] | None]:
        """Macro precision and macro recall, reported or from the classes."""
        p = self.reported("macro_precision", self.means("precision"))
        r = self.reported("macro_recall", self.recalls)
        return p, r

    @cached_property
    def recalls(self) -> list[Range] | None:
        """Macro recall from the classes, and from the number of hits where sizes are known."""
        ranges, sizes = self.means("recall"), self.facts.supports
        if ranges is None or sizes is None or 0 in sizes or self.accuracy is None:
            return ranges
        values = self.values("recall") or []
        bound = _spread(values, sizes, self.accuracy.times(sum(sizes)))
        return [m for f in ranges if bound and (m := f.meet(bound)) is not None] or ranges

    @cached_property
    def predicted(self) -> dict[str, list[Range]]:
        """The possible ranges of each metric that the rest of the row bounds."""
        p, r = self.averages
        ranges: dict[str, list[Range] | None] = {
            "macro_precision": self.means("precision"),
            "macro_recall": self.recalls,
            "balanced_accuracy": self.means("recall"),
            "macro_f1": self.macro_f1(),
            "f1_of_averages": self.f1_of_averages(p, r, self.means("f1")),
        }
        for part in ("precision", "f1"):
            one = self.weighted(part)
            ranges[f"weighted_{part}"] = None if one is None else [one]
        ranges["accuracy"] = hit_rate(self)
        pw = self.reported("weighted_precision", ranges["weighted_precision"])
        rw = None if self.accuracy is None else [self.accuracy]
        rw = rw or self.reported("weighted_recall", ranges["accuracy"])
        ranges["weighted_f1_of_averages"] = self.f1_of_averages(pw, rw)
        if "weighted_precision" in self.facts.metrics and rw:
            bound = mean_of_f1(self.facts.metrics["weighted_precision"], hull(rw))
            weighted_f1 = ranges["weighted_f1"]
            ranges["weighted_f1"] = (
                [bound] if weighted_f1 is None else [weighted_f1[0].meet(bound) or weighted_f1[0]]
            )
        ranges |= _generalised(self)
        if ranges["macro_f1"] and ranges["f1_of_averages"]:
            gap = hull(ranges["f1_of_averages"]) - hull(ranges["macro_f1"])
            ranges["f1_gap"] = [Range(max(gap.low, 0), gap.high)]
        ranges |= {name: [one] for name, one in _agreement(self).items()}
        return {name: places for name, places in ranges.items() if places}

    def f1_of_averages(
        self,
        p: list[Range] | None,
        r: list[Range] | None,
        f1: list[Range] | None = None,
    ) -> list[Range] | None:
        """2·P̄·R̄/(P̄+R̄); for means of runs it may also have been averaged over them.

        With m the mean of F1, it is at least m, and at most (P̄+R̄)/2 ≤ (1 + m)/2, for
        a class's P + R − 1 is at most its F1.
        """
        if not p or not r:
            return None
        combine = harmonic if self.facts.assumptions.runs == 1 else mean_of_f1
        ranges = [combine(a, b) for a in p for b in r]
        if f1 is None:
            return ranges
        bounds = [Range(m.low, divided(1 + m.high, 2)) for m in f1]
        return [m for a in ranges for b in bounds if (m := a.meet(b)) is not None] or ranges

    def macro_f1(self) -> list[Range] | None:
        """The mean of F1, from the classes and between P̄ + R̄ − 1 and 2·P̄·R̄/(P̄+R̄)."""
        ranges = self.means("f1")
        p, r = self.averages
        if not p or not r:
            return ranges
        bounds = [mean_of_f1(a, b) for a in p for b in r]
        if ranges is None:
            return bounds
        return [m for a in ranges for b in bounds if (m := a.meet(b)) is not None] or ranges


def _spread(recalls: Sequence[Range], sizes: Sequence[int], hits: Range) -> Range | None:
    """Bounds of the mean recall from the number of hits and the class sizes.

    Hits are worth most in small classes: filling these first gives the most, the large ones
    first the least.
    """
    ends, hit_bounds = [r.scaled for r in recalls], hits.scaled
    sure = sum(low for low, _ in ends)
    base = sum(low * s for (low, _), s in zip(ends, sizes, strict=True))
    if base > hit_bounds[1]:
        return None
    order = sorted(range(len(sizes)), key=lambda i: sizes[i])

    def filled(which: Sequence[int], left: int) -> tuple[int, int]:
        """The recall that the remaining hits add, in grid steps, and how many classes got some."""
        gain = classes = 0
        for i in which:
            if left <= 0:
                break
            low, high = ends[i]
            take = min(left, (high - low) * sizes[i])
            gain, left, classes = gain + take // sizes[i], left - take, classes + 1
        return gain, classes

    least, _ = filled(order[::-1], hit_bounds[0] - base)
    most, rounded = filled(order, hit_bounds[1] - base)
    every = GRID * len(sizes)
    return Range(Fraction(sure + least, every), Fraction(sure + most + rounded, every))


def _agreement(known: KnownRates) -> dict[str, Range]:
    """Bounds of kappa and MCC from the margins; accuracy alone bounds kappa from above."""
    ranges: dict[str, Range] = {}
    if known.accuracy is not None:
        ranges["kappa"] = Range(-1, max(known.accuracy.high, 0))
    assumptions = known.facts.assumptions
    if known.spans is not None and known.n and assumptions.runs == 1:
        ranges |= agreement(known.spans, known.n, known.accuracy, assumptions.abstentions)
    return ranges


def hit_rate(known: KnownRates) -> list[Range] | None:
    """Accuracy from the classes: from their hits, or as a mean of recalls and of precisions."""
    weighted = known.weighted("recall")
    if weighted is None:
        return None
    rate = weighted
    assumptions = known.facts.assumptions
    if (
        assumptions.runs == 1 and not assumptions.several
    ):  # the weights of precisions change from run to run
        within = hull(known.values("precision") or [UNIT])
        if assumptions.abstentions:
            within = Range(0, within.high)
        rate = weighted.meet(within) or weighted
    if known.spans is not None and known.n:
        hits = total(s.correct for s in known.spans)
        rate = rate.meet(hits.times(Fraction(1, known.n))) or rate
    return [rate]


def _generalised(known: KnownRates) -> dict[str, list[Range] | None]:
    """Harmonic and geometric mean of recall; the geometric lies between the other two."""
    values, arithmetic = known.values("recall"), known.means("recall")
    if values is None or arithmetic is None:
        return {}
    if any(known.may_be_empty):
        return {}

    def harmonic_mean(ends: list[Number]) -> Number:
        return divided(len(ends), sum(divided(1, x) for x in ends)) if min(ends) > 0 else 0

    least, most = harmonic_mean([v.low for v in values]), harmonic_mean([v.high for v in values])
    least = 0 if known.facts.assumptions.runs > 1 else least
    return {
        "harmonic_macro_recall": [Range(least, most)],
        "geometric_macro_recall": [Range(least, arithmetic[0].high)],
    }
