"""Decisions by a threshold on a class's probability, and the choice of the best one.

The best threshold for the items themselves is optimistic: cross-fitting decides each item by a
threshold chosen on the other folds (Stone 1974). A bootstrap would underestimate the optimism, as
items drawn twice are in both parts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.catalogue.binding import refuse_cells
from evenhand.core.kernel import OBSERVED, Kernel, TableViews, asked_views, margins_along
from evenhand.core.margins import Counts, factors
from evenhand.data.sample import SoftSample
from evenhand.inference.rows import Codes, Floats

BLOCK = 1 << 22
"""Thresholds × classes that are scored at once, to bound memory."""

FOLDS = 10
REPEATS = 20
"""Random partitions into folds."""
WORK = 400_000
"""Items × repeats beyond which there are fewer repeats."""


@dataclass(frozen=True, eq=False)
class ThresholdDecision:
    """The probability of one class for each item, the best other class, and every threshold.

    ``values`` are the distinct thresholds, from 1 down, and ``place`` is the index of the first at
    which an item is decided for the class.
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
    def from_sample(cls, sample: SoftSample, label: int) -> ThresholdDecision:
        """The items of a sample's first system."""
        p = sample.probability[0]
        rest = p.copy()
        rest[:, label] = -np.inf
        own, highest = p[:, label], p[:, label].max()
        if not sample.only_scores:
            own, highest = np.minimum(own, 1.0), 1.0  # rounding may leave a little more
        rising, place = np.unique(np.append(own, highest), return_inverse=True)
        weight = np.ones(sample.n, np.int64) if sample.weight is None else sample.weight
        return cls(
            sample.k,
            label,
            sample.true,
            own,
            rest.argmax(axis=1),
            rising[::-1],
            len(rising) - 1 - place[:-1],
            weight,
            sample.cluster,
        )

    @property
    def grid(self) -> Floats:
        """A hundred round steps from the lowest threshold to the highest."""
        high, low = self.values[0], self.values[-1]
        digits = 3 - math.floor(math.log10(high - low)) if high > low else 0
        return np.unique(np.round(np.linspace(low, high, 101), digits))

    def at(self, thresholds: Floats) -> Codes:
        """Items × thresholds: the class that each item is decided for."""
        yes = self.probability[:, None] >= thresholds
        return np.where(yes, self.label, self.other[:, None])

    def scored(self, kernels: Sequence[Kernel], weight: Floats | None = None) -> list[Floats]:
        """Each metric at every threshold, with the items' weights or others."""
        refuse_cells(kernels)
        weight = self.weight if weight is None else weight
        prevalence = np.bincount(self.true, weight, minlength=self.k)
        chunk, parts = max(1, BLOCK // self.k), []
        for start in range(0, len(self.values), chunk):
            tables: dict[bytes, Counts] = {}
            place = np.maximum(self.place - start, 0)
            size = min(chunk, len(self.values) - start)
            shape = {"label": self.label, "k": self.k, "size": size}
            for view, kernel in asked_views(kernels).items():
                own = weight
                if view != OBSERVED:
                    own = weight * factors(prevalence, kernel.target)[self.true]
                tables[view] = margins_along(self.true, self.other, place, own, **shape)
            parts.append(TableViews(tables).values(kernels))
        return [np.concatenate(metric) for metric in zip(*parts, strict=True)]

    def best(
        self, kernel: Kernel, weight: Floats | None = None, *, rounded: bool = True
    ) -> float | None:
        """The threshold at which the metric is best, the highest of several.

        Of the thresholds between two items it is the middle, or one with few digits near it.
        ``None`` if the metric is undefined everywhere.
        """
        (value,) = self.scored([kernel], weight)
        lower = kernel.record is not None and kernel.record.better == "lower"
        value = np.where(np.isnan(value), -np.inf, -value if lower else value)
        at = int(value.argmax())
        if value[at] == -np.inf:
            return None
        there = self.place if weight is None else self.place[weight > 0]
        after = there[there > at]
        if not rounded:
            return float(self.values[after.min()] + self.values[at]) / 2 if len(after) else -np.inf
        lowest = self.values[-1] - 1 if self.values[-1] < 0 else 0.0
        low = self.values[after.min()] if len(after) else lowest
        return roundest(float(low), float(self.values[at]))

    def folds(self, rng: np.random.Generator) -> Codes:
        """A fold for each item: classes are spread evenly, clusters are not split."""
        n = len(self.true)
        if self.cluster is not None:
            _, cluster = np.unique(self.cluster, return_inverse=True)
            return np.asarray((rng.permutation(int(cluster.max()) + 1) % FOLDS)[cluster])
        fold = np.empty(n, np.int64)
        fold[np.lexsort((rng.random(n), self.true))] = np.arange(n) % FOLDS
        return fold

    def crossfitted(self, kernel: Kernel, seed: int) -> Codes | None:
        """Items × repeats: decisions by the threshold that is best for the other folds.

        ``None`` if some folds have no best threshold, or all items are in one.
        """
        rng, n = np.random.default_rng(seed), len(self.true)
        repeats = min(REPEATS, max(1, WORK // n))
        decisions = np.empty((n, repeats), np.int64)
        for column in decisions.T:
            fold = self.folds(rng)
            for f in np.unique(fold):
                inside = fold == f
                if inside.all():
                    return None
                chosen = self.best(kernel, self.weight * ~inside, rounded=False)
                if chosen is None:
                    return None
                yes = self.probability[inside] >= chosen
                column[inside] = np.where(yes, self.label, self.other[inside])
        return decisions


def roundest(low: float, high: float) -> float:
    """A number above ``low`` and up to ``high``, with as few digits as possible.

    >>> roundest(0.3127, 0.3582), roundest(0.5, 0.5001), roundest(0.2, 0.2)
    (0.34, 0.5001, 0.2)
    """
    middle = (low + high) / 2
    candidates = (round(x, digits) for digits in range(1, 18) for x in (middle, high))
    return next((x for x in candidates if low < x <= high), high)
