"""At thresholds: several metrics of the decisions that each threshold makes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from evenhand.catalogue.binding import bind_all, views_of
from evenhand.catalogue.naming import AnyMetric
from evenhand.core.arrays import Array
from evenhand.core.counts import Counts
from evenhand.core.kernel import Kernel
from evenhand.count.forms import refuse_empty
from evenhand.count.probabilities import labelled
from evenhand.errors import InputError
from evenhand.infer.design import Floats
from evenhand.infer.interval import Estimate, bare, estimates
from evenhand.infer.settings import Settings
from evenhand.infer.thresholds import Deciding
from evenhand.notes.curve import Curve
from evenhand.tables.confusion import Classes
from evenhand.tables.sample import Sample, SoftSample

BLOCK = 1 << 23
"""Rows × thresholds that are scored with intervals at once."""


@dataclass(frozen=True)
class AtThresholds:
    """What is scored at thresholds; the first metric says which is best."""

    specs: list[tuple[str, AnyMetric]]
    classes: Classes
    worth: float
    how: Settings | None

    def searched(self, sample: Sample) -> Kernel:
        """The metric that is to be best, ready for any decision on these items."""
        name, spec = self.specs[0]
        table = sample.tables()[0]
        refuse_empty(table)
        (kernel,) = bind_all([spec], table, classes=self.classes, undefined=self.worth)
        record = kernel.record
        if record is not None and record.better == "neither":
            raise InputError(f"no value of {name} is better than another, so no threshold is best")
        if not isinstance(self.classes, str) or (record is not None and record.of_one_class):
            return kernel
        if ((record and record.classes) or self.classes) == "seen":  # which are others elsewhere
            return replace(kernel, function=partial(_over_seen, kernel.function), averaged=None)
        return kernel

    def sure(self, sample: Sample) -> dict[str, Estimate]:
        """Every metric of every system with its interval."""
        tables, wanted = sample.tables(), [spec for _, spec in self.specs]
        kernels = bind_all(wanted, tables, classes=self.classes, undefined=self.worth)
        if self.how is None:
            found = bare(kernels, views_of(kernels, tables))
        else:
            found = estimates(sample, kernels, self.how, tables)
        return {name: e for (name, _), e in zip(self.specs, found, strict=True)}

    def curves(self, sample: SoftSample, deciding: Deciding, at: Floats) -> dict[str, Curve]:
        """Every metric at every threshold; items that all of these decide alike are one row."""
        above = np.searchsorted(at, deciding.probability, side="right")
        rows = labelled(sample, ("other", "above"), np.stack([deciding.other, above], axis=1))
        each = max(1, BLOCK // len(rows.true))
        parts = [
            self.sure(_at(rows, deciding.label, range(i, min(i + each, len(at)))))
            for i in range(0, len(at), each)
        ]
        return {name: Curve.joined(Curve.of(part[name]) for part in parts) for name in parts[0]}


def _at(rows: Sample, label: int, at: range) -> Sample:
    """Rows of what an item else is and how many thresholds it reaches, as decided at some."""
    other, above = rows.pred.T
    pred = np.where(above[:, None] > np.array(at), label, other[:, None])
    missing = np.zeros(len(at), np.int64)
    return replace(rows, systems=tuple(map(str, at)), pred=pred, missing=missing)


def _over_seen(function: Any, c: Counts) -> Array:
    """A metric over the classes that each table has in truth or predictions."""
    return function(c.over((c.prevalence > 0) | (c.bias > 0)))
