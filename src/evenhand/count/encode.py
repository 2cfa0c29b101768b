"""Encode: any sequence of labels becomes integer codes and the labels behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InputError
from evenhand.tables.labels import Label, is_null, narrowed, one_kind, plain

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
    unordered = isinstance(values, str | bytes | set | frozenset | Mapping)
    if unordered or not hasattr(values, "__iter__"):
        raise InputError(f"{what} must be a sequence of labels, got {type(values).__name__}")
    found = _encoded(values, what)
    return found if found.labels else replace(found, kind=None)


def _encoded(values: Any, what: str) -> Encoded:
    if isinstance(values, np.ma.MaskedArray):
        values = values.tolist()  # with None for what is masked
    series = polars_column(values, what)
    if series is not None:
        return _polars(series, what)
    if hasattr(values, "to_pylist"):  # Arrow, of a type that Polars does not have
        values = values.to_pylist()
    elif hasattr(values, "to_numpy"):
        values = values.to_numpy()
    values = on_host(values)
    if hasattr(values, "__array__") and hasattr(values, "dtype"):
        return _numpy(np.asarray(values), what)
    return _objects(list(values), what)


def on_host(values: Any) -> Any:
    """A torch tensor as a numpy array, sharing its memory if that is the host's; others as is."""
    if not hasattr(values, "detach"):
        return values
    values = values.detach().cpu()
    narrow = str(values.dtype) == "torch.bfloat16"  # which numpy does not have
    return (values.float() if narrow else values).numpy()


def array_of(values: Any, what: str) -> NDArray[Any]:
    """Numbers of any library as an array on the host; where a mask hides one, there is none."""
    if _is_masked(values):
        raise InputError(f"{what} must hold a number everywhere, got some that a mask hides")
    if isinstance(values, list | tuple):
        values = [on_host(v) for v in values]
    try:
        return np.asarray(on_host(values))
    except (ValueError, TypeError, OverflowError, RuntimeError):
        raise InputError(f"{what} must have rows of one length") from None


def _is_masked(values: Any) -> bool:
    """Whether an array, or one of those in nested lists, has a mask that hides something."""
    if isinstance(values, list | tuple):
        inner = (v for v in values if isinstance(v, np.ndarray | list | tuple))
        return any(map(_is_masked, inner))
    return bool(np.ma.is_masked(values))


def polars_column(values: Any, what: str) -> Any:
    """Labels as a Polars series, where Polars can take them without guessing; else ``None``.

    What it cannot take (objects of several types, numpy's own scalars) is left to Python, which
    can say exactly what is wrong.
    """
    library = type(values).__module__.partition(".")[0]
    if type(values).__name__ in ("DataFrame", "LazyFrame", "Table"):
        raise InputError(f"{what} must be one column, got a {type(values).__name__}")
    if library == "polars" and str(values.dtype) == "Object":
        values, library = values.to_list(), ""
    if isinstance(values, np.ndarray) and values.dtype.kind in "UTO" and values.ndim == 1:
        values = values.tolist()
    texts = isinstance(values, list | tuple) and len(values) > 0 and type(values[0]) is str
    if not texts and library not in ("polars", "pyarrow", "pandas"):
        return None
    import polars as pl

    try:
        if texts:
            return pl.Series(values, dtype=pl.String, strict=True)
        if library == "pyarrow":
            values = pl.Series(pl.from_arrow(run_end_decoded(values)))
        elif library == "pandas":
            if values.dtype == object:
                return polars_column(values.to_numpy(), what)
            values = pl.from_pandas(values)
    except (TypeError, ValueError, pl.exceptions.PolarsError, ImportError):
        return None
    values = values.alias("")  # a name such as ^x$ would be read as a pattern
    if values.dtype in (pl.Categorical, pl.Enum):
        values = values.cast(pl.String)
    return values.fill_nan(None) if values.dtype.is_float() else values


