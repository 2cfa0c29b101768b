"""The upper tail of the binomial distribution."""

from __future__ import annotations

from math import erfc, exp, lgamma, log, log1p, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import Array, beside, namespace

STEPS, SMALL = 500, 1e-300
MANY, FEW = 1e5, 1e4
"""Trials beyond which the fraction converges slowly, and a number below which tails are sums."""


def at_least(hits: Array, misses: Array, rate: Array, rest: Array) -> Array:
    """P(X ≥ hits) of hits and misses that are right with probability ``rate``, else by ``rest``.

    It is the incomplete beta function I_rate(hits, misses + 1), by its continued fraction;
    of many trials :func:`of_many`.

    >>> round(float(at_least(2, 0, 0.5, 0.5)), 12)
    0.25
    """
    xp = namespace(hits, misses, rate)
    a, m, p, q = np.broadcast_arrays(*map(_plain, (hits, misses, rate, rest)))
    none, sure = a <= 0, q <= 0
    a, p = np.where(none, 1.0, a), np.where(sure, 0.5, p)
    many = ~none & ~sure & (a + m > MANY)
    large = [of_many(*map(float, x)) for x in zip(*(x[many] for x in (a, m, p, q)), strict=True)]
    a, m, p = np.where(many, 1.0, a), np.where(many, 1.0, m), np.where(many, 0.5, p)
    b = m + 1
    turn = p > (a + 1) / (a + b + 2)
    part = _beta(np.where(turn, b, a), np.where(turn, a, b), np.where(turn, 1 - p, p))
    tail = np.where(turn, 1 - part, part)
    found = np.where(none | sure, 1.0, np.clip(tail, 0.0, 1.0))
    found[many] = large
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


def of_many(hits: float, misses: float, rate: float, rest: float) -> float:
    """P(X ≥ hits) of many items: where few are expected to go one way the sum of their chances,
    else Edgeworth's series to the second order, whose error is below 1e-8.

    >>> round(of_many(500_500, 499_500, 0.5, 0.5), 8)
    0.15889735
    """
    trials = hits + misses
    if trials * rest < FEW:
        return min(_sum(misses, trials, rest), 1.0)
    if trials * rate < FEW:
        return max(1 - _sum(hits - 1, trials, rate), 0.0)
    deviation = sqrt(trials) * sqrt(rate * rest)  # a product of all three may be infinite
    z = (hits - 0.5 - trials * rate) / deviation
    skew, tails = (rest - rate) / deviation, (1 - 6 * rate * rest) / deviation**2
    step = 1 / deviation**2  # what a corrected step of 1 leaves of the second order
    if abs(z) > 40:
        return float(z < 0)
    normal, slope = erfc(z / sqrt(2)) / 2, exp(-z * z / 2) / sqrt(2 * pi)
    second = tails / 24 * (z**3 - 3 * z) + skew**2 / 72 * (z**5 - 10 * z**3 + 15 * z)
    added = skew / 6 * (z * z - 1) + second - step / 24 * z
    return min(max(normal + slope * added, 0.0), 1.0)


def _sum(most: float, trials: float, rate: float) -> float:
    """P(X ≤ most), from the chance of 0 on; nothing is left of it beyond many deviations."""
    mean = trials * rate
    if most < 0:
        return 0.0
    last = min(most, mean + 60 * sqrt(mean) + 60)
    j = np.arange(last)  # chances from each number to the next
    odds = log(rate) - log1p(-rate) + np.log((trials - j) / (j + 1))
    start = trials * log1p(-rate)
    return float(np.exp(start + np.concatenate([[0.0], np.cumsum(odds)])).sum())


def _plain(x: Array) -> NDArray[np.float64]:
    """``x`` as numpy's, also where it lies elsewhere and has a gradient."""
    return np.asarray(x.detach().cpu() if hasattr(x, "detach") else x, np.float64)


def _kept(x: Array) -> Array:
    return np.where(np.abs(x) < SMALL, SMALL, x)
