"""A metric on a table: classes, 0/0, mixes and distances bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial, singledispatch
from typing import Any, cast

import numpy as np

from evenhand.catalogue.lists import DISTANCE, ONE_CLASS, AnyMetric, as_spec, measured, name_of
from evenhand.catalogue.spelling import Prevalence, Spec
from evenhand.core.arrays import Array
from evenhand.core.contingency import Contingency
from evenhand.core.kernel import (
    OVER_ITEMS,
    OVER_SCORES,
    Kernel,
    TableViews,
    View,
    of_one_class,
)
from evenhand.core.margins import Counts, factors
from evenhand.core.registry import Metric, Parameter, Task, find
from evenhand.core.scores import ItemScores
from evenhand.data import confusion
from evenhand.data.confusion import Confusion
from evenhand.data.label_checks import misspelt
from evenhand.data.labels import Label, folded, positions
from evenhand.data.multilabel import AnyTable, MultiLabel
from evenhand.data.sample import GRADED, Sample
from evenhand.errors import MetricError, quoted
from evenhand.options import CLASSES, Classes
from evenhand.warnings import MoreNeverTrue, NeverTrue, NoClass, ResultWarning, RowsDropped, Stray


def bind(
    metric: AnyMetric, table: AnyTable, *, classes: Classes = "task", undefined: float = 0.0
) -> Kernel:
    """The kernel of a metric on ``table``; metrics that are not defined for it are refused."""
    return bind_all([metric], table, classes=classes, undefined=undefined)[0]


def bind_all(
    metrics: Iterable[AnyMetric],
    table: AnyTable,
    *,
    classes: Classes = "task",
    undefined: float = 0.0,
    expected: bool = False,
) -> list[Kernel]:
    """The kernels of metrics on ``table``, which share masks of classes and class mixes.

    ``expected`` cells may be fractions without weights.
    """
    ruled = isinstance(classes, str)
    masks: dict[str | None, Array] = {}
    targets: dict[Prevalence, Array] = {}

    def mask(own: str | None) -> Array:
        """The classes of a metric's own rule if it has one and they are not listed."""
        own = own if ruled else None
        if own not in masks:  # by the observed table, whatever the prevalence
            masks[own] = table.averaged(own or classes)
        return masks[own]

    kernels = []
    for spec in list(map(as_spec, metrics)):
        if not isinstance(spec, Spec):
            record = Metric.of_function(spec, name_of(spec))
            own = mask(None)
            kernels.append(Kernel(record.name, spec, own, undefined, record=record, ruled=ruled))
            _refuse_no_number(kernels[-1], table)
            continue
        record, mix = spec.metric, spec.prevalence
        refuse_task(spec, table.task)
        if record.needs == "scores":
            kernels.append(_of_scores(spec, table, undefined))
            continue
        if spec.expected and not table.soft:
            raise MetricError(f"{spec} needs class probabilities, got decided labels")
        if record.size == "matters" and not (
            mix is None and (expected or table.weighing == "none")
        ):
            raise MetricError(f"{spec} depends on the number of items, which weights do not tell")
        options = spec.options
        if DISTANCE in record.parameters:
            record, options = measured(spec, table.labels)
        function: Callable[[Any], Array] = record.function
        function = partial(function, **options) if options else function
        if record.of_one_class:
            at = positions([spec.label], table.labels, f"label of {record.name}")[0]
            own, function = np.arange(table.k) == at, partial(of_one_class, function)
        else:
            own = mask(record.classes)
        kernel = Kernel(spec.name, function, own, undefined, record=record)
        if mix is not None:
            if mix not in targets:
                targets[mix] = cast(Confusion, table).target(dict(mix) or None)
            kernel = at_target(kernel, targets[mix])
        kernels.append(kernel)
    return kernels


def at_target(kernel: Kernel, target: Array) -> Kernel:
    """The kernel at a class mix, unless that changes nothing: one number has one interval."""
    own = kernel.record.properties
    two = own is not None and target.shape[-1] == 2 and bool(own.of_two)
    if own is not None and (own.prevalence_invariance or two) and np.all(target > 0):
        return kernel
    return replace(kernel, target=target)


