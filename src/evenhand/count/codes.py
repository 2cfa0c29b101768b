"""Codes: integer labels made small, by their distance from the least or by a perfect hash."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.count.memory import Memory

Ints = NDArray[Any]

BYTE = 1 << 8
PAIRED = 16  # codes, at most, of which a pair fits a byte
SQUARE = 1 << 11  # codes, at most, whose pairs are all given a cell
DISTINCT = 1 << 9  # values, at most, that a hash is looked for


class OutOfRangeError(Exception):
    """A label outside the range that is being counted."""


class TooManyValuesError(Exception):
    """More distinct values than the perfect hash has room for."""


class Range:
    """Labels from ``low`` on, less than ``low + k``."""

    def __init__(self, low: int, k: int) -> None:
        self.low, self.k = low, k

    def of(self, labels: Ints, memory: Memory) -> Ints:
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

    def widened(self, a: Ints, b: Ints) -> Range | Hash:
        """A range of these labels too, or of these alone, or a hash if they are far apart."""
        low, span = extent(a, b)
        first, last = min(low, self.low), max(low + span, self.low + self.k)
        if last - first <= (SQUARE if self.k else PAIRED):  # from 0 on, nothing is subtracted
            return Range(first, last - first)
        return Range(low, span) if span <= SQUARE else Hash(_few(a, b))


class Hash:
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

    def of(self, labels: Ints, memory: Memory) -> Ints:
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

    def widened(self, a: Ints, b: Ints) -> Hash:
        """A hash of these labels too."""
        return Hash(np.union1d(self.values, _few(a, b)))


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


def extent(a: Ints, b: Ints) -> tuple[int, int]:
    """The smallest value, and how many there are up to the largest."""
    low = min(int(a.min()), int(b.min()))
    return low, max(int(a.max()), int(b.max())) - low + 1
