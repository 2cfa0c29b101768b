"""Solutions: every set of margins that a row allows, and the exact value of a metric on each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from evenhand.auditing.classes import Span
from evenhand.auditing.ranges import Number, Range, root

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


def attained(metric: str, margins: Margins, n: int) -> list[Range]:
    """The exact values of a metric on one solution, under every usual convention.

    More than one only where 0/0 occurs (worth 0, 1, or nothing) or a class is true of no item
    (averaged or not).
    """
    if metric in _AVERAGED:
        return [Range(x, x) for x in _conventions(_AVERAGED[metric], margins)]
    return _OF_THE_TABLE[metric](margins, n) if metric in _OF_THE_TABLE else []


def _ratio(top: int, bottom: int, worth: int | None) -> Number | None:
    return Fraction(top, bottom) if bottom else worth


def _mean(values: Sequence[Number | None]) -> Number | None:
    known = [v for v in values if v is not None]
    return Fraction(sum(known)) / len(known) if known else None


def _conventions(
    average: Callable[[Margins, int | None], Number | None], margins: Margins
) -> Iterator[Number]:
    regular = all(b and s for _, b, s in margins)
    sets = [margins]
    if not regular:
        sets += [tuple(m for m in margins if m[1] or m[2]), tuple(m for m in margins if m[2])]
    seen = set()
    for one in sets:
        for worth in (0,) if regular else (0, 1, None):
            value = average(one, worth) if one else None
            if value is not None and value not in seen:
                seen.add(value)
                yield value


def _precision(m: Margins, worth: int | None) -> Number | None:
    return _mean([_ratio(c, b, worth) for c, b, _ in m])


def _recall(m: Margins, worth: int | None) -> Number | None:
    return _mean([_ratio(c, s, worth) for c, _, s in m])


def _f1(m: Margins, worth: int | None) -> Number | None:
    return _mean([_ratio(2 * c, b + s, worth) for c, b, s in m])


def _harmonic(p: Number | None, r: Number | None) -> Number | None:
    if p is None or r is None:
        return None
    return Fraction(2 * p * r) / (p + r) if p + r else 0


def _weighted(m: Margins, part: Callable[[int, int, int], Number | None]) -> Number | None:
    values = [(part(c, b, s), s) for c, b, s in m]
    size = sum(s for v, s in values if v is not None)
    return sum(v * s for v, s in values if v is not None) / Fraction(size) if size else None


def _weighted_precision(m: Margins, worth: int | None) -> Number | None:
    return _weighted(m, lambda c, b, s: _ratio(c, b, worth))


_AVERAGED: dict[str, Callable[[Margins, int | None], Number | None]] = {
    "macro_precision": _precision,
    "macro_recall": _recall,
    "balanced_accuracy": _recall,
    "mean_of_f1": _f1,
    "f1_of_averages": lambda m, w: _harmonic(_precision(m, w), _recall(m, w)),
    "weighted_precision": _weighted_precision,
    "weighted_f1": lambda m, w: _weighted(m, lambda c, b, s: _ratio(2 * c, b + s, w)),
    "weighted_f1_of_averages": lambda m, w: _harmonic(
        _weighted_precision(m, w), _weighted(m, lambda c, b, s: _ratio(c, s, w))
    ),
}


def _kappa(m: Margins, n: int) -> list[Range]:
    hits, chance = sum(c for c, _, _ in m), sum(b * s for _, b, s in m)
    if n * n == chance:
        return [Range(0, 0), Range(1, 1)]
    value = Fraction(n * hits - chance, n * n - chance)
    return [Range(value, value)]


def _mcc(m: Margins, n: int) -> list[Range]:
    hits, chance = sum(c for c, _, _ in m), sum(b * s for _, b, s in m)
    outside = n - sum(b for _, b, _ in m)
    truth = n * n - sum(s * s for _, _, s in m)
    guess = n * n - sum(b * b for _, b, _ in m) - outside * outside
    if truth * guess == 0:
        return [Range(0, 0), Range(1, 1)]
    bottom, top = root(truth * guess), n * hits - chance
    ends = (Fraction(top) / bottom.low, Fraction(top) / bottom.high)
    return [Range(min(ends), max(ends))]


_OF_THE_TABLE = {"kappa": _kappa, "mcc": _mcc}
