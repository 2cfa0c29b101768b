"""Labels as integer codes, and counts of pairs of integers."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.data.labels import Counting, Label, is_null, kind_of_type, no_labels, one_kind, plain
from evenhand.errors import InputError, warn


def escape_column(name: str) -> str:
    """A column's name for Polars, which reads ``*`` and ``^…$`` as patterns unless escaped."""
    is_pattern = name == "*" or (name.startswith("^") and name.endswith("$"))
    return f"^{re.escape(name)}$" if is_pattern else name


def values_of(frame: Any, name: str) -> Any:
    """A column without its name, which methods of a Polars series could read as a pattern."""
    return frame[name].alias("")


def trim(frame: Any, columns: Iterable[str]) -> Any:
    """A Polars frame whose labels in some columns have no white space around them.

    Columns may hold text or lists of text; a label that becomes empty is null.
    """
    import polars as pl

    def stripped(text: Any) -> Any:
        text = text.cast(pl.String).str.strip_chars()
        return pl.when(text != "").then(text)  # ``replace`` would keep all rows in memory

    schema, texts = frame.collect_schema(), (pl.String, pl.Categorical, pl.Enum, pl.Binary)
    changed = []
    for name in dict.fromkeys(columns):
        column, dtype = pl.col(escape_column(name)), schema[name]
        if isinstance(dtype, pl.List) and dtype.inner in texts:
            changed.append(column.list.eval(stripped(pl.element())))
        elif dtype in texts:
            changed.append(stripped(column))
    return frame.with_columns(changed)


# Counting pairs of integers

Integers = NDArray[Any]
PairCounts = tuple[Integers, Integers, Integers]
"""True values, predicted values and counts of distinct pairs."""

CHUNK = 1 << 18  # rows that are counted at once
PARALLEL = 1 << 20  # rows from which threads are used
BLOCK = 1 << 24  # rows that are sorted at once
SMALL = 1 << 12  # rows up to which sorting is faster than counting
FIRST_ROWS = 1 << 12  # rows that show whether labels are far apart
BYTE_VALUES = 1 << 8
MOST_BYTE_CODES = 16  # of which a pair fits a byte
MOST_TABLE_CODES = 1 << 11  # of which every pair has a cell
MOST_GROUPED = 1 << 7  # distinct values that a hash table counts faster than sorting


