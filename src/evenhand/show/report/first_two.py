"""The first two systems of a report, side by side on the same items."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import singledispatch
from typing import Any

import numpy as np

from evenhand.catalogue.naming import AnyMetric, as_spec, at_distance, named
from evenhand.catalogue.policy import policy
from evenhand.comparing.charts import difference
from evenhand.comparing.compare import Comparison, compared
from evenhand.comparing.tested import Asked
from evenhand.count.samples import Coded
from evenhand.draw.chart import Chart
from evenhand.infer.rows import Data
from evenhand.infer.settings import Settings
from evenhand.ranking.leaderboard import Leaderboard
from evenhand.tables.labels import rule_or_list
from evenhand.tables.sample import Sample

PAIR = 2000
"""Replicates of the comparison, where the leaderboard has none."""
METRICS = 18
"""Metrics that are compared at most."""


def first_two(board: Leaderboard, data: Data | None) -> Sample | None:
    """The items as the first two saw them, where labels of items are known."""
    if any(s.runs is not None for s in board.systems):
        return None
    return _some(data, [s.name for s in board.systems[:2]])


@singledispatch
def _some(data: Any, wanted: list[str]) -> Sample | None:
    """The same items seen by these systems alone, where labels of items are known."""
    return None


@_some.register
def _(sample: Sample, wanted: list[str]) -> Sample | None:
    """Rows that now look alike become one."""
    if any(w not in sample.systems for w in wanted):
        return None
    at = [sample.systems.index(w) for w in wanted]
    if at == list(range(len(sample.systems))):
        return sample
    pred = sample.pred[:, at]
    found = replace(sample, systems=tuple(wanted), pred=pred, missing=sample.missing[at])
    if sample.square is not None or len(at) == len(sample.systems):
        return found  # weights may differ within what looks alike
    null = np.zeros(pred.shape, bool)  # how many are missing is known
    columns = (sample.true, pred, null, None, sample.weight, sample.cluster)
    rows = Coded(sample.labels, found.systems, *columns).sample("the truth")
    return replace(rows, missing=found.missing, dropped=found.dropped)


def compared_two(
    board: Leaderboard,
    pair: Sample,
    how: dict[str, Any],
    metrics: Iterable[AnyMetric],
    distance: Any,
    seed: int,
) -> tuple[Comparison, Chart]:
    """The first two on every metric, and how their difference is spread when drawn anew.

    ``metrics`` are those asked for: of a user's own functions a leaderboard has the names alone.
    """
    own = dict(named(metrics))
    plain = [m for m in board.metrics if "@" not in m][:METRICS]
    lead, *specs = (as_spec(at_distance(own.get(m, m), distance)) for m in (board.metric, *plain))
    count, level = board.replicates or PAIR, board.level
    worth, settings = policy(how["undefined"]), Settings("bootstrap", level, count, seed)
    found = compared(pair, Asked(specs, rule_or_list(how["classes"]), worth, settings))
    return found, difference(pair, metric=lead, level=level, replicates=count, seed=seed, **how)