def _of_scores(spec: Spec, table: AnyTable, undefined: float) -> Kernel:
    """The kernel of a metric of scores, of which a label makes a task of two classes."""
    record, function, k = spec.metric, partial(spec.metric.function, **spec.options), table.k
    scores = table.item_scores
    if spec.prevalence is not None:
        raise MetricError(f"{spec}: scores of items have no table to bring to a class mix")
    if scores is None:
        raise MetricError(f"{spec} needs class probabilities or scores of items, got labels")
    if scores.several_labels and spec.options.get("average", "").startswith("ovo"):
        raise MetricError(f"{spec} tells classes from each other, of which items have several here")
    if scores.only_scores and not record.of_order:
        raise MetricError(f"{spec} needs probabilities, got scores that are not from 0 to 1")
    if spec.label is not None:
        k, (at,) = 2, positions([spec.label], table.labels, f"label of {record.name}")
        function = partial(_against_rest, function, at)
    scale = spec.options.get("scale", "1" if k == 2 else "2")
    if "scale" in record.parameters and scale == "1":
        record = replace(record, high=1.0)
    return Kernel(spec.name, function, None, undefined, record=record)


def _against_rest(function: Callable[[ItemScores], Array], j: int, c: ItemScores) -> Array:
    return function(c.against_rest(j))


def _refuse_no_number(kernel: Kernel, table: AnyTable) -> None:
    """Refuse a user's function that does not return a number for each table."""
    if table.task == "single" and confusion.large(cast(Confusion, table)):
        return
    value = values_of([kernel], table)[0]
    array = np.asarray(value)
    if array.shape != table.shape or array.dtype.kind not in "iufb":
        raise MetricError(
            f"{kernel.name} must return a number for each table (shape {table.shape}), "
            f"got {quoted(value)}"
        )


def bind_classes(undefined: float = 0.0) -> list[Kernel]:
    """Kernels of precision, recall and F1 with a value for each class."""
    return [Kernel(m.name, m.function, None, undefined, record=m, by_class=True) for m in ONE_CLASS]


def views_of(kernels: Iterable[Kernel], table: AnyTable, *, many: bool | None = None) -> TableViews:
    """What kernels need of a table or stack: margins or cells at each class mix, or items.

    ``many`` says that the table is part of one with many classes.
    """
    if many is None:
        many = table.task == "single" and confusion.many(cast(Confusion, table))
    views = dict[bytes, View]()
    for view, kernel in {k.view: k for k in kernels}.items():
        if view in (OVER_ITEMS, OVER_SCORES):
            of_items = table.item_scores if view == OVER_SCORES else cast(MultiLabel, table).items()
            views[view] = cast(View, of_items)
            continue
        mixed = table
        if kernel.target is not None:
            mixed = cast(Confusion, table).scale(factors(table.prevalence, kernel.target))
        if kernel.over_cells:
            cells, every = cast(Confusion, mixed).data, kernel.record.needs == "pairs"
            views[view] = cells.contingency(every=every)
        else:
            views[view] = mixed.counts_over(None, 0.0)
    return TableViews(views, many)


def values_of(
    kernels: Sequence[Kernel], table: AnyTable, *, many: bool | None = None
) -> list[Array]:
    """Each metric's value on a table or stack."""
    return views_of(kernels, table, many=many).values(kernels)


def evaluate(
    metric: AnyMetric,
    table: AnyTable | Counts,
    *,
    classes: Classes = "task",
    undefined: float = 0.0,
) -> Array:
    """The value of ``metric``: one number for one table, an array for a stack."""
    return _value(table, as_spec(metric), CLASSES.check(classes), undefined)


@singledispatch
def _value(
    table: Any, metric: Spec | Callable[[Counts], Array], classes: Classes, undefined: float
) -> Array:
    """The value of a metric, computed block by block for a large stack."""
    if not confusion.large(table):
        return values_of([bind(metric, table, classes=classes, undefined=undefined)], table)[0]
    if len(table.shape) > 1:
        return np.stack([_value(part, metric, classes, undefined) for part in table])
    many = confusion.many(table)
    values = [
        values_of([bind(metric, part, classes=classes, undefined=undefined)], part, many=many)[0]
        for part in confusion.blocks(table, _named_classes(metric, table, classes))
    ]
    return np.concatenate(values)


@_value.register
def _of_margins(c: Counts, spec: Any, classes: Any, undefined: float) -> Array:
    """The value of a metric on bare margins, without labels and cells."""
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
def _of_cells(c: Contingency, spec: Any, classes: Any, undefined: float) -> Array:
    """The value of a metric on bare cells of any array library, whose labels are indices."""
    options = spec.options
    if DISTANCE in spec.metric.parameters:
        _, options = measured(spec, tuple(range(c.k)))
    return spec.metric.function(c, **options)


EXAMPLE = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]
"""The table whose values stand in docstrings; true classes are rows."""
EXAMPLE_SCORES = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
"""True classes and probabilities of the second one, from the documentation of scikit-learn."""


