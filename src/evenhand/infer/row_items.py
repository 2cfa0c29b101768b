"""Row items: how many independent items each true row is worth."""

from __future__ import annotations

import numpy as np

from evenhand.core.ratio import ratio
from evenhand.infer.delta import Filled
from evenhand.infer.design import Floats
from evenhand.infer.few import true_items
from evenhand.infer.rates import rates_of
from evenhand.infer.rows import Rows
from evenhand.tables.confusion import Confusion


def row_items(table: Confusion, rows: Rows | None = None) -> Floats:
    """Independent items of each true class (… × k), by weights (Kish) and by clusters of ``rows``.

    Of rows, the systems are the tables.
    """
    items = true_items(table)
    if rows is None or rows.cluster is None:
        return items
    each = zip(Filled.of_systems(rows, table), items.reshape(-1, 1, table.k), strict=True)
    return np.concatenate([independent(*one) for one in each]).reshape(items.shape)


def independent(cells: Filled, items: Floats) -> Floats:
    """As many of the ``items`` of each true class, tables × k, as tell as much.

    Clustered ones are worth their number over the design effect of the row, the variance of its
    rates beside that of as many independent items (Rao & Scott 1981). A row whose rates do not
    vary takes the effect of all rows; where none varies, a cluster is one item.
    """
    c, k, units = cells, cells.k, cells.units
    if units.clusters is None or units.home is None or units.cluster is None:
        return items
    shape, row = (c.tables, k), c.table * k + c.true
    size = c.tables * k
    counted = np.bincount(row * (k + 1) + c.pred, c.weight, minlength=size * (k + 1))
    rates = rates_of(counted.reshape(*shape, k + 1))
    pairs, place = np.unique(units.cluster * size + row, return_inverse=True)
    inside = np.zeros((len(pairs), k + 1))
    np.add.at(inside, (place, c.pred), c.weight)
    of, whole = pairs % size, inside.sum(axis=1)
    gap = inside - whole[:, None] * rates.reshape(-1, k + 1)[of]
    few = units.clusters / np.maximum(units.clusters - 1, 1)
    weight = np.bincount(of, whole, minlength=size).reshape(shape)
    spread = np.bincount(of, (gap**2).sum(axis=1), minlength=size).reshape(shape)
    found = few[:, None] * spread / np.where(weight > 0, weight, 1) ** 2
    alone = ratio((rates * (1 - rates)).sum(axis=-1), items)
    alike = np.bincount(of, whole**2, minlength=size).reshape(shape) * ratio(items, weight**2)
    both = found.sum(axis=1, keepdims=True), alone.sum(axis=1, keepdims=True)
    pooled = np.where(both[1] > 0, ratio(*both), alike)  # items a cluster, if nothing varies
    effect = np.where(alone > 0, ratio(found, alone), pooled)
    return np.asarray(items / np.maximum(effect, 1.0))
