"""Rates: what the items of each class are taken for, and the margins they give at a mix."""

from __future__ import annotations

import numpy as np

from evenhand.core.counts import Counts
from evenhand.infer.design import Floats
from evenhand.infer.variance import over


def rates_of(cells: Floats) -> Floats:
    """Shares of each true row (… × k × k + 1); a row without items is all 0."""
    return np.asarray(over(cells, cells.sum(axis=-1, keepdims=True)))


def column_pull(cells: Floats) -> Floats:
    """How much each column draws: its sum + 1, if its label occurs; outside ones if there are any.

    >>> column_pull(np.array([[8, 0, 0], [1, 2, 0]]))
    array([[10.,  3.,  0.]])
    """
    whole = cells.sum(axis=-2, keepdims=True)
    true = np.zeros(whole.shape, bool)
    true[..., 0, : cells.shape[-2]] = cells.sum(axis=-1) > 0
    return np.where(true | (whole > 0), whole + 1.0, 0.0)


def pseudo_items(cells: Floats) -> Floats:
    """Two more items of each true class, so that none is certain: the weight of each cell.

    Half of each lies on the diagonal, half in the other columns by what these draw.

    >>> pseudo_items(np.array([[8, 0, 1, 0], [0, 2, 0, 0], [0, 0, 0, 0]])).round(2)
    array([[1.  , 0.6 , 0.4 , 0.  ],
           [0.82, 1.  , 0.18, 0.  ],
           [0.  , 0.  , 0.  , 0.  ]])
    """
    own = np.eye(*cells.shape[-2:])
    others = (1 - own) * column_pull(cells)
    whole = others.sum(axis=-1, keepdims=True)
    spread = np.where(whole > 0, own + over(others, whole), 2 * own)
    return np.where(cells.sum(axis=-1, keepdims=True) > 0, spread, 0.0)


def at_mix(rates: Floats, mix: Floats) -> Counts:
    """Margins that these rates give at a mix: correct π_i·R_ii, bias (πR)_j, and so on.

    >>> at_mix(np.array([[0.8, 0.2, 0.0], [0.1, 0.9, 0.0]]), np.array([0.3, 0.7])).bias.round(6)
    array([0.31, 0.69])
    """
    hit = mix * np.diagonal(rates[..., :-1], axis1=-2, axis2=-1)
    wrong, each = rates.copy(), np.arange(mix.shape[-1])
    wrong[..., each, each] = 0
    columns = (mix[..., None, :] @ wrong)[..., 0, :]
    misses, alarms = mix * wrong.sum(axis=-1), columns[..., :-1]
    total = mix.sum(axis=-1)
    return Counts(hit, hit + alarms, mix, total, columns[..., -1], errors=(misses, alarms))
