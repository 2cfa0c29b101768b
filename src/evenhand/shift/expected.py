"""Expected: what classes and metrics come to on new data, at a class mix estimated there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.core.counts import Counts
from evenhand.core.kernel import Kernel, Views, asked_views
from evenhand.core.ratio import ratio
from evenhand.infer.bootstrap import percentile
from evenhand.infer.design import Floats
from evenhand.infer.rates import at_mix, rates_of
from evenhand.infer.width import telling
from evenhand.notes.interval import Interval, Intervals, by
from evenhand.notes.method import Method
from evenhand.notes.record import Record
from evenhand.shift.case import Case, Estimate
from evenhand.tables.labels import Label

FLAT = 1e-6
"""Replicates closer than this are all the same, but for where EM stopped."""


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


def new_classes(
    case: Case, mixes: dict[str, Estimate], chosen: str, level: float
) -> tuple[NewClass, ...]:
    """Every class, with its share by each method and its precision at the chosen mix."""
    rates, d = rates_of(case.cells), case.draws
    mix, many = mixes[chosen]
    shares = case.new.shares[:-1]
    expected = at_mix(rates, mix)
    hit, guess = expected.correct, expected.bias
    drawn: list[Any] = [None, None]
    if d is not None and many is not None:
        c = at_mix(d.rates, many)
        drawn = [_ratio(c.correct, c.bias), _ratio(c.correct, d.shares[:, :-1])]
    by_method = {name: _values(m, rep, level) for name, (m, rep) in mixes.items()}
    precision = _values(_ratio(hit, guess), drawn[0], level)
    measured = _values(_ratio(hit, shares), drawn[1], level)
    labelled = case.cells.sum(axis=1) / case.cells.sum()
    return tuple(
        NewClass(
            v,
            float(labelled[j]),
            {name: values[j] for name, values in by_method.items()},
            float(shares[j]),
            float(guess[j]),
            precision[j],
            measured[j],
        )
        for j, v in enumerate(case.table.labels)
    )


def _ratio(a: Floats, b: Floats) -> Floats:
    """NaN where nothing is predicted, or less than nothing by an adjusted count."""
    return np.asarray(ratio(a, np.maximum(b, 0), np.nan))


def _values(point: Floats, many: Floats | None, level: float) -> list[Interval]:
    """Numbers with the middle of their replicates, widened to the number where it lies outside."""
    if many is None or len(many) < 2:
        return list(Intervals.bare(point))
    low, high = percentile(np.asarray(many), level)
    ends = telling(np.minimum(low, point), np.maximum(high, point), FLAT)
    few = np.sum(~np.isnan(many), axis=0) < 2  # of which there is no spread
    se = np.nanstd(np.where(few, 0.0, many), axis=0, ddof=1)
    return list(Intervals(point, se, *ends, by(Method("bootstrap"), point), level))


def metrics_at(case: Case, kernels: list[Kernel], mixes: Estimate, level: float) -> list[Interval]:
    """Metrics at a mix, each with the middle of its replicates."""
    rates, d, (mix, many) = rates_of(case.cells), case.draws, mixes
    points: dict[bytes, Counts] = {}
    drawn: dict[bytes, Counts] = {}
    for view, kernel in asked_views(kernels).items():  # some are calibrated to a mix of their own
        own = mix if kernel.target is None else np.asarray(kernel.target)
        points[view] = at_mix(rates, own)
        if d is not None and many is not None:
            each = many if kernel.target is None else np.broadcast_to(own, many.shape)
            drawn[view] = at_mix(d.rates, each)
    found = np.array(Views(points).values(kernels), np.float64)
    if not drawn:
        return list(Intervals.bare(found))
    with np.errstate(invalid="ignore"):  # an adjusted count may fall below 0, and have no root
        replicates = np.stack(Views(drawn).values(kernels), axis=1)
    return _values(found, replicates, level)
