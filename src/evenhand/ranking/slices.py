"""Several test sets or slices: each by itself, pooled, and their plain mean."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evenhand.core.kernel import Kernel
from evenhand.infer.pairs import Between, pairs_of
from evenhand.infer.quantile import reach
from evenhand.infer.transform import around
from evenhand.infer.width import tells
from evenhand.notes.interval import Intervals, by
from evenhand.notes.method import Method
from evenhand.notes.slices import of_slices
from evenhand.ranking.friedman import friedman
from evenhand.ranking.leaderboard import Leaderboard, MeanOfSlices
from evenhand.ranking.measure import Measured
from evenhand.ranking.ranks import ranks
from evenhand.ranking.runs import Runs
from evenhand.ranking.standings import told


def across(
    pooled: Leaderboard,
    parts: list[tuple[Leaderboard, list[Measured]]],
    which: Runs,
    kernel: Kernel,
) -> Leaderboard:
    """The pooled leaderboard with its slices, their mean and Friedman's test.

    Slices hold different items, so the variance of their mean is the mean of their variances
    over their number, also that of the difference of two systems; runs are averaged over slices
    first, and then their spread is taken.
    """
    names, level = which.systems, pooled.level
    values = np.stack([m[0].value for _, m in parts])
    n = len(values)
    mean = values.mean(axis=0)
    items = np.stack([m[0].items for _, m in parts])
    spread = which.spread(np.stack([m[0].runs for _, m in parts]).mean(axis=0))
    se = np.sqrt((items**2).sum(axis=0) / n**2 + spread**2 / which.sizes)
    known = np.where(tells(se), se, np.nan)
    low, high = around(mean, known, reach(level), kernel, "cut")
    means = Intervals(mean, se, low, high, by(Method("delta", "cut"), mean), level)
    places = ranks(mean, kernel.better)
    groups: list[str | None] = [None] * len(names)
    joint = [m[0].pairs.items for _, m in parts if m[0].pairs is not None]
    if len(joint) == n:
        pairs = pairs_of(mean, Between.of_mean(joint), spread, which.sizes)
        groups = list(told(pairs.apart(level), places).letters)
    rows = [
        MeanOfSlices(**vars(m), name=name, rank=int(place), group=group)
        for m, name, place, group in zip(means, names, places, groups, strict=True)
    ]
    tested = friedman(values, names, kernel.better, level)
    inside = of_slices(pooled.cautions, ((board.key, board.cautions) for board, _ in parts))
    return replace(
        pooled,
        slices=tuple(board for board, _ in parts),
        mean_of_slices=tuple(sorted(rows, key=lambda m: (m.rank, m.name))),
        friedman=tested,
        cautions=(*pooled.cautions, *inside),
    )
