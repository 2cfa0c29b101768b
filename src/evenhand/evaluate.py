"""Evaluate: a metric, however it is named, on a table, a stack or margins."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from evenhand.core.arrays import Array
from evenhand.core.counts import Counts
from evenhand.errors import MetricError
from evenhand.labels import positions
from evenhand.multilabel import MultiLabel
from evenhand.spelling import Spec
from evenhand.table import Classes, Confusion

Table: TypeAlias = Confusion | MultiLabel
AnyMetric: TypeAlias = str | Spec | Callable[[Counts], Array]


def as_spec(metric: AnyMetric) -> Spec | Callable[[Counts], Array]:
    """A metric by name or spelling; a user's own function of ``Counts`` as it is."""
    return Spec.parse(metric) if isinstance(metric, str) else metric


def evaluate(
    metric: AnyMetric,
    table: Table | Counts,
    *,
    classes: Classes = "seen",
    undefined: float = 0.0,
    averaged: Array | None = None,
) -> Array:
    """The value of ``metric``: one number for one table, an array for a stack.

    ``averaged``, a mask over classes, takes the place of ``classes`` where the set was fixed
    by other data, as in a bootstrap.
    """
    spec = as_spec(metric)
    if not isinstance(spec, Spec):
        return spec(_counts(table, classes, undefined, averaged))
    record = spec.metric
    if record.needs == "items":
        if not isinstance(table, MultiLabel):
            raise MetricError(f"{record.name} is for multi-label data, got a single-label table")
        return record.function(table.items(undefined=undefined))
    if isinstance(table, MultiLabel):
        _refuse_multilabel(spec)
    if record.classes is not None:
        classes, averaged = record.classes, None  # the metric's own rule
    if averaged is None and not isinstance(table, Counts):
        averaged = table.averaged(classes)  # by the observed table, whatever the prevalence
    if spec.prevalence is not None:
        if not isinstance(table, Confusion):
            raise MetricError(f"{spec} needs the cells of a table to calibrate")
        table = table.calibrate(dict(spec.prevalence) or None)
    if record.of_one_class:
        if isinstance(table, Counts):
            raise MetricError(f"{spec} needs a table with labels")
        at = positions([spec.label], table.labels, f"label of {record.name}")[0]
        c = _counts(table, classes, undefined, np.arange(table.k) == at)
        return c.mean(record.function(c, **spec.options))
    return record.function(_counts(table, classes, undefined, averaged), **spec.options)


def per_class(
    metric: str, table: Table | Counts, *, undefined: float = 0.0, **options: float
) -> Array:
    """One value a class of ``precision``, ``recall``, ``f1`` or ``fbeta``, on the last axis."""
    from evenhand.core.registry import find

    record = find(metric)
    if record is None or not record.of_one_class:
        raise MetricError(f"{metric!r} has no values per class")
    return record.function(_counts(table, "seen", undefined, None), **options)


def _counts(
    table: Table | Counts, classes: Classes, undefined: float, averaged: Array | None
) -> Counts:
    if isinstance(table, Counts):  # it carries its own classes and policy
        return table if averaged is None else table.over(averaged)
    c = table.counts(classes="seen" if averaged is not None else classes, undefined=undefined)
    return c if averaged is None else c.over(averaged)


def _refuse_multilabel(spec: Spec) -> None:
    if "multi" not in spec.metric.tasks:
        raise MetricError(
            f"{spec.metric.name} is not defined for multi-label data; "
            "subset_accuracy and hamming_loss are"
        )
    if spec.prevalence is not None:
        raise MetricError(f"{spec}: multi-label data have no class mix to calibrate")
