"""Square-and-add (MOVER) limits of metrics at a class mix, and the data of an estimate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias, cast

import numpy as np

from evenhand.catalogue.binding import views_of
from evenhand.core.kernel import Kernel, TableViews
from evenhand.core.margins import Counts
from evenhand.data.confusion import Confusion
from evenhand.data.multilabel import AnyTable
from evenhand.data.sample import SampleSlices
from evenhand.inference.delta import (
    NonzeroCells,
    Smoothed,
    at_mix,
    independent,
    rates_of,
    row_items,
    true_items,
)
from evenhand.inference.rows import CodeDesign, Data, Floats, Rows, divide, rows_of
from evenhand.inference.wilson import critical_value, extent, mid_p_limits

WORK = 1 << 18
"""Mixes × k³ up to which rates are moved one by one (k² tables of k classes for each mix)."""
CHUNK = 1 << 20
"""Numbers computed at a time, to bound memory."""


@dataclass(frozen=True, eq=False)
class LimitedRates:
    """Rates of one table or of many (T × k × k + 1), and their confidence limits.

    ``limits`` are the lower and upper limit of each rate (2 × T × k × k + 1); ``unseen`` are the
    rows with all unseen errors at their common limit.
    """

    rates: Floats
    limits: Floats
    unseen: Floats
    level: float

    @classmethod
    def from_cells(cls, cells: Floats, items: Floats, level: float) -> LimitedRates:
        """The rates of cells and their mid-p limits for effective ``items`` of each true class.

        The upper limit of a rate of 0 is that of the exact test, 1 − (α/2)^(1/n). Unseen errors of
        a row share one such limit, in proportion to the predictions of each class.
        """
        rates = rates_of(cells.reshape(-1, *cells.shape[-2:]))
        n = items.reshape(*rates.shape[:-1], 1)
        pull = Smoothed.of_cells(n * rates).columns[..., None, :]
        own = np.eye(*rates.shape[-2:]) > 0
        never_seen = (rates == 0) & (pull > 0) & (n > 0)
        upper_limit = 1 - ((1 - level) / 2) ** divide(np.ones(1), n)
        low, high = mid_p_limits(rates, n, level)
        limits = np.stack([low, np.where(never_seen, upper_limit, np.where(rates > 0, high, 0.0))])
        unseen_share = np.where(never_seen & ~own, pull, 0.0)
        total = unseen_share.sum(axis=-1, keepdims=True)
        moved = (1 - upper_limit) * rates + upper_limit * divide(unseen_share, total)
        unseen = np.where(total > 0, moved, rates)
        return cls(rates, limits, unseen, level)

    def at(self, part: slice) -> LimitedRates:
        """Some of the tables."""
        return LimitedRates(self.rates[part], self.limits[:, part], self.unseen[part], self.level)

    @property
    def moves(self) -> Floats:
        """Changes of a row (2 × T × k × k + 2 × k + 1), its other rates in proportion.

        Each rate to its lower and to its upper limit; last, all unseen errors together.
        """
        rates = self.rates[..., None, :]
        rest = divide(1 - self.limits, 1 - self.rates, 1.0)[..., None] * rates
        alone = np.where(np.eye(rates.shape[-1]) > 0, self.limits[..., None], rest)
        together = np.broadcast_to(self.unseen[..., None, :], (2, *rates.shape))
        return np.concatenate([alone, together], axis=-2) - rates

    def intervals(
        self, values: list[Floats], kernels: list[Kernel], mixes: Floats
    ) -> list[tuple[Floats, Floats, Floats]]:
        """Standard error and ends of each metric; the error is the reach over z."""
        z = critical_value(self.level) or np.nan  # 0 of a level near 0
        reaches = self.reaches(kernels, mixes[None])
        return [
            (np.sqrt((reach**2).sum(axis=0) / 2) / z, *inside(value, reach, kernel))
            for value, kernel, reach in zip(values, kernels, reaches, strict=True)
        ]

    def reaches(self, kernels: list[Kernel], mixes: Floats) -> list[Floats]:
        """The distance of each metric's interval ends below and above it at each mix (2 × P).

        Mixes are for all kernels (1 × P × k), or each kernel has its own (kernels × P × k); they
        are of one table, or each of its own. With one value per class there is one reach per class.
        """
        size, k = mixes.shape[-2:]
        chunk = max(1, CHUNK // (2 * k**3 * len(mixes)))
        parts = []
        for i in range(0, size, chunk):
            part = slice(i, i + chunk)
            rates = self if len(self.rates) == 1 or chunk >= size else self.at(part)
            parts.append(rates._reaches([_masked(x, part) for x in kernels], mixes[:, part]))
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
        """Margins (2 × mixes × row × move × k) after each change of each row."""
        by = self.moves[:, None] * mixes[..., None, None]
        own_class = np.eye(mixes.shape[-1], dtype=bool)[:, None]
        correct, misses, alarms, truth = (
            x[..., None, None, :] for x in (c.correct, c.false_negatives, c.false_positives, mixes)
        )
        hit = np.where(own_class, by[..., :-1], 0.0)
        correct, misses = np.maximum(correct + hit, 0), np.maximum(misses - hit, 0)
        alarms = np.maximum(alarms + np.where(own_class, 0.0, by[..., :-1]), 0)
        outside = np.maximum(c.outside[..., None, None] + by[..., -1], 0)
        truth = np.broadcast_to(truth, correct.shape)
        total = np.broadcast_to(c.total[..., None, None], outside.shape)
        return Counts(correct, correct + alarms, truth, total, outside, errors=(misses, alarms))


def _added(change: Floats, rates: Floats) -> Floats:
    """The reach of a metric down and up from its changes (2 × P × row × move).

    Sums squares of changes for rates above 0, and the largest for rates of 0. A row counts at least
    as much as its recall alone: many errors of one item each cannot all fall.
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
    """Whether rates can be moved one by one: few enough, and with known variances."""
    return table.varies and mixes * table.k**3 <= WORK


