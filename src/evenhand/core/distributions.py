"""The binomial and the normal distribution."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from evenhand.core.arrays import Array, convert_like, floating, namespace


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


# The inverse of the normal distribution, in arithmetic that can be differentiated

_MIDDLE = (
    (2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4,
     4.5921953931549871457e4, 1.3731693765509461125e4, 1.9715909503065514427e3,
     1.3314166789178437745e2, 3.3871328727963666080e0),
    (5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4,
     2.1213794301586595867e4, 5.3941960214247511077e3, 6.8718700749205790830e2,
     4.2313330701600911252e1, 1.0),
)  # fmt: skip
_SIDES = (
    (7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
     1.27045825245236838258e0, 3.64784832476320460504e0, 5.76949722146069140550e0,
     4.63033784615654529590e0, 1.42343711074968357734e0),
    (1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
     1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940e0,
     2.05319162663775882187e0, 1.0),
)  # fmt: skip
_ENDS = (
    (2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
     2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580e0,
     5.46378491116411436990e0, 6.65790464350110377720e0),
    (2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
     7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
     5.99832206555887937690e-1, 1.0),
)  # fmt: skip


def probit(x: Array) -> Array:
    """Φ⁻¹(x); −∞ at 0 and ∞ at 1, where its slope is taken as 0. (Wichura 1988, AS 241.)

    >>> import numpy as np
    >>> probit(np.array([0.5, 0.975])).round(4)
    array([0.  , 1.96])
    """
    x = floating(x)
    xp = namespace(x)
    low, high = x <= 0, x >= 1
    x = xp.where(low | high, 0.5, x)
    q = x - 0.5
    central = abs(q) <= 0.425
    less = q < 0
    tail = xp.where(central, 0.25, xp.where(less, x, 1 - x))
    r = xp.sqrt(-xp.log(tail))
    side = xp.where(r <= 5, _rational(_SIDES, r - 1.6), _rational(_ENDS, r - 5))
    middle = q * _rational(_MIDDLE, 0.180625 - q * q)
    quantile = xp.where(central, middle, xp.where(less, -side, side))
    return xp.where(low, -math.inf, xp.where(high, math.inf, quantile))


def _rational(parts: tuple[tuple[float, ...], ...], r: Array) -> Array:
    top, bottom = (0 * r + p[0] for p in parts)
    for a, b in zip(parts[0][1:], parts[1][1:], strict=True):
        top, bottom = top * r + a, bottom * r + b
    return top / bottom
