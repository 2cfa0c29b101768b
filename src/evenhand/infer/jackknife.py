"""The jackknife of averages, and beside it the delta method where no class is certain.

An average that weighs classes alike hangs on its smallest class, whose few items often seem to
have no spread. Its error is taken as the larger of two, which fail in different places: that of the
jackknife, the metric with one item left out at a time, and that of the delta method at the table
with two pseudo-items for each true class (docs/intervals.md has the study).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.core.counts import Counts
from evenhand.core.deletion import left_out
from evenhand.core.kernel import Kernel, Views
from evenhand.core.kinds import Kinds
from evenhand.core.slopes import steep
from evenhand.infer.delta import Filled, cells_error
from evenhand.infer.design import Codes, Floats, grouped
from evenhand.infer.pseudo import Pseudo
from evenhand.infer.quantile import reach, reaches
from evenhand.infer.transform import decisions, extent, extents
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
    if record is None or record.own or kernel.by_class or kernel.over_cells:
        return False
    return record.alike or (kernel.target is not None and record.bounded)


@dataclass(frozen=True, eq=False)
class Steady:
    """How sure averages are: error, degrees of freedom, how many plain decisions tell as much.

    One entry a table; those of several metrics have an axis in front.
    """

    se: Floats
    freedom: Floats
    decisions: Floats

    def __getitem__(self, i: int) -> Steady:
        return Steady(self.se[i], self.freedom[i], self.decisions[i])

    def reach(self, level: float) -> Floats:
        """How many errors an interval of this level reaches."""
        return reaches(level, self.freedom)

    def surer(self, other: Steady, where: Floats) -> Steady:
        """Of two ways to look at some of the tables, whichever claims less."""
        return Steady(
            np.where(where, np.fmax(self.se, other.se), self.se),
            np.where(where, np.minimum(self.freedom, other.freedom), self.freedom),
            np.where(where, np.fmin(self.decisions, other.decisions), self.decisions),
        )


def steady(
    cells: Filled,
    kernels: Sequence[Kernel],
    values: Floats,
    views: Views,
    *,
    stratify: bool = False,
) -> Steady:
    """How sure averages of counted items are, of one table or of every one of a stack.

    ``kernels`` are all as observed, or at one class mix; metrics are the first axis of ``values``
    and of what is found. An infinite slope says nothing: not known (NaN).
    """
    counts = [views.of(k) for k in kernels]
    each = list(zip(kernels, counts, strict=True))
    unknown = np.stack(
        [steep(k.function, *x) for (k, *x) in zip(kernels, counts, values, strict=True)]
    )
    two, alarmed = _by_truth(cells, kernels, stratify)
    if kernels[0].target is None and not stratify:
        one = deletion_errors(cells, each)
        rare = np.stack([seldom(c) & alarms for c, alarms in zip(counts, alarmed, strict=True)])
        if rare.any():
            two = two.surer(by_prediction(cells, kernels), rare)
    else:  # an item left out moves its whole row
        one = np.stack([cells_error(cells, k, views, stratify=stratify) for k in kernels])
    worth = np.fmin(two.decisions, decisions(values, one, *extents(kernels, one)))
    se, worth = (np.where(unknown, np.nan, x) for x in (np.fmax(one, two.se), worth))
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
    half = reach(level) * deletion_errors(cells, [(kernel, counts)])[0]
    value = np.clip(found, *extent(kernel))
    low, high = (np.clip(x, *extent(kernel)) for x in (found - half, value + half))
    known = tells(high - low)
    low, high, se = (np.where(known, x, np.nan) for x in (low, high, half / reach(level)))
    return Intervals(value, se, low, high, by(Method("jackknife", "cut"), value), level)


def deletion_errors(cells: Filled, asked: Sequence[tuple[Kernel, Counts]]) -> Floats:
    """√((n − 1)/n · Σ (θ₋ᵢ − θ̄)²) over the items i, those of a cell at once, for each metric."""
    c, n = cells, cells.tables
    psi = np.stack([deleted(k, counts, c.table, c.true, c.pred, c.kinds) for k, counts in asked])
    parts = c.units.parts(centred(psi, c.weight, c.table, n))
    return norm(parts, c.table, n).reshape(-1, *c.shape)


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


def smoothed(cells: Filled, kernels: Sequence[Kernel], *, stratify: bool = False) -> Steady:
    """The delta method at the smoothed tables, the number of items as it is.

    Degrees of freedom are Welch & Satterthwaite's, a true class of n items having n + 1.
    """
    return _by_truth(cells, kernels, stratify)[0]


def _by_truth(
    cells: Filled, kernels: Sequence[Kernel], stratify: bool
) -> tuple[Steady, list[bool]]:
    """The same, and whether a wrong prediction counts against its class, as in a precision."""
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

    pseudo = Pseudo.true(kernels, c.counts, c.smooth, mixed, c.kinds, stratify)
    return _smoothed(c, kernels, pseudo, c.true), [bool(g.alarms.any()) for g in pseudo.slopes]


def by_prediction(cells: Filled, kernels: Sequence[Kernel]) -> Steady:
    """The same with pseudo-items for each class that is predicted."""
    pseudo = Pseudo.predicted(kernels, cells.counts, cells.kinds)
    return _smoothed(cells, kernels, pseudo, cells.pred)


def _smoothed(c: Filled, kernels: Sequence[Kernel], pseudo: Pseudo, group: Codes) -> Steady:
    width = pseudo.items.shape[-1]

    def summed(x: Floats) -> Floats:
        found = grouped(np.atleast_2d(x), c.table * width + group, c.tables * width)
        return found.reshape(*x.shape[:-1], *c.shape, width)

    psi = np.stack([g.at(c.table, c.true, c.pred) for g in pseudo.slopes])
    moments = pseudo.moments(summed, c.weight, psi)
    se = np.sqrt(moments.parts.sum(axis=-1))
    values = np.stack([g.value for g in pseudo.slopes])
    return Steady(se, moments.freedom, decisions(values, se, *extents(kernels, se)))


def seldom(counts: Counts) -> Floats:
    """In which tables some averaged class is predicted, but seldom."""
    rare = (counts.bias > 0) & (counts.bias < SELDOM)
    listed = rare if counts.averaged is None else rare & counts.averaged
    return np.asarray(listed.any(axis=-1))
