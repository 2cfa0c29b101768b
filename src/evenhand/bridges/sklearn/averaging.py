"""Averaging: what scikit-learn's ways to average make of counted targets."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from typing import Any

import numpy as np

from evenhand.bridges.sklearn.options import Average, ZeroDivision, warn_undefined, worth
from evenhand.bridges.sklearn.targets import Multi, Numbers, Targets
from evenhand.core.counts import Counts
from evenhand.core.metrics.one_class import f1, fbeta, precision, recall
from evenhand.errors import FormError, InputError

ALL = ("precision", "recall", "f-score")
"""What :func:`averaged` gives, by the names in its warnings."""


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
                warn_of_nothing(name, modifier, size, average)
    each = precision(c), recall(c), _f(c, beta)
    if average is None:
        return (*each, c.prevalence)
    return (*(mean_of(found, c, x, average) for x in each), None)


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


def mean_of(found: Targets, c: Counts, x: Numbers, average: Average) -> Any:
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


def scored_labels(found: Targets, labels: Any, pos_label: Any, average: Average) -> Any:
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
