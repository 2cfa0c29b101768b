"""Drift: has the class mix of live data changed by more than an alert allows?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from evenhand.catalogue.binding import bind_all, values_of
from evenhand.catalogue.footnote import footnote
from evenhand.catalogue.lists import leading
from evenhand.catalogue.signature import Signature
from evenhand.catalogue.spelling import called
from evenhand.data.arguments import VerbArguments, verb
from evenhand.data.labels import Label
from evenhand.errors import InputError
from evenhand.inference.rows import Floats
from evenhand.options import DriftOptions, PrevalenceOptions
from evenhand.records import Interval, Intervals, Method, by
from evenhand.results.document import Block, Content, FactList, Heading, Paragraph, Table
from evenhand.results.result import Collection, Entry, Result
from evenhand.shift.estimation import MISFIT_P, NO_PROOF, PrevalenceEstimate, estimated
from evenhand.shift.extrapolation import ASSUMED, SHOWN_CLASSES
from evenhand.text import Grid, MetricName, counted, level_text, number, points, shortened
from evenhand.warnings import ResultWarning

Verdict: TypeAlias = Literal["changed", "more than the mix changed", "unchanged", "unclear"]
HEADLINES = ("macro_f1", "f1_of_averages", "accuracy", "macro_recall", "mcc")
"""Metrics whose change is told where none is named."""
COLUMNS = "reference, live, change=value, low, high"
"""What is shown of a class."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ClassDrift(Entry, Interval):
    """How far the share of a class has moved, live less reference.

    The intervals of all classes hold together at the level.

    >>> import evenhand as eh
    >>> drift = eh.shift.drift([[80, 20], [10, 90]], {0: 310, 1: 690}, alert=0.02)
    >>> drift[0].reference, round(drift[0].live, 6)
    (0.5, 0.3)
    """

    json_fields = "label reference live change low high"

    label: Label
    reference: float
    live: float

    @property
    def change(self) -> float:
        """The share in the live data less that in the reference."""
        return self.value


@dataclass(frozen=True, eq=False, repr=False)
class Drift(Collection[Label, ClassDrift], Result):
    """Whether live data have drifted from labelled ones, which class moved most, and what it does.

    ``verdict`` is "changed" if the share of some class is shown to have moved by more than the
    ``alert``, "unchanged" if none is shown to have moved so far, "more than the mix changed" if no
    mix explains the predictions, else "unclear"; ``alarm`` is what to assert on.

    >>> import evenhand as eh
    >>> drift = eh.shift.drift([[80, 20], [10, 90]], {0: 310, 1: 690}, alert=0.02)
    >>> drift.verdict, drift.alarm
    ('changed', True)
    """

    alert: float
    estimate: PrevalenceEstimate
    classes: tuple[ClassDrift, ...]
    observed: dict[str, float]
    cautions: tuple[ResultWarning, ...] = ()

    drawn_by = "shift.charts.mixes"

    @property
    def parts(self) -> dict[Label, ClassDrift]:
        """The change of each class."""
        return {c.label: c for c in self.classes}

    @property
    def signature(self) -> Signature:
        """Of the expected scores."""
        return self.estimate.signature

    @property
    def most(self) -> ClassDrift:
        """The class that moved most; of two that moved alike, the rarer one."""
        return max(self.classes, key=lambda c: (round(abs(c.value), 9), -c.reference))

    @property
    def verdict(self) -> Verdict:
        """What is shown of the class mix."""
        p, alert = self.estimate.fit.p, self.alert
        if p is not None and p < MISFIT_P:
            return "more than the mix changed"
        ends = [(c.low, c.high) for c in self.classes if c.low is not None and c.high is not None]
        if any(low > alert or high < -alert for low, high in ends):
            return "changed"
        within = sum(-alert <= low and high <= alert for low, high in ends)
        return "unchanged" if within == len(self.classes) else "unclear"

    @property
    def alarm(self) -> bool:
        """Whether something is shown to have changed."""
        return self.verdict in ("changed", "more than the mix changed")

    @property
    def message(self) -> str:
        """The verdict in one line, with the class that moved most and what it does."""
        c, metric = self.most, leading(self.observed)
        label, alert = shortened(repr(c.label), 40), points(self.alert)
        head = {
            "changed": f"the class mix has changed by more than {alert}",
            "unchanged": f"no class has moved by more than {alert}",
            "unclear": f"too few items to say whether a class has moved by more than {alert}",
            "more than the mix changed": "no class mix explains the live predictions: more than "
            "the mix has changed, and the numbers below are not to be trusted",
        }[self.verdict]
        ends = "" if c.low is None else f" [{_signed(c.low)}, {_signed(c.high or 0.0)}]"
        after = self.estimate.metrics[metric].value
        return (
            f"{self.verdict}: {head}; {label} moved most, from {number(c.reference, 3)} to "
            f"{number(c.live, 3)} ({_signed(c.value)}{ends} points); {called(metric)} "
            f"{number(self.observed[metric], 3)} → {number(after, 3)}"
        )

    def to_json_object(self) -> dict[str, Any]:
        """What ``evenhand shift --unlabelled --alert --format json`` prints."""
        e = self.estimate
        scores = {
            name: {"observed": value, "expected": e.metrics[name].measured()}
            for name, value in self.observed.items()
        }
        return {
            **self.select("verdict alarm message alert"),
            "most": self.most.label,
            **e.select("signature n n_unlabelled labels method level replicates temperature"),
            **self.select("classes"),
            "metrics": scores,
            "fit": vars(e.fit),
        }

    def content(self) -> Content:
        """The verdict, the classes, the metrics, and what it rests on."""
        e = self.estimate
        new = "shares" if e.n_unlabelled is None else f"{e.n_unlabelled:,} live"
        title = f"{counted(e.n, 'reference item')}, {new}, alert at {points(self.alert)}"
        head = f"{level_text(e.level)} interval of every change, together"
        classes = Grid.from_records(self.classes, f"class=label:text, {COLUMNS}")
        after = ((e.metrics[n], n, v) for n, v in self.observed.items())
        rows = [[MetricName(n), v, x.value, x.low, x.high] for x, n, v in after]
        blocks: list[Block] = [
            Paragraph(self.message, "verdict"),
            Heading("Class mix"),
            Table(classes, head, most=SHOWN_CLASSES, rows="classes"),
            Heading("What it does to the scores"),
            Table(Grid(["metric", "reference", "expected", "low", "high"], rows)),
            FactList([("only the mix?", e._fit_text(e.fit))]),
            Paragraph(f"{ASSUMED} {NO_PROOF}", "note"),
        ]
        note = footnote(self.signature, metric=leading(self.observed))
        return self.described(title, blocks, self._data, footnote=note)

    def _data(self) -> Grid:
        return Grid.from_records(self.classes, f"label:text, {COLUMNS}")


