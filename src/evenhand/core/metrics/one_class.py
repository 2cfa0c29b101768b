"""Precision, recall and F of each class: arrays with one value a class."""

from __future__ import annotations

from functools import partial

from evenhand.core.arrays import Array, floating
from evenhand.core.counts import Counts
from evenhand.core.means import halves
from evenhand.core.promises import ONE_PRECISION, ONE_RECALL, one_f
from evenhand.core.ratio import ratio
from evenhand.core.registry import metric

one_class = partial(metric, of_one_class=True, reference="Opitz & Burst 2019, eq. 1")


@one_class(
    symbol="P",
    formula="correct / bias",
    properties=ONE_PRECISION,
    example=0.7,
    shown={"classes": 1},
    proportion=lambda c: (c.sum(c.correct), c.sum(c.bias)),
)
def precision(c: Counts) -> Array:
    """Share of a class's predictions that are right."""
    return ratio(c.correct, c.bias, c.undefined)


@one_class(
    symbol="R",
    formula="correct / prevalence",
    properties=ONE_RECALL,
    example=0.5833333333333334,
    shown={"classes": 2},
    proportion=lambda c: (c.sum(c.correct), c.sum(c.prevalence)),
)
def recall(c: Counts) -> Array:
    """Share of a class's items that are found."""
    return ratio(c.correct, c.prevalence, c.undefined)


@one_class(
    symbol="F1",
    formula="2·correct / (bias + prevalence)",
    properties=one_f(),
    example=0.6363636363636364,
    shown={"classes": 3},
    proportion=lambda c: (c.sum(c.correct), c.sum(c.bias + c.prevalence - c.correct)),
    through=lambda jaccard: 2 * jaccard / (1 + jaccard),
)
def f1(c: Counts) -> Array:
    """Harmonic mean of a class's precision and recall, defined whenever the class occurs."""
    return ratio(2 * c.correct, c.bias + c.prevalence, c.undefined)


@one_class(
    symbol="Fβ",
    formula="(1+β²)·correct / (β²·prevalence + bias)",
    reference="van Rijsbergen 1979; Sokolova & Lapalme 2009",
    properties=one_f,
    example=0.6363636363636364,
    least={"beta": 0.0},
    variant_of="f1",
)
def fbeta(c: Counts, *, beta: float = 1.0) -> Array:
    """Weighted harmonic mean of a class's precision and recall; β > 1 favours recall."""
    correct, bias, prevalence = floating(c.correct), floating(c.bias), floating(c.prevalence)
    both = bias + prevalence
    hit, guess, truth = (ratio(x, both) for x in (correct, bias, prevalence))
    v, w = halves(beta)
    return ratio(v * hit + w * hit, v * guess + w * truth, c.undefined)  # never above 1
