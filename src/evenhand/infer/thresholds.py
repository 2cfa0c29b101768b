"""Thresholds: items that one on a class's probability makes that class, or another.

Which threshold is best is asked of the items themselves, and so flatters: cross-fitting asks it of
the other folds, and decides each item by a threshold that was chosen without it (Stone 1974). A
bootstrap of the choice would see too little of it, as an item drawn twice is its own new item.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evenhand.catalogue.binding import refuse_cells
from evenhand.core.counts import Counts
from evenhand.core.decisions import margins_along
from evenhand.core.kernel import OBSERVED, Kernel, Views, asked_views
from evenhand.core.prevalence import factors
from evenhand.infer.design import Codes, Floats
from evenhand.tables.sample import SoftSample

BLOCK = 1 << 22
"""Thresholds × classes that are scored at once: it bounds memory."""

FOLDS = 10
REPEATS = 20
"""Times that the items are parted into folds anew."""
WORK = 400_000
"""Items × repeats beyond which there are fewer repeats: of many items one tells enough."""


@dataclass(frozen=True, eq=False)
class Deciding:
    """One class's probability of each item, what else the item would be, and every threshold.

    ``values`` are the thresholds that make a difference, from 1 down, and ``place`` is the first
    from which on an item is the class.
    """

    k: int
    label: int
    true: Codes
    probability: Floats
    other: Codes
    values: Floats
    place: Codes
    weight: Floats
    cluster: Codes | None

    @classmethod
    def of(cls, sample: SoftSample, label: int) -> Deciding:
        """The items of a sample's first system."""
        p = sample.probability[0]
        rest = p.copy()
        rest[:, label] = -1
        own = np.minimum(p[:, label], 1.0)  # rounding may leave a little more
        rising, place = np.unique(np.append(own, 1.0), return_inverse=True)
        ones = np.ones(sample.n, np.int64)
        return cls(
            sample.k,
            label,
            sample.true,
            own,
            rest.argmax(axis=1),
            rising[::-1],
            len(rising) - 1 - place[:-1],
            ones if sample.weight is None else sample.weight,
            sample.cluster,
        )

    def at(self, thresholds: Floats) -> Codes:
        """Items × thresholds: the class that each item is decided for."""
        yes = self.probability[:, None] >= thresholds
        return np.where(yes, self.label, self.other[:, None])

    def scored(self, kernels: Sequence[Kernel], weight: Floats | None = None) -> list[Floats]:
        """Each metric at every threshold, the items weighing what they do or as given."""
        own = self.weight if weight is None else weight
        each = max(1, BLOCK // self.k)
        starts = range(0, len(self.values), each)
        parts = [self._scored(kernels, own, i, min(each, len(self.values) - i)) for i in starts]
        return [np.concatenate(found) for found in zip(*parts, strict=True)]

    def _scored(
        self, kernels: Sequence[Kernel], weight: Floats, start: int, size: int
    ) -> list[Floats]:
        refuse_cells(kernels)
        found: dict[bytes, Counts] = {}
        for view, kernel in asked_views(kernels).items():
            own = weight
            if view != OBSERVED:
                prevalence = np.bincount(self.true, weight, minlength=self.k)
                own = weight * factors(prevalence, kernel.target)[self.true]
            place = np.maximum(self.place - start, 0)
            shape = {"label": self.label, "k": self.k, "size": size}
            found[view] = margins_along(self.true, self.other, place, own, **shape)
        return list(map(np.asarray, Views(found).values(kernels)))

    def best(self, kernel: Kernel, weight: Floats | None = None) -> float | None:
        """The threshold at which the metric is best; of equal ones the highest.

        Thresholds between two items decide alike: of these it is the one with the fewest digits,
        near the middle. ``None`` where the metric has no value.
        """
        (value,) = self.scored([kernel], weight)
        lower = kernel.record is not None and kernel.record.better == "lower"
        value = np.where(np.isnan(value), -np.inf, -value if lower else value)
        at = int(value.argmax())
        if value[at] == -np.inf:
            return None
        there = self.place if weight is None else self.place[weight > 0]
        after = there[there > at]
        low = self.values[after.min()] if len(after) else 0.0
        return roundest(float(low), float(self.values[at]))

    def folds(self, rng: np.random.Generator) -> Codes:
        """A fold for each item: classes are spread evenly, clusters stay whole."""
        n = len(self.true)
        if self.cluster is not None:
            _, cluster = np.unique(self.cluster, return_inverse=True)
            return np.asarray((rng.permutation(int(cluster.max()) + 1) % FOLDS)[cluster])
        found = np.empty(n, np.int64)
        found[np.lexsort((rng.random(n), self.true))] = np.arange(n) % FOLDS
        return found

    def crossfitted(self, kernel: Kernel, seed: int) -> Codes | None:
        """Items × repeats: each decided by the threshold that is best for the other folds.

        ``None`` where some folds have no best threshold, or all items are in one.
        """
        rng, n = np.random.default_rng(seed), len(self.true)
        repeats = min(REPEATS, max(1, WORK // n))
        found = np.empty((n, repeats), np.int64)
        for column in found.T:
            fold = self.folds(rng)
            for f in np.unique(fold):
                mine = fold == f
                if mine.all():
                    return None
                chosen = self.best(kernel, self.weight * ~mine)
                if chosen is None:
                    return None
                column[mine] = self._part(mine).at(np.array([chosen]))[:, 0]
        return found

    def _part(self, which: Floats) -> Deciding:
        return replace(self, probability=self.probability[which], other=self.other[which])


def roundest(low: float, high: float) -> float:
    """A number above ``low`` and up to ``high``, with as few digits as can be.

    >>> roundest(0.3127, 0.3582), roundest(0.5, 0.5001), roundest(0.2, 0.2)
    (0.34, 0.50005, 0.2)
    """
    middle = (low + high) / 2
    tried = (round(middle, digits) for digits in range(1, 18))
    return next((t for t in tried if low < t <= high), high)
