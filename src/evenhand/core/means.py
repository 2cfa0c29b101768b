"""Means: of two numbers, and the generalised mean over classes."""

from __future__ import annotations

import math

from evenhand.core.arrays import Array, fixed, namespace, real
from evenhand.core.counts import Counts
from evenhand.core.ratio import ratio

TINY = 1e-300
"""Stands for what is too small for a float beside 1 but is not 0."""


def harmonic(a: Array, b: Array, beta: float = 1.0) -> Array:
    """Harmonic mean of two numbers, (1 + β²)·a·b / (β²·a + b); of 0 and 0 it is 0."""
    v, w = halves(beta)
    return a * ratio(w * b + v * b, w * a + v * b)  # a·b of two tiny numbers would vanish


def halves(beta: float) -> tuple[float, float]:
    """1/(1 + β²) and β²/(1 + β²), the worth of precision and of recall.

    Neither vanishes unless β is 0: of a class that is predicted but never true, F is 0 whatever β.
    """
    small = max((1 / beta if beta > 1 else beta) ** 2, TINY) if beta else 0.0
    less, more = small / (1 + small), 1 / (1 + small)
    return (less, more) if beta > 1 else (more, less)


def generalised(c: Counts, x: Array, p: float) -> Array:
    """Generalised mean of ``x`` ≥ 0 over the averaged classes.

    (1/k · Σ xᵖ)^(1/p): arithmetic for p = 1, geometric for p → 0, harmonic for p = −1, and the
    smallest and largest value for p = ∓∞. Values are divided by the one that decides the power
    before raising them, so that no exponent overflows; xᵖ − 1 is averaged in the place of xᵖ,
    so that no digit is lost near p = 0.
    """
    if p == 1:
        return c.mean(x)
    xp = namespace(x)
    zero = real(x) == 0
    zeros, known = c.sum(xp.where(zero, 1.0, 0.0)), c.sum(xp.where(xp.isnan(x), 0.0, 1.0))
    vanishes = zeros > 0 if p <= 0 else zeros == known
    if math.isinf(p):
        mean = c.largest(x) if p > 0 else -c.largest(-x)
    elif p == 0:
        mean = xp.exp(c.mean(xp.log(c.listed(xp.where(zero, 1.0, x), 1.0))))
    else:
        scale = c.scale(x) if p > 0 else -c.scale(xp.where(zero, -math.inf, -x))
        some = xp.isfinite(scale) & (scale > 0)
        scale = fixed(xp.where(some, scale, 1.0))
        share = c.listed(xp.where(zero | xp.isnan(x), scale, x) / scale, 1.0)
        powers = xp.where(xp.isnan(x), math.nan, xp.expm1(p * xp.log(share)))
        excess = c.mean(xp.where(zero & some, -1.0, powers) if p > 0 else powers)
        excess = xp.where(known > 0, excess, 0.0)  # of no class at all, it may be anything
        mean = c.back(scale) * xp.exp(xp.log1p(excess) / p)
    return xp.where(known > 0, xp.where(vanishes, 0.0, mean), c.undefined)
