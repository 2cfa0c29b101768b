"""Soft tables of tensors, and losses made of them.

A soft table counts probabilities in the place of decisions: the cell of a true and a predicted
class holds Σ P(predicted) over the items of the true class. Every metric is a function of such a
table, and has a gradient that leads back to the probabilities.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from evenhand.bridges.tensors import Measure
from evenhand.catalogue.naming import as_spec
from evenhand.catalogue.spelling import Spec
from evenhand.core.arrays import Array, beside, namespace
from evenhand.errors import MetricError


def soft_table(true: Array, probabilities: Array, weights: Array | None = None) -> Array:
    """Cells k × k of items × classes: Σ over items of true · probability (· weight)."""
    xp = namespace(true, probabilities)
    true = true if weights is None else true * weights[..., None]
    return xp.matmul(xp.matrix_transpose(true), probabilities)


def one_hot(codes: Array, k: int, like: Array) -> Array:
    """Items × classes, 1 for the class of each item; a code that is no class has none."""
    xp = namespace(like)
    return xp.astype(codes[..., None] == beside(np.arange(k), codes), like.dtype)


@dataclass(frozen=True)
class Loss:
    """How far a metric of the soft table is from its best: 0 is a table without an error.

    Of a metric without a best value it is the value, its sign turned where higher is better.
    """

    measure: Measure

    @classmethod
    def of(cls, measure: Measure) -> Loss:
        """The loss of a metric that is better one way and has slopes."""
        spec = as_spec(measure.metric)
        if isinstance(spec, Spec):
            if spec.metric.better == "neither":
                raise MetricError(f"{spec} cannot be a loss: neither high nor low is better")
            if not spec.metric.smooth:
                raise MetricError(f"{spec} cannot be a loss: it has no gradient")
        return cls(measure)

    def __call__(self, true: Array, probabilities: Array, weights: Array | None = None) -> Array:
        """The loss of true classes and probabilities, both items × classes."""
        measure = self.measure
        k = int(probabilities.shape[-1])
        record = measure.kernel(k, weighted=weights is not None).record
        if measure.task == "multi":
            value = measure.of_sets(true, probabilities, weights, every=True)
        else:
            value = measure.of_table(soft_table(true, probabilities, weights), every=True)
        best = 0.0 if record is None or not math.isfinite(record.best) else record.best
        return best - value if record is None or record.better == "higher" else value - best
