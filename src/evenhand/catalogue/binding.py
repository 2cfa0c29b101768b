"""Evaluate: a metric, however it is named, on a table, a stack or margins."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any, TypeAlias

import numpy as np

import evenhand.tables.narrow as narrow
from evenhand.catalogue.spelling import Spec
from evenhand.core.arrays import Array
from evenhand.core.counts import Counts
from evenhand.core.prevalence import factors
from evenhand.core.registry import Metric, find
from evenhand.errors import MetricError
from evenhand.tables.confusion import Classes, Confusion
from evenhand.tables.labels import positions, rule_or_list
from evenhand.tables.multilabel import MultiLabel

Table: TypeAlias = Confusion | MultiLabel
AnyMetric: TypeAlias = str | Spec | Callable[[Counts], Array]
Metrics: TypeAlias = AnyMetric | Iterable[AnyMetric]


def as_spec(metric: AnyMetric) -> Spec | Callable[[Counts], Array]:
    """A metric by name or spelling; a user's own function of ``Counts`` as it is."""
    if isinstance(metric, Spec):
        return metric
    if callable(metric):
        record = getattr(metric, "metric", None)  # of a public function, such as eh.macro_f1
        return Spec.parse(record.name) if isinstance(record, Metric) else metric
    return Spec.parse(metric)


def several(metrics: Metrics | None, otherwise: Iterable[AnyMetric]) -> list[AnyMetric]:
    """The metrics asked for, one or a list of them; ``otherwise`` those of the verb."""
    if metrics is None:
        return list(otherwise)
    if isinstance(metrics, str | Spec) or callable(metrics):
        return [metrics]
    return list(metrics)


def name_of(metric: AnyMetric) -> str:
    """What results call a metric: its spelling, or the name of a user's function."""
    spec = as_spec(metric)
    return str(spec) if isinstance(spec, Spec) else getattr(spec, "__name__", "function")


def named(metrics: Iterable[AnyMetric]) -> list[tuple[str, AnyMetric]]:
    """Each metric under its name; functions that share one are numbered apart."""
    found: dict[str, AnyMetric] = {}
    for metric in metrics:
        spec = as_spec(metric)
        name = name_of(spec)
        if name in found and not isinstance(spec, Spec) and found[name] is not spec:
            name = next(f"{name} {i}" for i in count(2) if f"{name} {i}" not in found)
        found[name] = spec
    return list(found.items())


@dataclass(frozen=True, eq=False)
class Kernel:
    """A metric made ready for some data: parameters bound, class set and policy fixed.

    ``function`` takes ``Counts`` (``Items`` where the metric is over items). ``averaged`` is the
    mask of classes, ``target`` the class mix to calibrate to, ``record`` the metric's record,
    ``None`` for a user's own function. ``by_class`` says that it gives one value a class,
    ``ruled`` that a rule chose the classes, not a list.
    """

    name: str
    function: Callable[[Any], Array]
    averaged: Array | None
    undefined: float
    target: Array | None = None
    record: Metric | None = None
    by_class: bool = False
    ruled: bool = False

    @property
    def over_items(self) -> bool:
        """Whether the metric averages over items instead of classes."""
        return self.record is not None and self.record.needs == "items"

    def at(self, i: int) -> Kernel:
        """The kernel for one table of the stack that it was bound to."""
        mask, target = self.averaged, self.target
        return replace(
            self,
            averaged=mask if mask is None or mask.ndim < 2 else mask[i],
            target=target if target is None or target.ndim < 2 else target[i],
        )

    def of_class(self, j: int, k: int) -> Kernel:
        """The j-th of the values of a kernel that has one a class."""
        one = partial(_of_one_class, self.function)
        return replace(self, function=one, averaged=np.arange(k) == j, by_class=False)

    def counts(self, table: Table) -> Counts:
        """The margins of a table as the metric takes them."""
        return self.calibrated(table).counts_over(self.averaged, self.undefined, ruled=self.ruled)

    def prepared(self, c: Counts) -> Counts:
        """``c`` with this kernel's classes and policy."""
        return replace(c, averaged=self.averaged, undefined=self.undefined, ruled=self.ruled)

    def on(self, table: Table, *, many: bool | None = None) -> Array:
        """The value on a table or stack; ``many`` says that it is part of one of many classes."""
        if self.over_items:
            assert isinstance(table, MultiLabel)
            return self.function(table.items(undefined=self.undefined))
        c = self.counts(table)
        if many is None:
            many = isinstance(table, Confusion) and narrow.many(table)
        if many and self.record is not None and not self.by_class:
            return narrow.on_own_classes(self.function, c)
        return self.function(c)

    def calibrated(self, table: Table) -> Table:
        """The table with the class mix that the metric asks for."""
        if self.target is None:
            return table
        assert isinstance(table, Confusion)
        return table.scale(factors(table.prevalence, self.target))


