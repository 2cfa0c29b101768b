"""Sample: the same items seen by several systems, as distinct rows with weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InputError, shown
from evenhand.labels import Labels
from evenhand.table import Confusion

Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sample:
    """Distinct rows of (true label, prediction of each system), and how much each weighs.

    Predictions are codes into ``labels``, −1 for no class at all. ``weight`` sums a row's
    items, ``square`` their squared weights (``None`` for plain items, whose squares are the
    weights). With ``cluster`` rows also keep which cluster their items belong to. Items that
    look alike are one row: that is all a joint bootstrap or a paired test needs.
    """

    labels: Labels
    systems: tuple[str, ...]
    true: Codes
    pred: Codes
    weight: NDArray[Any]
    square: NDArray[Any] | None
    cluster: Codes | None
    n: int
    missing: Codes
    dropped: int = 0

    @classmethod
    def from_labels(
        cls,
        y_true: Any,
        predictions: Mapping[str, Any],
        *,
        labels: Iterable[Any] | None = None,
        weights: Any = None,
        cluster: Any = None,
        drop_null_truth: bool = False,
    ) -> Sample:
        """Rows from one column of truth and one column of predictions a system.

        >>> sample = Sample.from_labels("aab", {"A": list("aab"), "B": list("abb")})
        >>> len(sample.weight), sample.systems
        (3, ('A', 'B'))
        """
        from evenhand.count.samples import count_sample

        return count_sample(
            y_true,
            predictions,
            labels=labels,
            weights=weights,
            cluster=cluster,
            drop_null_truth=drop_null_truth,
        )

    @property
    def k(self) -> int:
        """Number of classes."""
        return len(self.labels)

    @property
    def squares(self) -> NDArray[Any]:
        """Sum of squared weights of each row."""
        return self.weight if self.square is None else self.square

    def table(self, system: str) -> Confusion:
        """One system's table: the other systems and the clusters are forgotten."""
        if system not in self.systems:
            raise InputError(f"system must be one of {shown(self.systems)}, got {system!r}")
        i = self.systems.index(system)
        return self._table(i)

    def tables(self) -> Confusion:
        """The stack of all systems' tables, keyed by system."""
        return Confusion.stack([self._table(i) for i in range(len(self.systems))], self.systems)

    def _table(self, i: int) -> Confusion:
        from evenhand.count.tally import cells_of

        rows = np.zeros(len(self.true), np.int64)
        data = cells_of(rows, self.true, self.pred[:, i], self.weight, self.square, k=self.k)
        return Confusion.of(
            self.labels,
            data,
            n=np.asarray(self.n),
            missing=int(self.missing[i]),
            dropped=self.dropped,
        )
