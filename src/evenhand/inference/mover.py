"""Square-and-add (MOVER) limits of metrics at a class mix."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from evenhand.core.derivatives import PseudoItems
from evenhand.core.kernel import Kernel
from evenhand.core.margins import Counts
from evenhand.data.confusion import Confusion
from evenhand.inference.delta import at_mix, row_items
from evenhand.inference.rows import Floats, Rows, divide, rates_of
from evenhand.inference.wilson import extent, mid_p_limits

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

    @classmethod
    def from_cells(cls, cells: Floats, items: Floats, level: float) -> LimitedRates:
        """The rates of cells and their mid-p limits for effective ``items`` of each true class.

        The upper limit of a rate of 0 is that of the exact test, 1 − (α/2)^(1/n). Unseen errors of
        a row share one such limit, in proportion to the predictions of each class.
        """
        rates = rates_of(cells.reshape(-1, *cells.shape[-2:]))
        n = items.reshape(*rates.shape[:-1], 1)
        pull = PseudoItems.of_cells(n * rates).columns[..., None, :]
        own = np.eye(*rates.shape[-2:]) > 0
        never_seen = (rates == 0) & (pull > 0) & (n > 0)
        upper_limit = 1 - ((1 - level) / 2) ** divide(np.ones(1), n)
        low, high = mid_p_limits(rates, n, level)
        limits = np.stack([low, np.where(never_seen, upper_limit, np.where(rates > 0, high, 0.0))])
        unseen_share = np.where(never_seen & ~own, pull, 0.0)
        total = unseen_share.sum(axis=-1, keepdims=True)
        moved = (1 - upper_limit) * rates + upper_limit * divide(unseen_share, total)
        unseen = np.where(total > 0, moved, rates)
        return cls(rates, limits, unseen)

    def at(self, part: slice) -> LimitedRates:
        """Some of the tables."""
        return LimitedRates(self.rates[part], self.limits[:, part], self.unseen[part])

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

    def half_widths(self, kernel: Kernel, mixes: Floats) -> Floats:
        """How far the metric's interval reaches down and up from it at each mix (2 × P).

        Mixes (P × k) are of one table, or each is of its own. With one value per class there is
        one per class.
        """
        chunk, parts = max(1, CHUNK // (2 * mixes.shape[-1] ** 3)), []
        mask = kernel.averaged
        for i in range(0, len(mixes), chunk):
            part = slice(i, i + chunk)
            rates = self if len(self.rates) == 1 else self.at(part)
            own = mask if mask is None or mask.ndim < 2 else mask[part]
            parts.append(rates._half_widths(replace(kernel, averaged=own), mixes[part]))
        return np.concatenate(parts, axis=1)

    def _half_widths(self, kernel: Kernel, mixes: Floats) -> Floats:
        here, mask = at_mix(self.rates, mixes), kernel.averaged
        apart = mask if mask is None or mask.ndim < 2 else mask[:, None, None]
        there = replace(kernel, averaged=apart).prepared(self._moved(here, mixes))
        with np.errstate(invalid="ignore", divide="ignore"):
            value = np.asarray(kernel.function(kernel.prepared(here)), np.float64)
            moved = np.asarray(kernel.function(there), np.float64)
            change = moved - value.reshape(-1, 1, 1, *value.shape[1:])
        return _added(np.nan_to_num(change), self.rates)

    def _moved(self, c: Counts, mixes: Floats) -> Counts:
        """Margins (2 × mixes × row × move × k) after each change of each row."""
        by = self.moves * mixes[..., None, None]
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
    """The half-widths of a metric down and up from its changes (2 × P × row × move).

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


def inside(value: Floats, half: Floats, kernel: Kernel) -> tuple[Floats, Floats]:
    """Ends at a distance down and up, inside the metric's range."""
    (down, up), (least, most) = half, extent(kernel)
    return np.maximum(value - down, least), np.minimum(value + up, most)
