"""What stands beside an item: the slice and the cluster it is of."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from itertools import zip_longest
from operator import itemgetter
from typing import Any

import numpy as np

from evenhand.count.encode import Codes, encode
from evenhand.errors import InputError
from evenhand.tables.labels import is_null, ordered, plain


def slices_of(keys: Iterable[Any], what: str = "by") -> tuple[Codes, tuple[Hashable, ...]]:
    """The slice of each item as a code, and the slices' keys in natural order, null last."""
    rows = [_key(key) for key in keys]
    try:
        distinct = in_natural_order(set(rows))
    except TypeError:
        raise InputError(f"{what} must hold plain values to slice by") from None
    place = {key: i for i, key in enumerate(distinct)}
    return np.array([place[row] for row in rows], np.int64), tuple(distinct)


def keys_of(columns: Sequence[Iterable[Any]]) -> list[Any] | None:
    """The key of each item's slice: the value of one column, a tuple of several, if any."""
    if not columns:
        return None
    return list(columns[0]) if len(columns) == 1 else list(zip(*columns, strict=True))


def one_each(by: Any, n: int) -> list[Any]:
    """The key of each item's slice, if there is one for each."""
    keys = list(by)
    if len(keys) != n:
        raise InputError(f"by must have {n:,} entries, one an item, got {len(keys):,}")
    return keys


def parts_of(by: Any, n: int) -> list[tuple[Hashable, Codes]]:
    """The key of each slice with its items."""
    codes, keys = slices_of(one_each(by, n))
    order = np.argsort(codes, kind="stable")
    parts = np.split(order, np.searchsorted(codes[order], np.arange(1, len(keys))))
    return list(zip(keys, parts, strict=True))


def _key(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_key, value))
    return None if is_null(value) else plain(value)


def in_natural_order(keys: Iterable[Any]) -> list[Any]:
    """Keys of slices column by column: null last, types apart, text of whole numbers as numbers.

    >>> in_natural_order([("10", "b"), ("2", None), ("2", "a")])
    [('2', 'a'), ('2', None), ('10', 'b')]
    """
    distinct = list(keys)
    rows = [key if isinstance(key, tuple) else (key,) for key in distinct]
    places = [{v: i for i, v in enumerate(_natural(set(c)))} for c in zip_longest(*rows)]
    order = [tuple(place[v] for place, v in zip(places, row, strict=False)) for row in rows]
    return [key for _, key in sorted(zip(order, distinct, strict=True), key=itemgetter(0))]


def _natural(values: Iterable[Any]) -> list[Any]:
    kinds: dict[tuple[bool, str], list[Any]] = {}
    for v in values:
        kinds.setdefault((v is None, type(v).__name__), []).append(v)
    return [v for kind in sorted(kinds) for v in ordered(kinds[kind])]


def _named(values: Any) -> Any:
    """Clusters as they are, but for dates and decimals: those as text."""
    kind = str(getattr(values, "dtype", "object")).lower()
    if not any(word in kind for word in ("object", "date", "time", "duration", "decimal")):
        return values
    held = list(values)
    strange = date | time | timedelta | Decimal | np.datetime64
    if not any(isinstance(v, strange) for v in held):
        return values
    return [None if is_null(v) else str(v) for v in held]


def clusters(values: Any, n: int) -> Codes:
    """One code an item, in the order of the clusters' names."""
    found = encode(_named(values), "cluster")
    if len(found) != n:
        raise InputError(f"cluster must have {n:,} entries, one an item, got {len(found):,}")
    if (found.codes < 0).any():
        at = int(np.flatnonzero(found.codes < 0)[0])
        raise InputError(f"cluster must not be null, got a null at item {at}")
    place = {v: i for i, v in enumerate(ordered(found.labels))}  # whatever the order of items
    return np.array([place[v] for v in found.labels], np.int64)[found.codes]
