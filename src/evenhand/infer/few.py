"""Classes with few true items, predictions or hits, of which intervals may make too much.

A class of a handful of items is often all right or all wrong, and then seems to have no spread:
where it weighs as much as any other, an interval may be too narrow (the coverage study of
docs/intervals.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch
from math import prod
from typing import Any, cast

import numpy as np

from evenhand.catalogue.binding import Table
from evenhand.core.arrays import floating
from evenhand.core.counts import Counts
from evenhand.core.kernel import Kernel
from evenhand.infer.design import Codes, Floats
from evenhand.notes.note import Note
from evenhand.notes.sure import FewClusters, FewHits, FewTrueItems
from evenhand.tables.confusion import Confusion
from evenhand.tables.labels import Labels
from evenhand.tables.slices import Slices

FEW = 10
"""True items, or predictions, of a class below which what is said of it rests on little."""

FEW_HITS = 5
"""Hits below which that is so."""

FEW_CLUSTERS = 20
"""Clusters below which they do not tell how clusters vary."""


def true_items(table: Table) -> Floats:
    """Items of each true class, (…, k); for weighted data the number of equal ones worth as much.

    (Σw)² / Σw² of the class's items (Kish 1965).
    """
    whole = np.asarray(table.prevalence, np.float64)
    squares = table.true_squares if table.weighing == "given" else None
    if squares is None:
        return whole
    root = np.sqrt(squares)  # the square of the whole might not fit a float
    return np.asarray(np.divide(whole, root, out=np.zeros(whole.shape), where=root > 0) ** 2)


def too_few(
    kernels: Iterable[Kernel], table: Table, metrics: tuple[str, ...] = ()
) -> Iterable[Note]:
    """Notes on classes that are rare in an average that some of ``kernels`` are.

    ``metrics`` are those to be named, where not all are shown.

    >>> from evenhand.catalogue.binding import bind
    >>> from evenhand.tables.confusion import Confusion
    >>> table = Confusion.from_matrix([[45, 5], [1, 3]])
    >>> list(too_few([bind("macro_f1", table)], table))
    [FewTrueItems(labels=(1,), few=10, metrics=())]
    """
    margins = table.counts_over(None, 0.0)
    found = few_classes([(k, None) for k in kernels], table, margins)
    kinds = found.max(axis=0, initial=0)
    seldom = ((found == 1) & (kinds == 1)).any(axis=1)
    names = cast(Confusion, table).keys[0] if len(found) > 1 else ()
    of = tuple(str(name) for name, few in zip(names, seldom, strict=False) if few)
    yield from few_notes(kinds, table.labels, of, metrics)


def few_notes(
    kinds: Floats, labels: Labels, systems: tuple[str, ...] = (), metrics: tuple[str, ...] = ()
) -> Iterable[Note]:
    """One note a kind of rare class, from what :func:`few_classes` says of each."""
    classes, others = (tuple(labels[j] for j in np.flatnonzero(kinds == i)) for i in (2, 1))
    if classes:
        yield FewTrueItems(classes, FEW, metrics)
    if others:
        yield FewHits(others, FEW, FEW_HITS, systems, metrics)


def few_classes(
    kernels: Iterable[tuple[Kernel, Floats | None]], table: Table, margins: Counts
) -> Floats:
    """Tables × classes: 2 where one has few true items in an average that some kernel is.

    1 where it has few predictions or hits only, else 0. With each kernel stands of which tables it
    is to be asked; ``None``: of all.
    """
    found = np.zeros((prod(table.shape), table.k), np.int64)
    asked = [(k, which) for k, which in kernels if weighs_classes_alike(k)]
    if not asked:
        return found
    kinds = rare_classes(table, margins)
    for kernel, which in asked:
        mine = kinds if which is None else kinds * which[:, None]
        mask = kernel.averaged
        found = np.maximum(found, mine if mask is None else mine * mask.reshape(-1, table.k))
    return found


def rare_classes(table: Table, margins: Counts) -> Codes:
    """The same whatever is averaged."""
    shape = (prod(table.shape), table.k)
    items = true_items(table).reshape(shape)
    whole, said, hits = (
        floating(np.reshape(x, shape)) for x in (margins.prevalence, margins.bias, margins.correct)
    )
    worth = np.divide(items, whole, out=np.ones(items.shape), where=whole > 0)
    edge = 1e-9  # ten equal weights may come to a little less
    rare = (said * worth < FEW - edge) | (hits * worth < FEW_HITS - edge)
    return np.where(items < FEW - edge, 2, np.where(rare, 1, 0)) * (items > 0)


def few_clusters(cluster: Floats | None) -> Iterable[FewClusters]:
    """One note if there are clusters, one an item or row, and few of them."""
    return () if cluster is None else so_few(len(np.unique(cluster)))


def so_few(clusters: int) -> list[FewClusters]:
    """One note if these clusters are few."""
    return [FewClusters(clusters)] if clusters < FEW_CLUSTERS else []


@singledispatch
def clusters_of(data: Any) -> Codes | None:
    """How many clusters each table has, if items are not alone."""
    return None if data.cluster is None else np.array([len(np.unique(data.cluster))])


@clusters_of.register
def _of_slices(data: Slices) -> Codes | None:
    return data.clusters


def weighs_classes_alike(kernel: Kernel) -> bool:
    """Whether small classes count for more than their items: macro averages, and a stated mix."""
    record = kernel.record
    if record is None or record.of_one_class:
        return False
    return record.alike or kernel.target is not None
