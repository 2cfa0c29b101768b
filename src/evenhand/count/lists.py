"""Columns that hold lists of labels, counted as multi-label data."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from evenhand.count.indicators import count_indicators
from evenhand.tables.labels import kind_of, same_kind
from evenhand.tables.multilabel import MultiLabel


def count_lists(sides: Sequence[Any], *, places: Sequence[str], **beside: Any) -> MultiLabel:
    """The label sets of two Polars columns; ``places`` is what errors call them."""
    rows = [side.to_list() for side in sides]
    kinds = [kind_of(chain.from_iterable(r), place) for r, place in zip(rows, places, strict=True)]
    same_kind(kinds[0], kinds[1], places[0], places[1])
    return count_indicators(*(list(map(set, r)) for r in rows), **beside)
