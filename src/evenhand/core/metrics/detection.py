"""One class against the rest: rates and their means, with one value a class."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial, wraps

from evenhand.core import class_promises as promises
from evenhand.core.arrays import Array, namespace, real
from evenhand.core.counts import Counts
from evenhand.core.metrics.one_class import precision, recall
from evenhand.core.ratio import ratio
from evenhand.core.registry import metric

detection = partial(metric, of_one_class=True, reference="Powers 2011")
of_rest = partial(detection, of_rest=True, precision=1e-14)


def root(x: Array) -> Array:
    """√x of x ≥ 0; its slope at 0, which is infinite, is taken as 0."""
    xp = namespace(x)
    zero = real(x) <= 0
    return xp.where(zero, 0.0, xp.sqrt(xp.where(zero, 1.0, x)))


def nan_apart(function: Callable[..., Array]) -> Callable[..., Array]:
    """A product of rates that NaN, where 0/0 is that, takes no part in.

    Automatic differentiation would multiply the slope of a class that counts for nothing with it.
    """

    @wraps(function)
    def kept(c: Counts, **options: float) -> Array:
        found = function(c, **options)
        if not math.isnan(c.undefined):
            return found
        known = function(replace(c, undefined=0.0), **options)
        return namespace(known).where(namespace(known).isnan(real(found)), c.undefined, known)

    return kept


@of_rest(
    symbol="TNR",
    formula="TN / (TN + FP)",
    reference="Yerushalmy 1947",
    proportion=lambda c: (c.sum(c.rest), c.sum(c.rest + c.alarms)),
    properties=promises.SPECIFICITY,
    example=0.8125,
)
def specificity(c: Counts) -> Array:
    """Share of the other classes' items that are not taken for the class."""
    return ratio(c.rest, c.rest + c.alarms, c.undefined)


@of_rest(
    symbol="NPV",
    formula="TN / (TN + FN)",
    reference="Vecchio 1966",
    proportion=lambda c: (c.sum(c.rest), c.sum(c.rest + c.misses)),
    properties=promises.NPV,
    example=0.7222222222222222,
)
def npv(c: Counts) -> Array:
    """Share of the predictions of other classes that are right not to be of this one."""
    return ratio(c.rest, c.rest + c.misses, c.undefined)


@detection(
    symbol="FNR",
    formula="FN / (TP + FN)",
    better="lower",
    proportion=lambda c: (c.sum(c.misses), c.sum(c.prevalence)),
    properties=promises.FALSE_NEGATIVES,
    example=0.4166666666666667,
)
def false_negative_rate(c: Counts) -> Array:
    """Share of a class's items that are missed: 1 − recall."""
    return ratio(c.misses, c.prevalence, c.undefined)


@of_rest(
    symbol="FPR",
    formula="FP / (TN + FP)",
    better="lower",
    proportion=lambda c: (c.sum(c.alarms), c.sum(c.rest + c.alarms)),
    properties=promises.FALSE_POSITIVES,
    example=0.1875,
)
def false_positive_rate(c: Counts) -> Array:
    """Share of the other classes' items that are taken for the class: 1 − specificity."""
    return ratio(c.alarms, c.rest + c.alarms, c.undefined)


@detection(
    symbol="FDR",
    formula="FP / (TP + FP)",
    better="lower",
    proportion=lambda c: (c.sum(c.alarms), c.sum(c.bias)),
    properties=promises.FALSE_DISCOVERIES,
    example=0.3,
)
def false_discovery_rate(c: Counts) -> Array:
    """Share of a class's predictions that are wrong: 1 − precision."""
    return ratio(c.alarms, c.bias, c.undefined)


@of_rest(
    symbol="FOR",
    formula="FN / (TN + FN)",
    better="lower",
    proportion=lambda c: (c.sum(c.misses), c.sum(c.rest + c.misses)),
    properties=promises.FALSE_OMISSIONS,
    example=0.2777777777777778,
)
def false_omission_rate(c: Counts) -> Array:
    """Share of the predictions of other classes that are of this class: 1 − npv."""
    return ratio(c.misses, c.rest + c.misses, c.undefined)


@of_rest(
    symbol="ACC_i",
    formula="(TP + TN) / s",
    proportion=lambda c: (c.sum(c.correct + c.rest), c.total),
    properties=promises.CLASS_ACCURACY,
    example=0.7142857142857143,
)
def class_accuracy(c: Counts) -> Array:
    """Share of items that are rightly taken for the class or for none of it."""
    right = c.correct + c.rest
    return ratio(right, right + c.misses + c.alarms, c.undefined)


@of_rest(
    symbol="BA_i",
    formula="(TP / (TP + FN) + TN / (TN + FP)) / 2",
    reference="Brodersen et al. 2010; the area under a ROC curve of one point",
    properties=promises.CLASS_BALANCED,
    example=0.6979166666666667,
)
def class_balanced_accuracy(c: Counts) -> Array:
    """Mean of a class's recall and specificity."""
    return (recall(c) + specificity(c)) / 2


