"""Smoothed: tables with two more items for each true class, where no class is certain.

A class whose few items were all right, or all wrong, seems to have no spread. Half of each
pseudo-item lies on the diagonal, the other half in the other columns, like these are predicted.
They are spread over whole rows, so that only their moments are ever made: O(k), not O(k²).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.core.arrays import floating
from evenhand.core.counts import Counts
from evenhand.core.gradient import Gradient
from evenhand.infer.design import Floats


@dataclass(frozen=True, eq=False)
class Smoothed:
    """Where the pseudo-items of a table, or of each of a stack, lie.

    ``on`` is 1 for a class that is true (…, k), ``pull`` how much a column draws and ``lost`` how
    much that of outside predictions does (…, 1), ``rest`` how much the columns beside a class's own
    draw together.
    """

    on: Floats
    pull: Floats
    lost: Floats
    rest: Floats

    @classmethod
    def of(cls, c: Counts, *, turned: bool = False) -> Smoothed:
        """Pseudo-items for the margins of counted items.

        A column draws its sum + 1, if its label occurs; outside ones if there are any, or no other.
        The margins of a table with rows and columns exchanged (``turned``) have no outside, and no
        pseudo-items where these could only lie in one cell.
        """
        there = (c.prevalence > 0) | (c.bias > 0)
        pull = np.where(there, floating(c.bias) + 1.0, 0.0)
        beyond = np.asarray(0.0) if turned else floating(c.outside)
        outside = np.broadcast_to(beyond, np.shape(c.total))[..., None]
        alone = (not turned) & (there.sum(axis=-1, keepdims=True) < 2)
        lost = np.where((outside > 0) | alone, outside + 1.0, 0.0)
        rest = pull.sum(axis=-1, keepdims=True) + lost - pull
        on = (c.prevalence > 0) & (rest > 0)
        return cls(np.asarray(on, np.float64), pull, lost, np.where(on, rest, 1.0))

    @classmethod
    def with_margins(cls, c: Counts) -> tuple[Smoothed, Counts]:
        """Pseudo-items for margins, and the margins with them in."""
        found = cls.of(c)
        return found, found.margins(c)

    @classmethod
    def of_cells(cls, cells: Floats) -> Smoothed:
        """The same from cells, … × k × k + 1."""
        truth, column = cells.sum(axis=-1), cells.sum(axis=-2)
        bias, outside = column[..., :-1], column[..., -1]
        hits = np.diagonal(cells[..., :-1], axis1=-2, axis2=-1)
        return cls.of(Counts(hits, bias, truth, truth.sum(axis=-1), outside))

    @property
    def columns(self) -> Floats:
        """How much each column draws, … × k + 1.

        >>> Smoothed.of_cells(np.array([[8, 0, 0], [1, 2, 0]])).columns
        array([10.,  3.,  0.])
        """
        return np.concatenate([self.pull, self.lost], axis=-1)

    @property
    def items(self) -> Floats:
        """How many there are of each class."""
        return 2 * self.on

    def cells(self) -> Floats:
        """The weight of each cell, … × k × k + 1, the column of outside predictions last.

        >>> Smoothed.of_cells(np.array([[8, 0, 1, 0], [0, 2, 0, 0], [0, 0, 0, 0]])).cells().round(2)
        array([[1.  , 0.6 , 0.4 , 0.  ],
               [0.82, 1.  , 0.18, 0.  ],
               [0.  , 0.  , 0.  , 0.  ]])
        """
        columns = self.columns[..., None, :]
        own = np.eye(columns.shape[-1] - 1, columns.shape[-1])
        return np.asarray(self.on[..., None] * (own + (1 - own) * columns / self.rest[..., None]))

    def margins(self, c: Counts, scale: Floats | float = 1.0) -> Counts:
        """Margins with the pseudo-items in, which weigh as much as ``scale`` in each true row.

        ``c`` has the margins of items that weigh so.
        """
        hits = scale * self.on
        away = hits / self.rest
        each = away.sum(axis=-1, keepdims=True)
        return Counts(
            floating(c.correct) + hits,
            floating(c.bias) + hits + self.pull * (each - away),
            floating(c.prevalence) + 2 * hits,
            floating(c.total) + 2 * hits.sum(axis=-1),
            floating(c.outside) + (self.lost * each)[..., 0],
        )

    def moments(self, g: Gradient) -> tuple[Floats, Floats]:
        """Sums of a metric's slopes, and of their squares, over the pseudo-items of each class."""
        whole, outside = (np.asarray(x)[..., None] for x in (g.total, g.outside))
        own, row = g.correct + whole, g.misses + whole
        first, lost = self.pull * g.alarms, self.lost * outside
        one, two = (
            (x.sum(axis=-1, keepdims=True) + y - x) / self.rest
            for x, y in ((first, lost), (first * g.alarms, lost * outside))
        )
        away, square = row + one, row**2 + 2 * row * one + two
        return self.on * (own + away), self.on * (own**2 + square)
