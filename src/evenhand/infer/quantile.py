"""Quantiles of the normal and of Student's distribution."""

from __future__ import annotations

import math
from statistics import NormalDist


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
