"""Multi-label data: sets of labels, true and predicted."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import read_only, sealed
from evenhand.core.kernel import ItemArrays
from evenhand.core.margins import Counts
from evenhand.core.registry import Task
from evenhand.core.scores import ItemScores
from evenhand.data.cells import Weighing
from evenhand.data.confusion import Confusion, LabelTable
from evenhand.data.labels import Counting, Labels
from evenhand.warnings import LabelsDecided, ResultWarning

THRESHOLD = 0.5
"""The probability from which on one of several labels is predicted."""


@dataclass(frozen=True, eq=False)
class MultiLabel(LabelTable):
    """True and predicted label sets of every item, as sparse indicators (items × labels).

    Its margins per label are those of any table, so micro, macro and weighted averages are
    the same code; item averages, subset accuracy and Hamming loss need the items, which it
    keeps.

    >>> MultiLabel.from_indicators([{"a"}, {"a", "b"}], [{"a"}, {"b"}]).n
    2
    """

    labels: Labels
    true: Any
    pred: Any
    weight: NDArray[np.float64] | None = None
    has_own_labels: bool = True
    """Whether the labels were listed, rather than taken from the data."""
    times: NDArray[np.int64] | None = None
    """The number of equal items of each row; ``None`` if each row is one item."""
    cluster: NDArray[np.int64] | None = None
    slices: tuple[tuple[Hashable, MultiLabel], ...] = ()
    """Parts of the items, by key."""
    probability: NDArray[np.float64] | None = None
    """Probabilities of the labels (items × labels), from 0.5 on which they are predicted."""
    only_scores: bool = False
    """Whether these are scores that are no probabilities, predicted from 0 on."""

    task: ClassVar[Task] = "multi"
    varies: ClassVar[bool] = True
    in_cells: ClassVar[bool] = False
    soft: ClassVar[bool] = False
    missing: ClassVar[int] = 0
    dropped: ClassVar[int] = 0

    def sliced(self) -> tuple[MultiLabel, list[tuple[Hashable, MultiLabel]]]:
        """All items, and parts of them by key."""
        return self, list(self.slices)

    @property
    def notes(self) -> tuple[ResultWarning, ...]:
        """How probabilities became predictions, if there are any."""
        if self.probability is None:
            return ()
        return (LabelsDecided(0.0 if self.only_scores else THRESHOLD, scores=self.only_scores),)

    @property
    def item_scores(self) -> ItemScores | None:
        """The probabilities beside the truth, if there are any."""
        if self.probability is None:
            return None
        truth = np.asarray(self.true.todense(), np.float64)
        weight = np.asarray(self.amount, np.float64)
        return ItemScores(truth, self.probability[None], weight, several_labels=True)

    @property
    def outside(self) -> NDArray[np.int64]:
        """Nothing: a set of labels is never outside them."""
        return np.asarray(read_only(np.zeros(self.k, np.int64)))

    @property
    def weighing(self) -> Weighing:
        """Whether items have weights."""
        return "none" if self.weight is None else "given"

    @property
    def true_squares(self) -> NDArray[Any] | None:
        """Squared weights of the items of each true label; ``None`` where each counts once."""
        if self.weight is None:
            return None
        squares = self.weight * self.amount
        return np.asarray(read_only(self.true.T.astype(np.float64) @ squares))

    @property
    def amount(self) -> NDArray[Any]:
        """The weight of each row: its number of items, or the sum of their weights."""
        weight = np.ones(self.rows, np.int64) if self.weight is None else self.weight
        return np.asarray(read_only(weight if self.times is None else weight * self.times))

    @classmethod
    def from_indicators(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Iterable[Any] | None = None,
        weights: Any = None,
        cluster: Any = None,
        by: Any = None,
    ) -> MultiLabel:
        """Items × labels as 0/1 arrays or scipy sparse matrices, or as lists of label sets.

        ``weights``, ``cluster`` and ``by`` (slices) have one value per item.

        >>> multi = MultiLabel.from_indicators([{"a"}, {"a", "b"}], [{"a"}, {"b"}])
        >>> multi.prevalence.tolist(), multi.correct.tolist()
        ([2, 1], [1, 1])
        """
        from evenhand.data.label_sets import count_indicators

        options = Counting(labels=labels, weights=weights, cluster=cluster, by=by)
        return count_indicators(y_true, y_pred, options)

    @property
    def n(self) -> int:
        """Number of items."""
        return self.rows if self.times is None else int(self.times.sum())

    @property
    def rows(self) -> int:
        """Number of rows, each of equal items."""
        return int(self.true.shape[0])

    @cached_property
    def hits(self) -> Any:
        """Indicators of the labels that are both true and predicted."""
        return sealed(self.true.multiply(self.pred).tocsr())

    @cached_property
    def _margins(self) -> Counts:
        amount = self.amount
        correct, bias, prevalence = (
            x.T.astype(amount.dtype) @ amount for x in (self.hits, self.pred, self.true)
        )
        total, outside = np.asarray(amount.sum()), np.asarray(0)
        margins = Counts(correct, bias, prevalence, total, outside)
        return margins.mapped(read_only, read_only)

    @property
    def _task_rule(self) -> str:
        return "given" if self.has_own_labels else "seen"

    def items(self, *, undefined: float = 0.0) -> ItemArrays:
        """Hits, predicted and true labels of each item, for averages over items."""

        def per_item(indicators: Any) -> NDArray[Any]:
            sums = np.asarray(indicators.sum(axis=1, dtype=np.int64)).reshape(-1)
            return np.asarray(read_only(sums))

        weight = read_only(np.asarray(self.amount, np.float64))
        return ItemArrays(
            per_item(self.hits), per_item(self.pred), per_item(self.true), weight, self.k, undefined
        )

    def __repr__(self) -> str:
        from evenhand.results.result import multilabel_text

        return multilabel_text(self)


AnyTable: TypeAlias = Confusion | MultiLabel
