"""Scores at every threshold on the probability of a class, and the best threshold.

The best threshold for the items themselves is optimistic: cross-fitting decides each item by a
threshold chosen on the other folds (Stone 1974). A bootstrap would underestimate the optimism, as
items drawn twice are in both parts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evenhand.catalogue.binding import bind, bind_all, refuse_cells
from evenhand.catalogue.lists import ONE_CLASS, named, several
from evenhand.catalogue.signature import Signature, signature_of
from evenhand.catalogue.spelling import Spec, brief, called
from evenhand.core.arrays import Array
from evenhand.core.kernel import OBSERVED, Kernel, TableViews, margins_along
from evenhand.core.margins import Counts, factors
from evenhand.data.arguments import VerbArguments, refuse_empty, soft_of, verb
from evenhand.data.counting import sorted_numbers
from evenhand.data.labels import Label, positions
from evenhand.data.sample import Sample, SoftSample
from evenhand.errors import InputError
from evenhand.inference.delta import few_clusters, small_class_warnings
from evenhand.inference.intervals import Estimate, IntervalSettings, estimates
from evenhand.inference.rows import Codes, Floats, NoGradientError, rows_of
from evenhand.options import Classes, ThresholdsOptions
from evenhand.records import Curve, Interval, known
from evenhand.results.document import Block, Content, Paragraph, Table
from evenhand.results.result import Collection, Result
from evenhand.text import (
    Cell,
    ExactCell,
    Grid,
    IntervalCell,
    counted,
    measured_cells,
    number,
    shortened,
)
from evenhand.warnings import ChosenHere, ResultWarning

# Decisions by a threshold.

SCORED_AT_ONCE = 1 << 22
"""Thresholds × classes that are scored at once, to bound memory."""

FOLDS = 10
REPEATS = 20
"""Random partitions into folds."""
WORK = 400_000
"""Items × repeats beyond which there are fewer repeats."""


@dataclass(frozen=True, eq=False)
class ThresholdDecision:
    """The probability of one class for each item, the best other class, and every threshold.

    ``values`` are the distinct thresholds, from 1 down, and ``place`` is the index of the first at
    which an item is decided for the class.
    """

    sample: SoftSample
    label: int
    probability: Floats
    other: Codes
    values: Floats
    place: Codes

    @classmethod
    def from_sample(cls, sample: SoftSample, label: int) -> ThresholdDecision:
        """The items of a sample's first system."""
        p = sample.probability[0]
        other = np.where(np.arange(sample.k) == label, -np.inf, p).argmax(axis=1)
        own, highest = p[:, label], p[:, label].max()
        if not sample.only_scores:
            own, highest = np.minimum(own, 1.0), 1.0  # rounding may leave a little more
        rising, place = np.unique(np.append(own, highest), return_inverse=True)
        return cls(sample, label, own, other, rising[::-1], len(rising) - 1 - place[:-1])

    @property
    def weight(self) -> Floats:
        """What each item weighs."""
        sample = self.sample
        return np.ones(sample.n, np.int64) if sample.weight is None else sample.weight

    @property
    def grid(self) -> Floats:
        """A hundred round steps from the lowest threshold to the highest."""
        high, low = self.values[0], self.values[-1]
        digits = 3 - math.floor(math.log10(high - low)) if high > low else 0
        return np.unique(np.round(np.linspace(low, high, 101), digits))

    def at(self, thresholds: Floats) -> Codes:
        """Items × thresholds: the class that each item is decided for."""
        yes = self.probability[:, None] >= thresholds
        return np.where(yes, self.label, self.other[:, None])

    def scored(self, kernels: Sequence[Kernel], weight: Floats | None = None) -> list[Floats]:
        """Each metric at every threshold, with the items' weights or others."""
        refuse_cells(kernels)
        weight, true, k = self.weight if weight is None else weight, self.sample.true, self.sample.k
        prevalence = np.bincount(true, weight, minlength=k)
        chunk, parts = max(1, SCORED_AT_ONCE // k), []
        for start in range(0, len(self.values), chunk):
            tables: dict[bytes, Counts] = {}
            place = np.maximum(self.place - start, 0)
            size = min(chunk, len(self.values) - start)
            shape = {"label": self.label, "k": k, "size": size}
            for view, kernel in {k.view: k for k in kernels}.items():
                own = weight
                if view != OBSERVED:
                    own = weight * factors(prevalence, kernel.target)[true]
                tables[view] = margins_along(true, self.other, place, own, **shape)
            parts.append(TableViews(tables).values(kernels))
        return [np.concatenate(metric) for metric in zip(*parts, strict=True)]

    def best(
        self, kernel: Kernel, weight: Floats | None = None, *, rounded: bool = True
    ) -> float | None:
        """The threshold at which the metric is best, the highest of several.

        Of the thresholds between two items it is the middle, or one with few digits near it.
        ``None`` if the metric is undefined everywhere.
        """
        (value,) = self.scored([kernel], weight)
        sign = -1.0 if kernel.record.better == "lower" else 1.0
        value = np.where(np.isnan(value), -np.inf, sign * value)
        at = int(value.argmax())
        if value[at] == -np.inf:
            return None
        there = self.place if weight is None else self.place[weight > 0]
        after = there[there > at]
        if not rounded:
            return float(self.values[after.min()] + self.values[at]) / 2 if len(after) else -np.inf
        lowest = self.values[-1] - 1 if self.values[-1] < 0 else 0.0
        low = self.values[after.min()] if len(after) else lowest
        return roundest(float(low), float(self.values[at]))

    def folds(self, rng: np.random.Generator) -> Codes:
        """A fold for each item: classes are spread evenly, clusters are not split."""
        n = self.sample.n
        if self.sample.cluster is not None:
            _, cluster = np.unique(self.sample.cluster, return_inverse=True)
            return np.asarray((rng.permutation(int(cluster.max()) + 1) % FOLDS)[cluster])
        fold = np.empty(n, np.int64)
        fold[np.lexsort((rng.random(n), self.sample.true))] = np.arange(n) % FOLDS
        return fold

    def crossfitted(self, kernel: Kernel, seed: int) -> Codes | None:
        """Items × repeats: decisions by the threshold that is best for the other folds.

        ``None`` if some folds have no best threshold, or all items are in one.
        """
        rng, n = np.random.default_rng(seed), self.sample.n
        repeats = min(REPEATS, max(1, WORK // n))
        decisions = np.empty((n, repeats), np.int64)
        for column in decisions.T:
            fold = self.folds(rng)
            for f in np.unique(fold):
                inside = fold == f
                others = self.weight * ~inside
                chosen = None if inside.all() else self.best(kernel, others, rounded=False)
                if chosen is None:
                    return None
                yes = self.probability[inside] >= chosen
                column[inside] = np.where(yes, self.label, self.other[inside])
        return decisions


def roundest(low: float, high: float) -> float:
    """A number above ``low`` and up to ``high``, with as few digits as possible.

    >>> roundest(0.3127, 0.3582), roundest(0.5, 0.5001), roundest(0.2, 0.2)
    (0.34, 0.5001, 0.2)
    """
    middle = (low + high) / 2
    candidates = (round(x, digits) for digits in range(1, 18) for x in (middle, high))
    return next((x for x in candidates if low < x <= high), high)


# The verb.

BLOCK = 1 << 23
"""Rows × thresholds that are scored with intervals at once."""
GRID = np.arange(101) / 100
"""Round thresholds, at which curves are drawn."""
ROUND = 20
"""Rows of a table of thresholds; of more, every tenth of the way is shown."""


@verb(
    ThresholdsOptions,
    without=("y_true", "y_pred", "true", "pred", "by", "drop_null_truth", "by_row"),
)
def thresholds(arguments: VerbArguments, options: ThresholdsOptions) -> Thresholds:
    """Scores against the threshold from which on ``label`` is predicted, and the best threshold.

    The data are a sample with probabilities, or true labels and items × ``labels`` probabilities.
    Below the threshold an item is the most probable of the other classes, as
    ``SoftSample.decided`` has it. ``by_metric`` says what is best, over every threshold there is;
    ``metrics`` are the curves, by default that and precision, recall and F1 of the class, ``at``
    their thresholds, by default 0, 0.01 … 1.

    A threshold chosen on some items looks better there than elsewhere. ``expected`` is what new
    items can be expected to give: each item is decided by the threshold that is best for the other
    nine tenths of them, 20 times over (fewer beyond 20,000 items); clusters stay whole.

    >>> estimates = thresholds([0, 0, 1, 1], [[.9, .1], [.7, .3], [.6, .4], [.2, .8]],
    ...                    labels=[0, 1], label=1)
    >>> estimates.best, estimates.chosen["macro_f1"].value, estimates.argmax["macro_f1"].value
    (0.4, 1.0, 0.7333333333333334)
    """
    sample, settings = soft_of(arguments), IntervalSettings.from_options(options)
    (j,) = positions([options.label], sample.labels, "label")
    label = sample.labels[j]
    if sample.k < 2:
        raise InputError(f"a threshold needs another class to decide for, got {label!r} alone")
    own = [Spec(m, label=str(label)) for m in ONE_CLASS]
    specs = dict(named([options.by_metric, *several(options.metrics, lambda: own, or_none=True)]))

    def scored(decisions: Sample) -> dict[str, Estimate]:
        tables = decisions.tables()
        kernels = bind_all(specs.values(), tables, **options.binding)
        return dict(zip(specs, estimates(decisions, kernels, settings, tables), strict=True))

    deciding = ThresholdDecision.from_sample(sample, j)
    usual = sample.probability[0].argmax(axis=1)
    lead, spec = next(iter(specs.items()))
    table = sample.labelled(("argmax",), usual[:, None]).tables()[0]
    refuse_empty(table)
    kernel = _to_maximise(bind(spec, table, **options.binding), options.classes)
    best = deciding.best(kernel)
    if best is None:
        raise InputError(f"{lead} has no value at any threshold, so none is best")
    folds = deciding.crossfitted(kernel, options.seed)
    columns = [usual, deciding.at(np.array([best]))[:, 0], *([] if folds is None else folds.T)]
    systems = tuple(map(str, range(len(columns))))
    decided = sample.labelled(systems, np.stack(columns, axis=1))
    metrics = scored(decided)
    argmax, chosen = ({n: e.at(i) for n, e in metrics.items()} for i in (0, 1))
    expected, optimism, there = None, None, list[Any]()
    if folds is not None:
        expected, optimism = _mean(metrics[lead]), _optimism(decided, metrics[lead])
        there = [expected.value, optimism.value, optimism.se]
    notes: list[ResultWarning] = [ChosenHere(label, best, lead, chosen[lead].value, *there)]
    table = decided.tables()[1]
    if settings is not None:
        notes += few_clusters(sample)[0]
        notes += small_class_warnings((e.kernel.at(1) for e in metrics.values()), table)
    shown = deciding.grid if sample.only_scores else GRID
    if options.at is not None:
        shown = sorted_numbers(options.at, "thresholds", None if sample.only_scores else 1.0)
    # items that all of these thresholds decide alike are one row
    above = np.searchsorted(shown, deciding.probability, side="right")
    rows = sample.labelled(("other", "above"), np.stack([deciding.other, above], axis=1))
    size = max(1, BLOCK // len(rows.true))
    blocks = (range(i, min(i + size, len(shown))) for i in range(0, len(shown), size))
    parts = [scored(_at(rows, j, block)) for block in blocks]
    signed = "none" if settings is None else str(settings.signed(decided))
    return Thresholds(
        signature=signature_of(table, **options.binding, interval=signed),
        n=sample.n,
        label=label,
        metric=lead,
        best=best,
        chosen=chosen,
        argmax=argmax,
        expected=expected,
        optimism=optimism,
        thresholds=tuple(shown.tolist()),
        curves={n: Curve.joined(Curve.from_intervals(x[n]) for x in parts) for n in specs},
        level=None if settings is None else settings.level,
        cautions=tuple(notes),
    )


def _to_maximise(kernel: Kernel, classes: Classes) -> Kernel:
    """A metric over the classes that each decision has, where its rule is those seen."""
    if kernel.record.better == "neither":
        raise InputError(
            f"no value of {kernel.name} is better than another, so no threshold is best"
        )
    rule = kernel.record.classes or classes
    if rule != "seen" or not isinstance(classes, str) or kernel.record.of_one_class:
        return kernel

    def over_seen(c: Counts) -> Array:
        return kernel.function(c.over((c.prevalence > 0) | (c.bias > 0)))

    return replace(kernel, function=over_seen, averaged=None)


def _at(rows: Sample, label: int, at: range) -> Sample:
    """Rows of what an item else is and how many thresholds it reaches, as decided at some."""
    other, above = rows.pred.T
    pred = np.where(above[:, None] > np.array(at), label, other[:, None])
    missing = np.zeros(len(at), np.int64)
    return replace(rows, systems=tuple(map(str, at)), pred=pred, missing=missing)


def _mean(estimate: Estimate) -> Interval:
    """One number of several cuttings into folds, each of the same items: no surer than one."""
    columns = (estimate.value, estimate.se, estimate.low, estimate.high)
    value, se, low, high = (float(x[2:].mean()) for x in columns)
    if np.isnan(low):
        return Interval(value)
    return Interval(value, known(se), low, known(high), estimate.level, estimate.method[2])


def _optimism(decided: Sample, estimate: Estimate) -> Interval:
    """What the choice adds to a metric: at the best threshold, less what is expected elsewhere.

    Its error is that of the difference on the same items, and that of cutting them up by chance.
    """
    value, repeats = estimate.value, estimate.value[2:]
    sign = -1.0 if estimate.kernel.record.better == "lower" else 1.0
    gap = sign * float(value[1] - repeats.mean())
    rows = rows_of(decided)
    try:
        (psi,) = rows.influences([estimate.kernel])
        error = float(rows.standard_error(psi[1] - psi[2:].mean(axis=0)))
    except (NoGradientError, InputError):  # one cluster has no error either
        return Interval(gap)
    chance = 0.0 if len(repeats) < 2 else float(repeats.std(ddof=1)) / np.sqrt(len(repeats))
    return Interval(gap, known(np.hypot(error, chance)))


class Thresholds(Collection[str, Curve], Result):
    """Metrics against the threshold of a class, the best one, and what to expect of it.

    ``chosen`` are the scores at the threshold that is ``best`` by ``metric`` on these items,
    ``argmax`` those of the most probable classes. ``expected`` is the metric that new items can be
    expected to give, ``optimism`` how much less that is; both are ``None`` where the items are too
    few to leave some out.

    >>> import evenhand as eh
    >>> p = [[.9, .1], [.7, .3], [.6, .4], [.2, .8]]
    >>> found = eh.thresholds([0, 0, 1, 1], p, labels=[0, 1], label=1, at=[0.3, 0.5])
    >>> list(found), found["recall:label=1"].value
    (['macro_f1', 'precision:label=1', 'recall:label=1', 'f1:label=1'], (1.0, 0.5))
    """

    signature: Signature
    n: int
    label: Label
    metric: str
    best: float
    chosen: dict[str, Interval]
    argmax: dict[str, Interval]
    expected: Interval | None
    optimism: Interval | None
    thresholds: tuple[float, ...]
    curves: dict[str, Curve]
    level: float | None

    drawn_by = "scoring.charts.thresholds"
    parts_in = "curves"
    json_fields = """signature n label metric level best chosen argmax expected optimism thresholds
    curves"""
    of_metrics = True

    def content(self) -> Content:
        """The best threshold and what to expect of it, next to the usual decision; the curves."""
        title = f"{counted(self.n, 'item')}; {self._label} is predicted from a threshold on, else "
        title += "the most probable other class"
        blocks = [Paragraph(self.headline, "verdict"), self.sheet, *self._along()]
        return self.described(title, blocks, self._data)

    @property
    def _label(self) -> str:
        return shortened(repr(self.label), 40)

    @property
    def headline(self) -> str:
        """What it comes to, in a sentence."""
        here, usual = self.chosen[self.metric], self.argmax[self.metric]
        sentence = f"{brief(self.metric)} is best if {self._label} is predicted from {self.best:g} "
        sentence += f"on: {number(here.value)} here"
        if self.expected is not None:
            sentence += f", {IntervalCell(self.expected).text(4)} expected on new items"
        return f"{sentence}; {number(usual.value)} with the most probable class"

    @property
    def sheet(self) -> Table:
        """Every metric at the best threshold, next to the most probable classes."""
        head = ["metric", "most probable class", f"from {self.best:g} on, chosen here"]
        rows: list[list[Cell]] = [
            [name, IntervalCell(usual), IntervalCell(self.chosen[name])]
            for name, usual in self.argmax.items()
        ]
        if self.expected is not None:
            head.append("on new items")
            for name, row in zip(self.argmax, rows, strict=True):
                row.append(IntervalCell(self.expected) if name == self.metric else "")
        return Table(Grid(head, rows), f"The best threshold by {called(self.metric)}")

    def _along(self) -> Iterable[Block]:
        step = 1 if len(self.thresholds) <= ROUND else (len(self.thresholds) - 1) // 10
        points = zip(self.thresholds, *(c.value for c in self.curves.values()), strict=True)
        rows: list[list[Cell]] = [[ExactCell(t), *values] for t, *values in [*points][::step]]
        yield Table(Grid(["threshold", *self.curves], rows), "Scores by threshold")
        if step > 1:
            many = counted(len(self.thresholds), "threshold")
            yield Paragraph(f"{many} were computed; CSV has all of them, with intervals.", "note")
        yield self.picture

    def _data(self) -> Grid:
        """Every number, one a row; the decisions first."""
        decisions: list[tuple[str, str, float | None, Interval | None]] = [
            *(("argmax", m, None, s) for m, s in self.argmax.items()),
            *(("best", m, self.best, s) for m, s in self.chosen.items()),
            ("expected", self.metric, None, self.expected),
            ("optimism", self.metric, None, self.optimism),
        ]
        rows = [[*row, *measured_cells(s)[:-1]] for *row, s in decisions if s is not None]
        for metric, c in self.curves.items():
            points = zip(self.thresholds, c.value, c.low, c.high, strict=True)
            rows += [["curve", metric, t, value, None, *ends] for t, value, *ends in points]
        return Grid(["decision", "metric", "threshold", "value", "se", "low", "high"], rows)
