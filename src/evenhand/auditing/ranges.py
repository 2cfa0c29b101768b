"""Exact interval arithmetic, and metric values of whole-number margins."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

import numpy as np

from evenhand.core.arrays import Array
from evenhand.core.margins import Counts
from evenhand.core.metrics.agreement import kappa, mcc
from evenhand.core.metrics.macro import (
    f1_of_averages,
    macro_f1,
    macro_precision,
    macro_recall,
    weighted_f1,
    weighted_f1_of_averages,
    weighted_precision,
)

Number = Fraction | int


@dataclass(frozen=True, slots=True)
class Range:
    """A closed interval."""

    low: Number
    high: Number

    def meets(self, other: Range) -> bool:
        """Whether the two have a number in common."""
        return self.low <= other.high and other.low <= self.high

    def meet(self, other: Range) -> Range | None:
        """What the two have in common."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Range(low, high) if low <= high else None

    def holds(self, x: Number) -> bool:
        """Whether ``x`` is inside."""
        return self.low <= x <= self.high

    def __add__(self, other: Range) -> Range:
        return Range(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Range) -> Range:
        return Range(self.low - other.high, self.high - other.low)

    def times(self, factor: Number) -> Range:
        """Every number of it times a factor ≥ 0."""
        return Range(self.low * factor, self.high * factor)

    @property
    def whole(self) -> range:
        """The whole numbers inside."""
        return range(math.ceil(self.low), math.floor(self.high) + 1)

    @property
    def width(self) -> Number:
        """How far apart its ends are."""
        return self.high - self.low

    @property
    def middle(self) -> float:
        """The number halfway between its ends."""
        return float(self.low + self.high) / 2

    @property
    def rounded(self) -> Range:
        """The range rounded outwards to a fine grid, so that fractions stay short."""
        low, high = self.low, self.high
        return between([low.as_integer_ratio()], [high.as_integer_ratio()])


GRID = 10**24
"""Steps of the grid between 0 and 1: far more than any printed digits."""

Ratio = tuple[int, int]
"""A whole number over one above 0."""


