"""Varied: how the scores of several systems on the same items vary together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from evenhand.core.counts import Counts
from evenhand.core.kernel import Kernel, Views
from evenhand.core.slopes import steep
from evenhand.infer.delta import error_parts
from evenhand.infer.design import CodeDesign, Floats
from evenhand.infer.jackknife import applies, deleted, seldom
from evenhand.infer.pseudo import Pseudo
from evenhand.infer.rows import Rows
from evenhand.infer.smoothed import Smoothed
from evenhand.infer.variance import over

BLOCK = 1 << 20
"""Numbers held at once where pairs are compared row by row."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Scores as parts (systems × what varies), whose inner products are covariances.

    ``own`` is variance that a system shares with no other; ``of`` are the systems that the parts
    have something to say of, and of their differences from any (``None``: all).
    """

    parts: Floats
    own: Floats
    of: Floats | None = None

    @property
    def variance(self) -> Floats:
        """That of each score."""
        found = (self.parts**2).sum(axis=1) + self.own
        return np.asarray(found if self.of is None else found * self.of)

    def between(self) -> Floats:
        """The variance of the difference of every two scores, (0, 1), (0, 2), …"""
        parts, own = self.parts, self.own
        first, second = np.triu_indices(len(parts), 1)
        # so that products are the same to the last digit in any order of systems
        order = np.argsort((parts**2).sum(axis=1), kind="stable")
        ordered, product = parts[order], np.empty((len(parts), len(parts)))
        product[np.ix_(order, order)] = ordered @ ordered.T
        alone = np.diag(product)
        whole = alone[first] + alone[second]
        found = whole - 2 * product[first, second]
        cancelled = np.flatnonzero(found < 1e-6 * whole)  # once more, exactly
        each = max(1, BLOCK // max(1, parts.shape[1]))
        for start in range(0, len(cancelled), each):
            at = cancelled[start : start + each]
            found[at] = ((parts[first[at]] - parts[second[at]]) ** 2).sum(axis=1)
        found = found + (own[first] + own[second])
        return np.asarray(found if self.of is None else found * (self.of[first] | self.of[second]))

    def over(self, columns: Sequence[Sequence[int]]) -> Parts:
        """The means over the runs of each system, given as columns."""
        of = None if self.of is None else np.array([self.of[list(c)].any() for c in columns])
        if all(len(c) == 1 for c in columns):
            at = [c[0] for c in columns]
            return Parts(self.parts[at], self.own[at], of)
        parts = np.stack([self.parts[list(c)].mean(axis=0) for c in columns])
        own = np.array([self.own[list(c)].sum() / len(c) ** 2 for c in columns])
        return Parts(parts, own, of)


@dataclass(frozen=True)
class Apart:
    """How the difference of two scores varies: its error, degrees of freedom, and what one item
    on which the systems differ adds to it."""

    se: float
    freedom: float
    size: float


@dataclass(frozen=True, eq=False)
class Varied:
    """How scores vary, seen in one or more ways of which the largest counts.

    ``freedom`` are the degrees of freedom of each.
    """

    ways: tuple[Parts, ...]
    freedom: Floats

    @property
    def errors(self) -> Floats:
        """The standard error of each score."""
        return np.asarray(np.sqrt(np.max([w.variance for w in self.ways], axis=0)))

    def between(self) -> Floats:
        """The variance of the difference of every two scores, (0, 1), (0, 2), …

        Systems that never differ, or always by the same, have none, whatever the other ways say.
        """
        first, *others = (w.between() for w in self.ways)
        return np.where(first == 0, 0.0, np.max([first, *others], axis=0))

    def between_freedom(self) -> Floats:
        """The degrees of freedom of each of these: the smaller of two scores'."""
        first, second = np.triu_indices(len(self.freedom), 1)
        return np.minimum(self.freedom[first], self.freedom[second])

    def over(self, columns: Sequence[Sequence[int]]) -> Varied:
        """The means over the runs of each system, given as columns."""
        ways = tuple(w.over(columns) for w in self.ways)
        return Varied(ways, np.array([self.freedom[list(c)].min() for c in columns]))


