"""The two macro F1s: their gap, the pairs of classes that make it, and how large it can get."""

from __future__ import annotations

import numpy as np

from evenhand.core.arrays import Array, namespace
from evenhand.core.counts import Counts
from evenhand.core.metrics.one_class import precision, recall
from evenhand.core.ratio import ratio

BLOCK = 1 << 18
"""Pairs looked at together: it bounds memory, whatever the number of classes."""


def pair_terms(c: Counts, rows: slice = slice(None)) -> Array:
    """What each ordered pair of classes contributes to the gap, as a k × k array or some rows.

    (P_x R_y − P_y R_x)² / ((P_x+R_x)(P_y+R_y)) / (k·Σ(P+R)) over the averaged classes
    (Opitz & Burst 2019, lemma). The array is symmetric and, where 0/0 counts as 0, sums to
    the gap; an unordered pair's share is twice its entry.
    """
    p, r = c.listed(precision(c)), c.listed(recall(c))
    xp = namespace(p)
    x = (..., rows, None)
    skew = p[x] * r[..., None, :] - r[x] * p[..., None, :]
    both = p + r
    terms = ratio(skew**2, both[x] * both[..., None, :])
    k = c.sum(xp.ones_like(p))
    return ratio(terms, (k * c.sum(both))[..., None, None])


def largest_pairs(c: Counts, most: int | None = None) -> tuple[float, Array, Array, Array]:
    """The sum of all terms, and the pairs that contribute most: their classes and their terms.

    An unordered pair counts twice. Largest first, at most ``most``; terms that are but rounding
    are left out. A block of rows at a time, of which only the largest so far are kept.
    """
    k = c.bias.shape[-1]
    total, at, value = 0.0, np.zeros(0, np.int64), np.zeros(0)
    each = max(1, BLOCK // k)
    for start in range(0, k, each):
        terms = np.asarray(pair_terms(c, slice(start, start + each)))
        total += float(terms.sum())
        upper = np.triu(2 * terms, start + 1).reshape(-1)
        found = np.flatnonzero(upper)
        at, value = np.append(at, found + start * k), np.append(value, upper[found])
        if most is not None and value.size > most:
            least = np.partition(value, -most)[-most] if most else np.inf
            at, value = at[value >= least], value[value >= least]
    order = np.argsort(-value, kind="stable")[:most]
    order = order[value[order] > 1e-15 * value.max(initial=0)]
    return total, *np.divmod(at[order], k), value[order]


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
