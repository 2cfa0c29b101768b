"""The chart of groups: each with its interval, from worst to best."""

from __future__ import annotations

from typing import Any

from evenhand.catalogue.titles import brief
from evenhand.draw.chart import Chart
from evenhand.draw.marks import dots, numbers, undefined_last
from evenhand.draw.names import names
from evenhand.errors import InputError
from evenhand.results.sentence import called
from evenhand.results.text import counted, interval, number
from evenhand.scoring.grouping import Groups
from evenhand.tables.labels import key_text

MOST = 60


def groups(data: Any, *, metric: str | None = None, title: str | None = None) -> Chart:
    """The groups on one metric, worst first; ``data`` is what ``eh.groups`` gives.

    >>> import evenhand as eh
    >>> found = eh.groups(list("abab" * 9), list("abbb" * 9), by=list("xxyy" * 9))
    >>> groups(found, metric="accuracy").title
    'Groups by accuracy'
    """
    if not isinstance(data, Groups):
        raise InputError("groups are drawn from what eh.groups gives")
    gap = data[metric] if metric is not None else next(iter(data.values()))
    sign = 1 if gap.worst_score.value <= gap[gap.best].score.value else -1
    order = sorted(gap.groups, key=lambda g: undefined_last(sign * g.score.value))[:MOST]
    labels = names([key_text(g.key) for g in order])
    values = [
        {
            "group": label,
            **g.score.picked("value", "low", "high"),
            "text": number(g.score.value, 3),
            "tip": f"{label} {interval(g.score.value, g.score.low, g.score.high)}; "
            f"{counted(g.n, 'item')}",
        }
        for label, g in zip(labels, order, strict=True)
    ]
    x = numbers("value", f"{brief(gap.metric)} and interval")
    worst, best = gap[gap.worst], gap[gap.best]
    said = (
        f"{brief(gap.metric)} is worst in {key_text(gap.worst)}, {number(worst.score.value, 3)}, "
        f"and best in {key_text(gap.best)}, {number(best.score.value, 3)}."
    )
    note = f"the {MOST} worst of {len(gap.groups):,} groups" if len(gap.groups) > MOST else ""
    head = title or f"Groups by {called(gap.metric)}"
    return Chart.drawn(lambda room: dots(values, "group", labels, x, room), head, said, note)
