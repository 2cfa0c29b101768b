"""Scale: whether a printed 0.85 is a fraction or a percentage."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from evenhand.auditing.columns import SIGNED_METRICS
from evenhand.auditing.reported import Row, Source

Units = Mapping[str, int]
"""For each header, 100 where its value is a percentage and 1 where it is a fraction."""


class Scales:
    """How the values of one table may be read.

    A value above 1, or with a % sign, is a percentage. A smaller one is a fraction where the
    table has no percentages. Where it has some, the value is ambiguous: the row is tried in
    each way that makes sense, as most columns are first, and is fine if one of them is.
    """

    def __init__(self, source: Source) -> None:
        counted = [h for h, c in source.columns.items() if c.kind == "correct"]
        self._hits = frozenset(counted)
        self._signed = frozenset(h for h, c in source.columns.items() if c.of in SIGNED_METRICS)
        self._large = {
            h
            for row in source.rows
            for h, w in row.scores.items()
            if w.large and h not in self._hits
        }
        others = {h for row in source.rows for h in row.scores} - self._large - self._hits
        self._fractions = len(others) > len(self._large)
        self.finest: dict[tuple[str, int], int] = {}
        for row in source.rows:
            for h, w in row.scores.items():
                key = (h, 100 if h in self._large else 1)
                self.finest[key] = max(self.finest.get(key, 0), w.decimals)

    def readings(self, row: Row) -> list[Units]:
        """The ways to read one row, the most natural first."""
        scores = {h: w for h, w in row.scores.items() if h not in self._hits}
        if not self._large:
            return [dict.fromkeys(row.scores, 1)]
        rules: list[Callable[[str], bool]] = [
            lambda h: True,
            lambda h: h not in self._signed,
            lambda h: False,
        ]
        if self._fractions:
            rules.reverse()
        rules.insert(0, lambda h: h in self._large)
        found: list[Units] = []
        for rule in rules:
            units = {h: 100 if w.large or rule(h) else 1 for h, w in scores.items()}
            units |= {h: 1 for h in self._hits if h in row.scores}
            if units not in found:
                found.append(units)
        return found
