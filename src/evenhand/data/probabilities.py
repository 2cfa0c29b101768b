"""Counting class probabilities and scores of items, and deciding for labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import read_only, take
from evenhand.core.scores import sorted_by_score
from evenhand.data.cells import DenseCells
from evenhand.data.confusion import Confusion
from evenhand.data.counting import clusters, item_weights, parts_of, renumbered, true_codes
from evenhand.data.factorize import (
    FactorizedLabels,
    array_of,
    factorize,
    is_frame,
    is_of_sets,
    on_host,
    refuse_other_order,
)
from evenhand.data.labels import Counting, Labels, checked, kind_of, ordered, read_as, same_kind
from evenhand.data.sample import GRADED, SoftSample
from evenhand.errors import InputError, quoted, shown
from evenhand.options import mapping
from evenhand.warnings import Renormalised

BLOCK = 1 << 16
"""Numbers among which a fraction is looked for at a time."""
EXACT = 1e-6
"""The largest deviation from a sum of 1 that needs no correction."""
HALF = 2 * float(np.finfo(np.float16).eps)
"""The largest deviation that floats of 16 bits explain."""
WIDEST = 0.105
"""The largest deviation that rounding to a few decimals explains."""


def count_probabilities(y_true: Any, probabilities: Any, options: Counting) -> Confusion:
    """The soft table: each item's probabilities are added to the row of its true class."""
    refuse_other_order(y_true, {"probabilities": probabilities}, options)
    known, true = _truth(y_true, probabilities, options)
    p, _ = item_probabilities(probabilities, len(true), known, "probabilities")
    return soft_table(known, true, p, item_weights(options.weights, len(true)))


def count_soft_sample(
    y_true: Any, probabilities: Mapping[str, Any], options: Counting, *, rows: bool = False
) -> SoftSample:
    """The items of several systems with their probabilities, sorted.

    Errors count ``rows`` instead of items.
    """
    mapping(probabilities, "probabilities", "at least one system's name to its array")
    systems = [f"probabilities of {s!r}" for s in probabilities]
    truth, *called = options.names or ["y_true", *systems]
    names, arrays = tuple(map(str, probabilities)), list(probabilities.values())
    refuse_other_order(y_true, dict(zip(called, arrays, strict=True)), options)
    known, true = _truth(y_true, arrays[0], options, truth, called[0])
    n, only_scores = len(true), any(map(are_scores, arrays))
    each = [
        item_probabilities(a, n, known, what, rows=rows, only_scores=only_scores)
        for a, what in zip(arrays, called, strict=True)
    ]
    p = each[0][0][None] if len(each) == 1 else np.stack([array for array, _ in each])
    sums = np.concatenate([moved for _, moved in each])
    notes = [
        Renormalised(sums.size, p[..., 0].size, sums.min().item(), sums.max().item())
        for _ in sums[:1]
    ]
    columns = (true, item_weights(options.weights, n), clusters(options.cluster, n))

    def part(at: Any) -> SoftSample:
        """Some items, sorted so that a seed gives the same draws in any order of items."""
        part_true, weight, group = take(at, *columns)
        second, total = p[0, :, -1], 0.0 if only_scores else 1.0
        mirrored = len(known) == 2 and np.array_equal(p[0, :, 0], total - second)
        if mirrored and len(p) == 1 and weight is None and group is None:
            part_true, second = sorted_by_score(part_true, second[at])
            shares = _of_two(second, only_scores=only_scores)[None]
            part_true, shares = map(read_only, (part_true, shares))
            return SoftSample(known, names, part_true, shares, only_scores=only_scores)
        group = renumbered(group)
        by_name = p[sorted(range(len(names)), key=names.__getitem__)][:, at]
        scores = by_name[..., : 1 if len(known) == 2 else None]  # of two, one says both
        keys = [*scores.transpose(0, 2, 1).reshape(-1, len(part_true))[::-1], part_true]
        keys += [x for x in (weight, group) if x is not None]
        order = np.lexsort(keys) if len(keys) > 2 else np.argsort(keys[0])
        if len(keys) == 2:  # what is equal in both is the same, so the fast sort may be unstable
            order = order[np.argsort(part_true.astype(np.uint8)[order], kind="stable")]
        arrays = (part_true[order], p[:, at][:, order], *take(order, weight, group))
        part_true, shares, weight, group = map(read_only, arrays)
        return SoftSample(known, names, part_true, shares, weight, group, only_scores=only_scores)

    slices = tuple((key, part(at)) for key, at in parts_of(options.by, n))
    return replace(part(slice(None)), notes=tuple(notes), slices=slices)


