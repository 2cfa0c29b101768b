"""Solutions: every set of margins that a row allows, and the exact value of a metric on each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    bias = _still(spans[i].bias for i in order)
    correct = _still(spans[i].correct for i in order)
    wanted = (0, n) if hits is None else (ceil(hits.low), floor(hits.high))
    found: list[Margins] = []
    chosen: list[tuple[int, int, int]] = [(0, 0, 0)] * len(spans)
    steps = 0

    def search(at: int, left: int, got: int, worst: int) -> bool:
        nonlocal steps
        if at == len(order):
            if worst <= n - got:  # no class errs more than all classes together
                found.append(tuple(chosen))
            return len(found) <= limit
        span = spans[order[at]]
        # What the remaining classes can still take bounds what this one may.
        few, many = wanted[0] - got - correct[at + 1][1], wanted[1] - got - correct[at + 1][0]
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

    return found if search(0, n, 0, 0) else None


def _still(ranges: Iterable[Range]) -> list[tuple[int, int]]:
    """For each place, the least and the most that it and those after it can add up to."""
    found = [(0, 0)]
    for r in reversed(list(ranges)):
        low, high = found[-1]
        found.append((low + int(r.low), high + int(r.high)))
    return found[::-1]


SCALE = 10**30
"""Values on a solution are kept as whole multiples of 1/SCALE, rounded outwards."""

Values = dict[str, list[tuple[int, int]]]


def attained(margins: Margins, n: int) -> Values:
    """The values of every metric on one solution, under every usual convention.

    More than one only where 0/0 occurs (worth 0, 1, or nothing) or a class is true of no item
    (averaged or not).
    """
    found = _agreement(margins, n)
    regular = [m for m in margins if m[1] and m[2]]
    base = _Averages()
    for one in regular:
        base.add(one, None)
    if len(regular) == len(margins):
        base.into(found)
        return found
    odd = [m for m in margins if not (m[1] and m[2])]
    for part in {tuple(odd), tuple(m for m in odd if m[1] or m[2]), tuple(m for m in odd if m[2])}:
        for worth in (0, SCALE, None) if part else (None,):
            averages = base.copy()
            for one in part:
                averages.add(one, worth)
            averages.into(found)
    return found


Bounds = tuple[int, int]


class _Averages:
    """Running averages of precision, recall and F1 over classes."""

    __slots__ = ("f", "p", "r")

    def __init__(self, p: _Sum | None = None, r: _Sum | None = None, f: _Sum | None = None) -> None:
        self.p, self.r, self.f = p or _Sum(), r or _Sum(), f or _Sum()

    def copy(self) -> _Averages:
        return _Averages(self.p.copy(), self.r.copy(), self.f.copy())

    def add(self, one: tuple[int, int, int], other: int | None) -> None:
        """A class more, 0/0 being worth ``other`` or, if ``None``, left out."""
        c, b, s = one
        self.p.add(_share(c, b) if b else other, s)
        self.r.add(_share(c, s) if s else other, s)
        self.f.add(_share(2 * c, b + s) if b + s else other, s)

    def into(self, found: Values) -> None:
        """Add the averages to the values found."""
        p, r, f = self.p, self.r, self.f
        precision, recall = p.mean, r.mean
        for name, value in (
            ("macro_precision", precision),
            ("macro_recall", recall),
            ("balanced_accuracy", recall),
            ("macro_f1", f.mean),
            ("f1_of_averages", _harmonic(precision, recall)),
            ("weighted_precision", p.weighted),
            ("weighted_f1", f.weighted),
            ("weighted_f1_of_averages", _harmonic(p.weighted, r.weighted)),
        ):
            if value is not None and value not in found.setdefault(name, []):
                found[name].append(value)


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

    def copy(self) -> _Sum:
        other = _Sum()
        other.sum, other.k, other.heavy, other.size = self.sum, self.k, self.heavy, self.size
        return other

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
