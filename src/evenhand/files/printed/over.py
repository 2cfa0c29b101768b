"""Over: which columns a heading stands over, in text whose columns are kept apart by spaces."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from evenhand.files.printed.lines import Piece

WIDEST = 12
"""Columns under one heading."""
NEAR = 4
"""Places by which the middle of a heading may miss that of its columns."""


def over(
    labels: Sequence[Piece], columns: Sequence[Piece], below: Sequence[str]
) -> tuple[str, ...]:
    """Headings over several columns: over those whose middle is theirs, or whose start is.

    No two columns under one heading have the same name; as many columns as possible have one. No
    column has any where it cannot be told.
    """
    taken = (
        _repeated(labels, columns, below)
        or _and_last(labels, columns, below)
        or _ranges(labels, columns, below, "middle")
        or _ranges(labels, columns, below, "start")
    )
    texts = [""] * len(columns)
    for label, (a, b) in zip(labels, taken, strict=False):
        texts[a:b] = [label.text] * (b - a)
    return tuple(texts)


def _repeated(
    labels: Sequence[Piece], columns: Sequence[Piece], below: Sequence[str]
) -> list[tuple[int, int]]:
    """Columns whose names repeat once for each heading, each heading somewhere over its own."""
    for size in range(min(len(below) // len(labels), WIDEST), 1, -1):
        for start in range(len(below) - size * len(labels) + 1):
            found = [(start + i * size, start + (i + 1) * size) for i in range(len(labels))]
            alike = {tuple(below[a:b]) for a, b in found}
            if len(alike) == 1 < len(labels) and len(set(alike.pop())) == size:
                pairs = zip(labels, found, strict=True)
                if all(columns[a].start <= p.middle <= columns[b - 1].end for p, (a, b) in pairs):
                    return found
    return []


def _and_last(
    labels: Sequence[Piece], columns: Sequence[Piece], below: Sequence[str]
) -> list[tuple[int, int]]:
    """Columns whose names repeat for each heading but the last, which has one column more."""
    found = _repeated(labels[:-1], columns, below) if len(labels) > 2 else []
    if not found or found[-1][1] != len(columns) - 1:
        return []
    last, label = columns[-1], labels[-1]
    return (
        [*found, (len(columns) - 1, len(columns))]
        if abs(last.middle - label.middle) <= NEAR
        else []
    )


def _ranges(
    labels: Sequence[Piece], columns: Sequence[Piece], below: Sequence[str], by: str
) -> list[tuple[int, int]]:
    """The columns of each heading, from the first to that after the last; none if they miss."""
    ends = [c.end for c in columns]
    best: dict[int, tuple[float, list[tuple[int, int]]]] = {0: (0.0, [])}
    for label in labels:
        after: dict[int, tuple[float, list[tuple[int, int]]]] = {}
        first = max(bisect_left(ends, label.start - NEAR) - WIDEST, 0)
        for a in range(first, len(columns)):
            if columns[a].start > label.middle + NEAR:
                break
            before = max((v for k, v in best.items() if k <= a), default=None)
            # Names of rows stand alone, and have one heading.
            last = min(a + WIDEST, len(columns)) if a else int(not below[0])
            for b in range(a + 1, last + 1):
                under = Piece("", columns[a].start, columns[b - 1].end)
                off = abs(getattr(under, by) - getattr(label, by))
                if before is None or off > NEAR or len(set(below[a:b])) < b - a:
                    continue
                total = before[0] + (b - a) - off
                if b not in after or total > after[b][0]:
                    after[b] = total, [*before[1], (a, b)]
        best = after
    return max(best.values(), default=(0.0, []))[1]
