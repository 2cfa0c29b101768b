"""Precision, recall, F and Jaccard: of each label, of two, or averaged in scikit-learn's ways."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from evenhand.bridges.sklearn.averaging import (
    ALL,
    averaged,
    margins,
    mean_of,
    scored_labels,
    warn_of_nothing,
)
from evenhand.bridges.sklearn.options import (
    AVERAGES,
    Average,
    ZeroDivision,
    beta_of,
    one_of,
    positive,
    worth,
)
from evenhand.bridges.sklearn.reading import targets
from evenhand.core.ratio import ratio


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
    chosen = scored_labels(found, labels, pos_label, average)
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
    c = margins(found, scored_labels(found, labels, pos_label, average), average, undefined)
    either = c.bias + c.prevalence - c.correct
    if zero_division == "warn":
        warn_of_nothing("jaccard", "true or predicted", either, average)
    return mean_of(found, c, ratio(c.correct, either, c.undefined), average)


def _check(average: Any, pos_label: Any) -> None:
    one_of("average", average, AVERAGES)
    positive(pos_label)
