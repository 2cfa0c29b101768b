"""Pilot: what is known before a test set is made, of one item of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evenhand.core.kernel import Kernel
from evenhand.errors import InputError
from evenhand.infer.delta import error_parts, table_error
from evenhand.infer.design import Floats
from evenhand.infer.few import FEW, weighs_classes_alike
from evenhand.infer.interval import estimates
from evenhand.infer.rows import Rows, rows_of
from evenhand.infer.settings import Settings
from evenhand.infer.variance import centred, norm
from evenhand.infer.varied import apart_of
from evenhand.infer.width import tells
from evenhand.tables.confusion import Confusion
from evenhand.tables.sample import Sample

DENSE = 200
"""Classes up to which the table to be expected is looked at."""


@dataclass(frozen=True)
class Rarest:
    """The rarest class of an average: its share of the items, and of the variance."""

    label: Any
    share: float
    variance: float

    @property
    def much(self) -> bool:
        """Whether most of the variance is its own, and far more than its share of the items."""
        return self.variance > max(0.5, 2 * self.share)

    @property
    def floor(self) -> int:
        """Items of which enough are of this class for an interval to be relied on."""
        return math.ceil(FEW / self.share - 1e-9)


@dataclass(frozen=True)
class Spread:
    """How a score, or a difference, of one item varies.

    ``variance`` over n items is that of the score, ``size`` over n what one item adds to a
    difference; ``unsure`` is the error of log variance; items come in clusters of ``together``,
    which make the variance ``design_effect`` times that of as many single items.
    """

    kernel: Kernel
    variance: float
    size: float
    unsure: float
    design_effect: float
    together: float | None
    rarest: Rarest | None

    def freedom(self, items: float) -> float:
        """Degrees of freedom that so many items give an error."""
        return math.inf if self.together is None else max(1.0, items / self.together - 1)


@dataclass(frozen=True)
class Pilot:
    """Items or a table from which others are foreseen.

    ``paired``: one system is to be held against another, of which nothing is known but the
    ``correlation`` of their errors. ``stated`` numbers are taken as they are. ``effect`` is a
    design effect that the items do not show.
    """

    data: Any
    paired: bool
    stated: bool
    correlation: float
    effect: float

    @property
    def several(self) -> bool:
        """Whether the data are of two systems."""
        return len(self.data.systems) == 2

    def spreads(self, kernels: list[Kernel]) -> list[Spread]:
        """How each metric varies."""
        rows, tables = rows_of(self.data), self.data.tables()
        alone = replace(rows, cluster=None)
        psi = rows.influences(kernels)
        own, single = self._parts(rows, psi), self._parts(alone, psi)
        n = int(np.max(tables.n))
        clusters = None if rows.cluster is None else len(np.unique(rows.cluster))
        found = []
        for kernel, part, item in zip(kernels, own, single, strict=True):
            plain = float((item**2).sum())
            whole = max(float((part**2).sum()), plain)  # clusters that seem to help do so by chance
            if not tells(math.sqrt(plain) if math.isfinite(plain) else math.nan):
                raise InputError(
                    f"these data do not say how {kernel.name} varies, as without an error, between "
                    "systems that never differ, or where a slope is infinite: state recalls and a "
                    "class mix, or give more items"
                )
            many = 1.0 if rows.items is None else np.maximum(rows.items, 1)
            fourth = float((part**4).sum() if clusters else (part**4 / many).sum())
            unsure = math.sqrt(max(0.0, fourth / whole**2 - 1 / (clusters or n)))
            found.append(
                Spread(
                    kernel,
                    n * whole * self.effect,
                    n * float((np.abs(item) ** 3 / np.sqrt(many)).sum()) / plain * self.effect,
                    0.0 if self.stated else unsure,
                    self.effect * whole / plain,
                    n / clusters if clusters else None,
                    _rarest(kernel, rows, tables, item),
                )
            )
        return found

    def wider(self, kernel: Kernel, items: int, how: Settings) -> float:
        """How many times as wide as slopes say an interval of so many such items is.

        Where classes are small, or scores near an end of their range, it is wider. Asked of plain
        items alone: of others slopes are all there is.
        """
        tables = self.data.tables()
        plain = self.data.task == "single" and tables.weighing == "none" and not self.data.soft
        clumped = self.effect != 1 or self.data.cluster is not None
        if not plain or clumped or tables.k > DENSE or np.any(tables.outside):
            return 1.0
        if self.several:
            rows = rows_of(_scaled(self.data, items / self.data.n))
            (sure,), psi = apart_of(rows, [kernel]), rows.influences([kernel])
            wide, sloped = sure.se, float(norm(self._parts(rows, psi))[0])
        else:
            table = tables[0] if tables.shape else tables
            cells = np.rint(table.cells * (items / table.n)).astype(np.int64)
            expected = Confusion.from_matrix(cells, labels=table.labels)
            (found,) = estimates(expected, [kernel], how)
            wide = float(np.ravel(found.high - found.low)[0])
            sloped = 2 * how.z * float(np.ravel(table_error(expected, kernel))[0])
        return wide / sloped if tells(wide) and tells(sloped) else 1.0

    def _parts(self, rows: Rows, psi: Floats) -> Floats:
        """What each item or cluster adds to the error, metrics × units."""
        if self.several:
            return error_parts(rows, psi[:, 1] - psi[:, 0])
        if not self.paired:
            return error_parts(rows, psi[:, 0])
        if rows.stratum is None:
            raise InputError(
                "label sets of one system do not say what two systems would share: plan a width"
            )
        # two systems that err apart share what an item's class alone brings
        within = rows.units.parts(centred(psi[:, 0], rows.weight, rows.stratum))
        return np.asarray(within * math.sqrt(2 * (1 - self.correlation)))


def _scaled(sample: Sample, factor: float) -> Sample:
    """The items to be expected of so many times as many, whole ones."""
    weight = np.rint(sample.weight * factor).astype(np.int64)
    at = np.flatnonzero(weight)
    return replace(
        sample,
        true=sample.true[at],
        pred=sample.pred[at],
        weight=weight[at],
        n=int(weight.sum()),
        slices=(),
    )


def _rarest(kernel: Kernel, rows: Rows, tables: Any, parts: Floats) -> Rarest | None:
    """The rarest of the classes that an average weighs alike."""
    if not weighs_classes_alike(kernel) or rows.stratum is None:
        return None
    k = tables.k
    true = np.reshape(tables.prevalence, (-1, k))[0]
    mask = np.ones(k, bool) if kernel.averaged is None else kernel.averaged.reshape(-1, k)[0]
    share = np.where(mask & (true > 0), true / true.sum(), np.inf)
    at = int(np.argmin(share))
    each = np.bincount(rows.stratum, parts**2, minlength=k)
    return Rarest(tables.labels[at], float(share[at]), float(each[at] / each.sum()))
