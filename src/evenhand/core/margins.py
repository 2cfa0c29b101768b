"""The margins of confusion tables, their means and their prevalence."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evenhand.core.arrays import (
    Array,
    exact,
    floating,
    is_integer,
    leave_one_out_sum,
    namespace,
    read_only,
    sealed,
    stop_gradient,
)
from evenhand.core.ratio import ratio

ROUNDING = 1e-15
"""Share of a table's weight below which a difference of weights is rounding."""


@dataclass(frozen=True, eq=False)
class Counts:
    """Margins of one table, or of a stack of them along any leading axes.

    ``correct``, ``bias`` and ``prevalence`` have one entry a class on the last axis: how often
    the class was hit, predicted, and true. ``total`` is the number of items, ``outside`` that of
    predictions that were no class at all. ``averaged`` says which classes an average runs over
    (``None``: all of them), ``undefined`` is the value of 0/0; NaN leaves such a class out of the
    mean. ``errors`` are the misses and alarms as sums of cells: of fractions, prevalence − correct
    would cancel; integers do without (``None``). ``ruled`` says that a rule chose the averaged
    classes, not a list: a metric with a rule of its own keeps to that.

    Metrics reduce classes only through :meth:`sum`, :meth:`mean` and :meth:`largest`, so that one
    routine differentiates them all.

    >>> c = Counts.from_cells(np.array([[15, 10], [5, 10]]))
    >>> c.correct, c.bias, c.prevalence
    (array([15, 10]), array([20, 20]), array([25, 15]))
    """

    correct: Array
    bias: Array
    prevalence: Array
    total: Array
    outside: Array = 0
    averaged: Array | None = None
    undefined: float = 0.0
    errors: tuple[Array, Array] | None = None
    ruled: bool = False

    @classmethod
    def from_cells(
        cls,
        cells: Array,
        outside: Array | None = None,
        *,
        averaged: Array | None = None,
        undefined: float = 0.0,
    ) -> Counts:
        """Margins of tables with rows = true, columns = predicted on the last two axes.

        >>> import numpy as np
        >>> Counts.from_cells(np.array([[6, 1, 1], [1, 5, 2], [2, 3, 7]])).bias
        array([ 9,  9, 10])
        """
        xp = namespace(cells)
        cells = exact(cells)
        prevalence, bias = xp.sum(cells, axis=-1), xp.sum(cells, axis=-2)
        all_outside = 0
        if outside is not None:
            outside = exact(outside)
            prevalence = prevalence + outside
            all_outside = xp.sum(outside, axis=-1)
        correct = sealed(xp.linalg.diagonal(cells))  # a view of cells may change with them
        total = xp.sum(prevalence, axis=-1)
        errors = None
        if not is_integer(cells):
            wrong = xp.triu(cells, k=1) + xp.tril(cells, k=-1)
            misses = xp.sum(wrong, axis=-1)
            errors = (misses if outside is None else misses + outside, xp.sum(wrong, axis=-2))
        for array in (bias, prevalence, total, all_outside, *(errors or ())):
            read_only(array)
        return cls(correct, bias, prevalence, total, all_outside, averaged, undefined, errors)

    @property
    def false_negatives(self) -> Array:
        """False negatives: items of each class that were predicted as something else."""
        return read_only(self.prevalence - self.correct) if self.errors is None else self.errors[0]

    @property
    def false_positives(self) -> Array:
        """False positives: predictions of each class that were wrong."""
        return read_only(self.bias - self.correct) if self.errors is None else self.errors[1]

    @property
    def true_negatives(self) -> Array:
        """True negatives: items that neither are of a class nor were predicted as it."""
        left = across_classes(self.total) - self.prevalence - self.false_positives
        if self.errors is None:
            return read_only(left)
        none = left <= ROUNDING * across_classes(self.total)  # rounding
        return read_only(namespace(left).where(none, left - stop_gradient(left), left))

    @property
    def outside_share(self) -> Array:
        """Share of items that were predicted to be no class at all."""
        outside = self.outside + 0 * self.total  # an array, if it is a plain 0
        return read_only(ratio(outside, floating(self.total)))

    @property
    def averaged_classes(self) -> Array:
        """How many classes are averaged."""
        return self.sum(namespace(self.bias).ones_like(floating(self.bias)))

    @property
    def seen(self) -> Array:
        """How many classes are true or predicted of some item, whatever is averaged."""
        occurs = (self.prevalence > 0) | (self.bias > 0)
        xp = namespace(occurs)
        one = xp.ones_like(floating(self.prevalence))  # in the precision of the table
        return self.all_classes.sum(xp.where(occurs, one, 0.0))

    def at(self, index: Any) -> Counts:
        """The margins of one table of a stack."""
        one = replace(self, averaged=None).mapped(lambda x: x[index], lambda x: x[index])
        return replace(one, averaged=self.averaged)

    def flat(self) -> Counts:
        """The margins as one stack of tables, along one leading axis."""
        shape = self.bias.shape
        return self.mapped(
            lambda x: np.broadcast_to(x, shape).reshape(-1, shape[-1]),
            lambda x: np.broadcast_to(x, shape[:-1]).reshape(-1),
        )

    def mapped(
        self, per_class: Callable[[Array], Array], per_table: Callable[[Array], Array]
    ) -> Counts:
        """The margins through a function of values per class, and one of values per table."""
        return replace(
            self,
            correct=per_class(self.correct),
            bias=per_class(self.bias),
            prevalence=per_class(self.prevalence),
            total=per_table(self.total),
            outside=per_table(self.outside),
            averaged=None if self.averaged is None else per_class(self.averaged),
            errors=self.errors and (per_class(self.errors[0]), per_class(self.errors[1])),
        )

    def transpose(self) -> Counts:
        """The margins of the transposed table."""
        errors = self.errors and self.errors[::-1]
        return replace(self, bias=self.prevalence, prevalence=self.bias, errors=errors)

    def per(self, unit: Array) -> Counts:
        """The margins in units of a weight for each table."""
        return self.mapped(
            lambda x: floating(x) / across_classes(unit), lambda x: floating(x) / unit
        )

    def averaging(self, averaged: Array | None, undefined: float, *, ruled: bool = False) -> Counts:
        """The margins with other classes averaged and another value of 0/0."""
        margins = (self.correct, self.bias, self.prevalence, self.total, self.outside)
        return Counts(*margins, averaged, undefined, self.errors, ruled)  # quicker than replace

    def over(self, averaged: Array | None) -> Counts:
        """The margins, averaged over other classes."""
        return replace(self, averaged=averaged, ruled=False)

    @property
    def all_classes(self) -> Counts:
        """The margins with every class averaged."""
        return self.over(None)

    def listed(self, x: Array, otherwise: float = 0.0) -> Array:
        """``x`` where its class is averaged, ``otherwise`` elsewhere."""
        if self.averaged is None:
            return x
        return namespace(x, self.averaged).where(self.averaged, x, otherwise)

    def sum(self, x: Array) -> Array:
        """Sum of ``x`` over the averaged classes."""
        if isinstance(x, np.ndarray) and x.dtype.kind in "iuO":  # whole numbers add up exactly
            return floating(np.asarray(self.listed(x, 0).sum(axis=-1)))
        x = self.listed(floating(x))
        return x.sum(axis=-1) if isinstance(x, np.ndarray) else namespace(x).sum(x, axis=-1)

    def mean(self, x: Array, weights: Array | None = None) -> Array:
        """Mean of ``x`` over the averaged classes, with equal weights by default."""
        xp = namespace(x)
        w = xp.ones_like(x) if weights is None else floating(weights) + xp.zeros_like(x)
        if math.isnan(self.undefined):
            known = ~xp.isnan(x)
            x, w = xp.where(known, x, 0.0), xp.where(known, w, 0.0)
        top = x if weights is None else w * x
        return ratio(self.sum(top), self.sum(w), self.undefined)

    def largest(self, x: Array) -> Array:
        """Largest ``x`` over the averaged classes; NaN is left out."""
        x = self.listed(x, -math.inf)
        xp = namespace(x)
        return xp.max(xp.where(xp.isnan(x), -math.inf, x), axis=-1)

    def share(self, x: Array) -> Array:
        """``x`` of each class as a share of all items."""
        return ratio(x, across_classes(floating(self.total)))

    def scale(self, x: Array) -> Array:
        """The largest ``x`` as a column to divide by; :meth:`back` undoes the column."""
        return across_classes(Counts.largest(self, x))

    def back(self, scale: Array) -> Array:
        """A scale as a value per table."""
        return scale[..., 0] if getattr(scale, "ndim", 0) else scale

    def leave_one_out_sum(self, x: Array, rest: Array = 0) -> Array:
        """For each class, ``rest`` and the sum of ``x`` over the *other* classes.

        Of integers it is ``x.sum() - x``, of floats a sum, in which nothing cancels.
        """
        if isinstance(x, np.ndarray) and is_integer(x):
            return x.sum(axis=-1, keepdims=True) - x + across_classes(rest)
        return leave_one_out_sum(x) + across_classes(rest)


