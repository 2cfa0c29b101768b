"""Columns that hold lists of labels, counted as multi-label data."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

from evenhand.count.exact import exact
from evenhand.errors import InputError
from evenhand.tables.labels import kind_of, same_kind
from evenhand.tables.multilabel import MultiLabel


def count_lists(
    frame: Any,
    true: str,
    pred: str,
    *,
    weights: str | None,
    labels: Iterable[Any] | None,
    places: tuple[str, str],
) -> MultiLabel:
    """The label sets of two columns of a lazy frame; ``places`` is what errors call them."""
    wanted = dict.fromkeys([true, pred, *([weights] if weights else [])])
    found = frame.select(*map(exact, wanted)).collect(engine="streaming")
    sides = [_rows(found[c], place) for c, place in zip((true, pred), places, strict=True)]
    kinds = [
        kind_of(chain.from_iterable(rows), place) for rows, place in zip(sides, places, strict=True)
    ]
    same_kind(kinds[0], kinds[1], *places)
    sets = [list(map(set, rows)) for rows in sides]
    values = found[weights].to_numpy() if weights else None
    return MultiLabel.from_indicators(*sets, labels=labels, weights=values)


def _rows(column: Any, place: str) -> list[list[Any]]:
    if column.dtype.inner.is_nested():
        raise InputError(f"{place} must hold lists of labels, got {column.dtype}")
    rows: list[Any] = column.to_list()
    for i, row in enumerate(rows, 1):
        if row is None or None in row:
            raise InputError(f"{place}, row {i}: expected a list of labels, got {row}")
    return rows
