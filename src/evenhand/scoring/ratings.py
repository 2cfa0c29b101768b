"""Ratings: what annotators gave, in any layout, as how often each label was given to each item."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from evenhand.errors import InputError, Option, shown
from evenhand.infer.design import Floats
from evenhand.tables.labels import Label, is_null, ordered

MOST = 400
"""Labels that ratings may have: pairs of them are held for every item."""


def columns_of(
    ratings: Any, item: str | None, annotator: str | None, label: str | None
) -> list[list[Any]]:
    """Ratings of each annotator, item by item."""
    named = {"item": item, "annotator": annotator, "label": label}
    lacking = [name for name, column in named.items() if column is None]
    if len(lacking) not in (0, 3):
        raise InputError(
            f"a row a rating needs the columns {shown(named)}, lacks ", Option(lacking[0])
        )
    if hasattr(ratings, "columns") or hasattr(ratings, "__dataframe__"):
        import narwhals as nw

        frame = nw.from_native(ratings)
        if isinstance(frame, nw.LazyFrame):
            frame = frame.collect()
        ratings = {str(c): frame[c].to_list() for c in frame.columns}
    if not lacking:
        return _long(ratings, named)
    rows = list(ratings.values()) if isinstance(ratings, Mapping) else list(ratings)
    try:
        found = [list(row) for row in rows if not isinstance(row, str)]
    except TypeError:
        found = []
    if len(found) != len(rows) or len(found) < 2:
        raise InputError("ratings must be lists of at least two annotators, a rating an item each")
    return found


def _long(ratings: Any, named: Mapping[str, str | None]) -> list[list[Any]]:
    """A row a rating brought into a column an annotator; nobody may rate an item twice."""
    try:
        items, people, values = (list(ratings[name]) for name in named.values())
    except (KeyError, TypeError) as e:
        raise InputError(f"ratings must have the columns {shown(named.values())}: {e}") from None
    rows, columns = ({v: i for i, v in enumerate(dict.fromkeys(x))} for x in (items, people))
    found: list[list[Any]] = [[None] * len(rows) for _ in columns]
    for i, who, value in zip(items, people, values, strict=True):
        if is_null(i) or is_null(who):
            raise InputError("every rating must name its item and its annotator, got an empty one")
        if found[columns[who]][rows[i]] is not None:
            raise InputError(f"{who!r} has rated the item {i!r} more than once")
        found[columns[who]][rows[i]] = value
    return found


def counts_of(given: list[list[Any]], labels: tuple[Label, ...]) -> Floats:
    """How often each label was given to each item."""
    if len(labels) > MOST:
        raise InputError(f"ratings must have at most {MOST} different labels, got {len(labels)}")
    at = {v: i for i, v in enumerate(labels)}
    strange = {v for column in given for v in column if v is not None and v not in at}
    if strange:
        raise InputError(f"ratings must be among {shown(labels)}, got {shown(ordered(strange))}")
    found = np.zeros((len(given[0]), len(labels)))
    for column in given:
        for i, v in enumerate(column):
            if v is not None:
                found[i, at[v]] += 1
    return found
