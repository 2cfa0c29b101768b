"""Gaps: how far apart the two macro F1s of a row may well be, where only one can be worked out.

With d the differences P − R of the classes, e = 1 − m the typical error and m = (P̄+R̄)/2, the gap
is about Var(d)/(4m), a second-order expansion of the lemma on the gap. Var(d) is modelled as

    β·(P̄ − R̄)² + (c·e)²·χ²_ν/ν.

Predictions of all classes add up to the items, so d has both signs, and Var(d) ≥ D²/(k−1), D being
its mean P̄ − R̄; measured on simulated systems it is hardly ever below 0.4·D². β, c and ν are
those of the whole table: a :class:`World`. A world with tiny c is one in which nothing shows
the gap; that it has some weight is what keeps many hits from proving more than they can.

These are chances, not bounds. They weigh formulas that all fit, and enter no finding's proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np

Floats = np.ndarray

LEAST = 0.4
"""Var(d) / D² as small as simulated systems of many classes have it."""

_SPREADS = ((0.02, 0.06), (0.1, 0.14), (0.3, 0.3), (1.0, 0.5))
_LOOSE = 0.5
"""The weight of β = 0 where predictions of the averaged classes need not add up."""


@dataclass(frozen=True, eq=False)
class Worlds:
    """The kinds of systems that a table may be of, with their weights."""

    beta: Floats
    spread: Floats
    freedom: Floats
    weight: Floats

    @classmethod
    @lru_cache(maxsize=256)
    def of(cls, classes: int | None, loose: bool = False) -> Worlds:
        """The worlds for so many classes, or for an unknown number of them."""
        k = classes or 20
        floor = 1 / max(k - 1, 1)
        betas = [(0.0, 0.01), (floor, 0.09), (max(LEAST, floor), 0.3), (1.0, 0.6)]
        if loose:
            betas = [(0.0, _LOOSE), *((b, w * (1 - _LOOSE)) for b, w in betas)]
        freedoms = [(f, 0.5) for f in (1, min(k - 1, 3) or 1)]
        every = list(product(betas, _SPREADS, freedoms))
        beta, spread, freedom = (np.array([one[i][0] for one in every]) for i in range(3))
        weight = np.array([b[1] * c[1] * f[1] for b, c, f in every])
        return cls(beta, spread, freedom, weight / weight.sum())

    def below(self, gap: Floats, middle: float, apart: float) -> Floats:
        """P(a row's gap ≤ ``gap``) in each world (last axis), ``apart`` being D²."""
        from scipy.special import gammainc

        error = max(1 - middle, 0.02)
        noise = 4 * middle * np.asarray(gap)[..., None] - self.beta * apart
        share = np.maximum(noise, 0) / (self.spread * error) ** 2
        return np.asarray(gammainc(self.freedom / 2, self.freedom * share / 2))
