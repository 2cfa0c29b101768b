"""The one place where statistics and draws become p values."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from evenhand.infer.design import Floats

TIE = 1e-12
"""Two differences this close are the same one, computed in another order."""


def two_sided(statistic: Floats | float, freedom: Floats | float = math.inf) -> Floats:
    """Two-sided p of normal statistics, or of Student's where the degrees of freedom are finite.

    >>> two_sided(np.array([1.959964, 2.776445]), np.array([np.inf, 4])).round(4).tolist()
    [0.05, 0.05]
    """
    size = np.abs(np.asarray(statistic, np.float64))
    p = np.reshape([math.erfc(x) for x in (size / math.sqrt(2)).reshape(-1).tolist()], size.shape)
    freedom = np.broadcast_to(freedom, size.shape)
    few = np.isfinite(freedom)
    if few.any():
        from scipy.special import stdtr

        p[few] = 2 * stdtr(freedom[few], -size[few])
    return np.asarray(p)


def sampled(draws: Floats, observed: float) -> float:
    """Two-sided p from draws under the null: (1 + as extreme) / (1 + draws), never 0.

    >>> sampled(np.array([0.1, -0.3, 0.2, 0.0]), 0.3)
    0.4
    """
    known = draws[~np.isnan(draws)]
    hits = int(np.count_nonzero(np.abs(known) >= abs(observed) - TIE))
    return (1 + hits) / (1 + len(known))


def enumerated(outcomes: Floats, chance: Floats, observed: float) -> float:
    """Two-sided p from every outcome under the null and its probability."""
    return min(1.0, float(chance[np.abs(outcomes) >= abs(observed) - TIE].sum()))


def holm(p: Sequence[float] | Floats) -> list[float]:
    """Holm's adjustment: the chance of any false finding among them stays below the level.

    >>> [round(x, 3) for x in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    given = np.asarray(p, np.float64)
    order = np.argsort(given, kind="stable")
    steps = np.minimum(1.0, np.arange(len(given), 0, -1) * given[order])
    adjusted = np.empty(len(given))
    adjusted[order] = np.maximum.accumulate(steps)
    return list(adjusted.tolist())
