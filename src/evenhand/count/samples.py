"""Several systems on the same items, counted into distinct rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import seal, taken
from evenhand.count.arrays import first_null, item_weights, same_length
from evenhand.count.encode import encode
from evenhand.count.matrix import numbers
from evenhand.count.slices import clusters, parts_of
from evenhand.count.tally import recode, refuse_truth, shared_labels
from evenhand.errors import InputError, shown
from evenhand.tables.labels import Labels, checked, in_order, key_text
from evenhand.tables.sample import Codes, Sample


def count_sample(
    y_true: Any,
    predictions: Any,
    *,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    counts: Any = None,
    cluster: Any = None,
    by: Any = None,
    drop_null_truth: bool = False,
    truth: str = "y_true",
    names: Sequence[str] | None = None,
) -> Sample:
    """The sample of one column of truth and one of predictions for each named system.

    ``truth`` and ``names`` are what errors call the columns.
    """
    if hasattr(predictions, "columns"):
        predictions = {name: predictions[name] for name in predictions.columns}
    if not isinstance(predictions, Mapping) or not predictions:
        raise InputError("predictions must map at least one system's name to its labels")
    systems = tuple(map(str, predictions))
    if len(set(systems)) < len(systems):
        raise InputError(f"systems must have different names as text, got {shown(predictions)}")
    called = [truth, *(names or (f"predictions of {name!r}" for name in systems))]
    true = encode(list(y_true) if isinstance(y_true, str) else y_true, truth)
    guesses = [encode(p, name) for p, name in zip(predictions.values(), called[1:], strict=True)]
    for name, guess in zip(called[1:], guesses, strict=True):
        same_length(true, guess, (truth, name))
    n, known = len(true), shared_labels([true, *guesses], labels, called)
    items = Coded(
        known,
        systems,
        recode(true, known),
        np.stack([recode(g, known) for g in guesses], axis=1),
        np.stack([g.codes < 0 for g in guesses], axis=1),
        item_weights(weights, n),
        _frequencies(counts, n),
        None if cluster is None else clusters(cluster, n),
    )
    if items.lost.any():
        first = first_null(true) if counts is None else ""
        refuse_truth(true, items.dropped, known, truth, drop=drop_null_truth, first=first)
    whole = items.sample(truth)
    if by is None:
        return whole
    parts = (
        (key, items.at(at).sample(f"{truth} of {key_text(key)}", renumber=False))
        for key, at in parts_of(by, n)
        if not items.lost[at].all()  # rows that were left out make no slice
    )
    return replace(whole, slices=tuple(parts))


@dataclass(frozen=True, eq=False)
class Coded:
    """Items one a row, as codes: truth, prediction of each system, and what stands beside them."""

    labels: Labels
    systems: tuple[str, ...]
    true: Codes
    pred: Codes
    null: NDArray[np.bool_]
    weight: NDArray[Any] | None
    times: NDArray[Any] | None
    cluster: Codes | None

    def at(self, rows: Any) -> Coded:
        """Some of the items."""
        columns = (self.true, self.pred, self.null, self.weight, self.times, self.cluster)
        return Coded(self.labels, self.systems, *taken(rows, *columns))

    @property
    def lost(self) -> NDArray[np.bool_]:
        """Which have no true class."""
        return np.asarray(self.true < 0)

    @property
    def dropped(self) -> int:
        """How many have no true class."""
        return int(self.lost.sum() if self.times is None else self.times[self.lost].sum())

    def sample(self, truth: str, *, renumber: bool = True) -> Sample:
        """The distinct rows of those that have a true class.

        Unless told to ``renumber`` them, clusters keep their codes, by which slices share them.
        """
        if self.lost.all():
            raise InputError(f"{truth} must not be null everywhere: no item is left to count")
        kept = self.at(~self.lost) if self.lost.any() else self
        true, pred, weight, times = kept.true, kept.pred, kept.weight, kept.times
        columns = [true, *pred.T]
        if kept.cluster is not None:
            columns.append(kept.cluster)
        if weight is not None:  # items of one row weigh the same, so that a row can be resampled
            columns.append(np.unique(weight, return_inverse=True)[1])
        first, row = distinct_rows(columns)
        items = np.zeros(len(first), np.int64)
        np.add.at(items, row, 1 if times is None else times)
        summed: NDArray[Any] = items
        square: NDArray[Any] | None = None
        if weight is not None:
            summed, square = items * weight[first], items * weight[first] ** 2
        group = None
        if kept.cluster is not None:
            group = kept.cluster[first]
            group = np.unique(group, return_inverse=True)[1] if renumber else group
        return Sample(
            labels=kept.labels,
            systems=kept.systems,
            true=seal(true[first]),
            pred=seal(pred[first]),
            weight=seal(summed),
            square=seal(square),
            cluster=None if group is None else seal(group),
            n=int(items.sum()),
            missing=kept.null.sum(axis=0) if times is None else times @ kept.null,
            dropped=self.dropped,
        )


def count_joint(
    cells: Any, systems: Iterable[str] | None = None, *, labels: Iterable[Any] | None = None
) -> Sample:
    """The sample behind a joint table: true × the prediction of each system, as counts."""
    array = numbers(cells, "the joint table")
    k = array.shape[0]
    given = "ABCDEFGH"[: array.ndim - 1] if systems is None else in_order(systems, "systems")
    names = tuple(map(str, given))
    if array.ndim < 2 or any(size not in (k, k + 1) for size in array.shape[1:]):
        raise InputError(
            "the joint table must be k × (k + 1) for each system, the last place for predictions "
            f"that are no class, got {' × '.join(map(str, array.shape))}"
        )
    if len(names) != array.ndim - 1 or len(set(names)) != len(names):
        raise InputError(f"systems must be {array.ndim - 1} different names, got {shown(names)}")
    if array.dtype.kind != "i":
        raise InputError("the joint table must hold whole counts: a test needs to know the items")
    known = tuple(range(k)) if labels is None else checked(labels, length=k)
    true, *guesses = np.nonzero(array)
    pred = np.stack([np.where(g == k, -1, g) for g in guesses], axis=1)
    weight = array[(true, *guesses)]
    if not len(true):
        raise InputError("the joint table must not be empty: there is no item to count")
    null = np.zeros(pred.shape, bool)
    return Coded(known, names, true, pred, null, None, weight, None).sample("the joint table")


def distinct_rows(columns: list[Codes]) -> tuple[Codes, Codes]:
    """Index of the first item of each distinct row in sorted order, and each item's row."""
    row = columns[0]
    first = np.zeros(0, np.int64)
    for column in [np.zeros_like(row), *columns[1:]]:
        span = int(column.max(initial=0)) + 2
        _, first, row = np.unique(row * span + column + 1, return_index=True, return_inverse=True)
    return first, row


def _frequencies(values: Any, n: int) -> NDArray[Any] | None:
    if values is None:
        return None
    counts = numbers(values, "counts")
    if counts.shape != (n,) or counts.dtype.kind != "i":
        raise InputError(f"counts must be {n:,} whole numbers ≥ 0, one a row")
    return counts
