"""Subject: any metric as a function of a stack of tables, in floats and in exact fractions."""

from __future__ import annotations

import importlib
import inspect
import math
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.catalogue.spelling import Spec
from evenhand.core.counts import Counts
from evenhand.core.crossed import Crossed
from evenhand.core.prevalence import factors
from evenhand.core.promises import Properties
from evenhand.core.registry import Metric
from evenhand.errors import MetricError
from evenhand.properties.exact import Exact

Cells = NDArray[Any]
Floats = NDArray[np.float64]
BLOCK = 200_000
"""Cells scored at a time, so that memory stays small."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A metric under study.

    ``function`` takes ``Counts`` (``Crossed`` where the metric needs the cells), or a matrix if
    ``of_matrix``. ``spec`` is how a registered metric is spelled, ``None`` for a user's function.
    Every class is averaged throughout, so k never varies inside one analysis; what is to
    ``calibrate`` is about tables where every class is true of some item, or where the set of such
    classes does not change.
    """

    name: str
    function: Callable[[Any], Any]
    spec: Spec | None = None
    of_matrix: bool = False
    batched: bool = True
    calibrate: bool = False

    @property
    def classes(self) -> int | None:
        """The number of classes, where the spelling fixes it."""
        stated = None if self.spec is None else self.spec.prevalence
        return len(stated) if stated else None

    @property
    def sign(self) -> float:
        """−1 where a lower score is better."""
        return -1.0 if self.spec is not None and self.spec.metric.better == "lower" else 1.0

    @property
    def judges(self) -> bool:
        """Whether one end of its range is better than the other."""
        return self.spec is None or self.spec.metric.better != "neither"

    def view(self, cells: Any) -> Any:
        """What the function takes of a stack of tables."""
        if self.of_matrix:
            return cells
        crossed = self.spec is not None and self.spec.metric.needs != "counts"
        return Crossed.from_cells(cells) if crossed else Counts.from_cells(cells)

    @property
    def promised(self) -> Properties | None:
        """What the registry knows of it."""
        if self.spec is None:
            return None
        return self.spec.metric.promised(calibrate=self.calibrate, **self.spec.options)

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
        lead = cells.shape[:-2]
        flat = cells.reshape(-1, *cells.shape[-2:])
        step = max(1, BLOCK // flat.shape[-1] ** 2)
        parts = [self._some(flat[i : i + step]) for i in range(0, len(flat), step)]
        found = np.concatenate(parts) if parts else np.zeros(0)
        return np.asarray(found).reshape(lead)

    def _some(self, cells: Cells) -> Floats:
        if self.calibrate:
            cells = cells * factors(cells.sum(axis=-1), self._target())[..., None]
        with _quiet():
            if self.batched and (self.spec is not None or self._takes(cells)):
                return np.asarray(self.function(self.view(cells)), np.float64)
            return np.array([self._one(m) for m in cells])

    def _takes(self, cells: Cells) -> bool:
        """Whether a user's function can do these tables at once."""
        try:
            return bool(np.shape(self.function(self.view(cells))) == cells.shape[:-2])
        except Exception:
            return False

    def _one(self, m: Cells) -> float:
        try:
            return float(self.function(self.view(m)))
        except Exception:  # a user's function may refuse a table in any way
            return math.nan

    def _target(self) -> Cells | None:
        stated = None if self.spec is None else self.spec.prevalence
        return np.array([share for _, share in stated]) if stated else None

    def exact(self, cells: Cells) -> list[Fraction] | None:
        """The scores as fractions, or ``None`` where the function cannot work with them."""
        cells = np.asarray(cells)
        try:
            with _quiet():
                found = [self._fraction(m) for m in cells.reshape(-1, *cells.shape[-2:])]
        except Exception:  # a user's function may fail on fractions in any way
            return None
        near = np.asarray(self(cells)).reshape(-1)
        if any(not math.isclose(float(f), n, abs_tol=1e-7) for f, n in zip(found, near)):  # noqa: B905
            return None
        return found

    def _fraction(self, m: Cells) -> Fraction:
        x = Exact(m)
        if self.calibrate:
            target = self._target()
            scale = factors(Exact(x.values.sum(axis=-1)), None if target is None else Exact(target))
            x = Exact(x.values * scale.values[:, None])
        found = self.function(self.view(x.values if self.of_matrix else x))
        value = found.values[()] if isinstance(found, Exact) else found
        if not isinstance(value, Fraction | int):
            raise TypeError("the function left fractions for floats")
        return Fraction(value)


@contextmanager
def _quiet() -> Iterator[None]:
    """Whatever a metric divides by, no warning of it."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def subject_of(metric: Any) -> Subject:
    """The metric however it is given: a name, a spelling, ``module:function``, or a function."""
    if isinstance(metric, Subject):
        return metric
    if isinstance(metric, str) and _is_address(metric):
        return _own(_imported(metric), metric)
    record = getattr(metric, "metric", None)
    if isinstance(record, Metric):  # of a public function, such as eh.macro_f1
        metric = Spec(record)
    if isinstance(metric, str):
        metric = Spec.parse(metric)
    if isinstance(metric, Spec):
        return _registered(metric)
    if not callable(metric):
        raise MetricError(f"a metric must be a name or a function, got {metric!r}")
    return _own(metric, getattr(metric, "__name__", "function"))


def _registered(spec: Spec) -> Subject:
    record = spec.metric
    if record.needs == "items":
        raise MetricError(
            f"{record.name} is an average over the items of multi-label data: the five "
            "properties are about tables of true × predicted class"
        )
    function: Callable[[Any], Any] = partial(record.function, **spec.options)
    if record.of_one_class:
        function = partial(_first_class, function)
    return Subject(str(spec), function, spec, calibrate=spec.prevalence is not None)


def _first_class(function: Callable[[Counts], Any], c: Counts) -> Any:
    """A metric of one class, of the first: which one makes no difference to its properties."""
    return function(c)[..., 0]


def _is_address(text: str) -> bool:
    """``package.module:function``, and no metric's spelling with parameters."""
    module, colon, name = text.partition(":")
    return bool(colon) and "=" not in name and name.isidentifier() and "@" not in module


def _imported(address: str) -> Callable[..., Any]:
    """The user's own function: importing runs the user's code, and only when asked by name."""
    module, _, name = address.partition(":")
    here = os.getcwd()
    sys.path.insert(0, here)
    try:
        found = getattr(importlib.import_module(module), name)
    except Exception as e:
        reason = str(e).splitlines()[0] if str(e) else type(e).__name__
        raise MetricError(f"{address} cannot be imported: {reason}") from None
    finally:
        sys.path.remove(here)
    if not callable(found):
        raise MetricError(f"{address} must be a function, got {type(found).__name__}")
    return found  # type: ignore[no-any-return]


def _own(function: Callable[..., Any], name: str) -> Subject:
    """A user's function: of ``Counts`` or of a matrix, as it says or as a trial shows."""
    trial = np.array([[[6, 1, 1], [1, 5, 2], [2, 3, 7]], [[3, 1, 0], [2, 5, 2], [1, 3, 9]]])
    reasons = []
    for of_matrix in _orders(function):
        try:
            one = [_scalar(function(m if of_matrix else Counts.from_cells(m))) for m in trial]
        except Exception as e:
            reasons.append(f"{type(e).__name__}: {e}")
            continue
        return Subject(name, function, None, of_matrix, _batches(function, trial, one, of_matrix))
    raise MetricError(
        f"{name} must take Counts or a matrix and give a number, got {'; then '.join(reasons)}"
    )


def _scalar(value: Any) -> float:
    if np.ndim(value):
        raise ValueError(f"expected one number a table, got shape {np.shape(value)}")
    return float(value)


def _orders(function: Callable[..., Any]) -> tuple[bool, ...]:
    """Whether to try a matrix first: what the annotation or the parameter's name says."""
    try:
        first = next(iter(inspect.signature(function).parameters.values()))
    except (TypeError, ValueError, StopIteration):
        return (False, True)
    said = str(first.annotation) if first.annotation is not first.empty else ""
    if "Counts" in said:
        return (False,)
    if said and said != "Any":
        return (True,)
    matrix = first.name.lower() in ("m", "matrix", "cells", "table", "confusion", "cm", "x")
    return (matrix, not matrix)


def _batches(function: Callable[..., Any], trial: Cells, one: list[float], of_matrix: bool) -> bool:
    """Whether a whole stack can be given at once: the answers must be the same."""
    if of_matrix:
        return False  # a sum over all axes of a stack of tables may look right by accident
    try:
        with _quiet():
            found = np.asarray(function(Counts.from_cells(trial)), np.float64)
    except Exception:
        return False
    return found.shape == (len(trial),) and bool(np.allclose(found, one, rtol=1e-12, atol=0))
