"""Extrapolate: what every score becomes under another class mix."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evenhand.catalogue.binding import bind_all, bind_classes, values_of
from evenhand.catalogue.distances import in_order
from evenhand.catalogue.lists import default_metrics
from evenhand.catalogue.naming import Metrics, named, several
from evenhand.catalogue.policy import Undefined, policy
from evenhand.core.kernel import Kernel
from evenhand.count.given import Given
from evenhand.infer.interval import estimates
from evenhand.infer.rows import Data
from evenhand.infer.settings import Settings
from evenhand.notes.interval import Interval, Intervals
from evenhand.notes.mix import GainPerItem
from evenhand.notes.note import Note
from evenhand.notes.sure import NoWidth, UnknownVariance
from evenhand.results.cells import Cell, Sure
from evenhand.results.content import Block, Content, Heading, Pictures, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.reported import Reported, of_metric
from evenhand.results.result import Collection, Result
from evenhand.results.sentence import leading
from evenhand.results.text import counted, level_text, shortened
from evenhand.shift.cautions import (
    ASSUMED,
    SHOWN_CLASSES,
    mix_notes,
    table_notes,
    taken_as_certain,
)
from evenhand.shift.class_shift import PER_CLASS, ClassShift, class_shifts
from evenhand.shift.one_system import one_system
from evenhand.shift.stated import Mix, target_of, written
from evenhand.shift.unlabelled import unlabelled
from evenhand.signature.build import signature_of
from evenhand.signature.footnote import footnote
from evenhand.signature.line import Signature
from evenhand.tables.confusion import Classes, Confusion
from evenhand.tables.labels import Label, rule_or_list

PER_ITEM = "bookmaker_gain"
"""A metric that adds up over the items, of which a stated mix has no number."""


def extrapolate(
    *data: Any,
    to: Mix = "uniform",
    predicted: Any = None,
    metrics: Metrics | None = None,
    classes: Classes = "task",
    undefined: Undefined = 0,
    distance: Any = None,
    interval: str | None = "auto",
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
) -> Extrapolation:
    """Every metric, and each class's precision, if classes had the prevalence ``to``.

    precision_j = π_j·R_jj / Σ_i π_i·R_ij, with R the shares of each true row; recalls stay, and
    every metric follows (Opitz 2022, eq. 26–27). It takes the data of one system in any form.
    The intervals know that the shares come from finitely many items. ``predicted``, what the
    system said there (labels, or shares by label), gives each class's precision with the
    measured share of predictions in its denominator too.

    >>> cells = [[80, 20], [10, 90]]
    >>> found = extrapolate(cells, to="0=0.5,1=0.5", metrics=["macro_precision"])
    >>> round(found["macro_precision"].value, 6)
    0.853535
    >>> found.classes[0].expected["precision"].value, found.classes[0].predicted
    (0.888888..., (0.45, 0.45))
    """
    drawn = weights is not None and interval in ("bootstrap", "bca")
    beside = (labels, weights, cluster, None, drop_null_truth)
    given = Given("extrapolate", data, y_true, y_pred, true, pred, *beside)
    system, whole = one_system(given, items=drawn)
    target = target_of(whole, to)
    worth = policy(undefined)
    classes = rule_or_list(classes)
    how = None if interval is None else Settings(interval, level, replicates, seed)
    notes: list[Note] = [*mix_notes(whole, target), *table_notes(whole, classes, worth)]
    if how is not None and how.method == "auto" and not system.varies:
        how, notes = None, [*notes, UnknownVariance()]
    chosen = named(several(metrics, default_metrics, distance=distance))
    notes += in_order((m for _, m in chosen), whole.labels)
    now = bind_all((m for _, m in chosen), whole, classes=classes, undefined=worth)
    then = [k if k.target is not None else replace(k, target=target) for k in now]
    each = bind_classes(worth)
    each_then = [replace(k, target=target) if k.name != "recall" else k for k in each]
    found, missing = _values(system, whole, [*now, *then, *each, *each_then], how)
    m, k, names = len(now), len(each), [name for name, _ in chosen]
    observed, expected = (
        {name: values[0] for name, values in zip(names, part, strict=True)}
        for part in (found[:m], found[m : 2 * m])
    )
    if any(v.method is not None and v.method.name != "mover" for v in expected.values()):
        notes += taken_as_certain(whole, target)
    if PER_ITEM in expected:
        notes.append(GainPerItem(PER_ITEM))
    blank = tuple(n for n, v in expected.items() if v.note == "no width")
    if blank:
        notes.append(NoWidth(blank))
    signature = signature_of(
        whole,
        classes=classes,
        undefined=worth,
        interval="none" if how is None else str(how.signed(system)),
    )
    return Extrapolation(
        signature=replace(signature, prevalence=written(whole.labels, target, to)),
        n=int(whole.n),
        labels=whole.labels,
        prevalence=dict(zip(whole.labels, target.tolist(), strict=True)),
        level=None if how is None else how.level,
        observed=observed,
        expected=expected,
        classes=class_shifts(
            whole,
            target,
            found[2 * m : 2 * m + k],
            found[2 * m + k :],
            None if predicted is None else unlabelled(predicted, whole.labels).shares,
            worth,
        ),
        cautions=(*notes, *missing),
    )


def _values(
    data: Data, table: Confusion, kernels: list[Kernel], how: Settings | None
) -> tuple[list[list[Interval]], list[Note]]:
    """Each kernel's value, or values of classes, with intervals if there are to be any.

    And a note on every metric whose gradient cannot be had.
    """
    if how is None:
        bare = [np.asarray(v, np.float64).reshape(-1) for v in values_of(kernels, table)]
        return [list(Intervals.bare(values)) for values in bare], []
    made = estimates(data, kernels, how)
    missing = {e.no_gradient: None for e in made if e.no_gradient is not None}
    return [list(e) for e in made], list(missing)


@dataclass(frozen=True, eq=False, repr=False)
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
    cautions: tuple[Note, ...] = ()

    of_metrics = True

    @property
    def parts(self) -> dict[str, Interval]:
        """The expected value of each metric."""
        return self.expected

    def reported(self) -> Iterable[Reported]:
        """What is expected at the other class mix."""
        mix = self.signature.prevalence
        for name, sure in self.expected.items():
            signature = replace(of_metric(self.signature, name), prevalence=mix)
            said = f"expected at the class mix {mix}"
            yield Reported(name, sure, self.n, signature, self.level, said=said)

    def facts(self) -> dict[str, Any]:
        """What ``evenhand calibrate`` and ``shift --to`` print as JSON."""
        return {
            **self.picked("signature", "n", "labels", "level"),
            "metrics": {
                name: {"observed": v.measured(), "expected": self.expected[name].measured()}
                for name, v in self.observed.items()
            },
            **self.picked("classes"),
        }

    def content(self, *, classes: bool = True) -> Content:
        """The headline, the classes, the metrics side by side, what it takes for granted.

        Without ``classes`` it is said as a calibration, for which they are of no interest.
        """
        called, at = ("expected", "at") if classes else ("calibrated", "to")
        mix = self.signature.prevalence
        facts = [counted(self.n, "item"), counted(len(self.labels), "class", "classes")]
        facts.append(f"{called} {at} {'equal shares' if mix == 'uniform' else shortened(mix, 60)}")
        if self.level is not None:
            facts.append(f"{level_text(self.level)} intervals")
        blocks: list[Block] = [Words(self._headline(called), "verdict")]
        if classes:
            sheet = Sheet(self.class_grid, most=SHOWN_CLASSES, rows="classes")
            blocks += [Heading("Classes"), sheet, Heading("Metrics")]
        blocks += [Sheet(self._side_by_side(called)), Words(ASSUMED, "note")]
        blocks.append(Pictures([self._chart]))
        signed, said = str(self.signature), footnote(self.signature, metric=leading(self.expected))
        return Content(", ".join(facts), blocks, self._data, signed, self.warnings, footnote=said)

    def _chart(self) -> Any:
        from evenhand.shift.charts import mixes

        return mixes(self)

    def _headline(self, called: str) -> str:
        name = leading(self.expected)
        here, there = (Sure(v[name]).text(4) for v in (self.observed, self.expected))
        return f"{name} {here} observed, {there} {called}"

    @property
    def metric_grid(self) -> Grid:
        """One row a metric: observed beside expected."""
        return self._side_by_side("expected")

    def _side_by_side(self, called: str) -> Grid:
        sure = any(v.low is not None for v in (*self.observed.values(), *self.expected.values()))
        ends = ["low", "high"] if sure else []
        rows: list[list[Cell]] = [
            [name, *_ends(v, sure), *_ends(self.expected[name], sure)]
            for name, v in self.observed.items()
        ]
        return Grid(["metric", "observed", *ends, called, *ends], rows)

    @property
    def class_grid(self) -> Grid:
        """One row a class: shares, and precision, recall and F1 under the new mix."""
        sure = any(v.low is not None for c in self.classes for v in c.expected.values())
        ends = ["low", "high"] if sure else []
        head = ["class", "share", "new share", "predicted", "precision"]
        head += ["new precision", *ends, "recall", *ends, "new F1", *ends]
        rows: list[list[Cell]] = []
        for c in self.classes:
            row: list[Cell] = [str(c.label), *c.share, c.predicted[1]]
            row.append(c.observed["precision"].value)
            for name in PER_CLASS:
                row += _ends(c.expected[name], sure)
            rows.append(row)
        return Grid(head, rows)

    def _data(self) -> Grid:
        """Every number, one a row."""
        head = ["mix", "metric", "label", "value", "se", "low", "high", "method"]
        rows: list[list[Cell]] = []
        for i, (side, metrics) in enumerate(
            (("observed", self.observed), ("expected", self.expected))
        ):
            rows += [[side, name, "", *_cells(v)] for name, v in metrics.items()]
            for c in self.classes:
                margins = {"share": Interval(c.share[i]), "predicted": Interval(c.predicted[i])}
                each = margins | c.sides[i][1]
                rows += [[side, name, str(c.label), *_cells(v)] for name, v in each.items()]
        return Grid(head, rows)


def _ends(v: Interval, sure: bool) -> list[Cell]:
    return [v.value, v.low, v.high] if sure else [v.value]


def _cells(v: Interval) -> list[Cell]:
    return [v.value, v.se, v.low, v.high, str(v.method or "")]
