"""Contrast: differences and ratios of two numbers from their own intervals, by square-and-add.

The distance of each number to its ends takes the place of an error (MOVER: Newcombe 1998, Zou &
Donner 2008; for ratios Donner & Zou 2012), so that a skewed interval stays skewed. ``r`` is the
correlation of the two errors: 0 where they are of different items.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evenhand.infer.design import Floats


class Ends(NamedTuple):
    """Numbers with the ends of their intervals, NaN where there is none."""

    value: Floats
    low: Floats
    high: Floats


def difference(a: Ends, b: Ends, r: Floats | float = 0.0) -> Ends:
    """a − b.

    >>> one = Ends(*(np.array(x) for x in (0.8, 0.7, 0.88)))
    >>> other = Ends(*(np.array(x) for x in (0.6, 0.5, 0.69)))
    >>> [round(float(x), 4) for x in difference(one, other)]
    [0.2, 0.0655, 0.3281]
    """
    down, up = (
        _joint(a.value - a.low, b.high - b.value, r),
        _joint(a.high - a.value, b.value - b.low, r),
    )
    value = a.value - b.value
    return Ends(value, value - down, value + up)


def _joint(x: Floats, y: Floats, r: Floats | float) -> Floats:
    return np.asarray(np.sqrt(np.maximum(x * x + y * y - 2 * r * x * y, 0.0)))


def ratio(a: Ends, b: Ends, r: Floats | float = 0.0) -> Ends:
    """a / b of numbers ≥ 0; without an upper end where b may be 0, and nothing where b is.

    >>> one = Ends(*(np.array(x) for x in (0.8, 0.7, 0.88)))
    >>> other = Ends(*(np.array(x) for x in (0.6, 0.5, 0.69)))
    >>> [round(float(x), 4) for x in ratio(one, other)]
    [1.3333, 1.0989, 1.637]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.where(b.value > 0, a.value / b.value, np.nan)
        low = _end(a, b, a.low, b.high, r, -1.0)
        high = np.where(b.low > 0, _end(a, b, a.high, b.low, r, 1.0), np.inf)
    known = np.isfinite(value) & ~np.isnan(a.low) & ~np.isnan(b.low)
    return Ends(value, np.where(known, low, np.nan), np.where(known, high, np.nan))


def _end(a: Ends, b: Ends, x: Floats, y: Floats, r: Floats | float, side: float) -> Floats:
    """Where (a − θ·b) leaves its square-and-add interval; ``x`` and ``y`` are the ends at work."""
    middle = a.value * b.value - r * np.abs(a.value - x) * np.abs(b.value - y)
    product = x * y * (2 * a.value - x) * (2 * b.value - y)
    root = np.sqrt(np.maximum(middle * middle - product, 0.0))
    return np.asarray(np.maximum((middle + side * root) / (y * (2 * b.value - y)), 0.0))