@of_rest(
    symbol="MCC_i",
    formula="(TP·TN − FP·FN) / √((TP + FP)·(TP + FN)·(TN + FP)·(TN + FN))",
    low=-1.0,
    reference="Matthews 1975",
    properties=promises.CLASS_MCC,
    example=0.40881490876633847,
)
def class_mcc(c: Counts) -> Array:
    """Matthews correlation of the class with its predictions."""
    hit, miss = _shares(c.correct, c.misses)
    alarm, left = _shares(c.alarms, c.rest)
    true, untrue = _shares(c.prevalence, c.rest + c.alarms)
    said, unsaid = _shares(c.bias, c.rest + c.misses)
    xp = namespace(said)
    flat = (real(hit + miss) == 0) | (real(alarm + left) == 0) | (real(said * unsaid) == 0)
    found = (hit * left - alarm * miss) * root(ratio(true * untrue, said * unsaid))
    return xp.where(flat, c.undefined, found)


def _shares(a: Array, b: Array) -> tuple[Array, Array]:
    return ratio(a, a + b), ratio(b, a + b)


@detection(
    symbol="J_i",
    formula="TP / (TP + FP + FN)",
    reference="Jaccard 1901; Gilbert 1884 (critical success index)",
    proportion=lambda c: (c.sum(c.correct), c.sum(c.bias + c.misses)),
    properties=promises.JACCARD,
    example=0.4666666666666667,
)
def jaccard(c: Counts) -> Array:
    """Share of right predictions among the items that concern the class."""
    return ratio(c.correct, c.bias + c.misses, c.undefined)


@detection(
    symbol="T_i",
    formula="TP / (TP + α·FN + β·FP)",
    reference="Tversky 1977",
    least={"alpha": 0.0, "beta": 0.0},
    properties=promises.tversky,
    example=0.6363636363636364,
)
def tversky(c: Counts, *, alpha: float = 0.5, beta: float = 0.5) -> Array:
    """Tversky's index, in which α weighs misses and β false alarms; F1 for halves."""
    return ratio(c.correct, c.correct + alpha * c.misses + beta * c.alarms, c.undefined)


@of_rest(
    symbol="GM_i",
    formula="√(TP / (TP + FN) · TN / (TN + FP))",
    reference="Kubat, Holte & Matwin 1998",
    properties=promises.GMEAN,
    example=0.6884463184107628,
)
@nan_apart
def gmean(c: Counts) -> Array:
    """Geometric mean of a class's recall and specificity."""
    return root(recall(c) * specificity(c))


@detection(
    symbol="FM_i",
    formula="√(TP / (TP + FP) · TP / (TP + FN))",
    reference="Fowlkes & Mallows 1983",
    properties=promises.FOWLKES_MALLOWS,
    example=0.6390096504226938,
)
@nan_apart
def fowlkes_mallows(c: Counts) -> Array:
    """Geometric mean of a class's precision and recall."""
    return root(precision(c) * recall(c))


@of_rest(
    symbol="J",
    formula="TP / (TP + FN) + TN / (TN + FP) − 1",
    low=-1.0,
    reference="Youden 1950; Powers 2011",
    properties=promises.INFORMEDNESS,
    example=0.3958333333333335,
)
def informedness(c: Counts) -> Array:
    """Youden's J: how much better than a guess the class's items are told from the others."""
    return recall(c) + specificity(c) - 1


@of_rest(
    symbol="MK",
    formula="TP / (TP + FP) + TN / (TN + FN) − 1",
    low=-1.0,
    reference="Powers 2011",
    properties=promises.MARKEDNESS,
    example=0.42222222222222205,
)
def markedness(c: Counts) -> Array:
    """How much more a prediction of the class, or of none of it, can be trusted than a guess."""
    return precision(c) + npv(c) - 1


@of_rest(
    symbol="IBA_i",
    formula="(1 + α·(R − TNR))·R·TNR",
    reference="García, Mollineda & Sánchez 2009",
    least={"alpha": 0.0},
    most={"alpha": 1.0},
    properties=promises.iba,
    example=0.3653428819444445,
)
@nan_apart
def iba(c: Counts, *, alpha: float = 1.0) -> Array:
    """Index of balanced accuracy: recall times specificity, more of it where recall leads."""
    r, s = recall(c), specificity(c)
    return (1 + alpha * (r - s)) * r * s


@detection(
    symbol="ICSI",
    formula="TP / (TP + FP) + TP / (TP + FN) − 1",
    low=-1.0,
    reference="Labatut & Cherifi 2012",
    properties=promises.SUCCESS,
    example=0.2833333333333332,
)
def classification_success(c: Counts) -> Array:
    """Individual classification success index: precision plus recall less 1."""
    return precision(c) + recall(c) - 1
