"""Several systems on the same items, counted into distinct rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import seal
from evenhand.count.arrays import first_null, item_weights, same_length
from evenhand.count.encode import encode
from evenhand.count.matrix import numbers
from evenhand.count.tally import recode, refuse_truth, shared_labels
from evenhand.errors import InputError, shown
from evenhand.tables.labels import checked, in_order, ordered
from evenhand.tables.sample import Codes, Sample


def count_sample(
    y_true: Any,
    predictions: Any,
    *,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    counts: Any = None,
    cluster: Any = None,
    drop_null_truth: bool = False,
) -> Sample:
    """The sample of one column of truth and one of predictions for each named system."""
    if hasattr(predictions, "columns"):
        predictions = {name: predictions[name] for name in predictions.columns}
    if not isinstance(predictions, Mapping) or not predictions:
        raise InputError("predictions must map at least one system's name to its labels")
    truth = encode(list(y_true) if isinstance(y_true, str) else y_true, "y_true")
    guesses = {str(name): encode(p, f"predictions of {name!r}") for name, p in predictions.items()}
    if len(guesses) < len(predictions):
        raise InputError(f"systems must have different names as text, got {shown(predictions)}")
    names = ["y_true", *(f"predictions of {name!r}" for name in guesses)]
    for name, guess in zip(names[1:], guesses.values(), strict=True):
        same_length(len(truth), len(guess), ("y_true", name))
    known = shared_labels([truth, *guesses.values()], labels, names)
    true = recode(truth, known)
    pred = np.stack([recode(g, known) for g in guesses.values()], axis=1)
    null = np.stack([g.codes < 0 for g in guesses.values()], axis=1)
    weight = item_weights(weights, len(truth))
    times = _frequencies(counts, len(truth))
    group = None if cluster is None else clusters(cluster, len(truth))
    lost = true < 0
    dropped = int(lost.sum() if times is None else times[lost].sum())
    if lost.any():
        refuse_truth(
            truth,
            dropped,
            known,
            "y_true",
            drop=drop_null_truth,
            first=first_null(truth),
        )
        if lost.all():
            raise InputError("y_true must not be null everywhere: no item is left to count")
        true, pred, null = true[~lost], pred[~lost], null[~lost]
        weight, times, group = (None if x is None else x[~lost] for x in (weight, times, group))
    columns = [true, *pred.T] if group is None else [true, *pred.T, group]
    if weight is not None:  # items of one row weigh the same, so that a row can be resampled
        columns.append(np.unique(weight, return_inverse=True)[1])
    first, row = distinct_rows(columns)
    items = np.bincount(row, times, minlength=len(first)).astype(np.int64)
    summed: NDArray[Any] = items
    square: NDArray[Any] | None = None
    if weight is not None:
        summed, square = items * weight[first], items * weight[first] ** 2
    return Sample(
        labels=known,
        systems=tuple(guesses),
        true=seal(true[first]),
        pred=seal(pred[first]),
        weight=seal(summed),
        square=seal(square),
        cluster=None if group is None else seal(group[first]),
        n=int(items.sum()),
        missing=null.sum(axis=0) if times is None else times @ null,
        dropped=dropped,
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
    first, _ = distinct_rows([true, *pred.T])
    return Sample(
        labels=known,
        systems=names,
        true=seal(true[first]),
        pred=seal(pred[first]),
        weight=seal(weight[first]),
        square=None,
        cluster=None,
        n=int(weight.sum()),
        missing=np.zeros(len(names), np.int64),
    )


def distinct_rows(columns: list[Codes]) -> tuple[Codes, Codes]:
    """Index of the first item of each distinct row in sorted order, and each item's row."""
    row = columns[0]
    first = np.zeros(0, np.int64)
    for column in [np.zeros_like(row), *columns[1:]]:
        span = int(column.max(initial=0)) + 2
        _, first, row = np.unique(row * span + column + 1, return_index=True, return_inverse=True)
    return first, row


def clusters(values: Any, n: int) -> Codes:
    """One code an item, in the order of the clusters' names."""
    found = encode(values, "cluster")
    if len(found) != n:
        raise InputError(f"cluster must have {n:,} entries, one an item, got {len(found):,}")
    if (found.codes < 0).any():
        at = int(np.flatnonzero(found.codes < 0)[0])
        raise InputError(f"cluster must not be null, got a null at item {at}")
    place = {v: i for i, v in enumerate(ordered(found.labels))}  # whatever the order of items
    return np.array([place[v] for v in found.labels], np.int64)[found.codes]


def _frequencies(values: Any, n: int) -> NDArray[Any] | None:
    if values is None:
        return None
    counts = numbers(values, "counts")
    if counts.shape != (n,) or counts.dtype.kind != "i":
        raise InputError(f"counts must be {n:,} whole numbers ≥ 0, one a row")
    return counts


def slices(keys: Sequence[Any]) -> Iterator[tuple[Any, list[int]]]:
    """Each slice in order, and the items in it."""
    found: dict[Any, list[int]] = {}
    for i, key in enumerate(keys):
        found.setdefault(key, []).append(i)
    yield from sorted(found.items(), key=lambda p: (p[0] is None, str(p[0])))
