"""Stability of ranks: what becomes of the order when the items are drawn anew.

All systems are scored on the same replicates, so that an easy draw is easy for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.core.kernel import Kernel
from evenhand.infer.design import Floats
from evenhand.infer.draw import replicates
from evenhand.infer.rows import Rows
from evenhand.ranking.ranks import direction, ranks, shares_of_first
from evenhand.ranking.runs import Runs

Progress = Callable[[int], None]


@dataclass(frozen=True, eq=False)
class Stability:
    """Of one metric, for each system: the interval of its rank and its share of first places.

    ``places`` is systems × ranks: how often each takes each, kept for the chosen metric only.
    """

    rank_low: NDArray[np.int64]
    rank_high: NDArray[np.int64]
    best: Floats
    places: Floats | None = None


def stability(
    rows: Rows,
    kernels: list[Kernel],
    runs: Runs,
    *,
    count: int,
    seed: int,
    level: float,
    progress: Progress | None = None,
) -> list[Stability]:
    """Rank intervals and probabilities of being best, for every metric on the same draws.

    The interval holds the middle ``level`` of a system's ranks over the replicates; equal bests
    of a replicate share it. (Efron & Tibshirani 1993; for challenges, Wiesenfarth et al. 2021.)
    """
    rng = np.random.default_rng([seed, 1])
    small = np.int16 if len(runs.systems) < 30_000 else np.int64
    found: list[list[NDArray[np.int64]]] = [[] for _ in kernels]
    first = [np.zeros(len(runs.systems)) for _ in kernels]
    for weights in replicates(rows, count, seed=seed):
        for m, values in enumerate(rows.values(kernels, weights)):
            scores = runs.drawn(values, rng) if runs.several else runs.mean(values)
            places = ranks(scores, direction(kernels[m]))
            found[m].append(places.astype(small))
            first[m] += shares_of_first(places, scores).sum(axis=0)
        if progress is not None:
            progress(len(weights))
    tail = (1 - level) / 2
    out = []
    for m, (ranked, wins) in enumerate(zip(found, first, strict=True)):
        drawn = np.concatenate(ranked)
        low, high = np.quantile(drawn, [tail, 1 - tail], axis=0, method="inverted_cdf")
        shares = _shares(drawn) if m == 0 else None
        out.append(Stability(low.astype(np.int64), high.astype(np.int64), wins / count, shares))
    return out


def _shares(places: NDArray[np.int64]) -> Floats:
    """How often each system (column) takes each rank from 1 to the number of systems."""
    count, systems = places.shape
    found = [np.bincount(places[:, i] - 1, minlength=systems) for i in range(systems)]
    return np.asarray(np.stack(found) / count)
