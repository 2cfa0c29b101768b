"""Measure: every system on one metric, with its errors and its pairs."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from evenhand.catalogue.binding import views_of
from evenhand.core.kernel import Kernel
from evenhand.infer.design import Floats
from evenhand.infer.interval import Estimate, bare, estimates
from evenhand.infer.pairs import Pairs, pairs_of_all
from evenhand.infer.quantile import reaches
from evenhand.infer.settings import Settings
from evenhand.infer.transform import around, chosen, extent, scored
from evenhand.infer.width import telling
from evenhand.notes.interval import Intervals, by
from evenhand.notes.method import Method
from evenhand.ranking.entries import Entries
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
        return [_bare(which, e.value) for e in bare(kernels, views_of(kernels, entries.tables))]
    # all that the interval of one needs
    source = entries.tables if entries.data.in_cells else entries.data
    sure = estimates(source, kernels, how)
    values, spreads = [which.mean(e.value) for e in sure], [which.spread(e.value) for e in sure]
    items = [which.mean(e.se) for e in sure]  # as if runs erred on the same items, if not known
    pairs: list[Pairs | None] = [None] * len(kernels)
    if entries.joint:
        joint = pairs_of_all(entries.rows, kernels, values, spreads, which.columns)
        pairs = [pair for pair, _ in joint]
        items = [error for _, error in joint] if which.several else items
    first, found = [c[0] for c in which.columns], []
    for e, value, spread, own, pair in zip(sure, values, spreads, items, pairs, strict=True):
        if which.several:
            se = np.sqrt(own**2 + spread**2 / which.sizes)
            low, high = _ends(e, which, value, se, spread, how.level)
            method = by(Method("delta" if e.sure is None else "jackknife", "runs"), value)
        else:
            se, low, high, method = (x[first] for x in (e.se, e.low, e.high, e.method))
        ends = (value, se, low, high, method, how.level, e.note)
        found.append(Measured(*ends, runs=e.value, items=own, spread=spread, pairs=pair))
    return found


def _bare(which: Runs, runs: Floats) -> Measured:
    value, spread = which.mean(runs), which.spread(runs)
    nothing = np.full(value.shape, np.nan)
    return Measured.bare(value, "unknown variance", runs=runs, items=nothing, spread=spread)


def _ends(
    e: Estimate, which: Runs, value: Floats, se: Floats, spread: Floats, level: float
) -> tuple[Floats, Floats]:
    """Interval ends with Student's quantile for the runs, on the scale of the metric's range."""
    sizes, run = which.sizes, spread**2 / which.sizes
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = np.where((sizes > 1) & (run > 0), (se**2 / run) ** 2 * (sizes - 1), np.inf)
        share = np.where(run > 0, 1 - run / se**2, 1.0)  # of the variance, what the items make
    if e.sure is None:
        t = reaches(level, freedom)
        return telling(*around(value, se, t, e.kernel, chosen("score", e.kernel)))
    free, worth = (which.mean(x.reshape(-1)) for x in (e.sure.freedom, e.sure.decisions))
    t = reaches(level, np.minimum(freedom, free))
    return telling(*scored(value, worth * share, t, *extent(e.kernel)))
