"""Encode: any sequence of labels becomes integer codes and the labels behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InputError
from evenhand.labels import Label, is_null, one_kind, plain

Codes = NDArray[np.int64]

NARROW = 1 << 16
"""Integers spread over no more than this many values need no sorting."""


@dataclass(frozen=True)
class Encoded:
    """One code an item, −1 for null; the distinct labels in code order; their kind."""

    codes: Codes
    labels: Sequence[Label]
    kind: str | None

    def __len__(self) -> int:
        return len(self.codes)


def encode(values: Any, what: str = "labels") -> Encoded:
    """Codes of the labels in any list, tuple, numpy array, pandas, Polars or Arrow column."""
    library = type(values).__module__.partition(".")[0]
    if library == "pandas":
        return _pandas(values, what)
    if library == "pyarrow":
        import polars as pl

        return _polars(pl.Series(pl.from_arrow(values)), what)
    if library == "polars":
        return _polars(values, what)
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise InputError(f"{what} must be a sequence of labels, got {type(values).__name__}")
    if hasattr(values, "__array__") and hasattr(values, "dtype"):
        return _numpy(np.asarray(values), what)
    return _objects(list(values), what)


def _numpy(array: NDArray[Any], what: str) -> Encoded:
    if array.ndim != 1:
        raise InputError(f"{what} must be one-dimensional, got shape {array.shape}")
    if array.dtype.kind in "iu":
        return _integers(array)
    if array.dtype.kind == "b":
        found = _integers(array.view(np.uint8))
        return Encoded(found.codes, [bool(v) for v in found.labels], "bool")
    if array.dtype.kind == "f":
        null = np.isnan(array)
        labels, codes = np.unique(array[~null], return_inverse=True)
        return Encoded(_with_nulls(codes, null), labels.tolist(), "float")
    if array.dtype.kind in "SU":
        labels, codes = np.unique(array, return_inverse=True)
        return Encoded(codes.astype(np.int64), [plain(v) for v in labels], "str")
    return _objects(array.tolist(), what)


def _integers(array: NDArray[Any]) -> Encoded:
    if not array.size:
        return Encoded(np.zeros(0, np.int64), [], None)
    low, high = int(array.min()), int(array.max())
    if high - low < NARROW:
        offset = np.subtract(array, low, dtype=np.int64, casting="unsafe")
        seen = np.bincount(offset, minlength=high - low + 1) > 0
        place = np.cumsum(seen) - 1
        return Encoded(place[offset], (np.flatnonzero(seen) + low).tolist(), "int")
    labels, codes = np.unique(array, return_inverse=True)
    return Encoded(codes.astype(np.int64), labels.tolist(), "int")


def _objects(values: list[Any], what: str) -> Encoded:
    """Python objects, in C-speed passes: their types, their distinct values, their codes."""
    types = set(map(type, values))
    nulls = [t for t in types if t is type(None) or t.__name__ in ("NAType", "NaTType")]
    floats = [t for t in types if issubclass(t, float | np.floating)]
    if nulls or floats:
        null = np.fromiter(map(is_null, values), bool, len(values))
        kept = [v for v, lost in zip(values, null, strict=True) if not lost]
        found = _distinct(kept, what)
        return Encoded(_with_nulls(found.codes, null), found.labels, found.kind)
    return _distinct(values, what)


def _distinct(values: list[Any], what: str) -> Encoded:
    kind = one_kind(set(map(type, values)), what)
    if kind == "str" and any(issubclass(t, bytes) for t in set(map(type, values))):
        values = [plain(v) for v in values]
    place = {v: i for i, v in enumerate(dict.fromkeys(values))}
    codes = np.fromiter(map(place.__getitem__, values), np.int64, len(values))
    return Encoded(codes, [plain(v) for v in place], kind)


def _with_nulls(codes: NDArray[Any], null: NDArray[np.bool_]) -> Codes:
    whole = np.full(null.shape, -1, np.int64)
    whole[~null] = codes
    return whole


def _pandas(values: Any, what: str) -> Encoded:
    if str(getattr(values, "dtype", "")) == "category":
        column = getattr(values, "cat", values)
        found = _objects(column.categories.tolist(), what)
        codes = np.asarray(column.codes, np.int64)
        return _compact(Encoded(codes, found.labels, found.kind))
    return _numpy(values.to_numpy(), what)


def _polars(series: Any, what: str) -> Encoded:
    import polars as pl

    if series.dtype in (pl.Categorical, pl.Enum):
        series = series.cast(pl.String)
    if series.dtype == pl.String:
        distinct = series.unique(maintain_order=True).drop_nulls()
        order = pl.Enum(distinct)
        codes = series.cast(order).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
        return Encoded(codes, distinct.to_list(), "str")
    if series.null_count():
        null = series.is_null().to_numpy()
        found = _numpy(series.drop_nulls().to_numpy(), what)
        return Encoded(_with_nulls(found.codes, null), found.labels, found.kind)
    return _numpy(series.to_numpy(), what)


def _compact(encoded: Encoded) -> Encoded:
    """Only the labels that occur: a categorical may declare more."""
    used = np.bincount(encoded.codes[encoded.codes >= 0], minlength=len(encoded.labels)) > 0
    place = np.append(np.cumsum(used) - 1, -1)
    labels = [v for v, u in zip(encoded.labels, used, strict=True) if u]
    return Encoded(place[encoded.codes], labels, encoded.kind)
