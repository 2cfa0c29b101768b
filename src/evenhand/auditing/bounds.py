"""Bounds that the reported numbers of a row put on each other."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, permutations
from math import ceil, floor

import numpy as np

from evenhand.auditing.facts import Assumptions, ClassFacts, Conflict, Span, TableFacts, margin_rows
from evenhand.auditing.ranges import (
    UNIT,
    Margins,
    Number,
    Range,
    common,
    extremes,
    harmonic,
    hull,
    mean_of_f1,
    means,
    root,
    total,
    weighted,
)

# Numbers of predictions that kappa and MCC leave open

CLASSES = 4
"""Classes up to which they are looked for: of more, kappa and MCC leave nearly everything open."""
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
        low = np.array([[s.bias.whole[0] for s in spans]])
        high = np.array([[s.bias.whole[-1] for s in spans]])
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
        low, high = float(recall.low), float(recall.high)
        for end, r, bias in ((0, low, self.high), (-1, high, self.low)):
            hits = np.array([s.correct.whole[end] for s in self.spans])
            p, f1 = np.minimum(hits / bias, 1).mean(axis=1), 2 * hits / (bias + sizes)
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


# Two classes: the margins of one follow from those of the other

MOST = 10**6
"""Pairs of hits that are tried; where there are more, the spans are left as they are."""


def fit_two_classes(
    classes: Sequence[ClassFacts], spans: Sequence[Span], hits: Range, recall: Range
) -> tuple[Span, ...] | None:
    """The spans of two classes, narrowed to margins that fit both; ``None`` if none do.

    ``hits`` is how many both have, and ``recall`` their mean recall.
    """
    tries = [s.correct.whole for s in spans]
    if len(tries[0]) * len(tries[1]) > MOST:
        return tuple(spans)
    sizes = [s.support for s in spans]
    rows = [
        np.array(margin_rows(one, size, correct, rest), dtype=np.int64).reshape(-1, 3)
        for one, size, correct, rest in zip(classes, sizes, tries, sizes[::-1], strict=True)
    ]
    c, low, high = rows[0].T[..., None]
    d, least, most = rows[1].T
    # What one class is wrongly predicted for is what the other misses.
    bias = np.stack([c + sizes[1] - d, d + sizes[0] - c])
    fits = (low <= bias[0]) & (bias[0] <= high) & (least <= bias[1]) & (bias[1] <= most)
    weighed = c * sizes[1] + d * sizes[0], recall.times(2 * sizes[0] * sizes[1])
    for amount, bounds in ((c + d, hits), weighed):
        fits &= (ceil(bounds.low) <= amount) & (amount <= floor(bounds.high))
    if not fits.any():
        return None
    narrowed = []
    for i, size in enumerate(sizes):
        last, first = np.where(fits, bias[i], -1), np.where(fits, bias[i], sum(sizes) + 1)
        margins = np.stack([rows[i][:, 0], first.min(axis=1 - i), last.max(axis=1 - i)], axis=1)
        known = margins[margins[:, 2] >= 0].tolist()
        narrowed.append(Span.from_rows(size, tuple(map(tuple, known))))
    return tuple(narrowed)


# Enumeration of all margins that fit a row


def solutions(
    spans: Sequence[Span], n: int, hits: Range, *, abstentions: bool, limit: int
) -> list[Margins] | None:
    """All margins in the spans that add up, or ``None`` if there are more than ``limit``.

    The search also ends, undecided, after 50 steps for each solution that it may list.
    """
    if not all(s.listed for s in spans):
        return None
    order = sorted(range(len(spans)), key=lambda i: spans[i].size)
    # Sums over the classes from each on.
    bias, correct = (
        [*accumulate((getattr(spans[i], x) for i in order[::-1]), initial=Range(0, 0))][::-1]
        for x in ("bias", "correct")
    )
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
        few, many = hits.low - got - correct[at + 1].high, hits.high - got - correct[at + 1].low
        least, most = ceil(left - bias[at + 1].high), floor(left - bias[at + 1].low)
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


# Sums over classes

ROUNDS = 4
_EQUAL = ("accuracy", "micro_recall", "weighted_recall")
_EQUAL_INSIDE = ("micro_precision", "micro_f1")


def hit_rate_names(assumptions: Assumptions) -> tuple[str, ...]:
    """The metrics that equal the share of hits under these assumptions."""
    if not assumptions.complete:
        return ("accuracy",)
    return _EQUAL if assumptions.abstentions or assumptions.several else _EQUAL + _EQUAL_INSIDE


def accuracy(facts: TableFacts, n: int | None) -> tuple[Range | None, list[Conflict]]:
    """The share of hits from all metrics that equal it, and conflicts among these.

    Accuracy, micro and weighted recall are one number; so are micro precision and micro F1
    when nothing is outside. With n known it is a whole number of items.
    """
    share = facts.correct.times(Fraction(1, n)) if facts.correct is not None and n else None
    first, conflicts = "correct / n", []
    for name in hit_rate_names(facts.assumptions):
        if name not in facts.metrics:
            continue
        column, reported = facts.header("metric", name), facts.metrics[name]
        both = reported if share is None else share.meet(reported)
        if both is None:
            why = f"it equals {first} when every class is averaged and nothing is outside"
            conflicts.append(Conflict(column, share or UNIT, why))
            continue
        first = name if share is None else first
        attained, near = (both, both) if n is None else facts.assumptions.attain(both, n)
        if attained is None:
            conflicts.append(Conflict(column, near, facts.assumptions.gives_none(n or 0)))
        share = attained or share
    return share, conflicts


def fit_totals(
    spans: Sequence[Span], n: int, hits: Range, abstentions: bool
) -> tuple[Span, ...] | None:
    """The spans narrowed to margins that add up to n and the hits; ``None`` if none do."""
    narrowed = list(spans)
    hit_range = Range(ceil(hits.low), floor(hits.high))
    bias, correct = total(s.bias for s in narrowed), total(s.correct for s in narrowed)
    for _ in range(ROUNDS):
        before = list(narrowed)
        for i in range(len(narrowed)):
            too_few = bias.high < n and not abstentions
            if bias.low > n or too_few or not correct.meets(hit_range):
                return None
            span = narrowed[i]
            most = n - (bias.low - span.bias.low)
            least = 0 if abstentions else n - (bias.high - span.bias.high)
            others = Range(correct.low - span.correct.low, correct.high - span.correct.high)
            errors = n - max(correct.low, hit_range.low)
            inside = span.within(hit_range - others, Range(least, most), errors)
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

    def values(self, part: str) -> list[Range]:
        """The classes' precision, recall or F1; nothing if the classes are not all there."""
        return [getattr(c, part) or UNIT for c in self.classes if self.facts.has_all_classes]

    def means(self, part: str, without: Collection[str] = ()) -> list[Range]:
        """Ranges of a macro average: over all classes, and without those that may be empty."""
        values = zip(self.classes, self.values(part), self.may_be_empty, strict=False)
        inside = [(v, empty) for c, v, empty in values if c.label not in without]
        sure, perhaps = ([v for v, e in inside if e is empty] for empty in (False, True))
        if perhaps and self.facts.assumptions.runs > 1:
            # In the runs that leave such a class out, its own 0/0 does not count.
            return [hull(means(total(sure), len(sure), [UNIT] * len(perhaps)))]
        return means(total(sure), len(sure), perhaps)

    @cached_property
    def may_be_empty(self) -> list[bool]:
        """Of each class, whether it may be true of no item."""
        return [c.may_be_empty(self.facts.assumptions.runs) for c in self.facts.classes]

    def weighted(self, part: str) -> list[Range]:
        """The average weighted by class size."""
        values, sizes = self.values(part), self.facts.supports
        if not values or sizes is None or not sum(sizes):
            return [hull(values)] if values else []
        return [weighted(values, sizes).times(Fraction(1, sum(sizes)))]

    def reported(self, metric: str, predicted: list[Range]) -> list[Range]:
        """A reported metric, narrowed by its prediction; else the prediction."""
        value = self.facts.metrics.get(metric)
        return predicted if value is None else narrow([value], predicted)

    @cached_property
    def averages(self) -> tuple[list[Range], list[Range]]:
        """Macro precision and macro recall, reported or from the classes."""
        p = self.reported("macro_precision", self.means("precision"))
        return p, self.reported("macro_recall", self.recalls)

    @cached_property
    def recalls(self) -> list[Range]:
        """Macro recall from the classes, and from the number of hits where sizes are known."""
        ranges, sizes = self.means("recall"), self.facts.supports
        if not ranges or sizes is None or 0 in sizes or self.accuracy is None:
            return ranges
        hits = [c.times(s) for c, s in zip(self.values("recall"), sizes, strict=True)]
        right = self.accuracy.times(sum(sizes))
        if total(hits).low > right.high:
            return ranges
        shares = [Fraction(1, s * len(sizes)) for s in sizes]
        return narrow(ranges, [extremes(hits, shares, right).rounded])

    @cached_property
    def predicted(self) -> dict[str, list[Range]]:
        """The possible ranges of each metric that the rest of the row bounds."""
        (p, r), f1 = _with_unknown(*self.averages), self.means("f1")
        pw = self.reported("weighted_precision", self.weighted("precision"))
        rw = self.reported("weighted_recall", self.hit_rate)
        if self.accuracy is not None and self.facts.assumptions.complete:
            rw = [self.accuracy]
        pw, rw = _with_unknown(pw, rw)
        ranges = {
            "macro_precision": self.means("precision"),
            "macro_recall": self.recalls,
            "balanced_accuracy": self.means("recall"),
            "macro_f1": narrow(f1, [mean_of_f1(a, b) for a in p for b in r]),
            "f1_of_averages": self.f1_of_averages(p, r, f1),
            "accuracy": self.hit_rate,
            "weighted_precision": self.weighted("precision"),
            "weighted_f1": narrow(self.weighted("f1"), [mean_of_f1(a, b) for a in pw for b in rw]),
            "weighted_f1_of_averages": self.f1_of_averages(pw, rw),
            **_of_recalls(self),
        }
        if ranges["macro_f1"] and ranges["f1_of_averages"]:
            gap = hull(ranges["f1_of_averages"]) - hull(ranges["macro_f1"])
            ranges["f1_gap"] = [Range(max(gap.low, 0), gap.high)]
        for name, places in self.agreeing.items():
            ranges[name] = narrow(ranges.get(name, []), places)
        ranges |= _agreement(self)
        return {name: places for name, places in ranges.items() if places}

    def f1_of_averages(
        self, p: list[Range], r: list[Range], f1: Sequence[Range] = ()
    ) -> list[Range]:
        """2·P̄·R̄/(P̄+R̄); for means of runs it may also have been averaged over them.

        With m the mean of F1, it is at least m, and at most (P̄+R̄)/2 ≤ (1 + m)/2, for
        a class's P + R − 1 is at most its F1.
        """
        combine = harmonic if self.facts.assumptions.runs == 1 else mean_of_f1
        ranges = [combine(a, b) for a in p for b in r]
        return ranges and narrow(ranges, [Range(m.low, Fraction(1 + m.high, 2)) for m in f1])

    @cached_property
    def hit_rate(self) -> list[Range]:
        """Accuracy from the classes: from their hits, or as a mean of recalls and of precisions."""
        rate, assumptions = self.weighted("recall"), self.facts.assumptions
        if rate and assumptions.runs == 1 and not assumptions.several:
            within = hull(self.values("precision"))  # else weights of precisions change
            rate = narrow(rate, [Range(0 if assumptions.abstentions else within.low, within.high)])
        if rate and self.spans is not None and self.n:
            hits = total(s.correct for s in self.spans)
            rate = narrow(rate, [hits.times(Fraction(1, self.n))])
        return rate


