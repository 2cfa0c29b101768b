"""The two macro F1s: their gap, the pairs of classes that make it, and how large it can get."""

from __future__ import annotations

from dataclasses import replace
from operator import itemgetter

import numpy as np

from evenhand.core.arrays import Array, namespace
from evenhand.core.counts import Counts
from evenhand.core.metrics.one_class import precision, recall
from evenhand.core.ratio import ratio

BLOCK = 1 << 14
"""Terms made together, which stay in cache: it bounds memory, whatever the number of classes."""


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
    are left out. Classes of one precision and recall are of one kind; the terms of kinds are made
    a block of rows at a time, of which only the largest so far are kept.
    """
    p, r = _rates(c)
    kinds, kind, times = np.unique(p + 1j * r, return_inverse=True, return_counts=True)
    whole, each = _whole(c, p, r), max(1, BLOCK // len(kinds))
    total, least = 0.0, np.inf if most == 0 else 0.0
    at, value, peaks = np.zeros(0, np.int64), np.zeros(0), np.zeros(0)
    for start in range(0, len(kinds), each):
        rows = slice(start, start + each)
        terms = ratio(_terms(kinds.real, kinds.imag, rows), whole)
        total += float(times[rows] @ (terms @ times))
        peaks = np.append(peaks, terms.max(axis=1))
        if most and len(peaks) > 2 * most:  # no pair is the peak of more than two rows
            peaks = np.partition(peaks, -2 * most)[-2 * most :]
            least = float(peaks[0])
        x, y = np.nonzero(terms >= least)
        upper = x + start < y
        x, y = x[upper], y[upper]
        at, value = np.append(at, (x + start) * len(kinds) + y), np.append(value, 2 * terms[x, y])
        kept = value >= 2 * least
        at, value = at[kept], value[kept]
    kept = value > 1e-15 * value.max(initial=0)
    i, j = np.divmod(at[kept], len(kinds))
    x, y, value = _of_kinds(i, j, value[kept], kind, times)
    order = np.lexsort((y, x, -value))[:most]
    return total, x[order], y[order], value[order]


def _of_kinds(
    i: Array, j: Array, value: Array, kind: Array, times: Array
) -> tuple[Array, Array, Array]:
    """The pairs of classes that pairs of kinds stand for, the lower class first."""
    classes, start = np.argsort(kind, kind="stable"), np.cumsum(times) - times
    many = times[i] * times[j]
    pair = np.repeat(np.arange(len(i)), many)
    nth = np.arange(len(pair)) - np.repeat(np.cumsum(many) - many, many)
    one, two = np.divmod(nth, times[j][pair])
    x, y = classes[start[i][pair] + one], classes[start[j][pair] + two]
    return np.minimum(x, y), np.maximum(x, y), value[pair]


def largest_of_each(c: Counts, most: int | None = None) -> list[tuple[float, Array, Array, Array]]:
    """The same for every table of a stack, or for the one that there is."""
    flat = replace(c, undefined=0.0).flat()
    picks = map(itemgetter, range(len(flat.bias)))
    return [largest_pairs(flat.through(pick, pick), most) for pick in picks]


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
