"""Differences: two systems side by side, fold by fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from evenhand.infer.resampled import resampled_mean
from evenhand.notes.interval import Floats, Interval
from evenhand.results.cells import Cell, Chance
from evenhand.results.content import Sheet
from evenhand.results.grid import Grid
from evenhand.validating.scores import FoldScore


@dataclass(frozen=True, eq=False, kw_only=True)
class FoldDifference(Interval):
    """A difference of two systems over the same folds: first minus second, and its p.

    >>> import evenhand as eh
    >>> found = eh.cross_validated(list("aabb"), list("aabb"), list("abbb"), fold=[1, 2, 1, 2],
    ...                            metrics="accuracy")
    >>> found.differences[0].systems, found.differences[0].folds
    (('A', 'B'), (0.0, 0.5))
    """

    told = ("systems", "metric", "pooled", "value", "se", "low", "high", "method", "p", "folds")

    systems: tuple[str, str]
    metric: str
    pooled: float
    folds: tuple[float, ...]
    p: float | None


def differences(
    scores: Sequence[FoldScore], ratio: float, level: float
) -> tuple[FoldDifference, ...]:
    """Every pair of systems on every metric."""
    pairs = combinations(scores, 2)
    return tuple(_difference(a, b, ratio, level) for a, b in pairs if a.metric == b.metric)


def _difference(a: FoldScore, b: FoldScore, ratio: float, level: float) -> FoldDifference:
    values: Floats = np.subtract(a.folds, b.folds)
    found = resampled_mean(values, ratio)
    return FoldDifference(
        **found.measured(level),
        systems=(a.system, b.system),
        metric=a.metric,
        pooled=a.pooled - b.pooled,
        folds=tuple(values.tolist()),
        p=found.p if found.se > 0 else None,
    )


def sheet(of: Sequence[FoldDifference]) -> Sheet:
    """Differences as people read them."""
    head = ["systems", "metric", "pooled", "mean of folds", "low", "high", "p"]
    rows: list[list[Cell]] = [
        [" − ".join(d.systems), d.metric, d.pooled, d.value, d.low, d.high,
         Chance(d.p)]
        for d in of
    ]  # fmt: skip
    return Sheet(Grid(head, rows), "Differences over the same folds", rows="differences")