def narrow(ranges: list[Range], bounds: list[Range]) -> list[Range]:
    """What ranges have in common with bounds; either alone where the other is empty, and the
    ranges where they have nothing in common.
    """
    return common(ranges, bounds) or ranges or bounds


def _with_unknown(p: list[Range], r: list[Range]) -> tuple[list[Range], list[Range]]:
    """Precision and recall: where one is known, the other lies between 0 and 1 at least."""
    return (p or [UNIT], r or [UNIT]) if p or r else (p, r)


def _agreement(known: KnownRates) -> dict[str, list[Range]]:
    """Bounds of kappa and MCC from the margins; accuracy alone bounds kappa from above."""
    ranges: dict[str, list[Range]] = {}
    share, spans, n = known.accuracy, known.spans, known.n
    if share is not None:
        ranges["kappa"] = [Range(-1, max(share.high, 0))]
    assumptions = known.facts.assumptions
    if spans is None or not n or assumptions.runs > 1:
        return ranges
    hits = total(s.correct for s in spans)
    hits = hits if share is None else hits.meet(share.times(n)) or hits
    predictions = Range(0 if assumptions.abstentions else n, n)
    chance = extremes([s.bias for s in spans], [s.support for s in spans], predictions)
    top = hits.times(n) - chance
    if n * n > chance.high:
        low = Fraction(n * hits.low - chance.high) / (n * n - chance.high)
        high = Fraction(n * hits.high - chance.low) / (n * n - chance.low)
        ranges["kappa"] = [Range(max(low, Fraction(-1)), high)]
    truth = n * n - sum(s.support**2 for s in spans)
    # Predictions outside the classes are one more category.
    outside = max(n - sum(s.bias.low for s in spans), 0)
    least = sum(s.bias.low**2 for s in spans)
    most = min(n * n, sum(s.bias.high**2 for s in spans) + outside**2)
    if truth > 0 and n * n > most:
        below = root(truth * (n * n - most)).low, root(truth * (n * n - least)).high
        bounds = [Fraction(t, b) for t in (top.low, top.high) for b in below]
        ranges["mcc"] = [Range(max(min(bounds), Fraction(-1)), min(max(bounds), Fraction(1)))]
    return ranges


