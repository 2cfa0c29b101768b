"""The percentile bootstrap: the metric on tables drawn from the one observed."""

from __future__ import annotations

import numpy as np

from evenhand.core.kernel import Kernel
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
    ordered = np.sort(values, axis=0)  # undefined ones come last
    known = np.count_nonzero(~np.isnan(values), axis=0)
    wanted = np.stack([np.broadcast_to(p, known.shape) for p in at])
    place = np.where(np.isnan(wanted), 0.0, wanted) * np.maximum(known - 1, 0)
    before = np.floor(place).astype(np.int64)
    after = np.minimum(before + 1, np.maximum(known - 1, 0))
    a, b = (np.take_along_axis(ordered, i, axis=0) for i in (before, after))
    on = (place == before) | (a == b)  # also where infinite values have no difference
    with np.errstate(invalid="ignore"):
        between = np.where(on, a, a + (place - before) * (b - a))
    found = np.where(np.isnan(wanted) | (known == 0), np.nan, between)
    return found[0], found[1]
