"""Attained: the exact values of the metrics on one solution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil, floor, isqrt

from evenhand.auditing.ranges import Range

Margin = tuple[int, int, int]
"""Of a class: correct, bias, support."""
Margins = tuple[Margin, ...]

SCALE = 10**30
"""Values on a solution are kept as whole multiples of 1/SCALE, rounded outwards."""

Bounds = tuple[int, int]
Mean = tuple[Bounds | None, Bounds | None]
"""A mean over classes, plain and weighted by class size; none over nothing."""

_MEANS = {
    "macro_precision": ("precision", 0),
    "macro_recall": ("recall", 0),
    "balanced_accuracy": ("recall", 0),
    "macro_f1": ("f1", 0),
    "weighted_precision": ("precision", 1),
    "weighted_f1": ("f1", 1),
}
_OF_MEANS = {"f1_of_averages": 0, "weighted_f1_of_averages": 1}
ATTAINED = frozenset({*_MEANS, *_OF_MEANS, "kappa", "mcc"})
"""The metrics that a solution gives."""


@dataclass(frozen=True)
class Attained:
    """One solution; the values of a metric on it are worked out where somebody asks.

    There is more than one only where 0/0 occurs (worth 0, 1, or nothing) or a class is true of
    no item (averaged or not), and none where nothing is averaged.

    >>> value = Attained(((3, 4, 4), (5, 6, 6)), 10)["macro_recall"]
    >>> [float(Fraction(low, SCALE)) for low, _ in value]
    [0.7916666666666666]
    """

    margins: Margins
    n: int

    def __getitem__(self, metric: str) -> list[Bounds]:
        found: Sequence[Bounds | None]
        if metric in _MEANS:
            part, form = _MEANS[metric]
            found = [mean[form] for mean in getattr(self, part)]
        elif metric in _OF_MEANS:
            form = _OF_MEANS[metric]
            pairs = zip(self.precision, self.recall, strict=True)
            found = [_harmonic(p[form], r[form]) for p, r in pairs]
        else:
            found = self.kappa if metric == "kappa" else self.mcc
        return [v for v in dict.fromkeys(found) if v is not None]

    @cached_property
    def precision(self) -> list[Mean]:
        """Mean precision, under each convention."""
        return self._means(lambda c, b, s: (c, b))

    @cached_property
    def recall(self) -> list[Mean]:
        """Mean recall, under each convention."""
        return self._means(lambda c, b, s: (c, s))

    @cached_property
    def f1(self) -> list[Mean]:
        """Mean F1, under each convention."""
        return self._means(lambda c, b, s: (2 * c, b + s))

    @cached_property
    def _conventions(self) -> list[tuple[Margins, int | None]]:
        """Which classes without items or predictions are averaged, and what 0/0 is worth."""
        odd = tuple(m for m in self.margins if not (m[1] and m[2]))
        seen, true = tuple(m for m in odd if m[1] or m[2]), tuple(m for m in odd if m[2])
        return [
            (some, worth)
            for some in dict.fromkeys((odd, seen, true))
            for worth in ((0, SCALE, None) if some else (None,))
        ]

    def _means(self, ratio: Callable[[int, int, int], tuple[int, int]]) -> list[Mean]:
        """The mean of a ratio over classes; each value is rounded down, by less than a unit."""
        plain = heavy = weight = count = 0
        for m in self.margins:
            if m[1] and m[2]:
                value = _share(*ratio(*m))
                plain, heavy = plain + value, heavy + value * m[2]
                weight, count = weight + m[2], count + 1
        found = []
        for some, worth in self._conventions:
            ratios = [(ratio(*m), m[2]) for m in some]
            odd = [(_share(*r) if r[1] else worth, s) for r, s in ratios]
            kept = [(v, s) for v, s in odd if v is not None]
            number, size = count + len(kept), weight + sum([s for _, s in kept])
            mean = (plain + sum([v for v, _ in kept])) // number if number else None
            by_size = (heavy + sum([v * s for v, s in kept])) // size if size else None
            found.append((_outwards(mean), _outwards(by_size)))
        return found

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


@lru_cache(maxsize=65536)
def _share(a: int, b: int) -> int:
    return a * SCALE // b


def _outwards(value: int | None) -> Bounds | None:
    return None if value is None else (value, value + 2)


def _harmonic(p: Bounds | None, r: Bounds | None) -> Bounds | None:
    if p is None or r is None:
        return None
    low = 2 * p[0] * r[0] // (p[0] + r[0]) if p[0] and r[0] else 0
    return low, 2 * p[1] * r[1] // (p[1] + r[1]) + 1


def scale(reported: Range) -> Bounds:
    """A range as values on solutions are kept."""
    return floor(reported.low * SCALE), ceil(reported.high * SCALE)


def meets(reported: Bounds, values: Sequence[Bounds]) -> bool:
    """Whether a reported number can be one of the values."""
    return any(reported[0] <= v[1] and v[0] <= reported[1] for v in values)


def spread(values: Sequence[Bounds]) -> Range:
    """The range of the values."""
    low, high = min(v[0] for v in values), max(v[1] for v in values)
    return Range(Fraction(low, SCALE), Fraction(high, SCALE))
