"""Predict: the range of each metric, given the rest of its row."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from evenhand.auditing.agreement import agreement
from evenhand.auditing.columns import PER_CLASS
from evenhand.auditing.facts import ClassFacts, Facts
from evenhand.auditing.ranges import (
    GRID,
    UNIT,
    Number,
    Range,
    divided,
    harmonic,
    hull,
    mean_of_f1,
    means,
    total,
    weighted,
)
from evenhand.auditing.spans import Span


@dataclass(frozen=True)
class Known:
    """What has been worked out about a row: narrowed classes, their margins, n, the hit rate."""

    facts: Facts
    classes: tuple[ClassFacts, ...]
    spans: tuple[Span, ...] | None
    n: int | None
    accuracy: Range | None

    def values(self, part: str, without: Collection[str] = ()) -> list[Range] | None:
        """The classes' precision, recall or F1, if the classes are all there."""
        if not self.facts.whole:
            return None
        return [getattr(c, part) or UNIT for c in self.classes if c.label not in without]

    def means(self, part: str, without: Collection[str] = ()) -> list[Range] | None:
        """Macro averages: over all classes, and without those that may be true of nothing."""
        return self._means(part, without) if without else self._over_all[part]

    @cached_property
    def _over_all(self) -> dict[str, list[Range] | None]:
        return {part: self._means(part, ()) for part in PER_CLASS}

    def _means(self, part: str, without: Collection[str]) -> list[Range] | None:
        if not self.facts.whole or len(without) >= len(self.classes):
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

    def near(self, part: str) -> list[tuple[float, float]]:
        """For each class, rough bounds of the mean over all others: cheap, and never too narrow."""
        values, every = self.values(part) or [], self.means(part) or []
        most = len(values)
        sums = (
            [
                (m, float(r.low) * m, float(r.high) * m)
                for m, r in zip(range(most, 0, -1), every, strict=False)
            ]
            if self.facts.assumptions.runs == 1
            else []
        )
        low = min((float(r.low) for r in every), default=0.0)
        high = max((float(r.high) for r in every), default=1.0)
        found = []
        for v, empty in zip(values, self.may_be_empty, strict=True):
            own = float(v.low), float(v.high)
            left = [(a - own[1]) / (m - 1) for m, a, _ in sums if m > 1]
            right = [(b - own[0]) / (m - 1) for m, _, b in sums if m > 1]
            ends = (min(left), max(right)) if left else (0.0, 1.0)
            found.append((min(ends[0], low), max(ends[1], high)) if empty else ends)
        return found

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
        """A reported metric, as narrow as its prediction makes it; else the prediction."""
        given = self.facts.metrics.get(metric)
        if given is None:
            return predicted
        both = [m for p in predicted or [] if (m := given.meet(p)) is not None]
        return both or [given]

    @cached_property
    def averages(self) -> tuple[list[Range] | None, list[Range] | None]:
        """Macro precision and macro recall, reported or from the classes."""
        p = self.reported("macro_precision", self.means("precision"))
        r = self.reported("macro_recall", self.recalls)
        return p, r

    @cached_property
    def recalls(self) -> list[Range] | None:
        """Macro recall from the classes, and from the number of hits where sizes are known."""
        found, sizes = self.means("recall"), self.facts.supports
        if found is None or sizes is None or 0 in sizes or self.accuracy is None:
            return found
        values = self.values("recall") or []
        bound = _spread(values, sizes, self.accuracy.times(sum(sizes)))
        return [m for f in found if bound and (m := f.meet(bound)) is not None] or found

    @cached_property
    def predicted(self) -> dict[str, list[Range]]:
        """For each metric that the rest of the row says something about, where it can lie."""
        return _predicted(self)

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
        made = [combine(a, b) for a in p for b in r]
        if f1 is None:
            return made
        bounds = [Range(m.low, divided(1 + m.high, 2)) for m in f1]
        return [m for a in made for b in bounds if (m := a.meet(b)) is not None] or made

    def macro_f1(self) -> list[Range] | None:
        """The mean of F1, from the classes and between P̄ + R̄ − 1 and 2·P̄·R̄/(P̄+R̄)."""
        made = self.means("f1")
        p, r = self.averages
        if not p or not r:
            return made
        bounds = [mean_of_f1(a, b) for a in p for b in r]
        if made is None:
            return bounds
        return [m for a in made for b in bounds if (m := a.meet(b)) is not None] or made


