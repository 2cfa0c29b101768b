"""The upper tail of the binomial distribution, on arrays of any library."""

from __future__ import annotations

import numpy as np

from evenhand.core.arrays import Array, namespace


def at_least(hits: Array, trials: Array, rate: Array) -> Array:
    """P(X ≥ hits) of ``trials`` decisions that are right with probability ``rate``.

    >>> float(at_least(2, 2, 0.5))
    0.25
    """
    xp = namespace(hits, trials, rate)
    from scipy.special import bdtrc

    below, p = np.asarray(hits, np.float64), np.asarray(rate, np.float64)
    many = np.asarray(trials).astype(np.int64)
    found = np.where(below <= 0, 1.0, bdtrc(np.maximum(below - 1, 0), many, p))
    return found if xp is np else xp.asarray(found, dtype=rate.dtype)
