"""scikit-learn's classification report, cross-validation and scorers."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from evenhand import validating
from evenhand.bridges.sklearn.metrics import (
    Average,
    Targets,
    ZeroDivision,
    averaged,
    drop_in,
    listed,
)
from evenhand.bridges.tensors import alone, tool
from evenhand.catalogue.binding import bind_all, values_of
from evenhand.catalogue.lists import Metrics, as_spec, named, several
from evenhand.catalogue.spelling import Spec
from evenhand.data.arguments import VerbArguments, table_of
from evenhand.errors import InputError, MetricError
from evenhand.options import CLASSES, UNDEFINED, Classes, Undefined
from evenhand.results.result import ALONE
from evenhand.scoring.score import score
from evenhand.scoring.scores import Scores
from evenhand.text import ends, level_text, number, visible
from evenhand.validating import CrossValidated

HEAD = ("precision", "recall", "f1-score", "support")
MORE = {
    "accuracy": "accuracy",
    "macro_f1": "mean of F1s (macro avg)",
    "f1_of_averages": "F1 of mean precision and recall",
}
"""What the report gains, by metric."""


@drop_in()
def classification_report(
    data: Targets,
    *,
    labels: Any = None,
    target_names: Iterable[Any] | None = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: ZeroDivision = "warn",
    intervals: bool = False,
) -> str | dict[str, Any]:
    """Precision, recall, F1 and support of each label, and their averages.

    ``intervals`` is ours: both scores that are called macro F1, accuracy, their 95 % intervals
    and the signature are added below, or under ``"evenhand"``; what stands above stays.

    >>> print(classification_report(["a", "b", "b", "c"], ["a", "b", "c", "c"], intervals=True))
                  precision    recall  f1-score   support
    <BLANKLINE>
               a       1.00      1.00      1.00         1
               b       1.00      0.50      0.67         2
               c       0.50      1.00      0.67         1
    <BLANKLINE>
        accuracy                           0.75         4
       macro avg       0.83      0.83      0.78         4
    weighted avg       0.88      0.75      0.75         4
    <BLANKLINE>
    accuracy                         0.75 [0.30, 0.95]
    mean of F1s (macro avg)          0.78 [0.11, 0.99]
    F1 of mean precision and recall  0.83 [0.12, 0.99]
    95 % intervals; signature: classes:listed.3.a,b,c|undefined:0|...
    """
    chosen = data.labels if labels is None else listed(labels)
    names = [f"{label}" for label in chosen]
    if target_names is not None:
        names = list(target_names)
        if len(names) != len(chosen):
            words = f"Number of classes, {len(chosen)}, does not match size of target_names, "
            words += f"{len(names)}. Try specifying the labels parameter"
            if labels is None:
                raise InputError(words)
            warnings.warn(words, UserWarning, stacklevel=3)
        names = names[: len(chosen)]
    rows = _rows(data, chosen, names, zero_division)
    more = _scored(data, chosen, zero_division) if intervals else None
    if not output_dict:
        return _text(rows, len(names), digits) + (_added(more, digits) if more else "")
    report: dict[str, Any] = {
        name: dict(zip(HEAD, map(float, row), strict=True)) for name, row in rows
    }
    if "accuracy" in dict(rows[len(names) :]):
        report["accuracy"] = report["accuracy"]["precision"]
    return report if more is None else {**report, "evenhand": more.to_dict()}


def _rows(
    data: Targets, labels: Any, names: list[Any], zero_division: ZeroDivision
) -> list[tuple[Any, list[Any]]]:
    """Name and numbers of each label, then of each average."""
    *each, support = averaged(data, labels, None, zero_division)
    rows = [(name, list(row)) for name, *row in zip(names, *each, support, strict=False)]
    averages: list[Average] = ["micro", "macro", "weighted", "samples"]
    for average in averages if data.multi else averages[:3]:
        scores = averaged(data, labels, average, zero_division)[:3]
        every = average == "micro" and set(labels.tolist()) >= set(data.labels.tolist())
        name = "accuracy" if every and not data.multi else f"{average} avg"
        rows.append((name, [*scores, np.sum(support)]))
    return rows


def _text(rows: list[tuple[Any, list[Any]]], k: int, digits: int) -> str:
    """As scikit-learn prints it."""
    cells = [[f"{x:.{digits}f}" for x in row[:3]] + [row[3]] for _, row in rows]
    names = [visible(name) for name, _ in rows]
    width = max(*map(len, names[:k]), len("weighted avg"), digits)
    if "accuracy" in names[k:]:
        cells[k][:2] = "", ""
    lines = [f"{name:>{width}s} " + "".join(f" {x:>9}" for x in row)
             for name, row in zip(["", *names], [HEAD, *cells], strict=True)]  # fmt: skip
    return "\n".join([lines[0], "", *lines[1 : k + 1], "", *lines[k + 1 :], ""])


def _scored(data: Targets, labels: Any, zero_division: ZeroDivision) -> Scores:
    """The same data by our own verb, over the labels of the report."""
    known = set(data.labels.tolist())
    return score(
        data.data,
        metrics=[m for m in MORE if m != "accuracy" or not data.multi],
        classes=[v for v in labels.tolist() if v in known],
        undefined=0 if zero_division == "warn" else zero_division,
    )


def _added(more: Scores, digits: int) -> str:
    width = max(map(len, MORE.values()))
    lines = [
        f"{MORE[name]:<{width}}  {number(s.value, digits)} {ends(s.low, s.high, digits)}".rstrip()
        for name, s in more.metrics.items()
    ]
    level = level_text(next(iter(more.metrics.values())).level or 0.95)
    return "\n" + "\n".join([*lines, f"{level} intervals; signature: {more.signature}"]) + "\n"


# Cross-validation of scikit-learn's models.


def cross_validated(
    estimators: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = None,
    groups: Any = None,
    **options: Any,
) -> CrossValidated:
    """Train and test a model, or a mapping of names to models, on the same folds.

    ``cv`` is what ``cross_validate`` takes: a number of folds or a splitter, repeated or not. Other
    options are those of ``eh.cross_validated``.

    >>> from sklearn.dummy import DummyClassifier
    >>> X, y = np.zeros((12, 1)), ["a", "a", "b"] * 4
    >>> cross_validated(DummyClassifier(), X, y, cv=3, metrics="accuracy")["accuracy"].folds
    (0.75, 0.75, 0.5)
    """
    sklearn = partial(tool, user="cross_validated", extra="sklearn")
    clone = sklearn("sklearn.base").clone
    check_cv = sklearn("sklearn.model_selection").check_cv
    rows_of = sklearn("sklearn.utils")._safe_indexing
    models = estimators if isinstance(estimators, Mapping) else {ALONE: estimators}
    splits = list(check_cv(cv, y, classifier=True).split(X, y, groups))
    predictions: dict[str, list[Any]] = {name: [] for name in models}
    for train, test in splits:
        for name, model in models.items():
            fitted = clone(model).fit(rows_of(X, train), rows_of(y, train))
            predictions[name].extend(np.asarray(fitted.predict(rows_of(X, test))).tolist())
    tests = [test for _, test in splits]
    rows = np.concatenate(tests)
    return validating.cross_validated(
        np.asarray(rows_of(y, rows)).tolist(),
        predictions,
        fold=np.repeat(np.arange(len(tests)), list(map(len, tests))).tolist(),
        repeat=_repeats(rows, len(y)),
        train=float(np.mean([len(train) for train, _ in splits])),
        **options,
    )


def _repeats(rows: Any, n: int) -> list[int] | None:
    """The repetition of each row, where every item is tested once in each of several."""
    times, rest = divmod(len(rows), n)
    complete = not rest and all(len(np.unique(part)) == n for part in np.split(rows, times))
    return np.repeat(np.arange(times), n).tolist() if complete and times > 1 else None


# Scorers: any metric for ``scoring=``.


@dataclass(frozen=True)
class MetricScorer:
    """Metrics of true and predicted labels, counted once for all; one alone is a number."""

    metrics: tuple[Any, ...]
    classes: Any
    undefined: float
    alone: bool

    def __call__(self, y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> Any:
        """The value, or the values by name; lower is better with its sign turned."""
        table: Any = table_of(VerbArguments("scorer", (y_true, y_pred), weights=sample_weight))
        kernels = bind_all(self.metrics, table, classes=self.classes, undefined=self.undefined)
        values = values_of(kernels, table)
        scores = {
            name: float(v) * (-1 if k.better == "lower" else 1)
            for (name, _), k, v in zip(named(self.metrics), kernels, values, strict=True)
        }
        return next(iter(scores.values())) if self.alone else scores

    @property
    def __name__(self) -> str:
        return ", ".join(name for name, _ in named(self.metrics))


@dataclass(frozen=True)
class SeveralScorers:
    """A scorer of several metrics: a fitted model predicts once, its labels are counted once."""

    measure: MetricScorer

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """The scores of a fitted model by name."""
        return self.measure(y, estimator.predict(X), sample_weight=sample_weight)


def scorer(metrics: Metrics, *, classes: Classes = "task", undefined: Undefined = 0) -> Any:
    """A scorer for ``cross_validate``, ``GridSearchCV`` and the like, of any metric and spelling.

    A list of metrics makes one scorer that gives them all by name: ``GridSearchCV(...,
    scoring=scorer(["macro_f1", "mcc"]), refit="macro_f1")``. Metrics of which lower values are
    better have their sign turned, as scikit-learn's losses have. The classes of an average are
    those of the fold's truth unless they are listed.

    >>> from sklearn.dummy import DummyClassifier
    >>> model = DummyClassifier().fit([[0], [0], [0]], ["a", "a", "b"])
    >>> scorer("macro_recall")(model, [[0], [0]], ["a", "b"])
    0.5
    """
    specs = tuple(as_spec(m) for m in several(metrics, list))
    if not specs:
        raise InputError("scorer takes a metric or a list of them, got none")
    for spec in specs:
        if isinstance(spec, Spec) and spec.metric.better == "neither":
            raise MetricError(f"{spec} cannot be a scorer: neither high nor low is better")
    rule = CLASSES.check(classes)
    averaged_classes = rule if isinstance(rule, str) else tuple(rule)
    measure = MetricScorer(specs, averaged_classes, UNDEFINED.check(undefined), alone(metrics))
    if not measure.alone:
        return SeveralScorers(measure)
    return tool("sklearn.metrics", "scorer", "sklearn").make_scorer(measure)