def _of_recalls(known: KnownRates) -> dict[str, list[Range]]:
    """Metrics of the recalls: their harmonic and geometric mean, and calibrated macro F1.

    The geometric mean lies between the other two. With equal classes, β_i = k·bias_i/n adds up to
    k: the mean of 2R_i/(1 + β_i) is at least (Σ√R_i)²/k² by Cauchy–Schwarz and, being convex,
    largest where one class is predicted for all errors of the others, and one other for its own.
    """
    recalls, assumptions = known.values("recall"), known.facts.assumptions
    if not recalls or any(known.may_be_empty):
        return {}

    def harmonic_mean(ends: list[Number]) -> Number:
        return Fraction(len(ends), sum(Fraction(1, x) for x in ends)) if min(ends) > 0 else 0

    k, top = len(recalls), [r.high for r in recalls]
    least = harmonic_mean([r.low for r in recalls]) if assumptions.runs == 1 else 0
    ranges = {
        "harmonic_macro_recall": [Range(least, harmonic_mean(top))],
        "geometric_macro_recall": [Range(least, known.means("recall")[0].high)],
    }
    if assumptions.runs > 1 or assumptions.abstentions or CALIBRATED not in known.facts.metrics:
        return ranges
    roots = sum(root(r.low).low for r in recalls)
    f1 = [Fraction(2 * r, 1 + r) for r in top]
    errors = k - sum(top)

    def change(i: int, more: Number) -> Number:
        return Fraction(2 * top[i], 1 + top[i] + more) - f1[i]

    pairs = permutations(range(k), 2)
    most = max(change(i, errors - 1 + top[i]) + change(j, 1 - top[i]) for i, j in pairs)
    ranges[CALIBRATED] = [Range(Fraction(roots * roots, k * k), Fraction(sum(f1) + most, k))]
    return ranges


CALIBRATED = "macro_f1@uniform"
