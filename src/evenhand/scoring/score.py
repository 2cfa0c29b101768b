"""Score: every metric of one system, with what a reader must know beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from evenhand.catalogue import default_metrics
from evenhand.core.registry import Task
from evenhand.errors import InputError, shown
from evenhand.evaluate import AnyMetric, Table, as_spec, evaluate, named, per_class
from evenhand.format.text import key_text
from evenhand.functions import as_table, policy, stray
from evenhand.infer.interval import Settings, tables_of
from evenhand.labels import rule_or_list
from evenhand.multilabel import MultiLabel
from evenhand.sample import Sample, SoftSample, Systems
from evenhand.scoring.classes import MARGINS, PER_CLASS, ClassScores
from evenhand.scoring.result import Score, Scores
from evenhand.scoring.sure import Sure, sure_of
from evenhand.scoring.twins import Twins, twins
from evenhand.signature import signature_of, signature_with
from evenhand.spelling import Spec
from evenhand.table import Classes, Confusion

POINT = 0.01
"""A gap between the two macro F1s above this is worth a warning."""


def score(
    table: Any,
    metrics: str | Iterable[AnyMetric] | None = None,
    *,
    classes: Classes = "seen",
    undefined: Any = 0,
    interval: str | None = "auto",
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
    transform: str | None = None,
    stratify: bool = False,
) -> Scores:
    """Score a table, a stack of them or a sample on the metrics named; by default on all.

    ``interval`` is ``"delta"``, ``"bootstrap"``, ``"bca"``, ``"wilson"``, ``None``, or ``"auto"``:
    Wilson for plain proportions, else the delta method on the scale of the metric's range.
    ``transform`` ("logit", "fisher" or "range") keeps a delta interval inside that range;
    ``stratify`` resamples within true classes, for data whose class mix was fixed by design.

    >>> found = score([[6, 1, 1], [1, 5, 2], [2, 3, 7]], ["macro_f1", "f1_of_averages"])
    >>> round(found["macro_f1"].value, 6), round(found.twins.gap, 6)
    (0.643494, 0.003209)
    >>> round(found["macro_f1"].se, 6), found["macro_f1"].method
    (0.0902, 'delta, logit')
    """
    if getattr(table, "ndim", 1) == 1 and isinstance(table, list | tuple | np.ndarray):
        first = table[0] if len(table) else ""
        if not isinstance(first, list | tuple | np.ndarray):
            raise InputError(
                "score takes a table: score(Confusion.from_labels(y_true, y_pred)) for labels"
            )
    data = table if isinstance(table, Systems) else as_table(table)
    if not isinstance(data, Confusion | MultiLabel | Sample | SoftSample):
        raise InputError("score needs a table with labels, not bare margins")
    worth = policy(undefined)
    classes = rule_or_list(classes)
    how = None
    if interval not in (None, "none"):
        how = Settings(interval, level, replicates, seed, transform, stratify)
    task: Task = "multi" if isinstance(data, MultiLabel) else "single"
    if isinstance(metrics, str):
        metrics = [metrics]
    specs = named(default_metrics(task) if metrics is None else metrics)
    one = partial(_single, specs=specs, classes=classes, worth=worth)
    made = tables_of(data)
    if len(made.shape) > 1:
        raise InputError(f"score takes one leading axis, got {len(made.shape)}; index the stack")
    if made.shape == (1,) and isinstance(data, Systems) and isinstance(made, Confusion):
        made = made[0]
    _refuse_empty(made)
    sure = sure_of(data, specs, classes=classes, undefined=worth, how=how)
    if not made.shape or isinstance(made, MultiLabel):
        return one(made, sure=sure)
    parts = tuple(one(made[i], sure=sure, at=i, key=key) for i, key in enumerate(made.keys[0]))
    whole = sum(made[1:], start=made[0])
    if isinstance(data, Systems):
        note = "all: the systems' tables thrown together, without intervals: they share items"
        pooled = one(whole, sure=Sure({}, {}, notes=(note,)))
    else:
        both = sure_of(whole, specs, classes=classes, undefined=worth, how=how)
        pooled = one(whole, sure=both)
    return replace(pooled, slices=parts)


def _refuse_empty(table: Table) -> None:
    for i in np.flatnonzero(np.atleast_1d(table.total) == 0):
        where = (
            f" (slice {key_text(table.keys[0][i])})"
            if isinstance(table, Confusion) and table.shape
            else ""
        )
        raise InputError(f"the table holds no items{where}: there is nothing to score")


def _single(
    table: Table,
    *,
    specs: list[tuple[str, AnyMetric]],
    classes: Classes,
    worth: float,
    sure: Sure,
    at: int = 0,
    key: Any = None,
) -> Scores:
    settings = signature_of(table, classes=classes, undefined=worth, interval=sure.signature)
    mask = table.averaged(classes)
    found = {}
    for name, metric in specs:
        spec = as_spec(metric)
        value = float(evaluate(spec, table, classes=classes, undefined=worth, averaged=mask))
        signed = replace(settings, interval=sure.signed(name, at))
        if isinstance(spec, Spec):
            signed = signature_with(signed, spec, table)
        else:
            signed = replace(signed, metric=name, formula="own-function")
        b = sure.of_metric(name, at)
        found[name] = Score(name, value, b.se, b.low, b.high, b.method, signed)
    columns = {name: getattr(table, name) for name in MARGINS}
    columns |= {name: per_class(name, table, undefined=worth) for name in PER_CLASS}
    values = {name: np.asarray(x).tolist() for name, x in columns.items()}
    pair = twins(table, classes=classes, undefined=worth, pairs=3)
    outside = 0 if isinstance(table, MultiLabel) else _number(table.outside.sum())
    missing = 0 if isinstance(table, MultiLabel) else int(table.missing)
    dropped = 0 if isinstance(table, MultiLabel) else int(table.dropped)
    warnings = _warnings(table, classes, worth, pair, outside, missing, dropped)
    return Scores(
        signature=settings,
        n=int(table.n),
        labels=table.labels,
        outside=outside,
        missing=missing,
        dropped=dropped,
        metrics=found,
        classes=ClassScores(table.labels, values, sure.of_classes(at)),
        twins=pair,
        warnings=(*warnings, *_emptied(specs, worth), *sure.warnings(at, table)),
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


def _emptied(specs: list[tuple[str, AnyMetric]], worth: float) -> Iterable[str]:
    """A class whose share is set to 0 has no recall any more: its 0/0 takes the policy."""
    for name, metric in specs:
        shares = metric.prevalence if isinstance(metric, Spec) else None
        gone = [label for label, share in shares or () if share == 0]
        if gone:
            yield (
                f"{name}: {shown(gone)} has no items at this prevalence, "
                f"and its recall, 0/0, counts as {worth:g}"
            )


def _number(x: Any) -> Any:
    return x.item() if hasattr(x, "item") else x
