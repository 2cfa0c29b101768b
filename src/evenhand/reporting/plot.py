"""Charts: each takes data or a result and returns a ``Chart`` that shows and saves itself.

>>> import evenhand as eh
>>> chart = eh.plot.confusion([[6, 1, 1], [1, 5, 2], [2, 3, 7]])
>>> chart.description
'3 classes; 64 % of the items are right. Most often 2 is taken for 1: 3.'
"""

from __future__ import annotations

from evenhand.charts.chart import Chart, panel
from evenhand.charts.confusion import confusion, confusions, reliability
from evenhand.comparing.charts import comparison, difference
from evenhand.ranking.charts import agreement, leaderboard, places, ranks
from evenhand.scoring.charts import classes, gap, groups, lemma, scores, thresholds
from evenhand.shift.charts import mixes, prevalence

__all__ = [
    "Chart",
    "agreement",
    "classes",
    "comparison",
    "confusion",
    "confusions",
    "difference",
    "gap",
    "groups",
    "leaderboard",
    "lemma",
    "mixes",
    "panel",
    "places",
    "prevalence",
    "ranks",
    "reliability",
    "scores",
    "thresholds",
]


def __dir__() -> list[str]:
    return __all__