def _signed(x: float) -> str:
    return f"{'+' * (x > 0)}{number(100 * x, 1)}"


@verb(DriftOptions, without=("by", "by_row"))
def drift(arguments: VerbArguments, options: DriftOptions) -> Drift:
    """Say whether the class mix of live data has moved from that of labelled ones.

    The reference is the labelled data of one system in any form; last come the ``live``
    predictions, as ``estimate_prevalence`` takes them: labels, class probabilities, or counts by
    label. It alarms if some class's share is shown to have moved by more than the ``alert`` at the
    ``level``, all classes together (max-t over the bootstrap of both samples), or if no class mix
    explains the live predictions. ``method`` and ``trained_on`` are those of
    ``estimate_prevalence``. Drift inside classes that keeps the predictions as they would be
    cannot be seen without labels.

    >>> print(drift([[80, 20], [10, 90]], {0: 310, 1: 690}, alert=0.02).message)
    changed: the class mix has changed by more than 2.0 points; 0 moved most, from 0.500 to 0.300 \
(−20.0 [−31.2, −8.8] points); macro F1 0.850 → 0.847
    """
    *reference, live = arguments.positional or (None,)
    if not reference:
        raise InputError("drift takes the labelled data and then the live predictions")
    arguments = replace(arguments, data=tuple(reference), y_true=None, y_pred=None)
    shared = {name: getattr(options, name) for name in vars(options) if name != "alert"}
    shared["metrics"] = HEADLINES if options.metrics is None else options.metrics
    estimation = PrevalenceOptions(predicted=live, **shared)
    estimate, problem, mixes, table = estimated(arguments, estimation)
    kernels = bind_all(list(estimate.metrics), table, **options.binding)
    values = [float(v) for v in values_of(kernels, table)]
    return Drift(
        alert=options.alert,
        estimate=estimate,
        classes=_changes(estimate, mixes, problem.labelled),
        observed=dict(zip(estimate.metrics, values, strict=True)),
        cautions=estimate.cautions,
    )


def _changes(
    estimate: PrevalenceEstimate, live: Floats, reference: Floats
) -> tuple[ClassDrift, ...]:
    """Each class's change with an interval, all of which hold together: max-t (Hothorn 2008)."""
    point, draws = (live - reference)[0], (live - reference)[1:]
    half = np.zeros(len(point))
    if len(draws) > 1:
        error = draws.std(axis=0, ddof=1)
        apart = np.abs(draws - point) / np.where(error > 0, error, 1.0)
        half = error * float(np.quantile(apart.max(axis=1), estimate.level))
    low, high = np.where(half > 0, np.clip([point - half, point + half], -1, 1), np.nan)
    method = by(Method("bootstrap"), point)
    each = Intervals(point, np.full_like(point, np.nan), low, high, method, estimate.level)
    columns = zip(each, estimate.labels, reference[0].tolist(), live[0].tolist(), strict=True)
    return tuple(
        ClassDrift(**vars(interval), label=label, reference=before, live=after)
        for interval, label, before, after in columns
    )
