"""Rates: what the items of each class are taken for, and the margins they give at a mix."""

from __future__ import annotations

import numpy as np

from evenhand.core.counts import Counts
from evenhand.infer.design import Floats
from evenhand.infer.variance import over


def rates_of(cells: Floats) -> Floats:
    """Shares of each true row (… × k × k + 1); a row without items is all 0."""
    return np.asarray(over(cells, cells.sum(axis=-1, keepdims=True)))


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
