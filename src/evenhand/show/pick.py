"""Which chart a command draws with ``--plot``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from evenhand.catalogue.naming import at_distance
from evenhand.catalogue.policy import Undefined
from evenhand.comparing.charts import comparison, difference
from evenhand.comparing.compare import Comparison
from evenhand.draw.chart import Chart
from evenhand.draw.confusion import confusion
from evenhand.draw.reliability import reliability
from evenhand.errors import InputError, Option
from evenhand.ranking.charts.leaderboard import leaderboard
from evenhand.ranking.charts.places import places
from evenhand.ranking.charts.ranks import agreement, ranks
from evenhand.ranking.leaderboard import Leaderboard
from evenhand.scoring.charts import PAIRS, gap
from evenhand.scoring.charts import classes as classes_of
from evenhand.scoring.charts import scores as metrics_of
from evenhand.scoring.scores import Scores
from evenhand.scoring.twins import twins
from evenhand.shift.charts import mixes, prevalence
from evenhand.shift.sweeping import Sweep
from evenhand.tables.confusion import Classes


def chart_of_scores(
    name: str, scores: Scores, data: Any, *, classes: Classes, undefined: Undefined
) -> Chart:
    """What ``score --plot`` draws; of slices all together."""
    if name == "reliability":
        return reliability(data)
    if name == "classes":
        return classes_of(scores)
    if name == "metrics":
        return metrics_of(scores)
    table, _ = data.tables().sliced()
    if name == "gap":
        return gap(twins(table, classes=classes, undefined=undefined, pairs=PAIRS))
    if table.task == "multi":
        other = Option("chart", "classes")
        raise InputError("label sets have no confusion table: choose ", other, " or metrics")
    return confusion(table, normalise=None if name == "counts" else "true")


def chart_of_comparison(
    name: str, found: Comparison, sample: Any, metrics: Sequence[str], how: Mapping[str, Any]
) -> Chart:
    """What ``compare --plot`` draws."""
    if name == "differences":
        return comparison(found)
    asked = dict(how)
    metric = at_distance(metrics[0] if metrics else "macro_f1", asked.pop("distance", None))
    return difference(sample, metric=metric, **asked)


def chart_of_board(name: str, board: Leaderboard) -> Chart:
    """What ``rank --plot`` draws."""
    drawers: tuple[Callable[..., Chart], ...] = (leaderboard, ranks, agreement, places)
    return next(draw for draw in drawers if draw.__name__ == name)(board)


def chart_of_shift(found: Any) -> Chart:
    """What ``shift --plot`` draws."""
    return prevalence(found) if isinstance(found, Sweep) else mixes(found)
