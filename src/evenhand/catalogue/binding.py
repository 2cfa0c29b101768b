"""Binding: a metric, however it is named, made ready for a table, a stack or margins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial, singledispatch
from typing import Any, TypeAlias, cast

import numpy as np

from evenhand.catalogue.distances import GIVEN, measured
from evenhand.catalogue.lists import ONE_CLASS
from evenhand.catalogue.naming import AnyMetric, as_spec, name_of
from evenhand.catalogue.spelling import Prevalence, Spec
from evenhand.core.arrays import Array
from evenhand.core.counts import Counts
from evenhand.core.crossed import Crossed
from evenhand.core.kernel import (
    OVER_ITEMS,
    Kernel,
    View,
    Views,
    asked_views,
    of_one_class,
)
from evenhand.core.prevalence import factors
from evenhand.core.registry import Parameter, Task, find
from evenhand.errors import MetricError
from evenhand.tables import narrow
from evenhand.tables.confusion import Classes, Confusion
from evenhand.tables.labels import positions, rule_or_list
from evenhand.tables.multilabel import MultiLabel

Table: TypeAlias = Confusion | MultiLabel


def bind(
    metric: AnyMetric, table: Table, *, classes: Classes = "task", undefined: float = 0.0
) -> Kernel:
    """The metric made ready for ``table``; what makes no sense there is refused."""
    return bind_all([metric], table, classes=classes, undefined=undefined)[0]


def bind_all(
    metrics: Iterable[AnyMetric],
    table: Table,
    *,
    classes: Classes = "task",
    undefined: float = 0.0,
    expected: bool = False,
) -> list[Kernel]:
    """Metrics made ready for ``table`` in one go: each class set and each mix is found once.

    What cells ``expected`` of so many items add up to is their number, though none is whole.
    """
    ruled = isinstance(classes, str)
    masks: dict[str | None, Array] = {}
    targets: dict[Prevalence, Array] = {}

    def mask(own: str | None) -> Array:
        """Of the classes of a metric's own rule, unless they are listed; else of those asked."""
        own = own if ruled else None
        if own not in masks:  # by the observed table, whatever the prevalence
            masks[own] = table.averaged(own or classes)
        return masks[own]

    found = []
    for spec in map(as_spec, metrics):
        if not isinstance(spec, Spec):
            found.append(Kernel(name_of(spec), spec, mask(None), undefined, ruled=ruled))
            continue
        record = spec.metric
        refuse_task(spec, table.task)
        weighed = table.weighing != "none" and not expected
        if record.size == "matters" and (weighed or spec.prevalence is not None):
            raise MetricError(f"{spec} depends on the number of items, which weights do not tell")
        function: Callable[[Any], Array] = record.function
        options = spec.options
        if GIVEN in record.parameters:
            record, options = measured(spec, table.labels)
        if options:
            function = partial(function, **options)
        if record.of_one_class:
            at = positions([spec.label], table.labels, f"label of {record.name}")[0]
            own, function = np.arange(table.k) == at, partial(of_one_class, function)
        else:
            own = mask(record.classes)
        mix = spec.prevalence
        if mix is not None and mix not in targets:
            targets[mix] = cast(Confusion, table).target(dict(mix) or None)
        target = None if mix is None else targets[mix]
        found.append(Kernel(spec.name, function, own, undefined, target, record))
    return found


def bind_classes(undefined: float = 0.0) -> list[Kernel]:
    """The values of every class of metrics of one class: precision, recall and F1."""
    return [Kernel(m.name, m.function, None, undefined, record=m, by_class=True) for m in ONE_CLASS]


def views_of(kernels: Iterable[Kernel], table: Table, *, many: bool | None = None) -> Views:
    """What kernels ask of a table or stack: its margins, at each class mix once, or its items.

    ``many`` says that the table is part of one of many classes.
    """
    asked, found = asked_views(kernels), dict[bytes, View]()
    if many is None:
        many = table.task == "single" and narrow.many(cast(Confusion, table))
    for view, kernel in asked.items():
        if view == OVER_ITEMS:
            found[view] = cast(MultiLabel, table).items()
            continue
        mixed = table
        if kernel.target is not None:
            mixed = cast(Confusion, table).scale(factors(table.prevalence, kernel.target))
        if kernel.over_cells:
            found[view] = cast(Confusion, mixed).data.crossed(every=kernel.over_pairs)
        else:
            found[view] = mixed.counts_over(None, 0.0)
    return Views(found, many)


