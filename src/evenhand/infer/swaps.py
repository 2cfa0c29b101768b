"""Swaps: two systems' answers change places, item by item or cluster by cluster.

Items that look alike swap as one binomial; what both answer alike cannot matter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from evenhand.infer.design import CodeDesign, Codes, Design, Floats, MatrixDesign
from evenhand.infer.rows import Rows

EXACT = 1 << 14
"""Outcomes up to which all are enumerated instead of sampled."""


@dataclass(frozen=True, eq=False)
class Swaps:
    """The rows of two systems, and behind them those that may swap, with the answers exchanged.

    ``units`` are the items of each unit that swaps, ``moving`` the rows that do, each with its
    ``unit`` and the ``share`` of its weight that one of the unit's items has. ``heft`` is what an
    item of a row weighs.
    """

    rows: Rows
    heft: Floats
    units: Codes
    moving: Codes
    unit: Codes
    share: Floats

    @classmethod
    def of(cls, pair: Rows) -> Swaps:
        """What may swap between the two systems of ``pair``."""
        moving = np.flatnonzero(_discordant(pair.design) & (pair.weight > 0))
        if pair.cluster is not None:
            names, unit = np.unique(pair.cluster[moving], return_inverse=True)
            units = np.ones(len(names), np.int64)
        else:
            assert pair.items is not None
            units, unit = pair.items[moving], np.arange(len(moving))
        assert pair.square is not None
        nothing = np.zeros(len(pair.weight))
        heft = np.divide(pair.square, pair.weight, where=pair.weight > 0, out=nothing)
        stratum, cluster = (
            x if x is None else np.concatenate([x, x[moving]]) for x in (pair.stratum, pair.cluster)
        )
        doubled = Rows(
            _with_swapped(pair.design, moving),
            np.concatenate([pair.weight, np.zeros(len(moving))]),
            None,
            None,
            stratum,
            cluster,
        )
        share = pair.weight[moving] / units[unit]
        return cls(doubled, np.concatenate([heft, heft[moving]]), units, moving, unit, share)

    @property
    def few(self) -> bool:
        """Whether the ways to swap are few enough to go through all of them."""
        return len(self.units) <= 40 and math.prod(int(n) + 1 for n in self.units) <= EXACT

    def every(self) -> tuple[Codes, Floats]:
        """Every way to swap, none at all first, and its probability."""
        if not len(self.units):
            return self.none()
        sizes = tuple(int(n) + 1 for n in self.units)
        swaps = np.stack(np.unravel_index(np.arange(math.prod(sizes)), sizes), axis=1)
        chance = np.ones(len(swaps))
        for j, n in enumerate(sizes):
            ways = np.array([math.comb(n - 1, s) / 2 ** (n - 1) for s in range(n)])
            chance *= ways[swaps[:, j]]
        return swaps, chance

    def none(self) -> tuple[Codes, Floats]:
        """No swap at all."""
        return np.zeros((1, len(self.units)), np.int64), np.ones(1)

    def weights(self, swaps: Codes) -> Floats:
        """The rows' weights after each of the swaps (draws × units)."""
        moved = swaps[:, self.unit] * self.share
        weights = np.repeat(self.rows.weight[None], len(moved), axis=0)
        weights[:, self.moving] -= moved
        weights[:, weights.shape[1] - len(self.moving) :] = moved
        return weights


def _discordant(design: Design) -> Codes:
    if isinstance(design, CodeDesign):
        return np.asarray(design.pred[:, 0] != design.pred[:, 1])
    return np.asarray((design.pred[0] != design.pred[1]).any(axis=1))


def _with_swapped(design: Design, moving: Codes) -> Design:
    """The rows, and behind them those that may swap with the two systems exchanged."""
    if isinstance(design, CodeDesign):
        return CodeDesign(
            design.k,
            np.concatenate([design.true, design.true[moving]]),
            np.concatenate([design.pred, design.pred[moving][:, ::-1]]),
        )

    def crossed(a: Floats, b: Floats) -> tuple[Floats, Floats]:
        return np.concatenate([a, b[moving]]), np.concatenate([b, a[moving]])

    truth = np.concatenate([design.true, design.true[moving]])
    return MatrixDesign(design.k, truth, crossed(*design.pred), crossed(*design.hit))
