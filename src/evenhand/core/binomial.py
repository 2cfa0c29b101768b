"""The upper tail of the binomial distribution."""

from __future__ import annotations

from math import lgamma

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import Array, beside, namespace

STEPS, SMALL = 500, 1e-300


def at_least(hits: Array, trials: Array, rate: Array) -> Array:
    """P(X ≥ hits) of ``trials`` decisions that are right with probability ``rate``.

    It is the incomplete beta function I_rate(hits, trials − hits + 1), by its continued fraction.

    >>> round(float(at_least(2, 2, 0.5)), 12)
    0.25
    """
    xp = namespace(hits, trials, rate)
    a, n, p = np.broadcast_arrays(*map(_plain, (hits, trials, rate)))
    none, sure = a <= 0, p >= 1
    a, p = np.where(none, 1.0, a), np.where(sure, 0.5, p)
    b = n - a + 1
    turn = p > (a + 1) / (a + b + 2)
    part = _beta(np.where(turn, b, a), np.where(turn, a, b), np.where(turn, 1 - p, p))
    tail = np.where(turn, 1 - part, part)
    found = np.where(none | sure, 1.0, np.clip(tail, 0.0, 1.0))
    return found if xp is np else xp.asarray(beside(found, rate), dtype=rate.dtype)


def _beta(a: Array, b: Array, x: Array) -> NDArray[np.float64]:
    """I_x(a, b), where the fraction converges fast: x below its mean."""
    log = np.vectorize(lgamma, otypes=[np.float64])
    with np.errstate(under="ignore"):
        front = np.exp(log(a + b) - log(a) - log(b) + a * np.log(x) + b * np.log1p(-x)) / a
    c, d = np.ones_like(x), 1 / _kept(1 - (a + b) * x / (a + 1))
    found = d.copy()
    for m in range(1, STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for part in (even, odd):
            d, c = 1 / _kept(1 + part * d), _kept(1 + part / c)
            found = found * d * c
        if np.all(np.abs(d * c - 1) < 1e-15):
            break
    return np.asarray(front * found)


def _plain(x: Array) -> NDArray[np.float64]:
    """``x`` as numpy's, also where it lies elsewhere and has a gradient."""
    return np.asarray(x.detach().cpu() if hasattr(x, "detach") else x, np.float64)


def _kept(x: Array) -> Array:
    return np.where(np.abs(x) < SMALL, SMALL, x)
