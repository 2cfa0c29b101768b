"""Basis: data and kernels with what is made from both, each once."""

from __future__ import annotations

from functools import cached_property, singledispatch
from typing import Any, TypeAlias, cast

import numpy as np

from evenhand.catalogue.binding import Table, views_of
from evenhand.core.kernel import Kernel, Views
from evenhand.infer.delta import Filled
from evenhand.infer.design import CodeDesign, Floats
from evenhand.infer.few import true_items
from evenhand.infer.mover import Limited, limited, movable
from evenhand.infer.row_items import independent
from evenhand.infer.rows import Data, Rows, rows_of
from evenhand.tables.confusion import Confusion
from evenhand.tables.slices import Slices

Counted: TypeAlias = tuple[Floats, Floats]
"""Hits and trials."""


class Basis:
    """Data and kernels, with what is made from both, each once and only when needed."""

    def __init__(
        self,
        data: Data,
        kernels: list[Kernel],
        stratify: bool,
        table: Table | None = None,
        views: Views | None = None,
    ) -> None:
        table = data.tables() if table is None else table
        plain = table.weighing == "none"
        self.data = table if plain and data.in_cells else data  # it says all that there is
        self.counts_items = plain and self.data.in_cells
        self.table, self.kernels = table, kernels
        self.views = views_of(kernels, table) if views is None else views
        values = self.views.values(kernels)
        counted: list[Counted | None] = [None] * len(kernels)
        if plain and self.data.cluster is None and not stratify:
            counted = self.views.proportions(kernels)
        self.values = [row(v, k) for v, k in zip(values, kernels, strict=True)]
        self.counted = [self._counted(*x) for x in zip(kernels, counted, strict=True)]

    def _counted(self, kernel: Kernel, found: Counted | None) -> Counted | None:
        """Hits and trials, where independent items make a metric a plain proportion.

        Trials are NaN in tables where it is none.
        """
        one = kernel.record is not None and kernel.record.of_one_class
        if found is None or (self.table.task == "multi" and not one):
            return None  # several labels of an item are not independent decisions
        hits, trials = (np.asarray(x, np.float64) for x in found)
        return None if np.isnan(trials).all() else (hits, trials)

    @cached_property
    def cells(self) -> Filled | None:
        """The cells, where they say as much about the variance as the rows would."""
        return _cells(self.data, cast(Confusion, self.table))

    @property
    def hard(self) -> bool:
        """Whether every item has one true and one predicted label."""
        return self.cells is not None or isinstance(self.rows.design, CodeDesign)

    @cached_property
    def filled(self) -> list[tuple[Filled, Floats]]:
        """Hard labels as cells, or as the rows of one system after another.

        With them stand the independent items that each true class is worth, tables × k.
        """
        table = cast(Confusion, self.table)
        one = self.cells
        each = Filled.of_systems(self.rows, table) if one is None else [one]
        items = true_items(table).reshape(len(each), -1, table.k)
        return [(c, independent(c, n)) for c, n in zip(each, items, strict=True)]

    @cached_property
    def movable(self) -> bool:
        """Whether every rate of hard predictions can be moved to its limits."""
        return self.hard and movable(cast(Confusion, self.table))

    def limited(self, level: float) -> Limited:
        """The rates of the tables and the limits of each."""
        rows = None if self.data.in_cells else self.rows
        return limited(cast(Confusion, self.table), rows, level)

    @cached_property
    def rows(self) -> Rows:
        return rows_of(self.data)

    @cached_property
    def row_views(self) -> Views:
        return self.rows.views(self.kernels)


@singledispatch
def _cells(data: Any, table: Confusion) -> Filled | None:
    return Filled.of(table) if data.in_cells else None


@_cells.register
def _of_slices(data: Slices, table: Confusion) -> Filled:
    return Filled.of_slices(data, table)


def row(x: Floats, kernel: Kernel | None = None) -> Floats:
    """One entry a system, also for a single table; classes behind it."""
    x = np.asarray(x, np.float64)
    return x.reshape(-1, x.shape[-1]) if kernel and kernel.by_class else x.reshape(-1)