def worked_example(metric: Metric) -> float:
    """The value of a metric on the example of the docstrings, of one class that of the third.

    >>> from evenhand.core.registry import find
    >>> round(worked_example(find("macro_f1")), 6)
    0.643494
    """
    table: AnyTable = Confusion.from_matrix(EXAMPLE)
    if metric.needs == "scores":
        true, scores = EXAMPLE_SCORES
        table = Sample.from_probabilities(true, {"": scores}).tables()
        return float(evaluate(Spec(metric), table)[0])
    if "single" not in metric.tasks:
        table = MultiLabel.from_indicators([{"a"}, {"a", "b"}], [{"a"}, {"b", "c"}])
    return float(evaluate(Spec(metric, label="2" if metric.of_one_class else None), table))


def _named_classes(
    metric: Spec | Callable[[Counts], Array], table: Confusion, classes: Classes
) -> list[int] | None:
    """The classes that a metric names; ``None`` (all) for a user's function."""
    if not isinstance(metric, Spec):
        return None
    labels, indices = table.labels, []
    if metric.label is not None:
        indices += positions([metric.label], labels, f"label of {metric.metric.name}")
    if metric.prevalence:
        indices += positions(dict(metric.prevalence), labels, "classes of the prevalence")
    if not isinstance(classes, str):
        indices += positions(classes, labels)
    return indices


def per_class(
    metric: str, table: AnyTable | Counts, *, undefined: float = 0.0, **options: Parameter
) -> Array:
    """The values of a metric by class on the last axis; margins have their own ``undefined``."""
    record = find(metric)
    if record is None or not record.of_one_class:
        raise MetricError(f"{metric!r} has no values per class")
    margins = table if isinstance(table, Counts) else table.counts_over(None, undefined)
    return record.function(margins, **options)


def refuse_cells(kernels: Iterable[Kernel]) -> None:
    """Refuse metrics that need more than margins."""
    for kernel in kernels:
        if kernel.over_cells:
            raise MetricError(f"{kernel.name} needs the cells of every table, not only its margins")


def refuse_task(spec: Spec, task: Task) -> None:
    """Refuse a metric that is not defined for single-label or multi-label data."""
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


def expected(metric: AnyMetric) -> AnyMetric:
    """A metric of tables as one of probabilities; those of scores as they are."""
    spec = as_spec(metric)
    of_table = isinstance(spec, Spec) and not spec.of_probabilities
    return replace(spec, expected=True) if of_table else spec  # type: ignore[type-var]


def for_metrics(data: Any, metrics: Iterable[AnyMetric]) -> tuple[Any, list[AnyMetric]]:
    """The data that metrics are computed on, and the metrics: labels, or probabilities.

    ``expected_`` metrics are of probabilities, as are all metrics of a soft table without items.
    """
    specs: list[AnyMetric] = [as_spec(m) for m in metrics]
    if not data.soft:
        return data, specs
    if getattr(data, "graded", False):
        return data, of_grades(specs)
    if not data.systems:
        return data, list(map(expected, specs))
    soft = [m.name for m in specs if isinstance(m, Spec) and m.of_probabilities]
    plain = [name for m in specs if (name := name_of(m)) not in soft]
    if plain and soft:
        raise MetricError(
            f"{plain[0]} is of the labels that probabilities decide for and {soft[0]} of the "
            "probabilities: ask for them one after the other, or score one system"
        )
    return data if soft else data.decided(), specs


def main_metric(data: Any) -> str:
    """The metric that decides where none is named: of grades their mean, of choices accuracy."""
    if getattr(data, "graded", False):
        return "mean_score"
    return "accuracy" if getattr(data, "choices", False) else "macro_f1"


def usual_metrics(data: Any, usual: Callable[[], Iterable[AnyMetric]]) -> list[AnyMetric]:
    """The metrics of data where none is named: the main one alone, unless that is macro F1."""
    main = main_metric(data)
    return list(usual()) if main == "macro_f1" else [main]


def of_grades(metrics: Iterable[AnyMetric]) -> list[Any]:
    """Metrics of grades: accuracy is their mean, and others of labels are refused."""
    specs: list[Any] = []
    for spec in map(as_spec, metrics):
        if isinstance(spec, Spec) and spec.metric.needs == "scores":
            specs.append(spec)
        elif isinstance(spec, Spec) and spec.metric.name == "accuracy" and spec.prevalence is None:
            specs.append(as_spec("mean_score"))
        else:
            name = name_of(spec)
            raise MetricError(
                f"grades have no classes, which {name} needs: mean_score is of grades"
            )
    return [spec for i, spec in enumerate(specs) if spec not in specs[:i]]


# Predicted labels that are never true

NAMED = 5
"""Systems with a warning of their own, and labels that may be misspellings."""


