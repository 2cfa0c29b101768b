"""Class probabilities, counted into a soft table or kept item by item.

Metrics are of the labels that probabilities decide for, unless they are called ``expected_…``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import read_only, taken
from evenhand.data.cells import DenseCells
from evenhand.data.confusion import Confusion
from evenhand.data.counting import (
    clusters,
    coded_sample,
    first_null,
    item_weights,
    parts_of,
    recode,
    refuse_truth,
)
from evenhand.data.factorize import FactorizedLabels, array_of, factorize, is_frame, on_host
from evenhand.data.labels import (
    Label,
    Labels,
    checked,
    kind_of,
    ordered,
    positions,
    read_as,
    same_kind,
)
from evenhand.data.sample import Sample, SoftSample
from evenhand.errors import InputError, mapping, quoted, shown
from evenhand.warnings import Decided, Renormalised

EXACT = 1e-6
"""The largest deviation from a sum of 1 that needs no correction."""
WIDEST = 0.105
"""The largest deviation from a sum of 1 that rounding can explain."""


def count_probabilities(
    y_true: Any, probabilities: Any, *, labels: Iterable[Any] | None = None, weights: Any = None
) -> Confusion:
    """The soft table: each item's probabilities are added to the row of its true class."""
    known, true = _truth(y_true, probabilities, labels)
    p, _ = item_probabilities(probabilities, len(true), known, "probabilities")
    return soft_table(known, true, p, item_weights(weights, len(true)))


def count_soft_sample(
    y_true: Any,
    probabilities: Mapping[str, Any],
    *,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    cluster: Any = None,
    by: Any = None,
    truth: str = "y_true",
    places: Sequence[str] | None = None,
    rows: bool = False,
) -> SoftSample:
    """The items of several systems with their probabilities, sorted.

    ``truth`` and ``places`` name the columns in errors, which count ``rows`` instead of items.
    """
    mapping(probabilities, "probabilities", "at least one system's name to its array")
    called = places or [f"probabilities of {s!r}" for s in probabilities]
    first = next(iter(probabilities.values()))
    known, true = _truth(y_true, first, labels, truth, called[0])
    arrays = zip(probabilities.values(), called, strict=True)
    each = [item_probabilities(a, len(true), known, what, rows) for a, what in arrays]
    p = np.stack([array for array, _ in each])
    weight = item_weights(weights, len(true))
    group = None if cluster is None else clusters(cluster, len(true))
    names = tuple(map(str, probabilities))
    notes = [note for _, note in each if note is not None]
    sample = _sorted_sample(known, names, true, p, weight, group)
    if notes:
        ends = min(note.low for note in notes), max(note.high for note in notes)
        note = Renormalised(sum(note.rows for note in notes), p.shape[0] * p.shape[1], *ends)
        sample = replace(sample, notes=(note,))
    if by is None:
        return sample
    parts = (
        (key, _sorted_sample(known, names, true[at], p[:, at], *taken(at, weight, group)))
        for key, at in parts_of(by, len(true))
    )
    return replace(sample, slices=tuple(parts))


def _sorted_sample(
    known: Labels,
    names: tuple[str, ...],
    true: NDArray[np.int64],
    p: NDArray[np.float64],
    weight: NDArray[np.float64] | None,
    group: NDArray[np.int64] | None,
) -> SoftSample:
    """The sample of items, sorted so that a seed gives the same draws in any order of items."""
    if group is not None:
        group = np.unique(group, return_inverse=True)[1]
    by_name = p[sorted(range(len(names)), key=names.__getitem__)]
    keys = [*by_name.transpose(0, 2, 1).reshape(-1, len(true))[::-1], true]
    keys += [x for x in (weight, group) if x is not None]
    order = np.lexsort(keys)
    columns = (true[order], p[:, order], *taken(order, weight, group))
    return SoftSample(known, names, *map(read_only, columns))


