"""Pseudo-items, by which tables and their margins are smoothed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.derivatives import Gradient, finite_gradient
from evenhand.core.kernel import Kernel
from evenhand.core.margins import Counts

Floats = NDArray[Any]


@dataclass(frozen=True, eq=False)
class PseudoItems:
    """Pseudo-items of a table or stack: one right and one wrong for each true class.

    Where they are ``transposed``, they are of the transposed table, for each predicted class.
    ``on`` is 1 for a class that is true (…, k); the wrong item is spread over the other
    ``columns`` (…, k + 1, the outside one last) in proportion to their weights. ``others`` is the
    weight of all columns but the class's own.
    """

    on: Floats
    columns: Floats
    others: Floats
    transposed: bool = False

    @classmethod
    def from_margins(cls, c: Counts, *, transposed: bool = False) -> PseudoItems:
        """Pseudo-items for the margins of counted items.

        A column weighs its sum + 1, if its label occurs; the outside column if it is not empty, or
        if there is no other. In a transposed table (``transposed``), which has no outside column,
        every true class has pseudo-items, also one that is never predicted, and these lie in true
        classes; there are none where they could lie in one cell only.
        """
        c = c.transpose() if transposed else c
        occurs = c.bias > 0 if transposed else (c.prevalence > 0) | (c.bias > 0)
        inside = np.where(occurs, c.bias + 1.0, 0.0)
        outside = 0.0 if transposed else c.outside
        outside = np.broadcast_to(outside, np.shape(c.total))[..., None]
        single_label = (not transposed) & (occurs.sum(axis=-1, keepdims=True) < 2)
        lost = np.where((outside > 0) | single_label, outside + 1.0, 0.0)
        columns = np.concatenate([inside, lost], axis=-1)
        others = columns.sum(axis=-1, keepdims=True) - inside
        on = (occurs if transposed else c.prevalence > 0) & (others > 0)
        return cls(np.asarray(on, np.float64), columns, np.where(on, others, 1.0), transposed)

    @classmethod
    def of_cells(cls, cells: Floats) -> PseudoItems:
        """Pseudo-items for cells, … × k × k + 1."""
        truth, column = cells.sum(axis=-1), cells.sum(axis=-2)
        bias, outside = column[..., :-1], column[..., -1]
        hits = np.diagonal(cells[..., :-1], axis1=-2, axis2=-1)
        return cls.from_margins(Counts(hits, bias, truth, truth.sum(axis=-1), outside))

    @property
    def items(self) -> Floats:
        """The number of pseudo-items of each class."""
        return 2 * self.on

    def cells(self) -> Floats:
        """The pseudo-items in each cell, … × k × k + 1.

        >>> cells = np.array([[8, 0, 1, 0], [0, 2, 0, 0], [0, 0, 0, 0]])
        >>> PseudoItems.of_cells(cells).cells().round(2)
        array([[1.  , 0.6 , 0.4 , 0.  ],
               [0.82, 1.  , 0.18, 0.  ],
               [0.  , 0.  , 0.  , 0.  ]])
        """
        columns = self.columns[..., None, :]
        own = np.eye(columns.shape[-1] - 1, columns.shape[-1])
        return np.asarray(self.on[..., None] * (own + (1 - own) * columns / self.others[..., None]))

    def margins(self, c: Counts, scale: Floats | float = 1.0) -> Counts:
        """The margins ``c`` plus the pseudo-items, which weigh ``scale`` in each true row."""
        c = c.transpose() if self.transposed else c
        hits = scale * self.on
        spread = hits / self.others
        all_spread = spread.sum(axis=-1, keepdims=True)
        smoothed = Counts(
            c.correct + hits,
            c.bias + hits + self.columns[..., :-1] * (all_spread - spread),
            c.prevalence + 2 * hits,
            c.total + 2 * hits.sum(axis=-1),
            c.outside + (self.columns[..., -1:] * all_spread)[..., 0],
        )

        return smoothed.transpose() if self.transposed else smoothed

    def gradients(self, kernels: Iterable[Kernel], c: Counts, scale: Floats) -> list[Gradient]:
        """The gradients of metrics at the margins ``c`` plus the pseudo-items."""
        smoothed = self.margins(c, scale)
        return [finite_gradient(k.function, k.prepared(smoothed)) for k in kernels]

    def slope_sums(self, g: Gradient) -> tuple[Floats, Floats]:
        """Sums of slopes, and of their squares, over the pseudo-items of each class."""
        g = g.transpose() if self.transposed else g
        total, outside = (np.asarray(x)[..., None] for x in (g.total, g.outside))
        right, wrong = g.correct + total, g.false_negatives + total
        slope = np.concatenate([g.false_positives, outside], axis=-1)
        mean, square = (
            (x.sum(axis=-1, keepdims=True) - x[..., :-1]) / self.others
            for x in (self.columns * slope, self.columns * slope**2)
        )
        squares = right**2 + wrong**2 + 2 * wrong * mean + square
        return self.on * (right + wrong + mean), self.on * squares
