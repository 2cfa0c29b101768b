"""A judge's labels for all items, corrected by human labels for some: prediction-powered inference.

As shares of items, the corrected cells are

    T(λ) = H + λ·(J_rest − J_labelled),

H the cells of the labelled items by their human label, J those by the judge's. A labelled item
moves a metric by ψ(human) − λ·ψ(judge), any other by λ·ψ(judge), with ψ the metric's influence;
λ = Σ a·b / Σ b² over the sampling units makes the variance least, and 0 is the human labels alone.
Where each item was labelled with a known probability π, labelled items weigh 1/π and the rest are
all items. (Angelopoulos, Bates, Fannjiang, Jordan & Zrnic 2023; Angelopoulos, Duchi & Zrnic 2023.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.core.kernel import Kernel
from evenhand.data.cells import DenseCells
from evenhand.data.confusion import Confusion
from evenhand.data.sample import Sample
from evenhand.inference.rows import CodeDesign, Codes, Floats, Rows, centred, divide, grouped
from evenhand.inference.wilson import critical_value, effective_sample_size, extent, scored
from evenhand.records import Interval

HUMAN_LABELS = "human label"
"""The name of the human labels among the systems of a judged sample."""


@dataclass(frozen=True, eq=False)
class JudgedSample:
    """A sample with the judge's labels as truth, and human labels as its last system.

    An item without a human label has −1 there. ``designed`` says that the weight of an item is the
    known probability with which it was chosen to be labelled.

    >>> human = ["a", None, "b", None]
    >>> sample = Sample.from_labels("abab", {"A": list("abbb"), HUMAN_LABELS: human})
    >>> judged = JudgedSample(sample)
    >>> judged.labels, judged.by_human().table("A").correct, judged.by_judge().table("A").correct
    (2, array([1, 1]), array([1, 2]))
    """

    sample: Sample
    designed: bool = False

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Which rows have a human label."""
        return np.asarray(self.sample.pred[:, -1] >= 0)

    @property
    def labels(self) -> int:
        """The number of items with a human label."""
        return int(self.sample.items[self.labelled].sum())

    def by_human(self) -> Sample:
        """The labelled items, with their human labels as truth."""
        return self._subset(self.labelled, self.sample.pred[:, -1])

    def by_judge(self) -> Sample:
        """All items, with the judge's labels as truth."""
        return self._subset(np.ones(len(self.sample.true), bool), self.sample.true)

    def _subset(self, rows: NDArray[np.bool_], truth: NDArray[Any]) -> Sample:
        s = self.sample
        items, pred = s.items[rows], s.pred[rows, :-1]
        columns: Any = {"weight": s.weight[rows], "square": s.square, "cluster": s.cluster}
        if self.designed:  # a labelled item stands for 1/π items, any for itself
            power = 2 if rows.sum() < len(rows) else 1
            columns["weight"] = s.weight[rows] * (items / s.weight[rows]) ** power
        for name in ("square", "cluster"):
            columns[name] = None if columns[name] is None else columns[name][rows]
        if self.designed:
            columns["square"] = columns["weight"] ** 2 / items
        return replace(
            s,
            systems=s.systems[:-1],
            true=truth[rows],
            pred=pred,
            n=int(items.sum()),
            missing=(items[:, None] * (pred < 0)).sum(axis=0),
            slices=(),
            **columns,
        )


HUMAN, JUDGE, REST = range(3)
"""Labelled items by their human label and by the judge's, and the rest by the judge's."""


