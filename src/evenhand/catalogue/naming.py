"""Naming: the metrics that somebody asks for, each under the name that results give it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count
from typing import Any, TypeAlias, cast

from evenhand.catalogue.distances import placed, usual
from evenhand.catalogue.lists import of_family
from evenhand.catalogue.spelling import Spec
from evenhand.core.arrays import Array
from evenhand.core.counts import Counts
from evenhand.core.registry import Metric, Task
from evenhand.errors import InputError
from evenhand.tables.distance import as_distance

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


def several(
    metrics: Metrics | None,
    otherwise: Callable[[], Iterable[AnyMetric]],
    task: Task = "single",
    *,
    fits: Callable[[Metric], bool] = lambda m: True,
    distance: Any = None,
    or_none: bool = False,
) -> list[AnyMetric]:
    """The metrics asked for, one or a list of them; ``otherwise`` makes those of the verb.

    A family's name, or ``all``, stands for the metrics of it that fit data and verb. At a
    ``distance`` between classes, the metrics that see it do, and are there unasked. An empty list
    is for verbs that have a metric beside (``or_none``).
    """
    far = as_distance(distance)
    if metrics is None:
        return [*otherwise(), *(usual(far) if far is not None else ())]
    if isinstance(metrics, str) or not isinstance(metrics, Iterable):
        metrics = [metrics]
    found: list[AnyMetric] = []
    for metric in metrics:
        family = of_family(metric, task, fits) if isinstance(metric, str) else None
        found += [metric] if family is None else family
        if family is not None and metric in ("all", "distance") and far is not None:
            found += usual(far)
    if not found and not or_none:
        raise InputError("metrics must name at least one metric, got none")
    if far is None:
        return found
    there = [as_spec(at_distance(m, far)) for m in found]
    once = {m.name if isinstance(m, Spec) else i: m for i, m in enumerate(there)}
    return list(once.values())


def at_distance(metric: AnyMetric, distance: Any) -> AnyMetric:
    """A metric that sees how far apart classes are, at a distance; any other as it is."""
    far = as_distance(distance)
    return metric if far is None else cast(AnyMetric, placed(metric, as_spec(metric), far))


def name_of(metric: AnyMetric) -> str:
    """What results call a metric: its spelling, or the name of a user's function."""
    spec = as_spec(metric)
    return spec.name if isinstance(spec, Spec) else getattr(spec, "__name__", "function")


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