def run_end_decoded(values: Any) -> Any:
    """An Arrow column without the runs that few engines can read."""
    import pyarrow as pa

    if not pa.types.is_run_end_encoded(values.type):
        return values
    import pyarrow.compute as pc

    return pc.run_end_decode(values)


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
        known = array[~null]
        if known.dtype.itemsize > 8:
            for value in known[known.astype(np.float64) != known]:
                narrowed(value)
        known = known.astype(np.float64) + 0.0  # −0 is 0
        labels, codes = np.unique(known, return_inverse=True)
        return Encoded(_with_nulls(codes, null), labels.tolist(), "float")
    return _objects(array.tolist(), what)


def _integers(array: NDArray[Any]) -> Encoded:
    if not array.size:
        return Encoded(np.zeros(0, np.int64), [], None)
    low, high = int(array.min()), int(array.max())
    if high - low < max(NARROW, 2 * array.size):  # a table of the range beats sorting
        if array.dtype == np.uint64:  # whose upper half no signed integer holds
            offset = (array - array.min()).astype(np.int64)
        else:
            offset = np.subtract(array, low, dtype=np.int64)
        seen = np.bincount(offset, minlength=high - low + 1) > 0
        place = np.cumsum(seen) - 1
        return Encoded(place[offset], [v + low for v in np.flatnonzero(seen).tolist()], "int")
    labels, codes = np.unique(array, return_inverse=True)
    return Encoded(codes.astype(np.int64), labels.tolist(), "int")


def _objects(values: Sequence[Any], what: str) -> Encoded:
    """Python objects, in C-speed passes: their types, their distinct values, their codes."""
    types = set(map(type, values))
    if any(hasattr(t, "__array__") and not issubclass(t, np.generic) for t in types):
        values = [v.item() if getattr(v, "ndim", None) == 0 else v for v in values]
        types = set(map(type, values))
    nulls = [t for t in types if t is type(None) or t.__name__ in ("NAType", "NaTType")]
    floats = [t for t in types if issubclass(t, float | np.floating)]
    if nulls or floats:
        null = np.fromiter(map(is_null, values), bool, len(values))
        kept = [v for v, lost in zip(values, null, strict=True) if not lost]
        found = _distinct(kept, set(map(type, kept)), what)
        return Encoded(_with_nulls(found.codes, null), found.labels, found.kind)
    return _distinct(values, types, what)


def _distinct(values: Sequence[Any], types: set[type], what: str) -> Encoded:
    kind = one_kind(types, what)
    if kind == "str" and any(issubclass(t, bytes) for t in types):
        values = [plain(v) for v in values]
    found = coded(values, kind)
    return Encoded(found.codes, [plain(v) for v in found.labels], kind)


def coded(values: Sequence[Any], kind: str | None) -> Encoded:
    """Codes of labels that are known to be of one kind, none of them null."""
    place = {v: i for i, v in enumerate(dict.fromkeys(values))}
    codes = np.fromiter(map(place.__getitem__, values), np.int64, len(values))
    return Encoded(codes, list(place), kind)


def _with_nulls(codes: NDArray[Any], null: NDArray[np.bool_]) -> Codes:
    whole = np.full(null.shape, -1, np.int64)
    whole[~null] = codes
    return whole


def _polars(series: Any, what: str) -> Encoded:
    import polars as pl

    if series.dtype == pl.String:
        distinct = series.unique(maintain_order=True).drop_nulls()
        codes = series.cast(pl.Enum(distinct)).to_physical().cast(pl.Int64).fill_null(-1)
        return Encoded(codes.to_numpy(), distinct.to_list(), "str")
    if not (series.dtype.is_numeric() or series.dtype in (pl.Boolean, pl.Null, pl.Binary)):
        raise InputError(
            f"{what} must be text, integers, booleans or floats, got {series.dtype}; "
            "convert such labels to text first"
        )
    if series.dtype in (pl.Null, pl.Binary, pl.Int128) or series.dtype.is_decimal():
        return _objects(series.to_list(), what)
    if series.null_count():
        null = series.is_null().to_numpy()
        found = _numpy(series.drop_nulls().to_numpy(), what)
        return Encoded(_with_nulls(found.codes, null), found.labels, found.kind)
    return _numpy(series.to_numpy(), what)
