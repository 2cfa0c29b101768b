"""Class probabilities, counted into a soft table or kept item by item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import seal, taken
from evenhand.count.arrays import first_null, item_weights
from evenhand.count.encode import array_of, encode
from evenhand.count.samples import Coded
from evenhand.count.slices import clusters, parts_of
from evenhand.count.tally import recode, refuse_truth
from evenhand.errors import InputError, shown
from evenhand.tables.confusion import Confusion
from evenhand.tables.dense import DenseCells
from evenhand.tables.labels import Label, Labels, checked, kind_of, positions, same_kind
from evenhand.tables.sample import Sample, SoftSample


def count_probabilities(
    y_true: Any, probabilities: Any, *, labels: Iterable[Any], weights: Any = None
) -> Confusion:
    """Each item's probabilities, added to the row of its true class."""
    known, true = _truth(y_true, labels)
    p = item_probabilities(probabilities, len(true), known, "probabilities")
    return soft_table(known, true, p, item_weights(weights, len(true)))


def count_soft_sample(
    y_true: Any,
    probabilities: Mapping[str, Any],
    *,
    labels: Iterable[Any],
    weights: Any = None,
    cluster: Any = None,
    by: Any = None,
    truth: str = "y_true",
    places: Sequence[str] | None = None,
) -> SoftSample:
    """The items of several systems with their probabilities, in an order of their own.

    ``truth`` and ``places`` are what errors call the columns.
    """
    if not probabilities:
        raise InputError("probabilities must map at least one system's name to its array")
    known, true = _truth(y_true, labels, truth)
    called = places or [f"probabilities of {s!r}" for s in probabilities]
    arrays = zip(probabilities.values(), called, strict=True)
    p = np.stack([item_probabilities(a, len(true), known, what) for a, what in arrays])
    weight = item_weights(weights, len(true))
    group = None if cluster is None else clusters(cluster, len(true))
    names = tuple(map(str, probabilities))
    whole = _soft(known, names, true, p, weight, group)
    if by is None:
        return whole
    parts = (
        (key, _soft(known, names, true[at], p[:, at], *taken(at, weight, group)))
        for key, at in parts_of(by, len(true))
    )
    return replace(whole, slices=tuple(parts))


def _soft(
    known: Labels,
    names: tuple[str, ...],
    true: NDArray[np.int64],
    p: NDArray[np.float64],
    weight: NDArray[np.float64] | None,
    group: NDArray[np.int64] | None,
) -> SoftSample:
    """The sample of items as they are, in an order of their own."""
    if group is not None:
        group = np.unique(group, return_inverse=True)[1]
    by_name = p[sorted(range(len(names)), key=names.__getitem__)]
    keys = [*by_name.transpose(0, 2, 1).reshape(-1, len(true))[::-1], true]
    keys += [x for x in (weight, group) if x is not None]
    order = np.lexsort(keys)  # so that a seed gives the same draws whatever the order of items
    sealed = map(seal, (true[order], p[:, order], *taken(order, weight, group)))
    return SoftSample(known, names, *sealed)


def soft_table(
    labels: Labels,
    true: NDArray[np.int64],
    p: NDArray[np.float64],
    weight: NDArray[np.float64] | None,
) -> Confusion:
    """The soft table of items with true codes and probabilities."""
    cells = np.zeros((len(labels), len(labels) + 1))
    np.add.at(cells[:, :-1], true, p if weight is None else p * weight[:, None])
    return Confusion.of(labels, DenseCells(cells), n=np.asarray(len(true)))


def _truth(
    y_true: Any, labels: Iterable[Any], what: str = "y_true"
) -> tuple[Labels, NDArray[np.int64]]:
    known = checked(labels)
    truth = encode(y_true, what)
    same_kind(kind_of(known, "labels"), truth.kind, "labels", what)
    if not len(truth):
        raise InputError(f"{what} must not be empty: there is no item to count")
    true = recode(truth, known)
    lost = int((true < 0).sum())
    if lost:
        refuse_truth(truth, lost, known, what, drop=False, first=first_null(truth))
    return known, true


def item_probabilities(
    values: Any, n: int, labels: Labels, what: str, slack: float = 1e-6
) -> NDArray[np.float64]:
    """Items × classes in the order of ``labels``, each item summing to 1 but for the slack."""
    if hasattr(values, "columns"):
        values = _by_name(values, labels)
    given = array_of(values, what)
    try:
        p = given.astype(np.float64)
    except (ValueError, TypeError):
        raise InputError(f"{what} must be numbers, items × labels") from None
    shape = (n, len(labels))
    if p.shape != shape:
        raise InputError(f"{what} must have shape {shape} (items × labels), got {p.shape}")
    bad = ~np.isfinite(p).all(axis=1) | (p < 0).any(axis=1) | (abs(p.sum(axis=1) - 1) > slack)
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        raise InputError(
            f"{what} must be ≥ 0 and sum to 1 for every item, got {p[at].tolist()} at item {at}"
        )
    return p


def _by_name(frame: Any, labels: Labels) -> Any:
    """The columns of a frame in the order of the labels they are named for."""
    names = {str(c): c for c in frame.columns}
    absent = [v for v in labels if str(v) not in names]
    if absent or len(names) != len(labels):
        raise InputError(
            f"columns of the probabilities must be the labels {shown(labels)}, got {shown(names)}"
        )
    return frame[[names[str(v)] for v in labels]].to_numpy()


def decided(sample: SoftSample, label: Label | None, threshold: float) -> Sample:
    """The sample of labels that probabilities decide for; see ``SoftSample.decided``."""
    if not 0 <= threshold <= 1:
        raise InputError(f"threshold must be between 0 and 1, got {threshold:g}")
    probability = sample.probability
    choice = probability.argmax(axis=-1)
    if label is not None:
        (at,) = positions([label], sample.labels, "label")
        others = probability.copy()
        others[..., at] = -1
        choice = np.where(probability[..., at] >= threshold, at, others.argmax(axis=-1))
    found = labelled(sample, sample.systems, choice.T)
    parts = ((key, decided(part, label, threshold)) for key, part in sample.slices)
    return replace(found, slices=tuple(parts))


def labelled(sample: SoftSample, systems: tuple[str, ...], pred: NDArray[np.int64]) -> Sample:
    """The same items with labels that were decided for, items × systems, as codes."""
    null = np.zeros(pred.shape, bool)
    beside = (sample.weight, None, sample.cluster)
    return Coded(sample.labels, systems, sample.true, pred, null, *beside).sample("y_true")
