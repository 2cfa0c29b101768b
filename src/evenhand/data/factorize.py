"""Labels as integer codes, and counts of pairs of integers."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evenhand.data.labels import Label, is_null, narrowed, one_kind, plain
from evenhand.errors import InputError


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

CHUNK = 1 << 18  # rows that are counted at once


class CountingBuffers:
    """Arrays that a counting thread uses for every chunk, as new ones cost more than counting."""

    spare: ClassVar[list[CountingBuffers]] = []

    def __init__(self) -> None:
        self.left, self.right = np.empty(CHUNK, np.int32), np.empty(CHUNK, np.int32)
        self.first, self.second = np.empty(CHUNK, np.int64), np.empty(CHUNK, np.int64)
        self.flags = np.empty(CHUNK, bool)
        self.matrix: Any = None

    def row(self, entries: int, columns: int) -> Any:
        """A sparse matrix of one row whose entries are 1, with columns yet to be written."""
        if self.matrix is None or self.matrix.shape[1] != columns or self.matrix.nnz != entries:
            from scipy.sparse import csr_array

            counts, zeros = np.ones(entries, np.int32), np.zeros(entries, np.int32)
            pointers = np.array([0, entries], np.int32)
            self.matrix = csr_array((counts, zeros, pointers), shape=(1, columns))
        return self.matrix

    @classmethod
    def take(cls) -> CountingBuffers:
        """The buffers of an earlier count, or new ones."""
        try:
            return cls.spare.pop()
        except IndexError:
            return cls()

    def give(self) -> None:
        """Keep the buffers for the next count."""
        if self.matrix.nnz > CHUNK:
            self.matrix = None
        self.spare.append(self)


Integers = NDArray[Any]

BYTE_VALUES = 1 << 8
MOST_BYTE_CODES = 16  # of which a pair fits a byte
MOST_TABLE_CODES = 1 << 11  # of which every pair has a cell
MOST_HASHED = 1 << 7  # distinct values of a hash


class OutOfRangeError(Exception):
    """A label outside the range that is being counted."""


class TooManyValuesError(Exception):
    """More distinct values than a perfect hash is made for."""


class CodeRange:
    """Codes of the integers from ``low`` to ``low + k − 1``: their distance from ``low``."""

    def __init__(self, low: int, k: int) -> None:
        self.low, self.k = low, k

    def encode(self, labels: Integers, buffers: CountingBuffers) -> Integers:
        """The codes of labels, which must be in range."""
        if self.low or (labels.itemsize == 1 and self.k > BYTE_VALUES // 2):
            labels = np.subtract(labels, self.low, buffers.first[: len(labels)], dtype=np.int64)
        code = labels.view(labels.dtype.str.replace("i", "u"))  # negative numbers become k or more
        if code.max() >= self.k:
            raise OutOfRangeError
        return code

    def labels(self, code: Integers) -> Integers:
        """The labels that have these codes."""
        return code + self.low

    def widened(self, a: Integers, b: Integers) -> CodeRange | CodeHash:
        """A range with these labels too, or of these alone, or a hash if they are far apart."""
        low, span = value_range(a, b)
        first, last = min(low, self.low), max(low + span, self.low + self.k)
        if last - first <= (
            MOST_TABLE_CODES if self.k else MOST_BYTE_CODES
        ):  # from 0 on, nothing is subtracted
            return CodeRange(first, last - first)
        return (
            CodeRange(low, span) if span <= MOST_TABLE_CODES else CodeHash(_distinct_values(a, b))
        )


class CodeHash:
    """Codes of known integers by a multiplicative hash without collisions."""

    def __init__(self, values: Integers) -> None:
        if len(values) > MOST_HASHED:
            raise TooManyValuesError
        self.values = values
        self.multiplier, self.bits, at = _perfect_hash(values.astype(np.uint64))
        self.table = np.full(1 << self.bits, values[0], np.int64)
        self.table[at] = values
        self.k = 1 << self.bits

    def encode(self, labels: Integers, buffers: CountingBuffers) -> Integers:
        """The codes of labels, which must be known: their slots in the table."""
        n = len(labels)
        slot, value = buffers.first[:n], buffers.second[:n]
        np.copyto(slot, labels)
        hashed = slot.view(np.uint64)
        hashed *= self.multiplier
        hashed >>= np.uint64(64 - self.bits)
        self.table.take(slot, out=value, mode="clip")
        if np.not_equal(value, labels, out=buffers.flags[:n]).any():
            raise OutOfRangeError
        return slot

    def labels(self, code: Integers) -> Integers:
        """The labels that have these codes."""
        return self.table[code]

    def widened(self, a: Integers, b: Integers) -> CodeHash:
        """A hash with these labels too."""
        return CodeHash(np.union1d(self.values, _distinct_values(a, b)))


def _perfect_hash(values: Integers) -> tuple[Any, int, Integers]:
    """A multiplier whose products differ in their top bits, how many bits, and those bits."""
    multipliers = np.random.default_rng(0).integers(0, 1 << 63, 512, dtype=np.uint64)
    multipliers = multipliers * np.uint64(2) + np.uint64(1)
    hashes = values[None, :] * multipliers[:, None]
    for bits in range(4, 12):  # at most as many codes as a table has
        slots = (hashes >> np.uint64(64 - bits)).astype(np.int64)
        distinct = np.diff(np.sort(slots, axis=1), axis=1).all(axis=1)
        if distinct.any():
            best = int(np.argmax(distinct))
            return multipliers[best], bits, slots[best]
    raise TooManyValuesError


def _distinct_values(*columns: Integers) -> Integers:
    """The distinct values of columns, unless there are too many."""
    parts = []
    for x in columns:
        sample = np.unique(x[:: max(1, len(x) // 4096)])
        if len(sample) > MOST_HASHED:
            raise TooManyValuesError
        parts += [sample, np.unique(x[~np.isin(x, sample)])]
    return np.unique(np.concatenate(parts))


def value_range(a: Integers, b: Integers) -> tuple[int, int]:
    """The smallest value, and the number of integers from it to the largest."""
    low = min(int(a.min()), int(b.min()))
    return low, max(int(a.max()), int(b.max())) - low + 1


PairCounts = tuple[Integers, Integers, Integers]
"""True values, predicted values and counts of distinct pairs."""

SMALL = 1 << 16  # rows up to which sorting is faster than counting
FIRST_ROWS = 1 << 12  # rows that the first codes are chosen for
PARALLEL = 1 << 20  # rows from which threads are used
BLOCK = 1 << 24  # rows that are sorted at once
MOST_PARTS = 16  # partial counts before they are merged


def count_integers(true: Integers, pred: Integers) -> PairCounts:
    """Distinct pairs and how often each occurs."""
    if len(true) <= SMALL:
        return _count_sorted(true, pred)
    workers = min(os.cpu_count() or 1, 8) if len(true) >= PARALLEL else 1
    starts = deque(range(0, len(true), CHUNK))
    try:
        with ThreadPoolExecutor(workers) as pool:
            others = []
            with suppress(RuntimeError):  # Python is shutting down: this thread counts all
                others += [
                    pool.submit(_count_chunks, true, pred, starts) for _ in range(workers - 1)
                ]
            parts = _count_chunks(true, pred, starts)
            return merge_counts([*parts, *(part for other in others for part in other.result())])
    except TooManyValuesError:
        blocks = [slice(i, i + BLOCK) for i in range(0, len(true), BLOCK)]
        return merge_counts([_count_sorted(true[rows], pred[rows]) for rows in blocks])


def _count_chunks(true: Integers, pred: Integers, starts: deque[int]) -> list[PairCounts]:
    """Count chunks until all are counted, by this thread or others."""
    counter = _PairCounter(true[:FIRST_ROWS], pred[:FIRST_ROWS])
    while starts:
        try:
            at = starts.popleft()
        except IndexError:
            break
        counter.add(true[at : at + CHUNK], pred[at : at + CHUNK])
    return counter.results()


def merge_counts(parts: list[PairCounts]) -> PairCounts:
    """The sum of several counts."""
    if len(parts) == 1:
        return parts[0]
    true, pred, count = (np.concatenate([p[i] for p in parts], dtype=np.int64) for i in range(3))
    return _count_sorted(true, pred, count)


class _PairCounter:
    """The counts of one thread.

    If there are few codes, a pair of them is a byte, and two neighbouring bytes are counted as
    one number; sums over the first and over the second byte give the counts.
    """

    def __init__(self, true: Integers, pred: Integers) -> None:
        self.buffers = CountingBuffers.take()
        self.parts: list[PairCounts] = []
        self.restart(CodeRange(0, 0).widened(true, pred))

    def restart(self, code: CodeRange | CodeHash) -> None:
        """Count from zero, with other codes."""
        self.code, self.paired = code, code.k <= MOST_BYTE_CODES
        self.bins = np.zeros(code.k**2 * (BYTE_VALUES if self.paired else 1), np.int64)
        chunks = -(-(code.k**2) // CHUNK)  # to be written before they are added up
        room = CHUNK // 2 if self.paired else CHUNK * chunks
        self.row = self.buffers.row(room, len(self.bins))
        self.written = self.padding = 0

    def add(self, true: Integers, pred: Integers) -> None:
        """Count a chunk, with other codes if a label has none."""
        try:
            cell, other = self.codes(true, pred)
        except OutOfRangeError:
            self.store()
            self.restart(self.code.widened(true, pred))
            cell, other = self.codes(true, pred)
        cell *= self.code.k
        free = self.row.indices[self.written :]
        if self.paired:
            cell += other
            if len(cell) % 2:
                cell = np.append(cell, np.uint8(0))
                self.padding += 1
            pairs = cell.view(np.uint16)
            np.copyto(free[: len(pairs)], pairs)
            self.written += len(pairs)
        else:
            np.add(cell, other, out=free[: len(cell)])
            self.written += len(cell)
        if self.written == len(self.row.indices):
            self.add_up()

    def codes(self, true: Integers, pred: Integers) -> tuple[Integers, Integers]:
        """Codes of both columns, in as few bytes as their pairs need."""
        left, right = self.buffers.left, self.buffers.right
        if self.paired:
            left, right = left.view(np.uint8), right.view(np.uint8)
        left, right = left[: len(true)], right[: len(pred)]
        np.copyto(left, self.code.encode(true, self.buffers), casting="unsafe")
        np.copyto(right, self.code.encode(pred, self.buffers), casting="unsafe")
        return left, right

    def add_up(self) -> None:
        """Add the written cells to the counts: a dense row has the sum of each column."""
        self.row.indices[self.written :] = 0
        self.bins += self.row.toarray()[0]
        self.bins[0] -= len(self.row.indices) - self.written
        self.written = 0

    def store(self) -> None:
        """Keep the counts with the labels in place of codes."""
        if self.written:
            self.add_up()
        counts = self.bins
        if self.paired:
            both = self.bins.reshape(-1, BYTE_VALUES)
            counts = both.sum(axis=1) + both.sum(axis=0)[: len(both)]
            counts[0] -= self.padding
        cells = np.flatnonzero(counts)
        true, pred = np.divmod(cells, self.code.k)
        self.parts.append((self.code.labels(true), self.code.labels(pred), counts[cells]))
        if len(self.parts) > MOST_PARTS:
            self.parts = [merge_counts(self.parts)]

    def results(self) -> list[PairCounts]:
        """All counts; the buffers are given back."""
        self.store()
        self.buffers.give()
        return self.parts


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
    if times is not None:
        order = np.argsort(key)
        key, times = key[order], times[order]
    else:
        key.sort()
    first = np.flatnonzero(np.diff(key, prepend=-1))
    count = np.diff(first, append=len(key)) if times is None else np.add.reduceat(times, first)
    true, pred = np.divmod(key[first], span)
    return true + low, pred + low, count


# Factorising labels

Codes = NDArray[np.int64]

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
    column = _factorize_column(values, what)
    return column if column.labels else replace(column, kind=None)


def _factorize_column(values: Any, what: str) -> FactorizedLabels:
    if isinstance(values, np.ma.MaskedArray):
        values = values.tolist()  # with None for what is masked
    series = polars_column(values, what)
    if series is not None:
        return _factorize_polars(series, what)
    if hasattr(values, "to_pylist"):  # Arrow, of a type that Polars does not have
        values = values.to_pylist()
    elif hasattr(values, "to_numpy"):
        values = values.to_numpy()
    values = on_host(values)
    if hasattr(values, "__array__") and hasattr(values, "dtype"):
        return _factorize_numpy(np.asarray(values), what)
    return _factorize_objects(list(values), what)


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


def with_index(frame: Any) -> Any:
    """The frame, with the named index of pandas as columns."""
    index = getattr(getattr(frame, "index", None), "names", None)
    names = [name for name in index if name] if isinstance(index, list) else []
    return frame.reset_index() if names and not {*names} & {*frame.columns} else frame


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


def _is_masked(values: Any) -> bool:
    """Whether an array, or one of those in nested lists, has a mask that hides something."""
    if isinstance(values, list | tuple):
        inner = (v for v in values if isinstance(v, np.ndarray | list | tuple))
        return any(map(_is_masked, inner))
    return bool(np.ma.is_masked(values))


def polars_column(values: Any, what: str) -> Any:
    """Labels as a Polars series, or ``None`` if they are of several types or not of Python's."""
    library = type(values).__module__.partition(".")[0]
    if type(values).__name__ in ("DataFrame", "LazyFrame", "Table"):
        raise InputError(f"{what} must be one column, got a {type(values).__name__}")
    if library == "polars" and str(values.dtype) == "Object":
        values, library = values.to_list(), ""
    if isinstance(values, np.ndarray) and values.dtype.kind in "UTO" and values.ndim == 1:
        values = values.tolist()
    texts = isinstance(values, list | tuple) and len(values) > 0 and type(values[0]) is str
    if not texts and (library not in ("polars", "pyarrow", "pandas") or is_null(values)):
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
    """An Arrow column without run-end encoding, which few engines can read."""
    import pyarrow as pa

    if not pa.types.is_run_end_encoded(values.type):
        return values
    import pyarrow.compute as pc

    return pc.run_end_decode(values)


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
        known = array[~null]
        if known.dtype.itemsize > 8:
            for value in known[known.astype(np.float64) != known]:
                narrowed(value)
        known = known.astype(np.float64) + 0.0  # −0 is 0
        labels, codes = np.unique(known, return_inverse=True)
        return FactorizedLabels(_with_nulls(codes, null), labels.tolist(), "float")
    return _factorize_objects(array.tolist(), what)


