"""The public metric functions, such as ``eh.macro_f1(table)``, built from the registry."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.catalogue.binding import (
    EXAMPLE,
    EXAMPLE_SCORES,
    evaluate,
    merged,
    per_class,
    stray_notes,
    weighted,
    worked_example,
)
from evenhand.catalogue.lists import DISTANCE, with_distance
from evenhand.catalogue.spelling import Spec, checked_parameters, written
from evenhand.core.contingency import Contingency
from evenhand.core.margins import Counts
from evenhand.core.registry import Metric
from evenhand.data.arguments import (
    VerbArguments,
    refuse_empty,
    system_of,
    table_of,
    with_positive_last,
)
from evenhand.data.confusion import Confusion
from evenhand.data.multilabel import AnyTable, MultiLabel
from evenhand.errors import EvenhandWarning, InputError, unexpected
from evenhand.options import UNDEFINED, Classes
from evenhand.warnings import NeverTrue

DATA = ("y_true", "y_pred", "true", "pred", "labels", "weights", "by", "drop_null_truth")
"""Options that name data or go with them, in every metric function."""
OF_SCORES = ("y_true", "y_pred", "true", "pred", "probabilities", "labels", "weights")
"""The same of metrics of class probabilities or scores."""
FORMS = """Takes true and predicted labels (or y_true=, y_pred=), a frame with true= and pred=, or
a Confusion, MultiLabel, Sample, Accumulator, Counts or k × k matrix (rows = true);
gives a float, or an array for a stack."""
FORM_OF_SETS = """Takes true and predicted label sets or indicators, or a MultiLabel;
gives a float, or an array for a stack."""
FORM_OF_SCORES = """Takes true labels and class probabilities (items × classes, or one number an
item, that of the second of two classes), or a SoftSample."""
SETS = 'eh.MultiLabel.from_indicators([{"a"}, {"a", "b"}], [{"a"}, {"b", "c"}])'


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
        zero_division = UNDEFINED.check(0 if undefined is None else undefined)
        return replace(data, undefined=zero_division), False
    if not isinstance(data, Counts):
        refuse_empty(data)
        return data, True
    if isinstance(data.total, np.ndarray | np.generic):
        refuse_empty(data)  # a tensor may be on its way through a compiler
    if not isinstance(classes, str):
        raise InputError("classes of bare margins must be 'task', 'true' or 'seen', got a list")
    if undefined is not None:
        data = replace(data, undefined=UNDEFINED.check(undefined))
    own_rule = data.ruled and record.classes is not None
    if data.averaged is not None and classes == "task" and not own_rule:
        return data, False  # margins state the classes of their task
    true = data.prevalence > 0
    seen = (record.classes or classes) == "seen"
    return data.over(true | (data.bias > 0) if seen else true), False


def metric_function(record: Metric) -> Callable[..., Any]:
    """The public function of a metric."""
    of_scores = record.needs == "scores"
    compute = _of_scores if of_scores else _of_table
    defaults: dict[str, Any] = {"classes": "task", "undefined": 0, **record.parameters}
    if of_scores:
        defaults = {**record.parameters, **dict.fromkeys(("label", "positive", *OF_SCORES))}
    else:
        defaults |= {"label": None} if record.of_one_class else {}
        defaults |= dict.fromkeys(DATA) | {"drop_null_truth": False}
    allowed = [*defaults, *([DISTANCE] if record.by_distance else [])]

    def function(*data: Any, **options: Any) -> Any:
        for name in options:
            if name not in allowed:
                raise unexpected(record.name, name, allowed)
        return compute(record, data, options)

    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter(k, keyword, default=v) for k, v in defaults.items()]
    first = inspect.Parameter("data", inspect.Parameter.VAR_POSITIONAL)
    function.metric = record  # type: ignore[attr-defined]
    function.__signature__ = inspect.Signature([first, *parameters])  # type: ignore[attr-defined]
    function.__name__ = function.__qualname__ = record.name
    function.__module__ = "evenhand"
    function.__doc__ = described(record)
    return function


def _of_table(record: Metric, data: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The value of a metric of tables; what is left of the options are its parameters."""
    named = {name: options.pop(name) for name in DATA if name in options} if options else {}
    classes, undefined = options.pop("classes", "task"), options.pop("undefined", None)
    label, far = options.pop("label", None), options.pop(DISTANCE, None)
    zero_division = UNDEFINED.check(0 if undefined is None else undefined)
    alone = len(data) == 1 and not named
    first = data[0] if alone else VerbArguments(record.name, data, **named)
    table, labelled = _ready(first, record, classes, undefined)
    if record.of_one_class and label is None:
        parameters = checked_parameters(record, options)
        return per_class(record.name, table, undefined=zero_division, **parameters)
    spec = Spec(record, tuple(options.items()), None if label is None else str(label))
    if far is not None:
        spec = with_distance(spec, far)
    value = evaluate(spec, table, classes=classes, undefined=zero_division)
    by_default = isinstance(classes, str) and classes == "task"  # whoever chooses classes knows
    if labelled and by_default and record.classes is None and not record.of_one_class:
        _warn_of_strays(spec, table, zero_division, value)
    number = isinstance(value, np.ndarray | np.generic) and not value.ndim
    return float(value) if number else value


