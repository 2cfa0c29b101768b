"""Tables that come as tables: nested lists, arrays, data frames."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from evenhand.count.encode import array_of
from evenhand.errors import InputError, shown
from evenhand.tables.confusion import Confusion
from evenhand.tables.dense import DenseCells
from evenhand.tables.labels import checked
from evenhand.tables.weights import Numbers

MOST = np.iinfo(np.int64).max


def count_matrix(
    matrix: Any, *, labels: Iterable[Any] | None, rows: str = "true", outside: Any = None
) -> Confusion:
    """The table of a k × k matrix, or a stack along leading axes."""
    if rows not in ("true", "pred"):
        raise InputError(f"rows must be 'true' or 'pred', got {rows!r}")
    matrix, labels = unframed(matrix, labels)
    array = numbers(matrix, "matrix")
    if array.ndim < 2 or array.shape[-1] != array.shape[-2] or array.shape[-1] == 0:
        shape = " × ".join(map(str, array.shape)) or "a single number"
        raise InputError(f"matrix must be square, k × k with k ≥ 1, got {shape}")
    if rows == "pred":
        array = np.swapaxes(array, -1, -2)
    k = array.shape[-1]
    names = tuple(range(k)) if labels is None else checked(labels, length=k)
    if outside is None:
        lost = np.zeros((*array.shape[:-1], 1), array.dtype)
    else:
        lost = numbers(outside, "outside")
        if lost.shape != array.shape[:-1]:
            raise InputError(
                f"outside must have one count for each of the {k} true classes, "
                f"got shape {lost.shape}"
            )
        lost = lost[..., None]
    weight = np.concatenate([array, lost], axis=-1)
    return Confusion.of(names, DenseCells(weight))


def numbers(values: Any, what: str) -> Numbers:
    """Finite numbers ≥ 0; whole ones as integers, which are exact where floats are not."""
    array = array_of(values, what)
    if array.dtype.kind == "O":
        try:
            array = array.astype(np.float64)
        except (ValueError, TypeError, OverflowError):
            raise InputError(f"{what} must hold numbers, one length a row") from None
    if array.dtype.kind not in "iufb":
        raise InputError(f"{what} must hold numbers, got {array.dtype}")
    if array.size == 0 or values is None:
        raise InputError(f"{what} must not be empty")
    for wanted, wrong in (("finite counts", ~np.isfinite(array)), ("counts ≥ 0", array < 0)):
        if wrong.any():
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            raise InputError(f"{what} must hold {wanted}, got {array[at]} at {at}")
    whole = array.dtype.kind != "f" or bool(np.all(array == np.floor(array)))
    if whole and np.all(array < 2.0**63 if array.dtype.kind == "f" else array <= MOST):
        return array.astype(np.int64)
    return array.astype(np.float64)


def unframed(matrix: Any, labels: Iterable[Any] | None) -> tuple[Any, Iterable[Any] | None]:
    """Values and labels of a data frame whose index and columns name the classes."""
    if not hasattr(matrix, "to_numpy"):
        return matrix, labels
    index, columns = getattr(matrix, "index", None), getattr(matrix, "columns", None)
    if index is not None and columns is not None and list(index) != list(columns):
        if set(index) != set(columns) or len(set(columns)) != len(columns):
            raise InputError(
                "index and columns of the frame must name the same classes, "
                f"got {shown(index)} and {shown(columns)}"
            )
        matrix, columns = matrix.loc[:, list(index)], index
    if labels is None and columns is not None:
        labels = list(columns)
    return matrix.to_numpy(), labels
