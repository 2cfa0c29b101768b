"""Stacked: the difference of two systems and its delta error, the same rows weighted in many ways.

Each way has a gradient of its own. Rows stand on the first axis and ways on the last, so that
slopes are handed to rows by adding up whole lines.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from evenhand.core.counts import Counts
from evenhand.core.crossing import CellGradient, cell_gradient
from evenhand.core.followed import followed
from evenhand.core.gradient import Gradient, gradient
from evenhand.core.kernel import Kernel
from evenhand.core.prevalence import factors
from evenhand.core.slopes import AnyGradient, steep
from evenhand.infer.design import CodeDesign, Codes, Floats
from evenhand.infer.rows import Rows
from evenhand.infer.width import tells

TABLES = 1 << 15
"""Ways × systems × classes whose slopes are taken at once: what stays in cache."""

CACHED = 1 << 16
"""Rows × ways whose errors are made at once: what stays in cache."""


class Stacked:
    """Rows of two systems, whose items weigh ``heft``; all ways leave the truth as it is."""

    def __init__(self, rows: Rows, heft: Floats) -> None:
        self.rows = rows
        self._root = np.sqrt(heft)[:, None]
        self._cut: tuple[int, list[tuple[int, Any]]] = (0, [])

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
        ways = np.ascontiguousarray(weights.T)
        root = np.sqrt(ways)
        root *= self._root
        lost = np.zeros(errors.shape, bool)
        for j, (kernel, value) in enumerate(zip(kernels, views.values(kernels), strict=True)):
            c = views.of(kernel)
            gaps[:, j] = value[:, 0] - value[:, 1]
            if kernel.over_cells:
                errors[:, j] = self._error(kernel, cell_gradient(kernel.function, c), ways, root)
                continue
            g = (followed if kernel.ours else gradient)(kernel.function, c)
            if self._adds_up and kernel.target is None:
                errors[:, j] = self._added_up(g, c, root)
            else:
                errors[:, j] = self._error(kernel, g, ways, root)
            lost[:, j] = steep(kernel.function, c, np.asarray(value)).any(axis=1)
        errors[~tells(errors, gaps) & ~np.isnan(errors)] = 0.0
        errors[lost] = np.inf
        return gaps, errors

    @property
    def _adds_up(self) -> bool:
        """Whether every row is an item by itself, or several, with one label from each system."""
        return self.rows.cluster is None and isinstance(self.rows.design, CodeDesign)

    def _added_up(self, g: Gradient, c: Counts, root: Floats) -> Floats:
        """Errors as in :mod:`infer.variance`, a few rows at a time."""
        lines, mean = _lines(g), _whole(g, c) / np.asarray(c.total)[:, 0]
        lines[: 4 * self.rows.design.k] -= mean  # each row has one of these
        square = np.zeros(root.shape[1])
        for start, incident in self._parts(max(1, CACHED // root.shape[1])):
            part = incident @ lines
            part *= root[start : start + len(part)]
            square += np.einsum("rb,rb->b", part, part)
        return np.sqrt(square)

    def _error(self, kernel: Kernel, g: AnyGradient, ways: Floats, root: Floats) -> Floats:
        """The same of clusters, at a stated class mix, or of what has several labels a row."""
        psi = self._slopes(g)
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

    def _slopes(self, g: AnyGradient) -> Floats:
        """The slope of the difference in the weight of each row, rows × ways."""
        design = self.rows.design
        if isinstance(g, Gradient) and isinstance(design, CodeDesign):
            return np.asarray(self._incident @ _lines(g))
        first, second = (self._of_system(g, s) for s in (0, 1))
        first -= second
        return first

    def _of_system(self, g: AnyGradient, s: int) -> Floats:
        design = self.rows.design
        if isinstance(g, CellGradient):
            each = np.moveaxis(g.dense()[:, s], 0, -1)
            if isinstance(design, CodeDesign):
                return np.asarray(each[design.true, design.pred[:, s]])
            found = np.einsum("rt,tpw,rp->rw", design.true, each[:, :-1], design.pred[s])
            return np.asarray(found)
        assert not isinstance(design, CodeDesign)
        correct, alarms, misses = (x[:, s].T for x in (g.correct, g.alarms, g.misses))
        hits, guess = design.hit[s], design.pred[s]
        found = (design.true - hits) @ misses + (guess - hits) @ alarms + hits @ correct
        return np.asarray(found + np.asarray(g.total)[:, s])

    @cached_property
    def _incident(self) -> Any:
        """Which of :func:`_lines` add up to the slope of each row, as a sparse matrix."""
        from scipy import sparse

        design = self.rows.design
        assert isinstance(design, CodeDesign)
        k, row, true = design.k, np.arange(len(design.true)), design.true
        wrong = design.pred != true[:, None]
        own = true + k * (2 * ~wrong[:, 0] + ~wrong[:, 1])
        columns = [4 * k + s * (k + 1) + design.pred[wrong[:, s], s] for s in (0, 1)]
        at = np.concatenate([row, *(row[wrong[:, s]] for s in (0, 1))])
        line = np.concatenate([own, *columns])
        sign = np.where(line < 5 * k + 1, 1.0, -1.0)
        return sparse.csr_array((sign, (at, line)), shape=(len(row), 6 * k + 2))

    def _parts(self, each: int) -> list[tuple[int, Any]]:
        """The same so many rows at a time, each part with its start."""
        if self._cut[0] != each:
            starts = range(0, self._incident.shape[0], each)
            self._cut = each, [(i, self._incident[i : i + each]) for i in starts]
        return self._cut[1]

    @cached_property
    def _strata(self) -> Any:
        assert self.rows.stratum is not None
        return _incidence(self.rows.stratum, self.rows.design.k)

    @cached_property
    def _clusters(self) -> Any:
        assert self.rows.cluster is not None
        names, code = np.unique(self.rows.cluster, return_inverse=True)
        return _incidence(code, len(names))


def _lines(g: Gradient) -> Floats:
    """What the slopes of two systems' difference are added up from, lines × ways.

    By true class where both miss it, the second hits it, the first, both; then the columns of false
    alarms of the first and of the second, the one of outside predictions last.
    """
    total, outside = (np.asarray(x).T for x in (g.total, g.outside))
    misses, hits, alarms = (np.moveaxis(x, 0, -1) for x in (g.misses, g.correct, g.alarms))
    first, second = ((misses[s] + total[s], hits[s] + total[s]) for s in (0, 1))
    own = [a - b for a in first for b in second]
    return np.concatenate([*own, alarms[0], outside[:1], alarms[1], outside[1:]])


def _whole(g: Gradient, c: Counts) -> Floats:
    """Slopes times weights, added up over all rows, of the difference of two systems."""
    parts = ((g.correct, c.correct), (g.misses, c.misses), (g.alarms, c.alarms))
    each = sum(np.einsum("wsk,wsk->ws", slope, margin) for slope, margin in parts)
    found = each + np.asarray(g.total) * c.total + np.asarray(g.outside) * c.outside
    return np.asarray(found[:, 0] - found[:, 1])


def _incidence(code: Codes, size: int) -> Any:
    """A sparse matrix that adds rows up by their code."""
    from scipy import sparse

    row = np.arange(len(code))
    return sparse.csr_array((np.ones(len(code)), (code, row)), shape=(size, len(code)))
