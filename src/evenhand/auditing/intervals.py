"""Intervals: a value against the interval that is printed beside it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from evenhand.auditing.facts import Conflict
from evenhand.auditing.printed import read_number
from evenhand.auditing.ranges import Range
from evenhand.auditing.reported import Row
from evenhand.auditing.scale import Units


def beyond(row: Row, units: Units) -> Iterator[Conflict]:
    """The values that lie outside their own intervals, however all three are rounded."""
    for header, ends in row.ends.items():
        value = row.scores[header]
        low, high = (read_number(end) for end in ends)
        if low is None or high is None or value.large != high.large:
            continue
        printed = value.range(1)
        if printed.high < low.range(1).low or printed.low > high.range(1).high:
            unit = Fraction(units[header])
            why = (
                f"it lies outside the interval printed beside it, {ends[0]} to {ends[1]}, "
                "unless that is of another number"
            )
            yield Conflict(header, Range(low.value / unit, high.value / unit), why)
