"""Solutions: every set of margins that a row allows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor

from evenhand.auditing.attained import Margins
from evenhand.auditing.ranges import Range
from evenhand.auditing.spans import Span


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