def _of_scores(record: Metric, data: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The value of a metric of class probabilities or scores."""
    named = {name: options.pop(name) for name in OF_SCORES if name in options}
    label = options.pop("label", None)
    positive = options.pop("positive", None)
    arguments = with_positive_last(VerbArguments(record.name, data, **named), positive)
    sample = system_of(arguments, soft=True)
    spec = Spec(record, tuple(options.items()), None if label is None else str(label))
    values = np.asarray(evaluate(spec, sample.tables())).tolist()
    return values[0] if len(values) == 1 else values


def _warn_of_strays(spec: Spec, table: AnyTable, zero_division: float, value: Any) -> None:
    every = stray_notes(table, "task", zero_division, np.ravel(value).tolist(), spec)
    notes = [note for note in every if note is not None]
    values, others = [note.value for note in notes], [note.other for note in notes]
    if not np.allclose(values, others, rtol=0, atol=1e-15, equal_nan=True):
        strays = merged(s for note in notes for s in note.strays)
        note = NeverTrue(strays, weighted(table)) if table.shape else notes[0]
        warnings.warn(note.sentence, EvenhandWarning, stacklevel=4)


def described(record: Metric) -> str:
    """Docstring of a public metric function, from the metric's record."""
    of_sets, of_scores = record.tasks == {"multi"}, record.needs == "scores"
    lines = [
        record.summary,
        "",
        f"Formula: {record.formula}",
        f"Range: {record.low:g} to {record.high:g}; better: {record.better}",
        f"Reference: {record.reference}",
        *([f"Also called: {', '.join(record.aliases)}"] if record.aliases else []),
        "",
        FORM_OF_SCORES if of_scores else FORM_OF_SETS if of_sets else FORMS,
        "",
    ]
    if of_scores:
        lines.append("label: this class against all others.")
    else:
        lines += [
            "classes: 'task' (those that are true of some item), 'true', 'seen' or labels.",
            "undefined: what 0/0 counts as: 0 (the default), 1 or nan (leave the class out).",
        ]
        lines += ["label: one class; without it, one value a class."] * record.of_one_class
    lines += [f"{name}: default {written(value)}." for name, value in record.parameters.items()]
    lines.append("labels, weights: order of the classes, and what each item weighs.")
    if not record.own:
        call = f"({SETS if of_sets else EXAMPLE}{', label=2' * record.of_one_class})"
        example = f"eh.{record.name}{EXAMPLE_SCORES if of_scores else call}"
        lines += ["", ">>> import evenhand as eh", f">>> round({example}, 6)"]
        lines.append(f"{round(worked_example(record), 6)}")
    return "\n".join(lines)
