"""Measure: every system on one metric, with its errors and its pairs."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from evenhand.core.kernel import Kernel
from evenhand.infer.delta import error_parts
from evenhand.infer.design import Floats
from evenhand.infer.interval import Settings, bare, estimates
from evenhand.infer.quantile import reach
from evenhand.infer.transform import around, chosen
from evenhand.infer.variance import norm
from evenhand.infer.width import telling
from evenhand.notes.interval import Intervals, by
from evenhand.notes.method import Method
from evenhand.ranking.entries import Entries
from evenhand.ranking.pairs import Pairs, pairs_of
from evenhand.ranking.runs import Runs


@dataclass(frozen=True, eq=False)
class Measured(Intervals):
    """Systems' scores on one metric: interval, its parts, and all pairs where items are known.

    ``se`` joins ``items``, the error from the items, and ``spread``/√runs, that from the runs;
    ``runs`` holds the value of every run.
    """

    runs: Floats = field(kw_only=True)
    items: Floats = field(kw_only=True)
    spread: Floats = field(kw_only=True)
    pairs: Pairs | None = None


def measured(entries: Entries, kernels: list[Kernel], how: Settings) -> list[Measured]:
    """Each metric of every system, with intervals, and pairs where the items are known."""
    which = entries.runs
    if not entries.data.varies:
        return [_bare(entries.runs, e.value) for e in bare(kernels, entries.tables)]
    rows = entries.rows if entries.joint else None
    # all that the interval of one needs
    source = entries.tables if entries.data.in_cells else entries.data
    views = {} if rows is None else rows.views(kernels)
    found = []
    for kernel, e in zip(kernels, estimates(source, kernels, how), strict=True):
        value, spread = which.mean(e.value), which.spread(e.value)
        pairs = None
        items = which.mean(e.se)  # as if runs erred on the same items, where that is not known
        if rows is not None:
            parts = error_parts(rows, which.mean_rows(rows.influence(kernel, views)))
            if which.several:
                items = norm(parts)
            pairs = pairs_of(value, parts, spread, which.sizes)
        if which.several:
            se = np.sqrt(items**2 + spread**2 / which.sizes)
            low, high = _ends(value, se, spread, which.sizes, kernel, how.level)
            method = by(Method("delta", "runs"), value)
        else:
            se, low, high, method = (
                x[[c[0] for c in which.columns]] for x in (e.se, e.low, e.high, e.method)
            )
        sure = (value, se, low, high, method, how.level, e.note)
        found.append(Measured(*sure, runs=e.value, items=items, spread=spread, pairs=pairs))
    return found


def _bare(which: Runs, runs: Floats) -> Measured:
    value, spread = which.mean(runs), which.spread(runs)
    nothing = np.full(value.shape, np.nan)
    return Measured.bare(value, "unknown variance", runs=runs, items=nothing, spread=spread)


def _ends(
    value: Floats, se: Floats, spread: Floats, sizes: Floats, kernel: Kernel, level: float
) -> tuple[Floats, Floats]:
    """Interval ends with Student's quantile for the runs, on the scale of the metric's range."""
    run = spread**2 / sizes
    z = []
    for whole, r, n in zip(se**2, run, sizes, strict=True):
        freedom = (whole / r) ** 2 * (n - 1) if n > 1 and r > 0 else np.inf
        z.append(reach(level, float(freedom)))
    return telling(*around(value, se, np.array(z), kernel, chosen("range", kernel)))
