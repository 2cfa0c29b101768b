"""Cross-validation of scikit-learn's models, scored by ours."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from evenhand.bridges.tools import tool
from evenhand.catalogue.naming import Metrics
from evenhand.catalogue.policy import Undefined
from evenhand.results.reported import ALONE
from evenhand.tables.confusion import Classes
from evenhand.validating.folds import CrossValidated
from evenhand.validating.folds import cross_validated as of_predictions


def cross_validated(
    estimators: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = None,
    groups: Any = None,
    metrics: Metrics | None = None,
    classes: Classes = "task",
    undefined: Undefined = 0,
    level: float = 0.95,
) -> CrossValidated:
    """Train and test a model, or a mapping of names to models, on the same folds.

    ``cv`` is what ``cross_validate`` takes: a number of folds or a splitter, repeated or not.

    >>> from sklearn.dummy import DummyClassifier
    >>> X, y = np.zeros((12, 1)), ["a", "a", "b"] * 4
    >>> cross_validated(DummyClassifier(), X, y, cv=3, metrics="accuracy")["accuracy"].folds
    (0.75, 0.75, 0.5)
    """
    sklearn = partial(tool, user="cross_validated", extra="sklearn")
    clone = sklearn("sklearn.base").clone
    check_cv = sklearn("sklearn.model_selection").check_cv
    taken = sklearn("sklearn.utils")._safe_indexing
    models = estimators if isinstance(estimators, Mapping) else {ALONE: estimators}
    splits = list(check_cv(cv, y, classifier=True).split(X, y, groups))
    said: dict[str, list[Any]] = {name: [] for name in models}
    for train, test in splits:
        for name, model in models.items():
            fitted = clone(model).fit(taken(X, train), taken(y, train))
            said[name].extend(np.asarray(fitted.predict(taken(X, test))).tolist())
    tests = [test for _, test in splits]
    rows = np.concatenate(tests)
    return of_predictions(
        np.asarray(taken(y, rows)).tolist(),
        said,
        fold=np.repeat(np.arange(len(tests)), list(map(len, tests))).tolist(),
        repeat=_repeats(rows, len(y)),
        train=float(np.mean([len(train) for train, _ in splits])),
        metrics=metrics,
        classes=classes,
        undefined=undefined,
        level=level,
    )


def _repeats(rows: Any, n: int) -> list[int] | None:
    """The repetition of each row, where every item is tested once in each of several."""
    times, rest = divmod(len(rows), n)
    whole = not rest and all(len(np.unique(part)) == n for part in np.split(rows, times))
    return np.repeat(np.arange(times), n).tolist() if whole and times > 1 else None