def strays_of(table: AnyTable) -> list[tuple[Stray, ...]]:
    """The predicted labels that are never true, most frequent first, for each table of a stack."""
    shape = (-1, len(table.labels))
    bias, prevalence = (np.asarray(x).reshape(shape) for x in (table.bias, table.prevalence))
    stray = (prevalence == 0) & (bias > 0)
    if not stray.any():
        return [()] * len(stray)
    texts = [(i, v) for i, v in enumerate(table.labels) if isinstance(v, str)]
    true_labels = [{folded(v): v for i, v in texts if row[i]} for row in prevalence > 0]
    strays: list[list[Stray]] = [[] for _ in stray]
    for i, j in zip(*(x.tolist() for x in stray.nonzero()), strict=True):
        label, known = table.labels[j], true_labels[i]
        like = known.get(folded(label))
        few = like is None and len(strays[i]) < NAMED
        near = misspelt(label, known.values()) if few else None
        strays[i].append(Stray(label, float(bias[i, j]), like, near))
    return [tuple(sorted(row, key=lambda s: -s.items)) for row in strays]


def merged(strays: Iterable[Stray]) -> tuple[Stray, ...]:
    """Strays of several tables added up, most frequent first."""
    sums: dict[Label, Stray] = {}
    for s in strays:
        known = sums.get(s.label, replace(s, items=0.0))
        clearest = known if s.like is None else s
        sums[s.label] = replace(clearest, items=known.items + s.items)
    return tuple(sorted(sums.values(), key=lambda s: -s.items))


def weighted(table: AnyTable) -> bool:
    """Whether the cells of a table are weights rather than numbers of items."""
    return table.weighing != "none"


def stray_notes(
    table: AnyTable,
    classes: Classes,
    undefined: float,
    values: Sequence[float] | None = None,
    metric: str | Spec | None = "macro_f1",
) -> list[NeverTrue | None]:
    """A warning on each table's predicted labels that are never true, if it has any.

    It has the value of a metric under two rules for classes; ``values`` are the first, if known.
    """
    strays = strays_of(table)
    if not any(strays) or table.labels == GRADED:
        return [None] * len(strays)
    rule = table.rule(classes) if isinstance(classes, str) else None
    if rule == "given":
        return [None] * len(strays)
    if rule is None:  # listed classes are those whatever is seen
        listed = {table.labels[i] for i in positions(classes, table.labels)}
        strays = [tuple(s for s in row if s.label not in listed) for row in strays]
    facts: list[tuple[Any, ...]] = [()] * len(strays)
    if rule is not None and metric is not None:
        other_rule = "true" if rule == "seen" else "seen"

        def over(rule: str) -> list[float]:
            scores = evaluate(metric, table, classes=rule, undefined=undefined)
            return list(np.ravel(scores).tolist())

        pairs = zip(over(rule) if values is None else values, over(other_rule), strict=True)
        facts = [(None, str(metric), rule, float(x), other_rule, float(y)) for x, y in pairs]
    rows = zip(strays, facts, strict=True)
    return [NeverTrue(row, weighted(table), *fact) if row else None for row, fact in rows]


def notes_by_system(tables: Confusion, classes: Classes, undefined: float) -> list[ResultWarning]:
    """The warnings of tables, and those on labels of each system that are never true."""
    strays = stray_notes(tables, classes, undefined)
    if not tables.shape:
        return [*tables.notes, *(n for n in strays if n is not None)]
    notes = [
        replace(note, system=str(name))
        for name, note in zip(tables.keys[0], strays, strict=True)
        if note is not None
    ]
    more = tuple(notes[NAMED:])
    return [*tables.notes, *notes[:NAMED], *([MoreNeverTrue(more)] if more else [])]


def table_warnings(tables: Confusion, classes: Classes, undefined: float) -> list[ResultWarning]:
    """All warnings of a table, or of the tables of systems: labels, no classes, dropped rows."""
    return [*notes_by_system(tables, classes, undefined), *lost_by_system(tables)]


def lost_by_system(tables: Confusion) -> list[ResultWarning]:
    """Warnings on predictions of several systems that are no class, and on dropped rows."""
    outside = np.asarray(tables.outside, np.float64).sum(axis=-1)
    pairs = zip(map(str, tables.keys[0]), outside.tolist(), strict=True) if tables.shape else ()
    by_system = tuple((name, items) for name, items in pairs if items)
    missing = int(np.sum(tables.missing))
    notes: list[ResultWarning] = []
    if outside.any():
        notes.append(NoClass(float(outside.sum()), missing, weighted(tables), by_system))
    dropped = int(np.max(tables.dropped, initial=0))  # the same rows for every system
    return [*notes, RowsDropped(dropped)] if dropped else notes
