"""Any metric as a function of a stack of tables, in floats and in exact fractions."""

from __future__ import annotations

import importlib
import math
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.catalogue.spelling import Spec
from evenhand.core.contingency import Contingency
from evenhand.core.margins import Counts, factors
from evenhand.core.properties import Properties
from evenhand.core.registry import Metric
from evenhand.errors import MetricError
from evenhand.properties.exact import ExactArray

Cells = NDArray[Any]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Subject:
    """A metric under study.

    ``function`` takes ``Counts`` (``Contingency`` where the metric needs the cells), or a matrix if
    ``of_matrix``. ``spec`` is how a registered metric is spelled, ``None`` for a user's function.
    Every class is averaged. To ``calibrate`` a metric, every class must be true of some item.
    """

    name: str
    function: Callable[[Any], Any]
    spec: Spec | None = None
    of_matrix: bool = False
    batched: bool = True
    calibrate: bool = False

    @property
    def mix(self) -> Cells | None:
        """The class mix that the spelling states, which fixes the number of classes."""
        stated = None if self.spec is None else self.spec.prevalence
        return np.array([share for _, share in stated]) if stated else None

    @property
    def sign(self) -> float:
        """−1 where a lower score is better."""
        return -1.0 if self.spec is not None and self.spec.metric.better == "lower" else 1.0

    @property
    def judges(self) -> bool:
        """Whether one end of its range is better than the other."""
        return self.spec is None or self.spec.metric.better != "neither"

    def view(self, cells: Any) -> Any:
        """A stack of tables as the argument of the function."""
        if self.of_matrix:
            return cells
        needs_cells = self.spec is not None and self.spec.metric.needs != "counts"
        return (Contingency if needs_cells else Counts).from_cells(cells)

    @property
    def known_properties(self) -> Properties | None:
        """Its properties by the registry."""
        if self.spec is None:
            return None
        return self.spec.metric.properties_with(calibrate=self.calibrate, **self.spec.options)

    def calibrated(self) -> Subject | None:
        """The same metric after calibration to equal classes; ``None`` if it is calibrated or
        depends on the number of items, which a class mix leaves open.
        """
        if self.calibrate or (self.spec is not None and self.spec.metric.size == "matters"):
            return None
        return replace(self, name=f"{self.name}@uniform", calibrate=True)

    def __call__(self, cells: Cells) -> Floats:
        """The scores of a stack of tables; NaN where the metric has none."""
        cells = np.asarray(cells)
        if self.calibrate:
            cells = cells * factors(cells.sum(axis=-1), self.mix)[..., None]
        with _quiet():
            if self.spec is not None:
                return np.asarray(self.function(self.view(cells)), np.float64)
            if self.batched and (scores := self.users_score(cells)).shape == cells.shape[:-2]:
                return scores
            single = [self.users_score(m) for m in cells.reshape(-1, *cells.shape[-2:])]
            known = [float(x) if x.ndim == 0 else math.nan for x in single]
            return np.array(known).reshape(cells.shape[:-2])

    def users_score(self, cells: Cells) -> Floats:
        """What a user's function gives; it may refuse tables in any way, and then it is NaN."""
        try:
            return np.asarray(self.function(self.view(cells)), np.float64)
        except Exception:
            return np.array(math.nan)

    def exact(self, cells: Cells) -> list[Fraction] | None:
        """The scores as fractions, or ``None`` where the function cannot work with them."""
        cells = np.asarray(cells)
        try:
            with _quiet():
                fractions = [self._fraction(m) for m in cells.reshape(-1, *cells.shape[-2:])]
        except Exception:  # a user's function may fail on fractions in any way
            return None
        near = np.asarray(self(cells)).reshape(-1)
        same = np.isclose(np.array(fractions, float), near, rtol=1e-9, atol=1e-7)
        return fractions if same.all() else None

    def _fraction(self, m: Cells) -> Fraction:
        x = ExactArray(m)
        if self.calibrate:
            mix = None if self.mix is None else ExactArray(self.mix)
            x = x * factors(ExactArray(x.values.sum(axis=-1)), mix)[:, None]
        score = self.function(self.view(x.values if self.of_matrix else x))
        value = score.values[()] if isinstance(score, ExactArray) else score
        if not isinstance(value, Fraction | int):
            raise TypeError("the function left fractions for floats")
        return Fraction(value)


