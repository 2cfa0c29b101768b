"""Rows: data at the most detailed level there is, as influences and resampling see them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, singledispatch
from typing import Any, TypeAlias

import numpy as np

from evenhand.core.influence import item_influence
from evenhand.core.items import Items
from evenhand.core.kernel import OVER_ITEMS, Kernel, View, Views, asked_views
from evenhand.core.prevalence import factors
from evenhand.core.slopes import stacked
from evenhand.errors import InputError
from evenhand.infer.design import CodeDesign, Codes, Design, Floats, MatrixDesign
from evenhand.infer.gradients import slopes
from evenhand.infer.variance import Units, centred
from evenhand.tables.confusion import Confusion
from evenhand.tables.multilabel import MultiLabel
from evenhand.tables.sample import Sample, SoftSample
from evenhand.tables.slices import Slices

Data: TypeAlias = Confusion | MultiLabel | Sample | SoftSample | Slices


BLOCK = 1 << 18
"""Replicates × systems × classes that are scored at once: what stays in cache."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Weighted rows in an order of their own, and how they add up to margins.

    ``items`` counts the items of a row, which weigh the same; ``None`` where only sums are
    known. ``square`` sums the squared weights of a row's items, ``None`` where they are not
    known. ``stratum`` is the true class, ``cluster`` the group of dependent items.
    """

    design: Design
    weight: Floats
    square: Floats | None
    items: Codes | None
    stratum: Codes | None = None
    cluster: Codes | None = None
    per_item: Items | None = None

    def values(self, kernels: list[Kernel], weights: Floats) -> list[Floats]:
        """Each metric of each system (B × systems), the rows weighted in B ways."""
        size = self.design.k * (self.design.k if any(k.over_cells for k in kernels) else 1)
        each = max(1, BLOCK // (self.design.systems * size))
        starts = range(0, len(weights), each)
        parts = [self._values(kernels, weights[i : i + each]) for i in starts]
        return [np.concatenate(found) for found in zip(*parts, strict=True)]

    def _values(self, kernels: list[Kernel], weights: Floats) -> list[Floats]:
        found = map(np.asarray, self.views(kernels, weights).values(kernels))
        return [v[:, None] if k.over_items else v for v, k in zip(found, kernels, strict=True)]

    def views(self, kernels: Iterable[Kernel], weights: Floats | None = None) -> Views:
        """What kernels ask of the rows, as they weigh or weighted in B ways."""
        ways = self.weight[None] if weights is None else weights
        found: dict[bytes, View] = {}
        for view, kernel in asked_views(kernels).items():
            if view == OVER_ITEMS:
                assert self.per_item is not None
                own = self.weight if weights is None else weights
                found[view] = replace(self.per_item, weight=own)
                continue
            weighed = ways if kernel.target is None else ways * self._scale(kernel, ways)
            made = self.design.crossed if kernel.over_cells else self.design.counts
            c = made(weighed)
            found[view] = c.at(0) if weights is None else c
        return Views(found)

    def influences(self, kernels: list[Kernel], views: Views | None = None) -> Floats:
        """Derivative of each metric in the weight of each row, kernels × systems × rows."""
        views = self.views(kernels) if views is None else views
        found = np.empty((len(kernels), self.design.systems, len(self.weight)))
        for view, first in asked_views(kernels).items():
            own = [i for i, k in enumerate(kernels) if k.view == view]
            asked = [(kernels[i], views.of(kernels[i])) for i in own]
            if view == OVER_ITEMS:
                found[own] = np.array([[item_influence(k.function, c)] for k, c in asked])
                continue
            psi = self.design.influence(stacked(slopes(asked)))
            if first.target is not None:  # rows are shares of their class, whose mean goes off
                psi = centred(psi, self.weight, self.stratum) * self._scale(
                    first, self.weight[None]
                )
            found[own] = psi
        return found

    @cached_property
    def units(self) -> Units:
        """What varies independently: the rows, or the clusters."""
        return Units.of(self.weight, self.square, self.cluster)

    @property
    def counted(self) -> bool:
        """Whether every item counts as one, by itself."""
        if self.cluster is not None or self.items is None:
            return False
        return np.array_equal(self.weight, self.items)

    @property
    def freedom(self) -> float:
        """Degrees of freedom of an error: clusters less one, where there are any."""
        return math.inf if self.cluster is None else float(self.units.freedom[0])

    def _scale(self, kernel: Kernel, weights: Floats) -> Floats:
        assert kernel.target is not None and self.stratum is not None
        target = kernel.target if kernel.target.ndim < 2 else kernel.target[0]
        return np.asarray(factors(self.design.prevalence(weights), target)[:, self.stratum])


@singledispatch
def rows_of(data: Any) -> Rows:
    """The rows of one table, or of the systems of a sample."""
    raise TypeError(f"no rows of {type(data).__name__}")


@rows_of.register
def _of_table(data: Confusion) -> Rows:
    _, true, pred, weight, _ = data.data.entries()
    squares = data.data.squares
    plain = weight.dtype.kind in "iu" and data.data.square is None
    if squares is not None and squares.ndim > 1:
        squares = squares[true, pred]
    return Rows(
        CodeDesign(data.k, true, pred[:, None]),
        np.asarray(weight, np.float64),
        None if squares is None else np.asarray(squares, np.float64),
        np.asarray(weight, np.int64) if plain else None,
        stratum=true,
    )


@rows_of.register
def _of_sample(sample: Sample) -> Rows:
    """Rows in an order that does not depend on the order of the systems."""
    names = sorted(range(len(sample.systems)), key=sample.systems.__getitem__)
    keys: list[Any] = [sample.pred[:, i] for i in reversed(names)]
    extra = [x for x in (sample.squares, sample.weight, sample.cluster) if x is not None]
    order = np.lexsort([*extra, *keys, sample.true])
    pred = sample.pred[order]
    return Rows(
        CodeDesign(sample.k, sample.true[order], np.where(pred < 0, sample.k, pred)),
        np.asarray(sample.weight[order], np.float64),
        np.asarray(sample.squares[order], np.float64),
        sample.items[order],
        stratum=sample.true[order],
        cluster=None if sample.cluster is None else sample.cluster[order],
    )


@rows_of.register
def _of_soft(soft: SoftSample) -> Rows:
    ones = np.ones(soft.n)
    weight = ones if soft.weight is None else soft.weight
    truth = np.zeros((soft.n, soft.k))
    truth[np.arange(soft.n), soft.true] = 1.0
    return Rows(
        MatrixDesign(
            soft.k, truth, tuple(soft.probability), tuple(p * truth for p in soft.probability)
        ),
        weight,
        weight**2,
        ones.astype(np.int64),
        stratum=soft.true,
        cluster=soft.cluster,
    )


@rows_of.register
def _of_items(multi: MultiLabel) -> Rows:
    """Distinct items (true set, predicted set, weight, cluster), sorted."""
    n = multi.true.shape[0]
    weight = np.ones(n) if multi.weight is None else multi.weight
    times = np.ones(n, np.int64) if multi.times is None else multi.times
    beside = (weight,) if multi.cluster is None else (weight, multi.cluster)
    sets = [
        np.split(side.indices, side.indptr[1:-1])
        for side in (_ordered(multi.true), _ordered(multi.pred))
    ]
    sides = ([x.tobytes() for x in side] for side in sets)
    keys = list(zip(*(x.tolist() for x in beside), *sides, strict=True))
    first: dict[Any, int] = {}
    for i, key in enumerate(keys):
        first.setdefault(key, i)
    kept = sorted(first)
    place = {key: i for i, key in enumerate(kept)}
    items = np.bincount([place[key] for key in keys], times, minlength=len(kept)).astype(np.int64)
    at = np.array([first[key] for key in kept])
    true, pred, hit = (
        m[at].astype(np.float64) for m in (multi.true, multi.pred, multi.hits.tocsr())
    )
    per = multi.items()
    return Rows(
        MatrixDesign(multi.k, true, (pred,), (hit,)),
        items * weight[at],
        items * weight[at] ** 2,
        items,
        cluster=None if multi.cluster is None else multi.cluster[at],
        per_item=Items(per.correct[at], per.predicted[at], per.true[at], per.weight[at], multi.k),
    )


def _ordered(matrix: Any) -> Any:
    found = matrix.copy()
    found.sort_indices()
    return found


def stratum_of(rows: Rows, stratify: bool) -> Codes | None:
    """The true classes, when resampling stays within them."""
    if not stratify:
        return None
    if rows.stratum is None:
        raise InputError("stratify needs one true class an item; multi-label items have several")
    if rows.cluster is not None:
        raise InputError("stratify and cluster exclude each other: a cluster spans classes")
    return rows.stratum
