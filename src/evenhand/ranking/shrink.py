"""Shrinking: the first of many systems is so by luck too, and replicates repeat that luck.

A score is its system's true score θ_i plus an error, and the θ_i come from one curve with heavy
tails, Student's t, whose middle and spread the scores themselves tell: systems that are near each
other are pulled together, one that stands far out is left where it is. (Efron & Morris 1975.)
"""

from __future__ import annotations

import numpy as np

from evenhand.infer.design import Floats

FEWEST = 5
"""Systems below which too little is known of the curve that they come from."""

TAILS = np.array([0.41, 0.63, 0.84, 1.1, 1.46, 2.03, 3.15, 7.26])
"""Variances of eight normal curves that together are Student's t with 3 degrees of freedom."""

MIDDLES, SPREADS = 15, 16
"""Quantiles of the scores that may be the curve's middle, and widths that it may have."""


def shrunk(value: Floats, drawn: Floats) -> Floats:
    """Draws of the true scores, up to what is common to all, from replicates (B × systems).

    m_i + √(V_i/v_i)·c_i, with m_i and V_i the mean and variance of θ_i given all scores, v_i the
    variance of a score's own error, and c_i a replicate's deviation from the system's mean and
    the replicate's. Systems that always score alike are drawn alike; few are left as they are.

    >>> value = np.array([0.60, 0.61, 0.62, 0.63, 0.64, 0.80])
    >>> drawn = np.random.default_rng(0).normal(value, 0.02, (5000, 6))
    >>> shrunk(value, drawn).mean(axis=0).round(3).tolist()
    [0.604, 0.612, 0.621, 0.629, 0.637, 0.791]
    """
    known = ~np.isnan(value) & ~np.isnan(drawn).all(axis=0)
    if known.sum() < FEWEST:
        return drawn
    drawn = drawn[~np.isnan(drawn[:, known]).all(axis=1)]  # where anyone has a score
    c = drawn[:, known] - np.nanmean(drawn[:, known], axis=0)
    c -= np.nanmean(c, axis=1, keepdims=True)
    error = own_variance(np.nanvar(c, axis=0))
    if not error.any():
        return drawn
    mean, left = moments(value[known], error)
    found = np.full(drawn.shape, np.nan)
    found[:, known] = mean + np.sqrt(left / error) * c
    return found


def own_variance(variance: Floats) -> Floats:
    """Variances of the systems' own errors from those of their deviations from the common mean.

    Own errors v add up in every pair, v_i + v_j = Var(c_i − c_j) as nearly as can be; a system
    that moves with the others as if it had none is given a hundredth of the mean.

    >>> own_variance(np.full(5, 0.8)).round(6).tolist()  # one of variance 1 less the mean of five
    [1.0, 1.0, 1.0, 1.0, 1.0]
    """
    s = len(variance)
    own = (s * variance - variance.sum() / (s - 1)) / (s - 2)
    return np.asarray(np.maximum(own, variance.mean() / 100))


def moments(value: Floats, error: Floats) -> tuple[Floats, Floats]:
    """Mean and variance of every true score, given all scores and the variances of their errors.

    Averaged over a grid of middles, spreads and tails of the curve, every middle and spread as
    likely as any other before the scores are seen.
    """
    noise = float(np.sqrt(error.mean()))
    middle = np.quantile(value, (np.arange(MIDDLES) + 0.5) / MIDDLES)[:, None, None, None]
    spread = np.geomspace(noise / 20, 2 * max(noise, float(np.ptp(value))), SPREADS)
    own = spread[:, None, None] ** 2 * TAILS[:, None]
    whole = own + error  # spreads × tails × systems, and middles before them
    fit = -((value - middle) ** 2 / whole + np.log(whole)) / 2
    top = fit.max(axis=2, keepdims=True)
    tail = np.exp(fit - top)
    chance = (np.log(tail.sum(axis=2)) + top[:, :, 0]).sum(axis=-1) + np.log(spread)
    weight = np.exp(chance - chance.max())
    tail *= (weight / weight.sum())[..., None, None] / tail.sum(axis=2, keepdims=True)
    kept = own / whole
    theta = middle + kept * (value - middle)
    mean = (tail * theta).sum(axis=(0, 1, 2))
    return mean, (tail * (kept * error + (theta - mean) ** 2)).sum(axis=(0, 1, 2))
