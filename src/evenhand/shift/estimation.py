"""PrevalenceEstimate: the class mix of new data, and what it means for the scores there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from evenhand.notes.interval import Interval
from evenhand.notes.mix import Misfit
from evenhand.notes.note import Note
from evenhand.notes.record import Record
from evenhand.results.cells import Cell, Sure
from evenhand.results.content import Block, Content, Facts, Heading, Pictures, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.result import Collection, Result
from evenhand.results.text import counted, level_text, number, p_words, shortened
from evenhand.shift.extrapolation import ASSUMED, SHOWN_CLASSES
from evenhand.shift.fit import Fit
from evenhand.signature.line import Signature
from evenhand.tables.labels import Label

METHOD_NAMES = {
    "adjusted": "adjusted count",
    "likelihood": "likelihood",
    "saerens": "Saerens",
    "stated": "stated",
}


def _mix_by(method: str) -> str:
    return "stated mix" if method == "stated" else f"mix by {METHOD_NAMES[method]}"


@dataclass(frozen=True, eq=False)
class NewClass(Record):
    """One class on the new data: its share by every method, and its predictions.

    ``measured`` and ``expected`` are shares of the predictions, as counted and as the rates give
    them at the chosen mix. ``precision`` has the expected share in its denominator,
    ``precision_measured`` the measured one, which can give more than 1.

    >>> import evenhand as eh
    >>> found = eh.shift.estimate_prevalence([[80, 20], [10, 90]], predicted={0: 31, 1: 69})
    >>> found.classes[0].labelled, found.classes[0].measured
    (0.5, 0.31)
    """

    label: Label
    labelled: float
    shares: dict[str, Interval]
    measured: float
    expected: float
    precision: Interval
    precision_measured: Interval

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        sides = {"expected": self.precision, "measured": self.precision_measured}
        return {
            **self.picked("label", "labelled"),
            "share": {method: v.measured() for method, v in self.shares.items()},
            "predicted": self.picked("measured", "expected"),
            "precision": {side: v.measured() for side, v in sides.items()},
        }


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
        """How well the chosen mix explains the predictions."""
        return self.fits[self.method]

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
        signed = str(self.signature)
        return Content(", ".join(facts), blocks, self._data, signed, self.warnings)

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