def soft_table(
    labels: Labels,
    true: NDArray[np.int64],
    p: NDArray[np.float64],
    weight: NDArray[np.float64] | None,
) -> Confusion:
    """The soft table of items with true codes and probabilities."""
    cells = np.zeros((len(labels), len(labels) + 1))
    np.add.at(cells[:, :-1], true, p if weight is None else p * weight[:, None])
    return Confusion.from_cells(labels, DenseCells(cells), n=np.asarray(len(true)), soft=True)


def _truth(
    y_true: Any,
    probabilities: Any,
    labels: Iterable[Any] | None,
    what: str = "y_true",
    place: str = "probabilities",
) -> tuple[Labels, NDArray[np.int64]]:
    """The classes of the columns, and the true code of each item."""
    truth = factorize(y_true, what)
    known = checked(_classes(truth, probabilities, place) if labels is None else labels)
    same_kind(kind_of(known, "labels"), truth.kind, "labels", what)
    if not len(truth):
        raise InputError(f"{what} must not be empty: there is no item to count")
    true = recode(truth, known)
    lost = int((true < 0).sum())
    if lost:
        refuse_truth(truth, lost, known, what, drop=False, first=first_null(truth))
    return known, true


def are_probabilities(y_true: Any, y_pred: Any) -> bool:
    """Whether predictions are class probabilities of single-label data, rather than labels.

    These are items × classes, or one number between 0 and 1 an item if the truth has no such
    numbers.
    """
    if is_frame(y_pred):
        values = y_pred.to_numpy() if hasattr(y_pred, "to_numpy") else np.empty(0, object)
        return values.ndim == 2 and values.dtype.kind == "f" and _is_flat(y_true)
    if isinstance(y_pred, list | tuple):
        first = y_pred[0] if y_pred else None
        row = isinstance(first, list | tuple | np.ndarray) and len(first) > 0
        if not isinstance(first[0] if row else first, float | np.floating):  # type: ignore[index]
            return False
        try:
            values = np.asarray(y_pred)
        except ValueError:
            return False
    elif hasattr(y_pred, "dtype") and getattr(y_pred, "ndim", 1) in (1, 2):
        if getattr(y_pred, "ndim", 1) == 1 and "float" not in str(y_pred.dtype).lower():
            return False
        values = np.asarray(on_host(y_pred))
    else:
        return False
    if values.ndim == 2:
        return values.dtype.kind in "fiub" and _is_flat(y_true)
    return _between(values) and _is_flat(y_true) and not _between(y_true)


def _is_flat(y_true: Any) -> bool:
    """Whether the truth is one label an item."""
    if isinstance(y_true, list | tuple):
        return not y_true or not isinstance(y_true[0], list | tuple | set | frozenset | np.ndarray)
    return not is_frame(y_true) and getattr(y_true, "ndim", 1) == 1


def _between(values: Any) -> bool:
    """Whether all values are floats from 0 to 1, and some are fractions."""
    if isinstance(values, list | tuple) and not any(isinstance(v, float) for v in values):
        return False
    try:
        array = np.asarray(values)
        if array.dtype.kind != "f":
            return False
    except (ValueError, TypeError):
        return False
    with np.errstate(invalid="ignore"):
        return bool(np.all((array >= 0) & (array <= 1)) and np.any(array % 1))


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
    values: Any, n: int, labels: Labels, what: str, rows: bool = False
) -> tuple[NDArray[np.float64], Renormalised | None]:
    """Items × classes in the order of ``labels`` with sums of 1, and a note if some were not 1.

    One number an item is the probability of the second of two classes.
    """
    if is_frame(values):
        values = _by_name(values, labels)
    array = array_of(values, what)
    try:
        p = array.astype(np.float64, casting="same_kind" if array.dtype.kind == "c" else "unsafe")
    except (ValueError, TypeError):
        raise InputError(f"{what} must be numbers, items × labels") from None
    if len(labels) == 2 and p.shape in ((n,), (n, 1)):
        p = np.column_stack([1 - p, p])
    shape = (n, len(labels))
    if p.shape != shape:
        raise InputError(f"{what} must have shape {shape} (items × labels), got {p.shape}")
    total = p.sum(axis=1)
    error = abs(total - 1)
    rough = error > EXACT
    tolerance = _rounding(p, array.dtype) if rough.any() else 0.0
    bad = ~np.isfinite(p).all(axis=1) | (p < 0).any(axis=1) | (rough & ~(error < tolerance))
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        raise InputError(
            f"{what} must be ≥ 0 and sum to 1 for every item, got {_listed(p[at])} "
            f"{f'in row {at + 1}' if rows else f'at item {at}'} (sum {total[at]:.6g})"
        )
    if not rough.any():
        return p, None
    p[rough] /= total[rough, None]
    sums = total[rough]
    return p, Renormalised(len(sums), n, float(sums.min()), float(sums.max()))


