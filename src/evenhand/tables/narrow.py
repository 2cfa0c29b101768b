"""Narrow: many classes are scored table by table, each on the classes that occur in it.

Margins are arrays of tables × classes. Of many classes most are in no table of a stack, so what
is large is cut into blocks of tables on the classes of the block; and since a float sum depends on
the zeros between its terms, a table of many classes is scored on its own classes wherever it
stands, alone or in any stack.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import prod

import numpy as np

from evenhand.tables.cells import DENSE_LIMIT
from evenhand.tables.confusion import Confusion

LARGE = 1 << 21
"""Tables × classes beyond which a stack is scored in blocks."""

BLOCK = 1 << 18
"""Tables × classes of a block, about: what stays in cache."""


def many(table: Confusion) -> bool:
    """Whether a table of so many classes is scored on those that occur in it (``core.kernel``)."""
    return table.k * (table.k + 1) > DENSE_LIMIT


def large(table: Confusion) -> bool:
    """Whether the margins of a stack are better not made all at once."""
    return bool(table.shape) and prod(table.shape) * table.k > LARGE


def blocks(table: Confusion, named: Iterable[int] | None = ()) -> Iterator[Confusion]:
    """The stack itself, or one after another small parts of a large one.

    Where there are many classes a part has those that occur in it and those ``named``; all of
    them if that is ``None``.
    """
    if not large(table):
        yield table
        return
    size = len(table)
    narrow = many(table) and named is not None
    cells = table.data.filled / size  # of one table; each has a row and a column
    each = max(BLOCK / table.k, (BLOCK / (2 * cells + 1)) ** 0.5 if narrow else 1)
    step = max(1, int(each))
    for start in range(0, size, step):
        part = table[start : start + step]
        yield narrowed(part, named or ()) if narrow else part


def narrowed(table: Confusion, named: Iterable[int] = ()) -> Confusion:
    """A stack on the classes that occur in some table of it, and those ``named``."""
    _, true, pred, _, _ = table.data.entries()
    occurs = np.zeros(table.k + 1, bool)
    occurs[true] = occurs[pred] = True
    occurs[list(named)] = True
    used = np.flatnonzero(occurs[:-1])
    to = np.full(table.k, -1)
    to[used] = np.arange(len(used))
    labels = tuple(table.labels[i] for i in used.tolist())
    return replace(table, labels=labels, data=table.data.remap(to, to, len(labels)))
