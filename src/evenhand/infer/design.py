"""Design: how rows of data add up to the margins of each system's table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.core.counts import Counts
from evenhand.core.crossed import Crossed
from evenhand.core.crossing import CellGradient
from evenhand.core.slopes import AnyGradient

Floats: TypeAlias = NDArray[Any]
Codes: TypeAlias = NDArray[np.int64]

LONG = 1 << 12
"""Rows beyond which weight vectors are added up one at a time, which then is as quick."""

MANY = 1 << 28
"""Predictions up to which the systems' places are kept as a sparse matrix."""

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
        shape = (len(weights), self.systems, 2, self.k + 1)
        missed, hit = np.moveaxis(self._sums(weights).reshape(shape), 2, 0)
        predicted = missed + hit
        truth = np.broadcast_to(self.prevalence(weights)[:, None], (*shape[:2], self.k))
        total = np.broadcast_to(weights.sum(axis=1)[:, None], shape[:2])
        errors = None
        if not _whole(weights):
            errors = (self._misses(weights), missed[..., :-1])
        return Counts(
            hit[..., :-1], predicted[..., :-1], truth, total, predicted[..., -1], errors=errors
        )

    def crossed(self, weights: Floats) -> Crossed:
        """Cells (B × systems) of rows weighted in B ways."""
        size = self.k * (self.k + 1)
        cells = np.stack([grouped(weights, at, size) for at in self._cell], axis=1)
        cells = cells.reshape(*cells.shape[:2], self.k, self.k + 1)
        return Crossed.from_cells(cells[..., :-1], cells[..., -1])

    def _misses(self, weights: Floats) -> Floats:
        """Weights of the rows that a system got wrong, by their true class."""
        found = times(weights, self._wrong)
        return found.reshape(len(weights), self.systems, self.k)

    def _sums(self, weights: Floats) -> Floats:
        """Weights added up by system, hit or not, and prediction.

        Many systems make almost every row distinct; then a sparse product adds a row's B weights
        at once to the one place that each system gives it.
        """
        size = 2 * (self.k + 1)
        if LONG < self.pred.size <= MANY and len(weights) > 1:
            whole = weights.dtype.kind in "iu" and weights[0].sum() < EXACT
            w = weights.T.astype(np.float32 if whole else np.float64, order="C")
            return np.asarray((self._places.astype(w.dtype) @ w).T, np.float64)
        return np.stack([grouped(weights, c, size) for c in self._code.T], axis=1)

    @cached_property
    def _code(self) -> Codes:
        return np.asarray(self.pred + (self.k + 1) * (self.pred == self.true[:, None]), np.int64)

    @cached_property
    def _places(self) -> Any:
        from scipy import sparse

        size = 2 * (self.k + 1)
        place = (self._code + size * np.arange(self.systems)).reshape(-1)
        start = np.arange(0, place.size + 1, self.systems)
        ones = np.ones(place.size, np.float32)
        return sparse.csc_array((ones, place, start), shape=(size * self.systems, len(self.true)))

    @cached_property
    def _wrong(self) -> Any:
        """Rows × (systems · k): where each system's misses go."""
        from scipy import sparse

        row, system = np.nonzero(self.pred != self.true[:, None])
        at = (row, self.true[row] + self.k * system)
        shape = (len(self.true), self.systems * self.k)
        return sparse.csr_array((np.ones(len(row)), at), shape=shape)

    def influence(self, g: AnyGradient) -> Floats:
        """A metric's derivative in the weight of each row, for each system; or that of a stack."""
        shape = np.shape(g.total)
        if self.k * (self.k + 1) > len(self.true):
            table = np.arange(math.prod(shape)).reshape(*shape, 1)
            return g.at(table, self.true, self.pred.T)
        cells = g.dense().reshape(-1, self.systems, self.k * (self.k + 1))
        found = [c.take(at) for x in cells for c, at in zip(x, self._cell, strict=True)]
        return np.stack(found).reshape(*shape, -1)

    @cached_property
    def _cell(self) -> Codes:
        return np.ascontiguousarray((self.true[:, None] * (self.k + 1) + self.pred).T)

    def class_influence(self, slopes: list[Floats], s: int) -> tuple[Codes, Codes, Floats]:
        """Row, class and derivative, where one row's weight moves one class's value."""
        pred = self.pred[:, s]
        return class_influence(slopes, self.true, pred, pred < self.k)


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
        errors = None
        if isinstance(self.true, np.ndarray):  # probabilities; indicators have no agreement
            pairs = list(zip(self.pred, self.hit, strict=True))
            errors = (
                np.stack([times(weights, self.true - hit) for _, hit in pairs], axis=1),
                np.stack([times(weights, pred - hit) for pred, hit in pairs], axis=1),
            )
        return Counts(correct, bias, truth, total, np.zeros(bias.shape[:2]), errors=errors)

    def crossed(self, weights: Floats) -> Crossed:
        """Cells (B × systems) of rows weighted in B ways."""
        cells = [[(self.true * w[:, None]).T @ pred for pred in self.pred] for w in weights]
        return Crossed.from_cells(np.array(cells))

    def influence(self, g: AnyGradient) -> Floats:
        """A metric's derivative in the weight of each row, for each system; or that of a stack."""
        if isinstance(g, CellGradient):
            cells = np.moveaxis(g.dense()[..., :-1], -3, 0)
            return np.stack(
                [
                    np.einsum("rt,...tp,rp->...r", self.true, own, pred)
                    for own, pred in zip(cells, self.pred, strict=True)
                ],
                axis=-2,
            )
        each = []
        for s, (pred, hit) in enumerate(zip(self.pred, self.hit, strict=True)):
            correct, misses, alarms = (x[..., s, :].T for x in (g.correct, g.misses, g.alarms))
            found = (self.true - hit) @ misses + (pred - hit) @ alarms + hit @ correct
            each.append((found + g.total[..., s]).T)
        return np.stack(each, axis=-2)

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


def _whole(weights: Floats) -> bool:
    """Whether differences of sums of ``weights`` are exact."""
    if weights.dtype.kind in "iu":
        return True
    if not np.array_equal(weights[:1], np.rint(weights[:1])):
        return False  # the first way tells it of most
    small = weights.sum(axis=1).max(initial=0) < 1 << 53
    return bool(small and np.array_equal(weights, np.rint(weights)))


Design: TypeAlias = CodeDesign | MatrixDesign


def class_influence(
    slopes: list[Floats], true: Codes, pred: Codes, inside: Floats
) -> tuple[Codes, Codes, Floats]:
    """Row, class and derivative, of a true and a predicted class a row, some not ``inside``."""
    correct, bias, prevalence = slopes
    rows, guess = np.arange(len(true)), pred[inside]
    hit = np.where(true == pred, correct[true], 0.0)
    return (
        np.concatenate([rows, rows[inside]]),
        np.concatenate([true, guess]),
        np.concatenate([prevalence[true] + hit, bias[guess]]),
    )


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
