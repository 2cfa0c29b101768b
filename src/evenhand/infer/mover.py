"""Square and add: the interval of a metric at a class mix, from the limits of every rate.

At a stated mix every true row is a sample of its own, and a row that was all right, or all wrong,
seems certain to the delta method. Here each rate R_ij moves to its limits, the others of its row
in proportion, and the metric is computed there: low = f − √Σ_ij (1 − R_ij)·(f − f_ij)², with f_ij
the lower of the two values, and high likewise. To first order that is the delta method; where the
metric bends or a rate is at its end, it follows. (Newcombe 1998 for differences of shares, Zou &
Donner 2008 for any function: MOVER, the method of variance estimates recovery.)

Rates of 0 are not added but count once, by the largest change that one of them makes: over all rows
and columns together, what was never seen has Σ n_i·R_ij < 3.7 at a level of 95 %.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from evenhand.core.counts import Counts
from evenhand.core.kernel import Kernel
from evenhand.infer.design import Floats
from evenhand.infer.mid_p import mid_p_limits
from evenhand.infer.quantile import reach
from evenhand.infer.rates import at_mix, rates_of
from evenhand.infer.row_items import row_items
from evenhand.infer.rows import Rows
from evenhand.infer.smoothed import Smoothed
from evenhand.infer.transform import extent
from evenhand.infer.variance import over
from evenhand.tables.confusion import Confusion

WORK = 1 << 18
"""Mixes × k³ up to which rates are moved one by one: k² tables of k classes for each mix."""
CHUNK = 1 << 20
"""Numbers worked on at a time: it bounds memory, whatever the number of mixes."""


@dataclass(frozen=True, eq=False)
class Limited:
    """Rates of one table or of many (T × k × k + 1), and how far they may go.

    ``limits`` are the lower and the upper one of each rate (2 × T × k × k + 1); ``unseen`` are the
    rows with all errors that were never seen, at what they share.
    """

    rates: Floats
    limits: Floats
    unseen: Floats
    level: float

    @classmethod
    def of(cls, cells: Floats, items: Floats, level: float) -> Limited:
        """Of counted cells; ``items`` of each true class are as many as tell as much.

        The limits are mid-p limits; a rate of 0 goes to that of the exact test, 1 − (α/2)^(1/n).
        Errors of a row that were never seen share one such limit, like the columns are predicted.
        """
        rates = rates_of(cells.reshape(-1, *cells.shape[-2:]))
        n = items.reshape(*rates.shape[:-1], 1)
        pull = Smoothed.of_cells(n * rates).columns[..., None, :]
        own = np.eye(*rates.shape[-2:]) > 0
        open_ = (rates == 0) & (pull > 0) & (n > 0)
        most = 1 - ((1 - level) / 2) ** over(np.ones(1), n)
        low, high = mid_p_limits(rates, n, level)
        limits = np.stack([low, np.where(open_, most, np.where(rates > 0, high, 0.0))])
        part = np.where(open_ & ~own, pull, 0.0)
        whole = part.sum(axis=-1, keepdims=True)
        unseen = np.where(whole > 0, (1 - most) * rates + most * over(part, whole), rates)
        return cls(rates, limits, unseen, level)

    def at(self, part: slice) -> Limited:
        """Some of the tables."""
        return Limited(self.rates[part], self.limits[:, part], self.unseen[part], self.level)

    @property
    def moves(self) -> Floats:
        """Changes of a row (2 × T × k × k + 2 × k + 1), the others of it in proportion.

        Each rate to its lower and to its upper limit; last, all unseen errors together.
        """
        rates = self.rates[..., None, :]
        rest = over(1 - self.limits, 1 - self.rates, 1.0)[..., None] * rates
        alone = np.where(np.eye(rates.shape[-1]) > 0, self.limits[..., None], rest)
        together = np.broadcast_to(self.unseen[..., None, :], (2, *rates.shape))
        return np.concatenate([alone, together], axis=-2) - rates

    def intervals(
        self, values: list[Floats], kernels: list[Kernel], mixes: Floats
    ) -> list[tuple[Floats, Floats, Floats]]:
        """Standard error and ends of each metric; the error is the one that the reach recovers."""
        z, found = reach(self.level), self.reaches(kernels, mixes[None])
        return [
            (np.sqrt((far**2).sum(axis=0) / 2) / z, *inside(value, far, kernel))
            for value, kernel, far in zip(values, kernels, found, strict=True)
        ]

    def reaches(self, kernels: list[Kernel], mixes: Floats) -> list[Floats]:
        """How far the interval of each metric reaches below and above it at each mix (2 × P).

        Mixes are for all kernels (1 × P × k), or for each its own (kernels × P × k), and of one
        table or each of its own. A kernel with one value a class has one reach a class.
        """
        size, k = mixes.shape[-2:]
        each = max(1, CHUNK // (2 * k**3 * len(mixes)))
        parts = []
        for i in range(0, size, each):
            part = slice(i, i + each)
            own = self if len(self.rates) == 1 or each >= size else self.at(part)
            parts.append(own._reaches([_masked(x, part) for x in kernels], mixes[:, part]))
        return [np.concatenate(x, axis=1) for x in zip(*parts, strict=True)]

    def _reaches(self, kernels: list[Kernel], mixes: Floats) -> list[Floats]:
        here = at_mix(self.rates, mixes)
        there = self._moved(here, mixes)
        changes = []
        with np.errstate(invalid="ignore", divide="ignore"):
            for i, kernel in enumerate(kernels):
                at, mask = min(i, len(mixes) - 1), kernel.averaged
                apart = mask if mask is None or mask.ndim < 2 else mask[:, None, None]
                moved = replace(kernel, averaged=apart).prepared(there.at((slice(None), at)))
                value = np.asarray(kernel.function(kernel.prepared(here.at(at))), np.float64)
                value = value.reshape(-1, 1, 1, *value.shape[1:])
                changes.append(np.asarray(kernel.function(moved), np.float64) - value)
        return [_added(np.nan_to_num(x), self.rates) for x in changes]

    def _moved(self, c: Counts, mixes: Floats) -> Counts:
        """Margins (2 × mixes × row × move × k) with one row after another moved."""
        by = self.moves[:, None] * mixes[..., None, None]
        row = np.eye(mixes.shape[-1], dtype=bool)[:, None]
        correct, misses, alarms, truth = (
            x[..., None, None, :] for x in (c.correct, c.misses, c.alarms, mixes)
        )
        hit = np.where(row, by[..., :-1], 0.0)
        correct, misses = np.maximum(correct + hit, 0), np.maximum(misses - hit, 0)
        alarms = np.maximum(alarms + np.where(row, 0.0, by[..., :-1]), 0)
        outside = np.maximum(c.outside[..., None, None] + by[..., -1], 0)
        truth = np.broadcast_to(truth, correct.shape)
        total = np.broadcast_to(c.total[..., None, None], outside.shape)
        return Counts(correct, correct + alarms, truth, total, outside, errors=(misses, alarms))


def _added(change: Floats, rates: Floats) -> Floats:
    """How far a metric goes down and up by all its changes (2 × P × row × move).

    Squares are added up, those of rates above 0, and the largest of any that are 0. A row counts at
    least as its recall alone does: many errors of one item each cannot all fall.
    """
    rates = rates.reshape(*rates.shape, *[1] * (change.ndim - 4))
    square = np.stack([np.minimum(change.min(axis=0), 0), np.maximum(change.max(axis=0), 0)]) ** 2
    alone, together = square[:, :, :, :-1], square[:, :, :, -1]
    each = np.arange(rates.shape[1])
    recall, own = rates[:, each, each], alone[:, :, each, each]
    seen = ((1 - rates) * alone).sum(axis=3, where=rates > 0)
    seen = np.maximum(seen, np.where((recall > 0) & (recall < 1), own, 0.0)).sum(axis=2)
    unseen = alone.max(axis=(2, 3), where=rates == 0, initial=0)
    return np.asarray(np.sqrt(seen + np.maximum(unseen, together.max(axis=2))))


def movable(table: Confusion, mixes: int = 1) -> bool:
    """Whether the rates of tables can be moved one by one, and it is known how items vary."""
    return table.varies and mixes * table.k**3 <= WORK


def limited(table: Confusion, rows: Rows | None, level: float) -> Limited:
    """The rates of one table or of a stack; clustered items also as rows."""
    return Limited.of(table.data.dense().weight, row_items(table, rows), level)


def inside(value: Floats, far: Floats, kernel: Kernel) -> tuple[Floats, Floats]:
    """Ends that reach so far down and up, inside the metric's range."""
    (down, up), (least, most) = far, extent(kernel)
    return np.maximum(value - down, least), np.minimum(value + up, most)


def _masked(kernel: Kernel, part: object) -> Kernel:
    """The kernel for some of the tables that it was bound to, if it was bound to several."""
    mask = kernel.averaged
    return kernel if mask is None or mask.ndim < 2 else replace(kernel, averaged=mask[part])
