"""Two more ways to intervals of averages, tried on the hard cells: likelihood and calibration.

Empirical likelihood (Owen 1988) keeps every mix of the observed cells that makes the data not much
less likely, and takes the smallest and largest value of the metric among them. Calibration asks
tables drawn from the smoothed one how far an interval has to reach to hold what they were drawn
from in 95 % of them, by the quantile of conformal prediction (Vovk et al. 2005).
"""

from __future__ import annotations

import math

import numpy as np

from evenhand.catalogue.binding import views_of
from evenhand.core.derivatives import gradient
from evenhand.core.kernel import Kernel
from evenhand.core.margins import Counts
from evenhand.data.confusion import Confusion
from evenhand.inference.jackknife import score_errors
from evenhand.inference.rows import rows_of
from evenhand.inference.wilson import extent, score_interval

CHI = 3.841458820694124
"""The 95 % quantile of χ² with one degree of freedom."""

ROUNDS, HALVES = 12, 40


def likelihood(cells: np.ndarray, kernels: list[Kernel]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Ends of each metric for stacked tables of ``cells``, which may be smoothed."""
    return [(_end(cells, k, -1.0), _end(cells, k, 1.0)) for k in kernels]


def _end(cells: np.ndarray, kernel: Kernel, sign: float) -> np.ndarray:
    """The smallest or largest value: along the slopes at the last end, again and again."""
    shape = cells.shape
    flat = cells.reshape(len(cells), -1)
    seen, n = flat > 0, flat.sum(axis=1, keepdims=True)
    share = flat / n
    at = share
    for i in range(ROUNDS):
        found = gradient(kernel.function, _counts(at.reshape(shape), kernel))
        slope = sign * found.dense()[..., :-1].reshape(flat.shape)
        slope = np.where(seen, slope - (share * slope).sum(axis=1, keepdims=True), 0.0)
        step = 1.0 if i < 4 else 0.5  # where the slopes turn, two ends would take turns
        at = at + step * (_tilted(flat, n, seen, slope) - at)
    return np.asarray(kernel.function(_counts(at.reshape(shape), kernel)), np.float64)


def _tilted(flat: np.ndarray, n: np.ndarray, seen: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Shares that go as far along the slopes as the likelihood lets them: c/(ν − slope)."""
    size = np.abs(slope).max(axis=1, keepdims=True)
    size = np.where(size > 0, size, 1.0)
    slope = np.where(seen, slope / size, -1.0)
    top = slope.max(axis=1, keepdims=True)
    low, high = np.full_like(top, -40.0), np.full_like(top, 40.0)
    for _ in range(HALVES):
        middle = (low + high) / 2
        q = np.where(seen, flat / (top - slope + np.exp(middle)), 0.0)
        q /= q.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(seen, flat * np.log(q * n / flat), 0.0).sum(axis=1, keepdims=True)
        far = -2 * ratio > CHI
        low, high = np.where(far, middle, low), np.where(far, high, middle)
    return q


def _counts(cells: np.ndarray, kernel: Kernel) -> Counts:
    made: Counts = kernel.prepared(Counts.from_cells(cells))
    return made


def calibrated(
    value: float, centre: float, drawn: Confusion, kernel: Kernel, one: Confusion
) -> tuple[float, float]:
    """Wilson's interval of ``one`` table with the errors of ``auto``, its reach from ``drawn``.

    ``centre`` is the value of the table that these were drawn from.
    """
    values = np.asarray(kernel.function(kernel.prepared(drawn.counts_over(None, 0.0))))
    sure = score_errors(rows_of(drawn), [kernel], [views_of([kernel], drawn).prepared(kernel)])[0][
        0
    ]
    own = score_errors(rows_of(one), [kernel], [views_of([kernel], one).prepared(kernel)])[0][0]
    with np.errstate(divide="ignore", invalid="ignore"):
        far = np.abs(values - centre) * np.sqrt(sure.n_eff / (centre * (1 - centre)))
    far = np.sort(np.nan_to_num(far, nan=np.inf))
    rank = min(math.ceil(0.95 * (len(far) + 1)), len(far)) - 1
    low, high = score_interval(np.array([value]), own.n_eff, np.array([far[rank]]), *extent(kernel))
    return float(low[0]), float(high[0])
