"""Measure: every system on one metric, with its errors and its pairs."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from evenhand.evaluate import Kernel
from evenhand.infer.design import Floats
from evenhand.infer.interval import Settings, estimates, knows
from evenhand.infer.transform import chosen, extent, transformed
from evenhand.notes.interval import Intervals
from evenhand.notes.method import Method
from evenhand.ranking.entries import Entries
from evenhand.ranking.pairs import Pairs, item_parts, pairs_of, quantile
from evenhand.sample import SoftSample


@dataclass(frozen=True, eq=False)
class Measured(Intervals):
    """Systems' scores on one metric: interval, its parts, and all pairs where items are known.

    ``se`` joins ``items``, the error from the items, and ``spread``/√runs, that from the runs,
    whose own scores ``runs`` holds.
    """

    runs: Floats = field(kw_only=True)
    items: Floats = field(kw_only=True)
    spread: Floats = field(kw_only=True)
    pairs: Pairs | None = field(kw_only=True, default=None)


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
            method = np.array([Method("delta", "runs")] * len(value), object)
        else:
            se, low, high, method = (
                x[[c[0] for c in which.columns]] for x in (e.se, e.low, e.high, e.method)
            )
        found.append(
            Measured(
                value, se, low, high, method, how.level,
                runs=e.value, items=items, spread=spread, pairs=pairs,
            )
        )  # fmt: skip
    return found


def _bare(entries: Entries, kernel: Kernel) -> Measured:
    runs = np.asarray(kernel.on(entries.tables), np.float64).reshape(-1)
    value, spread = entries.runs.mean(runs), entries.runs.spread(runs)
    bare = Intervals.bare(value, "unknown variance")
    return Measured(**vars(bare), runs=runs, items=bare.se, spread=spread)


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
