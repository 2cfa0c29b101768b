"""ClassShift: one class as observed, and as expected under another class mix."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.catalogue.lists import ONE_CLASS
from evenhand.core.ratio import ratio
from evenhand.notes.interval import Interval
from evenhand.notes.record import Record
from evenhand.tables.confusion import Confusion
from evenhand.tables.labels import Label

PER_CLASS = tuple(m.name for m in ONE_CLASS)


@dataclass(frozen=True, eq=False)
class ClassShift(Record):
    """One class: its share of the items and of the predictions, and its scores, then and now.

    ``measured`` is its share of the predictions made there, if they are known, and
    ``precision_measured`` the precision with that in its denominator, which can exceed 1.

    >>> import evenhand as eh
    >>> found = eh.shift.extrapolate([[80, 20], [10, 90]], to="0=0.1,1=0.9", metrics="accuracy")
    >>> found.classes[0].share, found.classes[0].expected["recall"].value
    ((0.5, 0.1), 0.8)
    """

    label: Label
    share: tuple[float, float]
    predicted: tuple[float, float]
    observed: dict[str, Interval]
    expected: dict[str, Interval]
    measured: float | None = None
    precision_measured: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        found: dict[str, Any] = {"label": self.label}
        for i, (side, values) in enumerate(self.sides):
            margins = {"share": self.share[i], "predicted": self.predicted[i]}
            found[side] = margins | {name: v.measured() for name, v in values.items()}
        if self.measured is not None:
            found["measured"] = {"predicted": self.measured, "precision": self.precision_measured}
        return found

    @property
    def sides(self) -> tuple[tuple[str, dict[str, Interval]], ...]:
        """Its scores here and there."""
        return ("observed", self.observed), ("expected", self.expected)


def class_shifts(
    table: Confusion,
    target: Any,
    now: list[list[Interval]],
    then: list[list[Interval]],
    measured: Any,
    undefined: float,
) -> tuple[ClassShift, ...]:
    """Every class of a table that is seen at another mix, from its scores now and then.

    Recalls stay, but that of a class with a share of 0 is 0/0 there, worth ``undefined``.
    """
    total = float(table.total)
    moved = table.calibrate(dict(zip(table.labels, target.tolist(), strict=True)))
    sides = [np.asarray(x, np.float64) for x in (table.prevalence / total, table.bias / total)]
    return tuple(
        ClassShift(
            v,
            (float(sides[0][j]), float(target[j])),
            (float(sides[1][j]), float(moved.bias[j])),
            {name: values[j] for name, values in zip(PER_CLASS, now, strict=True)},
            {
                name: Interval(undefined) if name == "recall" and not target[j] else values[j]
                for name, values in zip(PER_CLASS, then, strict=True)
            },
            None if measured is None else float(measured[j]),
            None if measured is None else float(ratio(moved.correct[j], measured[j], math.nan)),
        )
        for j, v in enumerate(table.labels)
    )