def _factorize_integers(array: NDArray[Any]) -> FactorizedLabels:
    if not array.size:
        return FactorizedLabels(np.zeros(0, np.int64), [], None)
    low, high = int(array.min()), int(array.max())
    if high - low < max(NARROW_RANGE, 2 * array.size):  # a table of the range beats sorting
        if array.dtype == np.uint64:  # whose upper half no signed integer holds
            offset = (array - array.min()).astype(np.int64)
        else:
            offset = np.subtract(array, low, dtype=np.int64)
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
        types = set(map(type, values))
    nulls = [t for t in types if t is type(None) or t.__name__ in ("NAType", "NaTType")]
    floats = [t for t in types if issubclass(t, float | np.floating)]
    if not nulls and not floats:
        return _factorize_known(values, types, what)
    null = np.fromiter(map(is_null, values), bool, len(values))
    known = [v for v, missing in zip(values, null, strict=True) if not missing]
    column = _factorize_known(known, set(map(type, known)), what)
    return replace(column, codes=_with_nulls(column.codes, null))


def _factorize_known(values: Sequence[Any], types: set[type], what: str) -> FactorizedLabels:
    kind = one_kind(types, what)
    if kind == "str" and any(issubclass(t, bytes) for t in types):
        values = [plain(v) for v in values]
    column = coded(values, kind)
    return FactorizedLabels(column.codes, [plain(v) for v in column.labels], kind)


def coded(values: Sequence[Any], kind: str | None) -> FactorizedLabels:
    """Codes of labels that are known to be of one kind, none of them null."""
    place = {v: i for i, v in enumerate(dict.fromkeys(values))}
    codes = np.fromiter(map(place.__getitem__, values), np.int64, len(values))
    return FactorizedLabels(codes, list(place), kind)


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
        raise InputError(
            f"{what} must be text, integers, booleans or floats, got {series.dtype}; "
            "convert such labels to text first"
        )
    if series.dtype in (pl.Null, pl.Binary, pl.Int128) or series.dtype.is_decimal():
        return _factorize_objects(series.to_list(), what)
    if series.null_count():
        null = series.is_null().to_numpy()
        column = _factorize_numpy(series.drop_nulls().to_numpy(), what)
        return replace(column, codes=_with_nulls(column.codes, null))
    return _factorize_numpy(series.to_numpy(), what)
