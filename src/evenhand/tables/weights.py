"""Weights: what items may weigh, and sums of weights that stay within the numbers.

An integer weight without stored squares is a plain count, whose squares are itself; a float
weight without squares has forgotten what an interval needs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import SAFE, Sealed, seal
from evenhand.core.equal import same

Numbers: TypeAlias = NDArray[Any]
Weighing: TypeAlias = Literal["none", "given", "unknown"]
"""What items weigh: all the same, what they were given, or nobody knows."""
Entries: TypeAlias = tuple[Numbers, Numbers, Numbers, Numbers, Numbers | None]
Margins: TypeAlias = tuple[Numbers, Numbers, Numbers, Numbers, Numbers]

LEAST, MOST = 1e-300, 1e304
"""Sums of weights that leave room for ratios and for sums of sums."""

LIGHT, HEAVY = 1e-150, 1e150
"""What an item may weigh if not 0, so that squares and their sums stay within the floats."""
WEIGHTS = f"0 or from {LIGHT:g} to {HEAVY:g}"


class Weighed(Sealed):
    """Cells of either form: arrays that were made for them, sealed without a copy."""

    weight: Numbers
    square: Numbers | None
    shape: Any
    k: Any

    def __post_init__(self) -> None:
        for x in vars(self).values():
            seal(x)

    @property
    def squares(self) -> Numbers | None:
        """The sums of squared weights, if they are known."""
        if self.square is None and self.weight.dtype.kind in "iu":
            return self.weight
        return self.square

    @abstractmethod
    def entries(self) -> Entries:
        """The non-empty cells: table, true code, predicted code, weight, stored square."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Weighed):
            return NotImplemented
        a, b = ((x.k, tuple(x.shape), x.entries()) for x in (self, other))
        return same(a, b)

    __hash__ = Sealed.__hash__


def is_weight(x: Any) -> Any:
    """Which numbers, in an array or a column of any library, an item may weigh."""
    return (x == 0) | ((x >= LIGHT) & (x <= HEAVY))


def beyond(cells: Weighed, total: Numbers) -> str:
    """Why weights cannot be computed with: their sum or their squares leave the floats."""
    strange = total[(total != 0) & ~((total >= LEAST) & (total <= MOST))]
    if strange.size:
        return f"must add up to a number from {LEAST:g} to {MOST:g}, got {strange[0]:g}"
    if cells.square is not None:
        lost = (cells.weight > 0) & ~((cells.square >= LEAST) & (cells.square <= MOST))
        if lost.any():
            return f"must be {WEIGHTS}, got about {cells.weight[lost][0]:g}"
    return ""


def roomy(added: Callable[[Numbers], Numbers], x: Numbers) -> Numbers:
    """``added(x)``, as floats if some integer sum in it would pass what an integer holds."""
    if x.dtype.kind in "iu" and x.sum(dtype=np.float64) > 2 * SAFE:
        floats = added(x.astype(np.float64))
        if floats.max(initial=0) > 2 * SAFE:
            return floats
    return added(x)


def widened(a: Numbers, b: Numbers) -> Numbers:
    """``a`` as floats where an integer sum could pass what an integer holds."""
    whole = a.dtype.kind in "iu" and b.dtype.kind in "iu"
    if whole and float(a.max(initial=0)) + float(b.max(initial=0)) > 2 * SAFE:
        return a.astype(np.float64)
    return a
