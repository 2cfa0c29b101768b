"""Confusion matrices, and what is made of one: kappa, MCC, balanced accuracy."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from numbers import Real
from typing import Any, Literal

import numpy as np

from evenhand.bridges.sklearn.options import flag, one_of, warn_undefined
from evenhand.bridges.sklearn.reading import single, targets
from evenhand.bridges.sklearn.targets import Multi, Numbers
from evenhand.core.arrays import exact
from evenhand.core.counts import Counts
from evenhand.core.metrics.agreement import kappa, mcc
from evenhand.core.metrics.macro import macro_recall
from evenhand.core.ratio import ratio
from evenhand.errors import FormError, InputError


def confusion_matrix(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    normalize: Literal["true", "pred", "all"] | None = None,
) -> Numbers:
    """Items of each true label (rows) by predicted label (columns), or their shares.

    >>> confusion_matrix([2, 0, 2, 2, 0, 1], [0, 0, 2, 2, 0, 2])
    array([[2, 0, 0],
           [0, 0, 1],
           [1, 0, 2]])
    """
    one_of("normalize", normalize, ("true", "pred", "all", None))
    cells = _cells(y_true, y_pred, labels, sample_weight)
    if normalize is None:
        return cells
    axis = {"true": 1, "pred": 0, "all": None}[normalize]
    return np.asarray(ratio(cells, cells.sum(axis=axis, keepdims=True)))


def _cells(y_true: Any, y_pred: Any, labels: Any, sample_weight: Any) -> Numbers:
    found = single(y_true, y_pred, sample_weight)
    if labels is not None and not found.any_true(labels):
        raise InputError("At least one label specified must be in y_true")
    cells = found.cells(labels)
    _warn_of_one(len(cells))
    return cells


def _warn_of_one(k: int) -> None:
    """One label makes no matrix, nor anything that is made of one."""
    if k == 1:
        warnings.warn(
            "A single label was found in 'y_true' and 'y_pred'. For the confusion matrix to have "
            "the correct shape, use the 'labels' parameter to pass all known labels.",
            UserWarning,
            stacklevel=4,
        )


def multilabel_confusion_matrix(
    y_true: Any,
    y_pred: Any,
    *,
    sample_weight: Any = None,
    labels: Any = None,
    samplewise: bool = False,
) -> Numbers:
    """For each label, or each item, the two by two table of having and being given it.

    >>> multilabel_confusion_matrix(["a", "b", "a"], ["a", "b", "b"])[0]
    array([[1, 0],
           [1, 1]])
    """
    by_item = flag("samplewise", samplewise)
    found = targets(y_true, y_pred, sample_weight)
    if not by_item:
        c = found.margins(labels)
        return _two_by_two(c.correct, c.bias, c.prevalence, found.total)
    if not isinstance(found, Multi):
        raise InputError("samplewise is for multi-label indicators")
    x = found.items(labels)
    w = x.weight
    return _two_by_two(x.correct * w, x.predicted * w, x.true * w, x.classes * w)


def _two_by_two(correct: Numbers, bias: Numbers, prevalence: Numbers, total: Any) -> Numbers:
    alarms, misses = bias - correct, prevalence - correct
    rest = total - correct - alarms - misses
    return np.stack([rest, alarms, misses, correct], axis=-1).reshape(-1, 2, 2)


def cohen_kappa_score(
    y1: Any,
    y2: Any,
    *,
    labels: Any = None,
    weights: Literal["linear", "quadratic"] | None = None,
    sample_weight: Any = None,
    replace_undefined_by: float = math.nan,
) -> float:
    """Agreement beyond chance, (observed − expected) / (1 − expected), or weighted by distance.

    >>> round(cohen_kappa_score(["a", "b", "a"], ["a", "b", "b"]), 6)
    0.4
    """
    one_of("weights", weights, ("linear", "quadratic", None))
    instead = replace_undefined_by
    if not isinstance(instead, Real) or not (math.isnan(instead) or -1 <= instead <= 1):
        raise FormError(f"replace_undefined_by must be from -1 to 1 or nan, got {instead!r}")
    cells = _cells(y1, y2, labels, sample_weight)
    if weights is None:
        value = float(kappa(Counts.from_cells(cells, undefined=math.nan)))
    else:
        value = _weighed_kappa(cells, 1 if weights == "linear" else 2)
    if math.isnan(value):
        warn_undefined(
            "`y1`, `y2` and `labels` have too little in common. `cohen_kappa_score` is undefined "
            f"and set to `replace_undefined_by`, which is {instead}."
        )
        return instead
    return value


def _weighed_kappa(cells: Numbers, power: int) -> float:
    """1 − observed / expected disagreement, labels being a power of their distance apart."""
    place = np.arange(len(cells), dtype=np.float64)
    apart = abs(place[:, None] - place) ** power
    true, said = exact(cells).sum(axis=1), exact(cells).sum(axis=0)
    chance = np.sum(apart * np.outer(ratio(true, true.sum()), said))
    return float(1 - ratio(np.sum(apart * cells), chance, math.nan))


def matthews_corrcoef(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Matthews correlation of any number of labels; 0 where one side has but one.

    >>> round(matthews_corrcoef([1, 1, 1, 0], [1, 0, 1, 1]), 6)
    -0.333333
    """
    table = single(y_true, y_pred, sample_weight).table
    _warn_of_one(table.k)
    return float(mcc(table.counts_over(None, 0.0)))


def balanced_accuracy_score(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, adjusted: bool = False
) -> float:
    """Mean recall of the labels that are true; adjusted, so that chance is 0.

    >>> balanced_accuracy_score([0, 1, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1])
    0.625
    """
    beyond_chance = flag("adjusted", adjusted)
    c = single(y_true, y_pred, sample_weight).margins()
    true = c.prevalence > 0
    _warn_of_one(len(true))
    if not true.all():
        warnings.warn("y_pred contains classes not in y_true", UserWarning, stacklevel=2)
    score = float(macro_recall(replace(c, averaged=true)))
    if not beyond_chance:
        return score
    chance = 1 / np.count_nonzero(true)
    return float(ratio(score - chance, 1 - chance, math.nan))