def count_integers(true: Integers, pred: Integers) -> PairCounts:
    """Distinct pairs and how often each occurs: in a table of cells, or far apart by sorting."""
    if len(true) <= SMALL:
        return _count_sorted(true, pred)
    first = true[:FIRST_ROWS], pred[:FIRST_ROWS]
    _, span = value_range(*first)
    far = span > MOST_TABLE_CODES or span**2 > 8 * len(true)
    if far and len(true) > PARALLEL and len(np.unique(first)) <= MOST_GROUPED:
        return _count_grouped(true, pred)
    workers = min(os.cpu_count() or 1, 8) if len(true) >= PARALLEL else 1
    blocks = -(-len(true) // BLOCK) if far else workers
    parts = np.array_split(true, blocks), np.array_split(pred, blocks)
    if far:
        return merge_counts(list(map(_count_sorted, *parts)))
    if workers == 1:
        return merge_counts(_count_cells(true, pred))
    with ThreadPoolExecutor(workers) as pool:
        return merge_counts(list(chain(*pool.map(_count_cells, *parts))))


def value_range(a: Integers, b: Integers) -> tuple[int, int]:
    """The smallest value, and the number of integers from it to the largest."""
    low = min(int(a.min()), int(b.min()))
    return low, max(int(a.max()), int(b.max())) - low + 1


def merge_counts(parts: list[PairCounts]) -> PairCounts:
    """The sum of several counts."""
    if len(parts) == 1:
        return parts[0]
    true, pred, count = (np.concatenate([p[i] for p in parts], dtype=np.int64) for i in range(3))
    return _count_sorted(true, pred, count)


def _count_cells(true: Integers, pred: Integers) -> list[PairCounts]:
    """Counts of all chunks, with another counter where a label is out of range."""
    size, parts = min(CHUNK, len(true)), list[PairCounts]()
    counter = _PairCounter(0, 0, size)
    for at in range(0, len(true), size):
        chunk = true[at : at + size], pred[at : at + size]
        if counter.add(*chunk):
            continue
        if counter.k:
            parts.append(counter.counts())
        low, span = value_range(*chunk)
        first, last = min(low, counter.low), max(low + span, counter.low + counter.k)
        if last - first <= (MOST_TABLE_CODES if counter.k else MOST_BYTE_CODES):
            low, span = first, last - first  # from 0 on, nothing is subtracted
        if span > MOST_TABLE_CODES:
            counter = _PairCounter(0, 0, size)
            parts.append(_count_sorted(*chunk))
        else:
            counter = _PairCounter(low, span, size)
            counter.add(*chunk)
    return [*parts, counter.counts()] if counter.k else parts


class _PairCounter:
    """Counts of pairs of the integers from ``low`` to ``low + k − 1``, in chunks of some size.

    Codes are distances from ``low``. If there are few, a pair of them is a byte, and two
    neighbouring bytes are counted as one number; sums over the first and over the second byte
    give the counts. A sparse row with a 1 in the column of each cell adds up to the counts.
    """

    def __init__(self, low: int, k: int, size: int) -> None:
        self.low, self.k, self.paired = low, k, k <= MOST_BYTE_CODES
        self.bins = np.zeros(k**2 * (BYTE_VALUES if self.paired else 1), np.int64)
        self.written = self.padding = 0
        if k:
            from scipy.sparse import csr_array

            room = -(-size // 2) if self.paired else size * -(-(k**2) // CHUNK)
            entries, columns = np.ones(room, np.int32), np.zeros(room, np.int32)
            self.row = csr_array((entries, columns, [0, room]), shape=(1, len(self.bins)))

    def add(self, true: Integers, pred: Integers) -> bool:
        """Count a chunk, unless a label is out of range."""
        codes = list[Integers]()
        for labels in (true, pred):
            is_byte = labels.itemsize == 1 and self.k > BYTE_VALUES // 2
            if self.low or is_byte or not labels.dtype.isnative:
                labels = np.subtract(labels, self.low, dtype=np.int64)
            code = labels.view(f"u{labels.itemsize}")  # negative numbers become k or more
            if code.max() >= self.k:
                return False
            codes.append(code.astype(np.uint8 if self.paired else np.int32))
        cells, other = codes[0], codes[1]
        cells *= self.k
        cells += other
        if self.paired:
            self.padding += len(cells) % 2
            cells = np.append(cells, np.uint8(0)) if len(cells) % 2 else cells
            cells = cells.view(np.uint16)
        self.row.indices[self.written : self.written + len(cells)] = cells
        self.written += len(cells)
        if self.written == len(self.row.indices):
            self._add_up()
        return True

    def _add_up(self) -> None:
        """Add the written cells to the counts."""
        self.row.indices[self.written :] = 0
        self.bins += self.row.toarray()[0]
        self.bins[0] -= len(self.row.indices) - self.written
        self.written = 0

    def counts(self) -> PairCounts:
        """Labels and counts of all pairs so far."""
        if self.written:
            self._add_up()
        counts = self.bins
        if self.paired:
            both = self.bins.reshape(-1, BYTE_VALUES)
            counts = both.sum(axis=1) + both.sum(axis=0)[: len(both)]
            counts[0] -= self.padding
        cells = np.flatnonzero(counts)
        true, pred = np.divmod(cells, self.k)
        return true + self.low, pred + self.low, counts[cells]


def _count_grouped(true: Integers, pred: Integers) -> PairCounts:
    """Count pairs of a few integers by a hash table."""
    import polars as pl

    pairs = pl.LazyFrame({"true": true, "pred": pred}).group_by("true", "pred").len().collect()
    return pairs["true"].to_numpy(), pairs["pred"].to_numpy(), pairs["len"].to_numpy()


def _count_sorted(a: Integers, b: Integers, times: Integers | None = None) -> PairCounts:
    """Count pairs of any integers by sorting one key a pair; ``times`` counts each so often."""
    low, span = value_range(a, b)
    if span >= 1 << 31:
        values, codes = np.unique(np.concatenate([a, b]), return_inverse=True)
        true, pred, count = _count_sorted(codes[: len(a)], codes[len(a) :], times)
        return values[true], values[pred], count
    key = np.subtract(a, low, dtype=np.int64)
    key *= span
    key += b
    key -= low
    if times is None:
        key, count = np.unique(key, return_counts=True)
    else:
        key, row = np.unique(key, return_inverse=True)
        count = np.bincount(row, times).astype(np.int64)
    true, pred = np.divmod(key, span)
    return true + low, pred + low, count


# Factorising labels

Codes = NDArray[np.int64]

FEW = 1 << 14
"""Items up to which Python is faster than Polars starts."""
NARROW_RANGE = 1 << 16
"""Width of a range up to which integers are factorized without sorting."""


@dataclass(frozen=True)
class FactorizedLabels:
    """The code of each item (−1 for null), the distinct labels by code, and their kind."""

    codes: Codes
    labels: Sequence[Label]
    kind: str | None

    def __len__(self) -> int:
        return len(self.codes)


def factorize(values: Any, what: str = "labels") -> FactorizedLabels:
    """Codes of the labels in any list, tuple, numpy array, pandas, Polars or Arrow column."""
    unordered = isinstance(values, str | bytes | set | frozenset | Mapping)
    if unordered or not hasattr(values, "__iter__"):
        raise InputError(f"{what} must be a sequence of labels, got {type(values).__name__}")
    if isinstance(values, np.ma.MaskedArray):
        values = values.tolist()  # with None for what is masked
    series = polars_column(values, what)
    if series is None and hasattr(values, "to_pylist"):  # a type of Arrow that Polars has not
        values = values.to_pylist()
    elif series is None and hasattr(values, "to_numpy"):
        values = values.to_numpy()
    values = on_host(values)
    if series is not None:
        column = _factorize_polars(series, what)
    elif hasattr(values, "__array__") and hasattr(values, "dtype"):
        column = _factorize_numpy(np.asarray(values), what)
    else:
        column = _factorize_objects(list(values), what)
    return column if column.labels else replace(column, kind=None)


def on_host(values: Any) -> Any:
    """A torch tensor as a numpy array, sharing its memory if that is the host's; others as is."""
    if not hasattr(values, "detach"):
        return values
    values = values.detach().cpu()
    narrow = str(values.dtype) == "torch.bfloat16"  # which numpy does not have
    return (values.float() if narrow else values).numpy()


def is_frame(values: Any) -> bool:
    """Whether ``values`` have named columns; a lazy frame is refused."""
    if type(values).__name__ == "LazyFrame":
        raise InputError("a LazyFrame must be collected, or its columns named by true= and pred=")
    return hasattr(values, "columns")


def holds_lists(values: Iterable[Any]) -> bool:
    """Whether some value is a list or set of labels."""
    return any(isinstance(v, set | frozenset | list | tuple | np.ndarray) for v in values)


def is_of_sets(values: Any) -> bool:
    """Whether items have label sets or rows of numbers, by the type of a column or its values."""
    if isinstance(values, list | tuple) or hasattr(values, "to_list"):
        kind = str(getattr(values, "dtype", "object")).lower()
        return kind.startswith(("list", "array")) or (kind == "object" and holds_lists(values))
    return is_frame(values) or getattr(values, "ndim", 1) == 2


def with_index(frame: Any) -> Any:
    """The frame, with the named index of pandas as columns."""
    index = getattr(getattr(frame, "index", None), "names", None)
    names = [name for name in index if name] if isinstance(index, list) else []
    return frame.reset_index() if names and not {*names} & {*frame.columns} else frame


def refuse_other_order(
    y_true: Any, columns: Mapping[str, Any], options: Counting | None = None, truth: str = "y_true"
) -> None:
    """Refuse columns of pandas whose index is mostly that of the truth, in another order.

    Rows are taken as they stand, and a default index says nothing. A warning says so where two
    indexes have no value in common, or one alone counts rows in another order.
    """
    own: Any = getattr(y_true, "index", None)
    covariates = {n: getattr(options, n, None) for n in ("weights", "cluster", "by")}
    as_they_stand = "rows are taken in the order in which they stand"
    for name, column in {**columns, **covariates}.items():
        index: Any = getattr(column, "index", None)
        alone = [i for i in (own, index) if hasattr(i, "equals")]
        if column is not None and len(alone) == 1 and _counts_in_other_order(alone[0]):
            side = truth if alone[0] is own else name
            warn(f"the index of {side} counts its rows in another order: {as_they_stand}")
            return
        if len(alone) < 2 or len(own) != len(index) or own.equals(index):
            continue
        is_default = np.array_equal(np.asarray(index), np.arange(len(index)))
        if is_default or list(map(str, own)) == list(map(str, index)):
            continue
        shared = (Counter(map(str, own)) & Counter(map(str, index))).total()
        if not shared:
            warn(f"{truth} and {name} have no index value in common: {as_they_stand}")
            return
        if 2 * shared >= len(own):
            raise InputError(
                f"{truth} and {name} have {shared:,} of {len(own):,} index values in common, in "
                f"different orders: {name}.loc[{truth}.index] brings them together, .to_numpy() of "
                "both takes them as they stand"
            )


def _counts_in_other_order(index: Any) -> bool:
    """Whether an index of pandas has the numbers from 0 on, but not in order."""
    numbers, count = np.asarray(index), np.arange(len(index))
    is_integer = numbers.dtype.kind in "iu" and not np.array_equal(numbers, count)
    return is_integer and np.array_equal(np.sort(numbers), count)


def array_of(values: Any, what: str) -> NDArray[Any]:
    """Numbers of any library as an array on the host, without masked entries."""
    if _is_masked(values):
        raise InputError(f"{what} must hold a number everywhere, got some that a mask hides")
    if isinstance(values, list | tuple):
        values = [on_host(v) for v in values]
    try:
        return np.asarray(on_host(values))
    except (ValueError, TypeError, OverflowError, RuntimeError):
        raise InputError(f"{what} must have rows of one length") from None


def real_array(values: Any) -> NDArray[np.float64]:
    """Real numbers as an array; an empty one if they are anything else."""
    with suppress(ValueError, TypeError, OverflowError, RuntimeError):
        if np.isrealobj(values) and not _is_masked(values):
            return np.array(values, np.float64)
    return np.zeros(0)


def _is_masked(values: Any) -> bool:
    """Whether an array, or one of those in nested lists, has a mask that hides something."""
    if isinstance(values, list | tuple):
        inner = (v for v in values if isinstance(v, np.ndarray | list | tuple))
        return any(map(_is_masked, inner))
    return bool(np.ma.is_masked(values))


def polars_column(values: Any, what: str) -> Any:
    """Labels as a Polars series, or ``None`` if they are few, of several types or no Python's."""
    library = type(values).__module__.partition(".")[0]
    if type(values).__name__ in ("DataFrame", "LazyFrame", "Table"):
        raise InputError(f"{what} must be one column, got a {type(values).__name__}")
    if library == "polars" and str(values.dtype) == "Object":
        values, library = values.to_list(), ""
    if isinstance(values, np.ndarray) and values.dtype.kind in "UTO" and values.ndim == 1:
        values = values.tolist()
    texts = isinstance(values, list | tuple) and len(values) > FEW and type(values[0]) is str
    if not texts and (library not in ("polars", "pyarrow", "pandas") or is_null(values)):
        return None
    import polars as pl

    try:
        if texts:
            return pl.Series(values, dtype=pl.String, strict=True)
        if library == "pyarrow":
            values = pl.Series(pl.from_arrow(values))
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


def _factorize_numpy(array: NDArray[Any], what: str) -> FactorizedLabels:
    if array.ndim != 1:
        raise InputError(f"{what} must be one-dimensional, got shape {array.shape}")
    if array.dtype.kind in "iu":
        return _factorize_integers(array)
    if array.dtype.kind == "b":
        column = _factorize_integers(array.view(np.uint8))
        return FactorizedLabels(column.codes, [bool(v) for v in column.labels], "bool")
    if array.dtype.kind == "f":
        null = np.isnan(array)
        known = array[~null].astype(np.float64) + 0.0  # −0 is 0
        labels, codes = np.unique(known, return_inverse=True)
        return FactorizedLabels(_with_nulls(codes, null), labels.tolist(), "float")
    return _factorize_objects(array.tolist(), what)


def _factorize_integers(array: NDArray[Any]) -> FactorizedLabels:
    if not array.size:
        return FactorizedLabels(np.zeros(0, np.int64), [], None)
    low, high = int(array.min()), int(array.max())
    if high - low < max(NARROW_RANGE, 2 * array.size):  # a table of the range beats sorting
        wide = array.astype(f"{array.dtype.kind}8", copy=False)  # not all unsigned ones are signed
        offset = (wide - wide.dtype.type(low)).astype(np.int64, copy=False)
        seen = np.bincount(offset, minlength=high - low + 1) > 0
        values = [v + low for v in np.flatnonzero(seen).tolist()]
        return FactorizedLabels((np.cumsum(seen) - 1)[offset], values, "int")
    labels, codes = np.unique(array, return_inverse=True)
    return FactorizedLabels(codes.astype(np.int64), labels.tolist(), "int")


def _factorize_objects(values: Sequence[Any], what: str) -> FactorizedLabels:
    """Codes of Python objects, some of which may be null."""
    types = set(map(type, values))
    if any(hasattr(t, "__array__") and not issubclass(t, np.generic) for t in types):
        values = [v.item() if getattr(v, "ndim", None) == 0 else v for v in values]
    if any(issubclass(t, bytes) for t in types):
        values = [plain(v) if isinstance(v, bytes) else v for v in values]
    types = set(map(type, values))
    known = values
    if any(kind_of_type(t) in (None, "float") for t in types):  # which may be null
        known = [v for v in values if not is_null(v)]
    kind = one_kind(set(map(type, known)), what)
    place = {v: i for i, v in enumerate(dict.fromkeys(known))}
    places = (
        map(place.__getitem__, values) if known is values else map(place.get, values, repeat(-1))
    )
    codes = np.fromiter(places, np.int64, len(values))
    return FactorizedLabels(codes, [plain(v) for v in place], kind)


def _with_nulls(codes: NDArray[Any], null: NDArray[np.bool_]) -> Codes:
    all_codes = np.full(null.shape, -1, np.int64)
    all_codes[~null] = codes
    return all_codes


def _factorize_polars(series: Any, what: str) -> FactorizedLabels:
    import polars as pl

    if series.dtype == pl.String:
        distinct = series.unique(maintain_order=True).drop_nulls()
        codes = series.cast(pl.Enum(distinct)).to_physical().cast(pl.Int64).fill_null(-1)
        return FactorizedLabels(codes.to_numpy(), distinct.to_list(), "str")
    if not (series.dtype.is_numeric() or series.dtype in (pl.Boolean, pl.Null, pl.Binary)):
        raise no_labels(what, series.dtype)
    if series.dtype in (pl.Null, pl.Binary, pl.Int128) or series.dtype.is_decimal():
        return _factorize_objects(series.to_list(), what)
    if series.null_count():
        null = series.is_null().to_numpy()
        column = _factorize_numpy(series.drop_nulls().to_numpy(), what)
        return replace(column, codes=_with_nulls(column.codes, null))
    return _factorize_numpy(series.to_numpy(), what)
