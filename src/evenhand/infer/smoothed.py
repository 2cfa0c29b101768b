"""Smoothed: tables with two more items for each true class, where no class is certain.

A class whose few items were all right, or all wrong, seems to have no spread. Half of each
pseudo-item lies on the diagonal, the other half in the other columns, like these are predicted.
They are spread over whole rows, so that only their moments are ever made: O(k), not O(k²).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.core.counts import Counts
from evenhand.core.gradient import Gradient
from evenhand.infer.design import Floats


@dataclass(frozen=True, eq=False)
class Smoothed:
    """Where the pseudo-items of a table, or of each of a stack, lie.

    ``on`` is 1 for a class that is true (…, k), ``pull`` how much a column draws, ``rest`` how
    much the columns beside a class's own draw together.
    """

    on: Floats
    pull: Floats
    rest: Floats

    @classmethod
    def of(cls, c: Counts) -> Smoothed:
        """Pseudo-items for the margins of counted items."""
        on = np.asarray(c.prevalence > 0, np.float64)
        pull = np.where((c.prevalence > 0) | (c.bias > 0), c.bias + 1.0, 0.0)
        return cls(on, pull, pull.sum(axis=-1, keepdims=True) - pull)

    @property
    def items(self) -> Floats:
        """How many there are of each class."""
        return 2 * self.on

    def margins(self, c: Counts, scale: Floats | float = 1.0) -> Counts:
        """Margins with the pseudo-items in, which weigh as much as ``scale`` in each true row.

        ``c`` has the margins of items that weigh so.
        """
        weight = scale * self.on
        alone = self.rest == 0  # one column only takes all
        away = np.where(alone, 0.0, weight / np.where(alone, 1.0, self.rest))
        errors = self.pull * (away.sum(axis=-1, keepdims=True) - away)
        hits = np.where(alone, 2 * weight, weight)
        return Counts(
            c.correct + hits,
            c.bias + hits + errors,
            c.prevalence + 2 * weight,
            c.total + 2 * weight.sum(axis=-1),
            c.outside,
        )

    def moments(self, g: Gradient) -> tuple[Floats, Floats]:
        """Sums of a metric's slopes, and of their squares, over the pseudo-items of each class."""
        whole = np.asarray(g.total)[..., None]
        own, row = g.correct + whole, g.misses + whole
        first = self.pull * g.alarms
        one, two = (x.sum(axis=-1, keepdims=True) - x for x in (first, first * g.alarms))
        alone = self.rest == 0
        one, two = (x / np.where(alone, 1.0, self.rest) for x in (one, two))
        away = np.where(alone, own, row + one)
        square = np.where(alone, own**2, row**2 + 2 * row * one + two)
        return self.on * (own + away), self.on * (own**2 + square)