def values_of(kernels: Sequence[Kernel], table: Table, *, many: bool | None = None) -> list[Array]:
    """Each metric's value on a table or stack."""
    return views_of(kernels, table, many=many).values(kernels)


def evaluate(
    metric: AnyMetric,
    table: Table | Counts,
    *,
    classes: Classes = "task",
    undefined: float = 0.0,
) -> Array:
    """The value of ``metric``: one number for one table, an array for a stack."""
    return _value(table, as_spec(metric), rule_or_list(classes), undefined)


@singledispatch
def _value(
    table: Any, metric: Spec | Callable[[Counts], Array], classes: Classes, undefined: float
) -> Array:
    """The value of a metric, of a large stack block by block."""
    if not narrow.large(table):
        return values_of([bind(metric, table, classes=classes, undefined=undefined)], table)[0]
    if len(table.shape) > 1:
        return np.stack([_value(part, metric, classes, undefined) for part in table])
    many = narrow.many(table)
    found = [
        values_of([bind(metric, part, classes=classes, undefined=undefined)], part, many=many)[0]
        for part in narrow.blocks(table, _named(metric, table, classes))
    ]
    return np.concatenate(found)


@_value.register
def _of_margins(c: Counts, spec: Any, classes: Any, undefined: float) -> Array:
    """Bare margins have neither labels nor cells."""
    if not isinstance(spec, Spec):
        return spec(c)
    refuse_task(spec, "single")
    if spec.prevalence is not None:
        raise MetricError(f"{spec} needs the cells of a table to calibrate")
    if spec.metric.of_one_class:
        raise MetricError(f"{spec} needs a table with labels")
    if spec.metric.needs != "counts":
        raise MetricError(f"{spec} needs the cells of a table, not only its margins")
    return spec.metric.function(c, **spec.options)


@_value.register
def _of_cells(c: Crossed, spec: Any, classes: Any, undefined: float) -> Array:
    """Bare cells of any array library, whose classes have no labels but their places."""
    options = spec.options
    if GIVEN in spec.metric.parameters:
        _, options = measured(spec, tuple(range(c.k)))
    return spec.metric.function(c, **options)


def _named(
    metric: Spec | Callable[[Counts], Array], table: Confusion, classes: Classes
) -> list[int] | None:
    """Classes that a metric must find, occur or not; ``None`` if a function may look at all."""
    if not isinstance(metric, Spec):
        return None
    labels, found = table.labels, []
    if metric.label is not None:
        found += positions([metric.label], labels, f"label of {metric.metric.name}")
    if metric.prevalence:
        found += positions(dict(metric.prevalence), labels, "classes of the prevalence")
    if not isinstance(classes, str):
        found += positions(classes, labels)
    return found


def per_class(
    metric: str, table: Table | Counts, *, undefined: float = 0.0, **options: Parameter
) -> Array:
    """One value a class of a metric of one class, on the last axis."""
    record = find(metric)
    if record is None or not record.of_one_class:
        raise MetricError(f"{metric!r} has no values per class")
    return record.function(_margins(table, undefined), **options)


@singledispatch
def _margins(table: Any, undefined: float) -> Counts:
    return cast(Counts, table.counts_over(None, undefined))


@_margins.register
def _(c: Counts, undefined: float) -> Counts:
    return c  # which say themselves what 0/0 is worth


def refuse_cells(kernels: Iterable[Kernel]) -> None:
    """Where tables are followed by their margins alone, a metric must need no more."""
    for kernel in kernels:
        if kernel.over_cells:
            raise MetricError(f"{kernel.name} needs the cells of every table, not only its margins")


def refuse_task(spec: Spec, task: Task) -> None:
    """A metric must be defined for the data: multi-label ones have items, others a class mix."""
    record = spec.metric
    if task == "single" and record.needs == "items":
        raise MetricError(f"{record.name} is for multi-label data, got a single-label table")
    if task not in record.tasks:
        raise MetricError(
            f"{record.name} is not defined for multi-label data; "
            "subset_accuracy and hamming_loss are"
        )
    if task == "multi" and spec.prevalence is not None:
        raise MetricError(f"{spec}: multi-label data have no class mix to calibrate")
