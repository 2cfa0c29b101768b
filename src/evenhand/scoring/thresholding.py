"""Thresholds: what every threshold on one class's probability does to the scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.catalogue.lists import ONE_CLASS
from evenhand.catalogue.naming import AnyMetric, Metrics, named, several
from evenhand.catalogue.policy import Undefined, policy
from evenhand.catalogue.spelling import Spec
from evenhand.catalogue.titles import brief
from evenhand.count.given import Given, soft_of
from evenhand.count.probabilities import labelled
from evenhand.errors import InputError
from evenhand.infer.delta import rows_error
from evenhand.infer.design import Floats
from evenhand.infer.few import few_clusters, too_few
from evenhand.infer.gradients import NoGradientError
from evenhand.infer.interval import Estimate
from evenhand.infer.rows import rows_of
from evenhand.infer.settings import Settings
from evenhand.infer.thresholds import Deciding
from evenhand.notes.curve import Curve
from evenhand.notes.interval import Interval, known
from evenhand.notes.note import Note
from evenhand.notes.sure import ChosenHere, UnknownOptimism
from evenhand.results.cells import Cell, Exact, Sure
from evenhand.results.content import Block, Content, Pictures, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.result import Collection, Result
from evenhand.results.sentence import called
from evenhand.results.text import counted, number, shortened
from evenhand.scoring.at_thresholds import AtThresholds
from evenhand.scoring.content import ARGMAX
from evenhand.signature.build import signature_of
from evenhand.signature.line import Signature
from evenhand.tables.confusion import Classes
from evenhand.tables.labels import Label, positions, rule_or_list
from evenhand.tables.sample import Sample

GRID = np.arange(101) / 100
"""Round thresholds, at which curves are drawn."""
ROUND = 20
"""Rows of a table of thresholds; of more, every tenth of the way is shown."""
INTERVALS = ("auto", "delta", None)


def thresholds(
    *data: Any,
    label: Any,
    by_metric: AnyMetric = "macro_f1",
    metrics: Metrics | None = None,
    at: Iterable[float] | None = None,
    classes: Classes = "task",
    undefined: Undefined = 0,
    interval: str | None = "auto",
    level: float = 0.95,
    seed: int = 0,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    cluster: Any = None,
) -> Thresholds:
    """Scores against the threshold from which on ``label`` is predicted, and the best threshold.

    The data are a sample with probabilities, or true labels and items × ``labels`` probabilities.
    Below the threshold an item is the most probable of the other classes, as
    ``SoftSample.decided`` has it. ``by_metric`` says what is best, over every threshold there is;
    ``metrics`` are the curves, by default that and precision, recall and F1 of the class, ``at``
    their thresholds, by default 0, 0.01 … 1.

    A threshold chosen on some items looks better there than elsewhere. ``expected`` is what new
    items can be expected to give: each item is decided by the threshold that is best for the other
    nine tenths of them, 20 times over (fewer beyond 20,000 items); clusters stay whole.

    >>> found = thresholds([0, 0, 1, 1], [[.9, .1], [.7, .3], [.6, .4], [.2, .8]],
    ...                    labels=[0, 1], label=1)
    >>> found.best, found.chosen["macro_f1"].value, found.argmax["macro_f1"].value
    (0.4, 1.0, 0.7333333333333334)
    """
    sample = soft_of(Given("thresholds", data, labels=labels, weights=weights, cluster=cluster))
    if interval not in INTERVALS:
        raise InputError(
            f"interval of thresholds must be 'auto', 'delta' or None, got {interval!r}"
        )
    (j,) = positions([label], sample.labels, "label")
    if sample.k < 2:
        raise InputError(f"a threshold needs another class to decide for, got {label!r} alone")
    own = [Spec(m, label=str(sample.labels[j])) for m in ONE_CLASS]
    pairs = named([by_metric, *several(metrics, lambda: own, or_none=True)])
    how = None if interval is None else Settings(interval, level)
    ask = AtThresholds(pairs, rule_or_list(classes), policy(undefined), how)
    deciding = Deciding.of(sample, j)
    usual = sample.probability[0].argmax(axis=1)
    kernel = ask.searched(labelled(sample, ("argmax",), usual[:, None]))
    best = deciding.best(kernel)
    if best is None:
        raise InputError(f"{kernel.name} has no value at any threshold, so none is best")
    folds = deciding.crossfitted(kernel, seed)
    columns = [usual, deciding.at(np.array([best]))[:, 0]]
    columns += [] if folds is None else [*folds.T]
    systems = tuple(map(str, range(len(columns))))
    decided = labelled(sample, systems, np.stack(columns, axis=1))
    found = ask.sure(decided)
    argmax, chosen = ({n: e.at(i) for n, e in found.items()} for i in (0, 1))
    lead = next(iter(found))
    expected = None if folds is None else _mean(found[lead], slice(2, None))
    optimism = None if expected is None else _optimism(decided, found[lead])
    shown = GRID if at is None else _checked(at)
    table = decided.tables()[1]
    signed = "none" if how is None else str(how.signed(decided))
    place = (sample.labels[j], best, lead)
    notes: list[Note] = [UnknownOptimism(*place)]
    if expected is not None and optimism is not None:
        there = (chosen[lead].value, expected.value, optimism.value)
        notes = [ChosenHere(*place, *there, se=optimism.se)]
    if how is not None:
        notes += few_clusters(sample.cluster)
        notes += too_few((e.kernel.at(1) for e in found.values()), table)
    return Thresholds(
        signature=signature_of(table, classes=ask.classes, undefined=ask.worth, interval=signed),
        n=sample.n,
        label=sample.labels[j],
        metric=lead,
        best=best,
        chosen=chosen,
        argmax=argmax,
        expected=expected,
        optimism=optimism,
        thresholds=tuple(shown.tolist()),
        curves=ask.curves(sample, deciding, shown),
        level=None if how is None else level,
        cautions=tuple(notes),
    )


def _mean(found: Estimate, which: slice) -> Interval:
    """One number of several cuttings into folds, each of the same items: no surer than one."""
    value, se, low, high = (
        float(x[which].mean()) for x in (found.value, found.se, found.low, found.high)
    )
    if np.isnan(low):
        return Interval(value)
    method = found.method[which][0]
    return Interval(value, known(se), low, known(high), found.level, method)


def _optimism(decided: Sample, found: Estimate) -> Interval:
    """What the choice adds to a metric: at the best threshold, less what is expected elsewhere.

    Its error is that of the difference on the same items, and that of cutting them up by chance.
    """
    value, repeats = found.value, found.value[2:]
    record = found.kernel.record
    sign = -1.0 if record is not None and record.better == "lower" else 1.0
    gap = sign * float(value[1] - repeats.mean())
    rows = rows_of(decided)
    try:
        (psi,) = rows.influences([found.kernel])
        error = float(rows_error(rows, psi[1] - psi[2:].mean(axis=0))[0])
    except (NoGradientError, InputError):  # one cluster has no error either
        return Interval(gap)
    chance = 0.0 if len(repeats) < 2 else float(repeats.std(ddof=1)) / np.sqrt(len(repeats))
    return Interval(gap, known(np.hypot(error, chance)))


def _checked(at: Iterable[float]) -> Floats:
    try:
        found = np.array(sorted(at), np.float64)
    except (TypeError, ValueError):
        found = np.array([np.nan])
    if not len(found) or not np.all((found >= 0) & (found <= 1)):
        raise InputError(f"thresholds must be numbers from 0 to 1, got {shortened(repr(at), 60)}")
    return found


@dataclass(frozen=True, eq=False, repr=False)
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
    cautions: tuple[Note, ...] = ()

    told = ("signature", "n", "label", "metric", "level", "best", "chosen", "argmax", "expected",
            "optimism", "thresholds", "curves")  # fmt: skip
    of_metrics = True

    @property
    def parts(self) -> Mapping[str, Curve]:
        """The curve of each metric."""
        return self.curves

    def content(self) -> Content:
        """The best threshold and what to expect of it, beside the usual decision; the curves."""
        title = f"{counted(self.n, 'item')}; {self._label} from a threshold on, else the most "
        title += "probable of the others"
        blocks: list[Block] = [Words(self.headline, "verdict"), self.sheet, *self._along()]
        return Content(title, blocks, self._data, str(self.signature), self.warnings)

    @property
    def _label(self) -> str:
        return shortened(repr(self.label), 40)

    @property
    def headline(self) -> str:
        """What it comes to, in a sentence."""
        here, usual = self.chosen[self.metric], self.argmax[self.metric]
        said = f"{brief(self.metric)} is best with {self._label} from {self.best:g} on: "
        said += f"{number(here.value)} here"
        if self.expected is not None:
            said += f", {Sure(self.expected).text(4)} to be expected of new items"
        return f"{said}; {number(usual.value)} with the {ARGMAX}"

    @property
    def sheet(self) -> Sheet:
        """Every metric at the best threshold, beside the most probable classes."""
        head = ["metric", ARGMAX, f"from {self.best:g} on, chosen here"]
        rows: list[list[Cell]] = [
            [name, Sure(usual), Sure(self.chosen[name])] for name, usual in self.argmax.items()
        ]
        if self.expected is not None:
            head.append("of new items")
            for row in rows:
                row.append(Sure(self.expected) if row[0] == self.metric else "")
        return Sheet(Grid(head, rows), f"The best threshold by {called(self.metric)}")

    def _along(self) -> Iterable[Block]:
        step = 1 if len(self.thresholds) <= ROUND else (len(self.thresholds) - 1) // 10
        rows: list[list[Cell]] = [
            [Exact(t), *(c.value[i] for c in self.curves.values())]
            for i, t in enumerate(self.thresholds)
            if not i % step
        ]
        yield Sheet(Grid(["threshold", *self.curves], rows), "Scores by threshold")
        if step > 1:
            many = counted(len(self.thresholds), "threshold")
            yield Words(f"{many} were computed; CSV has all of them, with intervals.", "note")
        yield Pictures([self._chart])

    def _chart(self) -> Any:
        from evenhand.scoring.threshold_chart import thresholds

        return thresholds(self)

    def _data(self) -> Grid:
        """Every number, one a row; the decisions first."""
        head = ["decision", "metric", "threshold", "value", "se", "low", "high"]
        rows: list[list[Cell]] = []
        for said, at, scores in (("argmax", None, self.argmax), ("best", self.best, self.chosen)):
            rows += [[said, m, at, s.value, s.se, s.low, s.high] for m, s in scores.items()]
        for said, s in (("expected", self.expected), ("optimism", self.optimism)):
            rows += [] if s is None else [[said, self.metric, None, s.value, s.se, s.low, s.high]]
        for metric, c in self.curves.items():
            points = zip(self.thresholds, c.value, c.low, c.high, strict=True)
            rows += [["curve", metric, t, value, None, *ends] for t, value, *ends in points]
        return Grid(head, rows)
