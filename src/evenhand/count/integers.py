"""Pairs of integers, counted at the speed of memory.

Rows are taken in chunks that stay in cache, threads taking parts of the whole. A chunk whose
labels lie in a narrow range is added up as a sparse matrix, which checks that range, so that no
label can alias into another's cell. Labels spread wide but few of them go through a perfect
hash, verified row by row. Only many different labels are sorted.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[Any]
Cells = tuple[Ints, Ints, Ints]
"""Distinct true values, predicted values and counts, side by side."""

CHUNK = 1 << 19
HASHED = 1 << 17  # a hash makes arrays as long as the chunk, and larger ones leave the cache
NIBBLE = 16
SQUARE = 1 << 11
DISTINCT = 1 << 9
PARALLEL = 1 << 20
BLOCK = 1 << 24


class TooManyValuesError(Exception):
    """More distinct values than the perfect hash has room for."""


def count_integers(true: Ints, pred: Ints) -> Cells:
    """Distinct pairs and how often each occurs."""
    workers = min(os.cpu_count() or 1, 8) if len(true) >= PARALLEL else 1
    step = -(-len(true) // workers)
    parts = [(true[i : i + step], pred[i : i + step]) for i in range(0, len(true), step)]
    try:
        if workers == 1:
            return merged([c for p in parts for c in _Counter().run(*p)])
        with ThreadPoolExecutor(workers) as pool:
            return merged(
                [c for found in pool.map(lambda p: _Counter().run(*p), parts) for c in found]
            )
    except TooManyValuesError:
        blocks = range(0, len(true), BLOCK)
        return merged([_sorted_block(true[i : i + BLOCK], pred[i : i + BLOCK]) for i in blocks])


def merged(parts: list[Cells]) -> Cells:
    """Pairs of several counts, equal ones added up."""
    if len(parts) == 1:
        return parts[0]
    true, pred, count = (np.concatenate([p[i] for p in parts], dtype=np.int64) for i in range(3))
    low, span = _range(true, pred)
    if span < 1 << 31:
        order = np.argsort((true - low) * span + (pred - low), kind="stable")
    else:
        order = np.lexsort((pred, true))
    true, pred, count = true[order], pred[order], count[order]
    new = np.ones(len(true), bool)
    new[1:] = (true[1:] != true[:-1]) | (pred[1:] != pred[:-1])
    first = np.flatnonzero(new)
    return true[first], pred[first], np.add.reduceat(count, first) if len(first) else count


def _range(a: Ints, b: Ints) -> tuple[int, int]:
    """The smallest value, and how many there are up to the largest."""
    low = min(int(a.min()), int(b.min()))
    return low, max(int(a.max()), int(b.max())) - low + 1


class _Counter:
    """One thread's counters: squares of aligned ranges, and a hash for wide ones."""

    def __init__(self) -> None:
        self.low, self.k = 0, NIBBLE
        self.counts: dict[tuple[int, int], Ints] = {}
        self.book: _Codebook | None = None
        self.done: list[Cells] = []
        self.ones = np.ones(CHUNK, np.int32)

    def run(self, true: Ints, pred: Ints) -> list[Cells]:
        at = 0
        while at < len(true):
            size = CHUNK if self.book is None else HASHED
            size = max(size, self.k * self.k)  # or clearing the counters would cost more
            a, b = true[at : at + size], pred[at : at + size]
            at += len(a)
            if self.book is None:
                try:
                    self.add(a, b)
                    continue
                except ValueError:  # out of range
                    self.refit(a, b)
            self.add(*(self.coded(a, b) if self.book else (a, b)))
        return [*self.done, *self.results()]

    def add(self, a: Ints, b: Ints) -> None:
        """Count a chunk whose labels are all in the current range, or raise ValueError."""
        from scipy.sparse import coo_array

        if len(self.ones) < len(a):
            self.ones = np.ones(len(a), np.int32)
        if self.low:
            a, b = (np.subtract(x, self.low, dtype=np.int64) for x in (a, b))
        shape = (self.k, self.k)
        found = coo_array((self.ones[: len(a)], (a, b)), shape=shape).toarray()
        square = (self.low, self.k)
        if square in self.counts:
            self.counts[square] += found
        else:
            self.counts[square] = found.astype(np.int64)

    def refit(self, a: Ints, b: Ints) -> None:
        """Choose an aligned range, which neighbouring chunks share, or a hash."""
        low, span = _range(a, b)
        half = NIBBLE // 2
        while half < span:
            half *= 2
        if span > SQUARE:
            self.book = _Codebook(_few(a, b))
            self.done.extend(self.results_by_range())
            self.low, self.k = 0, self.book.size
        else:
            self.low, self.k = low - low % half, 2 * half

    def coded(self, a: Ints, b: Ints) -> tuple[Ints, Ints]:
        """The chunk's values as slots of the hash, which grows when new values appear."""
        assert self.book is not None
        x, y = self.book.slots(a), self.book.slots(b)
        if x is None or y is None:
            self.done.extend(self.results())
            self.book = _Codebook(np.union1d(self.book.values, _few(a, b)))
            self.counts, self.k = {}, self.book.size
            x, y = self.book.slots(a), self.book.slots(b)
        assert x is not None and y is not None
        return x, y

    def results_by_range(self) -> list[Cells]:
        found = []
        for (low, _), counts in self.counts.items():
            true, pred = np.nonzero(counts)
            found.append((true + low, pred + low, counts[true, pred]))
        self.counts = {}
        return found

    def results(self) -> list[Cells]:
        found = self.results_by_range()
        if self.book is None:
            return found
        table = self.book.table
        return [(table[true], table[pred], count) for true, pred, count in found]


