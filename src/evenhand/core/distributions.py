"""The binomial and the normal distribution."""

from __future__ import annotations

import math
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import Array, convert_like, floating, namespace
from evenhand.core.autodiff import Traced


def at_least(hits: Array, misses: Array, rate: Array, rest: Array) -> Array:
    """P(X ≥ hits), X binomial of hits + misses trials with probability ``rate`` = 1 − ``rest``.

    >>> round(float(at_least(2, 0, 0.5, 0.5)), 12)
    0.25
    """
    from scipy.special import betainc, betaincc, ndtr

    xp = namespace(hits, misses, rate)
    a, m, p, q = np.broadcast_arrays(*map(_plain, (hits, misses, rate, rest)))
    sure = (a <= 0) | (q <= 0)
    a = np.where(sure, 1.0, a)
    tail = np.where(p < q, betainc(a, m + 1, p), betaincc(m + 1, a, q))
    n = a + m
    normal = ndtr((n * p - a) / np.sqrt(np.maximum(n * p * q, 1e-300)))
    p_value = np.where(sure, 1.0, np.where(np.isnan(tail), normal, tail))  # beyond 10^18 trials
    return p_value if xp is np else xp.asarray(convert_like(p_value, rate), dtype=rate.dtype)


def _plain(x: Array) -> NDArray[np.float64]:
    """``x`` as a numpy array, also from another device and with a gradient."""
    return np.asarray(x.detach().cpu() if hasattr(x, "detach") else x, np.float64)


def probit(x: Array) -> Array:
    """Φ⁻¹(x); −∞ at 0 and ∞ at 1, where its slope is taken as 0.

    >>> import numpy as np
    >>> probit(np.array([0.5, 0.975])).round(4)
    array([0.  , 1.96])
    """
    x = floating(x)
    xp = namespace(x)
    quantile = _ndtri(xp.where((x <= 0) | (x >= 1), 0.5, x))
    return xp.where(x <= 0, -math.inf, xp.where(x >= 1, math.inf, quantile))


def _ndtri(x: Array) -> Array:
    """Φ⁻¹ of the library that holds ``x``, in its own arithmetic that can be differentiated."""
    for library, module in (("torch", "torch.special"), ("jax", "jax.scipy.special")):
        if library in namespace(x).__name__:
            return import_module(module).ndtri(x)
    from scipy.special import ndtri

    if not isinstance(x, Traced):
        return ndtri(x)
    return x.apply(ndtri, lambda g: g * math.sqrt(2 * math.pi) * np.exp(ndtri(x.value) ** 2 / 2))
