"""Mid-p limits of a share: the binomial's own, half of what was seen counting to each tail."""

from __future__ import annotations

import numpy as np

from evenhand.infer.design import Floats

STEPS = 40
"""Halvings: what is left is below the rounding of a share."""


def mid_p_limits(share: Floats, trials: Floats, level: float) -> tuple[Floats, Floats]:
    """Shares p at which P(X > x) + P(X = x)/2, or that of the other tail, is half of 1 − level.

    x = share · trials, whole or not. Above no hits there is one limit, as below nothing but hits,
    and the other end is the share itself. (Lancaster 1961; Berry & Armitage 1995.)

    >>> low, high = mid_p_limits(np.array([0.0, 0.95, 1.0]), np.array(20.0), 0.95)
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0, 0.7772, 0.8609], [0.1391, 0.9975, 1.0])
    """
    share, trials = np.broadcast_arrays(share, trials)
    low = _lower(share, trials, (1 - level) / 2)
    return low, 1 - _lower(1 - share, trials, (1 - level) / 2)


def _lower(share: Floats, trials: Floats, tail: float) -> Floats:
    from scipy.special import betainc

    x = share * trials
    rest = np.maximum(trials - x, 0.0)
    some, all_hits = x > 0, rest <= 1e-9 * trials
    a, b = np.where(some, x, 1.0), np.where(all_hits, 1.0, rest)
    low, high = np.zeros(share.shape), np.array(share, np.float64)
    for _ in range(STEPS):
        p = (low + high) / 2
        more = np.where(all_hits, 0.0, betainc(a + 1, b, p))  # P(X > x)
        at_least = np.where(all_hits, p**a, betainc(a, b + 1, p))
        below = (more + at_least) / 2 < tail
        low, high = np.where(below, p, low), np.where(below, high, p)
    return np.where(some, (low + high) / 2, 0.0)