def across_classes(x: Array) -> Array:
    """A value per table, shaped to broadcast against a value per class."""
    return x[..., None] if getattr(x, "ndim", 0) else x


# Means

TINY = 1e-300
"""In the place of a weight that is too small for a float but not 0."""


def harmonic(a: Array, b: Array, beta: float = 1.0) -> Array:
    """Harmonic mean of two numbers, (1 + β²)·a·b / (β²·a + b); of 0 and 0 it is 0."""
    v, w = halves(beta)
    return a * ratio(w * b + v * b, w * a + v * b)  # a·b of tiny numbers would underflow


def halves(beta: float) -> tuple[float, float]:
    """1/(1 + β²) and β²/(1 + β²), the weights of precision and recall.

    Neither vanishes unless β is 0: of a class that is predicted but never true, F is 0 whatever β.
    """
    small = max((1 / beta if beta > 1 else beta) ** 2, TINY) if beta else 0.0
    less, more = small / (1 + small), 1 / (1 + small)
    return (less, more) if beta > 1 else (more, less)


def generalised(c: Counts, x: Array, p: float) -> Array:
    """Generalised mean of ``x`` ≥ 0 over the averaged classes.

    (1/k · Σ xᵖ)^(1/p): arithmetic for p = 1, geometric for p → 0, harmonic for p = −1, and the
    smallest and largest value for p = ∓∞. Values are divided by the largest (p > 0) or smallest
    before raising them, so that nothing overflows; xᵖ − 1 is averaged in the place of xᵖ, so that
    no digit is lost near p = 0.
    """
    if p == 1:
        return c.mean(x)
    xp = namespace(x)
    zero = x == 0
    zeros, known = c.sum(xp.where(zero, 1.0, 0.0)), c.sum(xp.where(xp.isnan(x), 0.0, 1.0))
    vanishes = zeros > 0 if p <= 0 else zeros == known
    if math.isinf(p):
        mean = c.largest(x) if p > 0 else -c.largest(-x)
    elif p == 0:
        mean = xp.exp(c.mean(xp.log(c.listed(xp.where(zero, 1.0, x), 1.0))))
    else:
        scale = c.scale(x) if p > 0 else -c.scale(xp.where(zero, -math.inf, -x))
        some = xp.isfinite(scale) & (scale > 0)
        scale = stop_gradient(xp.where(some, scale, 1.0))
        share = c.listed(xp.where(zero | xp.isnan(x), scale, x) / scale, 1.0)
        powers = xp.where(xp.isnan(x), math.nan, xp.expm1(p * xp.log(share)))
        excess = c.mean(xp.where(zero & some, -1.0, powers) if p > 0 else powers)
        excess = xp.where(known > 0, excess, 0.0)  # of no class, it may be anything
        mean = c.back(scale) * xp.exp(xp.log1p(excess) / p)
    return xp.where(known > 0, xp.where(vanishes, 0.0, mean), c.undefined)


# Prevalence


def factors(prevalence: Array, target: Array | None = None) -> Array:
    """λ_i = target_i / prevalence_i, by which each true row is multiplied.

    Without a target all classes that occur become equally frequent: 1/(k·prevalence_i)
    (Opitz 2022, eq. 6). A class that is never true has nothing to scale: its factor is 0.
    """
    return ratio(uniform(prevalence) if target is None else target, prevalence)


def uniform(prevalence: Array) -> Array:
    """The class mix in which all classes that occur are equally frequent."""
    xp = namespace(prevalence)
    occurs = xp.where(prevalence > 0, 1.0, 0.0)
    return ratio(occurs, xp.sum(occurs, axis=-1, keepdims=True))
