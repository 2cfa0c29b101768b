"""Measure: every system on one metric, with its errors and its pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.evaluate import Kernel
from evenhand.infer.design import Floats
from evenhand.infer.interval import Settings, estimates, knows
from evenhand.infer.transform import chosen, extent, transformed
from evenhand.ranking.entries import Entries
from evenhand.ranking.pairs import Pairs, item_parts, pairs_of, quantile
from evenhand.sample import SoftSample


@dataclass(frozen=True, eq=False)
class Measured:
    """Systems' scores on one metric: interval, its parts, and all pairs where items are known.

    ``se`` joins ``items``, the error from the items, and ``spread``/√runs, that from the runs.
    """

    value: Floats
    se: Floats
    low: Floats
    high: Floats
    method: Floats
    columns: Floats
    items: Floats
    spread: Floats
    pairs: Pairs | None

    @property
    def known(self) -> NDArray[np.bool_]:
        """Where there is an interval."""
        return np.asarray(~np.isnan(self.low))


def measured(entries: Entries, kernels: list[Kernel], how: Settings) -> list[Measured]:
    """Each metric of every system, with intervals, and pairs where the items are known."""
    which = entries.runs
    if not knows(entries.data):
        return [_bare(entries, k) for k in kernels]
    rows = entries.rows if entries.joint else None
    grouped = isinstance(entries.data, SoftSample) or (rows and rows.cluster is not None)
    source = entries.data if grouped else entries.tables  # all that the interval of one needs
    found = []
    for kernel, e in zip(kernels, estimates(source, kernels, how), strict=True):
        value, spread = which.mean(e.value), which.spread(e.value)
        pairs = None
        items = which.mean(e.se)  # as if runs erred on the same items, where that is not known
        if rows is not None:
            parts = item_parts(rows, which.mean_rows(rows.influence(kernel)))
            if which.several:
                items = np.sqrt((parts**2).sum(axis=1))
            pairs = pairs_of(value, parts, spread, which.sizes)
        if which.several:
            se = np.sqrt(items**2 + spread**2 / which.sizes)
            low, high = _ends(value, se, items, spread, which.sizes, kernel, how.level)
            method = np.array(["delta, runs"] * len(value), object)
        else:
            se, low, high, method = (
                x[[c[0] for c in which.columns]] for x in (e.se, e.low, e.high, e.method)
            )
        found.append(Measured(value, se, low, high, method, e.value, items, spread, pairs))
    return found


def _bare(entries: Entries, kernel: Kernel) -> Measured:
    columns = np.asarray(kernel.on(entries.tables), np.float64).reshape(-1)
    value, spread = entries.runs.mean(columns), entries.runs.spread(columns)
    nothing = np.full(value.shape, np.nan)
    none = np.full(value.shape, None, object)
    return Measured(value, nothing, nothing, nothing, none, columns, nothing, spread, None)


def _ends(
    value: Floats,
    se: Floats,
    items: Floats,
    spread: Floats,
    sizes: Floats,
    kernel: Kernel,
    level: float,
) -> tuple[Floats, Floats]:
    """Interval ends with Student's quantile for the runs, on the scale of the metric's range."""
    run = spread**2 / sizes
    reach = []
    for whole, r, n in zip(se**2, run, sizes, strict=True):
        freedom = (whole / r) ** 2 * (n - 1) if n > 1 and r > 0 else np.inf
        reach.append(quantile(level, float(freedom)))
    z = np.array(reach)
    if chosen("range", kernel) is None:
        low, high = value - z * se, value + z * se
    else:
        low, high = transformed(value, z * se, 1.0, *extent(kernel))
    flat = ~(high - low > 1e-12)  # no width is not knowledge
    return np.where(flat, np.nan, low), np.where(flat, np.nan, high)
