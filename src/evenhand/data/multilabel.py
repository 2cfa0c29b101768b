"""Multi-label data: sets of labels, true and predicted."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import ReadOnly, read_only, sealed
from evenhand.core.kernel import ItemArrays
from evenhand.core.margins import Counts
from evenhand.core.registry import Task
from evenhand.core.scores import ItemScores
from evenhand.data.cells import Weighing
from evenhand.data.confusion import Confusion
from evenhand.data.labels import Labels, among
from evenhand.options import CLASSES
from evenhand.warnings import LabelsDecided, ResultWarning

THRESHOLD = 0.5
"""The probability from which on one of several labels is predicted."""


class Indicators:
    """A dataclass field of sparse indicators that cannot be changed.

    Each access returns a new sparse matrix around the same read-only arrays, as the arrays of a
    sparse matrix can be exchanged.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, holder: Any, owner: type | None = None) -> Any:
        if holder is None:
            raise AttributeError(self.name)  # there is no default
        from scipy import sparse

        arrays, shape = vars(holder)[self.name]
        return sparse.csr_array(arrays, shape=shape)

    def __set__(self, holder: Any, matrix: Any) -> None:
        arrays = tuple(map(sealed, (matrix.data, matrix.indices, matrix.indptr)))
        vars(holder)[self.name] = arrays, matrix.shape


@dataclass(frozen=True, eq=False)
class MultiLabel(ReadOnly):
    """True and predicted label sets of every item, as sparse indicators (items × labels).

    Its margins per label are those of any table, so micro, macro and weighted averages are
    the same code; item averages, subset accuracy and Hamming loss need the items, which it
    keeps.

    >>> MultiLabel.from_indicators([{"a"}, {"a", "b"}], [{"a"}, {"b"}]).n
    2
    """

    labels: Labels
    true: Any = Indicators()
    pred: Any = Indicators()
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
    systems: ClassVar[tuple[str, ...]] = ()
    varies: ClassVar[bool] = True
    in_cells: ClassVar[bool] = False
    soft: ClassVar[bool] = False
    missing: ClassVar[int] = 0
    dropped: ClassVar[int] = 0

    def tables(self) -> MultiLabel:
        """The data themselves."""
        return self

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
        squares = self.weight**2 if self.times is None else self.weight**2 * self.times
        return np.asarray(read_only(self.true.T.astype(np.float64) @ squares))

    @property
    def amount(self) -> NDArray[Any]:
        """The weight of each row: its number of items, or the sum of their weights."""
        if self.weight is None:
            return self.times if self.times is not None else read_only(np.ones(self.rows, np.int64))
        if self.times is None:
            return self.weight
        return np.asarray(read_only(self.weight * self.times))

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

        ``weights``, ``cluster`` and ``by`` (slices) have one value an item.

        >>> multi = MultiLabel.from_indicators([{"a"}, {"a", "b"}], [{"a"}, {"b"}])
        >>> multi.prevalence.tolist(), multi.correct.tolist()
        ([2, 1], [1, 1])
        """
        from evenhand.data.label_sets import count_indicators

        return count_indicators(
            y_true, y_pred, labels=labels, weights=weights, cluster=cluster, by=by
        )

    @property
    def k(self) -> int:
        """Number of labels."""
        return len(self.labels)

    @property
    def n(self) -> int:
        """Number of items."""
        return self.rows if self.times is None else int(self.times.sum())

    @property
    def rows(self) -> int:
        """Number of rows, each of equal items."""
        return int(self.true.shape[0])

    @property
    def shape(self) -> tuple[int, ...]:
        """Leading axes: always one table."""
        return ()

    @property
    def hits(self) -> Any:
        """Indicators of the labels that are both true and predicted."""
        hits = self.true.multiply(self.pred).tocsr()
        for array in (hits.data, hits.indices, hits.indptr):
            read_only(array)
        return hits

    def _per_label(self, indicators: Any) -> NDArray[Any]:
        if self.weight is None and self.times is None:
            sums = indicators.sum(axis=0, dtype=np.int64)
        else:
            sums = indicators.T.astype(self.amount.dtype) @ self.amount
        return np.asarray(read_only(np.asarray(sums).reshape(-1)))

    @property
    def correct(self) -> NDArray[Any]:
        """Hits of each label."""
        return self._per_label(self.hits)

    @property
    def bias(self) -> NDArray[Any]:
        """How often each label was predicted."""
        return self._per_label(self.pred)

    @property
    def prevalence(self) -> NDArray[Any]:
        """How often each label is true."""
        return self._per_label(self.true)

    @property
    def total(self) -> float:
        """All items, or all weight."""
        return self.n if self.weight is None else float(self.amount.sum())

    def rule(self, classes: str) -> str:
        """The rule that applies: the labels of the task are those given, or else those seen."""
        if CLASSES.check(classes) != "task":
            return classes
        return "given" if self.has_own_labels else "seen"

    def averaged(self, classes: Any = "task") -> NDArray[np.bool_]:
        """Mask of the labels that an average runs over.

        ``"task"`` are the labels given, or else every label ``"seen"``: a false alarm on a label
        that is never true is an error that shows nowhere else.
        """
        if isinstance(classes, str):
            rule, true = self.rule(classes), self.prevalence > 0
            if rule == "given":
                return np.ones(self.k, bool)
            return np.asarray(true if rule == "true" else true | (self.bias > 0))
        return among(classes, self.labels)

    def counts(self, *, classes: Any = "task", undefined: float = 0.0) -> Counts:
        """The margins per label."""
        mask = read_only(self.averaged(classes))
        return self.counts_over(mask, undefined, ruled=isinstance(classes, str))

    def counts_over(
        self, averaged: NDArray[Any] | None, undefined: float, *, ruled: bool = False
    ) -> Counts:
        """The margins per label, with the labels to average as a mask; ``None``: all of them."""
        total = read_only(np.asarray(self.total))
        margins = (self.correct, self.bias, self.prevalence, total, 0)
        return Counts(*margins, averaged, undefined, ruled=ruled)

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
