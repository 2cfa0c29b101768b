"""Design: how rows of data add up to the margins of each system's table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.core.counts import Counts
from evenhand.core.gradient import Gradient

Floats: TypeAlias = NDArray[Any]
Codes: TypeAlias = NDArray[np.int64]

LONG = 1 << 12
"""Rows beyond which weight vectors are added up one at a time, which then is as quick."""

DENSE = 1 << 26
"""Entries up to which the systems' indicators are kept as a matrix, for products."""

EXACT = 1 << 24
"""Whole numbers up to which single precision is exact."""


@dataclass(frozen=True, eq=False)
class CodeDesign:
    """Hard labels: a true code a row, and a predicted code (k: outside) for each system."""

    k: int
    true: Codes
    pred: Codes

    @property
    def systems(self) -> int:
        return int(self.pred.shape[1])

    def prevalence(self, weights: Floats) -> Floats:
        """True margins (B × k) of rows weighted in B ways."""
        return grouped(weights, self.true, self.k)

    def counts(self, weights: Floats) -> Counts:
        """Margins (B × systems × k) of rows weighted in B ways."""
        if self._large and weights.dtype.kind in "iu" and weights[0].sum() < EXACT:
            return self._by_products(weights)
        shape = (len(weights), self.systems, 2, self.k + 1)
        size = 2 * (self.k + 1)
        code = self.pred + (self.k + 1) * (self.pred == self.true[:, None])
        sums = np.stack([grouped(weights, c, size) for c in code.T], axis=1)
        missed, hit = np.moveaxis(sums.reshape(shape), 2, 0)
        predicted = missed + hit
        truth = np.broadcast_to(self.prevalence(weights)[:, None], (*shape[:2], self.k))
        total = np.broadcast_to(weights.sum(axis=1)[:, None], shape[:2])
        return Counts(hit[..., :-1], predicted[..., :-1], truth, total, predicted[..., -1])

    def _by_products(self, weights: Floats) -> Counts:
        """The same by matrix products, where many systems make almost every row distinct."""
        w = weights.astype(np.float32)  # whole numbers, so that nothing is rounded
        shape = (len(w), self.systems, self.k)
        predicted = (w @ self._guesses).reshape(*shape[:2], self.k + 1).astype(np.float64)
        start = np.searchsorted(self.true, np.arange(self.k + 1))
        hits, truth = np.zeros(shape), np.zeros((len(w), 1, self.k))
        right = np.asarray(self.pred == self.true[:, None], np.float32)
        for t, (a, b) in enumerate(pairwise(start)):
            hits[..., t] = w[:, a:b] @ right[a:b]
            truth[:, 0, t] = w[:, a:b].sum(axis=1)
        total = np.broadcast_to(truth.sum(axis=-1), shape[:2])
        bias, outside = predicted[..., :-1], predicted[..., -1]
        return Counts(hits, bias, np.broadcast_to(truth, shape), total, outside)

    @cached_property
    def _large(self) -> bool:
        rows, columns = len(self.true), self.systems * (self.k + 1)
        return LONG < rows <= DENSE // columns and bool(np.all(np.diff(self.true) >= 0))

    @cached_property
    def _guesses(self) -> Floats:
        found = np.zeros((len(self.true), self.systems * (self.k + 1)), np.float32)
        place = self.pred + (self.k + 1) * np.arange(self.systems)
        found[np.arange(len(place))[:, None], place] = 1
        return found

    def influence(self, g: Gradient) -> Floats:
        """The metric's derivative in the weight of each row, for each system."""
        return np.stack(
            [g.at(np.full(len(self.true), s), self.true, self.pred[:, s]) for s in self._all]
        )

    def class_influence(self, slopes: list[Floats], s: int) -> tuple[Codes, Codes, Floats]:
        """Row, class and derivative, where one row's weight moves one class's value."""
        correct, bias, prevalence = slopes
        rows, true, pred = np.arange(len(self.true)), self.true, self.pred[:, s]
        inside = pred < self.k
        hit = np.where(true == pred, correct[true], 0.0)
        return (
            np.concatenate([rows, rows[inside]]),
            np.concatenate([true, pred[inside]]),
            np.concatenate([prevalence[true] + hit, bias[pred[inside]]]),
        )

    @property
    def _all(self) -> range:
        return range(self.systems)


@dataclass(frozen=True, eq=False)
class MatrixDesign:
    """Indicators or probabilities: true, predicted and hit labels, as rows × k matrices."""

    k: int
    true: Any
    pred: tuple[Any, ...]
    hit: tuple[Any, ...]

    @property
    def systems(self) -> int:
        return len(self.pred)

    def prevalence(self, weights: Floats) -> Floats:
        """True margins (B × k) of rows weighted in B ways."""
        return times(weights, self.true)

    def counts(self, weights: Floats) -> Counts:
        """Margins (B × systems × k) of rows weighted in B ways."""
        correct, bias = (
            np.stack([times(weights, m) for m in side], axis=1) for side in (self.hit, self.pred)
        )
        truth = np.broadcast_to(self.prevalence(weights)[:, None], bias.shape)
        total = np.broadcast_to(weights.sum(axis=1)[:, None], bias.shape[:2])
        return Counts(correct, bias, truth, total, np.zeros(bias.shape[:2]))

    def influence(self, g: Gradient) -> Floats:
        """The metric's derivative in the weight of each row, for each system."""
        return np.stack(
            [
                self.true @ g.prevalence[s]
                + self.pred[s] @ g.bias[s]
                + self.hit[s] @ g.correct[s]
                + g.total[s]
                for s in range(self.systems)
            ]
        )

    def class_influence(self, slopes: list[Floats], s: int) -> tuple[Codes, Codes, Floats]:
        """Row, class and derivative, where one row's weight moves one class's value."""
        from scipy import sparse

        correct, bias, prevalence = slopes
        parts = []
        for matrix, slope in zip(
            (self.hit[s], self.pred[s], self.true), (correct, bias, prevalence), strict=True
        ):
            m = sparse.coo_array(matrix)
            parts.append((m.row, m.col, m.data * slope[m.col]))
        return tuple(np.concatenate(x) for x in zip(*parts, strict=True))  # type: ignore[return-value]


Design: TypeAlias = CodeDesign | MatrixDesign


def times(weights: Floats, matrix: Any) -> Floats:
    """B × rows weights times a rows × columns matrix, sparse or not."""
    if isinstance(matrix, np.ndarray):
        return np.asarray(weights @ matrix)
    return np.asarray((matrix.T @ np.ascontiguousarray(weights.T)).T)


def grouped(weights: Floats, code: Codes, size: int) -> Floats:
    """B × rows weights added up by each row's code, as B × size."""
    if len(code) > LONG:
        return np.stack([np.bincount(code, w, minlength=size) for w in weights])
    place = code + size * np.arange(len(weights))[:, None]
    found = np.bincount(place.reshape(-1), weights.reshape(-1), minlength=size * len(weights))
    return np.asarray(found.reshape(len(weights), size))
