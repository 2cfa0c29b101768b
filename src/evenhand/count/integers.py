"""Pairs of integers, counted at the speed of memory.

Rows are taken in chunks that stay in cache, threads taking parts of the whole. Labels in a narrow
range are checked against it, so that no label can alias into another's cell, and made so small
that a pair of them is one byte where possible: two rows are then counted as one number. Labels
spread wide but few of them go through a perfect hash, verified row by row. Only many different
labels are sorted.
"""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[Any]
Cells = tuple[Ints, Ints, Ints]
"""Distinct true values, predicted values and counts, side by side."""

SMALL = 1 << 16  # rows, at most, that are sorted faster than counted
GLANCE = 1 << 12  # rows from which the first codes are guessed
CHUNK = 1 << 18  # rows that are counted at once
PARALLEL = 1 << 20  # rows from which on threads pay
BLOCK = 1 << 24  # rows that are sorted at once
BYTE = 1 << 8
PAIRED = 16  # codes, at most, of which a pair fits a byte
SQUARE = 1 << 11  # codes, at most, whose pairs are all given a cell
DISTINCT = 1 << 9  # values, at most, that a hash is looked for
ASIDE = 16  # counts put aside before they are merged


class OutOfRangeError(Exception):
    """A label outside the range that is being counted."""


class TooManyValuesError(Exception):
    """More distinct values than the perfect hash has room for."""


def count_integers(true: Ints, pred: Ints) -> Cells:
    """Distinct pairs and how often each occurs."""
    if len(true) <= SMALL:
        return _sorted_block(true, pred)
    workers = min(os.cpu_count() or 1, 8) if len(true) >= PARALLEL else 1
    starts = deque(range(0, len(true), CHUNK))
    try:
        with ThreadPoolExecutor(workers) as pool:
            others = []
            with suppress(RuntimeError):  # Python is shutting down: this thread counts all
                others += [pool.submit(_count, true, pred, starts) for _ in range(workers - 1)]
            found = _count(true, pred, starts)
            return merged([*found, *(cells for other in others for cells in other.result())])
    except TooManyValuesError:
        blocks = range(0, len(true), BLOCK)
        return merged([_sorted_block(true[i : i + BLOCK], pred[i : i + BLOCK]) for i in blocks])


