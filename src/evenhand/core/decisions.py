"""Decisions: the margins of every table that a threshold on one class can give."""

from __future__ import annotations

import numpy as np

from evenhand.core.arrays import Array
from evenhand.core.counts import Counts


def margins_along(
    true: Array, other: Array, place: Array, weight: Array, *, label: int, k: int, size: int
) -> Counts:
    """The margins of ``size`` tables, in which more and more items are decided for ``label``.

    Item i is ``label`` in the tables from ``place[i]`` on, and ``other[i]``, which is never
    ``label``, in those before. Each table is a sum of what came over and of what is still to
    come, never a difference, so that fractions cancel nowhere.

    >>> true, other, place = np.array([1, 0, 1]), np.zeros(3, int), np.array([0, 1, 2])
    >>> c = margins_along(true, other, place, np.ones(3, int), label=1, k=2, size=3)
    >>> c.correct.tolist(), c.bias.tolist()
    ([[1, 1], [0, 1], [0, 2]], [[2, 1], [1, 2], [0, 3]])
    """
    hit = true == other
    come = _summed(place, true, weight, size, k)[:-1].cumsum(axis=0)
    correct, misses, alarms = (
        _to_come(_summed(place[which], code[which], weight[which], size, k))
        for which, code in ((hit, true), (~hit, true), (~hit, other))
    )
    correct[:, label] = come[:, label]
    come[:, label] = 0
    misses += come
    alarms[:, label] = come.sum(axis=1)
    prevalence = _summed(np.zeros_like(place), true, weight, 0, k)
    total = np.broadcast_to(prevalence.sum(), size)
    prevalence = np.broadcast_to(prevalence, correct.shape)
    whole = weight.dtype.kind in "iu"
    errors = None if whole else (misses, alarms)
    return Counts(correct, correct + alarms, prevalence, total, np.zeros(size), errors=errors)


def _summed(place: Array, code: Array, weight: Array, size: int, k: int) -> Array:
    """Weights by place, those from ``size`` on as one, and by code."""
    at = np.minimum(place, size) * k + code
    found = np.bincount(at, weight, minlength=(size + 1) * k).reshape(size + 1, k)
    return found.astype(weight.dtype)  # bincount has floats, but of nothing whole numbers


def _to_come(at: Array) -> Array:
    """What stands behind each place."""
    return np.ascontiguousarray(at[::-1].cumsum(axis=0)[::-1][1:])
