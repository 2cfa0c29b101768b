"""Columns that hold lists of labels, counted as multi-label data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from evenhand.count.engines import collected, named_column, without_star
from evenhand.count.indicators import count_indicators
from evenhand.tables.labels import kind_of, same_kind
from evenhand.tables.multilabel import MultiLabel


def count_lists(sides: Sequence[Any], *, places: Sequence[str], **beside: Any) -> MultiLabel:
    """The label sets of two Polars columns; ``places`` is what errors call them."""
    rows = [side.to_list() for side in sides]
    kinds = [kind_of(chain.from_iterable(r), place) for r, place in zip(rows, places, strict=True)]
    same_kind(kinds[0], kinds[1], places[0], places[1])
    return count_indicators(*(list(map(set, r)) for r in rows), **beside)


def holds_lists(values: Iterable[Any]) -> bool:
    """Whether some value is a list or set of labels."""
    return any(isinstance(v, set | frozenset | list | tuple | np.ndarray) for v in values)


def is_of_lists(column: Any) -> bool:
    """Whether a column of any library holds lists, by its type or, where that is any, by value."""
    kind = str(column.dtype).lower()
    return kind.startswith(("list", "array")) or (kind == "object" and holds_lists(column))


def list_columns(frame: Any, names: Sequence[str | None]) -> list[list[Any]] | None:
    """The values of columns of a frame, if all of them hold lists."""
    import narwhals as nw

    whole = nw.from_native(frame, pass_through=True)
    schema = whole.collect_schema() if hasattr(whole, "collect_schema") else {}
    kinds = [str(schema.get(name)).lower() for name in names]
    if not all(kind.startswith(("list", "array", "object")) for kind in kinds):
        return None
    found = column_values(frame, names)
    sides = [found[name] for name in names]
    return sides if all(map(holds_lists, sides)) else None


def column_values(frame: Any, names: Sequence[Any]) -> dict[Any, list[Any]]:
    """The values of some columns of a frame."""
    import narwhals as nw

    if not names:
        return {}
    whole: Any = without_star(nw.from_native(frame))
    some = whole.select(named_column(whole, name).alias(name) for name in dict.fromkeys(names))
    found = collected(some)
    return {name: found[name].to_list() for name in found.columns}