def between(low: Iterable[Ratio], high: Iterable[Ratio]) -> Range:
    """From the least of some ratios to the largest of others, rounded outwards to the grid."""
    below, above = min([a * GRID // b for a, b in low]), max([-(-a * GRID // b) for a, b in high])
    return Range(Fraction(below, GRID), Fraction(above, GRID))


UNIT = Range(0, 1)
SIGNED = Range(-1, 1)


def hull(items: Iterable[Range]) -> Range:
    """The smallest range that holds all of them."""
    known = list(items)
    return Range(min(r.low for r in known), max(r.high for r in known))


def common(some: Iterable[Range], others: Sequence[Range]) -> list[Range]:
    """What each of some ranges has in common with each of others."""
    return [both for a in some for b in others if (both := a.meet(b)) is not None]


def total(ranges: Iterable[Range]) -> Range:
    """The sum of numbers that lie in the ranges."""
    known = list(ranges)
    return weighted(known, [1] * len(known))


def weighted(values: Sequence[Range], weights: Sequence[int]) -> Range:
    """The sum of numbers that lie in the ranges, each times a whole weight ≥ 0.

    >>> weighted([Range(0, 1), Range(2, 3)], [10, 1])
    Range(low=2, high=13)
    """
    return Range(_dot([v.low for v in values], weights), _dot([v.high for v in values], weights))


def _dot(numbers: Sequence[Number], weights: Sequence[int]) -> Number:
    """Σ number·weight; on one common grid in whole numbers, many times faster than fractions."""
    ratios = [x.as_integer_ratio() for x in numbers]
    step = max([b for _, b in ratios], default=1)
    step = step if step == 1 else GRID
    if any(step % b for _, b in ratios):
        return sum(x * w for x, w in zip(numbers, weights, strict=True))
    scaled_sum = sum([a * (step // b) * w for (a, b), w in zip(ratios, weights, strict=True)])
    return scaled_sum if step == 1 else Fraction(scaled_sum, step)


def extremes(values: Sequence[Range], weights: Sequence[Number], sums: Range) -> Range:
    """Bounds of the weighted sum of numbers in the ranges whose plain sum is in ``sums``.

    >>> extremes([Range(0, 2), Range(0, 2)], [1, 10], Range(3, 3))
    Range(low=12, high=21)
    """
    base = sum(v.low for v in values)
    rising = sorted(zip(weights, values, strict=True), key=lambda pair: pair[0])

    def filled(pairs: Sequence[tuple[Number, Range]], left: Number) -> Number:
        """The sum if what is left goes to the first pairs as far as they take it."""
        result: Number = 0
        for weight, v in pairs:
            more = min(max(left, 0), v.width)
            result, left = result + weight * (v.low + more), left - more
        return result

    return Range(filled(rising, sums.low - base), filled(rising[::-1], sums.high - base))


def quotient(a: int, b: Number) -> tuple[int, int]:
    """The whole numbers around a/b, for b > 0: rounded down and up."""
    top, bottom = a * b.denominator, b.numerator
    return top // bottom, -(-top // bottom)


def harmonic(a: Range, b: Range) -> Range:
    """2ab/(a+b), which grows with both; 0 where both are 0.

    >>> harmonic(Range(0, 1), Range(Fraction(1, 2), 1))
    Range(low=Fraction(0, 1), high=Fraction(1, 1))
    """
    return Range(_harmonic(a.low, b.low), _harmonic(a.high, b.high)).rounded


def _harmonic(a: Number, b: Number) -> Number:
    if a <= 0 or b <= 0:
        return 0
    (p, q), (r, s) = (a.numerator, a.denominator), (b.numerator, b.denominator)
    return Fraction(2 * p * r, p * s + r * q)


def mean_of_f1(p: Range, r: Range) -> Range:
    """Where a mean of F1 lies, given the means of precision and recall.

    max(0, P̄ + R̄ − 1) ≤ mean F1 ≤ 2·P̄·R̄/(P̄ + R̄): each F1 is at least P + R − 1, and the
    harmonic mean is concave. It holds for every weighting of classes, and for means over runs.
    """
    return Range(max(0, p.low + r.low - 1), harmonic(p, r).high)


def means(base: Range, count: int, perhaps: Sequence[Range]) -> list[Range]:
    """Means of ``count`` values that add up to ``base`` and any choice of those that ``perhaps``
    belong to them: one range a number of values, most first.
    """
    lows = accumulate(sorted(v.low for v in perhaps), initial=base.low)
    highs = accumulate(sorted((v.high for v in perhaps), reverse=True), initial=base.high)
    sums = enumerate(zip(lows, highs, strict=True), count)
    return [Range(Fraction(low, k), Fraction(high, k)) for k, (low, high) in sums if k][::-1]


def root(x: Number) -> Range:
    """Bounds of a square root, 30 decimals apart."""
    scale = 10**30
    below = math.isqrt(int(x * scale * scale))
    return Range(Fraction(below, scale), Fraction(below + 1, scale))


# Metric values of whole-number margins

Margin = tuple[int, int, int]
"""Of a class: correct, bias, support."""
Margins = tuple[Margin, ...]

ROUNDING = 1e-12
"""How far outwards values in floating point are rounded."""

ATTAINED: dict[str, Callable[[Counts], Array]] = {
    "balanced_accuracy": macro_recall,
    **{f.__name__: f for f in (macro_precision, macro_recall, macro_f1, f1_of_averages)},
    **{f.__name__: f for f in (weighted_precision, weighted_f1, weighted_f1_of_averages)},
    "kappa": kappa,
    "mcc": mcc,
}
"""The metrics that margins give."""


@dataclass(frozen=True)
class AttainableTables:
    """Margins of tables that fit a row, and the metrics on them.

    A metric has more than one value where 0/0 occurs (worth 0, 1, or nothing) or a class is true
    of no item (averaged or not), and NaN where nothing is averaged.

    >>> AttainableTables.from_margins([((3, 4, 4), (5, 6, 6))], 10)["macro_recall"]
    array([[0.79166667]])
    """

    counts: Counts

    @classmethod
    def from_margins(cls, margins: Sequence[Margins], n: int) -> AttainableTables:
        """Tables of n items; predictions may be outside the classes."""
        correct, bias, support = np.moveaxis(np.array(margins), -1, 0)
        total = np.full(len(margins), n)
        return cls(Counts(correct, bias, support, total, total - bias.sum(axis=-1)))

    def __getitem__(self, metric: str) -> Array:
        """Its values, tables × conventions."""
        values = [ATTAINED[metric](c) for c in self._conventions]
        return np.stack(values, axis=-1)

    @cached_property
    def _conventions(self) -> list[Counts]:
        """The margins under each convention for classes without items or predictions."""
        true, predicted = self.counts.prevalence > 0, self.counts.bias > 0
        if (true & predicted).all():
            return [self.counts]
        rules = {c.tobytes(): c for c in (np.ones_like(true), true | predicted, true)}.values()
        return [self.counts.averaging(c, x) for c in rules for x in (0.0, 1.0, math.nan)]

    def where(self, fits: Array) -> AttainableTables:
        """Some of the tables."""
        return AttainableTables(self.counts.at(fits))


def meets(reported: Range, values: Array) -> Array:
    """Of each table, whether a reported number can be one of its values."""
    low, high = float(reported.low) - ROUNDING, float(reported.high) + ROUNDING
    return np.asarray(((low <= values) & (values <= high)).any(axis=-1))


def spread(values: Array) -> Range:
    """The range of the values."""
    ends = np.nanmin(values) - ROUNDING, np.nanmax(values) + ROUNDING
    return Range(*map(Fraction, ends)).rounded
