"""Counts: the margins of a table, which are all that most metrics need."""

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
    namespace,
    others,
    real,
    seal,
    sealed,
    whole,
)
from evenhand.core.ratio import ratio

ROUNDING = 1e-15
"""Share of a table's weight that is nothing where it is what other weights leave of it."""


@dataclass(frozen=True, eq=False)
class Counts:
    """Margins of one table, or of a stack of them along any leading axes.

    ``correct``, ``bias`` and ``prevalence`` have one entry a class on the last axis: how often
    the class was hit, predicted, and true. ``total`` is all items, ``outside`` the predictions
    that were no class at all. ``averaged`` says which classes an average runs over (``None``:
    all of them), ``undefined`` what 0/0 is worth; NaN leaves such a class out of the mean.
    ``errors`` are the misses and alarms added up from the cells, which fractions need: there
    prevalence − correct cancels. Whole numbers do without (``None``). ``ruled`` says that a rule
    chose the averaged classes, not a list: a metric with a rule of its own keeps to that.

    Classes are reduced only through :meth:`sum`, :meth:`mean` and :meth:`largest`: everything
    else in a metric is elementwise, which is what makes one gradient routine possible for all.

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
        lost = 0
        if outside is not None:
            prevalence = prevalence + outside
            lost = xp.sum(outside, axis=-1)
        correct = sealed(xp.linalg.diagonal(cells))  # or it would follow whoever writes to cells
        total = xp.sum(prevalence, axis=-1)
        errors = None
        if not whole(cells):
            wrong = xp.triu(cells, k=1) + xp.tril(cells, k=-1)
            misses = xp.sum(wrong, axis=-1)
            errors = (misses if outside is None else misses + outside, xp.sum(wrong, axis=-2))
        for own in (bias, prevalence, total, lost, *(errors or ())):
            seal(own)
        return cls(correct, bias, prevalence, total, lost, averaged, undefined, errors)

    @property
    def misses(self) -> Array:
        """Items of each class that were taken for something else."""
        return seal(self.prevalence - self.correct) if self.errors is None else self.errors[0]

    @property
    def alarms(self) -> Array:
        """Predictions of each class that were wrong."""
        return seal(self.bias - self.correct) if self.errors is None else self.errors[1]

    @property
    def rest(self) -> Array:
        """Items that neither are of a class nor were taken for it."""
        left = column(self.total) - self.prevalence - self.alarms
        if self.errors is None:
            return seal(left)
        none = real(left) <= ROUNDING * column(real(self.total))  # what differences leave of sums
        return seal(namespace(left).where(none, left - real(left), left))

    @property
    def outside_share(self) -> Array:
        """Share of items that were predicted to be no class at all."""
        all_out = self.outside + 0 * self.total  # an array, if a bare 0
        return seal(ratio(all_out, floating(self.total)))

    @property
    def averaged_classes(self) -> Array:
        """How many classes are averaged."""
        return self.sum(namespace(self.bias).ones_like(floating(real(self.bias))))

    @property
    def seen(self) -> Array:
        """How many classes are true or predicted of some item, whatever is averaged."""
        there = (real(self.prevalence) > 0) | (real(self.bias) > 0)
        xp = namespace(there)
        one = xp.ones_like(floating(real(self.prevalence)))  # in the precision of the table
        return self.whole.sum(xp.where(there, one, 0.0))

    def at(self, index: Any) -> Counts:
        """The margins of one table of a stack."""
        errors = self.errors and (self.errors[0][index], self.errors[1][index])
        names = ("correct", "bias", "prevalence", "total", "outside")
        return replace(self, errors=errors, **{n: getattr(self, n)[index] for n in names})

    def flat(self) -> Counts:
        """The same margins as one stack of tables, along one leading axis."""
        shape = self.bias.shape

        def each(x: Array) -> Array:
            return np.broadcast_to(x, shape).reshape(-1, shape[-1])

        def one(x: Array) -> Array:
            return np.broadcast_to(x, shape[:-1]).reshape(-1)

        return self.through(each, one)

    def through(self, each: Callable[[Array], Array], one: Callable[[Array], Array]) -> Counts:
        """The margins through a function of what there is of each class, and one of the rest."""
        return replace(
            self,
            correct=each(self.correct),
            bias=each(self.bias),
            prevalence=each(self.prevalence),
            total=one(self.total),
            outside=one(self.outside),
            averaged=None if self.averaged is None else each(self.averaged),
            errors=self.errors and (each(self.errors[0]), each(self.errors[1])),
        )

    def averaging(self, averaged: Array | None, undefined: float, *, ruled: bool = False) -> Counts:
        """The same margins with other classes averaged and another worth of 0/0."""
        margins = (self.correct, self.bias, self.prevalence, self.total, self.outside)
        return Counts(*margins, averaged, undefined, self.errors, ruled)  # quicker than replace

    def over(self, averaged: Array | None) -> Counts:
        """The same margins, averaged over other classes."""
        return replace(self, averaged=averaged, ruled=False)

    @property
    def whole(self) -> Counts:
        """The same margins with every class averaged."""
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
        """Mean of ``x`` over the averaged classes, each weighing the same unless told."""
        xp = namespace(x)
        # ones are plain numbers also beside a complex step, which has no business with them
        w = xp.ones_like(real(x)) if weights is None else floating(weights) + xp.zeros_like(x)
        if math.isnan(self.undefined):
            known = ~xp.isnan(x)
            x, w = xp.where(known, x, 0.0), xp.where(known, w, 0.0)
        top = x if weights is None else w * x
        return ratio(self.sum(top), self.sum(w), self.undefined)

    def largest(self, x: Array) -> Array:
        """Largest ``x`` over the averaged classes; NaN counts as nothing."""
        x = self.listed(x, -math.inf)
        xp = namespace(x)
        return xp.max(xp.where(xp.isnan(x), -math.inf, real(x)), axis=-1)

    def share(self, x: Array) -> Array:
        """``x`` of each class as a share of all items."""
        return ratio(x, column(floating(self.total)))

    def scale(self, x: Array) -> Array:
        """The largest ``x`` as a column, to divide by; :meth:`back` makes it ready to multiply."""
        return column(Counts.largest(self, x))

    def back(self, scale: Array) -> Array:
        """A scale as a value per table, to multiply with."""
        return scale[..., 0] if getattr(scale, "ndim", 0) else scale

    def others(self, x: Array, rest: Array = 0) -> Array:
        """For each class, ``rest`` and what the *other* classes have of ``x``.

        Adding up the others keeps every digit that ``x.sum() - x`` would cancel; whole numbers
        have none to lose.
        """
        if isinstance(x, np.ndarray) and whole(x):
            return x.sum(axis=-1, keepdims=True) - x + column(rest)
        return others(x) + column(rest)


def column(x: Array) -> Array:
    """A value per table, made ready to meet a value per class."""
    return x[..., None] if getattr(x, "ndim", 0) else x
