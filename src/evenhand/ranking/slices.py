"""Several test sets or slices: each by itself, pooled, and their plain mean."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evenhand.infer.quantile import reach
from evenhand.infer.width import tells
from evenhand.ranking.friedman import SLICES, SYSTEMS, friedman
from evenhand.ranking.leaderboard import Leaderboard, MeanOfSlices
from evenhand.ranking.measure import Measured
from evenhand.ranking.ranks import ranks
from evenhand.ranking.runs import Runs


def across(
    pooled: Leaderboard,
    parts: list[tuple[Leaderboard, list[Measured]]],
    which: Runs,
    better: str,
) -> Leaderboard:
    """The pooled leaderboard with its slices, their mean and Friedman's test.

    Slices hold different items, so the variance of their mean is the mean of their variances
    over their number; runs are averaged over slices first, and then their spread is taken.
    """
    names, level = which.systems, pooled.level
    values = np.stack([m[0].value for _, m in parts])
    n = len(values)
    mean = values.mean(axis=0)
    items = np.stack([m[0].items for _, m in parts])
    spread = which.spread(np.stack([m[0].runs for _, m in parts]).mean(axis=0))
    se = np.sqrt((items**2).sum(axis=0) / n**2 + spread**2 / which.sizes)
    half = reach(level) * se
    known = tells(se)
    places = ranks(mean, better)
    rows = [
        MeanOfSlices(
            name,
            float(mean[i]),
            float(mean[i] - half[i]) if known[i] else None,
            float(mean[i] + half[i]) if known[i] else None,
            int(places[i]),
        )
        for i, name in enumerate(names)
    ]
    tested = friedman(values, names, better, level)
    warnings = pooled.warnings
    if tested is None:
        warnings = (
            *warnings,
            f"no Friedman test: it needs at least {SLICES} slices and {SYSTEMS} systems with a "
            f"score in each, got {n} and {len(names)}",
        )
    return replace(
        pooled,
        slices=tuple(board for board, _ in parts),
        mean_of_slices=tuple(sorted(rows, key=lambda m: (m.rank, m.name))),
        friedman=tested,
        warnings=warnings,
    )
