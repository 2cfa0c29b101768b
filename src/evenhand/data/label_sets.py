"""Counting sets of labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from evenhand.core.arrays import take
from evenhand.data.counting import (
    NAMES,
    clusters,
    item_weights,
    parts_of,
    recode,
    refuse_strange,
    renumbered,
    same_length,
    shared_labels,
)
from evenhand.data.factorize import array_of, factorize, holds_lists, is_frame, refuse_other_order
from evenhand.data.frames import in_memory, in_narwhals
from evenhand.data.labels import Counting, checked
from evenhand.data.multilabel import THRESHOLD, MultiLabel
from evenhand.data.probabilities import are_fractions, are_scores, number_array
from evenhand.errors import InputError, shown
from evenhand.options import sequence


def count_indicators(y_true: Any, y_pred: Any, options: Counting) -> MultiLabel:
    """Multi-label data from indicators or label sets."""
    labels, places = options.labels, options.names or NAMES
    refuse_other_order(y_true, {"y_pred": y_pred}, options)
    if is_frame(y_true) and is_frame(y_pred):
        names = list(y_true.columns)
        if set(names) != set(y_pred.columns):
            raise InputError(
                "y_true and y_pred must have the same columns, "
                f"got {shown(names)} and {shown(y_pred.columns)}"
            )
        y_true, y_pred = y_true.to_numpy(), y_pred[names].to_numpy()
        labels = names if labels is None else labels
    array, probability, only_scores = number_array(y_pred), None, False
    if array is not None and array.ndim == 2:
        # without a negative one, numbers above 1 are a slip among indicators
        only_scores = bool(np.any(array < 0)) and are_scores(array)
        if only_scores or are_fractions(array):
            probability = array.astype(np.float64)
            y_pred = probability >= (0 if only_scores else THRESHOLD)
    sides = (y_true, y_pred)
    are_sets = any(list(map(_are_sets, sides)))
    if are_sets:
        (true, pred), known = _from_sets(sides, labels, places)
    else:
        true, pred = map(_indicator, sides, places)
        if true.shape != pred.shape:
            raise InputError(
                f"y_true and y_pred must have the same shape, got {true.shape} and {pred.shape}"
            )
        k, each = true.shape[1], "column of the indicators"
        known = checked(range(k) if labels is None else labels, length=k, each=each)
    if not all(true.shape):
        raise InputError("y_true must not be empty: there is no item or no label to count")
    n, own = true.shape[0], not are_sets or labels is not None
    weights, groups = item_weights(options.weights, n), clusters(options.cluster, n)
    columns = (true, pred, weights, options.counts, groups, probability)

    def part(at: Any) -> MultiLabel:
        true, pred, weight, times, group, p = take(at, *columns)
        kind = {"probability": p, "only_scores": only_scores}
        return MultiLabel(known, true, pred, weight, own, times, renumbered(group), **kind)

    slices = tuple((key, part(at)) for key, at in parts_of(options.by, n))
    return replace(part(slice(None)), slices=slices)


def _are_sets(values: Any) -> bool:
    """Whether ``values`` are label sets rather than rows of 0 and 1."""
    if not isinstance(values, list | tuple):
        return False
    if any(isinstance(v, set | frozenset | str) for v in values):
        return True
    rows = [v for v in values if isinstance(v, list | tuple | np.ndarray)]
    entries = list(chain.from_iterable(rows))
    numeric = all(isinstance(x, int | float | np.number | np.bool_) for x in entries)
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
    else:
        dense = array_of(values, what)
        if dense.ndim != 2 or dense.dtype.kind not in "iufb":
            raise InputError(
                f"{what} must be items × labels of 0 and 1, or a list of label sets, "
                f"got shape {dense.shape} of {dense.dtype}"
            )
        matrix = sparse.csr_array(dense)
    bad = matrix.data[matrix.data != 1]
    if bad.size:
        raise InputError(f"{what} must hold only 0 and 1, got {bad[0]}")
    return matrix.astype(bool)


def _from_sets(sides: Sequence[Any], labels: Any, places: Sequence[str]) -> tuple[Any, Any]:
    """Sparse indicators of both sides, and the labels."""
    from scipy import sparse

    sets = list(map(_label_sets, sides, places))
    same_length(sets[0], sets[1])
    columns = [factorize(list(chain(*s)), what) for s, what in zip(sets, places, strict=True)]
    known = shared_labels(columns, labels, places)
    matrices = []
    for rows, column, what in zip(sets, columns, places, strict=True):
        codes, start = recode(column, known), np.cumsum([0, *map(len, rows)])
        for at in np.flatnonzero(codes < 0)[:1]:
            refuse_strange(column.labels, known, what)
            item = int(np.searchsorted(start, at, side="right")) - 1
            raise InputError(f"{what} must be a list of label sets, got a null at item {item}")
        cells = (np.ones(len(codes), bool), codes, start)
        matrix = sparse.csr_array(cells, shape=(len(rows), len(known)))
        matrix.sum_duplicates()  # which sorts them
        matrices.append(matrix)
    return matrices, known


def _label_sets(values: Any, what: str) -> list[set[Any]]:
    """Label sets, in which no label of a list comes twice."""
    sets = []
    for i, row in enumerate(sequence(values, what, "label sets")):
        try:
            labels = None if isinstance(row, str) else set(row)
        except TypeError:  # no iterable, or one of what can be no label
            labels = None
        got = f"{type(row).__name__} at item {i}" if labels is None else ""
        if labels is not None and hasattr(row, "__len__") and len(labels) < len(row):
            got = f"a label twice at item {i}; a sequence of labels is one item a label"
        if labels is None or got:
            raise InputError(f"{what} must be a list of label sets, got {got}")
        sets.append(labels)
    return sets


def list_columns(frame: Any, names: Sequence[str | None]) -> list[list[Any]] | None:
    """The values of columns of a frame, if all of them hold lists."""
    schema = in_narwhals(frame).collect_schema()
    kinds = (str(schema.get(name)).lower() for name in names)
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