def _rounding(p: NDArray[np.float64], dtype: np.dtype[Any]) -> float:
    """A strict bound of the deviation from a sum of 1 by short floats or few decimals.

    Labels may have been merged, and two numbers that end in 5 are both rounded up: from two
    decimals on, it is the bound for at least four numbers.
    """
    slack = 64 * float(np.finfo(np.float32).eps) if dtype == np.float32 else 0.0
    if dtype == np.float16 or (_printed_half(p[:1000]) and _printed_half(p)):
        slack = 2 * float(np.finfo(np.float16).eps)
    for decimals in range(1, 9):
        if np.allclose(np.round(p, decimals), p, rtol=0, atol=1e-12):
            numbers = max(p.shape[1], 4) if decimals > 1 else p.shape[1]
            bound: float = numbers / 2 * 0.1**decimals * (1 - 1e-9)
            return max(slack, min(bound, WIDEST))
    return slack


def _listed(row: NDArray[np.float64]) -> str:
    values = [f"{x!r}" for x in row[:8].tolist()]
    return f"[{', '.join(values)}{', …' if len(row) > 8 else ''}]"


def _printed_half(p: NDArray[np.float64]) -> bool:
    """Whether all numbers are floats of 16 bits, exactly or as printed."""
    with np.errstate(over="ignore", invalid="ignore"):
        half = p.astype(np.float16)
    return np.array_equal(half, p) or np.array_equal(half.astype(str).astype(np.float64), p)


def _by_name(frame: Any, labels: Labels) -> Any:
    """The columns of a frame, whose names are labels, in the order of ``labels``."""
    names = {str(c): c for c in frame.columns}
    absent = [v for v in labels if str(v) not in names]
    if absent or len(names) != len(labels):
        raise InputError(
            f"columns of the probabilities must be the labels {shown(labels)}, got {shown(names)}"
        )
    return frame[[names[str(v)] for v in labels]].to_numpy()


def decided(sample: SoftSample, label: Label | None, threshold: float) -> Sample:
    """The sample of labels for probabilities; see ``SoftSample.decided``."""
    if not 0 <= threshold <= 1:
        raise InputError(f"threshold must be between 0 and 1, got {threshold:g}")
    probability, labels = sample.probability, sample.labels
    choice = probability.argmax(axis=-1)
    note = Decided(len(labels), above_half=str(labels[1]) if len(labels) == 2 else None)
    if label is not None:
        (at,) = positions([label], labels, "label")
        others = probability.copy()
        others[..., at] = -1
        choice = np.where(probability[..., at] >= threshold, at, others.argmax(axis=-1))
        note = Decided(len(labels), str(label), threshold)
    chosen = labelled(sample, sample.systems, choice.T)
    parts = ((key, decided(part, label, threshold)) for key, part in sample.slices)
    return replace(chosen, slices=tuple(parts), notes=(*sample.notes, note))


def labelled(sample: SoftSample, systems: tuple[str, ...], pred: NDArray[np.int64]) -> Sample:
    """The same items with predicted labels as codes, items × systems."""
    null = np.zeros(pred.shape, bool)
    columns = (sample.true, pred, null, sample.weight, np.ones(len(pred), np.int64), sample.cluster)
    return coded_sample(sample.labels, systems, *columns)
