"""Draw: replicate weights on the same rows, by items or by clusters, from a seed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evenhand.errors import InputError
from evenhand.infer.design import Codes, Floats
from evenhand.infer.rows import Rows, stratum_of

CHUNK = 1 << 22
"""Numbers drawn at a time: it bounds memory, whatever the number of replicates."""


def replicates(
    rows: Rows, count: int, *, seed: int = 0, stratify: bool = False
) -> Iterator[Floats]:
    """Bootstrap weights of the rows, some of the ``count`` replicates at a time (B × rows).

    Items are drawn with replacement as a multinomial over the rows that they fill; with
    clusters whole clusters are drawn, with ``stratify`` items within their true class.
    """
    rng = np.random.default_rng(seed)
    stratum = stratum_of(rows, stratify)
    if rows.cluster is not None:
        _, cluster = np.unique(rows.cluster, return_inverse=True)
        units = np.ones(int(cluster.max()) + 1, np.int64)
    elif rows.items is None:
        raise InputError(
            "a weighted or soft table cannot be resampled, it has forgotten its items: "
            "use Sample.from_labels or Sample.from_probabilities, or interval='delta'"
        )
    else:
        units = rows.items
    whole = rows.cluster is None and np.array_equal(rows.weight, units)
    each = max(1, CHUNK // max(len(rows.weight), 1))
    for start in range(0, count, each):
        size = min(each, count - start)
        if rows.cluster is not None:
            yield drawn(rng, units, size)[:, cluster] * rows.weight
            continue
        if stratum is None:
            taken = drawn(rng, units, size)
        else:
            taken = np.zeros((size, len(units)), np.int64)
            for t in np.unique(stratum):
                part = np.flatnonzero(stratum == t)
                taken[:, part] = drawn(rng, units[part], size)
        yield taken if whole else taken * (rows.weight / np.where(units > 0, units, 1))


def drawn(rng: np.random.Generator, units: Codes, size: int) -> Codes:
    """``size`` draws with replacement of as many units as there are: how often each came."""
    n, rows = int(units.sum()), len(units)
    if n > 8 * rows:
        return rng.multinomial(n, units / n, size=size)
    row = None if n == rows and (units == 1).all() else np.repeat(np.arange(rows), units)
    found = np.empty((size, rows), np.int64)
    each = max(1, (1 << 16) // n)
    for i in range(0, size, each):
        part = found[i : i + each]
        place = rng.integers(0, n, (len(part), n))
        place = place if row is None else row[place]
        place += rows * np.arange(len(part))[:, None]
        part[:] = np.bincount(place.reshape(-1), minlength=part.size).reshape(part.shape)
    return found