def _count(true: Ints, pred: Ints, starts: deque[int]) -> list[Cells]:
    """Count chunks as long as no other thread has taken them all."""
    counter = _Counter(true[:GLANCE], pred[:GLANCE])
    while starts:
        try:
            at = starts.popleft()
        except IndexError:
            break
        counter.add(true[at : at + CHUNK], pred[at : at + CHUNK])
    return counter.results()


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
    """One thread's counts.

    If there are few codes, a pair of them is a byte, and two neighbouring bytes are counted as
    one number; adding up over the first and over the second byte gives the counts.
    """

    def __init__(self, true: Ints, pred: Ints) -> None:
        self.memory = _Memory.take()
        self.done: list[Cells] = []
        self.begin(_Range(0, 0).widened(true, pred))

    def begin(self, code: _Range | _Hash) -> None:
        """Count from zero, with other codes."""
        self.code, self.paired = code, code.k <= PAIRED
        self.bins = np.zeros(code.k**2 * (BYTE if self.paired else 1), np.int64)
        chunks = -(-(code.k**2) // CHUNK)  # to be written before they are added up
        room = CHUNK // 2 if self.paired else CHUNK * chunks
        self.row = self.memory.row(room, len(self.bins))
        self.written = self.padding = 0

    def add(self, true: Ints, pred: Ints) -> None:
        """Count a chunk, with other codes if a label has none."""
        try:
            cell, other = self.codes(true, pred)
        except OutOfRangeError:
            self.put_aside()
            self.begin(self.code.widened(true, pred))
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

    def codes(self, true: Ints, pred: Ints) -> tuple[Ints, Ints]:
        """Codes of both columns, in as few bytes as their pairs need."""
        left, right = self.memory.left, self.memory.right
        if self.paired:
            left, right = left.view(np.uint8), right.view(np.uint8)
        left, right = left[: len(true)], right[: len(pred)]
        np.copyto(left, self.code.of(true, self.memory), casting="unsafe")
        np.copyto(right, self.code.of(pred, self.memory), casting="unsafe")
        return left, right

    def add_up(self) -> None:
        """Count what is written, as a dense row is the sum of what stands in each column."""
        self.row.indices[self.written :] = 0
        self.bins += self.row.toarray()[0]
        self.bins[0] -= len(self.row.indices) - self.written
        self.written = 0

    def put_aside(self) -> None:
        """Keep the counts in the labels' own values."""
        if self.written:
            self.add_up()
        counts = self.bins
        if self.paired:
            both = self.bins.reshape(-1, BYTE)
            counts = both.sum(axis=1) + both.sum(axis=0)[: len(both)]
            counts[0] -= self.padding
        cells = np.flatnonzero(counts)
        true, pred = np.divmod(cells, self.code.k)
        self.done.append((self.code.labels(true), self.code.labels(pred), counts[cells]))
        if len(self.done) > ASIDE:
            self.done = [merged(self.done)]

    def results(self) -> list[Cells]:
        """All counts, the memory given back."""
        self.put_aside()
        self.memory.give()
        return self.done


class _Memory:
    """What a thread uses again for every chunk, as fresh pages cost more than the counting."""

    spare: ClassVar[list[_Memory]] = []

    def __init__(self) -> None:
        self.left, self.right = np.empty(CHUNK, np.int32), np.empty(CHUNK, np.int32)
        self.first, self.second = np.empty(CHUNK, np.int64), np.empty(CHUNK, np.int64)
        self.flags = np.empty(CHUNK, bool)
        self.matrix: Any = None

    def row(self, entries: int, columns: int) -> Any:
        """A sparse matrix of one row and many ones, whose columns are yet to be written."""
        if self.matrix is None or self.matrix.shape[1] != columns or self.matrix.nnz != entries:
            from scipy.sparse import csr_array

            ones, zeros = np.ones(entries, np.int32), np.zeros(entries, np.int32)
            pointers = np.array([0, entries], np.int32)
            self.matrix = csr_array((ones, zeros, pointers), shape=(1, columns))
        return self.matrix

    @classmethod
    def take(cls) -> _Memory:
        """What an earlier count has given back, or new."""
        try:
            return cls.spare.pop()
        except IndexError:
            return cls()

    def give(self) -> None:
        """Keep it for the next count."""
        if self.matrix.nnz > CHUNK:
            self.matrix = None
        self.spare.append(self)


class _Range:
    """Labels from ``low`` on, less than ``low + k``."""

    def __init__(self, low: int, k: int) -> None:
        self.low, self.k = low, k

    def of(self, labels: Ints, memory: _Memory) -> Ints:
        """How far above ``low`` the labels are, checked."""
        if self.low or (labels.itemsize == 1 and self.k > BYTE // 2):
            labels = np.subtract(labels, self.low, memory.first[: len(labels)], dtype=np.int64)
        code = labels.view(labels.dtype.str.replace("i", "u"))  # what is negative becomes k or more
        if code.max() >= self.k:
            raise OutOfRangeError
        return code

    def labels(self, code: Ints) -> Ints:
        """The labels that have these codes."""
        return code + self.low

    def widened(self, a: Ints, b: Ints) -> _Range | _Hash:
        """A range of these labels too, or of these alone, or a hash if they are far apart."""
        low, span = _range(a, b)
        first, last = min(low, self.low), max(low + span, self.low + self.k)
        if last - first <= (SQUARE if self.k else PAIRED):  # from 0 on, nothing is subtracted
            return _Range(first, last - first)
        return _Range(low, span) if span <= SQUARE else _Hash(_few(a, b))


class _Hash:
    """A multiplicative hash that sends the known values to different slots."""

    def __init__(self, values: Ints) -> None:
        if len(values) > DISTINCT:
            raise TooManyValuesError
        self.values = values
        self.multiplier, self.bits, at = _perfect(values.astype(np.uint64))
        self.table = np.full(1 << self.bits, values[0], np.int64)
        self.table[at] = values
        self.code: Ints | None = None
        self.k = 1 << self.bits
        if self.k > SQUARE:
            self.code = np.zeros(self.k, np.int64)
            self.code[at] = np.arange(len(values))
            self.k = len(values)

    def of(self, labels: Ints, memory: _Memory) -> Ints:
        """The slots of the labels, or their places among the values, each looked up again."""
        n = len(labels)
        slot, found = memory.first[:n], memory.second[:n]
        np.copyto(slot, labels)
        hashed = slot.view(np.uint64)
        hashed *= self.multiplier
        hashed >>= np.uint64(64 - self.bits)
        self.table.take(slot, out=found, mode="clip")
        if np.not_equal(found, labels, out=memory.flags[:n]).any():
            raise OutOfRangeError
        return slot if self.code is None else self.code.take(slot, out=found, mode="clip")

    def labels(self, code: Ints) -> Ints:
        """The labels that have these codes."""
        return (self.table if self.code is None else self.values)[code]

    def widened(self, a: Ints, b: Ints) -> _Hash:
        """A hash of these labels too."""
        return _Hash(np.union1d(self.values, _few(a, b)))


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
