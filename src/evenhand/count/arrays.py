"""Labels in memory, counted: one pass over codes into a dense or sparse table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.count.encode import Codes, Encoded, encode
from evenhand.count.pairs import count_codes
from evenhand.errors import InputError, shown
from evenhand.labels import Label, Labels, checked, kind_of, ordered, same_kind
from evenhand.table import Confusion


def count_labels(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    drop_null_truth: bool = False,
    names: tuple[str, str] = ("y_true", "y_pred"),
) -> Confusion:
    """The table of two equally long columns of labels."""
    truth, guess = encode(y_true, names[0]), encode(y_pred, names[1])
    same_length(truth, guess, names)
    known = shared_labels([truth, guess], labels, names)
    true, pred = recode(truth, known), recode(guess, known)
    weight = item_weights(weights, len(truth))
    dropped = 0
    lost = true < 0
    if lost.any():
        refuse_truth(truth, lost, known, names[0], drop=drop_null_truth)
        dropped = int(lost.sum())
        true, pred, guess_codes = true[~lost], pred[~lost], guess.codes[~lost]
        weight = None if weight is None else weight[~lost]
        if not len(true):
            raise InputError(f"{names[0]} must not be null everywhere: no item is left to count")
    else:
        guess_codes = guess.codes
    square = None if weight is None else weight**2
    data = count_codes(true, pred, len(known), weight, square)
    missing = int(np.count_nonzero(guess_codes < 0))
    return Confusion.of(known, data, n=np.asarray(len(true)), missing=missing, dropped=dropped)


def same_length(truth: Encoded, guess: Encoded, names: tuple[str, str]) -> None:
    """Both sides must have as many items, and at least one."""
    if len(truth) != len(guess):
        raise InputError(
            f"{names[0]} and {names[1]} must have the same length, "
            f"got {len(truth):,} and {len(guess):,}"
        )
    if not len(truth):
        raise InputError(f"{names[0]} must not be empty: there is no item to count")


def shared_labels(
    columns: list[Encoded], labels: Iterable[Any] | None, names: Iterable[str]
) -> Labels:
    """The classes of a table: as given, or all that occur, in the order of their type."""
    kind, first = None, ""
    for column, name in zip(columns, names, strict=True):
        kind = same_kind(kind, column.kind, first, name)
        first = first or name
    if labels is None:
        found: set[Label] = set()
        found.update(*(c.labels for c in columns))
        if not found:
            raise InputError(f"{first} must not be null everywhere: there is no class")
        return tuple(ordered(found))
    given = checked(labels)
    same_kind(kind_of(given, "labels"), kind, "labels", first)
    return given


def recode(column: Encoded, labels: Labels) -> Codes:
    """The column's codes in the order of ``labels``; −1 for null and for labels not listed."""
    place = {v: i for i, v in enumerate(labels)}
    to = np.array([*(place.get(v, -1) for v in column.labels), -1], np.int64)
    return to[column.codes]


def item_weights(weights: Any, n: int) -> NDArray[Any] | None:
    """Weights as an array: finite, not negative, one an item."""
    if weights is None:
        return None
    weight = np.asarray(weights)
    if weight.dtype.kind not in "iufb" or weight.shape != (n,):
        raise InputError(f"weights must be {n:,} numbers, one an item, got shape {weight.shape}")
    bad = ~(np.isfinite(weight) & (weight >= 0))
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        raise InputError(f"weights must be finite and ≥ 0, got {weight[at]} at item {at}")
    return weight.astype(np.float64)


def refuse_truth(
    truth: Encoded, lost: NDArray[np.bool_], labels: Labels, name: str, *, drop: bool
) -> None:
    """A true label must be a class; nulls may be dropped, but only when asked."""
    strange = [v for v in truth.labels if v not in set(labels)]
    if strange:
        raise InputError(
            f"{name} must hold only the given labels {shown(labels)}, got {shown(strange)}"
        )
    if not drop:
        at = int(np.flatnonzero(lost)[0])
        raise InputError(
            f"{name} must not be null, got {int(lost.sum()):,} nulls, the first at item {at}; "
            "drop_null_truth=True leaves such items out and counts them"
        )
