"""The jackknife of averages, and beside it the delta method where no class is certain.

An average that weighs classes alike hangs on its smallest class, whose few items often seem to
have no spread. Its error is taken as the larger of two, which fail in different places: that of the
jackknife, the metric with one item left out at a time, and that of the delta method at the table
with two pseudo-items for each true class (docs/intervals.md has the study).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evenhand.core.counts import Counts
from evenhand.core.deletion import left_out
from evenhand.core.gradient import Gradient
from evenhand.core.kernel import Kernel, Views
from evenhand.core.kinds import Kinds
from evenhand.core.prevalence import factors
from evenhand.core.slopes import exact_slopes, steep
from evenhand.infer.delta import Filled, cells_error
from evenhand.infer.design import Floats
from evenhand.infer.quantile import reach, reaches
from evenhand.infer.smoothed import Smoothed
from evenhand.infer.transform import decisions, extent
from evenhand.infer.variance import centred, norm, over
from evenhand.infer.width import tells
from evenhand.notes.interval import Intervals, by
from evenhand.notes.method import Method

SELDOM = 20
"""Predictions of a class from which on its precision is as sure as it looks."""

FEW_CLASSES = 5
"""Classes up to which a number that few items push one way is surer as it is than corrected."""


def applies(kernel: Kernel) -> bool:
    """Whether the metric is such an average, by itself or at a stated class mix."""
    record = kernel.record
    if record is None or kernel.by_class:
        return False
    return record.alike or (kernel.target is not None and record.bounded)


@dataclass(frozen=True, eq=False)
class Steady:
    """How sure averages are: error, degrees of freedom, how many plain decisions tell as much.

    ``alarmed`` says whether a wrong prediction counts against its class, as in a precision.
    """

    se: Floats
    freedom: Floats
    decisions: Floats
    alarmed: bool = True

    def reach(self, level: float) -> Floats:
        """How many errors an interval of this level reaches."""
        return reaches(level, self.freedom.reshape(-1))

    def surer(self, other: Steady, where: Floats) -> Steady:
        """Of two ways to look at some of the tables, whichever claims less."""
        return Steady(
            np.where(where, np.fmax(self.se, other.se), self.se),
            np.where(where, np.minimum(self.freedom, other.freedom), self.freedom),
            np.where(where, np.fmin(self.decisions, other.decisions), self.decisions),
        )


def steady(
    cells: Filled, kernel: Kernel, value: Floats, views: Views, *, stratify: bool = False
) -> Steady:
    """How sure an average of counted items is, of one table or of every one of a stack.

    An infinite slope says nothing: not known (NaN).
    """
    counts = views.of(kernel)
    if kernel.target is None and not stratify:
        one = deletion_error(cells, kernel, counts)
    else:  # an item left out moves its whole row
        one = cells_error(cells, kernel, views, stratify=stratify)
    two = smoothed(cells, kernel, stratify=stratify)
    if kernel.target is None and not stratify:
        rare = seldom(counts)
        if two.alarmed and rare.any():
            two = two.surer(by_prediction(cells, kernel), rare)
    worth = np.fmin(two.decisions, decisions(value, one, kernel))
    steady = ~steep(kernel.function, counts, value)
    se, worth = (np.where(steady, x, np.nan) for x in (np.fmax(one, two.se), worth))
    return Steady(se, two.freedom, worth)


def biased(kernel: Kernel) -> Floats:
    """In which tables the value is pushed one way: only that of :func:`corrected` is sure."""
    pushed = kernel.record is not None and kernel.record.biased
    classes = 0 if kernel.averaged is None else kernel.averaged.sum(axis=-1)
    return np.asarray(pushed & (np.asarray(classes) > FEW_CLASSES))


def corrected(
    cells: Filled, kernel: Kernel, value: Floats, views: Views, level: float
) -> Intervals:
    """The value less its bias, with an interval: n·θ − (n − 1)·mean of θ₋ᵢ (Quenouille 1956)."""
    c, n = cells, np.asarray(cells.counts.total, np.float64)
    counts = views.of(kernel)
    less = left_out(kernel.function, counts, c.table, c.true, c.pred, c.kinds)
    mean = np.bincount(c.table, c.weight * less, minlength=c.tables).reshape(c.shape) / n
    found = n * value - (n - 1) * mean
    half = reach(level) * deletion_error(cells, kernel, counts)
    value = np.clip(found, *extent(kernel))
    low, high = (np.clip(x, *extent(kernel)) for x in (found - half, value + half))
    known = tells(high - low)
    low, high, se = (np.where(known, x, np.nan) for x in (low, high, half / reach(level)))
    return Intervals(value, se, low, high, by(Method("jackknife", "cut"), value), level)


def deletion_error(cells: Filled, kernel: Kernel, counts: Counts) -> Floats:
    """√((n − 1)/n · Σ (θ₋ᵢ − θ̄)²) over the items i, those of a cell at once."""
    c, n = cells, cells.tables
    psi = deleted(kernel, counts, c.table, c.true, c.pred, c.kinds)
    return norm(c.units.parts(centred(psi, c.weight, c.table, n)), c.table, n).reshape(c.shape)


def deleted(
    kernel: Kernel,
    counts: Counts,
    table: Floats,
    true: Floats,
    pred: Floats,
    kinds: Kinds | None = None,
) -> Floats:
    """Values with an item of each cell left out, in the place of slopes: −√((n − 1)/n)·θ₋ᵢ."""
    total = np.asarray(counts.total, np.float64).reshape(-1)
    shrink = np.sqrt(over(total - 1, total))
    less = left_out(kernel.function, counts, table, true, pred, kinds)
    return np.asarray(-shrink[table] * less)


def smoothed(cells: Filled, kernel: Kernel, *, stratify: bool = False) -> Steady:
    """The delta method at the smoothed tables, the number of items as it is.

    Degrees of freedom are Welch & Satterthwaite's, a true class of n items having n + 1.
    """
    c, k = cells, cells.k

    def mixed(scale: Floats) -> Counts:
        """Margins with every true row scaled."""
        weight = (
            c.weight * np.broadcast_to(scale, c.prevalence.shape).reshape(-1, k)[c.table, c.true]
        )
        inside, size = c.pred < k, c.tables * k
        bias = np.bincount((c.table * k + c.pred)[inside], weight[inside], minlength=size)
        lost = np.bincount(c.table[~inside], weight[~inside], minlength=c.tables)
        truth = c.prevalence * scale
        margins = (c.counts.correct * scale, bias.reshape(truth.shape), truth)
        return Counts(*margins, truth.sum(axis=-1), lost.reshape(c.shape)[()])

    smooth = Smoothed.of(c.counts)
    g, scale = smoothed_slopes(kernel, smooth, c.counts, mixed, c.kinds)
    psi, row = g.at(c.table, c.true, c.pred), c.table * k + c.true

    def summed(x: Floats) -> Floats:
        return np.bincount(row, x, minlength=c.tables * k).reshape(c.prevalence.shape)

    one, two = smooth.moments(g)
    moments = Moments(
        summed(c.weight * psi) + one,
        summed(c.weight * psi**2) + two,
        c.prevalence + smooth.items,
        c.prevalence,
        scale,
        by_row=stratify or kernel.target is not None,
    )
    se = np.sqrt(moments.parts.sum(axis=-1))
    worth = decisions(np.asarray(g.value), se, kernel)
    return Steady(se, moments.freedom, worth, bool(g.alarms.any()))


def by_prediction(cells: Filled, kernel: Kernel) -> Steady:
    """The same with two pseudo-items for each class that is predicted, spread over the true ones.

    A class that was predicted a few times, always rightly, would have a certain precision.
    """
    c, width = cells, cells.k + 1
    smooth = Smoothed.of(turned(c.counts))
    g, one, two = prediction_slopes(kernel, smooth, c.counts, c.kinds)
    psi, column = g.at(c.table, c.true, c.pred), c.table * width + c.pred

    def summed(x: Floats, more: Any = 0.0) -> Floats:
        found = np.bincount(column, x, minlength=c.tables * width).reshape(*c.shape, width)
        found[..., :-1] += more
        return found

    moments = Moments(
        summed(c.weight * psi, one),
        summed(c.weight * psi**2, two),
        summed(c.weight, smooth.items),
        summed(c.weight),
        np.asarray(1.0),
        by_row=False,
    )
    se = np.sqrt(moments.parts.sum(axis=-1))
    return Steady(se, moments.freedom, decisions(np.asarray(g.value), se, kernel))


def seldom(counts: Counts) -> Floats:
    """In which tables some averaged class is predicted, but seldom."""
    rare = (counts.bias > 0) & (counts.bias < SELDOM)
    return np.asarray((counts.listed(rare, 0) > 0).any(axis=-1))


def turned(c: Counts) -> Counts:
    """The margins of the table with rows and columns exchanged."""
    return replace(c, bias=c.prevalence, prevalence=c.bias, errors=c.errors and c.errors[::-1])


def prediction_slopes(
    kernel: Kernel, smooth: Smoothed, counts: Counts, kinds: Kinds | None = None
) -> tuple[Gradient, Floats, Floats]:
    """Slopes with pseudo-items of predicted classes in, and the moments of these."""
    how: Any = {name: getattr(kernel, name) for name in ("averaged", "undefined", "ruled")}
    margins = turned(smooth.margins(turned(counts)))
    g = exact_slopes(kernel.function, replace(margins, **how), kinds)
    return g, *smooth.moments(replace(g, alarms=g.misses, misses=g.alarms))


def smoothed_slopes(
    kernel: Kernel,
    smooth: Smoothed,
    counts: Counts,
    mixed: Callable[[Floats], Counts],
    kinds: Kinds | None = None,
) -> tuple[Gradient, Floats]:
    """Slopes with the pseudo-items in, and how much the true rows of a stated class mix weigh.

    ``mixed`` gives the margins with every true row scaled.
    """
    scale = np.asarray(1.0)
    if kernel.target is None:
        margins = smooth.margins(counts)
    else:
        scale = np.asarray(factors(counts.prevalence + smooth.items, kernel.target) * smooth.on)
        margins, kinds = smooth.margins(mixed(scale), scale), None
    how: Any = {name: getattr(kernel, name) for name in ("averaged", "undefined", "ruled")}
    return exact_slopes(kernel.function, replace(margins, **how), kinds), scale


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums of slopes and of their squares over each true class (…, k), pseudo-items included.

    ``whole`` counts the items with the pseudo-items, ``items`` without; ``by_row`` says that each
    true class is a sample of its own, not the table one.
    """

    first: Floats
    second: Floats
    whole: Floats
    items: Floats
    scale: Floats
    by_row: bool

    @property
    def mean(self) -> Floats:
        """The mean slope, that of the class or of the table."""
        return np.asarray(over(self._all(self.first), self._all(self.whole)))

    @property
    def factor(self) -> Floats:
        """What a squared slope counts: as if there were no more items than there are."""
        return np.asarray(self.scale**2 * over(self._all(self.whole), self._all(self.items)))

    @property
    def parts(self) -> Floats:
        """What each true class adds to the variance."""
        mean = self.mean
        spread = self.second - 2 * mean * self.first + mean**2 * self.whole
        return np.asarray(self.factor * np.maximum(spread, 0.0))

    @property
    def freedom(self) -> Floats:
        """Degrees of freedom of the sum, each class having its items less one."""
        parts = self.parts
        each = (parts**2 / np.maximum(self.whole - 1, 1)).sum(axis=-1)
        return np.asarray(over(parts.sum(axis=-1) ** 2, each, np.inf))

    def _all(self, x: Floats) -> Floats:
        return x if self.by_row else x.sum(axis=-1, keepdims=True)
