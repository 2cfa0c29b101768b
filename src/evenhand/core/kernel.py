"""Metrics with their parameters bound, evaluated on margins, cells or items."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np

from evenhand.core.arrays import Array, floating, namespace
from evenhand.core.contingency import Contingency
from evenhand.core.margins import Counts
from evenhand.core.ratio import ratio
from evenhand.core.registry import Metric, Needs
from evenhand.core.scores import ItemScores


@dataclass(frozen=True, eq=False)
class ItemArrays:
    """Per item, on the last axis: labels hit, predicted and true, and the item's weight.

    It is ``Counts`` with items in the place of classes, for the averages that run over items.
    """

    correct: Array
    predicted: Array
    true: Array
    weight: Array
    classes: int
    undefined: float = 0.0

    def mean(self, x: Array) -> Array:
        """Weighted mean over items; with ``undefined`` NaN, over those where ``x`` is known."""
        xp = namespace(x)
        w = self.weight
        if math.isnan(self.undefined):
            known = ~xp.isnan(x)
            x, w = xp.where(known, x, 0.0), xp.where(known, w, 0.0)
        return ratio(xp.sum(w * x, axis=-1), xp.sum(w + 0 * x, axis=-1), self.undefined)


# Thresholds


def margins_along(
    true: Array, other: Array, place: Array, weight: Array, *, label: int, k: int, size: int
) -> Counts:
    """The margins of ``size`` tables, along which more and more items are predicted as ``label``.

    Item i is predicted as ``label`` in the tables from ``place[i]`` on, and as ``other[i]``, which
    is never ``label``, in those before. Each table is a sum of items before and after it, never
    a difference, so that nothing cancels.

    >>> true, other, place = np.array([1, 0, 1]), np.zeros(3, int), np.array([0, 1, 2])
    >>> c = margins_along(true, other, place, np.ones(3, int), label=1, k=2, size=3)
    >>> c.correct.tolist(), c.bias.tolist()
    ([[1, 1], [0, 1], [0, 2]], [[2, 1], [1, 2], [0, 3]])
    """
    hit = true == other
    before = _summed(place, true, weight, size, k)[:-1].cumsum(axis=0)
    correct, misses, alarms = (
        _summed(place[which], code[which], weight[which], size, k)[:0:-1].cumsum(axis=0)[::-1]
        for which, code in ((hit, true), (~hit, true), (~hit, other))
    )
    correct[:, label] = before[:, label]
    before[:, label] = 0
    misses += before
    alarms[:, label] = before.sum(axis=1)
    prevalence = _summed(np.zeros_like(place), true, weight, 0, k)
    total = np.broadcast_to(prevalence.sum(), size)
    prevalence = np.broadcast_to(prevalence, correct.shape)
    errors = None if weight.dtype.kind in "iu" else (misses, alarms)
    return Counts(correct, correct + alarms, prevalence, total, np.zeros(size), errors=errors)


def _summed(place: Array, code: Array, weight: Array, size: int, k: int) -> Array:
    """Weights by place (those from ``size`` on as one) and code."""
    at = np.minimum(place, size) * k + code
    sums = np.bincount(at, weight, minlength=(size + 1) * k).reshape(size + 1, k)
    return sums.astype(weight.dtype)  # bincount gives floats, but integers of nothing


# Kernels

OBSERVED = b""
OVER_ITEMS, OVER_SCORES = b"items", b"scores"
VIEWS: dict[Needs, bytes] = {
    "counts": OBSERVED, "cells": b"cells ", "pairs": b"pairs ", "items": OVER_ITEMS,
    "scores": OVER_SCORES,
}  # fmt: skip
"""Views of data: margins as observed, cells, or items; the bytes of a class mix may follow."""

View: TypeAlias = Counts | Contingency | ItemArrays | ItemScores


@dataclass(frozen=True, eq=False)
class Kernel:
    """A metric bound to data: its parameters, classes and value of 0/0 are fixed.

    ``function`` takes ``Counts`` (``ItemArrays`` where it is over items, ``Contingency`` where it
    needs the cells). ``averaged`` is the mask of classes, ``target`` the class mix to calibrate
    to, ``record`` what is known of the metric. ``by_class`` says that it gives one value a class,
    ``ruled`` that a rule chose the classes, not a list.
    """

    name: str
    function: Callable[[Any], Array]
    averaged: Array | None
    undefined: float
    target: Array | None = None
    record: Metric = field(kw_only=True)
    by_class: bool = False
    ruled: bool = False

    @cached_property
    def over_items(self) -> bool:
        """Whether the metric needs the items: it averages over them, or is of their scores."""
        return self.record.needs in ("items", "scores")

    @cached_property
    def over_cells(self) -> bool:
        """Whether the metric needs the cells, not only the margins."""
        return self.record.needs in ("cells", "pairs")

    @cached_property
    def view(self) -> bytes:
        """The view of the data that it needs, the same for all kernels that can share it."""
        mix = OBSERVED if self.target is None else bytes(self.target.tobytes())
        return VIEWS[self.record.needs] + (OBSERVED if self.over_items else mix)

    def at(self, i: int) -> Kernel:
        """The kernel for one table of the stack that it was bound to."""
        mask, target = self.averaged, self.target
        return replace(
            self,
            averaged=mask if mask is None or mask.ndim < 2 else mask[i],
            target=target if target is None or target.ndim < 2 else target[i],
        )

    def of_class(self, j: int, k: int) -> Kernel:
        """The j-th of the values of a kernel that has one a class."""
        one = partial(of_one_class, self.function)
        return replace(self, function=one, averaged=np.arange(k) == j, by_class=False)

    def prepared(self, c: Any) -> Any:
        """Margins, cells or items with this kernel's classes and value of 0/0."""
        if self.over_items:
            return replace(c, undefined=self.undefined)
        return c.averaging(self.averaged, self.undefined, ruled=self.ruled)


