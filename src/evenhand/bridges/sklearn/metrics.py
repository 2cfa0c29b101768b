"""scikit-learn's metric functions, with its signatures and warnings."""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection
from dataclasses import replace
from numbers import Real
from typing import Any, Literal

import numpy as np

from evenhand.bridges.sklearn.inputs import (
    AVERAGES,
    Average,
    MultiLabelTargets,
    Numbers,
    Targets,
    ZeroDivision,
    beta_of,
    flag,
    one_of,
    positive,
    single,
    targets,
    warn_undefined,
    zero_division_value,
)
from evenhand.core.arrays import exact
from evenhand.core.margins import Counts
from evenhand.core.metrics import items
from evenhand.core.metrics.accuracy import accuracy
from evenhand.core.metrics.agreement import kappa, mcc
from evenhand.core.metrics.macro import macro_recall
from evenhand.core.metrics.per_class import f1, fbeta, precision, recall
from evenhand.core.ratio import ratio
from evenhand.errors import FormError, InputError

ALL = ("precision", "recall", "f-score")
"""What :func:`averaged` gives, by the names in its warnings."""


def averaged(
    data: Targets,
    labels: Any,
    average: Average,
    beta: float,
    warn_for: Collection[str],
    zero_division: ZeroDivision,
) -> tuple[Any, Any, Any, Any]:
    """Precision, recall, F and support of targets that are counted already."""
    c = margins(data, labels, average, zero_division_value(zero_division))
    if zero_division == "warn":
        for name, modifier, size in (
            ("precision", "predicted", c.bias),
            ("recall", "true", c.prevalence),
            ("f-score", "true nor predicted", c.bias + c.prevalence),
        ):
            if name in warn_for and not (name == "f-score" and beta in (0, np.inf)):
                warn_of_nothing(name, modifier, size, average)
    each = precision(c), recall(c), _f(c, beta)
    if average is None:
        return (*each, c.prevalence)
    return (*(mean_of(data, c, x, average) for x in each), None)


def _f(c: Counts, beta: float) -> Numbers:
    """F of each label; at the ends of beta it is precision or recall, with their 0/0."""
    if beta == 1:
        return np.asarray(f1(c))
    ends = {0: precision, np.inf: recall}
    return np.asarray(ends[beta](c) if beta in ends else fbeta(c, beta=float(beta)))


def margins(data: Targets, labels: Any, average: Average, undefined: float) -> Counts:
    """Margins to average: of labels, of items, or of all labels together."""
    if average == "samples":
        if not isinstance(data, MultiLabelTargets):
            raise InputError("average='samples' is for multi-label indicators")
        x = data.select(labels).items()
        w = x.weight
        c = Counts(x.correct * w, x.predicted * w, x.true * w, np.asarray(data.total))
    else:
        c = data.margins(labels)
    if average == "micro":
        correct, bias, prevalence = (
            np.atleast_1d(x.sum()) for x in (c.correct, c.bias, c.prevalence)
        )
        c = Counts(correct, bias, prevalence, c.total)
    return c.averaging(None, undefined)


def mean_of(data: Targets, c: Counts, x: Numbers, average: Average) -> Any:
    """The mean that was asked for; where all weights are 0, each weighs the same."""
    if average is None:
        return x
    weights = None
    if average == "weighted":
        weights = c.prevalence
    elif average == "samples" and isinstance(data, MultiLabelTargets):
        weights = data.data.weight
    if weights is not None and not np.where(np.isnan(x), 0, weights).any():
        weights = None
    return float(c.mean(x, weights))


