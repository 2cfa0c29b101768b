"""Odds of a class: likelihood ratios, lift and what else has no upper end."""

from __future__ import annotations

import math
from functools import partial

from evenhand.core import class_promises as promises
from evenhand.core.arrays import Array, floating, namespace, real
from evenhand.core.counts import Counts, column
from evenhand.core.metrics.detection import (
    false_negative_rate,
    false_positive_rate,
    nan_apart,
    root,
    specificity,
)
from evenhand.core.metrics.information import log2
from evenhand.core.metrics.one_class import precision, recall
from evenhand.core.probit import probit
from evenhand.core.ratio import ratio
from evenhand.core.registry import metric

odds = partial(metric, of_one_class=True, of_rest=True, high=math.inf, precision=1e-14)


def unbounded(top: Array, bottom: Array, undefined: float) -> Array:
    """``top / bottom``, infinite where only the bottom is 0, ``undefined`` where both are."""
    xp = namespace(top, bottom)
    endless = (real(bottom) == 0) & (real(top) > 0)
    return xp.where(endless, math.inf, ratio(top, bottom, undefined))


@odds(
    symbol="LR+",
    formula="R / FPR",
    reference="Deeks & Altman 2004",
    properties=promises.LR_PLUS,
    example=3.111111111111111,
)
@nan_apart
def positive_likelihood_ratio(c: Counts) -> Array:
    """How many times as often the class is predicted of its own items as of others."""
    return unbounded(recall(c), false_positive_rate(c), c.undefined)


@odds(
    symbol="LR−",
    formula="FNR / TNR",
    better="lower",
    reference="Deeks & Altman 2004",
    properties=promises.LR_MINUS,
    example=0.5128205128205129,
)
@nan_apart
def negative_likelihood_ratio(c: Counts) -> Array:
    """How many times as often another class is predicted of the class's items as of others."""
    return unbounded(false_negative_rate(c), specificity(c), c.undefined)


def _products(c: Counts) -> tuple[Array, Array]:
    """TP·TN and FP·FN, both as parts of (TP + FN)·(TN + FP)."""
    right = ratio(c.correct, c.prevalence) * ratio(c.rest, c.rest + c.alarms)
    wrong = ratio(c.misses, c.prevalence) * ratio(c.alarms, c.rest + c.alarms)
    return right, wrong


@odds(
    symbol="DOR",
    formula="TP·TN / (FP·FN)",
    reference="Glas et al. 2003",
    properties=promises.ODDS_RATIO,
    example=6.066666666666667,
)
def diagnostic_odds_ratio(c: Counts) -> Array:
    """Odds of a prediction of the class among its items, over those among others."""
    return unbounded(*_products(c), c.undefined)


@odds(
    symbol="Q",
    formula="(TP·TN − FP·FN) / (TP·TN + FP·FN)",
    low=-1.0,
    high=1.0,
    reference="Yule 1900",
    properties=promises.YULE,
    example=0.7169811320754718,
)
def yule_q(c: Counts) -> Array:
    """Yule's Q: the odds ratio on a scale from −1 to 1."""
    right, wrong = _products(c)
    return ratio(right - wrong, right + wrong, c.undefined)


@odds(
    symbol="Y",
    formula="(√(TP·TN) − √(FP·FN)) / (√(TP·TN) + √(FP·FN))",
    low=-1.0,
    high=1.0,
    reference="Yule 1912",
    properties=promises.YULE,
    example=0.42247614726783334,
)
def yule_y(c: Counts) -> Array:
    """Yule's coefficient of colligation, of the root of the odds ratio."""
    right, wrong = map(root, _products(c))
    return ratio(right - wrong, right + wrong, c.undefined)


@odds(
    symbol="d′",
    formula="Φ⁻¹(R) − Φ⁻¹(FPR)",
    low=-math.inf,
    reference="Green & Swets 1966",
    properties=promises.D_PRIME,
    example=1.0975749532668009,
)
def d_prime(c: Counts) -> Array:
    """Distance of the class from the others in standard deviations of equal normal noise."""
    hit, alarm = recall(c), false_positive_rate(c)
    xp = namespace(hit)
    ends = (real(hit) == real(alarm)) & ((real(hit) == 0) | (real(hit) == 1))
    ends = ends | xp.isnan(real(hit)) | xp.isnan(real(alarm))
    found = probit(xp.where(ends, 0.5, hit)) - probit(xp.where(ends, 0.5, alarm))
    return xp.where(ends, c.undefined, found)


@odds(
    symbol="lift",
    formula="P / (prevalence / s)",
    reference="Brin et al. 1997",
    properties=promises.LIFT,
    example=1.6333333333333333,
)
@nan_apart
def lift(c: Counts) -> Array:
    """How many times as often a prediction of the class is right as a guess would be."""
    return ratio(precision(c), c.share(c.prevalence), c.undefined)


@odds(
    symbol="IS",
    formula="log₂(P / (prevalence / s))",
    low=-math.inf,
    reference="Kononenko & Bratko 1991",
    properties=promises.INFORMATION_SCORE,
    example=0.7078192485066896,
)
@nan_apart
def information_score(c: Counts) -> Array:
    """Bits that a prediction of the class tells of it: the logarithm of the lift."""
    times = lift(c)
    xp = namespace(times)
    none = real(times) <= 0
    unknown = (real(c.bias) == 0) | (real(c.prevalence) == 0)
    return xp.where(unknown, c.undefined, xp.where(none, -math.inf, log2(times)))


@odds(
    symbol="NB",
    formula="(TP − w·FP) / s",
    low=-math.inf,
    reference="Vickers & Elkin 2006",
    least={"w": 0.0},
    properties=promises.NET_BENEFIT,
    example=0.14285714285714285,
)
def net_benefit(c: Counts, *, w: float = 1.0) -> Array:
    """Hits less w times the false alarms, an item; w is the odds of the threshold."""
    gain = floating(c.correct) - w * floating(c.alarms)
    return ratio(gain, column(c.total) + 0 * gain, c.undefined)


@odds(
    symbol="s/p",
    formula="s / prevalence",
    better="neither",
    reference="Opitz 2022, eq. 9-13",
    properties=promises.BOOKMAKER_ODDS,
    example=2.3333333333333335,
)
def bookmaker_odds(c: Counts) -> Array:
    """What a fair bookmaker pays for one unit on the class: one over its share of the items."""
    return ratio(column(c.total) + 0 * c.prevalence, c.prevalence, c.undefined)
