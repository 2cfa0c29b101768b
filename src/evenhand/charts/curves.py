"""Charts of scores at every threshold: ROC, precision and recall."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.charts.chart import (
    SERIES,
    TIP,
    Chart,
    ChartLayout,
    Spec,
    dashed,
    layered,
    names,
    numbers,
    points,
    quantity,
    series,
)
from evenhand.charts.confusion import LEGEND, curved, marked
from evenhand.core.metrics.probability import average_precision, roc_auc
from evenhand.core.scores import ItemScores
from evenhand.data.labels import positions
from evenhand.data.sample import SoftSample
from evenhand.inference.bootstrap import percentile, replicates
from evenhand.inference.rows import Floats, rows_of
from evenhand.options import ValueObject, choice, heading, instance
from evenhand.records import Curve
from evenhand.results.page import LIGHT
from evenhand.text import counted, number, percent

GRID = np.linspace(0, 1, 101)
BINS = 20
"""Of a histogram."""
REPLICATES, MOST_RESAMPLED = 200, 50_000
"""Replicates of a band, and the items up to which there is one: beyond, it is narrow."""


class _CurveKind(ValueObject):
    """A kind of curve: its axes, its points on the grid, and the area that belongs to it."""

    title: str
    across: str
    up: str
    along: Callable[[Floats, Floats], Floats]
    area: Callable[[ItemScores], Any]
    metric: str


def _roc_points(positive: Floats, negative: Floats) -> Floats:
    """The true positive rate at false positive rates of the grid, on straight lines at ties."""
    x, y = (np.append(0.0, np.cumsum(side) / side.sum()) for side in (negative, positive))
    at = np.searchsorted(x, GRID, side="right") - 1
    after = np.minimum(at + 1, len(x) - 1)
    step = np.where(x[after] > x[at], x[after] - x[at], 1.0)
    return np.asarray(y[at] + (y[after] - y[at]) * (GRID - x[at]) / step)


def _precision_points(positive: Floats, negative: Floats) -> Floats:
    """The precision of the highest threshold that reaches each recall of the grid."""
    hits = np.cumsum(positive)
    precision = hits / np.maximum(hits + np.cumsum(negative), 1e-300)
    at = np.searchsorted(hits / hits[-1], np.maximum(GRID, 1e-9) - 1e-12)
    return np.asarray(precision[np.minimum(at, len(hits) - 1)])


ROC = _CurveKind("ROC curve", "false positive rate", "recall", _roc_points, roc_auc, "ROC AUC")
PRECISION_RECALL = _CurveKind(
    "Precision and recall",
    "recall",
    "precision",
    _precision_points,
    average_precision,
    "average precision",
)


def roc(sample: SoftSample, *, label: Any = None, title: str | None = None) -> Chart:
    """Recall against the false positive rate at every threshold, and where decisions stand.

    A line for each system, of the second of two classes or of ``label``; of one system with more
    classes a line for each class against the rest. One line has a pointwise 95 % band.

    >>> import evenhand as eh
    >>> soft = eh.Sample.from_probabilities([0, 0, 1, 1], {"A": [0.1, 0.4, 0.35, 0.8]})
    >>> roc(soft).description
    'ROC AUC of 1: A 0.750. A dot is where the decisions stand.'
    """
    return _curves(sample, label, title, ROC)


def precision_recall(sample: SoftSample, *, label: Any = None, title: str | None = None) -> Chart:
    """Precision against recall at every threshold, and where decisions stand.

    Lines are as in :func:`roc`: of each system on the second of two classes or on ``label``, else
    of each class. The dashed line is the share of the class, which guessing has.

    >>> import evenhand as eh
    >>> soft = eh.Sample.from_probabilities([0, 0, 1, 1], {"A": [0.1, 0.4, 0.35, 0.8]})
    >>> precision_recall(soft).description
    'average precision of 1: A 0.833. A dot is where the decisions stand.'
    """
    return _curves(sample, label, title, PRECISION_RECALL)


def _curves(sample: SoftSample, label: Any, title: str | None, kind: _CurveKind) -> Chart:
    instance(sample, SoftSample, "sample", "a Sample with probabilities")
    scores, k = sample.item_scores, sample.k
    chosen = [1] if k == 2 else scores.system(0).varied[: len(SERIES)]
    if label is not None:
        chosen = positions([label], sample.labels, "label")
    systems = range(min(len(sample.systems), len(SERIES) if len(chosen) == 1 else 1))
    by_system = len(chosen) == 1
    called = names(sample.systems if by_system else (sample.labels[j] for j in chosen))
    pairs = [(i, j) for i in systems for j in chosen]
    tables, curves, places, areas = sample.decided().tables(), dict[str, Curve](), [], []
    for name, (i, j) in zip(called, pairs, strict=False):
        curves[name] = _curve(sample, i, j, kind, band=len(pairs) == 1)
        places.append(_operating_point(tables[i], j, kind, name))
        area = float(kind.area(scores.system(i).against_rest(j)))
        areas.append(f"{name} {number(area, 3)}")
    (whose,) = names([sample.labels[chosen[0]]]) if by_system else ("each class",)
    head, each = f"{kind.metric} of {whose}", ", ".join(areas)
    description = f"{head}: {each}. A dot is where the decisions stand."

    share = float(np.average(scores.truth[:, chosen[0]], weights=scores.weight))
    guess = (0.0, 1.0) if kind is ROC else (share, share)

    def draw(layout: ChartLayout) -> Spec:
        axes = {"x": quantity("at", title=kind.across), "y": quantity("value", title=kind.up)}
        more: list[Spec] = []
        if by_system or kind is ROC:
            ends = ({"at": x, "value": y} for x, y in zip((0, 1), guess, strict=True))
            more.append(dashed(*ends, encoding=axes))
        dots = points(axes, color=LIGHT["ink"], size=70)
        more.append({"data": {"values": places}, **dots})
        return curved(curves, GRID.tolist(), kind.across, kind.across, layout, *more,
                      score=kind.up)  # fmt: skip

    banded = curves[called[0]].low[0] is not None
    note = "dot: as decided" + "; band: pointwise 95 %" * banded
    return Chart.drawn(draw, heading(title, f"{kind.title} of {whose}"), description, note)


def histogram(
    sample: SoftSample, system: str | None = None, *, label: Any = None, title: str | None = None
) -> Chart:
    """The scores of a class for its items and for all others, each as shares of its own items.

    The class is the second of two, or ``label``, else the first of several.

    >>> import evenhand as eh
    >>> soft = eh.Sample.from_probabilities([0, 0, 1, 1], {"A": [0.1, 0.4, 0.35, 0.8]})
    >>> histogram(soft).description
    'Scores of 1 by A: median 0.575 of its 2 items, 0.25 of the 2 others.'
    """
    instance(sample, SoftSample, "sample", "a Sample with probabilities")
    system = sample.systems[0] if system is None else system
    choice(system, sample.systems, "system")
    (j,) = [int(sample.k == 2)] if label is None else positions([label], sample.labels, "label")
    scores = sample.probability[sample.systems.index(system)][:, j]
    low, high = (scores.min(), scores.max()) if sample.only_scores else (0.0, 1.0)
    edges = np.linspace(low, high, BINS + 1)
    weight = np.ones(sample.n) if sample.weight is None else sample.weight
    (whose, by) = names([sample.labels[j], system])
    values, kinds, own = [], [whose, "others"], sample.true == j
    for kind, side in zip(kinds, (own, ~own), strict=True):
        mass = np.histogram(scores[side], edges, weights=weight[side])[0]
        shares = mass / (mass.sum() or 1.0)
        values += [
            {"from": start, "to": end, "share": share, "kind": kind,
             "tip": f"{kind}: {percent(share)} from {start:.3g} to {end:.3g}"}
            for start, end, share in zip(edges.tolist(), edges[1:].tolist(), shares, strict=False)
        ]  # fmt: skip
    axis = numbers("from", f"score of {whose}", domain=[float(low), float(high)], nice=False)
    x = {**axis, "bin": "binned"}
    key = {**LEGEND, "columns": 2, "symbolType": "square"}
    colour = series("kind", kinds, SERIES[:2], legend=key)
    y = {**numbers("share", "share of items"), "stack": None}
    bar = {"mark": {"type": "bar", "opacity": 0.45, "binSpacing": 0},
           "encoding": {"x": x, "x2": {"field": "to"}, "y": y, "color": colour, **TIP}}  # fmt: skip

    def draw(layout: ChartLayout) -> Spec:
        threshold = 0.0 if sample.only_scores else 0.5
        more = marked(threshold, f"decided above {threshold:g}") if sample.k == 2 else []
        return layered(values, layout.width - 60, 260, bar, *more)

    middle = [float(np.median(scores[side])) if side.any() else math.nan for side in (own, ~own)]
    description = (
        f"Scores of {whose} by {by}: median {middle[0]:.3g} of its "
        f"{counted(int(own.sum()), 'item')}, {middle[1]:.3g} of the {(~own).sum():,} others."
    )
    return Chart.drawn(draw, heading(title, f"Scores of {whose} by class"), description)


def _curve(sample: SoftSample, i: int, j: int, kind: _CurveKind, *, band: bool) -> Curve:
    """One line on the grid, with a band from resampled items if wanted."""
    c = sample.item_scores.system(i)
    value = kind.along(*c.curve(j))
    none = (None,) * len(GRID)
    if not band or sample.n > MOST_RESAMPLED:
        return Curve(tuple(value.tolist()), none, none)
    weights = np.concatenate(list(replicates(rows_of(sample), REPLICATES)))
    sides = (replace(c, weight=w).curve(j) for w in weights)
    drawn = [kind.along(*pair) for pair in sides if pair[0].sum() and pair[1].sum()]
    low, high = percentile(np.array(drawn), 0.95)
    return Curve(tuple(value.tolist()), tuple(low.tolist()), tuple(high.tolist()))


def _operating_point(table: Any, j: int, kind: _CurveKind, name: str) -> Spec:
    """Where the labels decided for stand: recall with false positive rate, or with precision."""
    hits, predicted, true = (float(x[j]) for x in (table.correct, table.bias, table.prevalence))
    recall, negatives = hits / true, float(table.total) - true
    at, value = (predicted - hits) / negatives if negatives else 0.0, recall
    if kind is PRECISION_RECALL:
        at, value = recall, hits / predicted if predicted else 0.0
    tip = f"{name} as decided: {kind.across} {percent(at)}, {kind.up} {percent(value)}"
    return {"at": at, "value": value, "tip": tip}
