"""Charts: each takes data or a result and returns a ``Chart`` that shows and saves itself.

>>> import evenhand as eh
>>> chart = eh.plot.confusion([[6, 1, 1], [1, 5, 2], [2, 3, 7]])
>>> chart.description
'3 classes; 64 % of the items are right. Most often 2 is taken for 1: 3.'
"""

from __future__ import annotations

from evenhand.show.chart import Chart
from evenhand.show.charts.classes import classes
from evenhand.show.charts.confusion import confusion, confusions
from evenhand.show.charts.difference import comparison, difference
from evenhand.show.charts.gap import gap
from evenhand.show.charts.leaderboard import leaderboard
from evenhand.show.charts.mixes import mixes
from evenhand.show.charts.panel import panel
from evenhand.show.charts.places import places
from evenhand.show.charts.prevalence import prevalence
from evenhand.show.charts.ranks import agreement, ranks
from evenhand.show.charts.reliability import reliability
from evenhand.show.charts.scores import scores

__all__ = [
    "Chart",
    "agreement",
    "classes",
    "comparison",
    "confusion",
    "confusions",
    "difference",
    "gap",
    "leaderboard",
    "mixes",
    "panel",
    "places",
    "prevalence",
    "ranks",
    "reliability",
    "scores",
]


def __dir__() -> list[str]:
    return __all__
