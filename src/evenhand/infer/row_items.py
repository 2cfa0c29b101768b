"""Row items: how many independent items each true row is worth."""

from __future__ import annotations

import numpy as np

from evenhand.core.ratio import ratio
from evenhand.infer.design import CodeDesign, Floats
from evenhand.infer.few import true_items
from evenhand.infer.rates import rates_of
from evenhand.infer.rows import Rows
from evenhand.tables.confusion import Confusion


def row_items(table: Confusion, rows: Rows | None = None) -> Floats:
    """Independent items of each true class (… × k), by weights (Kish) and by clusters.

    Clustered ``rows`` are worth their items over the design effect of the row, the variance of its
    rates beside that of as many independent items (Rao & Scott 1981). A row whose rates do not
    vary takes the effect of all rows; where none varies, a cluster is one item.
    """
    items = true_items(table)
    if rows is None or rows.cluster is None:
        return items
    each = items.reshape(-1, table.k)
    found = [_effect(rows, s, each[s]) for s in range(len(each))]
    return np.asarray(each / np.maximum(found, 1.0)).reshape(items.shape)


def _effect(rows: Rows, s: int, items: Floats) -> Floats:
    """The design effect of each true row of one system."""
    design = rows.design
    assert isinstance(design, CodeDesign) and rows.cluster is not None
    k = design.k
    names, cluster = np.unique(rows.cluster, return_inverse=True)
    cell = design.true * (k + 1) + design.pred[:, s]
    rates = rates_of(np.bincount(cell, rows.weight, minlength=k * (k + 1)).reshape(k, k + 1))
    pairs, place = np.unique(cluster * k + design.true, return_inverse=True)
    inside = np.zeros((len(pairs), k + 1))
    np.add.at(inside, (place, design.pred[:, s]), rows.weight)
    of, whole = pairs % k, inside.sum(axis=1)
    gap = inside - whole[:, None] * rates[of]
    few = len(names) / max(len(names) - 1, 1)
    size = np.bincount(of, whole, minlength=k)
    found = (
        few * np.bincount(of, (gap**2).sum(axis=1), minlength=k) / np.where(size > 0, size, 1) ** 2
    )
    alone = ratio((rates * (1 - rates)).sum(axis=1), items)
    alike = np.bincount(of, whole**2, minlength=k) * ratio(items, size**2)  # items a cluster
    pooled = found.sum() / alone.sum() if alone.sum() > 0 else alike
    return np.asarray(np.where(alone > 0, ratio(found, alone), pooled))
