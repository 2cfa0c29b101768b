"""Charts: each takes data or a result and returns a ``Chart`` that shows and saves itself.

>>> import evenhand as eh
>>> chart = eh.plot.confusion([[6, 1, 1], [1, 5, 2], [2, 3, 7]])
>>> chart.description
'3 classes; 64 % of the items are right. Most often 2 is taken for 1: 3.'
"""

from __future__ import annotations

from evenhand.comparing.charts import comparison, difference
from evenhand.draw.chart import Chart
from evenhand.draw.confusion import confusion, confusions
from evenhand.draw.panel import panel
from evenhand.draw.reliability import reliability
from evenhand.ranking.charts.leaderboard import leaderboard
from evenhand.ranking.charts.places import places
from evenhand.ranking.charts.ranks import agreement, ranks
from evenhand.scoring.charts import classes, gap, scores
from evenhand.scoring.group_chart import groups
from evenhand.scoring.threshold_chart import thresholds
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