def varied_of(rows: Rows, kernels: list[Kernel], views: Views) -> Iterator[Varied]:
    """How each metric of all systems varies: by slopes, and averages of counted items steadily.

    That is by the jackknife and by slopes where no class is certain, whichever says more.
    """
    each = max(1, BLOCK // max(1, rows.design.systems * len(rows.weight)))
    for i in range(0, len(kernels), each):
        yield from _varied(rows, kernels[i : i + each], views)


def apart_of(rows: Rows, kernels: list[Kernel]) -> list[Apart]:
    """How the difference of the first two scores varies on each metric."""
    return [
        Apart(math.sqrt(v.between()[0]), v.between_freedom()[0].item(), sizes_of(rows, v)[0].item())
        for v in varied_of(rows, kernels, rows.views(kernels))
    ]


def sizes_of(rows: Rows, varied: Varied) -> Floats:
    """What one item, or cluster, on which two systems differ adds to the difference of each two.

    Σ|a|³ / Σa² over the items or clusters: of accuracy 1/n.
    """
    many = None if rows.cluster is not None else rows.items
    alike = 1.0 if many is None else np.sqrt(np.maximum(many, 1))
    found = []
    for i, j in combinations(varied.ways[0].parts, 2):
        gap = np.abs(i - j)
        found.append(over((gap**3 / alike).sum(), (gap**2).sum()))
    return np.array(found)


def _varied(rows: Rows, kernels: list[Kernel], views: Views) -> list[Varied]:
    """The same of as many metrics as are held at once."""
    design = rows.design
    averages: dict[int, Counts] = {}
    if isinstance(design, CodeDesign) and rows.counted:
        at = [i for i, k in enumerate(kernels) if applies(k)]
        averages = {i: views.of(kernels[i]) for i in at}
    if averages:
        margins = design.counts(rows.weight[None]).at(0)
    sloped = [i for i, k in enumerate(kernels) if i not in averages or k.target is not None]
    influence = rows.influences([kernels[i] for i in sloped], views)
    psi = dict(zip(sloped, influence, strict=True))
    infinite = {
        i: steep(kernels[i].function, c, kernels[i].function(c)) for i, c in averages.items()
    }
    found = []
    for i, kernel in enumerate(kernels):
        if i not in averages:
            freedom = np.full(design.systems, rows.freedom)
            found.append(Varied((_parts(rows, psi[i]),), freedom))
            continue
        assert isinstance(design, CodeDesign)
        counts = averages[i]
        first = _parts(rows, psi[i] if i in psi else _deleted(design, kernel, counts))
        first = replace(first, own=np.where(infinite[i], np.nan, 0.0))
        found.append(_steadily(rows, kernel, counts, margins, first))
    return found


def _steadily(rows: Rows, kernel: Kernel, counts: Counts, margins: Counts, first: Parts) -> Varied:
    """An average in the ways that a table with pseudo-items adds to the ``first``."""
    design = rows.design
    assert isinstance(design, CodeDesign)
    weight, true = rows.weight, np.broadcast_to(design.true, design.pred.T.shape)

    def mixed(scale: Floats) -> Counts:
        return design.counts((weight * scale[0, design.true])[None]).at(0)

    pseudo = Pseudo.true([kernel], margins, Smoothed.with_margins(margins), mixed)[0]
    second, freedom = _smoothed(rows, design, pseudo, true)
    rare = seldom(counts)
    if kernel.target is not None or not (pseudo.slopes[0].alarms.any() and rare.any()):
        return Varied((first, second), freedom)
    more = Pseudo.predicted([kernel], margins)[0]
    third, fewer = _smoothed(rows, design, more, design.pred.T)
    freedom = np.where(rare, np.minimum(freedom, fewer), freedom)
    return Varied((first, second, replace(third, of=rare)), freedom)


def _parts(rows: Rows, influence: Floats) -> Parts:
    parts = error_parts(rows, influence)
    return Parts(parts, np.zeros(len(parts)))


def _deleted(design: CodeDesign, kernel: Kernel, counts: Counts) -> Floats:
    """Values with an item of each row left out (systems × rows), in the place of slopes."""
    k, n = design.k, len(design.true)
    place = design.true * (k + 1) + design.pred.T
    table = np.repeat(np.arange(design.systems), n)
    if k * (k + 1) < n:  # rows of a cell come to the same
        seen = np.zeros((design.systems, k * (k + 1)), bool)
        seen[table, place.reshape(-1)] = True
        table, cell = np.nonzero(seen)
    else:
        cell = place.reshape(-1)
    found = deleted(kernel, counts, table, *np.divmod(cell, k + 1))
    if k * (k + 1) >= n:
        return found.reshape(design.systems, n)
    dense = np.zeros(seen.shape)
    dense[seen] = found
    return np.take_along_axis(dense, place, axis=1)


def _smoothed(
    rows: Rows, design: CodeDesign, pseudo: Pseudo, groups: Floats
) -> tuple[Parts, Floats]:
    """By slopes at smoothed tables, whose pseudo-items systems take independently.

    ``groups`` are systems × rows; where they are the true classes, their items are shared.
    """
    psi, weight = design.influence(pseudo.slopes[0]), rows.weight
    one, two, items = pseudo.one, pseudo.two, pseudo.items
    width = items.shape[-1]

    def summed(x: Floats) -> Floats:
        each = zip(groups, np.broadcast_to(x, psi.shape), strict=True)
        return np.stack([np.bincount(g, y, minlength=width) for g, y in each])

    moments = pseudo.moments(summed, weight, psi)
    mean, factor = (np.broadcast_to(x, one.shape) for x in (moments.mean, moments.factor))
    middle, scale = (np.take_along_axis(x, groups, axis=1) for x in (mean, np.sqrt(factor)))
    parts = (psi - middle) * scale * np.sqrt(weight)
    own = factor * (two - 2 * mean * one + mean**2 * items)
    if width == design.k:
        shared = np.sqrt(factor / 2) * (one - mean * items)
        parts, own = np.concatenate([parts, shared], axis=1), own - shared**2
    return Parts(parts, np.maximum(own, 0.0).sum(axis=1)), moments.freedom