def soft_table(
    labels: Labels,
    true: NDArray[np.int64],
    p: NDArray[np.float64],
    weight: NDArray[np.float64] | None,
) -> Confusion:
    """The soft table of items with true codes and probabilities."""
    cells, k = np.zeros((len(labels), len(labels) + 1)), len(labels)
    for j, column in enumerate(p.T):
        amount = column if weight is None else column * weight
        cells[:, j] = np.bincount(true, amount, minlength=k)
    return Confusion.from_cells(labels, DenseCells(cells), n=np.asarray(len(true)), soft=True)


def _truth(
    y_true: Any,
    probabilities: Any,
    options: Counting,
    what: str = "y_true",
    place: str = "probabilities",
) -> tuple[Labels, NDArray[np.int64]]:
    """The classes of the columns, and the true code of each item."""
    truth = factorize(y_true, what)
    categories = list(getattr(getattr(y_true, "dtype", None), "categories", ()))
    labels = options.labels
    if labels is None and not is_frame(probabilities) and categories != sorted(categories):
        raise InputError(
            f"{place} have a column a class, in the order {shown(categories)} of {what} or sorted: "
            "say which with labels=[…]"
        )
    known = checked(_classes(truth, probabilities, place) if labels is None else labels)
    same_kind(kind_of(known, "labels"), truth.kind, "labels", what)
    if not len(truth):
        raise InputError(f"{what} must not be empty: there is no item to count")
    return known, true_codes(truth, known, None, options, what)[0]


def number_array(values: Any) -> NDArray[Any] | None:
    """Predictions that are numbers, one or several an item; ``None`` for labels and sets of them.

    In lists the numbers must be floats, since integers are labels.
    """
    is_list = isinstance(values, list | tuple)
    if is_list:
        first = next(iter(values), None)
        first = first[0] if isinstance(first, list | tuple | np.ndarray) and len(first) else first
        if not isinstance(first, Real):
            return None
    elif is_frame(values):
        values = values.to_numpy() if hasattr(values, "to_numpy") else None
    elif (
        getattr(values, "ndim", 1) == 1 and "float" not in str(getattr(values, "dtype", "")).lower()
    ):
        return None
    try:
        array = np.asarray(on_host(values))
    except ValueError:  # rows of different lengths
        return None
    return array if array.dtype.kind in ("f" if is_list else "fiub") and array.ndim < 3 else None


def are_fractions(values: NDArray[Any]) -> bool:
    """Whether numbers are all from 0 to 1, and not all of them 0 or 1."""
    with np.errstate(invalid="ignore"):
        return bool(np.all((values >= 0) & (values <= 1)) and np.any(values % 1))


def are_probabilities(y_true: Any, y_pred: Any) -> bool:
    """Whether predictions are probabilities or scores of single-label data, rather than labels.

    These are items × classes, or one number an item where the truth has none with decimals:
    from 0 to 1, or any if it has two classes.
    """
    values = number_array(y_pred)
    if values is None or not values.ndim or is_of_sets(y_true):
        return False
    if values.ndim == 2:
        return values.dtype.kind == "f" or not is_frame(y_pred)
    blocks = (values[i : i + BLOCK] for i in range(0, len(values), BLOCK))
    if not any(np.any(block[np.isfinite(block)] % 1) for block in blocks):
        return False
    truth = factorize(y_true, "y_true")
    if truth.kind == "float" and any(v % 1 for v in truth.labels):
        return False
    return len(truth.labels) == 2 or are_fractions(values)


def are_scores(values: Any) -> bool:
    """Whether numbers are finite and not from 0 to 1: of one per item some, else in most items."""
    array = np.asarray(values.to_numpy() if is_frame(values) else on_host(values))
    if array.dtype.kind not in "fiu" or array.ndim not in (1, 2) or not array.size:
        return False
    low, high = array.min(), array.max()
    if not np.isfinite([low, high]).all() or (low >= 0 and high <= 1):
        return False
    if array.ndim == 1 or array.shape[1] == 1:
        return True
    return 2 * int(((array < 0) | (array > 1)).any(axis=1).sum()) > len(array)


