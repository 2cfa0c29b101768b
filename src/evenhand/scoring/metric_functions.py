"""The public metric functions, such as ``eh.macro_f1(table)``, built from the registry."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np

from evenhand.catalogue.binding import (
    EXAMPLE,
    evaluate,
    merged,
    per_class,
    strays_of,
    weighted,
    worked_example,
)
from evenhand.catalogue.lists import DISTANCE, said_apart
from evenhand.catalogue.spelling import Spec, checked_parameters, written
from evenhand.core.contingency import Contingency
from evenhand.core.margins import Counts
from evenhand.core.registry import Metric
from evenhand.data.arguments import VerbArguments, refuse_empty, table_of
from evenhand.data.confusion import Confusion, blocks
from evenhand.data.multilabel import AnyTable, MultiLabel
from evenhand.errors import EvenhandWarning, InputError, unexpected
from evenhand.options import UNDEFINED, Classes
from evenhand.warnings import NeverTrue

DATA = ("y_true", "y_pred", "true", "pred", "labels", "weights", "by", "drop_null_truth")
"""Options that name data or go with them, in every metric function."""


def _ready(data: Any, record: Metric, classes: Classes, undefined: Any) -> tuple[Any, bool]:
    """What a metric is a function of, and whether that is a table, whose labels are known.

    A tensor of cells stays where it is and keeps its gradient.
    """
    if not isinstance(data, Confusion | MultiLabel | Counts | Contingency):
        arguments = data if isinstance(data, VerbArguments) else VerbArguments(record.name, (data,))
        table = table_of(arguments)
        if table is data:
            table = (Contingency if record.needs in ("cells", "pairs") else Counts).from_cells(data)
        data = table
    if isinstance(data, Contingency):
        return replace(
            data, undefined=UNDEFINED.check(0 if undefined is None else undefined)
        ), False
    if not isinstance(data, Counts):
        refuse_empty(data)
        return data, True
    if isinstance(data.total, np.ndarray | np.generic):
        refuse_empty(data)  # a tensor may be on its way through a compiler
    return _over_classes(record, data, classes, undefined), False


def _over_classes(record: Metric, c: Counts, classes: Classes, undefined: Any) -> Counts:
    """Margins with the classes of a rule; those that they state themselves are the task's.

    A metric with a rule of its own keeps to it, unless the margins' classes were listed.
    """
    if not isinstance(classes, str):
        raise InputError("classes of bare margins must be 'task', 'true' or 'seen', got a list")
    c = c if undefined is None else replace(c, undefined=UNDEFINED.check(undefined))
    own_rule = c.ruled and record.classes is not None
    if c.averaged is not None and classes == "task" and not own_rule:
        return c
    true = c.prevalence > 0
    return c.over(true | (c.bias > 0) if (record.classes or classes) == "seen" else true)


def metric_function(record: Metric) -> Callable[..., Any]:
    """The public function of a metric."""
    plain = None if record.of_one_class else Spec(record)

    def function(*data: Any, classes: Classes = "task", **options: Any) -> Any:
        named = {name: options.pop(name) for name in DATA if name in options} if options else {}
        undefined, parameters = options.pop("undefined", None), options
        zero_division = UNDEFINED.check(0 if undefined is None else undefined)
        first = (
            data[0] if len(data) == 1 and not named else VerbArguments(record.name, data, **named)
        )
        table, labelled = _ready(first, record, classes, undefined)
        label = parameters.pop("label", None) if record.of_one_class else None
        allowed = {*record.parameters, *([DISTANCE] if record.by_distance else [])}
        unknown = [p for p in parameters if p not in allowed]
        if unknown:
            raise unexpected(record.name, unknown[0], (*DATA, "classes", "undefined", *allowed))
        if record.of_one_class and label is None:
            options = checked_parameters(record, parameters)
            return per_class(record.name, table, undefined=zero_division, **options)
        one, far = None if label is None else str(label), parameters.pop(DISTANCE, None)
        spec = plain if plain and not parameters else Spec(record, tuple(parameters.items()), one)
        if far is not None:
            spec = said_apart(spec, far)
        value = evaluate(spec, table, classes=classes, undefined=zero_division)
        if labelled and record.classes is None and not record.of_one_class:
            _warn_of_strays(spec, table, classes, zero_division, value)
        return (
            float(value) if isinstance(value, np.ndarray | np.generic) and not value.ndim else value
        )

    function.metric = record  # type: ignore[attr-defined]
    function.__signature__ = _call_signature(record)  # type: ignore[attr-defined]
    function.__name__ = function.__qualname__ = record.name
    function.__module__ = "evenhand"
    function.__doc__ = described(record)
    return function


def _call_signature(record: Metric) -> inspect.Signature:
    keyword = inspect.Parameter.KEYWORD_ONLY
    options: dict[str, Any] = {"classes": "task", "undefined": 0, **record.parameters}
    if record.of_one_class:
        options["label"] = None
    options |= dict.fromkeys(DATA) | {"drop_null_truth": False}
    return inspect.Signature(
        [
            inspect.Parameter("data", inspect.Parameter.VAR_POSITIONAL),
            *(inspect.Parameter(k, keyword, default=v) for k, v in options.items()),
        ]
    )


def _warn_of_strays(
    spec: Spec, table: AnyTable, classes: Classes, zero_division: float, value: Any
) -> None:
    if not isinstance(classes, str) or classes != "task" or table.rule(classes) == "given":
        return  # whoever chooses the classes knows
    parts = blocks(cast(Confusion, table)) if table.task == "single" else [table]
    strays = merged(s for part in parts for row in strays_of(part) for s in row)
    if strays:
        rule = "true" if table.rule(classes) == "seen" else "seen"
        other = evaluate(spec, table, classes=rule, undefined=zero_division)
        if not np.allclose(value, other, rtol=0, atol=1e-15, equal_nan=True):
            note = NeverTrue(strays, weighted(table))
            if not table.shape:
                own_rule = table.rule(classes)
                both = (str(spec), own_rule, float(value), rule, float(other))
                note = NeverTrue(strays, weighted(table), None, *both)
            warnings.warn(note.sentence, EvenhandWarning, stacklevel=3)


def described(record: Metric) -> str:
    """Docstring of a public metric function, from the metric's record."""
    extent = f"{record.low:g} to {record.high:g}"
    lines = [
        record.summary,
        "",
        f"Formula: {record.formula}",
        f"Range: {extent}; better: {record.better}",
        f"Reference: {record.reference}",
    ]
    if record.aliases:
        lines.append(f"Also called: {', '.join(record.aliases)}")
    accepted = [
        "Takes true and predicted labels (or y_true=, y_pred=), a frame with true= and pred=, or",
        "a Confusion, MultiLabel, Sample, Accumulator, Counts or k × k matrix (rows = true);",
    ]
    if record.tasks == {"multi"}:
        accepted = ["Takes true and predicted label sets or indicators, or", "a MultiLabel;"]
    lines += [
        "",
        *accepted,
        "gives a float, or an array for a stack.",
        "",
        "classes: 'task' (those that are true of some item), 'true', 'seen' or a list of labels.",
        "undefined: what 0/0 is worth: 0 (the default), 1 or nan (leave the class out).",
        *(f"{name}: default {written(value)}." for name, value in record.parameters.items()),
        *(["label: one class; without it, one value a class."] if record.of_one_class else []),
        "labels, weights: order of the classes, and what each item weighs, where labels are given.",
    ]
    if not record.own:
        example = f"{EXAMPLE}" + (", label=2" if record.of_one_class else "")
        if record.tasks == {"multi"}:
            example = 'eh.MultiLabel.from_indicators([{"a"}, {"a", "b"}], [{"a"}, {"b", "c"}])'
        call = f"eh.{record.name}({example})"
        lines += ["", ">>> import evenhand as eh", f">>> round({call}, 6)"]
        lines.append(f"{round(worked_example(record), 6)}")
    return "\n".join(lines)
