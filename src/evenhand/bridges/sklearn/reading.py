"""Reading: labels or indicators as scikit-learn takes them, into targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.bridges.sklearn.targets import Multi, Numbers, Single, Targets
from evenhand.count.arrays import count_labels, item_weights
from evenhand.count.encode import on_host
from evenhand.errors import FormError, InputError


@dataclass(frozen=True, eq=False)
class Column:
    """One label an item: text as it is, or numbers as integers with the type they had."""

    values: Any
    dtype: np.dtype[Any]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def text(self) -> bool:
        """Whether labels are text."""
        return self.dtype.kind == "U"


def single(y_true: Any, y_pred: Any, sample_weight: Any = None) -> Single:
    """Targets with one label an item; others are refused."""
    found = targets(y_true, y_pred, sample_weight)
    if isinstance(found, Multi):
        raise FormError("targets must have one label an item, got multi-label indicators")
    return found


def targets(y_true: Any, y_pred: Any, sample_weight: Any = None) -> Targets:
    """Both sides, counted; numbers that are equal are one label, whatever their type."""
    true, pred = _side(y_true, "y_true"), _side(y_pred, "y_pred")
    n, other = _length(true), _length(pred)
    if n != other:
        raise InputError(f"y_true and y_pred must have the same length, got {n:,} and {other:,}")
    if not n:
        raise InputError("y_true must not be empty: there is no item to count")
    weight, whole = _weights(sample_weight, n)
    if isinstance(true, Column) and isinstance(pred, Column):
        return _counted(true, pred, weight, whole)
    if isinstance(true, Column) or isinstance(pred, Column):
        raise InputError("y_true and y_pred must both be labels, or both indicators")
    if true.shape[1] != pred.shape[1]:
        widths = f"{true.shape[1]} and {pred.shape[1]}"
        raise InputError(f"indicators must have as many columns on both sides, got {widths}")
    if not (isinstance(true, np.ndarray) and isinstance(pred, np.ndarray)):
        true, pred = _sparse(true), _sparse(pred)
    return Multi(true, pred, weight)


def _counted(true: Column, pred: Column, weight: Numbers | None, whole: bool) -> Single:
    if true.text != pred.text:
        raise InputError("y_true and y_pred must both be text or both be numbers")
    table = count_labels(true.values, pred.values, weights=weight)
    order = np.array(sorted(range(table.k), key=table.labels.__getitem__), np.int64)
    dtype = true.dtype if true.dtype.kind == pred.dtype.kind else _wider(true, pred)
    labels = np.array([table.labels[i] for i in order])
    names = labels if true.text else labels.astype(dtype)
    return Single(table, names, order, whole, true.values)


def _wider(true: Column, pred: Column) -> np.dtype[Any]:
    """The type of the labels of two sides: the truth's, unless the other has more of them."""
    if np.isin(np.unique(pred.values), np.unique(true.values)).all():
        return true.dtype
    return np.result_type(true.dtype, pred.dtype)


def _length(side: Any) -> int:
    return len(side) if isinstance(side, Column) else int(side.shape[0])


def _weights(sample_weight: Any, n: int) -> tuple[Numbers | None, bool]:
    """Weights as floats, and whether they, or the items they weigh, are whole numbers."""
    if sample_weight is None:
        return None, True
    if np.isscalar(sample_weight) or not hasattr(sample_weight, "__len__"):
        raise FormError(f"sample_weight must be a list of numbers or None, got {sample_weight!r}")
    weight = item_weights(sample_weight, n)
    if weight is None or not weight.any():
        raise InputError("sample_weight must not be 0 everywhere")
    return weight, np.asarray(on_host(sample_weight)).dtype.kind in "iub"


def _side(y: Any, name: str) -> Any:
    """One side: a column of labels, or indicators as an array of booleans or a sparse one."""
    if hasattr(y, "tocsr"):
        return _indicator(y, name)
    if isinstance(y, list | tuple) and set(map(type, y)) == {str}:
        return Column(y, np.dtype("U"))
    if np.isscalar(y) or y is None or not (hasattr(y, "__len__") or hasattr(y, "__array__")):
        raise FormError(f"{name} must be a list or an array of labels, got {y!r}")
    if not (isinstance(y, Sequence) or hasattr(y, "__array__") or hasattr(y, "detach")):
        raise FormError(f"{name} must be a list or an array of labels, got {type(y).__name__}")
    try:
        array = np.asarray(on_host(y))
    except ValueError:
        raise InputError(f"{name} must be a list of labels, got lists of several lengths") from None
    if not array.ndim:
        raise FormError(f"{name} must be a list or an array of labels, got one number")
    if array.ndim == 2 and array.shape[1] > 1:
        return _indicator(array, name)
    if array.ndim not in (1, 2) or (array.ndim == 2 and not array.shape[1]):
        raise InputError(f"{name} must have one axis of labels, got shape {array.shape}")
    return _column(array.reshape(-1), name)


def _column(array: Numbers, name: str) -> Column:
    kind = array.dtype.kind
    if kind in "UT":
        return Column(array, np.dtype("U"))
    if kind == "O" and len(array):
        if not isinstance(array[0], str):
            raise InputError(f"{name} must be text or whole numbers, got {array[0]!r}")
        if not all(isinstance(v, str) for v in set(array.tolist())):
            raise FormError(f"{name} must be all text or all whole numbers, got both")
        return Column(array, np.dtype("U"))
    if kind == "b":
        return Column(array.view(np.int8), array.dtype)
    if kind == "f":
        with np.errstate(invalid="ignore"):
            whole = array.astype(np.int64)
        if (whole != array).any():
            raise InputError(f"{name} must be labels, got numbers that are not whole")
        return Column(whole, array.dtype)
    if kind not in "iuO":
        raise FormError(f"{name} must be text or whole numbers, got {array.dtype}")
    return Column(array, array.dtype)


def _indicator(y: Any, name: str) -> Any:
    """Whether each item has each label: what is not 0, of at most two different whole numbers."""
    values = y.tocsr().data if hasattr(y, "tocsr") else y
    if values.dtype.kind not in "biuf":
        raise InputError(f"{name} with several columns must hold 0 and 1, got {values.dtype}")
    if len(y.shape) != 2 or y.shape[1] < 2:
        raise FormError(f"{name} must not be sparse where an item has one label")
    column = _column(np.unique(values), name)
    zeros = hasattr(y, "tocsr") and not (column.values == 0).any()
    if len(column) + zeros > 2:
        raise InputError(f"{name} with several columns must hold 0 and 1, got more than two values")
    return y if hasattr(y, "tocsr") else y != 0


def _sparse(indicators: Any) -> Any:
    from scipy.sparse import csr_array

    found = csr_array(indicators, copy=True)
    found.sum_duplicates()
    found.eliminate_zeros()
    return csr_array((np.ones(found.nnz, np.int64), found.indices, found.indptr), found.shape)
