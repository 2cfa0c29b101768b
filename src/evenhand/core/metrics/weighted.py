"""Weighted averages: every class weighs as much as it is true."""

from __future__ import annotations

from functools import partial

from evenhand.core.arrays import Array
from evenhand.core.counts import Counts
from evenhand.core.means import harmonic
from evenhand.core.metrics.one_class import f1, precision, recall
from evenhand.core.promises import MICRO, WEIGHTED
from evenhand.core.registry import metric

weighted = partial(
    metric, default=True, reference="scikit-learn, average='weighted'", properties=WEIGHTED
)


@weighted(
    symbol="wP",
    formula="Σ prevalence·P / Σ prevalence",
    signature="weighted-mean-of-precision",
    example=0.6492063492063492,
)
def weighted_precision(c: Counts) -> Array:
    """Mean of the per-class precision, weighted by how often the class is true."""
    return c.mean(precision(c), c.prevalence)


@weighted(
    symbol="wR",
    formula="Σ prevalence·R / Σ prevalence",
    signature="weighted-mean-of-recall",
    properties=MICRO,
    example=0.6428571428571429,
    proportion=lambda c: (c.sum(c.correct), c.sum(c.prevalence)),
)
def weighted_recall(c: Counts) -> Array:
    """Mean of the per-class recall, weighted by how often the class is true."""
    return c.mean(recall(c), c.prevalence)


@weighted(
    symbol="wF1",
    formula="Σ prevalence·F1 / Σ prevalence",
    signature="weighted-mean-of-f1",
    example=0.6424751718869366,
    shown={"score": 7, "ranks": 3, "mix": 6},
)
def weighted_f1(c: Counts) -> Array:
    """Mean of the per-class F1, weighted by how often the class is true."""
    return c.mean(f1(c), c.prevalence)


@weighted(
    symbol="wF1′",
    formula="2·P_w·R_w / (P_w + R_w), with the weighted precision and recall",
    signature="f1-of-weighted-averages",
    title="Weighted F1 (F1 of averages)",
    reference="shipped as 'weighted F1' by several libraries",
    example=0.6460161460161461,
)
def weighted_f1_of_averages(c: Counts) -> Array:
    """Harmonic mean of weighted precision and weighted recall, by its own name."""
    return harmonic(weighted_precision(c), weighted_recall(c))
