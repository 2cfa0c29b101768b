"""Estimate the class mix of new data from predictions alone, and the scores to expect there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evenhand.catalogue.binding import bind_all, refuse_cells
from evenhand.catalogue.lists import default_metrics
from evenhand.catalogue.naming import Metrics, named, several
from evenhand.catalogue.policy import Undefined, policy
from evenhand.count.given import Given
from evenhand.errors import InputError
from evenhand.infer.rates import rates_of
from evenhand.infer.rows import rows_of
from evenhand.infer.settings import Settings
from evenhand.notes.interval import Interval
from evenhand.notes.mix import Misfit
from evenhand.notes.note import Note
from evenhand.results.cells import Cell, Sure
from evenhand.results.content import Block, Content, Facts, Heading, Pictures, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.result import Collection, Result
from evenhand.results.sentence import leading
from evenhand.results.text import counted, level_text, number, p_words, shortened
from evenhand.shift.case import Case, chosen_method
from evenhand.shift.cautions import ASSUMED, SHOWN_CLASSES, table_notes
from evenhand.shift.expected import NewClass, metrics_at, new_classes
from evenhand.shift.findings import findings
from evenhand.shift.fit import UNTESTED, Fit
from evenhand.shift.one_system import one_system
from evenhand.shift.stated import Mix, target_of, written
from evenhand.shift.unlabelled import unlabelled
from evenhand.signature.build import signature_of
from evenhand.signature.footnote import footnote
from evenhand.signature.line import Signature
from evenhand.tables.confusion import Classes
from evenhand.tables.labels import Label, rule_or_list
from evenhand.tables.sample import SoftSample

METHOD_NAMES = {
    "adjusted": "adjusted count",
    "likelihood": "likelihood",
    "saerens": "Saerens",
    "stated": "stated",
}
MANY = 1000
"""Classes beyond which rates are not kept as a matrix."""


def estimate_prevalence(
    *data: Any,
    predicted: Any,
    method: str | None = None,
    to: Mix = None,
    trained_on: Mix = None,
    metrics: Metrics | None = None,
    classes: Classes = "task",
    undefined: Undefined = 0,
    distance: Any = None,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
    y_true: Any = None,
    y_pred: Any = None,
    true: str | None = None,
    pred: str | Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    cluster: Any = None,
    drop_null_truth: bool = False,
) -> PrevalenceEstimate:
    """The class mix of new data, from labelled data and what was ``predicted`` on the new ones.

    The labelled data are those of one system in any form. ``predicted`` are labels, class
    probabilities (items × classes), or a mapping of labels to counts or shares. The mix is
    estimated by adjusted count, by constrained maximum likelihood and, from probabilities, by
    Saerens' EM; ``method`` says which one the expected scores rest on ("likelihood" unless told).
    A known mix may be stated instead (``to``), to test it. ``trained_on`` is the mix that
    probabilities were made for, if not that of the table. Intervals resample both the labelled
    and the new items.

    >>> cells, new = [[80, 20], [10, 90]], {0: 31, 1: 69}
    >>> found = estimate_prevalence(cells, predicted=new, metrics="macro_f1")
    >>> {label: round(share, 6) for label, share in found.prevalence.items()}
    {0: 0.3, 1: 0.7}
    >>> round(found.classes[0].precision.value, 6)  # 0.3 · 0.8 / 0.31
    0.774194
    """
    beside = (labels, weights, cluster, None, drop_null_truth)
    given = Given("estimate_prevalence", data, y_true, y_pred, true, pred, *beside)
    system, whole = one_system(given, items=weights is not None)
    if isinstance(system, SoftSample) or whole.k > MANY:
        raise InputError(
            "the mix is estimated from rates of hard predictions of at most "
            f"{MANY:,} classes, got {'soft items' if whole.k <= MANY else f'{whole.k:,}'}"
        )
    how = Settings("bootstrap", level, replicates, seed)
    worth = policy(undefined)
    classes = rule_or_list(classes)
    new = unlabelled(predicted, whole.labels)
    prior = None if trained_on is None else target_of(whole, trained_on)
    case = Case.of(rows_of(system), whole, new, prior, replicates, seed)
    count = 0 if case.draws is None else len(case.draws.rates)
    mixes = case.mixes()
    if to is not None:
        fixed = target_of(whole, to)
        mixes["stated"] = (fixed, np.broadcast_to(fixed, (count, whole.k)) if count else None)
    chosen = chosen_method(method, mixes)
    fits = case.fits(mixes, seed)
    wanted = named(several(metrics, default_metrics, distance=distance))
    kernels = bind_all((m for _, m in wanted), whole, classes=classes, undefined=worth)
    refuse_cells(kernels)
    scores = metrics_at(case, kernels, mixes[chosen], level)
    signature = signature_of(
        whole,
        classes=classes,
        undefined=worth,
        interval=str(replace(how, replicates=count).signed(system)) if count else "none",
    )
    found = PrevalenceEstimate(
        signature=replace(
            signature,
            prevalence=written(whole.labels, mixes[chosen][0], to)
            if chosen == "stated"
            else f"estimated-{chosen}",
        ),
        n=int(whole.n),
        n_unlabelled=new.n,
        labels=whole.labels,
        method=chosen,
        level=level,
        replicates=count,
        amplification=case.amplification,
        classes=new_classes(case, mixes, chosen, level),
        outside=(float(new.shares[-1]), float((mixes[chosen][0] @ rates_of(case.cells))[-1])),
        fits=fits,
        metrics={name: score for (name, _), score in zip(wanted, scores, strict=True)},
    )
    notes = [*table_notes(whole, classes, worth), *findings(found, case, 0 < count < replicates)]
    return replace(found, cautions=tuple(notes))


@dataclass(frozen=True, eq=False, repr=False)
class PrevalenceEstimate(Collection[str, Interval], Result):
    """The class mix of unlabelled data by every method, and the scores to expect there.

    >>> import evenhand as eh
    >>> found = eh.shift.estimate_prevalence([[80, 20], [10, 90]], predicted={0: 31, 1: 69})
    >>> {label: round(share, 6) for label, share in found.prevalence.items()}
    {0: 0.3, 1: 0.7}
    """

    signature: Signature
    n: int
    n_unlabelled: int | None
    labels: tuple[Label, ...]
    method: str
    level: float
    replicates: int
    amplification: float | None
    classes: tuple[NewClass, ...]
    outside: tuple[float, float]
    fits: dict[str, Fit]
    metrics: dict[str, Interval]
    cautions: tuple[Note, ...] = ()

    of_metrics = True

    @property
    def prevalence(self) -> dict[Label, float]:
        """The mix by the chosen method, ready for ``extrapolate``."""
        return self.by(self.method)

    def by(self, method: str) -> dict[Label, float]:
        """The mix by one of the methods."""
        return {c.label: c.shares[method].value for c in self.classes}

    @property
    def fit(self) -> Fit:
        """How well the chosen mix explains the predictions; an adjusted count has no test."""
        return self.fits.get(self.method, UNTESTED)

    @property
    def parts(self) -> dict[str, Interval]:
        """The expected value of each metric there."""
        return self.metrics

    def facts(self) -> dict[str, Any]:
        """What ``evenhand shift --unlabelled --format json`` prints."""
        return {
            **self.picked("signature", "n", "n_unlabelled", "labels", "method", "level"),
            **self.picked("replicates", "amplification", "classes"),
            "outside": dict(zip(("measured", "expected"), self.outside, strict=True)),
            "fit": {method: vars(f) for method, f in self.fits.items()},
            **self.picked("metrics"),
        }

    def content(self) -> Content:
        """The mix by every method, the predictions, the fit, and the scores to expect."""
        new = "shares" if self.n_unlabelled is None else f"{self.n_unlabelled:,} unlabelled"
        facts = [counted(self.n, "labelled item"), new]
        if self.replicates:
            facts.append(f"{level_text(self.level)} intervals over both")
        blocks: list[Block] = [
            Words(self._headline(), "verdict"),
            Heading("Class mix of the new data"),
            Sheet(self.class_grid, most=SHOWN_CLASSES, rows="classes"),
            Heading("Predictions there, and precision"),
            Sheet(self.prediction_grid, most=SHOWN_CLASSES, rows="classes"),
            Facts([(f"fit of the {_mix_by(m)}", self._said(fit)) for m, fit in self.fits.items()]),
            Heading(f"Expected at the {_mix_by(self.method)}"),
            Sheet(self.metric_grid),
            Words(ASSUMED, "note"),
            Pictures([self._chart]),
        ]
        signed, said = str(self.signature), footnote(self.signature, metric=leading(self.metrics))
        return Content(", ".join(facts), blocks, self._data, signed, self.warnings, footnote=said)

    def _chart(self) -> Any:
        from evenhand.shift.charts import mixes

        return mixes(self)

    def _headline(self) -> str:
        """The class whose share changes most, or the test of a stated mix."""
        if self.method == "stated":
            return f"stated mix: {self._said(self.fit)}"
        far = max(self.classes, key=lambda c: abs(c.shares[self.method].value - c.labelled))
        share = Sure(far.shares[self.method]).text(4)
        label = shortened(str(far.label), 40)
        text = f"share of {label} {number(far.labelled)} here, {share} in the new data"
        odd = any(isinstance(n, Misfit) and n.method == self.method for n in self.cautions)
        return f"{text}, if only the mix has changed, which the predictions deny" if odd else text

    def _said(self, fit: Fit) -> str:
        """Whether the new predictions are such as a change of the mix alone would give."""
        if fit.p is not None:
            says = "speaks against it" if fit.p < 0.05 else "no sign of more than a change of mix"
            return f"{p_words(fit.p)} ({fit.test}): {says}"
        if self.n_unlabelled is None or not self.replicates:
            return "not tested, the samples' sizes are unknown"
        return "nothing to test, any such shares would fit"

    @property
    def class_grid(self) -> Grid:
        """One row a class: its share in the labelled data and, by every method, in the new."""
        head = ["class", "labelled"]
        for method in self.classes[0].shares:
            head += [METHOD_NAMES[method], *(["low", "high"] if method != "stated" else [])]
        rows: list[list[Cell]] = []
        for c in self.classes:
            row: list[Cell] = [str(c.label), c.labelled]
            for method, v in c.shares.items():
                row += [v.value, *([v.low, v.high] if method != "stated" else [])]
            rows.append(row)
        return Grid(head, rows)

    @property
    def prediction_grid(self) -> Grid:
        """One row a class: share of predictions and precision, expected and measured."""
        head = ["class", "predicted", "expected", "precision", "low", "high", "by measured share"]
        rows: list[list[Cell]] = []
        for c in self.classes:
            p = c.precision
            row: list[Cell] = [str(c.label), c.measured, c.expected, p.value, p.low, p.high]
            rows.append([*row, c.precision_measured.value])
        if any(self.outside):
            rows.append(["(no class)", *self.outside, None, None, None, None])
        return Grid(head, rows)

    @property
    def metric_grid(self) -> Grid:
        """One row a metric, as expected on the new data."""
        rows: list[list[Cell]] = [[n, v.value, v.low, v.high] for n, v in self.metrics.items()]
        return Grid(["metric", "expected", "low", "high"], rows)

    def _data(self) -> Grid:
        """Every number, one a row."""
        rows: list[list[Cell]] = [
            [*name, v.value, v.low, v.high] for name, v in self._every_number()
        ]
        return Grid(["quantity", "method", "label", "value", "low", "high"], rows)

    def _every_number(self) -> Iterable[tuple[tuple[str, str, str], Interval]]:
        for c in self.classes:
            label = str(c.label)
            yield from ((("share", method, label), v) for method, v in c.shares.items())
            yield ("predicted", "measured", label), Interval(c.measured)
            yield ("predicted", "expected", label), Interval(c.expected)
            yield ("precision", "measured", label), c.precision_measured
            yield ("precision", "expected", label), c.precision
        yield from (((name, self.method, ""), v) for name, v in self.metrics.items())


def _mix_by(method: str) -> str:
    return "stated mix" if method == "stated" else f"mix by {METHOD_NAMES[method]}"
