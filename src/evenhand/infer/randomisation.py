"""Approximate randomisation: would the difference survive if the systems swapped answers?

Under the null that the two systems are exchangeable, each item's two predictions may change
places. Items that look alike swap as one binomial; few enough are enumerated. (Noreen 1989.)
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from evenhand.core.kernel import Kernel
from evenhand.count.samples import distinct_rows
from evenhand.infer.design import CodeDesign, Codes, Design, Floats, MatrixDesign
from evenhand.infer.draw import CHUNK
from evenhand.infer.pvalue import enumerated, sampled
from evenhand.infer.rows import Rows

EXACT = 1 << 14
"""Outcomes up to which all are enumerated instead of sampled."""


def randomisation(pair: Rows, kernels: list[Kernel], *, count: int, seed: int = 0) -> list[float]:
    """Two-sided p of each metric's difference between the two systems of ``pair``."""
    units, unit = _units(pair)
    observed = [float(v[0, 0] - v[0, 1]) for v in pair.values(kernels, pair.weight[None])]
    if not len(units):
        return [1.0] * len(kernels)
    each = max(1, CHUNK // (2 * len(unit)))
    if math.prod(int(n) + 1 for n in units[:40]) <= EXACT and len(units) <= 40:
        swaps, chance = _outcomes(units)
        blocks = (swaps[i : i + each] for i in range(0, len(swaps), each))
        found = _differences(pair, kernels, blocks, units, unit)
        return [enumerated(d, chance, o) for d, o in zip(found, observed, strict=True)]
    rng = np.random.default_rng(seed)
    sizes = [min(each, count - i) for i in range(0, count, each)]
    blocks = (rng.binomial(units, 0.5, (size, len(units))) for size in sizes)
    found = _differences(pair, kernels, blocks, units, unit)
    return [sampled(d, o) for d, o in zip(found, observed, strict=True)]


def _units(pair: Rows) -> tuple[Codes, Codes]:
    """What swaps: how many items each unit has, and the unit of each row (−1: it cannot matter)."""
    differ = _discordant(pair.design) & (pair.weight > 0)
    unit = np.full(len(differ), -1)
    if pair.cluster is not None:
        names, at = np.unique(pair.cluster[differ], return_inverse=True)
        unit[differ] = at
        return np.ones(len(names), np.int64), unit
    assert pair.items is not None
    unit[differ] = np.arange(int(differ.sum()))
    return pair.items[differ], unit


def _discordant(design: Design) -> Codes:
    if isinstance(design, CodeDesign):
        return np.asarray(design.pred[:, 0] != design.pred[:, 1])
    return np.asarray((design.pred[0] != design.pred[1]).any(axis=1))


def _outcomes(units: Codes) -> tuple[Codes, Floats]:
    """Every way to swap, and its probability."""
    sizes = tuple(int(n) + 1 for n in units)
    swaps = np.stack(np.unravel_index(np.arange(math.prod(sizes)), sizes), axis=1)
    chance = np.ones(len(swaps))
    for j, n in enumerate(sizes):
        ways = np.array([math.comb(n - 1, s) / 2 ** (n - 1) for s in range(n)])
        chance *= ways[swaps[:, j]]
    return swaps, chance


def _differences(
    pair: Rows, kernels: list[Kernel], blocks: Iterable[Codes], units: Codes, unit: Codes
) -> list[Floats]:
    """The metrics' differences after each of the swaps, given in blocks of draws × units."""
    moving = np.flatnonzero(unit >= 0)
    stratum = pair.stratum
    doubled = Rows(
        _with_swapped(pair.design, moving),
        np.concatenate([pair.weight, np.zeros(len(moving))]),
        None,
        None,
        stratum=None if stratum is None else np.concatenate([stratum, stratum[moving]]),
    )
    share = pair.weight[moving] / units[unit[moving]]
    parts = []
    for swaps in blocks:
        moved = swaps[:, unit[moving]] * share
        weights = np.repeat(doubled.weight[None], len(moved), axis=0)
        weights[:, moving] -= moved
        weights[:, len(unit) :] = moved
        parts.append([v[:, 0] - v[:, 1] for v in doubled.values(kernels, weights)])
    return [np.concatenate(d) for d in zip(*parts, strict=True)]


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


def pair_of(rows: Rows, i: int, j: int) -> Rows:
    """The rows as two of the systems see them; items that look alike to both become one row."""
    design = rows.design
    if isinstance(design, MatrixDesign):
        two = MatrixDesign(
            design.k, design.true, (design.pred[i], design.pred[j]), (design.hit[i], design.hit[j])
        )
        return Rows(two, rows.weight, rows.square, rows.items, rows.stratum, rows.cluster)
    assert rows.items is not None and rows.square is not None
    pred = design.pred[:, [i, j]]
    columns = [design.true, *pred.T]
    if rows.cluster is not None:
        columns.append(rows.cluster)
    alike = rows.weight / np.maximum(rows.items, 1)
    columns.append(np.unique(alike, return_inverse=True)[1])
    first, row = distinct_rows(columns)

    def summed(x: Floats) -> Floats:
        return np.bincount(row, x, minlength=len(first))

    return Rows(
        CodeDesign(design.k, design.true[first], pred[first]),
        summed(rows.weight),
        summed(rows.square),
        np.rint(summed(rows.items)).astype(np.int64),
        stratum=design.true[first],
        cluster=None if rows.cluster is None else rows.cluster[first],
    )
