"""Samples: distinct rows of the truth and the predictions of systems."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import ReadOnly, read_only, take
from evenhand.core.registry import Task
from evenhand.core.scores import ItemScores
from evenhand.data.cells import cells_of
from evenhand.data.confusion import Confusion, united
from evenhand.data.labels import Counting, Label, Labels, positions
from evenhand.errors import InputError, nearest, quoted, shown
from evenhand.options import is_name, mapping
from evenhand.warnings import Decided, ResultWarning

GRADED = ("wrong", "right")
"""The classes of items with grades, of which the second is true of all."""


class Systems(ReadOnly, ABC):
    """Several systems on the same items, each of which has a table."""

    labels: Labels
    systems: tuple[str, ...]
    slices: tuple[Any, ...]
    task: ClassVar[Task] = "single"
    varies: ClassVar[bool] = True
    soft: ClassVar[bool] = False
    notes: tuple[ResultWarning, ...] = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self.systems)})"

    @property
    def k(self) -> int:
        """Number of classes."""
        return len(self.labels)

    def table(self, system: str) -> Confusion:
        """One system's table: the other systems and the clusters are forgotten."""
        if not is_name(system, self.systems):
            got = f"{quoted(system)}{nearest(system, self.systems)}"
            raise InputError(f"system must be one of {shown(self.systems)}, got {got}")
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
        return self.among([0, 0], (*self.systems, f"{self.systems[0]} {mark}"))

    def among(self, columns: list[int], names: tuple[str, ...] = ()) -> Self:
        """The systems of these columns, in this order, maybe with other names."""
        if columns == [*range(len(self.systems))]:
            return self
        systems = names or tuple(self.systems[i] for i in columns)
        parts = self._parts(lambda part: part.among(columns, names))
        return replace(self, systems=systems, slices=parts, **self._columns(columns))

    def _parts(self, change: Callable[[Any], Any]) -> tuple[tuple[Hashable, Any], ...]:
        """The slices by key, each of them changed."""
        return tuple((key, change(part)) for key, part in self.slices)

    @abstractmethod
    def _columns(self, columns: list[int]) -> dict[str, Any]:
        """The fields with an axis of systems, of these systems."""

    def copies(self) -> tuple[tuple[str, ...], ...]:
        """Groups of systems with the same prediction for every item, sorted by name."""
        groups: dict[bytes, list[str]] = {}
        for i, name in enumerate(self.systems):
            groups.setdefault(self.predictions(i).tobytes(), []).append(name)
        return tuple(sorted(tuple(sorted(g)) for g in groups.values() if g[1:]))

    @abstractmethod
    def predictions(self, i: int) -> NDArray[Any]:
        """What the i-th system says of each row."""

    @abstractmethod
    def equal_items(self, i: int, j: int, classes: NDArray[np.bool_] | None = None) -> int | None:
        """The number of items if two systems have equal predictions, else ``None``.

        With a mask of ``classes`` (k), the number of items that are true or predicted to be of
        one of them, if the predictions of these classes are equal.
        """


Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class SoftSample(Systems):
    """True codes of items, and the class probabilities by systems (systems × items × k).

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
    notes: tuple[ResultWarning, ...] = field(default=(), compare=False)
    only_scores: bool = False
    """Whether they are no probabilities: one score an item of two classes, and its negative."""
    in_cells: ClassVar[bool] = False
    soft: ClassVar[bool] = True

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.true)

    def decided(self, label: Label | None = None, threshold: float = 0.5) -> Sample:
        """Labels in place of probabilities: the most probable class (the first, if several are).

        With ``label`` it is that class if its probability is at least ``threshold``, else the most
        probable other class. A threshold chosen on these items makes scores optimistic.

        >>> soft = Sample.from_probabilities(["a", "b"], {"A": [[0.7, 0.3], [0.6, 0.4]]},
        ...                                  labels="ab")
        >>> soft.decided().table("A").correct, soft.decided("b", 0.4).table("A").correct
        (array([1, 0]), array([1, 1]))
        """
        if not 0 <= threshold <= 1 and not self.only_scores:
            raise InputError(f"threshold must be between 0 and 1, got {threshold:g}")
        if label is None:
            second = str(self.labels[1]) if self.k == 2 else None
            note = Decided(self.k, above_half=second, scores=self.only_scores)
            sample = self._most_probable
        else:
            (at,) = positions([label], self.labels, "label")
            others = self.probability.copy()
            others[..., at] = -np.inf
            is_label = self.probability[..., at] >= threshold
            choice = np.where(is_label, at, others.argmax(axis=-1))
            sample = self.labelled(self.systems, choice.T)
            note = Decided(self.k, str(label), threshold, scores=self.only_scores)
        parts = self._parts(lambda part: part.decided(label, threshold))
        return replace(sample, slices=parts, notes=(*self.notes, note))

    @cached_property
    def _most_probable(self) -> Sample:
        p = self.probability
        codes = np.asarray(p[..., 1] > p[..., 0]) if self.k == 2 else p.argmax(axis=-1)
        return self.labelled(self.systems, codes.astype(np.int64).T)

    def labelled(self, systems: tuple[str, ...], pred: Codes) -> Sample:
        """The same items with predicted labels as codes, items × systems."""
        from evenhand.data.counting import coded_sample

        null, times = np.zeros(pred.shape, bool), np.ones(self.n, np.int64)
        columns = (self.true, pred, null, self.weight, times, self.cluster)
        return coded_sample(self.labels, systems, columns)

    @property
    def graded(self) -> bool:
        """Whether items have grades, not classes: each the probability of the right answer."""
        return self.labels == GRADED

    @cached_property
    def absent(self) -> NDArray[np.bool_]:
        """Systems × items: which items a system was not asked, of those with grades."""
        return np.asarray(np.isnan(self.probability[..., 0]))

    @cached_property
    def item_scores(self) -> ItemScores:
        """The probabilities beside the truth, for metrics that are of neither table nor labels."""
        truth = (self.true == np.arange(self.k)[:, None]).astype(np.float64).T
        weight = np.ones(self.n) if self.weight is None else self.weight
        return ItemScores(truth, self.probability, weight, only_scores=self.only_scores)

    @cached_property
    def _tables(self) -> Confusion:
        return super()._tables.with_scores(self.item_scores)

    def _table(self, i: int) -> Confusion:
        from evenhand.data.probabilities import soft_table

        if self.only_scores:
            return replace(self.decided()._table(i), notes=())
        table = soft_table(self.labels, self.true, np.nan_to_num(self.probability[i]), self.weight)
        return replace(table, n=table.n - self.absent[i].sum())

    def common(self) -> SoftSample:
        """The items that every system was asked, of which there must be some."""
        if self.absent.any(axis=0).all():
            raise InputError(f"{shown(self.systems)} have no item in common")
        return self._common()

    def _common(self) -> SoftSample:
        both = ~self.absent.any(axis=0)
        if both.all():
            return self
        true, weight, cluster = take(both, self.true, self.weight, self.cluster)
        if cluster is not None:
            cluster = np.unique(cluster, return_inverse=True)[1]
        columns: Any = {"true": true, "weight": weight, "cluster": cluster}
        parts = self._parts(SoftSample._common)
        return replace(self, probability=self.probability[:, both], slices=parts, **columns)

    def predictions(self, i: int) -> NDArray[Any]:
        return np.asarray(self.probability[i])

    def _columns(self, columns: list[int]) -> dict[str, Any]:
        return {"probability": self.probability[columns]}

    def equal_items(self, i: int, j: int, classes: NDArray[np.bool_] | None = None) -> int | None:
        mask = np.ones(self.k, bool) if classes is None else classes
        first, second = self.probability[i][:, mask], self.probability[j][:, mask]
        concerned = mask[self.true] | (first > 0).any(axis=1)
        return int(concerned.sum()) if np.array_equal(first, second) else None


@dataclass(frozen=True, eq=False, repr=False)
class Sample(Systems):
    """Distinct rows of (true label, prediction of each system), with their weights.

    Predictions are codes into ``labels``, −1 for no class. ``weight`` is the sum of the weights
    of a row's items, ``square`` that of their squares (``None`` if items have no weights).
    ``cluster`` is the cluster of a row's items. Items that are equal in all of these, their own
    weight included, are one row, which suffices for a joint bootstrap or a paired test.

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
    notes: tuple[ResultWarning, ...] = field(default=(), compare=False)
    """Warnings about how the items were counted, or probabilities became labels."""
    choices: bool = False
    """Whether labels are places of choices, such as A to D, which are other ones in every item."""

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
        from evenhand.data.counting import count_sample

        columns = {"weights": weights, "counts": counts, "cluster": cluster, "by": by}
        options = Counting(labels=labels, drop_null_truth=drop_null_truth, **columns)
        return count_sample(y_true, predictions, options)

    @classmethod
    def from_probabilities(
        cls,
        y_true: Any,
        probabilities: Mapping[str, Any],
        *,
        labels: Iterable[Any] | None = None,
        weights: Any = None,
        cluster: Any = None,
        by: Any = None,
    ) -> SoftSample:
        """Items with class probabilities, items × labels for each system, kept item by item.

        Without ``labels`` the columns are those of the true classes in their order. One number an
        item is the probability of the second of two classes. A soft table has forgotten how its
        items vary; this has not, so it has intervals.

        >>> soft = Sample.from_probabilities(["a", "b"], {"A": [[0.75, 0.25], [0.5, 0.5]]},
        ...                                  labels="ab")
        >>> soft.table("A").cells
        array([[0.75, 0.25],
               [0.5 , 0.5 ]])
        """
        from evenhand.data.probabilities import count_soft_sample

        options = Counting(labels=labels, weights=weights, cluster=cluster, by=by)
        return count_soft_sample(y_true, probabilities, options)

    @classmethod
    def from_sets(cls, sets: Mapping[Hashable, Sample]) -> Sample:
        """Several data sets that the same systems were run on: one sample, a slice each.

        >>> one = Sample.from_labels("ab", {"A": list("ab"), "B": list("aa")})
        >>> two = Sample.from_labels("bc", {"B": list("bc"), "A": list("cc")})
        >>> both = Sample.from_sets({"one": one, "two": two})
        >>> both.n, both.labels, both.systems, [(key, part.n) for key, part in both.slices]
        (4, ('a', 'b', 'c'), ('A', 'B'), [('one', 2), ('two', 2)])
        """
        mapping(sets, "data sets", "names to samples of labels")
        samples: list[Any] = list(sets.values())
        others = [type(s).__name__ for s in samples if not isinstance(s, Sample)]
        if others:
            raise InputError(f"data sets must be samples of labels, by name, got {shown(others)}")
        systems = samples[0].systems
        for key, sample in sets.items():
            lacking = set(systems) ^ set(sample.systems)
            if lacking:
                raise InputError(
                    f"every system must be in every data set; {key} and the first differ in "
                    f"{shown(sorted(lacking))}"
                )
        labels = united(samples)
        place = {v: i for i, v in enumerate(labels)}

        def moved(s: Sample) -> Sample:
            """A sample on the labels and systems of all."""
            to = np.array([*(place[v] for v in s.labels), -1])  # −1 is no class
            order = [s.systems.index(name) for name in systems]
            columns: Any = {"true": to[s.true], "pred": to[s.pred][:, order], "slices": ()}
            return replace(s, labels=labels, systems=systems, missing=s.missing[order], **columns)

        parts = {key: moved(s) for key, s in sets.items()}
        return replace(concatenated(list(parts.values())), slices=tuple(parts.items()))

    @property
    def in_cells(self) -> bool:
        """Whether tables alone give the variance, as there are no clusters."""
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
        counts = np.divide(
            self.weight**2, self.square, out=np.zeros(len(self.weight)), where=self.square > 0
        )
        return np.asarray(read_only(np.rint(counts).astype(np.int64)))

    def _table(self, i: int) -> Confusion:
        rows = np.zeros(len(self.true), np.int64)
        columns = (rows, self.true, self.pred[:, i], self.weight, self.square)
        counts: Any = {"n": self.n, "missing": self.missing[i], "dropped": self.dropped}
        data = cells_of(columns, k=self.k)
        return Confusion.from_cells(self.labels, data, **counts, notes=self.notes)

    def predictions(self, i: int) -> NDArray[Any]:
        return self.pred[:, i]

    def _columns(self, columns: list[int]) -> dict[str, Any]:
        return {"pred": self.pred[:, columns], "missing": self.missing[columns]}

    def equal_items(self, i: int, j: int, classes: NDArray[np.bool_] | None = None) -> int | None:
        true, first, second = self.true, self.pred[:, i], self.pred[:, j]
        if classes is None:
            return self.n if np.array_equal(first, second) else None
        mask = np.append(classes, False)  # no class at all, −1, is not one of them
        first, second = (np.where(mask[x], x, -1) for x in (first, second))
        concerned = mask[true] | mask[first]
        items = self.weight if self.square is None else np.ones(len(true), np.int64)
        return int(items[concerned].sum()) if np.array_equal(first, second) else None