def _classes(truth: FactorizedLabels, values: Any, what: str) -> Iterable[Any]:
    """The classes of the columns: the true ones, if there are as many."""
    known = ordered(truth.labels)
    if is_frame(values):
        columns = [str(c) for c in values.columns]
        return known if {*map(str, known)} == {*columns} else read_as(columns, truth.kind)
    shape = array_of(values, what).shape
    if not shape:
        raise InputError(f"{what} must be numbers, items × labels, got {quoted(values)}")
    k = 2 if len(shape) == 1 or shape[1:] == (1,) else shape[1]
    if len(known) != k:
        one = shape[1:] in ((), (1,))
        got = "are one number an item, for two classes," if one else f"have {k:,} columns"
        hint = "[NEGATIVE, POSITIVE]" if one else "model.classes_"
        raise InputError(
            f"{what} {got} but y_true has {len(known):,} ({shown(known)}): say which classes "
            f"they are of with labels={hint}"
        )
    if known != sorted(known):
        raise InputError(
            f"{what} have a column a class, and y_true has classes in two orders: {shown(known)} "
            f"as numbers, {shown(sorted(known))} as text, as scikit-learn has them: give that of "
            "the columns with labels=model.classes_"
        )
    return known


def item_probabilities(
    values: Any, n: int, labels: Labels, what: str, *, rows: bool = False, only_scores: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Items × classes in the order of ``labels`` with sums of 1, and the sums that were not.

    One number an item is the probability of the second of two classes; or its score, that of the
    first being the negative of it.
    """
    if is_frame(values):
        names = {str(c): c for c in values.columns}
        if {*map(str, labels)} != {*names}:
            raise InputError(
                f"columns of {what} must be the labels {shown(labels)}, got {shown(names)}"
            )
        values = values[[names[str(v)] for v in labels]].to_numpy()
    array = array_of(values, what)
    try:
        p = array.astype(np.float64, casting="same_kind" if array.dtype.kind == "c" else "unsafe")
    except (ValueError, TypeError):
        raise InputError(f"{what} must be numbers, items × labels") from None
    if len(labels) == 2 and p.shape in ((n,), (n, 1)):
        least, most = p.min(), p.max()
        p = _of_two(p.reshape(-1), only_scores=only_scores)
        if np.isfinite([least, most]).all() and (only_scores or (least >= 0 and most <= 1)):
            return p, np.empty(0)
    shape = (n, len(labels))
    if p.shape != shape:
        raise InputError(f"{what} must have shape {shape} (items × labels), got {p.shape}")
    if only_scores:
        if not np.isfinite(p).all():
            raise InputError(f"{what} must be finite numbers")
        if shape[1] == 2:
            p = _of_two((p[:, 1] - p[:, 0]) / 2, only_scores=True)
        return p, np.empty(0)
    with np.errstate(invalid="ignore"):
        total = p.sum(axis=1)
    rough = abs(total - 1) > EXACT
    bound = _rounding(p) if rough.any() else EXACT
    bad = ~np.isfinite(p).all(axis=1) | (p < 0).any(axis=1) | ~(abs(total - 1) <= bound)
    if labels == GRADED:
        bad &= ~np.isnan(p).all(axis=1)  # not asked
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        numbers = ", ".join(map(repr, p[at, :8].tolist())) + ", …" * (len(labels) > 8)
        place = f"in row {at + 1}" if rows else f"at item {at}"
        raise InputError(
            f"{what} must be ≥ 0 and sum to 1 for every item, got [{numbers}] {place} "
            f"(sum {total[at]:.6g})"
        )
    p[rough] /= total[rough, None]
    return p, total[rough]


def _of_two(second: NDArray[np.float64], *, only_scores: bool) -> NDArray[np.float64]:
    """Items × 2, column by column in memory, from the probabilities or scores of the second."""
    columns = np.empty((2, len(second)))
    np.subtract(0.0 if only_scores else 1.0, second, out=columns[0])
    columns[1] = second
    return columns.T


def _rounding(p: NDArray[np.float64]) -> float:
    """A bound of the deviation from a sum of 1 by short floats or few decimals.

    Labels may have been merged, and two numbers that end in 5 are both rounded up: from two
    decimals on, it is the bound for at least four numbers.
    """
    for decimals in range(1, 4):
        if np.allclose(np.round(p, decimals), p, rtol=0, atol=1e-12):
            numbers = max(p.shape[1], 4) if decimals > 1 else p.shape[1]
            bound: float = numbers / 2 * 0.1**decimals * (1 - 1e-9)
            return max(HALF, min(bound, WIDEST))
    return HALF
