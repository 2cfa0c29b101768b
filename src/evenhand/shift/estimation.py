"""PrevalenceEstimate: the class mix of new data, and what it means for the scores there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evenhand.labels import Label
from evenhand.notes.interval import Interval
from evenhand.results import grid as grids
from evenhand.results import shift as words
from evenhand.results.grid import Cell, Grid
from evenhand.results.json import SCHEMA, record
from evenhand.results.result import Collection, Record, Result
from evenhand.shift.fit import Fit
from evenhand.signature import Signature


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
        return {
            "label": self.label,
            "labelled": self.labelled,
            "share": {method: v.measured() for method, v in self.shares.items()},
            "predicted": {"measured": self.measured, "expected": self.expected},
            "precision": {
                "expected": self.precision.measured(),
                "measured": self.precision_measured.measured(),
            },
        }


@dataclass(frozen=True, eq=False)
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
    warnings: tuple[str, ...]

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

    of_metrics = True

    @property
    def parts(self) -> dict[str, Interval]:
        """The expected value of each metric there."""
        return self.metrics

    def to_dict(self) -> dict[str, Any]:
        """Exactly what ``evenhand shift --unlabelled --format json`` prints."""
        return record(
            {
                "schema": SCHEMA,
                "signature": str(self.signature),
                "n": self.n,
                "n_unlabelled": self.n_unlabelled,
                "labels": self.labels,
                "method": self.method,
                "level": self.level,
                "replicates": self.replicates,
                "amplification": self.amplification,
                "classes": [c.to_dict() for c in self.classes],
                "outside": {"measured": self.outside[0], "expected": self.outside[1]},
                "fit": {method: vars(f) for method, f in self.fits.items()},
                "metrics": {name: v.measured() for name, v in self.metrics.items()},
                "warnings": list(self.warnings),
            }
        )

    @cached_property
    def class_grid(self) -> Grid:
        """One row a class: its share by every method, with intervals."""
        return words.estimate_grid(self)

    @cached_property
    def prediction_grid(self) -> Grid:
        """One row a class: share of predictions and precision, expected and measured."""
        return words.prediction_grid(self)

    @cached_property
    def metric_grid(self) -> Grid:
        """One row a metric, as expected on the new data."""
        return words.expected_grid(self)

    @cached_property
    def long_grid(self) -> Grid:
        """Every number, one a row: what CSV and data frames hold."""
        rows: list[list[Cell]] = []

        def row(quantity: str, method: str, label: str, v: Interval) -> None:
            rows.append([quantity, method, label, v.value, v.low, v.high])

        for c in self.classes:
            for method, v in c.shares.items():
                row("share", method, str(c.label), v)
            row("predicted", "measured", str(c.label), Interval(c.measured))
            row("predicted", "expected", str(c.label), Interval(c.expected))
            row("precision", "measured", str(c.label), c.precision_measured)
            row("precision", "expected", str(c.label), c.precision)
        for name, v in self.metrics.items():
            row(name, self.method, "", v)
        return Grid(["quantity", "method", "label", "value", "low", "high"], rows)

    def to_pandas(self) -> Any:
        """A pandas frame, one number a row."""
        frame = grids.to_pandas(self.long_grid)
        return frame.astype(dict.fromkeys(("value", "low", "high"), float))

    def to_polars(self) -> Any:
        """A Polars frame, one number a row."""
        return grids.to_polars(self.long_grid, text=("quantity", "method", "label"))

    def to_markdown(self, *, digits: int = 4) -> str:
        """The mix, the predictions and the metrics as Markdown tables."""
        every = (self.class_grid, self.prediction_grid, self.metric_grid)
        return "\n\n".join(grids.markdown(g, digits) for g in every)

    def to_latex(self, *, digits: int = 4) -> str:
        """The mix as a booktabs table with the signature in its caption."""
        return grids.latex(self.class_grid, digits)

    def __repr__(self) -> str:
        return grids.plain(self.class_grid)

    def _repr_html_(self) -> str:
        every = (self.class_grid, self.prediction_grid, self.metric_grid)
        return "".join(map(grids.html_table, every))
