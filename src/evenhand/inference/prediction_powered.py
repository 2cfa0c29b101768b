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

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import cycle
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evenhand.catalogue.binding import bind, values_of
from evenhand.core.arrays import take
from evenhand.core.kernel import Kernel
from evenhand.data.arguments import VerbArguments, by_column, by_name, system_of
from evenhand.data.cells import DenseCells
from evenhand.data.confusion import Confusion
from evenhand.data.sample import Sample
from evenhand.errors import InputError
from evenhand.inference.delta import VarianceEstimate, few_classes
from evenhand.inference.jackknife import (
    PairDifferences,
    PairIntervals,
    ScoreCovariance,
    score_covariances,
)
from evenhand.inference.rows import (
    Codes,
    Floats,
    NoGradientError,
    Rows,
    centred,
    divide,
    grouped,
    rows_of,
)
from evenhand.inference.wilson import critical_value, interval_around, interval_scale
from evenhand.options import JudgeOptions
from evenhand.records import ENDS, MEASURED, Interval, Record
from evenhand.warnings import Note, ResultWarning

HUMAN_LABELS = "human label"
"""The name of the human labels among the systems of a judged sample."""
ENOUGH_LABELS = 200
"""Human labels from which on corrected intervals hold (docs/judges.md)."""
DOUBTFUL = 0.01
"""The p value below which human labels are taken for no random sample."""
SHARED = ("macro_f1", "f1_of_averages", "macro_f1_gap")
"""The metrics that have the λ of macro F1, so that the gap is their difference."""


class FewHumanLabels(ResultWarning):
    """Human labels that are too few for a corrected interval to hold."""

    template = "only {labels} human labels: below {few} the corrected intervals may be too narrow"

    labels: int
    few: int


class UnlikeSample(ResultWarning):
    """Items with a human label that are unlike the others by the judge's labels."""

    template = """the judge's labels of the human-labelled items differ from those of the others
    (p = {p:.2g}): human labels must be a random sample, or chosen with known probabilities"""

    p: float


class HumanAlone(Note):
    """Metrics that a judge cannot correct here."""

    template = "{metrics:names}: by the human labels alone, a judge cannot correct it here"
    about = "metrics"

    metrics: tuple[str, ...]


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
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.sample.systems[:-1]

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Which rows have a human label."""
        return np.asarray(self.sample.pred[:, -1] >= 0)

    @property
    def labels(self) -> int:
        """The number of items with a human label."""
        return int(self.sample.items[self.labelled].sum())

    @property
    def slices(self) -> tuple[tuple[Any, JudgedSample], ...]:
        """The same of each slice that has human labels."""
        parts = ((key, JudgedSample(part, self.designed)) for key, part in self.sample.slices)
        return tuple((key, part) for key, part in parts if part.labels)

    def by_human(self, *, sliced: bool = False) -> Sample:
        """The labelled items, with their human labels as truth, maybe with slices."""
        parts = ((key, part.by_human()) for key, part in self.slices if sliced)
        sample = self._subset(self.labelled, self.sample.pred[:, -1])
        return replace(sample, slices=tuple(parts))

    def by_judge(self) -> Sample:
        """All items, with the judge's labels as truth."""
        return self._subset(np.ones(len(self.sample.true), bool), self.sample.true)

    def _subset(self, rows: NDArray[np.bool_], truth: NDArray[Any]) -> Sample:
        s = self.sample
        columns = (s.items, s.pred[:, :-1], s.weight, s.square, s.cluster)
        items, pred, weight, square, cluster = take(rows, *columns)
        if self.designed:  # a labelled item stands for 1/π items, any for itself
            weight = weight * (items / weight) ** (2 if rows.sum() < len(rows) else 1)
            square = weight**2 / items
        missing = (items[:, None] * (pred < 0)).sum(axis=0)
        own: Any = {"weight": weight, "square": square, "cluster": cluster, "missing": missing}
        n = int(items.sum())
        return replace(s, systems=self.systems, true=truth[rows], pred=pred, n=n, slices=(), **own)


HUMAN, JUDGE, REST = range(3)
"""Labelled items by their human label and by the judge's, and the rest by the judge's."""


