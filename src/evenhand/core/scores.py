"""Items with a score for each class, and the curves and means that metrics of them are made of."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from evenhand.core.arrays import Array
from evenhand.core.autodiff import Traced, backward, plain
from evenhand.core.ratio import ratio

LOW_BITS = (1 << 63) - 1
"""All bits of a float but its sign; with these turned, negative floats have integers in order."""


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
        steps, weight = self.steps(j), self.weight
        own = self.truth.reshape(-1) if j is None else self.truth[:, j]
        rest = 1 - own if other is None else self.truth[:, other]
        if j is None:
            weight = (weight[:, None] * np.ones(self.k)).reshape(-1)
        return steps.sums(weight * own), steps.sums(weight * rest)

    def steps(self, j: int | None) -> Steps:
        """The steps of the scores of class j, or of all classes."""
        key = (*self.part, j)
        if key not in self.cache:
            self.cache[key] = Steps.of(self.scores.reshape(-1) if j is None else self.scores[:, j])
        return self.cache[key]  # type: ignore[no-any-return]

    @property
    def varied(self) -> list[int]:
        """The classes that are true of some items and not of others."""
        totals = plain(self.weight) @ self.truth
        return [j for j in range(self.k) if 0 < totals[j] < plain(self.weight).sum()]


def sorted_by_score(truth: Array, scores: Array) -> tuple[Array, Array]:
    """The classes, 0 or 1, and the scores of items from the highest score down.

    Numbers are sorted several times as fast as their places, so the class goes with the score in
    one integer: below 2, a float's second bit is 0, and a power of 2 makes room without rounding.

    >>> sorted_by_score(np.array([0, 1, 0]), np.array([0.5, -4.0, 0.5]))
    (array([0, 0, 1]), array([ 0.5,  0.5, -4. ]))
    """
    most = max(scores.max(initial=0.0), -scores.min(initial=0.0))
    unit = 2.0 ** max(0, math.frexp(most)[1] - 1)
    keys = (scores / unit + 0.0).view(np.int64)  # −0 is 0
    keys ^= (keys >> 63) & LOW_BITS
    keys = (keys << 1) | truth
    keys.sort()
    truth, keys = keys[::-1] & 1, keys[::-1] >> 1
    keys ^= (keys >> 63) & LOW_BITS
    return truth, keys.view(np.float64) * unit


@dataclass(frozen=True, eq=False)
class Steps:
    """Items in the ``order`` of their scores, the highest first, and the ``starts`` of equal ones.

    ``None`` is the order that they have, and the starts of scores that all differ.
    """

    order: Array | None
    starts: Array | None

    @classmethod
    def of(cls, scores: Array) -> Steps:
        """The steps of scores.

        >>> Steps.of(np.array([0.5, 0.9, 0.5]))
        Steps(order=array([1, 0, 2]), starts=array([0, 1]))
        """
        order = None
        if not (scores[1:] <= scores[:-1]).all():
            order = np.argsort(-scores)
            scores = scores[order]
        new = scores[1:] != scores[:-1]
        return cls(order, None if new.all() else np.flatnonzero(np.append(True, new)))

    def sums(self, x: Array) -> Array:
        """Numbers of items added up by score."""
        x = x if self.order is None else x[self.order]
        starts = self.starts
        if starts is None:
            return x
        sizes = np.diff(starts, append=len(plain(x)))
        if isinstance(x, Traced):
            return x.apply(lambda v: np.add.reduceat(v, starts), lambda g: np.repeat(g, sizes))
        return np.add.reduceat(x, starts)


def area_under_roc(positive: Array, negative: Array) -> Array:
    """The chance that a positive item has a higher score than a negative one; a tie is half.

    (Hanley & McNeil 1982.) Its slopes are the placements of DeLong, DeLong & Clarke-Pearson (1988),
    which use mid-ranks at ties: shares of positive items above, and of negative ones below.
    """
    own, rest = plain(positive), plain(negative)
    pairs, above = own.sum() * rest.sum(), _halfway(own)
    area = ratio(above @ rest, pairs, math.nan)
    if not isinstance(positive, Traced):
        return area
    below = _halfway(rest[::-1])[::-1]
    below -= area * rest.sum()
    above -= area * own.sum()
    sources = [(positive, lambda g: g / pairs * below), (negative, lambda g: g / pairs * above)]
    return Traced(area, sources)


def _halfway(x: Array) -> Array:
    """The sum of numbers up to the middle of each."""
    sums = np.cumsum(x)
    sums -= 0.5 * x
    return sums


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
