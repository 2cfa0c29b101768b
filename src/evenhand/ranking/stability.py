"""Stability of ranks: which system is truly the best, as far as these items can tell.

All systems are scored on the same replicates, so that an easy draw is easy for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evenhand.core.kernel import Kernel
from evenhand.infer.design import Floats
from evenhand.infer.draw import replicates
from evenhand.infer.rows import Rows
from evenhand.ranking.ranks import place_shares, ranks, shares_of_first
from evenhand.ranking.runs import Runs
from evenhand.ranking.shrink import shrunk

Progress = Callable[[int], None]


@dataclass(frozen=True, eq=False)
class Stability:
    """Of one metric, for each system: the chance that it is the best, and that of every rank.

    ``places`` is systems × ranks, kept for the chosen metric only.
    """

    best: Floats
    places: Floats | None = None


def stability(
    rows: Rows,
    kernels: list[Kernel],
    runs: Runs,
    values: list[Floats],
    *,
    count: int,
    seed: int,
    progress: Progress | None = None,
) -> list[Stability]:
    """The chance of being best, and of each rank, for every metric on the same draws.

    All systems' ``values`` are shrunk and drawn around, and in one more draw all are equal;
    systems that are equal in a draw share the ranks that they take together. (Efron & Tibshirani
    1993 for the replicates.)
    """
    rng = np.random.default_rng([seed, 1])
    found: list[list[Floats]] = [[] for _ in kernels]
    for weights in replicates(rows, count, seed=seed):
        for parts, drawn in zip(found, rows.values(kernels, weights), strict=True):
            parts.append(runs.drawn(drawn, rng) if runs.several else runs.mean(drawn))
        if progress is not None:
            progress(len(weights))
    out, better = [], [k.better for k in kernels]
    for m, (value, parts) in enumerate(zip(values, found, strict=True)):
        level = np.where(np.isnan(value), np.nan, 0.0)  # nobody better: no chance is 0 or 1
        drawn = np.vstack([shrunk(value, np.concatenate(parts)), level])
        parts.clear()
        placed = ranks(drawn, better[m])
        shares = place_shares(placed) if m == 0 else None
        out.append(Stability(shares_of_first(placed, drawn).mean(axis=0), shares))
    return out