@dataclass(frozen=True, eq=False)
class Correction:
    """A metric of each system, corrected, with λ and the error as a share of that without a judge.

    The share is NaN where that error is 0, and 1 with λ = 0 where the human labels stand alone.
    """

    power: float
    value: Floats
    share: Floats


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """The rows of the three tables, of which the corrected one is a sum."""

    judged: JudgedSample

    @cached_property
    def _row(self) -> tuple[Codes, Codes]:
        """Row of the sample and table of each row here."""
        labelled = self.judged.labelled
        rest = np.ones_like(labelled) if self.judged.designed else ~labelled
        rows = [np.flatnonzero(x) for x in (labelled, labelled, rest)]
        return np.concatenate(rows), np.repeat([HUMAN, JUDGE, REST], [len(x) for x in rows])

    @cached_property
    def _rows(self) -> Rows:
        """The rows with their weights as shares of their table."""
        (row, table), s = self._row, self.judged.sample
        true = np.where(table == HUMAN, s.pred[row, -1], s.true[row])
        pred = s.pred[row, :-1]
        weight, square = (np.asarray(x[row], np.float64) for x in (s.weight, s.squares))
        if self.judged.designed:  # the weight of an item is its probability
            factor = (s.items[row] / weight) ** np.where(table == REST, 1, 2)
            weight, square = weight * factor, square * factor**2
        total = np.bincount(table, weight, minlength=3)[table]
        cluster = None if s.cluster is None else s.cluster[row]
        design = CodeDesign(s.k, true, np.where(pred < 0, s.k, pred))
        return Rows(design, weight / total, square / total**2, cluster=cluster)

    def _at(self, power: float) -> Rows:
        """The rows, weighted as in the corrected table at λ, as many in sum as are labelled."""
        scale = self.judged.labels * np.array([1.0, -power, power])[self._row[1]]
        return replace(self._rows, weight=self._rows.weight * scale)

    def table(self, power: float, system: int = 0) -> Confusion:
        """The corrected table of a system, of as many items as are judged.

        A cell may be negative where few items are in it.
        """
        rows, sample = self._at(power), self.judged.sample
        codes, cells = rows.codes, np.zeros((rows.k, rows.k + 1))
        np.add.at(cells, (codes.true, codes.pred[:, system]), rows.weight)
        cells *= sample.n / self.judged.labels
        return Confusion.from_cells(sample.labels, DenseCells(cells), n=np.asarray(sample.n))

    def units(self, kernel: Kernel, power: float) -> tuple[Floats, Floats]:
        """a and b of each sampling unit (systems × units): the error is a sum of a − λ·b."""
        rows, (row, table) = self._at(power), self._row
        psi = self.judged.labels * rows.influence(kernel, rows.views([kernel]))
        shares, squares = self._rows.weight, self._rows.square
        psi = centred(psi, shares, table, 3)
        clusters = self._rows.cluster
        assert squares is not None
        psi = psi * (np.sqrt(squares) if clusters is None else shares)
        unit = row if clusters is None else clusters
        signs = np.array([[1.0, 0, 0], [0, 1, -1]])
        a, b = (grouped(psi * sign[table], unit, int(unit.max()) + 1) for sign in signs)
        return a, b

    def power(self, kernel: Kernel) -> float:
        """The best λ of a metric for all systems together, 0 if it makes a margin negative."""
        a, b = self.units(kernel, 0.0)
        power = float(np.clip(divide((a * b).sum(), (b * b).sum()), 0.0, 1.0))
        c = self._at(power).counts
        parts = (c.correct, c.false_positives, c.false_negatives, c.outside)
        return power if all(np.min(x) >= -1e-9 for x in parts) else 0.0

    def corrected(self, kernel: Kernel, power: float) -> Correction:
        """The metric at λ."""
        (value,) = self._at(power).views([kernel]).values([kernel])
        human = np.sqrt((self.units(kernel, 0.0)[0] ** 2).sum(axis=-1))
        a, b = self.units(kernel, power)
        error = np.sqrt(((a - power * b) ** 2).sum(axis=-1))
        return Correction(power, np.reshape(value, -1), divide(error, human, np.nan))

    def sampled_alike(self) -> float:
        """p of the hypothesis that the judge's labels of labelled and other items have one mix.

        A score test: differences of shares against their covariance at the common mix.
        """
        from scipy.special import chdtrc

        row, table = self._row
        later = table != HUMAN
        rows, side = self._rows, table[later]
        weight, square = rows.weight[later], rows.square[later]  # type: ignore[index]
        present, code = np.unique(rows.codes.true[later], return_inverse=True)
        if len(present) < 2 or not (side == REST).any():
            return 1.0
        indicator = (code == np.arange(len(present) - 1)[:, None]).astype(np.float64)
        sign = np.where(side == JUDGE, 1.0, -1.0)
        difference = (indicator * weight * sign).sum(axis=1)
        common = indicator - (indicator * weight).sum(axis=1, keepdims=True) / 2
        scale = np.sqrt(square) if rows.cluster is None else weight
        unit = row[later] if rows.cluster is None else rows.cluster[later]
        u = grouped(common * scale * sign, unit, int(unit.max()) + 1)
        statistic = difference @ np.linalg.pinv(u @ u.T) @ difference
        return float(chdtrc(len(present) - 1, statistic))


def limits(
    human: Interval, correction: Correction, kernel: Kernel, system: int = 0
) -> tuple[float, float, float]:
    """Standard error and ends of a corrected metric, from the interval by human labels alone.

    The error is that interval's, times the share that is left of it; where the metric is bounded,
    the ends are Wilson's at the effective sample size, as many times wider as that interval is.
    """
    assert human.se is not None and human.low is not None and human.level is not None
    value, span = correction.value[system], extent(kernel)
    z, high = critical_value(human.level), human.high
    se = human.se * float(correction.share[system])
    if not kernel.bounded or high is None:
        return se, value - z * se, value + z * se
    own = effective_sample_size(np.asarray(human.value), np.asarray(human.se), *span)
    low_end, high_end = scored(np.asarray(human.value), own, z, *span)
    wider = float(divide(np.asarray(high - human.low), high_end - low_end, 1.0))
    size = effective_sample_size(np.asarray(value), np.asarray(se * wider), *span)
    low, high = (float(x) for x in scored(np.asarray(value), size, z, *span))
    return se, low, high
