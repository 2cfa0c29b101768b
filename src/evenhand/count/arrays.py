"""Labels in memory, counted: integers as they are, everything else through Polars."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Sized
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.count.encode import Encoded, coded, encode, on_host, polars_column
from evenhand.count.integers import count_integers
from evenhand.count.slices import one_each, slices_of
from evenhand.count.tally import Tally
from evenhand.errors import InputError, shown
from evenhand.tables.confusion import Confusion
from evenhand.tables.weights import WEIGHTS, is_weight

FEW = 1 << 14
"""Items, at most, that Python counts sooner than others get ready to."""

NAMES = ("y_true", "y_pred")

PLAIN = {str: "str", int: "int", bool: "bool"}
"""Types whose labels are what they seem, never null, and equal only if they are the same."""


def count_labels(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    by: Any = None,
    drop_null_truth: bool = False,
) -> Confusion:
    """The table of two equally long columns of labels; by slices, the stack of their tables."""
    if isinstance(y_true, str):
        raise InputError(f"{NAMES[0]} must be a sequence of labels, got str")
    made = _tally(y_true, y_pred, weights) if by is None else _items(y_true, y_pred, weights, by)
    found = made.confusion(labels=labels, drop_null_truth=drop_null_truth, names=NAMES)
    return found if by is None else replace(found, axes=("slice",))


def _tally(y_true: Any, y_pred: Any, weights: Any) -> Tally:
    y_true, y_pred = _native(y_true), _native(y_pred)
    if weights is None:
        (few_true, left), (few_pred, right) = _few(y_true), _few(y_pred)
        if left and right:
            same_length(few_true, few_pred)
            return _pairs(few_true, few_pred, (left, right))
        true, pred = _whole_numbers(y_true), _whole_numbers(y_pred)
        if true is not None and pred is not None:
            same_length(true, pred)
            return _integer_tally(true, pred)
    true, pred = map(polars_column, (y_true, y_pred), NAMES)
    if true is not None and pred is not None:
        return _grouped(true, pred, item_weights(weights, same_length(true, pred)))
    return _items(y_true, y_pred, weights)


def _items(y_true: Any, y_pred: Any, weights: Any, by: Any = None) -> Tally:
    """Items one by one, in slices or not."""
    truth, guess = map(encode, (y_true, y_pred), NAMES)
    n = same_length(truth, guess)
    weight = item_weights(weights, n)
    square = None if weight is None else weight**2
    codes, *keys = (None,) if by is None else slices_of(one_each(by, n))
    return Tally(truth, guess, np.ones(n, np.int64), weight, square, codes, tuple(keys))


def _few(values: Any) -> tuple[Sequence[Any], str]:
    """Few labels of one plain type as Python has them, and the type; nothing of other labels."""
    if type(values) is np.ndarray and values.ndim == 1 and values.dtype.kind in "iubUTO":
        values = values.tolist() if len(values) <= FEW else ()
    elif type(values) not in (list, tuple) or len(values) > FEW:
        values = ()
    types = set(map(type, values))
    kind = PLAIN.get(types.pop(), "") if len(types) == 1 else ""
    return (values, kind) if kind else ((), "")


def _pairs(true: Sequence[Any], pred: Sequence[Any], kinds: Iterable[str]) -> Tally:
    """Distinct pairs of labels, counted by Python, which needs no start-up."""
    found = Counter(zip(true, pred, strict=True))
    left, right = map(coded, zip(*found, strict=True), kinds)
    return Tally(left, right, np.array(list(found.values()), np.int64))


def _native(values: Any) -> Any:
    """An array with its bytes in this machine's order."""
    if isinstance(values, np.ndarray) and not values.dtype.isnative:
        return values.astype(values.dtype.newbyteorder("="))
    return values


def _whole_numbers(values: Any) -> NDArray[Any] | None:
    """An integer array that needs no look at its items; ``None`` for everything else."""
    library = type(values).__module__.partition(".")[0]
    if library in ("torch", "jax", "jaxlib"):
        values = on_host(values)
    elif library != "numpy":
        return None
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "iu" or isinstance(values, np.ma.MaskedArray):
        return None
    if array.dtype == np.uint64:
        if array.size and int(array.max()) >= 1 << 63:
            return None
        return array.view(np.int64)
    return array


def _integer_tally(true: NDArray[Any], pred: NDArray[Any]) -> Tally:
    values_true, values_pred, items = count_integers(true, pred)
    return Tally(encode(values_true), encode(values_pred), items)


def _grouped(true: Any, pred: Any, weight: NDArray[Any] | None) -> Tally:
    """Distinct pairs of two Polars columns, in one pass."""
    import polars as pl

    frame = pl.LazyFrame({"true": true, "pred": pred})
    sums = [pl.len().cast(pl.Int64).alias("items")]
    if weight is not None:
        frame = frame.with_columns(weight=pl.Series(weight), square=pl.Series(weight**2))
        sums += [pl.col("weight").sum(), pl.col("square").sum()]
    found = frame.group_by("true", "pred").agg(sums).sort("true", "pred").collect()
    column = {name: found[name].to_numpy() for name in found.columns[2:]}
    truth, guess = map(encode, (found["true"], found["pred"]), NAMES)
    return Tally(truth, guess, column["items"], column.get("weight"), column.get("square"))


def same_length(true: Sized, pred: Sized, names: tuple[str, str] = NAMES) -> int:
    """How many items both sides have: as many, and at least one."""
    n, other = len(true), len(pred)
    if n != other:
        raise InputError(
            f"{names[0]} and {names[1]} must have the same length, got {n:,} and {other:,}"
        )
    if not n:
        raise InputError(f"{names[0]} must not be empty: there is no item to count")
    return n


def item_weights(weights: Any, n: int) -> NDArray[Any] | None:
    """Weights as an array, one an item."""
    if weights is None:
        return None
    if np.ma.is_masked(weights):
        at = int(np.flatnonzero(np.ma.getmaskarray(weights))[0])
        raise InputError(f"weights must be {n:,} numbers, one an item, got none at item {at}")
    try:
        given = np.asarray(on_host(weights))
    except (ValueError, TypeError, RuntimeError):
        raise InputError(f"weights must be {n:,} numbers, one an item") from None
    if given.shape != (n,):
        raise InputError(f"weights must be {n:,} numbers, one an item, got shape {given.shape}")
    if given.dtype.kind not in "iufb":
        strange = [v for v in given.tolist() if not isinstance(v, Real)] or [given.dtype.name]
        raise InputError(f"weights must be {n:,} numbers, one an item, got {shown(strange)}")
    weight = given.astype(np.float64)
    bad = ~is_weight(weight)
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        raise InputError(f"weights must be {WEIGHTS}, got {given[at]} at item {at}")
    return weight


def first_null(column: Encoded) -> str:
    """Where the first null of a column is, for a message; nothing if there is none."""
    null = np.flatnonzero(column.codes < 0)
    return f"item {int(null[0])}" if len(null) else ""
