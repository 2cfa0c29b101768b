"""Items: what each single item of a multi-label task got right."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evenhand.core.arrays import Array, namespace
from evenhand.core.ratio import ratio


@dataclass(frozen=True, eq=False)
class Items:
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
