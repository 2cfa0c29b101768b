"""Ratio: the only division by what a table may have none of, and what 0/0 is worth."""

from __future__ import annotations

import numpy as np

from evenhand.core.arrays import Array, floating, namespace, real


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
    zero = real(bottom) == 0
    if xp is np and not np.count_nonzero(zero):
        return _divided(top, bottom)
    return xp.where(zero, undefined, _divided(top, xp.where(zero, 1.0, bottom)))


def _divided(top: Array, bottom: Array) -> Array:
    """The quotient; that of complex steps has the real part it would have without them.

    Else the product of two steps would be in it, and what is 0 would no longer be.
    """
    found = top / bottom
    if isinstance(found, np.ndarray | np.generic):
        found = np.asarray(found)
        if np.iscomplexobj(found):
            found.real = real(top) / real(bottom)
    return found