def scored_labels(data: Targets, labels: Any, pos_label: Any, average: Average) -> Any:
    """The labels that are scored: one of two, those given, or all."""
    if average != "binary":
        if pos_label not in (None, 1):
            warnings.warn(
                f"Note that pos_label (set to {pos_label!r}) is ignored when average != 'binary' "
                f"(got {average!r}). You may use labels=[pos_label] to specify a single positive "
                "class.",
                UserWarning,
                stacklevel=3,
            )
        return labels
    if not data.binary:
        kind = "multilabel-indicator" if isinstance(data, MultiLabelTargets) else "multiclass"
        raise InputError(
            f"Target is {kind} but average='binary'. Please choose another average setting"
        )
    if pos_label is None:
        raise FormError("pos_label must be a label where average='binary', got None")
    present = data.labels.tolist()
    if pos_label not in present and len(present) >= 2:
        raise InputError(f"pos_label={pos_label!r} is not a valid label: it must be in {present}")
    return [pos_label]


def warn_of_nothing(name: str, modifier: str, size: Numbers, average: Average) -> None:
    """Say where a score is 0/0."""
    if np.all(size):
        return
    axes = ("label", "sample") if average == "samples" else ("sample", "label")
    where = "due to" if len(size) == 1 else f"in {axes[1]}s with"
    warn_undefined(
        f"{name.capitalize()} is ill-defined and being set to 0.0 {where} no {modifier} "
        f"{axes[0]}s. Use `zero_division` parameter to control this behavior."
    )


# Precision, recall, F and Jaccard, averaged in scikit-learn's ways.


def precision_recall_fscore_support(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float = 1.0,
    labels: Any = None,
    pos_label: Any = 1,
    average: Average = None,
    warn_for: Collection[str] = ALL,
    sample_weight: Any = None,
    zero_division: ZeroDivision = "warn",
) -> tuple[Any, Any, Any, Any]:
    """Precision, recall and F of each label with its support, or averaged without.

    >>> precision_recall_fscore_support([0, 1, 1], [0, 1, 0], average="macro")
    (0.75, 0.75, 0.6666666666666666, None)
    """
    data = (y_true, y_pred, sample_weight)
    return _scores(data, beta, labels, pos_label, average, warn_for, zero_division)


def _scores(
    data: tuple[Any, Any, Any],
    beta: float,
    labels: Any,
    pos_label: Any,
    average: Average,
    warn_for: Collection[str],
    zero_division: ZeroDivision,
) -> tuple[Any, Any, Any, Any]:
    """Check the arguments and score: precision, recall, F and support."""
    beta_of(beta)
    _check(average, pos_label)
    zero_division_value(zero_division)
    counted = targets(*data)
    chosen = scored_labels(counted, labels, pos_label, average)
    return averaged(counted, chosen, average, beta, warn_for, zero_division)


def precision_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: Average = "binary",
    sample_weight: Any = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """Share of the predictions of a label that are right: hits / predicted.

    >>> precision_score([0, 1, 1], [1, 1, 0])
    0.5
    """
    data = (y_true, y_pred, sample_weight)
    return _scores(data, 1.0, labels, pos_label, average, ("precision",), zero_division)[0]


def recall_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: Average = "binary",
    sample_weight: Any = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """Share of the items of a label that are found: hits / true.

    >>> recall_score([0, 1, 1], [1, 1, 1])
    1.0
    """
    data = (y_true, y_pred, sample_weight)
    return _scores(data, 1.0, labels, pos_label, average, ("recall",), zero_division)[1]


def f1_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: Average = "binary",
    sample_weight: Any = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """F1 of the positive label, of each, or averaged; ``"macro"`` is the mean of F1s.

    >>> f1_score(["a", "b", "b"], ["a", "b", "a"], average="macro")
    0.6666666666666666
    """
    data = (y_true, y_pred, sample_weight)
    return _scores(data, 1, labels, pos_label, average, ("f-score",), zero_division)[2]


