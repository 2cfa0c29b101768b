"""Unlabelled: what a system said of new items whose truth nobody knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.count.encode import encode
from evenhand.count.probabilities import item_probabilities
from evenhand.errors import InputError, shown
from evenhand.infer.design import Floats
from evenhand.tables.labels import Labels, positions

ROUNDED = 0.01
"""Probabilities written with few digits may miss a sum of 1 by this much."""


@dataclass(frozen=True, eq=False)
class Unlabelled:
    """Predictions of each class on new items, those of no known class last.

    ``counts`` sum to ``n``, or are shares where the number of items is unknown (``n`` is
    ``None``). ``probabilities`` are items × classes, if there are any. ``strange`` are labels
    that were predicted but that the table does not know.
    """

    counts: Floats
    n: int | None
    probabilities: Floats | None = None
    strange: tuple[Any, ...] = ()

    @property
    def shares(self) -> Floats:
        """Shares of the predictions."""
        return np.asarray(self.counts / self.counts.sum())


def unlabelled(data: Any, labels: Labels) -> Unlabelled:
    """New predictions: labels, class probabilities, or a mapping of labels to counts or shares.

    The most probable class is what a system predicts from probabilities.

    >>> unlabelled(["a", "b", "b", None], ("a", "b")).counts
    array([1., 2., 1.])
    >>> unlabelled([[0.9, 0.1], [0.3, 0.7]], ("a", "b")).counts
    array([1., 1., 0.])
    """
    if isinstance(data, Unlabelled):
        return data
    if isinstance(data, Mapping):
        return _of_mapping(data, labels)
    if hasattr(data, "columns") or np.ndim(data) == 2:
        p = item_probabilities(data, len(data), labels, "probabilities", ROUNDED)
        p = p / p.sum(axis=1, keepdims=True)
        guess = np.bincount(p.argmax(axis=1), minlength=len(labels) + 1).astype(np.float64)
        return Unlabelled(guess, _some(len(p)), p)
    found = encode(data, "unlabelled predictions")
    place = _places(labels)
    to = np.array([place.get(_key(v), place.get(v, -1)) for v in found.labels] + [-1])
    code = to[found.codes]
    counts = np.bincount(np.where(code < 0, len(labels), code), minlength=len(labels) + 1)
    strange = tuple(v for v, i in zip(found.labels, to, strict=False) if i < 0)
    return Unlabelled(counts.astype(np.float64), _some(len(found)), None, strange)


def _places(labels: Labels) -> dict[Any, int]:
    """Where each label stands, by its type and value or by the text that shows it."""
    text: dict[Any, int] = {str(v): i for i, v in enumerate(labels)}
    return text | {_key(v): i for i, v in enumerate(labels)}


def _key(label: Any) -> Any:
    return type(label), label


def _of_mapping(data: Mapping[Any, Any], labels: Labels) -> Unlabelled:
    counts = np.zeros(len(labels) + 1)
    for i, value in zip(positions(data, labels, "predicted classes"), data.values(), strict=True):
        if not isinstance(value, int | float | np.number) or not value >= 0:
            raise InputError(f"counts of predictions must be numbers ≥ 0, got {value!r}")
        counts[i] = value
    if not np.isfinite(counts.sum()) or not counts.sum():
        raise InputError(f"counts of predictions must have a finite sum > 0, got {counts.sum()}")
    whole = all(isinstance(v, int | np.integer) for v in data.values())
    if not whole and abs(counts.sum() - 1) > 1e-6:
        raise InputError(
            "predicted classes must have whole counts, or shares that sum to 1, "
            f"got {shown(data.values())}"
        )
    return Unlabelled(counts, int(counts.sum()) if whole else None)


def _some(n: int) -> int:
    if not n:
        raise InputError("unlabelled predictions must not be empty")
    return n
