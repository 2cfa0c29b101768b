"""Operating points: what systems decide, beside an area, which says nothing of that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, eq=False)
class OperatingPoint(Record):
    """One class of one system at the threshold in use, against all other classes.

    >>> point = OperatingPoint("A", "spam", 0.5, 6, 2, 3, 9)
    >>> point.sensitivity, point.specificity, round(point.precision, 4)
    (0.75, 0.75, 0.6667)
    """

    json_fields = """system label threshold true_positives false_negatives false_positives
    true_negatives sensitivity specificity precision"""

    system: str
    label: Label
    threshold: float | None
    """Of two classes; of more, the most probable is predicted."""
    true_positives: float
    false_negatives: float
    false_positives: float
    true_negatives: float

    @property
    def sensitivity(self) -> float:
        """The share of the items of the class that are found."""
        return float(ratio(self.true_positives, self.true_positives + self.false_negatives))

    @property
    def specificity(self) -> float:
        """The share of all other items that are not taken for it."""
        return float(ratio(self.true_negatives, self.true_negatives + self.false_positives))

    @property
    def precision(self) -> float:
        """The share of the items taken for it that are of the class."""
        return float(ratio(self.true_positives, self.true_positives + self.false_positives))


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
        for label in labels:
            j = data.labels.index(label)
            hits, true, predicted = (x[j].item() for x in (c.correct, c.prevalence, c.bias))
            rest = np.asarray(c.total).item() - true - predicted + hits
            counts = (hits, true - hits, predicted - hits, rest)
            points.append(OperatingPoint(system, label, threshold, *counts))
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
