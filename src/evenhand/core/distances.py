"""Distances: how far apart classes are, for metrics to which some errors are worse than others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from evenhand.core.arrays import Array
from evenhand.core.equal import same


@dataclass(frozen=True, eq=False)
class Distances:
    """What an error costs, from each of k true classes (rows) to each predicted one (columns).

    The last of the k + 1 columns is no class at all. ``shared``, where classes form a tree, counts
    the classes that the one and the other both are or lie below.

    >>> Distances.flat(2).far
    array([[0., 1., 1.],
           [1., 0., 1.]])
    """

    far: Array
    shared: Array | None = None

    @classmethod
    def flat(cls, k: int) -> Distances:
        """Every error is as bad as every other; above no class stands another."""
        return cls(1.0 - np.eye(k, k + 1), np.eye(k, k + 1))

    @classmethod
    def ordinal(cls, k: int, power: int = 1) -> Distances:
        """Classes in order, one place apart; no class is as far from all as the ends are."""
        places = np.abs(np.subtract.outer(np.arange(k), np.arange(k + 1.0)))
        places[:, k] = max(k - 1, 1)
        return cls(places**power)

    @property
    def sizes(self) -> tuple[Array, Array]:
        """How many classes a true class, and a predicted one, are or lie below, as ``shared``."""
        own = np.diagonal(np.asarray(self.shared))
        true, pred = np.broadcast_arrays(own[:, None], np.append(own, 0.0))
        return true, pred

    def __eq__(self, other: object) -> bool:
        return same(self, other) if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.far.tobytes())


Apart: TypeAlias = str | Distances
"""Distances, or the word for those that need nothing but the number of classes."""

WORDS: dict[str, Any] = {
    "linear": lambda k: Distances.ordinal(k),
    "quadratic": lambda k: Distances.ordinal(k, 2),
    "flat": Distances.flat,
}
"""How far classes are apart, by a word: in order, in order and squared, all the same."""


def distances(given: Apart, k: int) -> Distances:
    """The distances of k classes."""
    found: Distances = WORDS[given](k) if isinstance(given, str) else given
    return found
