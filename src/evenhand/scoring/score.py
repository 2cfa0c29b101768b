"""Score: every metric of one system, with what a reader must know beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from evenhand.core.registry import all_metrics
from evenhand.errors import InputError
from evenhand.evaluate import AnyMetric, Table, evaluate, per_class
from evenhand.format.text import key_text
from evenhand.functions import as_table, policy, stray
from evenhand.multilabel import MultiLabel
from evenhand.scoring.result import ClassScore, Score, Scores
from evenhand.scoring.twins import Twins, twins
from evenhand.signature import signature_of
from evenhand.spelling import Spec
from evenhand.table import Classes, Confusion

POINT = 0.01
"""A gap between the two macro F1s above this is worth a warning."""


def default_metrics(table: Table) -> list[str]:
    """Every metric that needs no parameter and fits the table's task."""
    task = "multi" if isinstance(table, MultiLabel) else "single"
    return [
        m.name
        for m in all_metrics()
        if task in m.tasks and not m.of_one_class and "beta" not in m.parameters
    ]


def score(
    table: Any,
    metrics: Iterable[AnyMetric] | None = None,
    *,
    classes: Classes = "seen",
    undefined: Any = 0,
) -> Scores:
    """Score a table, or every table of a stack, on the metrics named; by default on all.

    >>> found = score([[6, 1, 1], [1, 5, 2], [2, 3, 7]], ["macro_f1", "f1_of_averages"])
    >>> round(found["macro_f1"].value, 6), round(found.twins.gap, 6)
    (0.643494, 0.003209)
    """
    made = as_table(table)
    if not isinstance(made, Confusion | MultiLabel):
        raise InputError("score needs a table with labels, not bare margins")
    worth = policy(undefined)
    if not isinstance(classes, str):
        classes = list(classes)
    specs = [_named(m) for m in (default_metrics(made) if metrics is None else metrics)]
    if made.shape and isinstance(made, Confusion):
        return _stacked(made, specs, classes, worth)
    return _single(made, specs, classes, worth)


def _named(metric: AnyMetric) -> tuple[str, Any]:
    if isinstance(metric, str):
        metric = Spec.parse(metric)
    name = str(metric) if isinstance(metric, Spec) else getattr(metric, "__name__", "function")
    return name, metric


def _stacked(
    stack: Confusion, specs: list[tuple[str, Any]], classes: Classes, worth: float
) -> Scores:
    flat = stack
    if len(stack.shape) > 1:
        raise InputError(f"score takes one leading axis, got {len(stack.shape)}; index the stack")
    parts = tuple(
        _single(flat[i], specs, classes, worth, key=key) for i, key in enumerate(flat.keys[0])
    )
    whole = flat[0]
    for other in list(flat)[1:]:
        whole = whole + other
    pooled = _single(whole, specs, classes, worth)
    return replace(pooled, slices=parts)


def _single(
    table: Table, specs: list[tuple[str, Any]], classes: Classes, worth: float, key: Any = None
) -> Scores:
    if float(table.total) == 0:
        where = "" if key is None else f" (slice {key_text(key)})"
        raise InputError(f"the table holds no items{where}: there is nothing to score")
    found = {}
    for name, spec in specs:
        value = float(evaluate(spec, table, classes=classes, undefined=worth))
        known = spec if isinstance(spec, Spec) else None
        signed = signature_of(table, known, classes=classes, undefined=worth)
        if known is None:
            signed = replace(signed, metric=name, formula="own-function")
        found[name] = Score(name, value, None, None, None, None, signed)
    per = [per_class(m, table, undefined=worth) for m in ("precision", "recall", "f1")]
    rows = zip(table.labels, table.correct, table.bias, table.prevalence, *per, strict=True)
    pair = twins(table, classes=classes, undefined=worth, pairs=3 if table.k <= 2000 else 0)
    outside = 0 if isinstance(table, MultiLabel) else _number(table.outside.sum())
    missing = 0 if isinstance(table, MultiLabel) else int(table.missing)
    dropped = 0 if isinstance(table, MultiLabel) else table.dropped
    return Scores(
        signature=signature_of(table, classes=classes, undefined=worth),
        n=int(table.n),
        labels=table.labels,
        outside=outside,
        missing=missing,
        dropped=dropped,
        metrics=found,
        classes=tuple(ClassScore(v, *(_number(x) for x in row)) for v, *row in rows),
        twins=pair,
        warnings=tuple(_warnings(table, classes, worth, pair, outside, missing, dropped)),
        key=key,
    )


def _warnings(
    table: Table,
    classes: Classes,
    worth: float,
    pair: Twins,
    outside: float,
    missing: int,
    dropped: int,
) -> Iterable[str]:
    strays = stray(table, classes)
    if strays:
        other = float(evaluate("macro_f1", table, classes="true", undefined=worth))
        few = ", ".join(map(repr, strays[:5]))
        yield (
            f"{len(strays)} class(es) predicted but never true ({few}): macro_f1 is "
            f"{pair.macro_f1:.4f} over classes seen and {other:.4f} over true classes"
        )
    if pair.gap > POINT:
        yield (
            f"two formulas are called 'macro F1' and differ here by {100 * pair.gap:.1f} points: "
            f"macro_f1 {pair.macro_f1:.4f}, f1_of_averages {pair.f1_of_averages:.4f}; "
            "say which one you report"
        )
    if outside:
        null = f", {missing:,} of them missing" if missing else ""
        yield f"{outside:,g} prediction(s) are no class at all{null}: counted as errors"
    if dropped:
        yield f"{dropped:,} row(s) without a true label were left out"


def _number(x: Any) -> Any:
    return x.item() if hasattr(x, "item") else x
