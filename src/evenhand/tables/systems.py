"""Systems: what samples of several systems share, whatever they hold of each item."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import Sealed
from evenhand.core.registry import Task
from evenhand.errors import InputError, shown
from evenhand.tables.confusion import Confusion
from evenhand.tables.labels import Labels


class Systems(Sealed, ABC):
    """Several systems on the same items, each of which has a table."""

    labels: Labels
    systems: tuple[str, ...]
    slices: tuple[Any, ...]
    task: ClassVar[Task] = "single"
    varies: ClassVar[bool] = True
    soft: ClassVar[bool] = False

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self.systems)})"

    @property
    def k(self) -> int:
        """Number of classes."""
        return len(self.labels)

    def table(self, system: str) -> Confusion:
        """One system's table: the other systems and the clusters are forgotten."""
        if system not in self.systems:
            raise InputError(f"system must be one of {shown(self.systems)}, got {system!r}")
        return self._table(self.systems.index(system))

    def tables(self) -> Confusion:
        """The stack of all systems' tables, keyed by system."""
        return self._tables

    @cached_property
    def _tables(self) -> Confusion:
        each = [self._table(i) for i in range(len(self.systems))]
        return replace(Confusion.stack(each, self.systems), axes=("system",))

    @abstractmethod
    def _table(self, i: int) -> Confusion:
        """The table of the i-th system."""

    def doubled(self, mark: str) -> Self:
        """One system twice, the second time with a mark behind its name."""
        parts = tuple((key, part.doubled(mark)) for key, part in self.slices)
        systems = (*self.systems, f"{self.systems[0]} {mark}")
        return replace(self, systems=systems, slices=parts, **self._twice())

    @abstractmethod
    def _twice(self) -> dict[str, Any]:
        """What is held of each system, that of the first one twice."""

    def copies(self) -> tuple[tuple[str, ...], ...]:
        """Systems that give the same answer on every item, in groups, all by name."""
        correct, groups = self.tables().correct, list[list[int]]()
        for i in range(len(self.systems)):
            alike = (
                group
                for group in groups  # hits tell at once that most differ
                if np.array_equal(correct[group[0]], correct[i])
                and self.alike(group[0], i) is not None
            )
            group = next(alike, None)
            if group is None:
                groups.append([i])
            else:
                group.append(i)
        return tuple(sorted(tuple(sorted(self.systems[i] for i in g)) for g in groups if g[1:]))

    @abstractmethod
    def alike(self, i: int, j: int, classes: NDArray[np.bool_] | None = None) -> int | None:
        """Items on which two systems agree, if they never differ; ``None`` if they do.

        Of some ``classes`` (k): items that are true or predicted to be such, where it is no
        difference whether an item is taken for one of the other classes or another.
        """
