"""Pairs: of two classes, where nothing is outside, each has the margins that the other leaves.

What is no hit of one class is predicted as the other, so two numbers of hits c₁, c₂ are the whole
table: bias₁ = c₁ + (s₂ − c₂), bias₂ = c₂ + (s₁ − c₁). One class's scores then say what the other's
are, and the accuracy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import ceil, floor

from evenhand.auditing.facts import ClassFacts
from evenhand.auditing.ranges import Range
from evenhand.auditing.spans import Span, rows_of

MOST = 20_000
"""Pairs of hits that are tried; where there are more, the spans are left as they are."""


def paired(
    classes: Sequence[ClassFacts],
    spans: Sequence[Span],
    hits: Range | None,
    recall: Range | None = None,
) -> tuple[Span, Span] | None:
    """The spans of two classes, each with the margins that the other allows; ``None`` if none.

    ``hits`` is how many both have, and ``recall`` their mean recall, where known.
    """
    first, second = spans
    found = _hits(first, second, hits)
    if found is None:
        return first, second
    sizes = first.support, second.support
    rows: tuple[dict[int, list[int]], dict[int, list[int]]] = ({}, {})

    @cache
    def allowed(i: int, c: int) -> tuple[int, int]:
        """The first and last bias that class i may have with so many hits."""
        made = rows_of(classes[i], sizes[i], c, c, sizes[1 - i])
        return made[0][1:] if made else (1, 0)

    whole = 2 * sizes[0] * sizes[1]
    mean = Range(-1, whole) if recall is None else recall.times(whole)
    for c in found:
        if not mean.holds(c[0] * sizes[1] + c[1] * sizes[0]):
            continue
        bias = (c[0] + sizes[1] - c[1], c[1] + sizes[0] - c[0])
        ends = allowed(0, c[0]), allowed(1, c[1])
        if all(low <= b <= high for b, (low, high) in zip(bias, ends, strict=True)):
            for i in (0, 1):
                rows[i].setdefault(c[i], []).append(bias[i])
    if not rows[0]:
        return None
    one, other = (
        Span.of(s, tuple((c, min(b), max(b)) for c, b in sorted(part.items())))
        for s, part in zip(sizes, rows, strict=True)
    )
    return one, other


def _hits(first: Span, second: Span, hits: Range | None) -> Iterator[tuple[int, int]] | None:
    """Pairs of hits, from the known sum or from a class whose margins are listed."""
    least, most = int(second.correct.low), int(second.correct.high)
    if hits is not None:
        low, high = ceil(hits.low), floor(hits.high)
        if (first.correct.width + 1) * (high - low + 1) <= MOST:
            return (
                (c, d)
                for c in range(int(first.correct.low), int(first.correct.high) + 1)
                for d in range(max(low - c, least), min(high - c, most) + 1)
            )
    for one, other, turned in ((first, second, False), (second, first, True)):
        if one.listed and one.size <= MOST:
            pairs = ((c, other.support - b + c) for c, b in one.pairs())
            inside = ((c, d) for c, d in pairs if other.correct.holds(d))
            return ((d, c) for c, d in inside) if turned else inside
    return None
