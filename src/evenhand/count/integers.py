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

import numpy as np

from evenhand.count.codes import (
    BYTE,
    PAIRED,
    Hash,
    Ints,
    OutOfRangeError,
    Range,
    TooManyValuesError,
    extent,
)
from evenhand.count.memory import CHUNK, Memory

Cells = tuple[Ints, Ints, Ints]
"""Distinct true values, predicted values and counts, side by side."""

SMALL = 1 << 16  # rows, at most, that are sorted faster than counted
GLANCE = 1 << 12  # rows from which the first codes are guessed
PARALLEL = 1 << 20  # rows from which on threads pay
BLOCK = 1 << 24  # rows that are sorted at once
ASIDE = 16  # counts put aside before they are merged


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
    low, span = extent(true, pred)
    if span < 1 << 31:
        order = np.argsort((true - low) * span + (pred - low), kind="stable")
    else:
        order = np.lexsort((pred, true))
    true, pred, count = true[order], pred[order], count[order]
    new = np.ones(len(true), bool)
    new[1:] = (true[1:] != true[:-1]) | (pred[1:] != pred[:-1])
    first = np.flatnonzero(new)
    return true[first], pred[first], np.add.reduceat(count, first) if len(first) else count


class _Counter:
    """One thread's counts.

    If there are few codes, a pair of them is a byte, and two neighbouring bytes are counted as
    one number; adding up over the first and over the second byte gives the counts.
    """

    def __init__(self, true: Ints, pred: Ints) -> None:
        self.memory = Memory.take()
        self.done: list[Cells] = []
        self.begin(Range(0, 0).widened(true, pred))

    def begin(self, code: Range | Hash) -> None:
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


def _sorted_block(a: Ints, b: Ints) -> Cells:
    """Any integers: one key a pair, sorted; memory is a few times the block."""
    low, span = extent(a, b)
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