def bind(
    metric: AnyMetric,
    table: Table,
    *,
    classes: Classes = "task",
    undefined: float = 0.0,
    averaged: Array | None = None,
) -> Kernel:
    """The metric made ready for ``table``; what makes no sense there is refused."""
    spec = as_spec(metric)
    if not isinstance(spec, Spec):
        mask = table.averaged(classes) if averaged is None else averaged
        return Kernel(name_of(spec), spec, mask, undefined, ruled=isinstance(classes, str))
    record = spec.metric
    if record.needs == "items" and not isinstance(table, MultiLabel):
        raise MetricError(f"{record.name} is for multi-label data, got a single-label table")
    if isinstance(table, MultiLabel):
        _refuse_multilabel(spec)
    if record.classes is not None and isinstance(classes, str):
        classes, averaged = record.classes, None  # the metric's own rule, unless they are listed
    target = None
    if spec.prevalence is not None:
        if not isinstance(table, Confusion):
            raise MetricError(f"{spec} needs the cells of a table to calibrate")
        target = table.target(dict(spec.prevalence) or None)
    function: Callable[[Any], Array] = record.function
    if spec.parameters:
        function = partial(function, **spec.options)
    if record.of_one_class:
        at = positions([spec.label], table.labels, f"label of {record.name}")[0]
        averaged = np.arange(table.k) == at
        function = partial(_of_one_class, function)
    elif averaged is None:
        averaged = table.averaged(classes)  # by the observed table, whatever the prevalence
    return Kernel(str(spec), function, averaged, undefined, target, record)


def bind_classes(metric: str, undefined: float = 0.0) -> Kernel:
    """The values of every class of ``precision``, ``recall``, ``f1`` or ``fbeta``."""
    record = _of_classes(metric)
    return Kernel(metric, record.function, None, undefined, record=record, by_class=True)


def _of_classes(metric: str) -> Metric:
    record = find(metric)
    if record is None or not record.of_one_class:
        raise MetricError(f"{metric!r} has no values per class")
    return record


def _of_one_class(function: Callable[[Counts], Array], c: Counts) -> Array:
    return c.mean(function(c))


def evaluate(
    metric: AnyMetric,
    table: Table | Counts,
    *,
    classes: Classes = "task",
    undefined: float = 0.0,
    averaged: Array | None = None,
) -> Array:
    """The value of ``metric``: one number for one table, an array for a stack.

    ``averaged``, a mask over classes, takes the place of ``classes`` where the set was fixed
    by other data, as in a bootstrap.
    """
    if isinstance(table, Confusion) and averaged is None:
        return _in_blocks(as_spec(metric), table, classes, undefined)
    if not isinstance(table, Counts):
        return bind(metric, table, classes=classes, undefined=undefined, averaged=averaged).on(
            table
        )
    spec = as_spec(metric)
    c = table if averaged is None else table.over(averaged)
    if not isinstance(spec, Spec):
        return spec(c)
    if spec.metric.needs == "items":
        raise MetricError(f"{spec.metric.name} is for multi-label data, got a single-label table")
    if spec.prevalence is not None:
        raise MetricError(f"{spec} needs the cells of a table to calibrate")
    if spec.metric.of_one_class:
        raise MetricError(f"{spec} needs a table with labels")
    if spec.metric.classes is not None:
        c = table  # the metric's own rule
    return spec.metric.function(c, **spec.options)


def _in_blocks(
    metric: Spec | Callable[[Counts], Array], table: Confusion, classes: Classes, undefined: float
) -> Array:
    """The value of a metric, of a large stack block by block."""
    if len(table.shape) > 1 and narrow.large(table):
        return np.stack([_in_blocks(metric, part, classes, undefined) for part in table])
    classes = rule_or_list(classes)
    named = _named(metric, table, classes) if narrow.large(table) else None
    many = narrow.many(table)
    found = [
        bind(metric, part, classes=classes, undefined=undefined).on(part, many=many)
        for part in narrow.blocks(table, named)
    ]
    return found[0] if len(found) == 1 else np.concatenate(found)


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
    metric: str, table: Table | Counts, *, undefined: float = 0.0, **options: float
) -> Array:
    """One value a class of ``precision``, ``recall``, ``f1`` or ``fbeta``, on the last axis."""
    record = _of_classes(metric)
    c = table if isinstance(table, Counts) else table.counts(undefined=undefined)
    return record.function(c, **options)


def _refuse_multilabel(spec: Spec) -> None:
    if "multi" not in spec.metric.tasks:
        raise MetricError(
            f"{spec.metric.name} is not defined for multi-label data; "
            "subset_accuracy and hamming_loss are"
        )
    if spec.prevalence is not None:
        raise MetricError(f"{spec}: multi-label data have no class mix to calibrate")
