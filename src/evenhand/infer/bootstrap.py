"""The percentile bootstrap: the metric on tables drawn from the one observed."""

from __future__ import annotations

import numpy as np

from evenhand.evaluate import Kernel
from evenhand.infer.design import Floats
from evenhand.infer.draw import replicates
from evenhand.infer.rows import Rows


def bootstrap(
    rows: Rows, kernels: list[Kernel], *, count: int, seed: int = 0, stratify: bool = False
) -> list[Floats]:
    """Replicates of each metric (count × systems), all metrics on the same draws.

    A draw of hard items is a multinomial draw of the table, so the cost does not depend on
    the number of items. The classes averaged stay those of the data. (Efron & Tibshirani 1993.)
    """
    parts = [rows.values(kernels, w) for w in replicates(rows, count, seed=seed, stratify=stratify)]
    return [np.concatenate(metric) for metric in zip(*parts, strict=True)]


def percentile(values: Floats, level: float) -> tuple[Floats, Floats]:
    """The middle ``level`` of the replicates on the first axis; undefined ones aside."""
    tail = (1 - level) / 2
    return quantiles(values, np.array([tail, 1 - tail]))


def quantiles(values: Floats, at: Floats) -> tuple[Floats, Floats]:
    """Quantiles of the replicates at two probabilities, each one number or one a column."""
    if np.isnan(values).any() or at.ndim > 1:
        return _by_column(values, at)
    low, high = np.quantile(values, at, axis=0)
    return low, high


def _by_column(values: Floats, at: Floats) -> tuple[Floats, Floats]:
    flat = values.reshape(len(values), -1)
    wanted = np.broadcast_to(at.reshape(2, -1), (2, flat.shape[1]))
    found = np.full(wanted.shape, np.nan)
    for j, column in enumerate(flat.T):
        known = column[~np.isnan(column)]
        if len(known) and not np.isnan(wanted[:, j]).any():
            found[:, j] = np.quantile(known, wanted[:, j])
    low, high = found.reshape(2, *values.shape[1:])
    return low, high
