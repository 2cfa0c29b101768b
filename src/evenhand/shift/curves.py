"""Curves: the metrics of one or two systems at every share of a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.core.kernel import Kernel
from evenhand.core.ratio import ratio
from evenhand.count.given import Given, system_of
from evenhand.errors import InputError
from evenhand.infer.design import Floats
from evenhand.infer.interval import Settings
from evenhand.infer.mover import Limited, inside, limited, movable
from evenhand.infer.rows import rows_of
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

    def values(self, kernels: list[Kernel], mixes: Floats) -> list[Floats]:
        """Each metric (mixes × systems)."""
        sides = [
            side.values([self._own(k, i) for k in kernels], mixes)
            for i, side in enumerate(self.sides)
        ]
        return [np.concatenate(v, axis=1) for v in zip(*sides, strict=True)]

    def errors(self, kernel: Kernel, mixes: Floats, contrast: Floats) -> Floats:
        """Standard error at each mix of one system, or of the difference of two."""
        if len(self.sides) == 1:
            return self.sides[0].errors(kernel, mixes, contrast)
        each = [
            self.sides[i].errors(self._own(kernel, i), mixes, np.ones(1))
            for i in np.flatnonzero(contrast).tolist()
        ]
        return each[0] if len(each) == 1 else np.hypot(*each)

    def limited(self, level: float, mixes: int) -> list[Limited] | None:
        """The rates of each system with their limits, where they can be moved."""
        if not movable(self.tables, mixes):
            return None
        if len(self.sides) == 1:
            both = limited(self.tables, self.sides[0].rows, level)
            return [both.at(slice(s, s + 1)) for s in range(len(self.systems))]
        sides = zip(self.tables, self.sides, strict=True)
        return [limited(table, side.rows, level) for table, side in sides]

    def difference(
        self, kernel: Kernel, mixes: Floats, sure: list[Limited] | None, z: float
    ) -> tuple[Floats, Floats]:
        """First minus second system, and how far its interval reaches towards 0."""
        v = self.values([kernel], mixes)[0]
        gap, contrast = v[:, 0] - v[:, 1], np.array([1.0, -1.0])
        if sure is None:
            return gap, z * self.errors(kernel, mixes, contrast)
        ends = [self._reach(kernel, mixes, sure, s) for s in (0, 1)]
        (down, up), (other_down, other_up) = ends
        first, second = (np.where(gap > 0, *x) for x in ((down, up), (other_up, other_down)))
        shared = 2 * self._correlation(kernel, mixes) * first * second
        return gap, np.sqrt(np.maximum(first**2 + second**2 - shared, 0))

    def _correlation(self, kernel: Kernel, mixes: Floats) -> Floats | float:
        """Of two systems' scores; independent tables have none."""
        if len(self.sides) == 2:
            return 0.0
        one, two, gap = (
            self.errors(kernel, mixes, np.array(c)) for c in ((1.0, 0.0), (0.0, 1.0), (1.0, -1.0))
        )
        return np.asarray(np.clip(ratio(one**2 + two**2 - gap**2, 2 * one * two), -1, 1))

    def _reach(
        self, kernel: Kernel, mixes: Floats, sure: list[Limited], s: int
    ) -> tuple[Floats, Floats]:
        own = kernel.at(s) if self.tables.shape else kernel
        there = mixes if own.target is None else np.broadcast_to(own.target, mixes.shape)
        return sure[s].reach(own, there)

    def curves(
        self,
        kernel: Kernel,
        values: Floats,
        mixes: Floats,
        how: Settings | None,
        sure: list[Limited] | None,
    ) -> list[Curve]:
        """The curve of each system, with intervals if there are to be any."""
        found = []
        for s in range(len(self.systems)):
            v = values[:, s]
            ends = (np.full(v.shape, np.nan),) * 2
            if how is not None and sure is None:
                se = self.errors(kernel, mixes, np.eye(len(self.systems))[s])
                ends = telling(*around(v, se, how.z, kernel, chosen("range", kernel)))
            elif how is not None and sure is not None:
                ends = telling(*inside(v, *self._reach(kernel, mixes, sure, s), kernel))
            found.append(Curve.of(Intervals(v, np.full(v.shape, np.nan), *ends, by(None, v))))
        return found

    def _own(self, kernel: Kernel, side: int) -> Kernel:
        return kernel.at(side) if len(self.sides) == 2 else kernel
