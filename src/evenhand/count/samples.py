"""Several systems on the same items, counted into distinct rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.count.arrays import first_null, item_weights, same_length
from evenhand.count.encode import encode
from evenhand.count.tally import recode, refuse_truth, shared_labels
from evenhand.errors import InputError, shown
from evenhand.sample import Codes, Sample


def count_sample(
    y_true: Any,
    predictions: Any,
    *,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
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
    group = None if cluster is None else _clusters(cluster, len(truth))
    lost = true < 0
    if lost.any():
        refuse_truth(
            truth,
            int(lost.sum()),
            known,
            "y_true",
            drop=drop_null_truth,
            first=first_null(truth),
        )
        if lost.all():
            raise InputError("y_true must not be null everywhere: no item is left to count")
        true, pred, null = true[~lost], pred[~lost], null[~lost]
        weight = None if weight is None else weight[~lost]
        group = None if group is None else group[~lost]
    columns = [true, *pred.T] if group is None else [true, *pred.T, group]
    first, row = distinct_rows(columns)
    square: NDArray[Any] | None = None
    if weight is None:
        summed: NDArray[Any] = np.bincount(row, minlength=len(first))
    else:
        summed = np.bincount(row, weight, minlength=len(first))
        square = np.bincount(row, weight**2, minlength=len(first))
    return Sample(
        labels=known,
        systems=tuple(guesses),
        true=true[first],
        pred=pred[first],
        weight=summed,
        square=square,
        cluster=None if group is None else group[first],
        n=len(true),
        missing=null.sum(axis=0),
        dropped=int(lost.sum()),
    )


def distinct_rows(columns: list[Codes]) -> tuple[Codes, Codes]:
    """Index of the first item of each distinct row in sorted order, and each item's row."""
    row = columns[0]
    first = np.zeros(0, np.int64)
    for column in [np.zeros_like(row), *columns[1:]]:
        span = int(column.max(initial=0)) + 2
        _, first, row = np.unique(row * span + column + 1, return_index=True, return_inverse=True)
    return first, row


def _clusters(values: Any, n: int) -> Codes:
    found = encode(values, "cluster")
    if len(found) != n:
        raise InputError(f"cluster must have {n:,} entries, one an item, got {len(found):,}")
    if (found.codes < 0).any():
        at = int(np.flatnonzero(found.codes < 0)[0])
        raise InputError(f"cluster must not be null, got a null at item {at}")
    return found.codes
