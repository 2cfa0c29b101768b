"""Frames of any library, counted where they are: one pass, elementary aggregations only.

pandas, Polars (eager and lazy), PyArrow, DuckDB, Ibis, Dask and PySpark all go through the same
narwhals expressions; only the distinct cells come back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from evenhand.count.encode import encode
from evenhand.count.tally import Tally
from evenhand.errors import InputError, shown
from evenhand.labels import is_null, plain
from evenhand.table import Confusion

ITEMS, WEIGHT, SQUARE, KNOWN = "__items", "__weight", "__square", "__known"
SYSTEM, PRED = "__system", "__pred"


def count_frame(
    frame: Any,
    *,
    true: str,
    pred: str | Sequence[str],
    weights: str | None = None,
    by: str | Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    drop_null_truth: bool = False,
    name: str | tuple[str, str] = "",
) -> Confusion:
    """The table of two columns; a stack by system, by the values of ``by``, or by both."""
    systems = [pred] if isinstance(pred, str) else list(pred)
    slices = [by] if isinstance(by, str) else list(by or [])
    lazy = _lazy(frame)
    _columns_exist(lazy, [true, *systems, *([weights] if weights else []), *slices], str(name))
    wide = not isinstance(pred, str)
    found = _cells(lazy, true, systems, wide, weights, slices)
    if isinstance(name, tuple):
        names = name
    else:
        where = f"{name}, " if name else ""
        names = (f"{where}column {true!r}", f"{where}column {', '.join(map(repr, systems))}")
    if not len(found[ITEMS]):
        raise InputError(f"{name or 'the frame'} has no rows: there is no item to count")
    tally = _tally(found, true, systems, wide, weights, slices, names)
    return tally.confusion(labels=labels, drop_null_truth=drop_null_truth, names=names)


def _lazy(frame: Any) -> Any:
    """A narwhals frame; an eager Polars one made lazy, which is several times faster."""
    import narwhals as nw

    try:
        wrapped = nw.from_native(frame)
    except TypeError:
        raise InputError(
            "frame must be one of pandas, Polars, PyArrow, DuckDB, Ibis, Dask or PySpark, "
            f"got {type(frame).__name__}"
        ) from None
    if isinstance(wrapped, nw.DataFrame) and wrapped.implementation.is_polars():
        return wrapped.lazy()
    return wrapped


def _columns_exist(frame: Any, wanted: list[str], name: str) -> None:
    have = list(frame.collect_schema().names())
    absent = [c for c in wanted if c not in have]
    if absent:
        raise InputError(
            f"{name or 'the frame'} has columns {shown(have, 12)}, expected {shown(absent)} too"
        )


def _cells(
    frame: Any, true: str, systems: list[str], wide: bool, weights: str | None, by: list[str]
) -> dict[str, Any]:
    """The distinct combinations of labels and slices, with their sums, as columns."""
    import narwhals as nw

    columns = list(dict.fromkeys([*by, true, *([weights] if weights else []), *systems]))
    frame = frame.select(*(nw.col(c) for c in columns))
    guess = systems[0]
    if wide:
        frame = _long(frame, [c for c in columns if c not in systems], systems)
        guess = PRED
    sums = [nw.len().alias(ITEMS)]
    if weights:
        w = nw.col(weights)
        frame = frame.with_columns((w * 1.0).alias(WEIGHT), (w * w * 1.0).alias(SQUARE))
        sums += [
            nw.col(WEIGHT).sum().alias(WEIGHT),
            nw.col(SQUARE).sum().alias(SQUARE),
            nw.col(weights).count().alias(KNOWN),
        ]
    keys = list(dict.fromkeys([*([SYSTEM] if wide else []), *by, true, guess]))
    grouped = frame.group_by(*keys).agg(*sums)
    found = _collected(grouped)
    return {c: found[c].to_native() for c in found.columns}


def _long(frame: Any, kept: list[str], systems: list[str]) -> Any:
    """One row an item and system, nulls included."""
    import narwhals as nw

    if not frame.implementation.is_duckdb():
        return frame.unpivot(on=systems, index=kept, variable_name=SYSTEM, value_name=PRED)
    # DuckDB's own unpivot drops nulls, and narwhals cannot tell it not to.
    parts = [frame.select(*kept, nw.lit(s).alias(SYSTEM), nw.col(s).alias(PRED)) for s in systems]
    return nw.concat(parts, how="vertical")


def _collected(grouped: Any) -> Any:
    if not hasattr(grouped, "collect"):
        return grouped
    return grouped.collect(
        **({"engine": "streaming"} if grouped.implementation.is_polars() else {})
    )


def _tally(
    found: dict[str, Any],
    true: str,
    systems: list[str],
    wide: bool,
    weights: str | None,
    by: list[str],
    names: tuple[str, str],
) -> Tally:
    items = np.asarray(found[ITEMS]).astype(np.int64)
    weight = square = None
    if weights:
        known = np.asarray(found[KNOWN]).astype(np.int64)
        if known.sum() != items.sum():
            raise InputError(
                f"column {weights!r} must hold a weight for every row, "
                f"got {items.sum() - known.sum():,} null(s)"
            )
        weight, square = (np.asarray(found[c]).astype(np.float64) for c in (WEIGHT, SQUARE))
        if not np.all(np.isfinite(weight) & np.isfinite(square) & (weight >= 0)):
            raise InputError(f"column {weights!r} must hold finite weights ≥ 0")
    table, keys = None, []
    if wide:
        table = _positions(found[SYSTEM], systems)
        keys.append(tuple(systems))
        each = np.bincount(table, items, minlength=len(systems))
        if each.min() != each.max():
            raise InputError(f"the engine lost rows: it counted {each.tolist()} of each system")
    if by:
        place, slices = _slices([found[c] for c in by])
        table = place if table is None else table * len(slices) + place
        keys.append(slices)
    guess = PRED if wide else systems[0]
    return Tally(
        encode(found[true], names[0]),
        encode(found[guess], names[1]),
        items,
        weight,
        square,
        table,
        tuple(keys),
    )


def _positions(column: Any, names: list[str]) -> Any:
    place = {v: i for i, v in enumerate(names)}
    return np.array([place[str(v)] for v in _values(column)], np.int64)


def _slices(columns: list[Any]) -> tuple[Any, tuple[Any, ...]]:
    """Which slice each row is of, and the slices' keys in natural order, null last."""
    rows = list(zip(*(_values(c) for c in columns), strict=True))
    distinct = sorted(set(rows), key=lambda r: [(v is None, type(v).__name__, v) for v in r])
    place = {key: i for i, key in enumerate(distinct)}
    keys = tuple(r[0] if len(columns) == 1 else r for r in distinct)
    return np.array([place[r] for r in rows], np.int64), keys


def _values(column: Any) -> list[Any]:
    method = next(m for m in ("to_pylist", "tolist", "to_list") if hasattr(column, m))
    values = getattr(column, method)()
    return [None if is_null(v) else plain(v) for v in values]
