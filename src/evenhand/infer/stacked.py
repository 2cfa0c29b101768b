"""Stacked: the difference of two systems and its delta error, the same rows weighted in many ways.

Each way has a gradient of its own. Rows stand on the first axis and ways on the last, so that
slopes are handed from cells to rows by copying whole lines.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from evenhand.core.crossing import CellGradient, cell_gradient
from evenhand.core.gradient import GUESS, gradient, reductions
from evenhand.core.kernel import Kernel
from evenhand.core.prevalence import factors
from evenhand.core.slopes import AnyGradient, steep
from evenhand.infer.design import CodeDesign, Codes, Floats
from evenhand.infer.rows import Rows
from evenhand.infer.width import tells

TABLES = 1 << 14
"""Ways × systems × classes whose slopes are taken at once: what stays in cache."""

CACHED = 1 << 18
"""Rows × ways whose errors are made at once: what stays in cache."""


LEAST = 32
"""Ways at once all the same, where rows are very many."""


class Stacked:
    """Rows of two systems, whose items weigh ``heft``; all ways leave the truth as it is."""

    def __init__(self, rows: Rows, heft: Floats) -> None:
        self.rows = rows
        self._root = np.sqrt(heft)[:, None]

    @property
    def most(self) -> int:
        """Ways that are best weighed at once."""
        return max(1, TABLES // (2 * self.rows.design.k))

    def differences(self, kernels: list[Kernel], weights: Floats) -> tuple[Floats, Floats]:
        """Differences and their errors (ways × metrics), for ``weights`` of ways × rows.

        An error is 0 where it is rounding, infinite where a slope is.
        """
        views = self.rows.views(kernels, weights)
        gaps, errors = np.empty((2, len(weights), len(kernels)))
        slopes, lost = list[AnyGradient](), list[Floats]()
        for j, (kernel, value) in enumerate(zip(kernels, views.values(kernels), strict=True)):
            c = views.of(kernel)
            gaps[:, j] = value[:, 0] - value[:, 1]
            if kernel.over_cells:
                slopes.append(cell_gradient(kernel.function, c))
                lost.append(np.zeros(len(weights), bool))
                continue
            known = reductions(kernel.function, c.undefined) if kernel.ours else GUESS
            slopes.append(gradient(kernel.function, c, reductions=known))
            lost.append(np.asarray(steep(kernel.function, c, np.asarray(value)).any(axis=1)))
        each = max(LEAST, CACHED // weights.shape[1])
        for start, end in pairwise([*range(0, len(weights), each), len(weights)]):
            ways = np.ascontiguousarray(weights[start:end].T)
            root = np.sqrt(ways) * self._root
            for j, (kernel, g) in enumerate(zip(kernels, slopes, strict=True)):
                psi = self._slopes(g, slice(start, end))
                errors[start:end, j] = self._error(kernel, psi, ways, root)
        errors[~tells(errors, gaps) & ~np.isnan(errors)] = 0.0
        errors[np.transpose(lost)] = np.inf
        return gaps, errors

    def _error(self, kernel: Kernel, psi: Floats, ways: Floats, root: Floats) -> Floats:
        """Errors from the slopes in the weight of each row, as in :mod:`infer.variance`."""
        if kernel.target is None:
            psi -= np.einsum("rb,rb->b", ways, psi) / ways.sum(axis=0)
        else:
            stratum, target = self.rows.stratum, kernel.target
            assert stratum is not None
            truth = self._strata @ ways[:, :1]
            mean = (self._strata @ (ways * psi)) / np.where(truth > 0, truth, 1.0)
            psi -= mean[stratum]
            psi *= factors(truth[:, 0], target if target.ndim < 2 else target[0])[stratum][:, None]
        if self.rows.cluster is None:
            psi *= root
            psi *= psi
            return np.asarray(np.sqrt(psi.sum(axis=0)))
        parts = self._clusters @ (ways * psi)
        number = len(parts)
        return np.asarray(np.sqrt((parts**2).sum(axis=0) * (number / (number - 1))))

    def _slopes(self, g: AnyGradient, at: slice) -> Floats:
        """The slope of the difference in the weight of each row, rows × ways."""
        first, second = (self._of_system(g, at, s) for s in (0, 1))
        first -= second
        return first

    def _of_system(self, g: AnyGradient, at: slice, s: int) -> Floats:
        design = self.rows.design
        if isinstance(g, CellGradient):
            each = np.moveaxis(g.dense()[at, s], 0, -1)
            if isinstance(design, CodeDesign):
                true, pred, row = self._cells[s]
                return np.asarray(each[true, pred].take(row, axis=0))
            found = np.einsum("rt,tpw,rp->rw", design.true, each[:, :-1], design.pred[s])
            return np.asarray(found)
        correct, alarms, misses = (x[at, s].T for x in (g.correct, g.alarms, g.misses))
        total = np.asarray(g.total)[at, s]
        if isinstance(design, CodeDesign):
            true, pred, row = self._cells[s]
            columns = np.concatenate([alarms, np.asarray(g.outside)[None, at, s]])
            hit = (true == pred)[:, None]
            cells = np.where(hit, correct[true], misses[true] + columns[pred]) + total
            return np.asarray(cells.take(row, axis=0))
        hits, guess = design.hit[s], design.pred[s]
        found = (design.true - hits) @ misses + (guess - hits) @ alarms + hits @ correct
        return np.asarray(found + total)

    @cached_property
    def _cells(self) -> list[tuple[Codes, Codes, Codes]]:
        """For each system the true and predicted code of the cells it fills, and each row's."""
        design = self.rows.design
        assert isinstance(design, CodeDesign)
        found = []
        for pred in design.pred.T:
            cell, row = np.unique(design.true * (design.k + 1) + pred, return_inverse=True)
            found.append((*np.divmod(cell, design.k + 1), row))
        return found

    @cached_property
    def _strata(self) -> Any:
        assert self.rows.stratum is not None
        return _incidence(self.rows.stratum, self.rows.design.k)

    @cached_property
    def _clusters(self) -> Any:
        assert self.rows.cluster is not None
        names, code = np.unique(self.rows.cluster, return_inverse=True)
        return _incidence(code, len(names))


def _incidence(code: Codes, size: int) -> Any:
    """A sparse matrix that adds rows up by their code."""
    from scipy import sparse

    row = np.arange(len(code))
    return sparse.csr_array((np.ones(len(code)), (code, row)), shape=(size, len(code)))
