"""Pseudo: a metric's slopes where no class is certain, and what its pseudo-items add to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from evenhand.core.counts import Counts
from evenhand.core.gradient import Gradient
from evenhand.core.kernel import Kernel
from evenhand.core.kinds import Kinds
from evenhand.core.prevalence import factors
from evenhand.core.slopes import exact_slopes
from evenhand.core.tape import Steps
from evenhand.infer.design import Floats
from evenhand.infer.smoothed import Smoothed
from evenhand.infer.variance import over


@dataclass(frozen=True, eq=False)
class Pseudo:
    """Slopes of metrics at smoothed tables, and the pseudo-items of each group of items.

    Groups are the true or the predicted classes. ``one`` and ``two`` are the sums of slopes and of
    their squares over the ``items`` of a group, ``scale`` how much the true rows of a stated class
    mix weigh; ``by_row`` says that each group is a sample of its own.
    """

    slopes: list[Gradient]
    one: Floats
    two: Floats
    items: Floats
    scale: Floats
    by_row: bool

    @classmethod
    def true(
        cls,
        kernels: Sequence[Kernel],
        counts: Counts,
        smoothed: tuple[Smoothed, Counts],
        mixed: Callable[[Floats], Counts],
        kinds: Kinds | None = None,
        stratify: bool = False,
    ) -> Pseudo:
        """Of two for each true class, which lie as ``smoothed`` says, with the margins they give.

        ``mixed`` gives the margins with every true row scaled.
        """
        (smooth, margins), scale = smoothed, np.asarray(1.0)
        target = kernels[0].target  # of all of them
        if target is not None:
            scale = np.asarray(factors(counts.prevalence + smooth.items, target) * smooth.on)
            margins, kinds = smooth.margins(mixed(scale), scale), None
        each = _slopes(kernels, margins, kinds)
        by_row = stratify or target is not None
        return cls(each, *_moments(smooth, each), smooth.items, scale, by_row)

    @classmethod
    def predicted(
        cls, kernels: Sequence[Kernel], counts: Counts, kinds: Kinds | None = None
    ) -> Pseudo:
        """Of two for each class that is predicted, spread over the true ones; outside has none.

        A class that was predicted a few times, always rightly, would have a certain precision.
        """
        smooth = Smoothed.of(_turned(counts), turned=True)
        margins = _turned(smooth.margins(_turned(counts)))
        each = _slopes(kernels, margins, kinds)
        turned = [replace(g, alarms=g.misses, misses=g.alarms) for g in each]
        one, two, items = (
            np.concatenate([x, np.zeros_like(x[..., :1])], axis=-1)
            for x in (*_moments(smooth, turned), smooth.items)
        )
        return cls(each, one, two, items, np.asarray(1.0), by_row=False)

    def __getitem__(self, i: int) -> Pseudo:
        return replace(self, slopes=[self.slopes[i]], one=self.one[i], two=self.two[i])

    def moments(self, summed: Callable[[Floats], Floats], weight: Floats, psi: Floats) -> Moments:
        """With the items in, of ``weight`` and slope ``psi``, which ``summed`` adds up by group."""
        items = summed(weight)
        first, second = summed(weight * psi) + self.one, summed(weight * psi**2) + self.two
        return Moments(first, second, items + self.items, items, self.scale, self.by_row)


def _moments(smooth: Smoothed, slopes: list[Gradient]) -> tuple[Floats, Floats]:
    found = [smooth.moments(g) for g in slopes]
    one, two = (np.stack(x) for x in zip(*found, strict=True))
    return one, two


def slopes_with(
    kernel: Kernel, margins: Counts, kinds: Kinds | None = None, steps: Steps | None = None
) -> Gradient:
    """A metric's slopes at margins with pseudo-items in."""
    counts = margins.averaging(kernel.averaged, kernel.undefined, ruled=kernel.ruled)
    return exact_slopes(kernel.function, counts, kinds, steps=steps)


def _slopes(kernels: Sequence[Kernel], margins: Counts, kinds: Kinds | None) -> list[Gradient]:
    steps = Steps.at(margins)
    return [slopes_with(k, margins, kinds, steps) for k in kernels]


def _turned(c: Counts) -> Counts:
    """The margins of the table with rows and columns exchanged."""
    return replace(c, bias=c.prevalence, prevalence=c.bias, errors=c.errors and c.errors[::-1])


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums of slopes and of their squares over each group, pseudo-items included.

    ``whole`` counts the items with the pseudo-items, ``items`` without; ``by_row`` says that each
    group is a sample of its own, not the table one.
    """

    first: Floats
    second: Floats
    whole: Floats
    items: Floats
    scale: Floats
    by_row: bool

    @cached_property
    def mean(self) -> Floats:
        """The mean slope, that of the group or of the table."""
        return np.asarray(over(self._all(self.first), self._all(self.whole)))

    @property
    def factor(self) -> Floats:
        """What a squared slope counts: as if there were no more items than there are."""
        return np.asarray(self.scale**2 * over(self._all(self.whole), self._all(self.items)))

    @cached_property
    def parts(self) -> Floats:
        """What each group adds to the variance."""
        mean = self.mean
        spread = self.second - 2 * mean * self.first + mean**2 * self.whole
        return np.asarray(self.factor * np.maximum(spread, 0.0))

    @property
    def freedom(self) -> Floats:
        """Degrees of freedom of the sum, each group having its items less one."""
        parts = self.parts
        each = (parts**2 / np.maximum(self.whole - 1, 1)).sum(axis=-1)
        return np.asarray(over(parts.sum(axis=-1) ** 2, each, np.inf))

    def _all(self, x: Floats) -> Floats:
        return x if self.by_row else x.sum(axis=-1, keepdims=True)