def of_one_class(function: Callable[[Counts], Array], c: Counts) -> Array:
    """The value of the one class that is averaged."""
    return c.mean(function(c))


@dataclass(frozen=True, eq=False)
class TableViews:
    """Margins, cells or items by :attr:`Kernel.view`.

    ``own`` says that each table is scored on the classes that occur in it.
    """

    by: Mapping[bytes, View]
    own: bool = False

    def prepared(self, kernel: Kernel) -> Any:
        """The kernel's view, with its classes and value of 0/0."""
        return kernel.prepared(self.by[kernel.view])

    def values(self, kernels: Iterable[Kernel]) -> list[Array]:
        """Each kernel's value on its view."""
        return [self._value(k, self.prepared(k)) for k in kernels]

    def _value(self, kernel: Kernel, view: Any) -> Array:
        if isinstance(view, ItemScores):
            return view.values(kernel.function, at_once=kernel.record.is_mean)
        if kernel.record.own or kernel.by_class or kernel.over_items or kernel.over_cells:
            return kernel.function(view)
        return on_own_classes(kernel.function, view) if self.own else kernel.function(view)

    def proportion(self, kernel: Kernel) -> tuple[Array, Array] | None:
        """Hits and trials of a kernel whose metric is a proportion."""
        record = kernel.record
        if record.proportion is None or kernel.target is not None:
            return None
        c = self.prepared(kernel)
        hits, trials = record.proportion(c)
        if record.of_one_class:
            hits, trials = map(floating if kernel.by_class else c.sum, (hits, trials))
        return hits, trials


def on_own_classes(function: Callable[[Counts], Array], c: Counts) -> Array:
    """``function`` of each table's margins on the classes that occur in it or are averaged."""
    present = np.asarray((c.prevalence > 0) | (c.bias > 0))
    if c.averaged is not None:
        present = present | c.averaged
    if present.all():
        return function(c)
    present[~present.any(axis=-1), 0] = True  # an empty table still has a class
    sizes = present.sum(axis=-1)
    values = np.empty(sizes.shape)
    for size in np.unique(sizes):
        tables = sizes == size
        values[tables] = function(_restricted(c, present, tables))
    return values[()]


def _restricted(c: Counts, present: Array, tables: Array) -> Counts:
    """The margins of the classes present in some tables, which have as many each."""

    def select(x: Array) -> Array:
        values = np.broadcast_to(x, present.shape)[tables]
        return values[present[tables]].reshape(len(values), -1)

    return c.mapped(select, lambda x: x[tables])