def _spread(recalls: Sequence[Range], sizes: Sequence[int], hits: Range) -> Range | None:
    """Mean recall when so many hits are spread over classes of these sizes.

    Hits are worth most in small classes: filling these first gives the most, the large ones
    first the least.
    """
    ends, wanted = [r.scaled for r in recalls], hits.scaled
    sure = sum(low for low, _ in ends)
    base = sum(low * s for (low, _), s in zip(ends, sizes, strict=True))
    if base > wanted[1]:
        return None
    order = sorted(range(len(sizes)), key=lambda i: sizes[i])

    def filled(which: Sequence[int], left: int) -> tuple[int, int]:
        """What the hits left are worth, in whole steps rounded down, and how many classes took."""
        gain = taken = 0
        for i in which:
            if left <= 0:
                break
            low, high = ends[i]
            take = min(left, (high - low) * sizes[i])
            gain, left, taken = gain + take // sizes[i], left - take, taken + 1
        return gain, taken

    least, _ = filled(order[::-1], wanted[0] - base)
    most, rounded = filled(order, wanted[1] - base)
    every = GRID * len(sizes)
    return Range(Fraction(sure + least, every), Fraction(sure + most + rounded, every))


def _predicted(known: Known) -> dict[str, list[Range]]:
    p, r = known.averages
    found: dict[str, list[Range] | None] = {
        "macro_precision": known.means("precision"),
        "macro_recall": known.recalls,
        "balanced_accuracy": known.means("recall"),
        "macro_f1": known.macro_f1(),
        "f1_of_averages": known.f1_of_averages(p, r, known.means("f1")),
    }
    for part in ("precision", "f1"):
        one = known.weighted(part)
        found[f"weighted_{part}"] = None if one is None else [one]
    found["accuracy"] = hit_rate(known)
    pw = known.reported("weighted_precision", found["weighted_precision"])
    rw = None if known.accuracy is None else [known.accuracy]
    rw = rw or known.reported("weighted_recall", found["accuracy"])
    found["weighted_f1_of_averages"] = known.f1_of_averages(pw, rw)
    if "weighted_precision" in known.facts.metrics and rw:
        bound = mean_of_f1(known.facts.metrics["weighted_precision"], hull(rw))
        made = found["weighted_f1"]
        found["weighted_f1"] = [bound] if made is None else [made[0].meet(bound) or made[0]]
    found |= _generalised(known)
    if found["macro_f1"] and found["f1_of_averages"]:
        gap = hull(found["f1_of_averages"]) - hull(found["macro_f1"])
        found["f1_gap"] = [Range(max(gap.low, 0), gap.high)]
    found |= {name: [one] for name, one in _agreement(known).items()}
    return {name: ranges for name, ranges in found.items() if ranges}


def _agreement(known: Known) -> dict[str, Range]:
    """Kappa and MCC from the margins; from accuracy alone, only that kappa is no larger."""
    found: dict[str, Range] = {}
    if known.accuracy is not None:
        found["kappa"] = Range(-1, max(known.accuracy.high, 0))
    told = known.facts.assumptions
    if known.spans is not None and known.n and told.runs == 1:
        found |= agreement(known.spans, known.n, known.accuracy, told.abstentions)
    return found


def hit_rate(known: Known) -> list[Range] | None:
    """Accuracy from the classes: from their hits, or as a mean of recalls and of precisions."""
    weighted = known.weighted("recall")
    if weighted is None:
        return None
    found = weighted
    told = known.facts.assumptions
    if told.runs == 1 and not told.several:  # the weights of precisions change from run to run
        within = hull(known.values("precision") or [UNIT])
        if told.abstentions:
            within = Range(0, within.high)
        found = weighted.meet(within) or weighted
    if known.spans is not None and known.n:
        hits = total(s.correct for s in known.spans)
        found = found.meet(hits.times(Fraction(1, known.n))) or found
    return [found]


def _generalised(known: Known) -> dict[str, list[Range] | None]:
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
