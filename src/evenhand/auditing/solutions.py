"""Solutions: every set of margins that a row allows, and the exact value of a metric on each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, isqrt

from evenhand.auditing.ranges import Range
from evenhand.auditing.spans import Span

Margins = tuple[tuple[int, int, int], ...]
"""For each class: correct, bias, support."""


def solutions(
    spans: Sequence[Span], n: int, hits: Range | None, *, abstentions: bool, limit: int
) -> list[Margins] | None:
    """All margins in the spans that add up, or ``None`` if there are more than ``limit``.

    The search also ends, undecided, after 50 steps for each solution that it may list.
    """
    if not all(s.listed for s in spans):
        return None
    order = sorted(range(len(spans)), key=lambda i: spans[i].size)
    least = [0] * (len(spans) + 1)
    most = [0] * (len(spans) + 1)
    for at in range(len(order) - 1, -1, -1):
        bias = spans[order[at]].bias
        least[at], most[at] = least[at + 1] + int(bias.low), most[at + 1] + int(bias.high)
    found: list[Margins] = []
    chosen: list[tuple[int, int, int]] = [(0, 0, 0)] * len(spans)
    steps = 0

    def search(at: int, left: int) -> bool:
        nonlocal steps
        if at == len(order):
            if _real(chosen, n, hits):
                found.append(tuple(chosen))
            return len(found) <= limit
        span = spans[order[at]]
        for c, low, high in span.rows:
            # What the remaining classes can still take bounds what this one may.
            first = low if abstentions else max(low, left - most[at + 1])
            for b in range(first, min(high, left - least[at + 1]) + 1):
                steps += 1
                if steps > 50 * limit:
                    return False
                chosen[order[at]] = (c, b, span.support)
                if not search(at + 1, left - b):
                    return False
        return True

    return found if search(0, n) else None


def _real(margins: Sequence[tuple[int, int, int]], n: int, hits: Range | None) -> bool:
    """Whether a table has these margins: no class errs more than all classes together."""
    correct = sum(c for c, _, _ in margins)
    if hits is not None and not hits.holds(correct):
        return False
    errors = n - correct
    return errors >= 0 and all(s - c + b - c <= errors for c, b, s in margins)


SCALE = 10**30
"""Values on a solution are kept as whole multiples of 1/SCALE, rounded outwards."""

Values = dict[str, list[tuple[int, int]]]


def attained(margins: Margins, n: int) -> Values:
    """The values of every metric on one solution, under every usual convention.

    More than one only where 0/0 occurs (worth 0, 1, or nothing) or a class is true of no item
    (averaged or not).
    """
    found = _agreement(margins, n)
    regular = all(b and s for _, b, s in margins)
    sets = {margins}
    if not regular:
        sets |= {tuple(m for m in margins if m[1] or m[2]), tuple(m for m in margins if m[2])}
    for one in sets:
        for worth in (0,) if regular else (0, 1, None):
            for name, value in _averages(one, worth):
                if value is not None and value not in found.setdefault(name, []):
                    found[name].append(value)
    return found


Bounds = tuple[int, int]


def _averages(margins: Margins, worth: int | None) -> Iterator[tuple[str, Bounds | None]]:
    """The averages over some classes, 0/0 being worth ``worth`` or, if ``None``, left out."""
    other = None if worth is None else worth * SCALE
    p, r, f = _Sum(), _Sum(), _Sum()
    for c, b, s in margins:
        p.add(_share(c, b) if b else other, s)
        r.add(_share(c, s) if s else other, s)
        f.add(_share(2 * c, b + s) if b + s else other, s)
    precision, recall = p.mean, r.mean
    yield "macro_precision", precision
    yield "macro_recall", recall
    yield "balanced_accuracy", recall
    yield "macro_f1", f.mean
    yield "f1_of_averages", _harmonic(precision, recall)
    yield "weighted_precision", p.weighted
    yield "weighted_f1", f.weighted
    yield "weighted_f1_of_averages", _harmonic(p.weighted, r.weighted)


@lru_cache(maxsize=65536)
def _share(a: int, b: int) -> int:
    return a * SCALE // b


class _Sum:
    """A running mean over classes, plain and weighted by class size.

    Each value was rounded down by less than one unit, and so is a mean of them.
    """

    __slots__ = ("heavy", "k", "size", "sum")

    def __init__(self) -> None:
        self.sum = self.k = self.heavy = self.size = 0

    def add(self, value: int | None, weight: int) -> None:
        if value is not None:
            self.sum += value
            self.k += 1
            self.heavy += value * weight
            self.size += weight

    @property
    def mean(self) -> Bounds | None:
        return (self.sum // self.k, self.sum // self.k + 2) if self.k else None

    @property
    def weighted(self) -> Bounds | None:
        low = self.heavy // self.size if self.size else 0
        return (low, low + 2) if self.size else None


def _harmonic(p: Bounds | None, r: Bounds | None) -> Bounds | None:
    if p is None or r is None:
        return None
    low = 2 * p[0] * r[0] // (p[0] + r[0]) if p[0] and r[0] else 0
    return low, 2 * p[1] * r[1] // (p[1] + r[1]) + 1


def _agreement(m: Margins, n: int) -> Values:
    """Kappa and MCC; where they are 0/0, worth 0 or 1."""
    hits, chance = sum(c for c, _, _ in m), sum(b * s for _, b, s in m)
    found: Values = {name: [(0, 0), (SCALE, SCALE)] for name in ("kappa", "mcc")}
    top = n * hits - chance
    if n * n != chance:
        low = top * SCALE // (n * n - chance)
        found["kappa"] = [(low, low + 1)]
    outside = n - sum(b for _, b, _ in m)
    truth = n * n - sum(s * s for _, _, s in m)
    guess = n * n - sum(b * b for _, b, _ in m) - outside * outside
    if truth * guess:
        bottom = isqrt(truth * guess * SCALE * SCALE)
        ends = top * SCALE * SCALE // bottom, top * SCALE * SCALE // (bottom + 1)
        found["mcc"] = [(min(ends), max(ends) + 1)]
    return found


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
