"""Exact interval arithmetic, and exact metric values of whole-number margins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import ceil, floor, isqrt

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
    return [Range(divided(low, k), divided(high, k)) for k, (low, high) in sums if k][::-1]


def divided(a: Number, b: Number) -> Fraction:
    """a/b, exact whatever the two are."""
    return Fraction(a.numerator * b.denominator, a.denominator * b.numerator)


def root(x: Number) -> Range:
    """Bounds of a square root, 30 decimals apart."""
    scale = 10**30
    below = isqrt(int(x * scale * scale))
    return Range(Fraction(below, scale), Fraction(below + 1, scale))


# Exact metric values of one set of margins

Margin = tuple[int, int, int]
"""Of a class: correct, bias, support."""
Margins = tuple[Margin, ...]

SCALE = 10**30
"""Values on a solution are kept as whole multiples of 1/SCALE, rounded outwards."""

Bounds = tuple[int, int]

_RATIOS: dict[str, Callable[[int, int, int], tuple[int, int]]] = {
    "precision": lambda c, b, s: (c, b),
    "recall": lambda c, b, s: (c, s),
    "f1": lambda c, b, s: (2 * c, b + s),
}
_MEANS = {
    "macro_precision": ("precision", False),
    "macro_recall": ("recall", False),
    "balanced_accuracy": ("recall", False),
    "macro_f1": ("f1", False),
    "weighted_precision": ("precision", True),
    "weighted_f1": ("f1", True),
}
"""Each mean over classes: of what, and whether weighted by class size."""
_OF_MEANS = {"f1_of_averages": False, "weighted_f1_of_averages": True}
ATTAINED = frozenset({*_MEANS, *_OF_MEANS, "kappa", "mcc"})
"""The metrics that a solution gives."""


@dataclass(frozen=True)
class AttainableValues:
    """The metric values of one set of margins, computed on demand.

    There is more than one only where 0/0 occurs (worth 0, 1, or nothing) or a class is true of
    no item (averaged or not), and none where nothing is averaged.

    >>> value = AttainableValues(((3, 4, 4), (5, 6, 6)), 10)["macro_recall"]
    >>> [float(Fraction(low, SCALE)) for low, _ in value]
    [0.7916666666666666]
    """

    margins: Margins
    n: int

    def __getitem__(self, metric: str) -> list[Bounds]:
        if metric in ("kappa", "mcc"):
            return self.kappa if metric == "kappa" else self.mcc
        if metric in _MEANS:
            values = _means(self.margins, *_MEANS[metric])
        else:
            parts = ("precision", "recall")
            both = (_means(self.margins, part, _OF_MEANS[metric]) for part in parts)
            values = [_harmonic_bounds(p, r) for p, r in zip(*both, strict=True)]
        return [v for v in dict.fromkeys(values) if v is not None]

    @property
    def kappa(self) -> list[Bounds]:
        """Cohen's kappa; where it is 0/0, 0 or 1."""
        top, chance = self._beyond_chance
        if self.n * self.n == chance:
            return [(0, 0), (SCALE, SCALE)]
        low = top * SCALE // (self.n * self.n - chance)
        return [(low, low + 1)]

    @property
    def mcc(self) -> list[Bounds]:
        """Matthews' coefficient, predictions outside the classes being one more; 0/0 as above."""
        n, top = self.n, self._beyond_chance[0]
        outside = n - sum([b for _, b, _ in self.margins])
        truth = n * n - sum([s * s for _, _, s in self.margins])
        guess = n * n - sum([b * b for _, b, _ in self.margins]) - outside * outside
        if not truth * guess:
            return [(0, 0), (SCALE, SCALE)]
        bottom = isqrt(truth * guess * SCALE * SCALE)
        ends = top * SCALE * SCALE // bottom, top * SCALE * SCALE // (bottom + 1)
        return [(min(ends), max(ends) + 1)]

    @property
    def _beyond_chance(self) -> tuple[int, int]:
        """n·hits − Σ bias·support, and the sum."""
        chance = sum([b * s for _, b, s in self.margins])
        return self.n * sum([c for c, _, _ in self.margins]) - chance, chance


@lru_cache(maxsize=16384)
def _means(margins: Margins, part: str, by_size: bool) -> list[Bounds | None]:
    """The mean of a ratio over classes, under each convention of which classes without items or
    predictions are averaged, and what 0/0 is worth; each ratio is rounded down by less than a unit.
    """

    def sums(classes: Margins, zero_division: int | None) -> tuple[int, int]:
        ratios = [(_RATIOS[part](*m), m[2] if by_size else 1) for m in classes]
        known = [(a * SCALE // b if b else zero_division, w) for (a, b), w in ratios]
        weighted = [(v * w, w) for v, w in known if v is not None]
        return sum([v for v, _ in weighted]), sum([w for _, w in weighted])

    base, size = sums(tuple(m for m in margins if m[1] and m[2]), None)
    odd = tuple(m for m in margins if not (m[1] and m[2]))
    seen, true = tuple(m for m in odd if m[1] or m[2]), tuple(m for m in odd if m[2])
    means: list[Bounds | None] = []
    for some in dict.fromkeys((odd, seen, true)):
        for zero_division in (0, SCALE, None) if some else (None,):
            more, classes = sums(some, zero_division)
            mean = (base + more) // (size + classes) if size + classes else None
            means.append(None if mean is None else (mean, mean + 2))
    return means


def _harmonic_bounds(p: Bounds | None, r: Bounds | None) -> Bounds | None:
    if p is None or r is None:
        return None
    low = 2 * p[0] * r[0] // (p[0] + r[0]) if p[0] and r[0] else 0
    return low, 2 * p[1] * r[1] // (p[1] + r[1]) + 1


def scale(reported: Range) -> Bounds:
    """A range in whole multiples of 1/SCALE, rounded outwards."""
    return floor(reported.low * SCALE), ceil(reported.high * SCALE)


def meets(reported: Bounds, values: Sequence[Bounds]) -> bool:
    """Whether a reported number can be one of the values."""
    return any(reported[0] <= v[1] and v[0] <= reported[1] for v in values)


def spread(values: Sequence[Bounds]) -> Range:
    """The range of the values."""
    low, high = min(v[0] for v in values), max(v[1] for v in values)
    return Range(Fraction(low, SCALE), Fraction(high, SCALE))
