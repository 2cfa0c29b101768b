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
from evenhand.data.labels import checked
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
    places: Sequence[str] = NAMES,
) -> MultiLabel:
    """Multi-label data from indicators or label sets.

    ``times`` are the items of each row; ``places`` name both sides in errors.
    """
    y_true, y_pred, labels = _unframed(y_true, y_pred, labels)
    sides = [_rows_as_lists(y) for y in (y_true, y_pred)]
    are_sets = any(list(map(_are_sets, sides)))
    if are_sets:
        true, pred, known = _from_sets(sides, labels, places)
    else:
        true, pred = map(_indicator, sides, places)
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
    n = true.shape[0]
    if not n or not true.shape[1]:
        raise InputError("y_true must not be empty: there is no item or no label to count")
    weight = item_weights(weights, n)
    group = None if cluster is None else clusters(cluster, n)
    data = MultiLabel(known, true, pred, weight, not are_sets or labels is not None, times, group)
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
    if not isinstance(values, list | tuple):
        return False
    if any(isinstance(v, set | frozenset | str) for v in values):
        return True
    rows = [v for v in values if isinstance(v, list | tuple)]
    entries = list(chain.from_iterable(rows))
    numeric = all(isinstance(x, int | float | np.number) for x in entries)
    if not numeric or not entries or len(set(map(len, rows))) > 1:
        return bool(rows)
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


def _from_sets(sides: Sequence[Any], labels: Any, places: Sequence[str]) -> tuple[Any, Any, Any]:
    from scipy import sparse

    sizes, columns = zip(*map(_flattened, sides, places), strict=True)
    if len(sizes[0]) != len(sizes[1]):
        raise InputError(
            "y_true and y_pred must have the same length, "
            f"got {len(sizes[0]):,} and {len(sizes[1]):,}"
        )
    known = shared_labels(columns, labels, places)
    matrices = []
    for size, column, what in zip(sizes, columns, places, strict=True):
        codes, start = recode(column, known), np.concatenate([[0], np.cumsum(size)])
        for at in np.flatnonzero(codes < 0)[:1]:
            refuse_strange(column.labels, known, what)
            item = int(np.searchsorted(start, at, side="right")) - 1
            raise InputError(f"{what} must be a list of label sets, got a null at item {item}")
        entries = np.ones(len(codes), bool)
        matrix = sparse.csr_array((entries, codes, start), shape=(len(size), len(known)))
        matrix.sum_duplicates()  # which sorts them
        matrices.append(matrix)
    return matrices[0], matrices[1], known


def _flattened(values: Any, what: str) -> tuple[NDArray[np.int64], FactorizedLabels]:
    """The size of each label set, and the labels of all."""
    rows = sequence(values, what, "label sets")
    sets = [
        _label_set(row, f"{what} must be a list of label sets, got {{}} at item {i}")
        for i, row in enumerate(rows)
    ]
    sizes = np.array([len(s) for s in sets], np.int64)
    return sizes, factorize(list(chain.from_iterable(sets)), what)


def _label_set(row: Any, error: str) -> set[Any]:
    """A label set, in which no label of a list comes twice."""
    try:
        labels = set(None if isinstance(row, str) else row)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(error.format(type(row).__name__)) from None
    if isinstance(row, list | tuple) and len(labels) < len(row):
        hint = "a sequence of labels is one item a label"
        raise InputError(f"{error.format('a label twice')}; {hint}")
    return labels


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
