"""Means: of two numbers, and the generalised mean over classes."""

from __future__ import annotations

import math

from evenhand.core.arrays import Array, namespace, real
from evenhand.core.counts import Counts, column
from evenhand.core.ratio import ratio


def harmonic(a: Array, b: Array, beta: float = 1.0) -> Array:
    """Harmonic mean of two numbers, (1 + β²)·a·b / (β²·a + b); of 0 and 0 it is 0."""
    return ratio((1 + beta**2) * a * b, beta**2 * a + b)


def generalised(c: Counts, x: Array, p: float) -> Array:
    """Generalised mean of ``x`` ≥ 0 over the averaged classes.

    (1/k · Σ xᵖ)^(1/p): arithmetic for p = 1, geometric for p → 0, harmonic for p = −1, and the
    smallest and largest value for p = ∓∞. Values are divided by the one that decides the power
    before raising them, so that no exponent overflows.
    """
    if p == 1:
        return c.mean(x)
    xp = namespace(x)
    if p == math.inf:
        return c.largest(x)
    if p == -math.inf:
        return -c.largest(-x)
    positive = real(x) > 0
    some_zero = c.sum(xp.where(real(x) == 0, 1.0, 0.0)) > 0
    safe = xp.where(positive | xp.isnan(x), x, 1.0)
    if p == 0:
        mean = xp.exp(c.mean(xp.log(safe)))
        return xp.where(some_zero, 0.0, mean)
    scale = c.largest(safe) if p > 0 else -c.largest(-safe)
    scale = xp.where(xp.isfinite(scale), scale, 1.0)
    powers = (safe / column(scale)) ** p
    if p > 0:
        return scale * c.mean(xp.where(positive | xp.isnan(x), powers, 0.0)) ** (1 / p)
    mean = scale * c.mean(powers) ** (1 / p)
    return xp.where(some_zero, 0.0, mean)
