"""Precision, recall, F and Jaccard: of each label, of two, or averaged in scikit-learn's ways."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from typing import Any

import numpy as np

from evenhand.bridges.sklearn.options import (
    AVERAGES,
    Average,
    ZeroDivision,
    beta_of,
    one_of,
    positive,
    warn_undefined,
    worth,
)
from evenhand.bridges.sklearn.reading import targets
from evenhand.bridges.sklearn.targets import Multi, Numbers, Targets
from evenhand.core.counts import Counts
from evenhand.core.metrics.one_class import f1, fbeta, precision, recall
from evenhand.core.ratio import ratio
from evenhand.errors import FormError, InputError

ALL = ("precision", "recall", "f-score")


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
    beta_of(beta)
    _check(average, pos_label)
    worth(zero_division)
    found = targets(y_true, y_pred, sample_weight)
    chosen = set_wise(found, labels, pos_label, average)
    return averaged(found, chosen, average, beta, warn_for, zero_division)


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
    return precision_recall_fscore_support(
        y_true,
        y_pred,
        labels=labels,
        pos_label=pos_label,
        average=average,
        warn_for=("precision",),
        sample_weight=sample_weight,
        zero_division=zero_division,
    )[0]


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
    return precision_recall_fscore_support(
        y_true,
        y_pred,
        labels=labels,
        pos_label=pos_label,
        average=average,
        warn_for=("recall",),
        sample_weight=sample_weight,
        zero_division=zero_division,
    )[1]


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
    return fbeta_score(
        y_true,
        y_pred,
        beta=1,
        labels=labels,
        pos_label=pos_label,
        average=average,
        sample_weight=sample_weight,
        zero_division=zero_division,
    )


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
    return precision_recall_fscore_support(
        y_true,
        y_pred,
        beta=beta,
        labels=labels,
        pos_label=pos_label,
        average=average,
        warn_for=("f-score",),
        sample_weight=sample_weight,
        zero_division=zero_division,
    )[2]


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
    undefined = worth(zero_division, nan=False)
    found = targets(y_true, y_pred, sample_weight)
    c = margins(found, set_wise(found, labels, pos_label, average), average, undefined)
    either = c.bias + c.prevalence - c.correct
    if zero_division == "warn":
        _warn("jaccard", "true or predicted", either, average)
    return _average(found, c, ratio(c.correct, either, c.undefined), average)


def averaged(
    found: Targets,
    labels: Any,
    average: Average,
    beta: float,
    warn_for: Collection[str],
    zero_division: ZeroDivision,
) -> tuple[Any, Any, Any, Any]:
    """Precision, recall, F and support of targets that are counted already."""
    c = margins(found, labels, average, worth(zero_division))
    if zero_division == "warn":
        for name, modifier, size in (
            ("precision", "predicted", c.bias),
            ("recall", "true", c.prevalence),
            ("f-score", "true nor predicted", c.bias + c.prevalence),
        ):
            if name in warn_for and not (name == "f-score" and beta in (0, np.inf)):
                _warn(name, modifier, size, average)
    each = precision(c), recall(c), _f(c, beta)
    if average is None:
        return (*each, c.prevalence)
    return (*(_average(found, c, x, average) for x in each), None)


def _f(c: Counts, beta: float) -> Numbers:
    """F of each label; at the ends of beta it is precision or recall, with their 0/0."""
    if beta == 1:
        return np.asarray(f1(c))
    ends = {0: precision, np.inf: recall}
    return np.asarray(ends[beta](c) if beta in ends else fbeta(c, beta=float(beta)))


def margins(found: Targets, labels: Any, average: Average, undefined: float) -> Counts:
    """Margins to average: of labels, of items, or of all labels together."""
    if average == "samples":
        if not isinstance(found, Multi):
            raise InputError("average='samples' is for multi-label indicators")
        x = found.items(labels)
        w = x.weight
        c = Counts(x.correct * w, x.predicted * w, x.true * w, np.asarray(found.total))
    else:
        c = found.margins(labels)
    if average == "micro":
        correct, bias, prevalence = (
            np.atleast_1d(x.sum()) for x in (c.correct, c.bias, c.prevalence)
        )
        c = Counts(correct, bias, prevalence, c.total)
    return c.averaging(None, undefined)


def _average(found: Targets, c: Counts, x: Numbers, average: Average) -> Any:
    """The mean that was asked for; where all weights are 0, each weighs the same."""
    if average is None:
        return x
    weights = None
    if average == "weighted":
        weights = c.prevalence
    elif average == "samples" and isinstance(found, Multi):
        weights = found.weight
    if weights is not None and not np.where(np.isnan(x), 0, weights).any():
        weights = None
    return float(c.mean(x, weights))


def set_wise(found: Targets, labels: Any, pos_label: Any, average: Average) -> Any:
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
    if not found.binary:
        kind = "multilabel-indicator" if isinstance(found, Multi) else "multiclass"
        raise InputError(
            f"Target is {kind} but average='binary'. Please choose another average setting"
        )
    if pos_label is None:
        raise FormError("pos_label must be a label where average='binary', got None")
    present = found.labels.tolist()
    if pos_label not in present and len(present) >= 2:
        raise InputError(f"pos_label={pos_label!r} is not a valid label: it must be in {present}")
    return [pos_label]


def _check(average: Any, pos_label: Any) -> None:
    one_of("average", average, AVERAGES)
    positive(pos_label)


def _warn(name: str, modifier: str, size: Numbers, average: Average) -> None:
    """Say where a score is 0/0."""
    if np.all(size):
        return
    axes = ("label", "sample") if average == "samples" else ("sample", "label")
    where = "due to" if len(size) == 1 else f"in {axes[1]}s with"
    warn_undefined(
        f"{name.capitalize()} is ill-defined and being set to 0.0 {where} no {modifier} "
        f"{axes[0]}s. Use `zero_division` parameter to control this behavior."
    )
