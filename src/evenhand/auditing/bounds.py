"""Bounds that the reported numbers of a row put on each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from itertools import permutations
from math import ceil, floor

import numpy as np

from evenhand.auditing.facts import Assumptions, ClassFacts, Conflict, Span, TableFacts, margin_rows
from evenhand.auditing.ranges import (
    UNIT,
    Margins,
    Number,
    Range,
    divided,
    extremes,
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
    predictions = Range(0 if abstentions else n, n)
    chance = extremes([s.bias for s in spans], [s.support for s in spans], predictions)
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


def _squares(spans: Sequence[Span], n: int) -> Range:
    """Bounds of Σ bias², predictions outside the classes being one more category."""
    low = sum(s.bias.low**2 for s in spans)
    outside = max(n - sum(s.bias.low for s in spans), 0)
    return Range(low, min(n * n, sum(s.bias.high**2 for s in spans) + outside**2))


# Numbers of predictions that kappa and MCC leave open

BOXES = 20_000
"""Boxes of predictions that are held at once; where they are not yet points, bounds are wider."""
SLACK = 1e-9
"""How far outwards bounds in floating point are rounded."""


@dataclass(frozen=True)
class BiasBoxes:
    """How often each class can have been predicted: boxes × classes, first and last."""

    spans: Sequence[Span]
    low: np.ndarray
    high: np.ndarray

    @classmethod
    def search(cls, spans: Sequence[Span], n: int, kappa: Range, mcc: Range) -> BiasBoxes:
        """Halve boxes, and keep those in which kappa and MCC can be what is reported.

        The class sizes p make kappa a statement on p·b and MCC one on p·b and b·b: with three
        classes, at most two places are left.
        """
        low, high = (np.array([[f(s.bias)] for s in spans]).T for f in (_first, _last))
        while True:
            for _ in range(2):  # the predictions of all classes add up to n
                low = np.maximum(low, n - (high.sum(1, keepdims=True) - high))
                high = np.minimum(high, n - (low.sum(1, keepdims=True) - low))
            possible = (low <= high).all(axis=1)
            low, high = low[possible], high[possible]
            possible = _agreeing(cls(spans, low, high), n, kappa, mcc)
            low, high = low[possible], high[possible]
            wide = high - low
            if 2 * len(low) > BOXES or not wide.any():
                return cls(spans, low, high)
            at = np.arange(len(low)), wide.argmax(axis=1)
            middle, left, right = (low[at] + high[at]) // 2, high.copy(), low.copy()
            left[at], right[at] = middle, middle + 1
            low, high = np.concatenate([low, right]), np.concatenate([left, high])

    def metrics(self, recall: Range) -> dict[str, list[Range]]:
        """Both macro F1s, macro precision and weighted F1, with their reported mean recall."""
        sizes = np.array([s.support for s in self.spans], dtype=float)
        ends = []
        for side, bias in ((_first, self.high), (_last, self.low)):
            hits = np.array([side(s.correct) for s in self.spans])
            p, f1 = np.minimum(hits / bias, 1).mean(axis=1), 2 * hits / (bias + sizes)
            r = float(recall.low if side is _first else recall.high)
            weighted = f1 @ sizes / sizes.sum()
            ends.append((f1.mean(axis=1), 2 * p * r / np.maximum(p + r, SLACK), p, weighted))
        names = ("macro_f1", "f1_of_averages", "macro_precision", "weighted_f1")
        return {name: _union(*both) for name, *both in zip(names, *ends, strict=True)}


def _agreeing(boxes: BiasBoxes, n: int, kappa: Range, mcc: Range) -> np.ndarray:
    """Which boxes have a number of hits that gives kappa and MCC, and the classes can have."""
    sizes = np.array([s.support for s in boxes.spans], dtype=float)
    base = float(np.median(sizes))  # as all predictions add up to n, it can be taken off
    parts = (sizes - base) * boxes.low, (sizes - base) * boxes.high
    chance = [base * n + f(*parts).sum(axis=1) for f in (np.minimum, np.maximum)]
    truth = n * n - (sizes**2).sum()
    spread = [np.sqrt(np.maximum(truth * (n * n - (b.astype(float) ** 2).sum(axis=1)), 0))
              for b in (boxes.high, boxes.low)]  # fmt: skip
    hits = total(s.correct for s in boxes.spans)
    least, most = float(hits.low), float(hits.high)
    k, m = ([float(r.low), float(r.high)] for r in (kappa, mcc))
    low = [(chance[0] + k[0] * (n * n - chance[0])) / n]
    high = [(chance[1] + k[1] * (n * n - chance[1])) / n]
    low += [(chance[0] + np.minimum(m[0] * spread[0], m[0] * spread[1])) / n]
    high += [(chance[1] + np.maximum(m[1] * spread[0], m[1] * spread[1])) / n]
    first, last = np.maximum(*low).clip(min=least), np.minimum(*high).clip(max=most)
    return np.asarray(first <= last + SLACK * n)


def _union(low: np.ndarray, high: np.ndarray) -> list[Range]:
    """Ranges that hold all of these, one for each stretch without a hole."""
    order = np.argsort(low)
    low, reach = low[order] - SLACK, np.maximum.accumulate(high[order]) + SLACK
    starts = np.flatnonzero(np.r_[True, low[1:] > reach[:-1]])
    ends = np.r_[starts[1:] - 1, len(low) - 1]
    return [Range(Fraction(low[i]), Fraction(reach[j])).rounded
            for i, j in zip(starts, ends, strict=True)]  # fmt: skip


def _first(r: Range) -> int:
    return ceil(r.low)


def _last(r: Range) -> int:
    return floor(r.high)


# Two classes: the margins of one follow from those of the other

MOST = 20_000
"""Pairs of hits that are tried; where there are more, the spans are left as they are."""


def fit_two_classes(
    classes: Sequence[ClassFacts],
    spans: Sequence[Span],
    hits: Range | None,
    recall: Range | None = None,
) -> tuple[Span, ...] | None:
    """The spans of two classes, narrowed to margins that fit both; ``None`` if none do.

    ``hits`` is how many both have, and ``recall`` their mean recall, where known.
    """
    one, other = sorted((0, 1), key=lambda i: spans[i].correct.width)
    sizes = [s.support for s in spans]
    first, least, most = spans[one].correct, *_whole(spans[other].correct)
    if first.width > MOST:
        return tuple(spans)
    few, many = (0, sum(sizes)) if hits is None else _whole(hits)
    both = 2 * sizes[0] * sizes[1]
    low_mean, high_mean = (0, both) if recall is None else _whole(recall.times(both))
    rows: tuple[dict[int, list[int]], dict[int, list[int]]] = ({}, {})
    steps = 0

    @cache
    def allowed(c: int) -> tuple[int, int]:
        """The first and last bias that the other class may have with so many hits."""
        margins = margin_rows(classes[other], sizes[other], [c], sizes[one])
        return margins[0][1:] if margins else (1, 0)

    for c, low, high in margin_rows(
        classes[one], sizes[one], range(int(first.low), int(first.high) + 1), sizes[other]
    ):
        # What one class is wrongly predicted for is what the other misses.
        missed = sizes[other] + c
        inside = range(max(missed - high, least, few - c), min(missed - low, most, many - c) + 1)
        steps += len(inside)
        if steps > MOST:
            return tuple(spans)
        for d in inside:
            bias, (lowest, highest) = d + sizes[one] - c, allowed(d)
            mean = c * sizes[other] + d * sizes[one]
            if lowest <= bias <= highest and low_mean <= mean <= high_mean:
                rows[one].setdefault(c, []).append(sum(sizes) - bias)
                rows[other].setdefault(d, []).append(bias)
    if not rows[0]:
        return None
    return tuple(
        Span.from_rows(s, tuple((c, min(b), max(b)) for c, b in sorted(part.items())))
        for s, part in zip(sizes, rows, strict=True)
    )


def _whole(r: Range) -> tuple[int, int]:
    """The first and the last whole number of a range."""
    return _first(r), _last(r)


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
    hit_limits = (0, n) if hits is None else _whole(hits)
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
    hit_range = Range(*((0, n) if hits is None else _whole(hits)))
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
    agreeing: Mapping[str, list[Range]] = field(default_factory=dict)
    """Metrics where kappa and MCC bound them."""

    def values(self, part: str, without: Collection[str] = ()) -> list[Range] | None:
        """The classes' precision, recall or F1, if the classes are all there."""
        if not self.facts.has_all_classes:
            return None
        return [getattr(c, part) or UNIT for c in self.classes if c.label not in without]

    def means(self, part: str, without: Collection[str] = ()) -> list[Range] | None:
        """Ranges of a macro average: over all classes, and without those that may be empty."""
        if not self.facts.has_all_classes or len(without) >= len(self.classes):
            return None
        if (part, *without) not in self._means:
            pairs = zip(self.classes, self.may_be_empty, strict=True)
            inside = [(getattr(c, part) or UNIT, e) for c, e in pairs if c.label not in without]
            sure, perhaps = ([v for v, e in inside if e is empty] for empty in (False, True))
            if perhaps and self.facts.assumptions.runs > 1:
                # In the runs that leave such a class out, its own 0/0 does not count.
                ranges = [hull(means(total(sure), len(sure), [UNIT] * len(perhaps)))]
            else:
                ranges = means(total(sure), len(sure), perhaps)
            self._means[(part, *without)] = ranges
        return self._means[(part, *without)]

    @cached_property
    def _means(self) -> dict[tuple[str, ...], list[Range]]:
        return {}

    @cached_property
    def may_be_empty(self) -> list[bool]:
        """Of each class, whether it may be true of no item."""
        return [c.may_be_empty(self.facts.assumptions.runs) for c in self.facts.classes]

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
        hits = [c.times(s) for c, s in zip(self.values("recall") or [], sizes, strict=True)]
        right = self.accuracy.times(sum(sizes))
        if total(hits).low > right.high:
            return ranges
        shares = [Fraction(1, s * len(sizes)) for s in sizes]
        bound = extremes(hits, shares, right).rounded
        return [m for f in ranges if (m := f.meet(bound)) is not None] or ranges

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
        for name, places in self.agreeing.items():
            before = ranges.get(name) or places
            both = [m for a in before for b in places if (m := a.meet(b)) is not None]
            ranges[name] = both or before
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
    """Metrics of the recalls: their harmonic and geometric mean, and calibrated macro F1.

    The geometric mean lies between the other two. With equal classes, β_i = k·bias_i/n adds up to
    k: the mean of 2R_i/(1 + β_i) is at least (Σ√R_i)²/k² by Cauchy–Schwarz and, being convex,
    largest where one class is predicted for all errors of the others, and one other for its own.
    """
    values, arithmetic = known.values("recall"), known.means("recall")
    if values is None or arithmetic is None:
        return {}
    if any(known.may_be_empty):
        return {}

    def harmonic_mean(ends: list[Number]) -> Number:
        return divided(len(ends), sum(divided(1, x) for x in ends)) if min(ends) > 0 else 0

    least, most = harmonic_mean([v.low for v in values]), harmonic_mean([v.high for v in values])
    least = 0 if known.facts.assumptions.runs > 1 else least
    ranges: dict[str, list[Range] | None] = {
        "harmonic_macro_recall": [Range(least, most)],
        "geometric_macro_recall": [Range(least, arithmetic[0].high)],
    }
    if known.facts.assumptions.runs == 1 and not known.facts.assumptions.abstentions:
        ranges["macro_f1@uniform"] = [_calibrated_f1(values)]
    return ranges


def _calibrated_f1(recalls: list[Range]) -> Range:
    """Bounds of the mean of F1 with equal classes."""
    k, top = len(recalls), [r.high for r in recalls]
    roots = sum(root(r.low).low for r in recalls)
    f1 = [divided(2 * r, 1 + r) for r in top]
    errors = k - sum(top)

    def change(i: int, more: Number) -> Number:
        return divided(2 * top[i], 1 + top[i] + more) - f1[i]

    pairs = permutations(range(k), 2)
    most = max(change(i, errors - 1 + top[i]) + change(j, 1 - top[i]) for i, j in pairs)
    return Range(divided(roots * roots, k * k), divided(sum(f1) + most, k))
