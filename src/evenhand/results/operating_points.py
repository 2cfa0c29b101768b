"""Operating points: what systems decide, beside an area, which says nothing of that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from evenhand.catalogue.lists import AnyMetric, as_spec
from evenhand.catalogue.spelling import Spec
from evenhand.core.ratio import ratio
from evenhand.data.labels import Label
from evenhand.data.sample import SoftSample
from evenhand.records import Record
from evenhand.results.document import Table
from evenhand.text import Grid

MOST_ROWS = 60
"""Operating points that people are shown."""


class OperatingPoint(Record):
    """One class of one system at the threshold in use, against all other classes.

    ``threshold`` is that of two classes; of more, the most probable is predicted.
    """

    system: str
    label: Label
    threshold: float | None
    true_positives: float
    false_negatives: float
    false_positives: float
    true_negatives: float
    sensitivity: float
    specificity: float
    precision: float


def operating_points(
    data: Any, metrics: Iterable[AnyMetric], systems: Sequence[str]
) -> tuple[OperatingPoint, ...]:
    """What the systems decide, if one of the metrics is an area under a curve of their scores.

    Of the classes that the metrics name, of the second of two, or of each of several.
    """
    specs = [spec for spec in map(as_spec, metrics) if isinstance(spec, Spec)]
    of_curves = [spec for spec in specs if spec.metric.of_order]
    if not isinstance(data, SoftSample) or not of_curves:
        return ()
    usual = data.labels[1:] if data.k == 2 else data.labels
    named = {spec.label for spec in of_curves}
    labels = usual if None in named else [v for v in data.labels if str(v) in named]
    threshold = None if data.k > 2 else 0.0 if data.only_scores else 0.5
    tables, points = data.decided().tables(), []
    for system in systems:
        c = tables[data.systems.index(system)]
        for j in map(data.labels.index, labels):
            hits, true, predicted = c.correct[j], c.prevalence[j], c.bias[j]
            misses, alarms = true - hits, predicted - hits
            rest = np.sum(c.total) - true - alarms
            right, wrong = np.stack([hits, rest, hits]), np.stack([misses, alarms, alarms])
            counts = (x.item() for x in (hits, misses, alarms, rest))
            rates = ratio(right, right + wrong).tolist()
            points.append(OperatingPoint(system, data.labels[j], threshold, *counts, *rates))
    return tuple(points)


def operating_table(points: Sequence[OperatingPoint]) -> list[Table]:
    """The table of operating points, if there are any."""
    grid = Grid.from_records(
        points,
        "system, class=label:text, TP=true_positives, FN=false_negatives, FP=false_positives, "
        "TN=true_negatives, sensitivity, specificity, precision",
    )
    rule = "The most probable class is predicted."
    if points and points[0].threshold is not None:
        rule = f"The class is predicted above a threshold of {points[0].threshold:g}."
    name = "Operating points: what each system decides, which an area does not say"
    table = Table(grid, name, most=MOST_ROWS, rows="operating points", note=rule)
    return [table] if points else []