class _Codebook:
    """A multiplicative hash that sends the known values to different slots."""

    def __init__(self, values: Ints) -> None:
        if len(values) > DISTINCT:
            raise TooManyValuesError
        self.values = values
        self.multiplier, self.bits, at = _perfect(values.astype(np.uint64))
        self.table = np.full(1 << self.bits, values[0])
        self.table[at] = values
        self.code: Ints | None = None
        self.size = 1 << self.bits
        self.check = self.table
        if self.size > SQUARE:
            self.code = np.zeros(self.size, np.int64)
            self.code[at] = np.arange(len(values))
            self.table, self.size = values, len(values)

    def slots(self, x: Ints) -> Ints | None:
        """Where the values are in ``table``; ``None`` if one of them is not in the book."""
        h = x.astype(np.uint64)
        h *= self.multiplier
        h >>= np.uint64(64 - self.bits)
        slot = h.view(np.int64)
        if not np.array_equal(self.check.take(slot), x):
            return None
        return slot if self.code is None else self.code.take(slot)


def _perfect(values: Ints) -> tuple[Any, int, Ints]:
    """A multiplier whose top bits differ for all values, how many bits, and those bits."""
    odd = np.random.default_rng(0).integers(0, 1 << 63, 512, dtype=np.uint64)
    odd = odd * np.uint64(2) + np.uint64(1)
    hashes = values[None, :] * odd[:, None]
    for bits in range(4, 19):
        slots = (hashes >> np.uint64(64 - bits)).astype(np.int64)
        apart = np.diff(np.sort(slots, axis=1), axis=1).all(axis=1)
        if apart.any():
            best = int(np.argmax(apart))
            return odd[best], bits, slots[best]
    raise TooManyValuesError


def _few(*columns: Ints) -> Ints:
    """Distinct values of a chunk, unless there are too many to bother."""
    found = []
    for x in columns:
        sample = np.unique(x[:: max(1, len(x) // 4096)])
        if len(sample) > DISTINCT:
            raise TooManyValuesError
        found += [sample, np.unique(x[~np.isin(x, sample)])]
    return np.unique(np.concatenate(found))


def _sorted_block(a: Ints, b: Ints) -> Cells:
    """Any integers: one key a pair, sorted; memory is a few times the block."""
    low, span = _range(a, b)
    if span < 1 << 31:
        key = np.subtract(a, low, dtype=np.int64)
        key *= span
        key += b
        key -= low
        key.sort()
        first = np.flatnonzero(np.diff(key, prepend=-1))
        count = np.diff(first, append=len(key))
        true, pred = np.divmod(key[first], span)
        return true + low, pred + low, count
    values, codes = np.unique(np.concatenate([a, b]), return_inverse=True)
    true, pred, count = _sorted_block(codes[: len(a)], codes[len(a) :])
    return values[true], values[pred], count
