"""Goodness of fit: can a change of the class mix alone explain the new predictions?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from evenhand.core.ratio import ratio
from evenhand.infer.design import Floats
from evenhand.infer.pvalue import sampled
from evenhand.shift.likelihood import likelihood
from evenhand.shift.resampled import Draws
from evenhand.shift.summit import NEAR_TOP

NONE = 1e-9
"""A distance below this is none: the mix gives the shares exactly."""


@dataclass(frozen=True)
class Fit:
    """How far the measured shares of predictions are from the expected ones.

    ``p`` is the chance of a distance as large if only the mix had changed; ``None`` where every
    mix fits, so that there is nothing to test.
    """

    distance: float
    p: float | None
    test: str | None


UNTESTED = Fit(math.nan, None, None)
"""Of a mix that gives the shares by construction, or of samples whose sizes nobody knows."""


def distance(measured: Floats, expected: Floats) -> Floats:
    """½·Σ (q − e)²/(q + e): 0 for equal shares, 1 for shares that exclude each other."""
    whole = measured + expected
    return np.asarray(ratio((measured - expected) ** 2, whole).sum(axis=-1) / 2)


def fit_of_mix(
    rates: Floats,
    shares: Floats,
    mix: Floats,
    n: int | None,
    draws: Draws,
    *,
    seed: int,
    stated: bool,
) -> Fit:
    """Both samples drawn as if only the mix had changed: how often is the distance as large?

    A stated mix is held; an estimated one is estimated again from every draw. ``rates`` are
    those of the classes that occur.
    """
    expected = mix @ rates
    seen = float(distance(shares, expected))
    if n is None or (seen < NONE and not stated):
        return Fit(seen, None, None)
    rng = np.random.default_rng([seed, 2])
    again = rng.multinomial(n, expected / expected.sum(), size=len(draws.rates)) / n
    mixes = np.broadcast_to(mix, (len(again), len(mix)))
    if not stated:
        mixes = likelihood(draws.rates, again, near=mix, lack=NEAR_TOP)
    under = distance(again, (mixes[:, None] @ draws.rates)[:, 0])
    return Fit(seen, sampled(under, seen), "parametric bootstrap")


def fit_of_estimate(rates: Floats, shares: Floats, mix: Floats, draws: Draws, mixes: Floats) -> Fit:
    """Wald's test of measured minus expected shares, its covariance from the draws.

    For a mix that was estimated from more than the shares, as from class probabilities.
    """
    from scipy.special import chdtrc

    expected = mix @ rates
    gap = shares - expected
    drawn = draws.shares - (mixes[:, None] @ draws.rates)[:, 0]
    spread = np.atleast_2d(np.cov(drawn, rowvar=False))
    values, vectors = np.linalg.eigh(spread)
    kept = values > 1e-9 * max(float(values.max(initial=0)), 1e-12)
    if not kept.any():
        return Fit(float(distance(shares, expected)), None, None)
    score = float((((vectors.T @ gap)[kept]) ** 2 / values[kept]).sum())
    p = float(chdtrc(int(kept.sum()), score))
    return Fit(float(distance(shares, expected)), p, "Wald, bootstrap covariance")
