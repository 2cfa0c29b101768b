"""Charts: each takes data or a result and returns a ``Chart`` that shows and saves itself.

>>> import evenhand as eh
>>> chart = eh.plot.confusion([[6, 1, 1], [1, 5, 2], [2, 3, 7]])
>>> chart.description
'3 classes; 64 % of the items are right. Most often 2 is taken for 1: 3.'
"""

from __future__ import annotations

from evenhand.charts.chart import Chart, panel
from evenhand.charts.confusion import confusion, confusions, counts, reliability
from evenhand.charts.curves import histogram, precision_recall, roc
from evenhand.comparing.charts import differences
from evenhand.ranking.charts import leaderboard, ranks
from evenhand.scoring.charts import classes, gap, groups, lemma, ring, thresholds
from evenhand.shift.charts import mixes, prevalence

__all__ = [
    "Chart",
    "classes",
    "confusion",
    "confusions",
    "counts",
    "differences",
    "gap",
    "groups",
    "histogram",
    "leaderboard",
    "lemma",
    "mixes",
    "panel",
    "precision_recall",
    "prevalence",
    "ranks",
    "reliability",
    "ring",
    "roc",
    "thresholds",
]


def __dir__() -> list[str]:
    return __all__
