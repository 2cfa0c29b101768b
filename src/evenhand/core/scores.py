"""Items with a score for each class, and the curves and means that metrics of them are made of."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from evenhand.core.arrays import Array
from evenhand.core.autodiff import Traced, backward, plain
from evenhand.core.contingency import by_group
from evenhand.core.ratio import ratio


@dataclass(frozen=True, eq=False)
class ItemScores:
    """What systems say of each class of each item, and which classes are true of it.

    ``truth`` is items × k of 0 and 1, ``scores`` systems × items × k, of one system items × k.
    ``weight`` is that of each item, or weightings × items. A metric is a function of one system
    with one weight an item, in which it is differentiated. ``only_scores`` are no probabilities;
    an item may have ``several_labels``.
    ``cache`` holds the order of items by score, which weights do not change; ``part`` says whose
    it is.

    >>> c = ItemScores(np.eye(2)[[0, 1, 1]], np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]]),
    ...                np.ones(3))
    >>> float(area_under_roc(*c.curve(1))), float(c.mean(c.scores[:, 1]).round(4))
    (1.0, 0.4333)
    """

    truth: Array
    scores: Array
    weight: Array
    undefined: float = 0.0
    only_scores: bool = False
    several_labels: bool = False
    cache: dict[Any, Any] = field(default_factory=dict)
    part: tuple[Any, ...] = ()

    @property
    def k(self) -> int:
        """Number of classes."""
        return int(self.scores.shape[-1])

    def system(self, i: int) -> ItemScores:
        """The scores of one system."""
        return replace(self, scores=self.scores[i], part=(*self.part, i))

    def take(self, systems: Any) -> ItemScores:
        """The scores of some systems, or of one as the only one."""
        chosen = np.atleast_1d(np.arange(len(self.scores))[systems])
        return replace(self, scores=self.scores[chosen], cache={})

    def against_rest(self, j: int) -> ItemScores:
        """Class j of one system as the second of two classes, the first being all others."""
        own = (self.truth[:, j], self.scores[:, j])
        truth, scores = (np.stack([1 - x, x], axis=-1) for x in own)
        part = (*self.part, "rest", j)
        return replace(self, truth=truth, scores=scores, several_labels=False, part=part)

    def values(self, function: Callable[[ItemScores], Array], *, at_once: bool = False) -> Array:
        """The metric of each system; of each weighting, if there are several.

        A function of :meth:`sum` alone takes all weightings ``at_once``.
        """
        systems = [self.system(i) for i in range(len(self.scores))]
        weights = np.asarray(self.weight, np.float64)
        parts = [weights] if at_once or weights.ndim < 2 else weights
        rows = [np.stack([function(replace(c, weight=w)) for c in systems], -1) for w in parts]
        return np.reshape(rows, (*weights.shape[:-1], len(systems)))

    def influences(self, function: Callable[[ItemScores], Array]) -> Array:
        """The derivative of each system's metric in the weight of each item, systems × items."""
        slopes = []
        for i in range(len(self.scores)):
            weight = Traced(np.asarray(self.weight, np.float64))
            slopes += backward(function(replace(self.system(i), weight=weight)), [weight])
        return np.stack(slopes)

    def mean(self, x: Array) -> Array:
        """Weighted mean over items of a number of each."""
        return ratio(self.sum(x), self.weight.sum(axis=-1), math.nan)

    def sum(self, x: Array) -> Array:
        """Weighted sum over items of a number of each, by each weighting."""
        return self.weight @ x if self.weight.ndim > 1 else (self.weight * x).sum()

    def total(self, j: int) -> Array:
        """The weight of the items of class j."""
        return (self.weight * self.truth[:, j]).sum()

    def curve(self, j: int | None, other: int | None = None) -> tuple[Array, Array]:
        """The weights of items of class j and of all others by score of j, the highest first.

        Items of equal score are one step. With ``other`` the others are those of that class;
        without j they are those of right and of wrong classes of all items.
        """
        codes, size = self.steps(j)
        own = self.truth if j is None else self.truth[:, [j]]
        rest, each = 1 - own if other is None else self.truth[:, [other]], self.weight[:, None]
        positive, negative = (by_group((each * x).reshape(-1), codes, size) for x in (own, rest))
        return positive, negative

    def steps(self, j: int | None) -> tuple[Array, int]:
        """The place of each item's score among the distinct ones, and their number."""
        key = (*self.part, j)
        if key not in self.cache:
            scores = self.scores.reshape(-1) if j is None else self.scores[:, j]
            distinct, codes = np.unique(-scores, return_inverse=True)
            self.cache[key] = codes, len(distinct)
        return self.cache[key]  # type: ignore[no-any-return]

    @property
    def varied(self) -> list[int]:
        """The classes that are true of some items and not of others."""
        totals = plain(self.weight) @ self.truth
        return [j for j in range(self.k) if 0 < totals[j] < plain(self.weight).sum()]


def area_under_roc(positive: Array, negative: Array) -> Array:
    """The chance that a positive item has a higher score than a negative one; a tie is half.

    (Hanley & McNeil 1982.) Its influences are the placements of DeLong, DeLong & Clarke-Pearson
    (1988), which use mid-ranks at ties.
    """
    above = np.cumsum(positive, axis=0) - positive / 2
    return ratio((negative * above).sum(), positive.sum() * negative.sum(), math.nan)


def partial_area_under_roc(positive: Array, negative: Array, most: float) -> Array:
    """The area under the ROC curve up to a false positive rate, standardised (McClish 1989).

    Guessing is 1/2 and a perfect order 1, as of the whole area.
    """
    x, y = (np.cumsum(side, axis=0) / side.sum() for side in (negative, positive))
    before_x, before_y = x - negative / negative.sum(), y - positive / positive.sum()
    width = np.maximum(np.minimum(x, most) - before_x, 0.0)
    height = (y - before_y) * ratio(width, x - before_x)
    area = (width * (before_y + height / 2)).sum()
    least = most**2 / 2
    return (1 + (area - least) / (most - least)) / 2


def mean_precision(positive: Array, negative: Array) -> Array:
    """Precision at the score of each positive item, on average."""
    hits = np.cumsum(positive, axis=0)
    precision = ratio(hits, hits + np.cumsum(negative, axis=0))
    return ratio((positive * precision).sum(), positive.sum(), math.nan)


def area_under_precision_recall(positive: Array, negative: Array) -> Array:
    """The area under the straight lines between points of recall and precision, from (0, 1) on."""
    hits = np.cumsum(positive, axis=0)
    precision = ratio(hits, hits + np.cumsum(negative, axis=0), 1.0)
    before = np.concatenate([np.ones(1), precision[:-1]])
    return ratio((positive * (precision + before)).sum() / 2, positive.sum(), math.nan)
