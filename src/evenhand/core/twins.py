"""The two macro F1s: their gap, the pairs of classes that make it, and how large it can get."""

from __future__ import annotations

import numpy as np

from evenhand.core.arrays import Array, namespace
from evenhand.core.counts import Counts
from evenhand.core.metrics.one_class import precision, recall
from evenhand.core.ratio import ratio


def pair_terms(c: Counts) -> Array:
    """What each ordered pair of classes contributes to the gap, as a k × k array.

    (P_x R_y − P_y R_x)² / ((P_x+R_x)(P_y+R_y)) / (k·Σ(P+R)) over the averaged classes
    (Opitz & Burst 2019, lemma). The array is symmetric and, where 0/0 counts as 0, sums to
    the gap; an unordered pair's share is twice its entry.
    """
    p, r = c.listed(precision(c)), c.listed(recall(c))
    xp = namespace(p)
    cross = p[..., :, None] * r[..., None, :]
    skew = cross - xp.matrix_transpose(cross)
    both = p + r
    terms = ratio(skew**2, both[..., :, None] * both[..., None, :])
    k = c.sum(xp.ones_like(p))
    return ratio(terms, (k * c.sum(both))[..., None, None])


def bound(k: int) -> float:
    """Supremum of the gap over all tables of k classes: 1/2, or 1/2 − 1/(2k²) for odd k.

    >>> bound(2), bound(3)
    (0.5, 0.4444444444444444)
    """
    return 0.5 - (k % 2) / (2 * k * k)


def extremal(k: int, z: int) -> Array:
    """A table of k classes (rows = true) whose gap approaches :func:`bound` as z grows.

    Ones on the diagonal; classes pair up, and in each pair z items of one class are taken for
    the other. With an odd k the last three classes share: one is taken for both of the others.

    >>> extremal(3, 9)
    array([[1, 0, 0],
           [9, 1, 9],
           [0, 0, 1]])
    """
    if k < 2:
        raise ValueError(f"two formulas need at least 2 classes to differ, got {k}")
    m = np.eye(k, dtype=np.int64)
    for i in range(0, k - 1, 2):
        m[i + 1, i] = z
    if k % 2:
        m[k - 2, k - 1] = z
    return m
