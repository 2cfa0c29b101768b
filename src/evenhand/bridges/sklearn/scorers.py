"""Scorers: any metric of ours where scikit-learn takes ``scoring=``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evenhand.bridges.tensors import alone
from evenhand.bridges.tools import tool
from evenhand.catalogue.binding import bind_all, values_of
from evenhand.catalogue.naming import Metrics, as_spec, named, several
from evenhand.catalogue.policy import Undefined, policy
from evenhand.catalogue.spelling import Spec
from evenhand.count.given import Given, table_of
from evenhand.errors import InputError, MetricError
from evenhand.tables.confusion import Classes
from evenhand.tables.labels import rule_or_list


@dataclass(frozen=True)
class Measure:
    """Metrics of true and predicted labels, counted once for all; one alone is a number."""

    metrics: tuple[Any, ...]
    classes: Any
    undefined: float
    alone: bool

    def __call__(self, y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> Any:
        """The value, or the values by name; lower is better with its sign turned."""
        table: Any = table_of(Given("scorer", (y_true, y_pred), weights=sample_weight))
        kernels = bind_all(self.metrics, table, classes=self.classes, undefined=self.undefined)
        values = values_of(kernels, table)
        found = {
            name: float(v) * (-1 if k.better == "lower" else 1)
            for (name, _), k, v in zip(named(self.metrics), kernels, values, strict=True)
        }
        return next(iter(found.values())) if self.alone else found

    @property
    def __name__(self) -> str:
        return ", ".join(name for name, _ in named(self.metrics))


@dataclass(frozen=True)
class Several:
    """A scorer of several metrics: a fitted model predicts once, its labels are counted once."""

    measure: Measure

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
    rule = rule_or_list(classes)
    kept = rule if isinstance(rule, str) else tuple(rule)
    measure = Measure(specs, kept, policy(undefined), alone(metrics))
    if not measure.alone:
        return Several(measure)
    return tool("sklearn.metrics", "scorer", "sklearn").make_scorer(measure)
