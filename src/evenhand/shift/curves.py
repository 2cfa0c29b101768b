"""Curves: the metrics of one or two systems at every share of a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.core.kernel import Kernel, asked_views
from evenhand.core.ratio import ratio
from evenhand.count.given import Given, system_of
from evenhand.errors import InputError
from evenhand.infer.design import Floats
from evenhand.infer.mover import Limited, inside, limited, movable
from evenhand.infer.rows import rows_of
from evenhand.infer.settings import Settings
from evenhand.infer.transform import around, chosen
from evenhand.infer.width import telling
from evenhand.notes.curve import Curve
from evenhand.notes.interval import Intervals, by
from evenhand.shift.one_system import one_system
from evenhand.shift.reweighted import Reweighted
from evenhand.tables.confusion import Confusion
from evenhand.tables.merge import on_same_labels


@dataclass(frozen=True, eq=False)
class Swept:
    """One or two systems, their rows and their tables.

    Systems that share items share rows too, all in one ``sides``; else each has a side of its own.
    """

    systems: tuple[str, ...]
    sides: list[Reweighted]
    tables: Confusion

    @classmethod
    def of(cls, given: Given, against: Any, names: tuple[str, str]) -> Swept:
        """The system of the data, or two of a sample; or it and another, by these names."""
        two = not isinstance(given.pred, str)  # two systems on the same items are a sample
        data = system_of(given, items=two and given.of_frame, margins=True)
        if len(getattr(data, "systems", ())) == 2 and against is None:
            return cls(data.systems, [Reweighted.of(rows_of(data))], data.tables())
        one, table = one_system(Given("sweep", (data,)))
        name = one.systems[0] if one.systems else "system"
        if against is None:
            return cls((name,), [Reweighted.of(rows_of(one))], table)
        _, other = one_system(Given("sweep", (against,)))
        table, other = on_same_labels([table, other])
        empty = np.flatnonzero((table.prevalence > 0) != (other.prevalence > 0))
        if len(empty):
            raise InputError(
                f"both tables must have items of the same true classes, "
                f"only one has {table.labels[empty[0]]!r}"
            )
        sides = [Reweighted.of(rows_of(t)) for t in (table, other)]
        return cls(names, sides, Confusion.stack([table, other], names))

    def values(self, kernels: list[Kernel], mixes: Floats) -> Floats:
        """Each metric, kernels × systems × mixes; mixes are as :class:`Reweighted` has them."""
        sides = enumerate(self.sides)
        found = [side.values(self._own(kernels, i), mixes) for i, side in sides]
        return np.concatenate(found, axis=1)

    def errors(self, kernels: list[Kernel], mixes: Floats) -> Floats:
        """Standard errors, as values are; after two systems comes that of their difference."""
        each = np.eye(len(self.systems))
        if len(self.sides) == 1:
            contrasts = each if len(each) == 1 else np.vstack([each, [[1.0, -1.0]]])
            return self.sides[0].errors(kernels, mixes, contrasts)
        sides = enumerate(self.sides)
        one, two = (s.errors(self._own(kernels, i), mixes, each[:1, :1]) for i, s in sides)
        return np.concatenate([one, two, np.hypot(one, two)], axis=1)

    def limited(self, level: float, mixes: int) -> list[Limited] | None:
        """The rates of each system with their limits, where they can be moved."""
        if not movable(self.tables, mixes):
            return None
        if len(self.sides) == 1:
            both = limited(self.tables, self.sides[0].rows, level)
            return [both.at(slice(s, s + 1)) for s in range(len(self.systems))]
        sides = zip(self.tables, self.sides, strict=True)
        return [limited(table, side.rows, level) for table, side in sides]

    def gap(self, kernels: list[Kernel], mixes: Floats) -> Floats:
        """First minus second system, kernels × mixes."""
        first, second = np.moveaxis(self.values(kernels, mixes), 1, 0)
        return np.asarray(first - second)

    def clear(
        self, kernels: list[Kernel], mixes: Floats, sure: list[Limited] | None, z: float
    ) -> Floats:
        """How far 0 is from the interval of that difference; negative where it is inside."""
        gap = self.gap(kernels, mixes)
        if sure is None:
            return np.asarray(np.abs(gap) - z * self.errors(kernels, mixes)[:, 2])
        (down, other_down), (up, other_up) = np.moveaxis(self._reaches(kernels, mixes, sure), 2, 1)
        first, second = np.where(gap > 0, down, up), np.where(gap > 0, other_up, other_down)
        shared = 2 * self._correlation(kernels, mixes) * first * second
        return np.asarray(np.abs(gap) - np.sqrt(np.maximum(first**2 + second**2 - shared, 0)))

    def _correlation(self, kernels: list[Kernel], mixes: Floats) -> Floats | float:
        """Of two systems' scores; independent tables have none."""
        if len(self.sides) == 2:
            return 0.0
        one, two, gap = np.moveaxis(self.errors(kernels, mixes), 1, 0)
        return np.asarray(np.clip(ratio(one**2 + two**2 - gap**2, 2 * one * two), -1, 1))

    def _reaches(self, kernels: list[Kernel], mixes: Floats, sure: list[Limited]) -> Floats:
        """How far the intervals reach down and up, 2 × kernels × systems × mixes."""
        stack = bool(self.tables.shape)
        own = [[k.at(s) for k in kernels] if stack else kernels for s in range(len(sure))]
        found = [np.stack(x.reaches(k, mixes)) for x, k in zip(sure, own, strict=True)]
        return np.moveaxis(np.stack(found), 2, 0).swapaxes(1, 2)

    def curves(
        self, kernels: list[Kernel], mixes: Floats, how: Settings | None, sure: list[Limited] | None
    ) -> list[list[Curve]]:
        """Each metric's curves, one a system, with intervals if there are to be any."""
        found = {}
        for view, first in asked_views(kernels).items():
            own, there = [k for k in kernels if k.view == view], mixes
            if first.target is not None:  # a metric at a mix of its own does not move
                there = np.broadcast_to(first.target.reshape(-1, self.tables.k)[0], mixes.shape)
            found[view] = iter(self._curves(own, there[None], how, sure))
        return [next(found[k.view]) for k in kernels]

    def _curves(
        self, kernels: list[Kernel], mixes: Floats, how: Settings | None, sure: list[Limited] | None
    ) -> list[list[Curve]]:
        value = self.values(kernels, mixes)
        ends = np.full((len(kernels), 2, *value.shape[1:]), np.nan)
        if how is not None and sure is None:
            errors = self.errors(kernels, mixes)[:, : len(self.systems)]
            for i, (k, se) in enumerate(zip(kernels, errors, strict=True)):
                ends[i] = around(value[i], se, how.z, k, chosen("range", k))
        elif how is not None and sure is not None:
            reaches = self._reaches(kernels, mixes, sure).swapaxes(0, 1)
            for i, (k, far) in enumerate(zip(kernels, reaches, strict=True)):
                ends[i] = inside(value[i], far, k)
        low, high = telling(*ends.swapaxes(0, 1))
        made = Intervals(value, np.full(value.shape, np.nan), low, high, by(None, value))
        _, lows, highs, _ = made.columns()
        every = zip(value.tolist(), lows, highs, strict=True)
        return [[Curve(*map(tuple, c)) for c in zip(*one, strict=True)] for one in every]

    def _own(self, kernels: list[Kernel], side: int) -> list[Kernel]:
        return [k.at(side) for k in kernels] if len(self.sides) == 2 else kernels
