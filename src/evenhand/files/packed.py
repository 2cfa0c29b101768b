"""Packed: a table as a record of plain values that JSON can hold, and a table from it, checked."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from math import isinf, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.count.tally import cells_of
from evenhand.errors import InputError, shown
from evenhand.tables.confusion import Confusion
from evenhand.tables.labels import checked, kind_of

FORMAT = "evenhand-table"
VERSION = 1

_TIMES = {t.__name__: t for t in (datetime, date, time)}


def packed(table: Confusion, sources: tuple[str, ...]) -> dict[str, Any]:
    """The record of a table: its labels, keys, numbers of items, sources and non-empty cells."""
    index, true, pred, weight, square = table.data.entries()
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": kind_of(table.labels, "labels"),
        "labels": [_plain(v) for v in table.labels],
        "keys": [[_plain(k) for k in axis] for axis in table.keys],
        "axes": list(table.axes),
        "n": np.ravel(table.n).tolist(),
        "missing": np.ravel(table.missing).tolist(),
        "dropped": np.ravel(table.dropped).tolist(),
        "sources": list(sources),
        "cells": {
            "table": index.tolist(),
            "true": true.tolist(),
            "pred": pred.tolist(),
            "weight": weight.tolist(),
            "square": None if square is None else square.tolist(),
        },
    }


def unpacked(record: dict[str, Any]) -> Confusion:
    """The table of a record, which must be one that can be; a damaged one raises some error."""
    labels = checked(_label(v) for v in record["labels"])
    if kind_of(labels, "labels") != record["kind"]:
        raise ValueError(f"labels must be of kind {record['kind']}")
    keys = tuple(tuple(_label(k) for k in axis) for axis in record["keys"])
    shape = tuple(len(axis) for axis in keys)
    cells = record["cells"]
    table, true, pred = codes = [_numbers(cells[c], "iu") for c in ("table", "true", "pred")]
    weight = _numbers(cells["weight"])
    square = None if cells["square"] is None else _numbers(cells["square"])
    k = len(labels)
    tops = (prod(shape), k, k + 1)
    if any(
        c.size and not 0 <= c.min() <= c.max() < top for c, top in zip(codes, tops, strict=True)
    ):
        raise ValueError("a cell lies outside the table")
    sums = [weight] if square is None else [weight, square]
    if len({len(x) for x in (*codes, *sums)}) > 1 or not all(_is_amount(x) for x in sums):
        raise ValueError("every cell must have a weight ≥ 0")
    data = cells_of(table, true, pred, weight, square, k=k, shape=shape)
    n, missing, dropped = (
        _numbers(record[c], "iufO").reshape(shape) for c in ("n", "missing", "dropped")
    )
    if not all(_is_amount(x) for x in (n, missing, dropped)):
        raise ValueError("the numbers of items must be 0 or more")
    axes = tuple(record.get("axes", [""] * len(shape)))
    if len(axes) != len(shape) or not {*axes} <= {"system", "slice", ""}:
        raise ValueError(f"every axis must be of systems or slices, got {shown(axes)}")
    found = Confusion.of(labels, data, keys=keys, n=n, missing=missing, dropped=dropped, axes=axes)
    if square is None and weight.dtype.kind in "iu":  # then every item is in a cell
        if np.any(n != found.total):
            raise ValueError("the number of items must be the sum of the cells")
        if np.any(missing > found.counts().outside):
            raise ValueError("no more predictions can be missing than are outside")
    return found


def _is_amount(x: NDArray[Any]) -> bool:
    """Whether all numbers are finite and not negative."""
    return bool(np.all(x >= 0) and np.all(x < np.inf))


def _numbers(values: Any, kinds: str = "iuf") -> NDArray[Any]:
    """Numbers of a record as an array; no numbers are integers, and ``O`` are any integers."""
    array = np.asarray(values) if len(values) else np.zeros(0, np.int64)
    types = set(map(type, values)) if isinstance(values, list) else set()
    strange = bool in types or (array.dtype.kind == "O" and types != {int})
    if array.dtype.kind not in kinds or array.ndim != 1 or strange:
        raise ValueError(f"expected numbers, got {shown(values)}")
    if array.dtype.kind == "u" and array.max(initial=0) > np.iinfo(np.int64).max:
        if "O" not in kinds:
            raise ValueError(f"expected counts below 2^63, got {shown(values)}")
        return array.astype(object)
    return array


def _plain(value: Any) -> Any:
    """A label or key as JSON can hold it: tuples as lists, other types as objects with a name."""
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and isinf(value):
        return {"float": "inf" if value > 0 else "-inf"}
    kind = next((name for name, t in _TIMES.items() if isinstance(value, t)), None)
    if kind is not None:
        return {kind: value.isoformat()}
    if isinstance(value, Decimal) and value.is_finite():
        return {"decimal": str(value)}
    if value is None or isinstance(value, str | int | float):
        return value
    raise InputError(f"a key of type {type(value).__name__} cannot be saved: {shown([value])}")


def _label(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_label(v) for v in value)
    if not isinstance(value, dict):
        return value
    ((kind, text),) = value.items()
    if kind in _TIMES:
        return _TIMES[kind].fromisoformat(text)
    makers: dict[str, Callable[[str], Any]] = {"decimal": _decimal, "float": float}
    return makers[kind](text)


def _decimal(text: str) -> Decimal:
    try:
        found = Decimal(text)
    except ArithmeticError:
        found = Decimal("nan")
    if not found.is_finite():
        raise ValueError(f"expected a decimal number, got {shown([text])}")
    return found
