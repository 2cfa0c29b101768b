"""Counting sets of labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import taken
from evenhand.data.counting import (
    NAMES,
    clusters,
    item_weights,
    parts_of,
    recode,
    refuse_strange,
    shared_labels,
)
from evenhand.data.factorize import FactorizedLabels, array_of, factorize, is_frame
from evenhand.data.frames import in_memory
from evenhand.data.labels import checked, kind_of, same_kind
from evenhand.data.multilabel import MultiLabel
from evenhand.errors import InputError, sequence, shown


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
    """Multi-label data from indicators or label sets; ``times`` are the items of each row."""
    y_true, y_pred, labels = _unframed(y_true, y_pred, labels)
    y_true, y_pred = _rows_as_lists(y_true), _rows_as_lists(y_pred)
    have_labels = True
    if _are_sets(y_true) or _are_sets(y_pred):
        true, pred, known = _from_sets(y_true, y_pred, labels)
        have_labels = labels is not None
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
    data = MultiLabel(known, true, pred, weight, have_labels, times, group)
    if by is None:
        return data
    return replace(data, slices=tuple((key, _subset(data, rows)) for key, rows in parts_of(by, n)))


def _subset(data: MultiLabel, rows: Any) -> MultiLabel:
    """Some of the items, on the same labels."""
    columns = (data.true, data.pred, data.weight, data.times, data.cluster)
    true, pred, weight, times, group = taken(rows, *columns)
    if group is not None:
        group = np.unique(group, return_inverse=True)[1]
    return MultiLabel(data.labels, true, pred, weight, data.has_own_labels, times, group)


def _unframed(y_true: Any, y_pred: Any, labels: Any) -> tuple[Any, Any, Any]:
    """The values of data frames whose columns are labels, and those labels."""
    columns = [list(y.columns) if is_frame(y) else None for y in (y_true, y_pred)]
    if columns[0] is None or columns[1] is None:
        return y_true, y_pred, labels
    if set(columns[0]) != set(columns[1]):
        raise InputError(
            "y_true and y_pred must have the same columns, "
            f"got {shown(columns[0])} and {shown(columns[1])}"
        )
    y_true, y_pred = y_true.to_numpy(), y_pred[columns[0]].to_numpy()
    return y_true, y_pred, columns[0] if labels is None else labels


def _rows_as_lists(values: Any) -> Any:
    """Rows that are arrays, as in pandas frames from Parquet, as lists."""
    if not isinstance(values, list | tuple):
        return values
    return [row.tolist() if isinstance(row, np.ndarray) else row for row in values]


def _are_sets(values: Any) -> bool:
    """Whether ``values`` are label sets rather than rows of 0 and 1."""
    if hasattr(values, "shape") or not isinstance(values, list | tuple):
        return False
    if any(isinstance(v, set | frozenset | str) for v in values):
        return True
    rows = [v for v in values if isinstance(v, list | tuple)]
    if not rows:
        return False
    lengths = {len(r) for r in rows}
    entries = [x for r in rows for x in r]
    numeric = all(isinstance(x, int | float | np.number) for x in entries)
    if not numeric or len(lengths) != 1 or lengths == {0}:
        return True
    for x in entries:
        if x not in (0, 1):
            raise InputError(
                f"rows of numbers of one length are read as indicators of 0 and 1, got {x}; "
                "write label sets as sets"
            )
    return False


def _indicator(values: Any, what: str) -> Any:
    from scipy import sparse

    if sparse.issparse(values):
        matrix = sparse.csr_array(values, copy=True)  # changed in place below
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        entries = matrix.data
    else:
        dense = array_of(values, what)
        if dense.ndim != 2 or dense.dtype.kind not in "iufb":
            raise InputError(
                f"{what} must be items × labels of 0 and 1, or a list of label sets, "
                f"got shape {dense.shape} of {dense.dtype}"
            )
        entries = dense.ravel()
        matrix = sparse.csr_array(dense)
    bad = entries[(entries != 0) & (entries != 1)]
    if bad.size:
        raise InputError(f"{what} must hold only 0 and 1, got {bad[0]}")
    return matrix.astype(bool)


def _from_sets(y_true: Any, y_pred: Any, labels: Any) -> tuple[Any, Any, tuple[Any, ...]]:
    from scipy import sparse

    (true_sizes, true), (pred_sizes, pred) = map(_flattened, (y_true, y_pred), NAMES)
    if len(true_sizes) != len(pred_sizes):
        raise InputError(
            "y_true and y_pred must have the same length, "
            f"got {len(true_sizes):,} and {len(pred_sizes):,}"
        )
    known = shared_labels([true, pred], labels, NAMES)
    matrices = []
    for sizes, column, what in zip((true_sizes, pred_sizes), (true, pred), NAMES, strict=True):
        codes = recode(column, known)
        start = np.concatenate([[0], np.cumsum(sizes)])
        for at in np.flatnonzero(codes < 0)[:1]:
            refuse_strange(column.labels, known, what)
            item = int(np.searchsorted(start, at, side="right")) - 1
            raise InputError(f"{what} must be a list of label sets, got a null at item {item}")
        entries = np.ones(len(codes), bool)
        matrix = sparse.csr_array((entries, codes, start), shape=(len(sizes), len(known)))
        matrix.sum_duplicates()
        matrices.append(matrix.astype(bool))
    return *matrices, known


def _flattened(values: Any, what: str) -> tuple[NDArray[np.int64], FactorizedLabels]:
    """The size of each label set, and the labels of all."""
    rows = sequence(values, what, "label sets")
    sets = []
    for i, row in enumerate(rows):
        try:
            if isinstance(row, str):
                raise TypeError
            sets.append(set(row))
        except TypeError:
            raise InputError(
                f"{what} must be a list of label sets, got {type(row).__name__} at item {i}"
            ) from None
    for i, (row, labels) in enumerate(zip(rows, sets, strict=True)):
        if isinstance(row, list | tuple) and len(labels) < len(row):
            raise InputError(
                f"{what} must be a list of label sets, got a label twice at item {i}; a sequence "
                "of labels is one item a label"
            )
    sizes = np.array([len(s) for s in sets], np.int64)
    return sizes, factorize(list(chain.from_iterable(sets)), what)


def count_lists(sides: Sequence[Any], *, places: Sequence[str], **options: Any) -> MultiLabel:
    """Multi-label data from two Polars columns of lists; ``places`` name them in errors."""
    rows = [side.to_list() for side in sides]
    kinds = [kind_of(chain.from_iterable(r), place) for r, place in zip(rows, places, strict=True)]
    same_kind(kinds[0], kinds[1], places[0], places[1])
    return count_indicators(*(list(map(set, r)) for r in rows), **options)


def holds_lists(values: Iterable[Any]) -> bool:
    """Whether some value is a list or set of labels."""
    return any(isinstance(v, set | frozenset | list | tuple | np.ndarray) for v in values)


def is_of_lists(column: Any) -> bool:
    """Whether a column of any library holds lists, by its type or by its values."""
    kind = str(column.dtype).lower()
    return kind.startswith(("list", "array")) or (kind == "object" and holds_lists(column))


def list_columns(frame: Any, names: Sequence[str | None]) -> list[list[Any]] | None:
    """The values of columns of a frame, if all of them hold lists."""
    import narwhals as nw

    wrapped = nw.from_native(frame, pass_through=True)
    schema = wrapped.collect_schema() if hasattr(wrapped, "collect_schema") else {}
    kinds = [str(schema.get(name)).lower() for name in names]
    if not all(kind.startswith(("list", "array", "object")) for kind in kinds):
        return None
    values = column_values(frame, names)
    columns = [values[name] for name in names]
    return columns if all(map(holds_lists, columns)) else None


def column_values(frame: Any, names: Sequence[Any]) -> dict[Any, list[Any]]:
    """The values of some columns of a frame."""
    if not names:
        return {}
    rows = in_memory(frame, names)
    return {name: rows[name].to_list() for name in rows.columns}