def fbeta_score(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float,
    labels: Any = None,
    pos_label: Any = 1,
    average: Average = "binary",
    sample_weight: Any = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """Weighted harmonic mean of precision and recall; beta > 1 favours recall.

    >>> round(fbeta_score([0, 1, 1, 1], [1, 1, 0, 0], beta=2), 4)
    0.3571
    """
    data = (y_true, y_pred, sample_weight)
    return _scores(data, beta, labels, pos_label, average, ("f-score",), zero_division)[2]


def jaccard_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: Average = "binary",
    sample_weight: Any = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    """Hits of a label as a share of the items that have it on either side.

    >>> jaccard_score([0, 1, 1], [1, 1, 0])
    0.3333333333333333
    """
    _check(average, pos_label)
    undefined = zero_division_value(zero_division, nan=False)
    data = targets(y_true, y_pred, sample_weight)
    c = margins(data, scored_labels(data, labels, pos_label, average), average, undefined)
    either = c.bias + c.prevalence - c.correct
    if zero_division == "warn":
        warn_of_nothing("jaccard", "true or predicted", either, average)
    return mean_of(data, c, ratio(c.correct, either, c.undefined), average)


def _check(average: Any, pos_label: Any) -> None:
    one_of("average", average, AVERAGES)
    positive(pos_label)


# Accuracy and losses.


def accuracy_score(
    y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None
) -> float:
    """Share of items that are right, or their number; of indicators, all labels at once.

    >>> accuracy_score([0, 2, 1, 3], [0, 1, 2, 3]), accuracy_score([0, 1], [0, 0], normalize=False)
    (0.5, 1.0)
    """
    as_share = flag("normalize", normalize)
    data = targets(y_true, y_pred, sample_weight)
    share = _share_right(data)
    if as_share:
        return share
    if isinstance(data, MultiLabelTargets):
        return share * float(data.total)
    return float(np.sum(data.margins().correct))


def zero_one_loss(
    y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None
) -> float:
    """Share of items that are wrong, or their number.

    >>> zero_one_loss([1, 2, 3, 4], [2, 2, 3, 4])
    0.25
    """
    as_share = flag("normalize", normalize)
    data = targets(y_true, y_pred, sample_weight)
    wrong = 1 - _share_right(data)
    return wrong if as_share else wrong * float(data.total)


def hamming_loss(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Share of items that are wrong; of indicators, of decisions.

    >>> import numpy as np
    >>> hamming_loss(np.array([[0, 1], [1, 1]]), np.zeros((2, 2)))
    0.75
    """
    data = targets(y_true, y_pred, sample_weight)
    if isinstance(data, MultiLabelTargets):
        return float(items.hamming_loss(data.data.items()))
    return 1 - _share_right(data)


def _share_right(data: Targets) -> float:
    if isinstance(data, MultiLabelTargets):
        return float(items.subset_accuracy(data.data.items()))
    return float(accuracy(data.margins()))


# Confusion matrices, kappa, MCC and balanced accuracy.


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
    data = single(y_true, y_pred, sample_weight)
    if labels is not None and not data.any_true(labels):
        raise InputError("At least one label specified must be in y_true")
    cells = data.cells(labels)
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
    data = targets(y_true, y_pred, sample_weight)
    if not by_item:
        c = data.margins(labels)
        return _two_by_two(c.correct, c.bias, c.prevalence, data.total)
    if not isinstance(data, MultiLabelTargets):
        raise InputError("samplewise is for multi-label indicators")
    chosen = data.select(labels)
    x, w = chosen.items(), chosen.amount
    return _two_by_two(x.correct * w, x.predicted * w, x.true * w, x.classes * w)


def _two_by_two(correct: Numbers, bias: Numbers, prevalence: Numbers, total: Any) -> Numbers:
    false_positives, false_negatives = bias - correct, prevalence - correct
    true_negatives = total - correct - false_positives - false_negatives
    tables = [true_negatives, false_positives, false_negatives, correct]
    return np.stack(tables, axis=-1).reshape(-1, 2, 2)


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
    true, pred = exact(cells).sum(axis=1), exact(cells).sum(axis=0)
    chance = np.sum(apart * np.outer(ratio(true, true.sum()), pred))
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
