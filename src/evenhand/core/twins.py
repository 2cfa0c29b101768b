"""The two macro F1s: their gap, the pairs of classes that make it, and how large it can get."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evenhand.core.arrays import Array, namespace
from evenhand.core.counts import Counts
from evenhand.core.metrics.one_class import precision, recall
from evenhand.core.ratio import ratio

BLOCK = 1 << 18
"""Terms added up together: it bounds memory, whatever the number of classes."""

STRIP = 1 << 14
"""Terms computed together: what stays in cache."""


def pair_terms(c: Counts) -> Array:
    """What each ordered pair of classes contributes to the gap, as a k × k array.

    (P_x R_y − P_y R_x)² / ((P_x+R_x)(P_y+R_y)) / (k·Σ(P+R)) over the averaged classes
    (Opitz & Burst 2019, lemma). The array is symmetric and, where 0/0 counts as 0, sums to
    the gap; an unordered pair's share is twice its entry.
    """
    p, r = _rates(c)
    return ratio(_terms(p, r), _whole(c, p, r)[..., None, None])


def _rates(c: Counts) -> tuple[Array, Array]:
    return c.listed(precision(c)), c.listed(recall(c))


def _whole(c: Counts, p: Array, r: Array) -> Array:
    return c.sum(namespace(p).ones_like(p)) * c.sum(p + r)


def _terms(p: Array, r: Array, rows: slice = slice(None)) -> Array:
    x = (..., rows, None)
    skew = p[x] * r[..., None, :] - r[x] * p[..., None, :]
    both = p + r
    return ratio(skew**2, both[x] * both[..., None, :])


def largest_pairs(c: Counts, most: int | None = None) -> tuple[float, Array, Array, Array]:
    """The sum of all terms, and the pairs that contribute most: their classes and their terms.

    An unordered pair counts twice. Largest first, at most ``most``; terms that are but rounding
    are left out. Classes of one precision and recall share their terms, computed once.
    """
    p, r = _rates(c)
    kinds, kind = np.unique(p + 1j * r, return_inverse=True)
    whole = _whole(c, p, r)
    parts = [_terms(kinds.real, kinds.imag, rows) for rows in _blocks(len(kinds), STRIP)]
    terms = np.asarray(ratio(np.concatenate(parts), whole))
    least = 0.0
    if most is not None and 2 * most < terms.size:  # each pair of kinds stands there twice
        least = np.partition(terms, -2 * most, axis=None)[-2 * most] if most else np.inf
    rows = np.flatnonzero((terms.max(axis=1) >= least)[kind])
    terms = terms.take(kind, axis=1)
    total = 0.0
    for block in _blocks(len(kind), BLOCK):
        total += float(terms[kind[block]].sum())
    own = terms[kind[rows]]
    x, y = np.nonzero((own >= least) & (rows[:, None] < np.arange(len(kind))))
    value = 2 * own[x, y]
    order = np.argsort(-value, kind="stable")[:most]
    order = order[value[order] > 1e-15 * value.max(initial=0)]
    return total, rows[x[order]], y[order], value[order]


def _blocks(k: int, size: int) -> Iterator[slice]:
    """Rows of k × k terms, about ``size`` of them at a time."""
    each = max(1, size // k)
    return (slice(start, start + each) for start in range(0, k, each))


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