def limited(table: Confusion, rows: Rows | None, level: float) -> LimitedRates:
    """The rates of one table or of a stack with their limits; clustered items also as rows."""
    return LimitedRates.from_cells(table.data.dense().weight, row_items(table, rows), level)


def inside(value: Floats, far: Floats, kernel: Kernel) -> tuple[Floats, Floats]:
    """Ends at a distance down and up, inside the metric's range."""
    (down, up), (least, most) = far, extent(kernel)
    return np.maximum(value - down, least), np.minimum(value + up, most)


def _masked(kernel: Kernel, part: object) -> Kernel:
    """The kernel for some of the tables that it was bound to."""
    mask = kernel.averaged
    return kernel if mask is None or mask.ndim < 2 else replace(kernel, averaged=mask[part])


Counted: TypeAlias = tuple[Floats, Floats]
"""Hits and trials."""


class EstimationProblem:
    """Data and kernels with their values, cells and rows, each computed once when needed."""

    def __init__(
        self,
        data: Data,
        kernels: list[Kernel],
        stratify: bool,
        table: AnyTable | None = None,
        views: TableViews | None = None,
    ) -> None:
        table = data.tables() if table is None else table
        plain = table.weighing == "none"
        self.data = table if plain and data.in_cells else data  # the table is sufficient
        self.counts_items = plain and self.data.in_cells
        self.table, self.kernels = table, kernels
        self.views = views_of(kernels, table) if views is None else views
        values = self.views.values(kernels)
        counted: list[Counted | None] = [None] * len(kernels)
        if plain and self.data.cluster is None and not stratify:
            counted = self.views.proportions(kernels)
        self.values = [per_system(v, k) for v, k in zip(values, kernels, strict=True)]
        self.counted = [self._counted(*x) for x in zip(kernels, counted, strict=True)]

    def _counted(self, kernel: Kernel, proportion: Counted | None) -> Counted | None:
        """Hits and trials of a metric that is a proportion of independent items.

        Trials are NaN in tables where it is none.
        """
        of_one_class = kernel.record is not None and kernel.record.of_one_class
        if proportion is None or (self.table.task == "multi" and not of_one_class):
            return None  # several labels of an item are not independent decisions
        hits, trials = (np.asarray(x, np.float64) for x in proportion)
        return None if np.isnan(trials).all() else (hits, trials)

    @cached_property
    def cells(self) -> NonzeroCells | None:
        """Items with one true and one predicted label: the cells, or rows if these are needed."""
        table = cast(Confusion, self.table)
        if isinstance(self.data, SampleSlices):
            return NonzeroCells.from_slices(self.data, table)
        if self.data.in_cells:
            return NonzeroCells.from_table(table)
        if isinstance(self.rows.design, CodeDesign):
            return NonzeroCells.from_rows(self.rows, table.counts_over(None, 0.0))
        return None

    @cached_property
    def effective_items(self) -> Floats:
        """The effective number of items of each true class (tables × k)."""
        assert self.cells is not None
        table = cast(Confusion, self.table)
        return independent(self.cells, true_items(table).reshape(-1, table.k))

    @cached_property
    def movable(self) -> bool:
        """Whether every rate of hard predictions can be moved to its limits."""
        return self.cells is not None and movable(cast(Confusion, self.table))

    def limited(self, level: float) -> LimitedRates:
        """The rates of the tables and the limits of each."""
        rows = None if self.data.in_cells else self.rows
        return limited(cast(Confusion, self.table), rows, level)

    @cached_property
    def rows(self) -> Rows:
        return rows_of(self.data)

    @cached_property
    def row_views(self) -> TableViews:
        return self.rows.views(self.kernels)


def per_system(x: Floats, kernel: Kernel | None = None) -> Floats:
    """The array with one entry per system, also for a single table; classes are the last axis."""
    x = np.asarray(x, np.float64)
    return x.reshape(-1, x.shape[-1]) if kernel and kernel.by_class else x.reshape(-1)