@dataclass(frozen=True, eq=False)
class Correction:
    """A metric of each system, corrected, with λ and the error as a share of that without a judge.

    The share is NaN where that error is 0. ``units`` are what each sampling unit adds to the
    scores, and ``alone`` what it adds to those by human labels alone (systems × units).
    """

    power: float
    value: Floats
    share: Floats
    units: Floats
    alone: Floats

    def covariance(self, human: ScoreCovariance) -> ScoreCovariance:
        """How corrected scores vary together: as those by human labels, by their share of that."""
        zeros, df = np.zeros(len(self.value)), human.df
        own, alone = (
            VarianceEstimate(units, zeros, self.value, df) for units in (self.units, self.alone)
        )
        pairs = human.between()
        variance = pairs.variance * divide(own.between(), alone.between(), 1.0)
        return ScoreCovariance((own,), PairDifferences(variance, pairs.df))


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """The rows of the three tables, of which the corrected one is a sum.

    The twins share the λ of ``macro_f1``, which is bound to the tables by human labels.
    """

    judged: JudgedSample
    macro_f1: Kernel

    @cached_property
    def common(self) -> float:
        """The λ of macro F1."""
        return self.power(self.macro_f1)

    def correction(self, kernel: Kernel) -> Correction | None:
        """The metric at its λ; none where human labels must stand alone."""
        shared = kernel.name in SHARED
        if kernel.over_cells or kernel.over_items:
            return None
        try:
            power = self.common if shared else self.power(kernel)
            correction = self.corrected(kernel, power) if power else None
        except NoGradientError:
            return None
        if correction is None or not np.isfinite(correction.share).all():
            return None
        smaller = (correction.units**2).sum() < (correction.alone**2).sum()
        return correction if shared or smaller else None

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
        true, pred = np.where(table == HUMAN, s.pred[row, -1], s.true[row]), s.pred[row, :-1]
        weight, square = (np.asarray(x[row], np.float64) for x in (s.weight, s.squares))
        if self.judged.designed:  # the weight of an item is its probability
            factor = (s.items[row] / weight) ** np.where(table == REST, 1, 2)
            weight, square = weight * factor, square * factor**2
        total = np.bincount(table, weight, minlength=3)[table]
        cluster = None if s.cluster is None else s.cluster[row]
        pred = np.where(pred < 0, s.k, pred)
        return Rows(s.k, true, pred, weight / total, square / total**2, cluster=cluster)

    def _at(self, power: float) -> Rows:
        """The rows, weighted as in the corrected table at λ, as many in sum as are labelled."""
        scale = self.judged.labels * np.array([1.0, -power, power])[self._row[1]]
        return replace(self._rows, weight=self._rows.weight * scale)

    def table(self, power: float, system: int = 0) -> Confusion:
        """The corrected table of a system, of as many items as are judged.

        A cell may be negative where few items are in it.
        """
        rows, sample = self._at(power), self.judged.sample
        cells = np.zeros((rows.k, rows.k + 1))
        np.add.at(cells, (rows.true, rows.pred[:, system]), rows.weight)
        cells *= sample.n / self.judged.labels
        return Confusion.from_cells(sample.labels, DenseCells(cells), n=np.asarray(sample.n))

    def units(self, kernel: Kernel, power: float) -> tuple[Floats, Floats]:
        """a and b of each sampling unit (systems × units): the error is a sum of a − λ·b."""
        rows, table = self._at(power), self._row[1]
        psi = self.judged.labels * rows.influences([kernel])[0]
        psi = centred(psi, self._rows.weight, table, 3)
        signs = np.array([[1.0, 0, 0], [0, 1, -1]])
        a, b = (self._in_units(psi * sign[table]) for sign in signs)
        return a, b

    def _in_units(self, psi: Floats) -> Floats:
        """Influences of rows added up over the items, or the clusters, of all three tables."""
        rows, unit = self._rows, self._row[0]
        if rows.cluster is not None:
            return grouped(psi * rows.weight, rows.cluster, int(rows.cluster.max()) + 1)
        return grouped(rows.unit_influences(psi), unit, int(unit.max()) + 1)

    def power(self, kernel: Kernel) -> float:
        """The best λ of a metric for all systems together.

        0 if it makes a margin negative, or a class of the average is small among human labels.
        """
        table = self.judged.by_human().tables()
        if few_classes([(kernel, True)], table, table.counts_over(None, 0.0)).any():
            return 0.0
        a, b = self.units(kernel, 0.0)
        power = float(np.clip(divide((a * b).sum(), (b * b).sum()), 0.0, 1.0))
        c = self._at(power).counts
        parts = (c.correct, c.false_positives, c.false_negatives, c.outside)
        return power if all(np.min(x) >= -1e-9 for x in parts) else 0.0

    def corrected(self, kernel: Kernel, power: float) -> Correction:
        """The metric at λ."""
        (value,) = self._at(power).views([kernel]).values([kernel])
        alone, (a, b) = self.units(kernel, 0.0)[0], self.units(kernel, power)
        units = a - power * b
        error, human = (np.sqrt((x**2).sum(axis=-1)) for x in (units, alone))
        share = divide(error, human, np.nan)
        return Correction(power, np.reshape(value, -1), share, units, alone)

    def sampled_alike(self) -> float:
        """p of the hypothesis that the judge's labels of labelled and other items have one mix.

        A score test: differences of shares against their covariance at the common mix.
        """
        from scipy.special import chdtrc

        rows, sign = self._rows, np.array([0.0, 1.0, -1.0])[self._row[1]]
        present, code = np.unique(np.where(sign, rows.true, -1), return_inverse=True)
        present = present[present >= 0]
        if len(present) < 2 or (sign >= 0).all():
            return 1.0
        indicator = (code == np.arange(1, len(present))[:, None]).astype(np.float64)
        difference = (indicator * rows.weight * sign).sum(axis=1)
        common = indicator - (indicator * rows.weight).sum(axis=1, keepdims=True) / 2
        u = self._in_units(common * sign)
        statistic = difference @ np.linalg.pinv(u @ u.T) @ difference
        return float(chdtrc(len(present) - 1, statistic))


