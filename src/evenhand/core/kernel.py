"""Kernel: a metric made ready for margins; and the values of many, each on what it asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np

from evenhand.core.arrays import Array
from evenhand.core.counts import Counts
from evenhand.core.crossed import Crossed
from evenhand.core.items import Items
from evenhand.core.registry import Better, Metric

OBSERVED = b""
OVER_ITEMS = b"items"
OVER_CELLS, OVER_PAIRS = b"cells ", b"pairs "
"""What kernels ask of data: margins as observed, items, or cells; a class mix stands behind it."""

View: TypeAlias = Counts | Crossed | Items


@dataclass(frozen=True, eq=False)
class Kernel:
    """A metric made ready for some data: parameters bound, class set and policy fixed.

    ``function`` takes ``Counts`` (``Items`` where the metric is over items, ``Crossed`` where it
    needs the cells). ``averaged`` is the mask of classes, ``target`` the class mix to calibrate
    to, ``record`` the metric's record, ``None`` for a user's own function. ``by_class`` says that
    it gives one value a class, ``ruled`` that a rule chose the classes, not a list.
    """

    name: str
    function: Callable[[Any], Array]
    averaged: Array | None
    undefined: float
    target: Array | None = None
    record: Metric | None = None
    by_class: bool = False
    ruled: bool = False

    @cached_property
    def ours(self) -> bool:
        """Whether it is known to be made as ours are; a user's own function may be anything."""
        return self.record is not None and not self.record.own

    @cached_property
    def over_items(self) -> bool:
        """Whether the metric averages over items instead of classes."""
        return self.record is not None and self.record.needs == "items"

    @cached_property
    def over_cells(self) -> bool:
        """Whether the metric needs the cells, not only the margins."""
        return self.record is not None and self.record.needs in ("cells", "pairs")

    @cached_property
    def over_pairs(self) -> bool:
        """Whether it needs all cells, also those that hold nothing."""
        return self.record is not None and self.record.needs == "pairs"

    @property
    def better(self) -> Better:
        """Which values are better; of a user's own function the higher ones."""
        return "higher" if self.record is None else self.record.better

    @property
    def bounded(self) -> bool:
        """Whether its range is known to have two ends."""
        return self.record is not None and self.record.bounded

    @cached_property
    def view(self) -> bytes:
        """What it asks of the data, the same for all kernels that can share it."""
        if self.over_items:
            return OVER_ITEMS
        mix = OBSERVED if self.target is None else bytes(self.target.tobytes())
        if not self.over_cells:
            return mix
        return (OVER_PAIRS if self.over_pairs else OVER_CELLS) + mix

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
        """Margins with this kernel's classes and policy, or items with its policy."""
        if self.over_items:
            return replace(c, undefined=self.undefined)
        return c.averaging(self.averaged, self.undefined, ruled=self.ruled)


def of_one_class(function: Callable[[Counts], Array], c: Counts) -> Array:
    """The value of the one class that is averaged."""
    return c.mean(function(c))


@dataclass(frozen=True, eq=False)
class Views:
    """Margins as observed, at other class mixes, or item by item, under :attr:`Kernel.view`.

    ``own`` says that each table is scored on the classes that occur in it.
    """

    by: Mapping[bytes, View]
    own: bool = False

    def of(self, kernel: Kernel) -> Any:
        """What the kernel asks for, with its classes and policy."""
        return kernel.prepared(self.by[kernel.view])

    def values(self, kernels: Iterable[Kernel]) -> list[Array]:
        """Each kernel's value on its view."""
        asked = [(k, self.of(k)) for k in kernels]
        if not self.own:
            return [k.function(c) for k, c in asked]
        return [
            k.function(c)
            if not k.ours or k.by_class or k.over_items or k.over_cells
            else on_own_classes(k.function, c)
            for k, c in asked
        ]

    def proportions(self, kernels: Iterable[Kernel]) -> list[tuple[Array, Array] | None]:
        """Hits and trials of the kernels that are a share of decisions, by what records say."""
        return [
            None
            if k.record is None or k.record.proportion is None or k.target is not None
            else k.record.proportion(_each(self.of(k)) if k.by_class else self.of(k))
            for k in kernels
        ]


def _each(c: Counts) -> Counts:
    """Every class as a table of its own."""
    margins = (c.correct, c.bias, c.prevalence, np.asarray(c.total))
    correct, bias, prevalence, total = (x[..., None] for x in margins)
    return Counts(correct, bias, prevalence, total, c.outside, None, c.undefined)


def asked_views(kernels: Iterable[Kernel]) -> dict[bytes, Kernel]:
    """The views that kernels ask for, each with the first that does."""
    found: dict[bytes, Kernel] = {}
    for kernel in kernels:
        found.setdefault(kernel.view, kernel)
    return found


def on_own_classes(function: Callable[[Counts], Array], c: Counts) -> Array:
    """``function`` of each table's margins on the classes that occur in it or are averaged."""
    kept = np.asarray((c.prevalence > 0) | (c.bias > 0))
    if c.averaged is not None:
        kept = kept | c.averaged
    if kept.all():
        return function(c)
    kept[~kept.any(axis=-1), 0] = True  # an empty table still has a class
    sizes = kept.sum(axis=-1)
    found = np.empty(sizes.shape)
    for size in np.unique(sizes):
        same = sizes == size
        found[same] = function(_on(c, kept, same))
    return found[()]


def _on(c: Counts, kept: Array, tables: Array) -> Counts:
    """The margins that some tables keep, as many of each."""
    mine = kept[tables]

    def cut(x: Array) -> Array:
        return np.broadcast_to(x, kept.shape)[tables][mine].reshape(len(mine), -1)

    return c.through(cut, lambda x: x[tables])
