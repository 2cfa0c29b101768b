"""Effective: how sure an average is of items that weigh differently, or come in clusters.

The items of a class are worth as many as tell as much (:mod:`infer.row_items`). The error is the
delta method's at the table with two such pseudo-items for each true class, so that a class whose
few items were all right, or all wrong, is not certain (:mod:`infer.smoothed`); n independent items
of a class count n/(n − 1).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evenhand.core.counts import Counts
from evenhand.core.kernel import Kernel
from evenhand.infer.delta import Filled
from evenhand.infer.design import Floats
from evenhand.infer.jackknife import Steady
from evenhand.infer.pseudo import slopes_with
from evenhand.infer.smoothed import Smoothed
from evenhand.infer.transform import decisions, extent
from evenhand.infer.variance import norm, over


def effective(cells: Filled, kernel: Kernel, items: Floats) -> Steady:
    """How sure an average is, of one table or of every one of a stack.

    ``items`` are those that each true class is worth, tables × k. Degrees of freedom are Welch &
    Satterthwaite's, and no more than those of the clusters.
    """
    c, size, k = cells, cells.tables, cells.k
    truth = c.prevalence.reshape(size, k)
    heft = over(truth, items.reshape(size, k))  # what one of them weighs
    unit = over((heft * truth).sum(axis=1), truth.sum(axis=1), 1.0)[:, None]
    heft, counts = heft / unit, _in_units(c.counts.flat(), unit)
    smooth = Smoothed.of(counts)
    g = slopes_with(kernel, smooth.margins(counts, heft))
    one, two = smooth.moments(g)
    weight, pseudo = c.weight / unit[c.table, 0], heft * smooth.items
    total, square = counts.prevalence.sum(axis=1), (heft * counts.prevalence).sum(axis=1)
    whole, wider = total + pseudo.sum(axis=1), square + (heft * pseudo).sum(axis=1)
    psi = g.at(c.table, c.true, c.pred)
    mean = (np.bincount(c.table, weight * psi, minlength=size) + (heft * one).sum(axis=1)) / whole
    centred = psi - mean[c.table]
    row = c.table * k + c.true
    few = np.maximum(items.reshape(-1), 2.0)[row]  # clusters have a factor like this of their own
    spread = centred * np.sqrt(few / (few - 1)) if c.cluster is None else centred
    parts = c.units.parts(spread / unit[c.table, 0])
    varies = norm(parts, c.table if c.units.home is None else c.units.home, size) ** 2
    mean = mean[:, None]
    own = heft**2 * np.maximum(two - 2 * mean * one + mean**2 * smooth.items, 0.0)
    factor = over(square, total**2) / over(wider, whole**2, 1.0)  # as if there were no more items
    se = np.sqrt(factor * (varies + own.sum(axis=1)))
    alone = weight * heft.reshape(-1)[row] * centred**2
    each = np.bincount(row, alone, minlength=size * k).reshape(size, k) + own
    fewer = (each**2 / (items.reshape(size, k) + 1)).sum(axis=1)
    freedom = np.minimum(over(each.sum(axis=1) ** 2, fewer, np.inf), c.units.freedom)
    worth = decisions(np.asarray(g.value), se, *extent(kernel))
    return Steady(se.reshape(c.shape), freedom.reshape(c.shape), worth.reshape(c.shape))


def _in_units(c: Counts, unit: Floats) -> Counts:
    """Margins as so many units."""
    each = {name: getattr(c, name) / unit for name in ("correct", "bias", "prevalence")}
    return replace(c, **each, total=c.total / unit[:, 0], outside=c.outside / unit[:, 0])