class JudgedScore(Record):
    """What a judge and the human labels say alone of a metric that is corrected.

    ``power`` is λ, the weight of the judge's labels, and ``effective_labels`` the number of human
    labels that would be as good.
    """

    judge: Interval
    human: Interval
    power: float
    effective_labels: float


JUDGED = (
    f"judge?=judged.judge({ENDS}) human?=judged.human({ENDS}) lambda?=judged.power "
    "effective_labels?=judged.effective_labels"
)
"""What the JSON of a corrected number has besides."""


class JudgedInterval(Interval, kw_only=True):
    """A number with its interval, and what a judge and the human labels say alone, if asked."""

    json_fields: ClassVar[str] = f"{MEASURED} {JUDGED}"

    judged: JudgedScore | None = None


def limits(
    human: Interval, correction: Correction, kernel: Kernel, system: int = 0
) -> tuple[float, float, float]:
    """Standard error and ends of a corrected metric, from the interval by human labels alone.

    The error is that interval's, times the share that is left of it; where the metric is bounded,
    the ends are Wilson's at the effective sample size, as many times wider as that interval is.
    """
    assert human.se is not None and human.low is not None and human.level is not None
    value, z = np.asarray(correction.value[system]), critical_value(human.level)
    se, scale = human.se * float(correction.share[system]), interval_scale("score", kernel)
    wider = np.ones(())
    if scale and human.high is not None:
        own = interval_around(np.asarray(human.value), np.asarray(human.se), z, kernel, scale)
        wider = divide(np.asarray(human.high - human.low), own[1] - own[0], 1.0)
    low, high = interval_around(value, se * wider, z, kernel, scale)
    return se, low.item(), high.item()


# What verbs do with a judge.

BY_RATES = (
    "systems that are related to a judge cannot be compared by its error rates alone: {} is for "
    "score, of one system, or label some of the items for {}"
)


