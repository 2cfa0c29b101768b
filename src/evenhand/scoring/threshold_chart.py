"""The chart of thresholds: scores along the threshold of a class."""

from __future__ import annotations

from typing import Any

from evenhand.draw.chart import Chart
from evenhand.draw.curves import curved, marked
from evenhand.draw.layout import Layout
from evenhand.draw.marks import Spec, bounded
from evenhand.draw.names import metric_names, names
from evenhand.draw.theme import SERIES
from evenhand.errors import InputError
from evenhand.results.text import number
from evenhand.scoring.thresholding import Thresholds


def thresholds(found: Thresholds, *, title: str | None = None) -> Chart:
    """Each metric along the threshold from which on a class is predicted, the best one marked.

    >>> import evenhand as eh
    >>> p = [[.9, .1], [.7, .3], [.6, .4], [.2, .8]]
    >>> thresholds(eh.thresholds([0, 0, 1, 1], p, labels=[0, 1], label=1)).title
    'Scores against the threshold of 1'
    """
    if not isinstance(found, Thresholds):
        raise InputError("thresholds is for the result of eh.thresholds")
    (label,) = names([found.label])
    kept = [m for m in found.curves if bounded(m)][: len(SERIES)] or [found.metric]
    called = metric_names(kept)
    curves: dict[str, Any] = {name: found.curves[m] for m, name in zip(kept, called, strict=True)}
    flag = marked(found.best, f"best by {metric_names([found.metric], 30)[0]}, {found.best:g}")
    axis = f"threshold of {label}"
    here, usual = found.chosen[found.metric].value, found.argmax[found.metric].value
    (lead,) = metric_names([found.metric])
    said = f"{lead} is best from {found.best:g} on: {number(here, 3)} on these items"
    if found.expected is not None:
        said += f", {number(found.expected.value, 3)} to be expected of new ones"
    said += f"; {number(usual, 3)} with the most probable class."

    def draw(layout: Layout) -> Spec:
        at = found.thresholds
        return curved(curves, at, axis, "threshold", layout, *flag, percents=False)

    return Chart.drawn(draw, title or f"Scores against the threshold of {label}", said)
