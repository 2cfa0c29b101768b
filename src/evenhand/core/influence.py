"""Influence: how a metric of items answers to the weight of each, by complex steps on its means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import Array
from evenhand.core.items import Items
from evenhand.core.ratio import ratio
from evenhand.core.tape import STEP


@dataclass(frozen=True, eq=False)
class _SteppedItems(Items):
    """Items whose means are taken down: for each call, how every item pulls at it."""

    pulls: list[Array] = field(default_factory=list)
    stepped: int = -1

    def mean(self, x: Array) -> Array:
        result = super().mean(x)
        share = self.weight if not np.isnan(self.undefined) else self.weight * ~np.isnan(x)
        pull = ratio(np.where(share > 0, np.nan_to_num(x) - result, 0.0), np.sum(share))
        self.pulls.append(pull * (share > 0))
        return result + 1j * STEP if self.stepped == len(self.pulls) - 1 else result


def item_influence(function: Callable[[Items], Array], items: Items) -> NDArray[np.float64]:
    """How the metric answers to one more unit of each item's weight."""
    plain = _SteppedItems(**vars(items))
    function(plain)
    whole = np.zeros(len(items.weight))
    for j, pull in enumerate(plain.pulls):
        stepped = _SteppedItems(**vars(items), stepped=j)
        whole += np.imag(function(stepped)) / STEP * pull
    return whole
