"""Extrapolate: what every score becomes under another class mix."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.catalogue.binding import Kernel, Metrics, bind, bind_classes, named, several
from evenhand.catalogue.lists import default_metrics
from evenhand.catalogue.policy import Undefined, policy
from evenhand.count.forms import one_of, refusal, refuse_empty, what_came
from evenhand.count.given import Given, system_of
from evenhand.infer.interval import Settings, estimates
from evenhand.infer.rows import Data
from evenhand.notes.interval import Interval, Intervals
from evenhand.notes.mix import GainPerItem
from evenhand.notes.note import Note
from evenhand.notes.sure import NoWidth, UnknownVariance
from evenhand.shift.cautions import mix_notes, table_notes
from evenhand.shift.extrapolation import PER_CLASS, ClassShift, Extrapolation
from evenhand.shift.stated import Mix, target_of, written
from evenhand.shift.unlabelled import unlabelled
from evenhand.signature.build import signature_of
from evenhand.tables.confusion import Classes, Confusion
from evenhand.tables.labels import rule_or_list

PER_ITEM = "bookmaker_gain"
"""A metric that adds up over the items, of which a stated mix has no number."""


def extrapolate(
    *data: Any,
    to: Mix = "uniform",
    predicted: Any = None,
    metrics: Metrics | None = None,
    classes: Classes = "task",
    undefined: Undefined = 0,
    interval: str | None = "auto",
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
    y_true: Any = None,
    y_pred: Any = None,
    true: str | None = None,
    pred: str | Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    cluster: Any = None,
    drop_null_truth: bool = False,
) -> Extrapolation:
    """Every metric, and each class's precision, if classes had the prevalence ``to``.

    precision_j = π_j·R_jj / Σ_i π_i·R_ij, with R the shares of each true row; recalls stay, and
    every metric follows (Opitz 2022, eq. 26–27). It takes the data of one system in any form.
    The intervals know that the shares come from finitely many items. ``predicted``, what the
    system said there (labels, or shares by label), gives each class's precision with the
    measured share of predictions in its denominator too.

    >>> cells = [[80, 20], [10, 90]]
    >>> found = extrapolate(cells, to="0=0.5,1=0.5", metrics=["macro_precision"])
    >>> round(found["macro_precision"].value, 6)
    0.853535
    >>> found.classes[0].expected["precision"].value, found.classes[0].predicted
    (0.888888..., (0.45, 0.45))
    """
    drawn = weights is not None and interval in ("bootstrap", "bca")
    beside = (labels, weights, cluster, None, drop_null_truth)
    given = Given("extrapolate", data, y_true, y_pred, true, pred, *beside)
    system, whole = one_system(given, items=drawn)
    target = target_of(whole, to)
    worth = policy(undefined)
    classes = rule_or_list(classes)
    how = None if interval is None else Settings(interval, level, replicates, seed)
    notes: list[Note] = [*mix_notes(whole, target), *table_notes(whole, classes, worth)]
    if how is not None and how.method == "auto" and not system.varies:
        how, notes = None, [*notes, UnknownVariance()]
    chosen = named(several(metrics, default_metrics()))
    now = [bind(m, whole, classes=classes, undefined=worth) for _, m in chosen]
    then = [at_mix(k, target) for k in now]
    each = [bind_classes(m, worth) for m in PER_CLASS]
    each_then = [replace(k, target=target) if k.name != "recall" else k for k in each]
    found, missing = _values(system, whole, [*now, *then, *each, *each_then], how)
    m, names = len(now), [name for name, _ in chosen]
    observed, expected = (
        {name: values[0] for name, values in zip(names, part, strict=True)}
        for part in (found[:m], found[m : 2 * m])
    )
    if PER_ITEM in expected:
        notes.append(GainPerItem(PER_ITEM))
    blank = tuple(n for n, v in expected.items() if v.note == "no width")
    if blank:
        notes.append(NoWidth(blank))
    signature = signature_of(
        whole,
        classes=classes,
        undefined=worth,
        interval="none" if how is None else str(how.signed(system)),
    )
    return Extrapolation(
        signature=replace(signature, prevalence=written(whole.labels, target, to)),
        n=int(whole.n),
        labels=whole.labels,
        prevalence=dict(zip(whole.labels, target.tolist(), strict=True)),
        level=None if how is None else how.level,
        observed=observed,
        expected=expected,
        classes=_classes(
            whole,
            target,
            found[2 * m : 2 * m + 3],
            found[2 * m + 3 :],
            None if predicted is None else unlabelled(predicted, whole.labels).shares,
        ),
        cautions=(*notes, *missing),
    )


def one_system(given: Given, *, items: bool = False) -> tuple[Any, Confusion]:
    """The data of one system, and its table."""
    data = one_of(given.verb, system_of(given, items=items, margins=True))
    table = data.tables() if getattr(data, "task", None) == "single" else None
    if table is None:
        hint = "a class mix needs a single-label table with its cells"
        raise refusal(given.verb, what_came((data,)), hint)
    if data.systems:
        table = table[0]
    if table.shape:
        raise refusal(given.verb, what_came((data,)), "a class mix is of one table")
    refuse_empty(table)
    return data, table


def at_mix(kernel: Kernel, target: Any) -> Kernel:
    """The kernel at another mix; one that is calibrated to a mix of its own stays there."""
    return kernel if kernel.target is not None else replace(kernel, target=target)


def _values(
    data: Data, table: Confusion, kernels: list[Kernel], how: Settings | None
) -> tuple[list[list[Interval]], list[Note]]:
    """Each kernel's value, or values of classes, with intervals if there are to be any.

    And a note on every metric whose gradient cannot be had.
    """
    if how is None:
        bare = [np.asarray(k.on(table), np.float64).reshape(-1) for k in kernels]
        return [list(Intervals.bare(values)) for values in bare], []
    made = estimates(data, kernels, how)
    missing = {e.no_gradient: None for e in made if e.no_gradient is not None}
    return [list(e) for e in made], list(missing)


def _classes(
    table: Confusion,
    target: Any,
    now: list[list[Interval]],
    then: list[list[Interval]],
    measured: Any,
) -> tuple[ClassShift, ...]:
    total = float(table.total)
    moved = table.calibrate(dict(zip(table.labels, target.tolist(), strict=True)))
    sides = [np.asarray(x, np.float64) for x in (table.prevalence / total, table.bias / total)]
    return tuple(
        ClassShift(
            v,
            (float(sides[0][j]), float(target[j])),
            (float(sides[1][j]), float(moved.bias[j])),
            {name: values[j] for name, values in zip(PER_CLASS, now, strict=True)},
            {
                name: Interval(math.nan) if name == "recall" and not target[j] else values[j]
                for name, values in zip(PER_CLASS, then, strict=True)
            },
            None if measured is None else float(measured[j]),
            None if measured is None else _over(float(moved.correct[j]), float(measured[j])),
        )
        for j, v in enumerate(table.labels)
    )


def _over(hits: float, predicted: float) -> float:
    """Precision by the measured share of predictions, which may exceed 1; NaN without any."""
    return hits / predicted if predicted else math.nan
