"""Distances: metrics at the distance between classes that somebody gives."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from evenhand.catalogue.lists import metrics
from evenhand.catalogue.spelling import Spec
from evenhand.core.distances import distances
from evenhand.core.registry import Metric, find
from evenhand.errors import MetricError, Option, shown
from evenhand.notes.data import Alphabetical
from evenhand.tables.distance import Distance, as_distance
from evenhand.tables.labels import Label

GIVEN = "distance"
"""The parameter."""


def usual(distance: str | Distance) -> list[Spec]:
    """The metrics that are scored of classes at a distance though none is named.

    >>> [m.name for m in usual("linear")][:3]
    ['weighted_kappa', 'weighted_kappa:distance=quadratic', 'krippendorff_alpha_ordinal']
    """
    found = [Spec(m) for m in metrics().values() if _kind(distance) in m.distances]
    found = [_at(spec, distance) for spec in found if spec.metric.variant_of is None]
    if distance != "linear":
        return found
    squared = Spec(metrics()["weighted_kappa"], ((GIVEN, "quadratic"),))
    return [found[0], squared, *found[1:]]


def placed(metric: Any, spec: Any, distance: str | Distance) -> Any:
    """A metric at a distance, unless it says itself how far apart its classes are."""
    if not isinstance(spec, Spec):
        return spec
    said = spec.options.get(GIVEN)
    if said is None and isinstance(metric, str) and f"{GIVEN}=" in metric:
        return spec  # its own default, in so many words
    if said is not None and not (isinstance(distance, Distance) and said == distance.name):
        return spec
    return _at(spec, distance)


def said_apart(spec: Spec, given: Any) -> Spec:
    """One metric at a distance that is said of it alone, so that it must see it."""
    other = spec.metric.by_distance.get(given) if isinstance(given, str) else None
    if other is not None:
        return Spec.parse(other)
    distance = as_distance(given)
    if isinstance(distance, str):
        return replace(spec, parameters=(*spec.parameters, (GIVEN, distance)))
    return spec if distance is None else _at(spec, distance)


def in_order(asked: Iterable[Any], labels: Sequence[Label]) -> list[Alphabetical]:
    """A note where metrics see the order of the classes, and the alphabet has made it.

    >>> [note.labels for note in in_order([Spec.parse("weighted_kappa")], ("high", "low", "mid"))]
    [('high', 'low', 'mid')]
    """
    specs = [m for m in asked if isinstance(m, Spec) and m.options.get(GIVEN) != "flat"]
    names = tuple(m.name for m in specs if m.metric.ordered and m.distance is None)
    return [Alphabetical(names, tuple(labels))] if names and alphabetical(labels) else []


def alphabetical(labels: Sequence[Any]) -> bool:
    """Whether the alphabet may have ordered more than two labels; words for numbers may rise.

    >>> alphabetical(["high", "low", "mid"]), alphabetical(["low", "mid", "high"])
    (True, False)
    >>> alphabetical(["1", "10", "2"]), alphabetical(["1", "2", "3"]), alphabetical([1, 2, 3])
    (True, False, False)
    """
    if len(labels) < 3 or list(labels) != sorted(map(str, labels)):
        return False
    try:
        numbers = list(map(float, labels))
    except ValueError:
        return True
    return numbers != sorted(numbers)


def _kind(distance: str | Distance) -> str:
    return distance.kind if isinstance(distance, Distance) else "ordinal"


def _at(spec: Spec, distance: str | Distance) -> Spec:
    record = spec.metric
    other = record.by_distance.get(_kind(distance))
    if other is not None:
        named = find(other)
        assert named is not None
        return replace(spec, metric=named)
    if GIVEN not in record.parameters:
        return spec
    kept = tuple(pair for pair in spec.parameters if pair[0] != GIVEN)
    if isinstance(distance, Distance):
        return replace(spec, parameters=(*kept, (GIVEN, distance.name)), distance=distance)
    if "ordinal" not in record.distances and distance != record.parameters[GIVEN]:
        takes = {"matrix": "a matrix of costs", "tree": "a tree of classes"}[record.distances[0]]
        raise MetricError(f"{record.name} needs {takes}, and {distance} is an order of classes")
    if distance not in record.choices[GIVEN] or distance == record.parameters[GIVEN]:
        return spec
    return replace(spec, parameters=(*kept, (GIVEN, distance)))


def measured(spec: Spec, labels: Sequence[Label]) -> tuple[Metric, dict[str, Any]]:
    """A metric's record and its options, with the distances of these classes for their name.

    A mean of distances is at most the largest. Only order keeps a weighted kappa above −1.
    """
    record, options = spec.metric, spec.options
    if spec.distance is None:
        word = options.get(GIVEN, record.parameters[GIVEN])
        if word not in record.choices[GIVEN]:
            words = " or ".join(record.choices[GIVEN])
            raise MetricError(
                f"distance of {record.name} must be {words}, or what is given by ",
                Option("distance"),
                f", got {shown([word])}",
            )
        found = distances(word, len(labels))
    else:
        found = spec.distance.over(labels)
    if found.shared is None and record.distances == ("tree",):
        raise MetricError(f"{record.name} needs a tree of classes, got another distance")
    share: Any = record.proportion
    return replace(
        record,
        proportion=share and partial(share, distance=found),
        low=-math.inf if record.low < 0 and spec.distance else record.low,
        high=float(found.far.max()) if math.isinf(record.high) else record.high,
    ), {**options, GIVEN: found}
