"""Metrics of one class against the others."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial, wraps

from evenhand.core.arrays import Array, floating, namespace
from evenhand.core.distributions import probit
from evenhand.core.margins import Counts, across_classes, halves
from evenhand.core.metrics.information import log2
from evenhand.core.properties import (
    AGAINST_REST,
    BOTH_RISE,
    CONSTANT,
    OF_RATES,
    ONE,
    PRECISION_RISES,
    RECALL,
    RECALL_RISES,
    ROWS_CANCEL,
    SOME,
    Properties,
    derived,
    same_as,
)
from evenhand.core.ratio import Share, ratio, share
from evenhand.core.registry import metric

of_class, against_rest = partial(derived, note=ONE), partial(derived, note=AGAINST_REST)
of_rates = partial(against_rest, of_two=OF_RATES)
SHARE_RISES = "a hit adds to both parts of a share, an error to the lower alone"
RANDOM_ODDS = "TP·TN = FP·FN for random predictions; 0/0 counts as 0"
RARE = "about one class; one more item of it makes it less rare, and worth less to know"


@metric(
    family="gain",
    symbol="gain",
    low=-math.inf,
    high=math.inf,
    tasks=("single",),
    properties=derived(
        "0, complete",
        "R_i = z_i for random predictions, so ΣR_i − 1 = Σz_i − 1 = 0",
        "an unbounded sum, in units of one item's stake",
        even=same_as(RECALL, "calibrated it is k·macR − 1", "0, complete"),
    ),
    words=("bookmaker", "fair odds"),
    default=True,
    size="factor",
)
def bookmaker_gain(c: Counts) -> Array:
    """What betting one unit on every prediction would win at fair odds s/prevalence.

    Formula: s·(Σ correct / prevalence − 1), over the classes that are true of some item
    Reference: Opitz 2022, eq. 9-13
    """
    return floating(c.total) * (c.all_classes.sum(ratio(c.correct, c.prevalence)) - 1)


# Precision, recall and F


def f_rises(beta: float = 1.0) -> str:
    """Why the Fβ of a class is monotone."""
    b = "" if beta in (0, 1) else f", β = {beta:g}"
    return (
        "∂Fβ_i/∂m_ii = (1+β²)(Y_i − (1+β²)correct_i)/Y_i² ≥ 0 with Y = β²·prevalence + bias, and "
        f"an error only adds to Y_i and Y_j{b}"
    )


def _f_properties(beta: float = 1.0) -> Properties:
    return of_class(monotonicity=f_rises(beta))


one_class = partial(
    metric, family="one_class", of_one_class=True, reference="Opitz & Burst 2019, eq. 1"
)


@one_class(symbol="P", properties=of_class(monotonicity=PRECISION_RISES))
@share
def precision(c: Counts) -> Share:
    """Share of a class's predictions that are right.

    Formula: correct / bias
    """
    return c.correct, c.bias


@one_class(
    symbol="R",
    properties=derived(
        "1",
        "R_i = z_i, at most 1",
        f"{ONE}; a classifier that predicts nothing else gets 1",
        monotonicity=RECALL_RISES,
        prevalence_invariance=ROWS_CANCEL,
    ),
)
@share
def recall(c: Counts) -> Share:
    """Share of a class's items that are found.

    Formula: correct / prevalence
    """
    return c.correct, c.prevalence


@one_class(
    symbol="F1",
    properties=_f_properties(),
    proportion=lambda c: (c.correct, c.bias + c.prevalence - c.correct),
    through=lambda jaccard: 2 * jaccard / (1 + jaccard),
)
def f1(c: Counts) -> Array:
    """Harmonic mean of a class's precision and recall, defined whenever the class occurs.

    Formula: 2·correct / (bias + prevalence)
    """
    return ratio(2 * c.correct, c.bias + c.prevalence, c.undefined)


@one_class(symbol="Fβ", properties=_f_properties, least={"beta": 0.0}, variant_of="f1")
def fbeta(c: Counts, *, beta: float = 1.0) -> Array:
    """Weighted harmonic mean of a class's precision and recall; β > 1 favours recall.

    Formula: (1+β²)·correct / (β²·prevalence + bias)
    Reference: van Rijsbergen 1979; Sokolova & Lapalme 2009
    """
    correct, bias, prevalence = floating(c.correct), floating(c.bias), floating(c.prevalence)
    both = bias + prevalence
    hit, guess, truth = (ratio(x, both) for x in (correct, bias, prevalence))
    v, w = halves(beta)
    return ratio(v * hit + w * hit, v * guess + w * truth, c.undefined)  # never above 1


# Rates of one class against the rest, and their means

detection = partial(metric, family="detection", of_one_class=True, reference="Powers 2011")
one_vs_rest = partial(detection, one_vs_rest=True)


def root(x: Array) -> Array:
    """√x of x ≥ 0; its slope at 0, which is infinite, is taken as 0."""
    xp = namespace(x)
    zero = x <= 0
    return xp.where(zero, 0.0, xp.sqrt(xp.where(zero, 1.0, x)))


def nan_apart(function: Callable[..., Array]) -> Callable[..., Array]:
    """A product of rates that is computed without NaN, also where 0/0 is NaN.

    Automatic differentiation would multiply the NaN with the slope 0 of a class left out.
    """

    @wraps(function)
    def masked(c: Counts, **options: float) -> Array:
        values = function(c, **options)
        if not math.isnan(c.undefined):
            return values
        known = function(replace(c, undefined=0.0), **options)
        return namespace(known).where(namespace(known).isnan(values), c.undefined, known)

    return masked


@one_vs_rest(
    symbol="TNR",
    properties=of_rates("1", "TNR = 1 − z, which is 1 for who never predicts the class"),
)
@share
def specificity(c: Counts) -> Share:
    """Share of the other classes' items that are not taken for the class.

    Formula: TN / (TN + FP)
    Reference: Yerushalmy 1947
    """
    return c.true_negatives, c.true_negatives + c.false_positives


@one_vs_rest(symbol="NPV", properties=against_rest())
@share
def npv(c: Counts) -> Share:
    """Share of the predictions of other classes that are right not to be of this one.

    Formula: TN / (TN + FN)
    Reference: Vecchio 1966
    """
    return c.true_negatives, c.true_negatives + c.false_negatives


@detection(
    symbol="FNR",
    better="lower",
    properties=derived(
        "0",
        "FNR = 1 − z, at least 0",
        "it is about one class; a classifier that predicts nothing else gets 0",
        monotonicity=f"1 − recall: {RECALL_RISES}",
        prevalence_invariance=ROWS_CANCEL,
    ),
)
@share
def false_negative_rate(c: Counts) -> Share:
    """Share of a class's items that are missed: 1 − recall.

    Formula: FN / (TP + FN)
    """
    return c.false_negatives, c.prevalence


@one_vs_rest(
    symbol="FPR",
    better="lower",
    properties=of_rates("0", "FPR = z, which is 0 for who never predicts the class"),
)
@share
def false_positive_rate(c: Counts) -> Share:
    """Share of the other classes' items that are taken for the class: 1 − specificity.

    Formula: FP / (TN + FP)
    """
    return c.false_positives, c.true_negatives + c.false_positives


@detection(
    symbol="FDR",
    better="lower",
    properties=of_class(
        "0",
        "who never predicts the class has no wrong prediction of it: 0/0 counts as 0",
        monotonicity=f"1 − precision where it is predicted: {PRECISION_RISES}; an error is at "
        "worst the first prediction, which takes it from 0 to 1",
    ),
)
@share
def false_discovery_rate(c: Counts) -> Share:
    """Share of a class's predictions that are wrong: 1 − precision.

    Formula: FP / (TP + FP)
    """
    return c.false_positives, c.bias


@one_vs_rest(
    symbol="FOR",
    better="lower",
    properties=against_rest(
        "0", "who predicts nothing but the class omits nothing: 0/0 counts as 0"
    ),
)
@share
def false_omission_rate(c: Counts) -> Share:
    """Share of the predictions of other classes that are of this class: 1 − npv.

    Formula: FN / (TN + FN)
    """
    return c.false_negatives, c.true_negatives + c.false_negatives


@one_vs_rest(symbol="ACC_i", properties=against_rest())
@share
def class_accuracy(c: Counts) -> Share:
    """Share of items that are rightly taken for the class or for none of it.

    Formula: (TP + TN) / s
    """
    right = c.correct + c.true_negatives
    return right, right + c.false_negatives + c.false_positives


@one_vs_rest(symbol="BA_i", properties=of_rates("1/2, complete", "R + TNR = z + (1 − z) = 1"))
def class_balanced_accuracy(c: Counts) -> Array:
    """Mean of a class's recall and specificity.

    Formula: (TP / (TP + FN) + TN / (TN + FP)) / 2
    Reference: Brodersen et al. 2010; the area under a ROC curve of one point
    """
    return (recall(c) + specificity(c)) / 2


@one_vs_rest(symbol="MCC_i", low=-1.0, properties=against_rest("0, complete", RANDOM_ODDS))
def class_mcc(c: Counts) -> Array:
    """Matthews correlation of the class with its predictions.

    Formula: (TP·TN − FP·FN) / √((TP + FP)·(TP + FN)·(TN + FP)·(TN + FN))
    Reference: Matthews 1975
    """
    hit, miss = _shares(c.correct, c.false_negatives)
    alarm, left = _shares(c.false_positives, c.true_negatives)
    true, untrue = _shares(c.prevalence, c.true_negatives + c.false_positives)
    predicted, unpredicted = _shares(c.bias, c.true_negatives + c.false_negatives)
    truth, guess = true * untrue, predicted * unpredicted
    constant = (hit + miss == 0) | (alarm + left == 0) | (guess == 0)
    correlation = (hit * left - alarm * miss) * root(ratio(truth, guess))
    return namespace(guess).where(constant, c.undefined, correlation)


def _shares(a: Array, b: Array) -> tuple[Array, Array]:
    return ratio(a, a + b), ratio(b, a + b)


@detection(symbol="J_i", properties=of_class(monotonicity=f"TP/(TP + FP + FN): {SHARE_RISES}"))
@share
def jaccard(c: Counts) -> Share:
    """Share of right predictions among the items that concern the class.

    Formula: TP / (TP + FP + FN)
    Reference: Jaccard 1901; Gilbert 1884 (critical success index)
    """
    return c.correct, c.bias + c.false_negatives


def _tversky_properties(alpha: float = 0.5, beta: float = 0.5) -> Properties:
    rises = f"TP/(TP + α·FN + β·FP): {SHARE_RISES}"
    if beta != 0:
        return of_class(monotonicity=rises)
    return of_class(
        "1",
        "a function of R = z that is 1 for who predicts nothing else",
        monotonicity=rises,
        prevalence_invariance="scaling a true row multiplies TP and FN alike",
    )


@detection(symbol="T_i", least={"alpha": 0.0, "beta": 0.0}, properties=_tversky_properties)
def tversky(c: Counts, *, alpha: float = 0.5, beta: float = 0.5) -> Array:
    """Tversky's index, in which α weighs misses and β false alarms; F1 for halves.

    Formula: TP / (TP + α·FN + β·FP)
    Reference: Tversky 1977
    """
    return ratio(
        c.correct, c.correct + alpha * c.false_negatives + beta * c.false_positives, c.undefined
    )


@one_vs_rest(symbol="GM_i", properties=of_rates("1/2", "√(z(1 − z)), largest at z = 1/2"))
@nan_apart
def gmean(c: Counts) -> Array:
    """Geometric mean of a class's recall and specificity.

    Formula: √(TP / (TP + FN) · TN / (TN + FP))
    Reference: Kubat, Holte & Matwin 1998
    """
    return root(recall(c) * specificity(c))


@detection(symbol="FM_i", properties=of_class(monotonicity=f"√(P·R), {BOTH_RISE}"))
@nan_apart
def fowlkes_mallows(c: Counts) -> Array:
    """Geometric mean of a class's precision and recall.

    Formula: √(TP / (TP + FP) · TP / (TP + FN))
    Reference: Fowlkes & Mallows 1983
    """
    return root(precision(c) * recall(c))


@one_vs_rest(
    symbol="J", low=-1.0, properties=of_rates("0, complete", "R + TNR − 1 = z + (1 − z) − 1 = 0")
)
def informedness(c: Counts) -> Array:
    """Youden's J: how much better than a guess the class's items are told from the others.

    Formula: TP / (TP + FN) + TN / (TN + FP) − 1
    Reference: Youden 1950; Powers 2011
    """
    return recall(c) + specificity(c) - 1


@one_vs_rest(
    symbol="MK",
    low=-1.0,
    properties=against_rest(
        "0, complete", "P + NPV − 1 = π + (1 − π) − 1 = 0, less where one of them is 0/0"
    ),
)
def markedness(c: Counts) -> Array:
    """How much more a prediction of the class, or of none of it, can be trusted than a guess.

    Formula: TP / (TP + FP) + TN / (TN + FN) − 1
    Reference: Powers 2011
    """
    return precision(c) + npv(c) - 1


def _iba_properties(alpha: float = 1.0) -> Properties:
    best, of_z = {0.0: "1/4", 1.0: "8/27"}, "(1 + α(2z − 1))·z(1 − z) depends on z alone"
    note = "about one class; what specificity loses where it leads can raise it"
    return derived(best.get(alpha, SOME), of_z, note, of_two=OF_RATES)


@one_vs_rest(symbol="IBA_i", least={"alpha": 0.0}, most={"alpha": 1.0}, properties=_iba_properties)
@nan_apart
def iba(c: Counts, *, alpha: float = 1.0) -> Array:
    """Index of balanced accuracy: recall times specificity, more of it where recall leads.

    Formula: (1 + α·(R − TNR))·R·TNR
    Reference: García, Mollineda & Sánchez 2009
    """
    r, s = recall(c), specificity(c)
    return (1 + alpha * (r - s)) * r * s


@detection(symbol="ICSI", low=-1.0, properties=of_class(monotonicity=f"P + R − 1, {BOTH_RISE}"))
def classification_success(c: Counts) -> Array:
    """Individual classification success index: precision plus recall less 1.

    Formula: TP / (TP + FP) + TP / (TP + FN) − 1
    Reference: Labatut & Cherifi 2012
    """
    return precision(c) + recall(c) - 1


# Odds, likelihood ratios, lift and other metrics without an upper end

odds = partial(metric, family="odds", of_one_class=True, one_vs_rest=True, high=math.inf)


def unbounded(top: Array, bottom: Array, undefined: float) -> Array:
    """``top / bottom``, infinite where only the bottom is 0, ``undefined`` where both are."""
    xp = namespace(top, bottom)
    endless = (bottom == 0) & (top > 0)
    return xp.where(endless, math.inf, ratio(top, bottom, undefined))


@odds(symbol="LR+", properties=of_rates("1, complete", "R/FPR = z/z = 1, and 0/0 counts as 0"))
@nan_apart
def positive_likelihood_ratio(c: Counts) -> Array:
    """How many times as often the class is predicted of its own items as of others.

    Formula: R / FPR
    Reference: Deeks & Altman 2004
    """
    return unbounded(recall(c), false_positive_rate(c), c.undefined)


@odds(
    symbol="LR−",
    better="lower",
    properties=of_rates(
        "0", "FNR/TNR = 1, but who predicts nothing else has 0/0, which counts as 0"
    ),
)
@nan_apart
def negative_likelihood_ratio(c: Counts) -> Array:
    """How many times as often another class is predicted of the class's items as of others.

    Formula: FNR / TNR
    Reference: Deeks & Altman 2004
    """
    return unbounded(false_negative_rate(c), specificity(c), c.undefined)


def _products(c: Counts) -> tuple[Array, Array]:
    """TP·TN and FP·FN, both as parts of (TP + FN)·(TN + FP)."""
    right = ratio(c.correct, c.prevalence) * ratio(
        c.true_negatives, c.true_negatives + c.false_positives
    )
    wrong = ratio(c.false_negatives, c.prevalence) * ratio(
        c.false_positives, c.true_negatives + c.false_positives
    )
    return right, wrong


@odds(
    symbol="DOR",
    properties=of_rates("1, complete", "TP·TN = FP·FN for random predictions, and 0/0 counts as 0"),
)
def diagnostic_odds_ratio(c: Counts) -> Array:
    """Odds of a prediction of the class among its items, over those among others.

    Formula: TP·TN / (FP·FN)
    Reference: Glas et al. 2003
    """
    return unbounded(*_products(c), c.undefined)


@odds(symbol="Q", low=-1.0, high=1.0, properties=of_rates("0, complete", RANDOM_ODDS))
def yule_q(c: Counts) -> Array:
    """Yule's Q: the odds ratio on a scale from −1 to 1.

    Formula: (TP·TN − FP·FN) / (TP·TN + FP·FN)
    Reference: Yule 1900
    """
    right, wrong = _products(c)
    return ratio(right - wrong, right + wrong, c.undefined)


@odds(symbol="Y", low=-1.0, high=1.0, properties=of_rates("0, complete", RANDOM_ODDS))
def yule_y(c: Counts) -> Array:
    """Yule's coefficient of colligation, of the root of the odds ratio.

    Formula: (√(TP·TN) − √(FP·FN)) / (√(TP·TN) + √(FP·FN))
    Reference: Yule 1912
    """
    right, wrong = map(root, _products(c))
    return ratio(right - wrong, right + wrong, c.undefined)


@odds(
    symbol="d′",
    low=-math.inf,
    properties=of_rates("0, complete", "R = FPR = z for random predictions"),
)
def d_prime(c: Counts) -> Array:
    """Distance of the class from the others in standard deviations of equal normal noise.

    Formula: Φ⁻¹(R) − Φ⁻¹(FPR)
    Reference: Green & Swets 1966
    """
    hit, alarm = recall(c), false_positive_rate(c)
    xp = namespace(hit)
    ends = (hit == alarm) & ((hit == 0) | (hit == 1))
    ends = ends | xp.isnan(hit) | xp.isnan(alarm)
    distance = probit(xp.where(ends, 0.5, hit)) - probit(xp.where(ends, 0.5, alarm))
    return xp.where(ends, c.undefined, distance)


@odds(
    symbol="lift",
    properties=derived(
        "1, complete", "P = π where the class is predicted, and 0/0 counts as 0", RARE
    ),
)
@nan_apart
def lift(c: Counts) -> Array:
    """How many times as often a prediction of the class is right as a guess would be.

    Formula: P / (prevalence / s)
    Reference: Brin et al. 1997
    """
    return ratio(precision(c), c.share(c.prevalence), c.undefined)


@odds(
    symbol="IS",
    low=-math.inf,
    properties=derived("0, complete", "the logarithm of P/π = 1, and 0/0 counts as 0", RARE),
)
@nan_apart
def information_score(c: Counts) -> Array:
    """Bits that a prediction of the class tells of it: the logarithm of the lift.

    Formula: log₂(P / (prevalence / s))
    Reference: Kononenko & Bratko 1991
    """
    times = lift(c)
    xp = namespace(times)
    none = times <= 0
    unknown = (c.bias == 0) | (c.prevalence == 0)
    return xp.where(unknown, c.undefined, xp.where(none, -math.inf, log2(times)))


@odds(
    symbol="NB",
    low=-math.inf,
    least={"w": 0.0},
    properties=derived(note="about one class; below 0, an item more dilutes the loss"),
)
def net_benefit(c: Counts, *, w: float = 1.0) -> Array:
    """Hits less w times the false alarms, an item; w is the odds of the threshold.

    Formula: (TP − w·FP) / s
    Reference: Vickers & Elkin 2006
    """
    gain = floating(c.correct) - w * floating(c.false_positives)
    return ratio(gain, across_classes(c.total) + 0 * gain, c.undefined)


@odds(
    symbol="s/p",
    better="neither",
    properties=derived(note="the class mix alone: it says nothing of predictions", even=CONSTANT),
)
def bookmaker_odds(c: Counts) -> Array:
    """What a fair bookmaker pays for one unit on the class: one over its share of the items.

    Formula: s / prevalence
    Reference: Opitz 2022, eq. 9-13
    """
    return ratio(across_classes(c.total) + 0 * c.prevalence, c.prevalence, c.undefined)
