"""The normal distribution's inverse, on arrays of any library and on complex steps."""

from __future__ import annotations

import math

import numpy as np

from evenhand.core.arrays import Array, floating, namespace


def probit(x: Array) -> Array:
    """Φ⁻¹(x); −∞ at 0 and ∞ at 1, where its slope is taken as 0.

    >>> probit(np.array([0.5, 0.975])).round(4)
    array([0.  , 1.96])
    """
    x = floating(x)
    xp = namespace(x)
    if xp is np:
        from scipy.special import ndtri

        found = ndtri(x.real)
        if x.dtype.kind != "c":
            return np.asarray(found)
        with np.errstate(over="ignore"):
            rise = math.sqrt(2 * math.pi) * np.exp(found**2 / 2)
        return np.asarray(found + 1j * np.where(np.isfinite(found), rise, 0.0) * x.imag)
    low, high = x <= 0, x >= 1
    inner = xp.where(low | high, 0.5, x)
    if "torch" in xp.__name__:
        from torch.special import ndtri as inverse
    else:
        from jax.scipy.special import ndtri as inverse
    return xp.where(low, -math.inf, xp.where(high, math.inf, inverse(inner)))
