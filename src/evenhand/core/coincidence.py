"""Coincidences: how often two ratings of one item meet, and Krippendorff's alpha of them.

An item with m ratings has m·(m − 1) ordered pairs of them, each of which counts 1/(m − 1), so that
it adds as much as it has ratings; one with a single rating adds nothing. With o the sums of these,
n = Σ o a row and N = Σ n: α = 1 − (N − 1)·Σ o·d / Σ n·n′·d. (Krippendorff 2011.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.ratio import ratio

Floats = NDArray[np.float64]
Apart = Callable[[Floats], Floats]
"""How far two labels are apart, squared, given how often each is used: (…, k) → (…, k, k)."""


def coincidences(counts: Floats) -> Floats:
    """Items × k × k from how often each of k labels was given to each item.

    >>> coincidences(np.array([[2.0, 1.0]])).tolist()
    [[[1.0, 1.0], [1.0, 0.0]]]
    """
    pairs = counts[:, :, None] * counts[:, None, :]
    pairs -= counts[:, :, None] * np.eye(counts.shape[1])
    others = counts.sum(axis=1) - 1
    return np.asarray(ratio(pairs, np.maximum(others, 0.0)[:, None, None]))


def alpha(o: Floats, apart: Apart) -> Floats:
    """Krippendorff's alpha of coincidences; 1 where all ratings are one label's.

    >>> float(alpha(np.array([[10.0, 4.0], [4.0, 2.0]]), APART["nominal"](np.arange(2))).round(3))
    0.095
    """
    n = o.sum(axis=-1)
    far, all_of = apart(n), n.sum(axis=-1)
    wrong = (o * far).sum(axis=(-1, -2))
    chance = (n[..., :, None] * n[..., None, :] * far).sum(axis=(-1, -2))
    found = 1 - (all_of - 1) * ratio(wrong, chance)
    return np.where(chance == 0, 1.0, found)


def _ranks(n: Floats) -> Floats:
    middle = np.cumsum(n, axis=-1) - n / 2
    return np.asarray((middle[..., :, None] - middle[..., None, :]) ** 2)


def _fixed(far: Any) -> Apart:
    found = np.asarray(far, np.float64)
    return lambda _: found


def _of_ratio(values: Floats) -> Apart:
    sums = np.abs(np.add.outer(values, values))
    return _fixed(ratio(np.subtract.outer(values, values), sums) ** 2)


APART: dict[str, Callable[[Any], Apart]] = {
    "nominal": lambda values: _fixed(1.0 - np.eye(len(values))),
    "ordinal": lambda values: _ranks,
    "interval": lambda values: _fixed(np.subtract.outer(values, values) ** 2.0),
    "ratio": _of_ratio,
}
"""By the kind of label: names, places in an order, numbers, numbers from 0 on."""
