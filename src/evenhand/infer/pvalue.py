"""The one place where statistics and draws become p values."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from evenhand.infer.design import Floats

TIE = 1e-12
"""Two differences this close are the same one, computed in another order."""


def normal(z: float) -> float:
    """Two-sided p of a standard normal statistic.

    >>> round(normal(1.959964), 4)
    0.05
    """
    return math.erfc(abs(z) / math.sqrt(2))


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