@contextmanager
def _quiet() -> Iterator[None]:
    """No warnings of divisions by 0."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def subject_of(metric: Any) -> Subject:
    """The metric by its name or spelling, as ``module:function``, or as a function."""
    if isinstance(metric, Subject):
        return metric
    if isinstance(metric, str) and _is_address(metric):
        return _users(_import(metric), metric)
    record = getattr(metric, "metric", None)
    if isinstance(record, Metric):  # of a public function, such as eh.macro_f1
        metric = Spec(record)
    if isinstance(metric, str):
        metric = Spec.parse(metric)
    if isinstance(metric, Spec):
        return _registered(metric)
    if not callable(metric):
        raise MetricError(f"a metric must be a name or a function, got {metric!r}")
    return _users(metric, getattr(metric, "__name__", "function"))


def _registered(spec: Spec) -> Subject:
    record = spec.metric
    if record.needs == "scores":
        raise MetricError(f"{record.name} is of scores, and the properties are those of tables")
    if record.needs == "items":
        raise MetricError(
            f"{record.name} is an average over the items of multi-label data: the five "
            "properties are about tables of true × predicted class"
        )

    def function(c: Any) -> Any:
        values = record.function(c, **spec.options)
        return values[..., 0] if record.of_one_class else values  # which class makes no difference

    return Subject(str(spec), function, spec, calibrate=spec.prevalence is not None)


def _is_address(text: str) -> bool:
    """Whether it is ``package.module:function``, not the spelling of a metric with parameters."""
    module, colon, name = text.partition(":")
    return bool(colon) and "=" not in name and name.isidentifier() and "@" not in module


def _import(address: str) -> Callable[..., Any]:
    """The user's function: importing it runs the user's code, and only for an address."""
    module, _, name = address.partition(":")
    here = os.getcwd()
    sys.path.insert(0, here)
    try:
        function = getattr(importlib.import_module(module), name)
    except Exception as e:
        reason = str(e).splitlines()[0] if str(e) else type(e).__name__
        raise MetricError(f"{address} cannot be imported: {reason}") from None
    finally:
        sys.path.remove(here)
    if not callable(function):
        raise MetricError(f"{address} must be a function, got {type(function).__name__}")
    return function  # type: ignore[no-any-return]


def _users(function: Callable[..., Any], name: str) -> Subject:
    """A user's function of ``Counts`` or of a matrix, as a trial shows."""
    trial = np.array([[[6, 1, 1], [1, 5, 2], [2, 3, 7]], [[3, 1, 0], [2, 5, 2], [1, 3, 9]]])
    reasons = []
    for of_matrix in (False, True):
        try:
            single = [_scalar(function(m if of_matrix else Counts.from_cells(m))) for m in trial]
        except Exception as e:
            reasons.append(f"{type(e).__name__}: {e}")
            continue
        # of a matrix, a sum over all axes of a stack may look right by accident
        subject = Subject(name, function, of_matrix=of_matrix, batched=False)
        scores = np.array(math.nan) if of_matrix else subject.users_score(trial)
        same = scores.shape == (2,) and np.allclose(scores, single, rtol=1e-12, atol=0)
        return replace(subject, batched=bool(same))
    raise MetricError(
        f"{name} must take Counts or a matrix and give a number, got {'; then '.join(reasons)}"
    )


def _scalar(value: Any) -> float:
    if np.ndim(value):
        raise ValueError(f"expected one number a table, got shape {np.shape(value)}")
    return float(value)
