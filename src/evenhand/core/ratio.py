"""The one division that knows the value of 0/0."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from evenhand.core.arrays import Array, floating, namespace


def ratio(numerator: Array, denominator: Array, undefined: float = 0.0) -> Array:
    """``numerator / denominator``, and ``undefined`` wherever the denominator is zero.

    The denominator is replaced before dividing as well as the result afterwards: automatic
    differentiation follows both branches of a choice, and 0 · (1/0) would be NaN.

    >>> import numpy as np
    >>> ratio(np.array([1, 0]), np.array([4, 0]))
    array([0.25, 0.  ])
    """
    top, bottom = floating(numerator), floating(denominator)
    xp = namespace(top, bottom)
    zero = bottom == 0
    if xp is np and not np.count_nonzero(zero):
        return top / bottom
    return xp.where(zero, undefined, top / xp.where(zero, 1.0, bottom))


Share = tuple[Array, Array]
"""Hits and trials."""


def share(parts: Callable[..., Share]) -> Callable[..., Array]:
    """The ratio of the hits and the trials that a function gives, as a metric of margins."""

    @wraps(parts)
    def value(c: Any, **options: Any) -> Array:
        return ratio(*parts(c, **options), c.undefined)

    value.proportion = parts  # type: ignore[attr-defined]
    return value
