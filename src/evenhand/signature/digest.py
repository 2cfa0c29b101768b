"""Digest: a few digits that tell one table from another."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.catalogue.binding import Table
from evenhand.tables.confusion import Confusion
from evenhand.tables.labels import Label
from evenhand.tables.multilabel import MultiLabel

DIGITS = 33
"""Binary digits of a weight that the digest sees, about ten decimal ones.

Sums of the same weights in another order, or by another engine, differ in the last of 53: they
share a digest unless they lie on two sides of a rounding edge, about one cell in a million.
"""


def digest(table: Table, begun: hashlib._Hash | None = None) -> str:
    """Twelve hexadecimal digits that two people share only if they scored the same table.

    The order of the items does not enter, nor do cells that weigh nothing. ``begun`` is the hash
    of its labels, where that is known.
    """
    found = labels_hash(table.labels) if begun is None else begun.copy()
    for part in _PARTS[table.task](table):
        found.update(np.asarray(part, "<i8").tobytes())
    return found.hexdigest()[:12]


def _cells(table: Confusion) -> Iterable[NDArray[Any]]:
    *places, weight, _ = table.data.entries()
    if weight.dtype.kind in "iu":
        return (*places, weight)
    full = weight != 0
    return (*(x[full] for x in places), *_rounded(weight[full]))


def _items(table: MultiLabel) -> Iterable[NDArray[Any]]:
    """Each item as two numbers mixed from its labels, and its weight, in their own order."""
    sides = [_mixed(side, i) for i, side in enumerate((table.true, table.pred))]
    columns = sides if table.weight is None else [*sides, *_rounded(table.weight)]
    if table.times is not None:
        columns = [np.repeat(x, table.times) for x in columns]
    order = np.lexsort(columns)
    return [x[order] for x in columns]


def _rounded(weight: NDArray[Any]) -> list[NDArray[Any]]:
    """Weights to :data:`DIGITS`, as whole numbers and powers of 2."""
    part, power = np.frexp(np.asarray(weight, np.float64))
    part, more = np.frexp(np.rint(np.ldexp(part, DIGITS)))  # what rounds up to 1 moves on
    return [np.ldexp(part, DIGITS).astype(np.int64), (power + more).astype(np.int64)]


def _mixed(indicators: Any, side: int) -> NDArray[np.int64]:
    """One number an item: the sum of its labels' codes, each scattered over 64 bits (splitmix)."""
    x = np.arange(1, indicators.shape[1] + 1, dtype=np.uint64) * np.uint64(2) + np.uint64(side)
    x *= np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    x ^= x >> np.uint64(31)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(x[indicators.indices])])
    return np.asarray(sums[indicators.indptr[1:]] - sums[indicators.indptr[:-1]]).view(np.int64)


_PARTS: dict[str, Callable[[Any], Iterable[NDArray[Any]]]] = {"single": _cells, "multi": _items}


def labels_hash(labels: Iterable[Label]) -> hashlib._Hash:
    """A hash of labels, of their types and their order."""
    text = "\x1f".join(f"{type(v).__name__}={v!r}" for v in labels)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass"))
