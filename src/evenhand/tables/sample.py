"""Sample: the same items seen by several systems, as distinct rows with weights."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import seal
from evenhand.tables.confusion import Confusion
from evenhand.tables.labels import Label, Labels
from evenhand.tables.systems import Systems

Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class SoftSample(Systems):
    """Items one by one: true code, and each system's class probabilities (systems × items × k).

    >>> soft = Sample.from_probabilities(["a"], {"A": [[0.75, 0.25]]}, labels="ab")
    >>> soft
    SoftSample(A)
    """

    labels: Labels
    systems: tuple[str, ...]
    true: Codes
    probability: NDArray[np.float64]
    weight: NDArray[np.float64] | None = None
    cluster: Codes | None = None
    slices: tuple[tuple[Hashable, SoftSample], ...] = ()
    in_cells: ClassVar[bool] = False
    soft: ClassVar[bool] = True

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.true)

    def decided(self, label: Label | None = None, threshold: float = 0.5) -> Sample:
        """Every item with one label: the most probable, or ``label`` from a ``threshold`` on.

        Below it, the most probable of the others. Of equal ones it is the first. A threshold that
        was chosen on these items makes their scores optimistic.

        >>> soft = Sample.from_probabilities(["a", "b"], {"A": [[0.7, 0.3], [0.6, 0.4]]},
        ...                                  labels="ab")
        >>> soft.decided().table("A").correct, soft.decided("b", 0.4).table("A").correct
        (array([1, 0]), array([1, 1]))
        """
        from evenhand.count.probabilities import decided

        return decided(self, label, threshold)

    def _table(self, i: int) -> Confusion:
        from evenhand.count.probabilities import soft_table

        return soft_table(self.labels, self.true, self.probability[i], self.weight)

    def _twice(self) -> dict[str, Any]:
        return {"probability": self.probability[[0, 0]]}

    def alike(self, i: int, j: int, classes: NDArray[np.bool_] | None = None) -> int | None:
        own = np.ones(self.k, bool) if classes is None else classes
        one, other = self.probability[i][:, own], self.probability[j][:, own]
        concerned = own[self.true] | (one > 0).any(axis=1)
        return int(concerned.sum()) if np.array_equal(one, other) else None


@dataclass(frozen=True, eq=False, repr=False)
class Sample(Systems):
    """Distinct rows of (true label, prediction of each system), and how much each weighs.

    Predictions are codes into ``labels``, −1 for no class at all. ``weight`` sums a row's
    items, ``square`` their squared weights (``None`` for plain items, whose squares are the
    weights). With ``cluster`` rows also keep which cluster their items belong to. Items that
    look alike, their weight included, are one row: that is all a joint bootstrap or a paired
    test needs.

    >>> sample = Sample.from_labels(list("aab"), {"A": list("aab"), "B": list("abb")})
    >>> sample.n, sample.table("B").correct
    (3, array([1, 1]))
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
    slices: tuple[tuple[Hashable, Sample], ...] = ()
    """The same systems on parts of the items, by key."""

    @classmethod
    def from_labels(
        cls,
        y_true: Any,
        predictions: Mapping[str, Any],
        *,
        labels: Iterable[Any] | None = None,
        weights: Any = None,
        counts: Any = None,
        cluster: Any = None,
        by: Any = None,
        drop_null_truth: bool = False,
    ) -> Sample:
        """Rows from one column of truth and one column of predictions a system.

        ``weights`` say how much an item matters; ``counts`` how many equal items a row stands
        for, as when an engine has already grouped them; ``by`` of which slice it is.

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
            counts=counts,
            cluster=cluster,
            by=by,
            drop_null_truth=drop_null_truth,
        )

    @classmethod
    def from_joint(
        cls,
        cells: Any,
        systems: Iterable[str] | None = None,
        *,
        labels: Iterable[Any] | None = None,
    ) -> Sample:
        """Rows from a joint table of counts: true × prediction of A × prediction of B ….

        Each prediction axis has k places, or k + 1 with the last for no class at all.

        >>> Sample.from_joint([[[3, 1], [0, 1]], [[1, 0], [2, 4]]], ["A", "B"]).n
        12
        """
        from evenhand.count.samples import count_joint

        return count_joint(cells, systems, labels=labels)

    @classmethod
    def from_probabilities(
        cls,
        y_true: Any,
        probabilities: Mapping[str, Any],
        *,
        labels: Iterable[Any],
        weights: Any = None,
        cluster: Any = None,
        by: Any = None,
    ) -> SoftSample:
        """Items with class probabilities, items × labels for each system, kept item by item.

        A soft table has forgotten how its items vary; this has not, so it has intervals.

        >>> soft = Sample.from_probabilities(["a", "b"], {"A": [[0.75, 0.25], [0.5, 0.5]]},
        ...                                  labels="ab")
        >>> soft.table("A").cells
        array([[0.75, 0.25],
               [0.5 , 0.5 ]])
        """
        from evenhand.count.probabilities import count_soft_sample

        return count_soft_sample(
            y_true, probabilities, labels=labels, weights=weights, cluster=cluster, by=by
        )

    @classmethod
    def from_sets(cls, sets: Mapping[Hashable, Sample]) -> Sample:
        """Several data sets that the same systems were run on: one sample, a slice each.

        >>> one = Sample.from_labels("ab", {"A": list("ab"), "B": list("aa")})
        >>> two = Sample.from_labels("xy", {"A": list("xx"), "B": list("xy")})
        >>> Sample.from_sets({"letters": one, "signs": two}).n
        4
        """
        from evenhand.tables.sets import beside

        return beside(sets)

    @property
    def in_cells(self) -> bool:
        """Whether the tables say as much about how the items vary as the rows would."""
        return self.cluster is None

    @property
    def squares(self) -> NDArray[Any]:
        """Sum of squared weights of each row."""
        return self.weight if self.square is None else self.square

    @property
    def items(self) -> NDArray[np.int64]:
        """Number of items of each row; those of one row weigh the same."""
        if self.square is None:
            return np.asarray(self.weight, np.int64)
        alike = np.divide(
            self.weight**2, self.square, out=np.zeros(len(self.weight)), where=self.square > 0
        )
        return np.asarray(seal(np.rint(alike).astype(np.int64)))

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

    def _twice(self) -> dict[str, Any]:
        return {"pred": self.pred[:, [0, 0]], "missing": self.missing[[0, 0]]}

    def alike(self, i: int, j: int, classes: NDArray[np.bool_] | None = None) -> int | None:
        true, one, other = self.true, self.pred[:, i], self.pred[:, j]
        if classes is None:
            return self.n if np.array_equal(one, other) else None
        own = np.append(classes, False)  # no class at all, −1, is not one of them
        one, other = (np.where(own[x], x, -1) for x in (one, other))
        concerned = own[true] | own[one]
        many = self.weight if self.square is None else np.ones(len(true), np.int64)
        return int(many[concerned].sum()) if np.array_equal(one, other) else None
