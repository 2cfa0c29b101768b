"""The BCa bootstrap: percentiles corrected for bias and acceleration (Efron 1987)."""

from __future__ import annotations

import numpy as np

from evenhand.core.kernel import Kernel
from evenhand.infer.bootstrap import quantiles
from evenhand.infer.design import Floats
from evenhand.infer.quantile import reach
from evenhand.infer.rows import Rows

JACKKNIFE_ROWS = 1 << 9
"""Rows beyond which the acceleration comes from influences, which differ from it by O(1/n)."""


def bca(
    values: Floats, observed: Floats, acceleration: Floats, level: float
) -> tuple[Floats, Floats]:
    """The interval from replicates (count × …), the observed values and their acceleration.

    Replicates that tie with the observed value count half: metrics on counts are discrete.
    """
    from scipy.special import ndtr, ndtri

    below = np.mean(values < observed, axis=0) + np.mean(values == observed, axis=0) / 2
    bias = _finite(ndtri(below))  # none where all replicates lie on one side
    ends = []
    for side in (-reach(level), reach(level)):
        shifted = bias + side
        with np.errstate(divide="ignore", invalid="ignore"):
            ends.append(ndtr(_finite(bias + shifted / (1 - acceleration * shifted))))
    return quantiles(values, np.stack(ends))


def acceleration(rows: Rows, kernels: list[Kernel]) -> list[Floats]:
    """Σ d³ / (6·(Σ d²)^1.5) of the jackknife, for each metric and system.

    Leaving out any item of a row gives the same value, so there is one evaluation a row (or a
    cluster), weighted by its items: the item jackknife at the cost of the non-empty cells.
    """
    if rows.cluster is not None:
        _, unit = np.unique(rows.cluster, return_inverse=True)
        times = np.ones(int(unit.max()) + 1)
    else:
        unit, times = np.arange(len(rows.weight)), np.asarray(rows.items, np.float64)
    if len(times) > JACKKNIFE_ROWS:
        return [
            np.zeros(rows.design.k)  # one value a class: corrected for bias alone
            if k.by_class
            else _skew(_by_influence(rows, k, unit, len(times)), times)
            for k in kernels
        ]
    less = rows.weight if rows.cluster is not None else rows.weight / np.maximum(times, 1)
    found = []
    each = max(1, (1 << 22) // len(rows.weight))
    for start in range(0, len(times), each):
        out = np.arange(start, min(start + each, len(times)))
        found.append(rows.values(kernels, rows.weight - less * (unit == out[:, None])))
    return [_skew(-np.concatenate(v), times) for v in zip(*found, strict=True)]


def _by_influence(rows: Rows, kernel: Kernel, unit: Floats, size: int) -> Floats:
    each = np.ones(len(unit)) if rows.cluster is None else rows.weight
    return np.stack(
        [np.bincount(unit, each * p, minlength=size) for p in rows.influences([kernel])[0]], 1
    )


def _skew(values: Floats, times: Floats) -> Floats:
    weight = times.reshape(-1, *[1] * (values.ndim - 1))
    known = np.where(np.isnan(values), 0.0, weight)
    values = np.nan_to_num(values)
    d = values - (known * values).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    size = np.abs(d).max(axis=0, initial=0)
    d = d / np.where(size > 0, size, 1.0)  # so that no power leaves the floats
    spread = (known * d**2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(spread > 0, (known * d**3).sum(axis=0) / (6 * spread**1.5), 0.0)


def _finite(x: Floats) -> Floats:
    return np.where(np.isfinite(x), x, np.nan)
