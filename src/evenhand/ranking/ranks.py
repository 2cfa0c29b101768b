"""Ranks: who is first, second, third; equal scores share the smallest rank."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.kernel import Kernel
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


def best(values: Floats, better: str = "higher") -> Floats:
    """The share of first place along the last axis: equal bests divide it between them.

    >>> best(np.array([0.7, 0.9, 0.9, 0.5])).tolist()
    [0.0, 0.5, 0.5, 0.0]
    """
    return shares_of_first(ranks(values, better), values)


def shares_of_first(places: NDArray[np.int64], values: Floats) -> Floats:
    """The same, where the ranks are known."""
    first = (places == 1) & ~np.isnan(values)
    shared = first.sum(axis=-1, keepdims=True)
    return np.asarray(first / np.maximum(shared, 1))


def average_ranks(values: Floats, better: str = "higher") -> Floats:
    """Ranks where equal scores share the mean of their places, as Spearman and Friedman ask.

    >>> average_ranks(np.array([0.7, 0.9, 0.7, 0.5])).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    low = ranks(values, better)
    equal = (low[..., :, None] == low[..., None, :]).sum(axis=-1)
    return np.asarray(low + (equal - 1) / 2)


def direction(kernel: Kernel) -> str:
    """Whether a higher or a lower value of the metric is better."""
    return "higher" if kernel.record is None else kernel.record.better


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