def concatenated(parts: Sequence[Sample]) -> Sample:
    """All rows of samples with the same labels and systems; their clusters are different ones."""
    clusters, cluster = [p.cluster for p in parts if p.cluster is not None], None
    if clusters and len(clusters) < len(parts):
        raise InputError("clusters must be known of every data set, or of none")
    if clusters:
        sizes = np.cumsum([0, *(int(c.max(initial=-1)) + 1 for c in clusters)])
        cluster = np.concatenate([c + size for c, size in zip(clusters, sizes, strict=False)])
    is_plain = all(p.square is None for p in parts)
    square = None if is_plain else np.concatenate([p.squares for p in parts])
    columns: Any = {
        name: np.concatenate([getattr(p, name) for p in parts])
        for name in ("true", "pred", "weight")
    }
    sums: Any = {name: sum(getattr(p, name) for p in parts) for name in ("n", "missing", "dropped")}
    return replace(parts[0], square=square, cluster=cluster, **columns, **sums)


@dataclass(frozen=True, eq=False)
class SampleSlices:
    """Slices of one system with clusters by key, whose rows are scored as one stack.

    >>> groups = {"cluster": [1, 2, 1, 2], "by": [3, 3, 4, 4]}
    >>> sample = Sample.from_labels("abab", {"A": list("aaab")}, **groups)
    >>> slices = SampleSlices(sample.slices)
    >>> slices.tables().cells.tolist(), slices.cluster.tolist()
    ([[[1, 0], [1, 0]], [[1, 0], [0, 1]]], [0, 1, 2, 3])
    """

    parts: Sequence[tuple[Hashable, Sample]]
    task: ClassVar[Task] = "single"
    systems: ClassVar[tuple[str, ...]] = ()
    slices: ClassVar[tuple[Any, ...]] = ()
    varies: ClassVar[bool] = True
    in_cells: ClassVar[bool] = False

    @cached_property
    def rows(self) -> Sample:
        """The rows of all slices."""
        return concatenated([part for _, part in self.parts])

    @cached_property
    def slice(self) -> Codes:
        """The slice of each row."""
        return np.repeat(np.arange(len(self.parts)), [len(p.true) for _, p in self.parts])

    @cached_property
    def cluster(self) -> Codes:
        """The cluster of each row, which is in one slice."""
        return np.unique(np.asarray(self.rows.cluster), return_inverse=True)[1]

    @property
    def labels(self) -> Labels:
        """The labels of all slices."""
        return self.rows.labels

    @property
    def keys(self) -> tuple[Hashable, ...]:
        """The keys of the slices."""
        return tuple(key for key, _ in self.parts)

    @classmethod
    def fit(cls, slices: Sequence[tuple[Hashable, Any]]) -> bool:
        """Whether slices are samples with clusters."""
        samples = (isinstance(p, Sample) and p.cluster is not None for _, p in slices)
        return bool(slices) and all(samples)

    def tables(self) -> Confusion:
        """The stack of the slices' tables."""
        rows = self.rows
        columns = (self.slice, rows.true, rows.pred[:, 0], rows.weight, rows.square)
        data = cells_of(columns, k=rows.k, shape=(len(self.parts),))
        each = zip(*((p.n, p.missing[0], p.dropped) for _, p in self.parts), strict=True)
        counts: Any = dict(zip(("n", "missing", "dropped"), map(np.array, each), strict=True))
        return Confusion.from_cells(rows.labels, data, keys=(self.keys,), axes=("slice",), **counts)
