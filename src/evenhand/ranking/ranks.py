"""Ranks: who is first, second, third; equal scores share the smallest rank."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.infer.design import Floats

TIE = 1e-12
"""Two scores this close, for scores of size 1, are the same one computed in another order."""


def ranks(values: Floats, better: str = "higher") -> NDArray[np.int64]:
    """The rank of each value along the last axis: 1 is best, an undefined value is last.

    >>> ranks(np.array([0.7, 0.9, 0.7, 0.5])).tolist()
    [2, 1, 2, 4]
    """
    order, level = _levels(values, better)
    found = np.empty(order.shape, np.int64)
    np.put_along_axis(found, order, level + 1, axis=-1)
    return found


def shares_of_first(places: NDArray[np.int64], values: Floats) -> Floats:
    """The share of first place along the last axis: equal bests divide it between them.

    >>> shares_of_first(np.array([3, 1, 1, 4]), np.array([0.7, 0.9, 0.9, 0.5])).tolist()
    [0.0, 0.5, 0.5, 0.0]
    """
    first = (places == 1) & ~np.isnan(values)
    shared = first.sum(axis=-1, keepdims=True)
    return np.asarray(first / np.maximum(shared, 1))


def place_shares(places: NDArray[np.int64]) -> Floats:
    """Systems × ranks: how often each takes each, from ranks of B × systems.

    Equal systems share the ranks that they take together, so that every rank is taken once.

    >>> place_shares(np.array([[1, 1, 3]])).tolist()
    [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]
    """
    count, systems = places.shape
    group = (places - 1) + systems * np.arange(count)[:, None]
    equal = np.bincount(group.reshape(-1), minlength=places.size)[group]
    cell = (places - 1) + systems * np.arange(systems)
    found = np.zeros(systems**2)
    for size in np.unique(equal).tolist():
        first = cell[equal == size]
        for after in range(size):
            found += np.bincount(first + after, minlength=systems**2) / size
    return np.asarray(found.reshape(systems, systems) / count)


def rank_ends(
    apart: NDArray[np.bool_], places: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The interval of every rank, from which systems are told apart (systems × systems).

    1 + the number told to be better … s − the number told to be worse. If all that is told is
    true, all intervals hold: where any error among all pairs is rare, so is any wrong interval.
    (Al Mohamad, Goeman & van Zwet 2022.)

    >>> apart = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], bool)
    >>> [x.tolist() for x in rank_ends(apart, np.array([1, 2, 3]))]
    [[1, 1, 2], [2, 3, 3]]
    """
    above = places[:, None] < places  # who is ahead of whom
    better, worse = (apart & above).sum(axis=0), (apart & above).sum(axis=1)
    return 1 + better, len(places) - worse


def average_ranks(values: Floats, better: str = "higher") -> Floats:
    """Ranks where equal scores share the mean of their places, as Spearman and Friedman ask.

    >>> average_ranks(np.array([0.7, 0.9, 0.7, 0.5])).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    low = ranks(values, better)
    equal = (low[..., :, None] == low[..., None, :]).sum(axis=-1)
    return np.asarray(low + (equal - 1) / 2)


def _levels(values: Floats, better: str) -> tuple[Any, Any]:
    """Positions from best to worst, and for each the place of the first that equals it."""
    worth = np.asarray(values, np.float64) * (-1.0 if better == "lower" else 1.0)
    worth = np.where(np.isnan(worth), -np.inf, worth)
    order = np.argsort(-worth, axis=-1, kind="stable")
    ranked = np.take_along_axis(worth, order, axis=-1)
    size = np.maximum(1.0, np.abs(np.where(np.isfinite(ranked), ranked, 0.0)))
    with np.errstate(invalid="ignore"):  # two undefined values are equal
        apart = ranked[..., :-1] - ranked[..., 1:] > TIE * size[..., :-1]
    place = np.arange(1, ranked.shape[-1])
    starts = np.where(apart, place, 0)
    level = np.concatenate(
        [np.zeros((*ranked.shape[:-1], 1), np.int64), np.maximum.accumulate(starts, axis=-1)],
        axis=-1,
    )
    return order, level
