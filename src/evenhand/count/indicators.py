"""Multi-label data, counted: dense or sparse indicators, or sets of labels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import taken
from evenhand.count.arrays import item_weights
from evenhand.count.encode import Encoded, array_of, encode
from evenhand.count.slices import clusters, parts_of
from evenhand.count.tally import recode, refuse_strange, shared_labels
from evenhand.errors import InputError, shown
from evenhand.tables.labels import checked
from evenhand.tables.multilabel import MultiLabel


def count_indicators(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    times: Any = None,
    cluster: Any = None,
    by: Any = None,
) -> MultiLabel:
    """Both sides as indicators on the same labels; ``times`` says how many items a row is."""
    y_true, y_pred, labels = _unframed(y_true, y_pred, labels)
    y_true, y_pred = _with_lists(y_true), _with_lists(y_pred)
    given = True
    if _are_sets(y_true) or _are_sets(y_pred):
        true, pred, known = _from_sets(y_true, y_pred, labels)
        given = labels is not None
    else:
        true, pred = _indicator(y_true, "y_true"), _indicator(y_pred, "y_pred")
        if true.shape != pred.shape:
            raise InputError(
                f"y_true and y_pred must have the same shape, got {true.shape} and {pred.shape}"
            )
        k = true.shape[1]
        known = checked(range(k) if labels is None else labels)
        if len(known) != k:
            raise InputError(
                f"labels must have length {k} (one per column of the indicators), got {len(known)}"
            )
    if not true.shape[0] or not true.shape[1]:
        raise InputError("y_true must not be empty: there is no item or no label to count")
    n = true.shape[0]
    weight = item_weights(weights, n)
    group = None if cluster is None else clusters(cluster, n)
    whole = MultiLabel(known, true, pred, weight, given, times, group)
    if by is None:
        return whole
    return replace(whole, slices=tuple((key, _part(whole, at)) for key, at in parts_of(by, n)))


def _part(whole: MultiLabel, at: Any) -> MultiLabel:
    """Some of the items, on the same labels."""
    columns = (whole.true, whole.pred, whole.weight, whole.times, whole.cluster)
    true, pred, weight, times, group = taken(at, *columns)
    if group is not None:
        group = np.unique(group, return_inverse=True)[1]
    return MultiLabel(whole.labels, true, pred, weight, whole.given, times, group)


def _unframed(y_true: Any, y_pred: Any, labels: Any) -> tuple[Any, Any, Any]:
    """Data frames bring their labels in their columns, and are matched by them."""
    columns = [list(y.columns) if hasattr(y, "columns") else None for y in (y_true, y_pred)]
    if columns[0] is None or columns[1] is None:
        return y_true, y_pred, labels
    if set(columns[0]) != set(columns[1]):
        raise InputError(
            "y_true and y_pred must have the same columns, "
            f"got {shown(columns[0])} and {shown(columns[1])}"
        )
    y_true, y_pred = y_true.to_numpy(), y_pred[columns[0]].to_numpy()
    return y_true, y_pred, columns[0] if labels is None else labels


def _with_lists(values: Any) -> Any:
    """Rows that are arrays, as pandas has them from Parquet and Arrow, as lists."""
    if not isinstance(values, list | tuple):
        return values
    return [row.tolist() if isinstance(row, np.ndarray) else row for row in values]


def _are_sets(values: Any) -> bool:
    """Whether ``values`` lists label sets rather than rows of zeros and ones."""
    if hasattr(values, "shape") or not isinstance(values, list | tuple):
        return False
    if any(isinstance(v, set | frozenset | str) for v in values):
        return True
    rows = [v for v in values if isinstance(v, list | tuple)]
    if not rows:
        return False
    lengths = {len(r) for r in rows}
    entries = [x for r in rows for x in r]
    whole = all(isinstance(x, int | float | np.number) for x in entries)
    if not whole or len(lengths) != 1 or lengths == {0}:
        return True
    if all(x in (0, 1) for x in entries):
        return False
    strange = next(x for x in entries if x not in (0, 1))
    raise InputError(
        f"rows of numbers of one length are read as indicators of 0 and 1, got {strange}; "
        "write label sets as sets"
    )


def _indicator(values: Any, what: str) -> Any:
    from scipy import sparse

    if sparse.issparse(values):
        found = sparse.csr_array(values, copy=True)  # what follows changes it in place
        found.sum_duplicates()
        found.eliminate_zeros()
        entries = found.data
    else:
        dense = array_of(values, what)
        if dense.ndim != 2 or dense.dtype.kind not in "iufb":
            raise InputError(
                f"{what} must be items × labels of 0 and 1, or a list of label sets, "
                f"got shape {dense.shape} of {dense.dtype}"
            )
        entries = dense.ravel()
        found = sparse.csr_array(dense)
    bad = entries[(entries != 0) & (entries != 1)]
    if bad.size:
        raise InputError(f"{what} must hold only 0 and 1, got {bad[0]}")
    return found.astype(bool)


def _from_sets(y_true: Any, y_pred: Any, labels: Any) -> tuple[Any, Any, tuple[Any, ...]]:
    from scipy import sparse

    sides = [_flattened(y_true, "y_true"), _flattened(y_pred, "y_pred")]
    if len(sides[0][0]) != len(sides[1][0]):
        raise InputError(
            "y_true and y_pred must have the same length, "
            f"got {len(sides[0][0]):,} and {len(sides[1][0]):,}"
        )
    known = shared_labels([s[1] for s in sides], labels, ("y_true", "y_pred"))
    found = []
    for (sizes, column), what in zip(sides, ("y_true", "y_pred"), strict=True):
        codes = recode(column, known)
        start = np.concatenate([[0], np.cumsum(sizes)])
        for at in np.flatnonzero(codes < 0)[:1]:
            refuse_strange(column.labels, known, what)
            item = int(np.searchsorted(start, at, side="right")) - 1
            raise InputError(f"{what} must be a list of label sets, got a null at item {item}")
        ones = np.ones(len(codes), bool)
        matrix = sparse.csr_array((ones, codes, start), shape=(len(sizes), len(known)))
        matrix.sum_duplicates()
        found.append(matrix.astype(bool))
    return found[0], found[1], known


def _flattened(values: Any, what: str) -> tuple[NDArray[np.int64], Encoded]:
    rows = list(values)
    for i, row in enumerate(rows):
        if isinstance(row, str) or not hasattr(row, "__iter__"):
            raise InputError(
                f"{what} must be a list of label sets, got {type(row).__name__} at item {i}"
            )
    sets = [set(row) for row in rows]
    for i, (row, labels) in enumerate(zip(rows, sets, strict=True)):
        if isinstance(row, list | tuple) and len(labels) < len(row):
            raise InputError(
                f"{what} must be a list of label sets, got a label twice at item {i}; a sequence "
                "of labels is one item a label"
            )
    sizes = np.array([len(s) for s in sets], np.int64)
    return sizes, encode(list(chain.from_iterable(sets)), what)
