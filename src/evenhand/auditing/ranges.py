"""Range: two exact fractions between which a number lies, and the arithmetic of such numbers.

Everything an audit claims rests on these; no binary floating point is involved.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import isqrt

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

    def within(self, other: Range) -> bool:
        """Whether all of it is inside another."""
        return other.low <= self.low and self.high <= other.high

    def __add__(self, other: Range) -> Range:
        return Range(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Range) -> Range:
        return Range(self.low - other.high, self.high - other.low)

    def times(self, factor: Number) -> Range:
        """Every number of it times a factor ≥ 0."""
        return Range(self.low * factor, self.high * factor)

    @property
    def width(self) -> Number:
        """How far apart its ends are."""
        return self.high - self.low

    @property
    def rounded(self) -> Range:
        """The same or a little more, on a grid so fine that nothing is lost and sums stay short."""
        low, high = self.low, self.high
        return between([low.as_integer_ratio()], [high.as_integer_ratio()])

    @property
    def scaled(self) -> tuple[int, int]:
        """Its ends in whole steps of that grid, rounded outwards."""
        low, high = self.low, self.high
        below = low.numerator * GRID // low.denominator
        return below, -(-high.numerator * GRID // high.denominator)


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


def hull(ranges: Iterable[Range]) -> Range:
    """The smallest range that holds all of them."""
    found = list(ranges)
    return Range(min(r.low for r in found), max(r.high for r in found))


def total(ranges: Iterable[Range]) -> Range:
    """The sum of numbers that lie in the ranges."""
    found = list(ranges)
    return weighted(found, [1] * len(found))


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
    found = sum([a * (step // b) * w for (a, b), w in zip(ratios, weights, strict=True)])
    return found if step == 1 else Fraction(found, step)


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
    return [Range(divided(low, k), divided(high, k)) for k, (low, high) in sums if k][::-1]


def divided(a: Number, b: Number) -> Fraction:
    """a/b, exact whatever the two are."""
    return Fraction(a.numerator * b.denominator, a.denominator * b.numerator)


def upwards(a: Number, b: Number) -> int:
    """a/b for b > 0, rounded up to a whole number."""
    return -(-a.numerator * b.denominator // (a.denominator * b.numerator))


def root(x: Number) -> Range:
    """Bounds of a square root, 30 decimals apart."""
    scale = 10**30
    below = isqrt(int(x * scale * scale))
    return Range(Fraction(below, scale), Fraction(below + 1, scale))
