"""Scores at another class mix."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, TypedDict, cast

import numpy as np

from evenhand.catalogue.binding import at_target, bind_all, bind_classes, table_warnings
from evenhand.catalogue.lists import (
    ONE_CLASS,
    default_metrics,
    in_order,
    leading,
    named,
    of_positive,
    several,
    terms,
)
from evenhand.catalogue.signature import Signature, footnote, signature_of
from evenhand.catalogue.spelling import Prevalence, brief, prevalence_of, stated
from evenhand.core.ratio import ratio
from evenhand.data.arguments import (
    VerbArguments,
    form_of,
    one_of,
    refusal,
    refuse_empty,
    system_of,
    verb,
)
from evenhand.data.cells import Numbers
from evenhand.data.confusion import Confusion
from evenhand.data.labels import Label, Labels, stated_positive
from evenhand.errors import InputError
from evenhand.inference.delta import FEW, FEW_HITS, rare_classes, true_items
from evenhand.inference.intervals import IntervalSettings, estimates
from evenhand.options import ExtrapolateOptions, Mix
from evenhand.records import Interval, Record
from evenhand.results.document import (
    Block,
    Content,
    Heading,
    Paragraph,
    Table,
    group_equal,
    rounded,
)
from evenhand.results.result import Collection, ReportedResult, Result, of_metric
from evenhand.shift.estimators import unlabelled
from evenhand.shift.warnings import (
    FewItems,
    FewToLearnFrom,
    GainPerItem,
    LessThanAnItem,
    NeverLabelled,
    NoShare,
    PrecisionAboveOne,
    TakenAsCertain,
)
from evenhand.text import (
    Cell,
    Grid,
    IntervalCell,
    LimitsCell,
    MetricName,
    Term,
    counted,
    level_text,
    measured_cells,
    shortened,
    visible,
)
from evenhand.warnings import FewHits, NoWidth, ResultWarning, UnknownVariance

ASSUMED = (
    "This holds if only the class mix changes: the items of each class must be like those here."
)
SHOWN_CLASSES = 50


def never_labelled(table: Confusion) -> Iterable[ResultWarning]:
    """One note if some class has no items."""
    if never := _which(table, np.asarray(table.prevalence) == 0):
        yield NeverLabelled(never)


def mix_notes(table: Confusion, mixes: Numbers) -> Iterable[ResultWarning]:
    """On the classes of a table that is seen at another mix, or at many of a sweep."""
    yield from never_labelled(table)
    swept = mixes.ndim > 1
    target = mixes.max(axis=0) if swept else mixes
    gone = _which(table, (target == 0) & (np.asarray(table.prevalence) > 0))
    if gone and not swept:  # a share of 0 is where a sweep begins, not what somebody asks for
        yield NoShare(gone)
    rare = zip(table.labels, true_items(table).tolist(), target.tolist(), strict=True)
    if few := tuple(FewItems(v, n, p) for v, n, p in rare if 0 < n < FEW and p > 0):
        yield FewToLearnFrom(few, swept)
    seldom = rare_classes(table, table.counts_over(None, 0.0))[0] == 1
    if (seldom & (target > 0)).any():
        yield FewHits(_which(table, seldom & (target > 0)), FEW, FEW_HITS)
    if not swept and table.varies and (faint := _which(table, _faint(table, mixes))):
        yield LessThanAnItem(faint)


def _faint(table: Confusion, mix: Numbers) -> Numbers:
    """Classes whose predictions at the mix a single item of another class would more than double.

    That item of class i weighs mᵢ/nᵢ, and the predictions of j have a share of Σ mᵢ·Rᵢⱼ.
    """
    scale = np.asarray(ratio(mix, true_items(table)))
    cells = np.asarray(table.data.dense().weight)[..., : table.k]
    share = np.asarray(ratio(mix, table.prevalence)) @ cells
    others = np.where(np.eye(table.k) > 0, 0.0, scale[:, None]).max(axis=0)
    return np.asarray((mix > 0) & (share < others))


def taken_as_certain(tables: Confusion, mixes: Numbers) -> Iterable[ResultWarning]:
    """One note if a class that has a share is all right, or all wrong, in some table."""
    correct, true = (
        np.asarray(x).reshape(-1, tables.k) for x in (tables.correct, tables.prevalence)
    )
    end = ((correct == 0) | (correct == true)) & (true > 0)
    affected = end.any(axis=0) & (np.atleast_2d(mixes) > 0).any(axis=0)
    if affected.any():
        yield TakenAsCertain(_which(tables, affected))


def above_one(precisions: Iterable[tuple[Label, float]]) -> Iterable[ResultWarning]:
    """One note if some class has more hits than predictions, by the share that was measured."""
    if classes := tuple(label for label, value in precisions if value > 1 + 1e-9):
        yield PrecisionAboveOne(classes)


def _which(table: Confusion, chosen: Numbers) -> tuple[object, ...]:
    return tuple(table.labels[i] for i in np.flatnonzero(chosen))


# Class mixes as users state them.


def target_of(table: Confusion, mix: Mix) -> Numbers:
    """The share of each class of ``table`` that is meant; ``None`` is ``uniform``."""
    if isinstance(mix, str) and not mix.strip():
        raise InputError("prevalence must be uniform or CLASS=SHARE,…, got nothing")
    if isinstance(mix, str):
        mix = dict(prevalence_of(mix, mix)) or None
    if mix is not None and not isinstance(mix, Mapping):
        raise InputError(
            "prevalence must be 'uniform', 'a=0.2,b=0.8' or a mapping of labels to shares, "
            f"got {type(mix).__name__}"
        )
    return table.target(mix)


def written(labels: Labels, target: Numbers, mix: Mix) -> str:
    """The mix as a signature says it."""
    if mix is None or mix == "uniform":
        return "uniform"
    shares: Prevalence = tuple(
        (str(v), float(f"{p:.10g}")) for v, p in zip(labels, target.tolist(), strict=True)
    )
    return stated(shares)


def one_system(arguments: VerbArguments, *, items: bool = False) -> tuple[Any, Confusion]:
    """The data of one system, and its table."""
    data = one_of(arguments.verb, system_of(arguments, items=items, margins=True))
    table = data.tables() if getattr(data, "task", None) == "single" else None
    if table is None:
        hint = "a class mix needs a single-label table with its cells"
        raise refusal(arguments.verb, form_of(data), hint)
    if data.systems:
        table = table[0]
    if table.shape:
        raise refusal(arguments.verb, form_of(data), "a class mix is of one table")
    refuse_empty(table)
    return data, table


# One class, observed and expected.

PER_CLASS = tuple(m.name for m in ONE_CLASS)


class ClassSide(TypedDict):
    """One class under one class mix."""

    share: float
    predicted: float
    precision: Interval
    recall: Interval
    f1: Interval


class MeasuredPredictions(TypedDict):
    """The predictions of one class as they were made under another class mix."""

    predicted: float
    precision: float | None


class BothScores(TypedDict):
    """One metric under two class mixes."""

    observed: Interval
    expected: Interval


class ClassShift(Record):
    """One class: its share of the items and of the predictions, and its scores, then and now.

    ``measured`` is its share of the predictions made there, if they are known, and
    ``precision_measured`` the precision with that in its denominator, which can exceed 1.

    >>> import evenhand as eh
    >>> found = eh.shift.extrapolate([[80, 20], [10, 90]], to="0=0.1,1=0.9", metrics="accuracy")
    >>> found.classes[0].share, found.classes[0].expected["recall"].value
    ((0.5, 0.1), 0.8)
    """

    json_fields = "label observed=here expected=there measured?=predictions"

    label: Label
    share: tuple[float, float]
    predicted: tuple[float, float]
    observed: dict[str, Interval]
    expected: dict[str, Interval]
    measured: float | None = None
    precision_measured: float | None = None

    @property
    def here(self) -> ClassSide:
        """The class as observed."""
        return self._side(0, self.observed)

    @property
    def there(self) -> ClassSide:
        """The class as expected."""
        return self._side(1, self.expected)

    def _side(self, i: int, scores: dict[str, Interval]) -> ClassSide:
        side: Any = {"share": self.share[i], "predicted": self.predicted[i], **scores}
        return cast(ClassSide, side)

    @property
    def predictions(self) -> MeasuredPredictions | None:
        """Its share of the predictions made there, if they are known."""
        if self.measured is None:
            return None
        return {"predicted": self.measured, "precision": self.precision_measured}


# The verb and its result.

PER_ITEM = "bookmaker_gain"
"""A metric that adds up over the items, of which a stated mix has no number."""


@verb(ExtrapolateOptions, without=("by", "by_row"))
def extrapolate(arguments: VerbArguments, options: ExtrapolateOptions) -> Extrapolation:
    """Every metric, and each class's precision, if classes had the prevalence ``to``.

    precision_j = π_j·R_jj / Σ_i π_i·R_ij, with R the shares of each true row; recalls stay, and
    every metric follows (Opitz 2022, eq. 26–27). It takes the data of one system in any form.
    The intervals know that the shares come from finitely many items. ``predicted``, what the
    system said there (labels, or shares by label), gives each class's precision with the
    measured share of predictions in its denominator too. With a ``positive`` class the metrics
    are those of two-class tasks, predictive values first.

    >>> cells = [[80, 20], [10, 90]]
    >>> values = extrapolate(cells, to="0=0.5,1=0.5", metrics=["macro_precision"])
    >>> round(values["macro_precision"].value, 6)
    0.853535
    >>> values.classes[0].expected["precision"].value, values.classes[0].predicted
    (0.888888..., (0.45, 0.45))
    """
    drawn = arguments.weights is not None and options.interval in ("bootstrap", "bca")
    system, table = one_system(arguments, items=drawn)
    target, predicted = target_of(table, options.to), options.predicted
    zero_division, classes = options.zero_division, options.classes
    settings = IntervalSettings.from_options(options)
    notes = [*mix_notes(table, target), *table_warnings(table, classes, zero_division)]
    if settings is not None and settings.method == "auto" and not system.varies:
        settings, notes = None, [*notes, UnknownVariance()]
    positive = stated_positive(options.positive, table.labels, table.notes)
    two = [] if positive is None else list(of_positive(positive).values())
    two.sort(key=lambda m: m.metric.name not in ("precision", "npv"))  # what moves first
    usual = default_metrics if positive is None else lambda: two
    distance = options.distance
    chosen = named(several(options.metrics, usual, distance=distance, positive=positive))
    notes += in_order((m for _, m in chosen), table.labels)
    now = bind_all((m for _, m in chosen), table, **options.binding)
    then = [k if k.target is not None else at_target(k, target) for k in now]
    each = bind_classes(zero_division)
    # recalls stay, but that of a class with a share of 0 is 0/0 there
    each_then = [replace(k, target=target) if k.name != "recall" else k for k in each]
    groups = (now, then, each, each_then)
    scores = estimates(system, list(chain(*groups)), settings)
    left = iter(scores)
    *both, own_now, own_then = ([next(left) for _ in group] for group in groups)
    observed, expected = (
        {name: e.at(0) for (name, _), e in zip(chosen, part, strict=True)} for part in both
    )
    of_class = zip(zip(*own_now, strict=True), zip(*own_then, strict=True), strict=True)
    moved = table.calibrate(dict(zip(table.labels, target.tolist(), strict=True)))
    here = [np.asarray(x / table.total, np.float64) for x in (table.prevalence, table.bias)]
    measured = None if predicted is None else unlabelled(predicted, table.labels).shares
    classes = []
    for j, (label, sides) in enumerate(zip(table.labels, of_class, strict=True)):
        own, other = (dict(zip(PER_CLASS, side, strict=True)) for side in sides)
        if not target[j]:
            other["recall"] = Interval(zero_division)
        shares = (float(here[0][j]), float(target[j])), (float(here[1][j]), float(moved.bias[j]))
        live: tuple[float, ...] = ()
        if measured is not None:
            live = measured[j].item(), ratio(moved.correct[j], measured[j], math.nan).item()
        classes.append(ClassShift(label, *shares, own, other, *live))
    notes += above_one((c.label, c.precision_measured or 0.0) for c in classes)
    if any(v.method is not None and v.method.name != "mover" for v in expected.values()):
        notes += taken_as_certain(table, target)
    notes += [GainPerItem(PER_ITEM)] * (PER_ITEM in expected)
    if blank := tuple(n for n, v in expected.items() if v.note == "no width"):
        notes.append(NoWidth(blank))
    missing = dict.fromkeys(e.no_gradient for e in scores if e.no_gradient is not None)
    interval = "none" if settings is None else str(settings.signed(system))
    signature = signature_of(table, **options.binding, interval=interval)
    return Extrapolation(
        signature=replace(signature, prevalence=written(table.labels, target, options.to)),
        n=int(table.n),
        labels=table.labels,
        prevalence=dict(zip(table.labels, target.tolist(), strict=True)),
        level=None if settings is None else settings.level,
        observed=observed,
        expected=expected,
        classes=tuple(classes),
        cautions=(*notes, *missing),
    )


class Extrapolation(Collection[str, Interval], Result):
    """Every metric and class as observed, and as expected under another class mix.

    >>> import evenhand as eh
    >>> found = eh.shift.extrapolate([[80, 20], [10, 90]], to="0=0.1,1=0.9", metrics="accuracy")
    >>> found.observed["accuracy"].value, round(float(found["accuracy"]), 6)
    (0.85, 0.89)
    """

    signature: Signature
    n: int
    labels: tuple[Label, ...]
    prevalence: dict[Label, float]
    level: float | None
    observed: dict[str, Interval]
    expected: dict[str, Interval]
    classes: tuple[ClassShift, ...]

    drawn_by = "shift.charts.mixes"
    json_fields = "signature n labels level metrics classes"
    of_metrics = True

    @property
    def parts(self) -> dict[str, Interval]:
        """The expected value of each metric."""
        return self.expected

    def reported(self) -> Iterable[ReportedResult]:
        """What is expected at the other class mix."""
        mix = self.signature.prevalence
        for name, sure in self.expected.items():
            signature = replace(of_metric(self.signature, name), prevalence=mix)
            description = f"expected at the class mix {mix}"
            yield ReportedResult(name, sure, self.n, signature, self.level, note=description)

    @property
    def metrics(self) -> dict[str, BothScores]:
        """Every metric as observed and as expected."""
        return {
            name: {"observed": score, "expected": self.expected[name]}
            for name, score in self.observed.items()
        }

    def content(self, *, classes: bool = True) -> Content:
        """The headline, the classes, the metrics side by side, what it takes for granted.

        Without ``classes`` it is said as a calibration, for which they are of no interest.
        """
        called, at = ("expected", "at") if classes else ("calibrated", "to")
        mix = self.signature.prevalence
        facts = [counted(self.n, "item"), counted(len(self.labels), "class", "classes")]
        facts.append(f"{called} {at} {'equal classes' if mix == 'uniform' else shortened(mix, 60)}")
        if self.level is not None:
            facts.append(f"{level_text(self.level)} intervals")
        name = leading(self.expected)
        here, there = (IntervalCell(v[name]).text(4) for v in (self.observed, self.expected))
        headline = f"{visible(brief(name))} {here} observed, {there} {called}"
        blocks: list[Block] = [Paragraph(headline, "verdict")]
        if classes:
            sheet = Table(self.class_grid, most=SHOWN_CLASSES, rows="classes")
            blocks += [Heading("Classes"), sheet, Heading("Metrics")]
        blocks += [Table(self._metric_grid(called)), Paragraph(ASSUMED, "note")]
        blocks.append(self.picture)
        note = footnote(self.signature, metric=name)
        return self.described(", ".join(facts), blocks, self._data, footnote=note)

    def _metric_grid(self, there_is: str) -> Grid:
        """One row a metric: observed, expected, and the interval of each; equal ones together."""

        def both(name: str) -> tuple[str, ...]:
            sides = (self.observed[name], self.expected[name])
            return rounded(*(x for v in sides for x in (v.value, v.low, v.high)))

        rows, called = list[list[Cell]](), terms(self.observed)
        groups = [[name] for name in called] if called else group_equal(self.observed, both)
        for first, *rest in groups:
            here, there = self.observed[first], self.expected[first]
            ends = (LimitsCell(v.low, v.high) for v in (there, here))
            name = Term(called[first], first) if called else MetricName(" = ".join([first, *rest]))
            rows.append([name, here.value, there.value, *ends])
        head = ["metric", "observed", there_is, f"{there_is} interval", "observed interval"]
        return Grid(head, rows).without_empty()

    @property
    def class_grid(self) -> Grid:
        """One row per class: shares, and precision, recall and F1 under the new mix."""
        head = ["class", "share", "new share", "precision", "new precision", "recall", "new F1"]
        head += ["precision interval", "recall interval", "F1 interval", "predicted"]
        rows: list[list[Cell]] = []
        for c in self.classes:
            new = [c.expected[name] for name in PER_CLASS]
            row: list[Cell] = [str(c.label), *c.share, c.observed["precision"].value]
            row += [*(v.value for v in new), *(LimitsCell(v.low, v.high) for v in new)]
            rows.append([*row, c.predicted[1]])
        return Grid(head, rows).without_empty()

    def _data(self) -> Grid:
        """Every number, one a row."""
        head = ["mix", "metric", "label", "value", "se", "low", "high", "method"]
        rows: list[list[Cell]] = []
        for i, side in enumerate(("observed", "expected")):
            rows += [[side, n, "", *measured_cells(v)] for n, v in getattr(self, side).items()]
            for c in self.classes:
                margins = {"share": Interval(c.share[i]), "predicted": Interval(c.predicted[i])}
                each = margins | getattr(c, side)
                rows += [[side, n, str(c.label), *measured_cells(v)] for n, v in each.items()]
        return Grid(head, rows)
