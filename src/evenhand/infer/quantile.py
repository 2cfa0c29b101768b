"""Quantiles of the normal and of Student's distribution."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

NORMAL = 1e6
"""Degrees of freedom beyond which Student's distribution is the normal one to six digits."""


def quantile(p: float, freedom: float = math.inf) -> float:
    """The normal quantile, or Student's where the degrees of freedom are finite.

    >>> round(quantile(0.975), 4), round(quantile(0.975, 4), 4)
    (1.96, 2.7764)
    """
    if math.isinf(freedom):
        return NormalDist().inv_cdf(p)
    from scipy.special import stdtrit

    return float(stdtrit(freedom, p))


def reach(level: float, freedom: float = math.inf) -> float:
    """How many standard errors an interval of this level reaches."""
    return quantile((1 + level) / 2, freedom)


def reaches(level: float, freedom: NDArray[Any]) -> NDArray[np.float64]:
    """The same for each of many; infinite where there is no freedom at all.

    >>> reaches(0.95, np.array([4, np.inf])).round(4).tolist()
    [2.7764, 1.96]
    """
    z = reach(level)
    few = np.isfinite(freedom) & (freedom < NORMAL)
    if not few.any():
        return np.full(freedom.shape, z)
    from scipy.special import stdtrit

    return np.where(few, stdtrit(np.where(few, freedom, 1.0), (1 + level) / 2), z)
