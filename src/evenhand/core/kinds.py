"""Kinds of classes: those with the same margins."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evenhand.core.counts import Counts


@dataclass(frozen=True, eq=False)
class Kinds:
    """Classes with the same margins are of one kind: a class of each, and the kind of each class.

    What a metric does with a class depends on its margins alone, so it need not be done twice.
    """

    first: NDArray[np.int64]
    kind: NDArray[np.int64]

    @classmethod
    def of(cls, counts: Counts) -> Kinds | None:
        """The kinds of one table's classes, if they are few."""
        if np.ndim(counts.total) or counts.errors is not None:
            return None
        margins = counts.correct, counts.bias, counts.prevalence
        order = np.lexsort(margins)
        new = np.zeros(len(order), bool)
        new[0] = True
        for x in margins:
            new[1:] |= x[order[1:]] != x[order[:-1]]
        kind = np.empty(len(order), np.int64)
        kind[order] = np.cumsum(new) - 1
        first = order[new]
        return cls(first, kind) if 4 * len(first) < 3 * len(order) else None

    @property
    def times(self) -> NDArray[np.int64]:
        """How many classes are of each kind."""
        return np.bincount(self.kind, minlength=len(self.first))

    def cut(self, counts: Counts) -> tuple[Counts, Kinds]:
        """The margins of each kind; where only some of its classes are averaged, it is two."""
        kinds, averaged = self, counts.averaged
        if averaged is not None and not averaged.all():
            twice = 2 * self.kind + averaged
            there = np.bincount(twice, minlength=2 * len(self.first)) > 0
            kind = (np.cumsum(there) - 1)[twice]
            first = np.empty(np.count_nonzero(there), np.int64)
            first[kind] = np.arange(len(kind))
            kinds = Kinds(first, kind)
        margins = {n: getattr(counts, n)[kinds.first] for n in ("correct", "bias", "prevalence")}
        mask = None if averaged is None else averaged[kinds.first]
        return replace(counts, averaged=mask, **margins), kinds