def judged_of(arguments: VerbArguments, options: JudgeOptions) -> JudgedSample | None:
    """The data with the judge's labels as truth and the human labels as one more system, if any."""
    if options.judge_table is not None and arguments.verb != "score":
        raise InputError(BY_RATES.format("judge_table", "judge="))
    if arguments.data and isinstance(arguments.data[0], JudgedSample):
        return arguments.data[0]
    verb, judge, probability = arguments.verb, options.judge, options.label_probability
    if judge is None:
        if probability is not None:
            raise InputError("label_probability goes with judge=")
        return None
    if probability is not None:
        if arguments.weights is not None:
            raise InputError("label_probability goes without weights: both weigh items")
        arguments = replace(arguments, weights=probability)
    if arguments.of_frame:
        pred = [arguments.pred] if isinstance(arguments.pred, str) else list(arguments.pred or ())
        arguments = replace(arguments, true=judge, pred=[*pred, str(arguments.true)])
    else:
        data = arguments.positional
        if len(data) < 2 or (verb == "score" and len(data) > 2):
            raise InputError(f"{verb} with judge= takes human labels and predictions, or a frame")
        one = len(data) == 2 and not isinstance(data[1], Mapping) and not by_column(*data)
        systems = {"system": data[1]} if one else dict(by_name(arguments, data))
        named = (judge, {**systems, HUMAN_LABELS: data[0]})
        arguments = replace(arguments, data=named, y_true=None, y_pred=None)
    sample = system_of(arguments, items=True)
    one = len(getattr(sample, "systems", ())) == 2
    if not isinstance(sample, Sample) or (one != (verb == "score") and verb != "plan"):
        raise InputError(f"{verb} with judge= takes labels, one true and one predicted an item")
    return JudgedSample(sample, designed=probability is not None)


def judged_warnings(judged: JudgedSample, rows: JudgedRows) -> Iterable[ResultWarning]:
    """Refuse what no judge can correct; too few human labels, and those of other items."""
    if len(judged.sample.slices) > 1 and len(judged.slices) == 1:
        raise InputError(
            f"all human labels are of one slice, {judged.slices[0][0]!r}, and tell nothing of the "
            "others: score that slice alone, or label items of each"
        )
    if not 0 < judged.labels < judged.sample.n:
        which = "every item has" if judged.labels else "no item has"
        raise InputError(f"with a judge some items must have a human label, not all: {which} one")
    if judged.labels < ENOUGH_LABELS:
        yield FewHumanLabels(judged.labels, ENOUGH_LABELS)
    if not judged.designed and (p := rows.sampled_alike()) < DOUBTFUL:
        yield UnlikeSample(p)


def judged_data(
    arguments: VerbArguments, options: Any, read: Callable[..., Any]
) -> tuple[Any, JudgedSample | None, list[ResultWarning]]:
    """What is ``read``; with a judge the items with human labels, and what warns of these."""
    if (judged := judged_of(arguments, options)) is None:
        return read(arguments, soft=True), None, []
    warnings = judged_warnings(judged, judged_rows(judged, options.binding))
    return judged.by_human(sliced=True), judged, list(warnings)


def judged_rows(judged: JudgedSample, binding: Any) -> JudgedRows:
    """The rows of all tables; the twins' λ is that of macro F1 over the classes of people."""
    return JudgedRows(judged, bind("macro_f1", judged.by_human().tables(), **binding))


def human_alone(metrics: Iterable[tuple[str, JudgedScore | None]]) -> list[ResultWarning]:
    """A warning of the metrics that are by human labels alone."""
    names = dict.fromkeys(name for name, x in metrics if x is not None and not x.power)
    return [HumanAlone(tuple(names))] * bool(names)


def corrected_pairs(
    judged: JudgedSample,
    kernels: list[Kernel],
    values: list[Floats],
    pairs: list[tuple[int, int]],
    level: float,
    binding: Any,
) -> tuple[list[Floats], list[ScoreCovariance], list[JudgedScore]]:
    """The scores of each metric, corrected, and how they vary together; ``values`` are by humans.

    With what is said of each pair on each metric alone, pair by pair.
    """
    intervals = partial(PairIntervals.from_scores, kernels=kernels, pairs=pairs, level=level)
    human, cheap = judged.by_human(), judged.by_judge()
    covariances = list(score_covariances(rows_of(human), kernels))
    scores = [np.asarray(v, np.float64) for v in values_of(kernels, cheap.tables())]
    judge = intervals(scores, list(score_covariances(rows_of(cheap), kernels)))
    alone, values, powers = intervals(values, covariances), list(values), list[float]()
    for m, correction in enumerate(map(judged_rows(judged, binding).correction, kernels)):
        powers.append(0.0 if correction is None else correction.power)
        if correction is not None:
            values[m], covariances[m] = correction.value, correction.covariance(covariances[m])
    corrected = intervals(values, covariances)
    rows = zip(judge, alone, corrected, cycle(powers), strict=False)
    shares = ((c.se / h.se if c.se and h.se else 1.0, j, h, power) for j, h, c, power in rows)
    each = [JudgedScore(j, h, power, judged.labels / share**2) for share, j, h, power in shares]
    return values, covariances, each
