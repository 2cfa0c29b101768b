"""Metrics of class probabilities and other scores of items."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from evenhand.core.arrays import Array
from evenhand.core.autodiff import plain
from evenhand.core.contingency import by_group
from evenhand.core.ratio import ratio
from evenhand.core.registry import metric
from evenhand.core.scores import (
    ItemScores,
    area_under_precision_recall,
    area_under_roc,
    mean_precision,
    partial_area_under_roc,
)

LEAST = float(np.finfo(np.float64).eps)
"""The smallest probability whose logarithm is taken, as scikit-learn has it."""
AGAINST_REST = ("macro", "weighted", "micro")
PAIRS = ("ovr", "ovr_weighted", "ovo", "ovo_weighted", "micro", "macro", "weighted")

of_scores = partial(metric, needs="scores", family="probability", tasks=("single",))
of_order = partial(of_scores, tasks=("single", "multi"), of_order=True)
loss = partial(of_scores, better="lower")
Curve = Callable[[Array, Array], Array]


def _averaged(c: ItemScores, of_curve: Curve, average: str) -> Array:
    """A number of curves: of the second of two classes, else averaged over one against the rest."""
    classes = c.varied
    if not classes:
        return math.nan
    if c.k == 2 and not c.several_labels:
        return of_curve(*c.curve(1))
    if average == "micro":
        return of_curve(*c.curve(None))
    if average.startswith("ovo"):
        return _over_pairs(c, of_curve, classes, weighted=average == "ovo_weighted")
    sizes = [c.total(j) if "weighted" in average else 1.0 for j in classes]
    return _mean([of_curve(*c.curve(j)) for j in classes], sizes)


def _over_pairs(c: ItemScores, of_curve: Curve, classes: list[int], *, weighted: bool) -> Array:
    """The mean over pairs of classes, each told from the other by both of their scores."""
    pairs = [(i, j) for i in classes for j in classes if i < j]
    values = [(of_curve(*c.curve(i, j)) + of_curve(*c.curve(j, i))) / 2 for i, j in pairs]
    return _mean(values, [c.total(i) + c.total(j) if weighted else 1.0 for i, j in pairs])


def _mean(values: list[Array], weights: list[Array]) -> Array:
    return sum(x * w for x, w in zip(values, weights, strict=True)) / sum(weights)


@of_order(
    symbol="AUC",
    title="ROC AUC",
    choices={"average": PAIRS},
    least={"max_fpr": 1e-6},
    most={"max_fpr": 1.0},
    default=True,
)
def roc_auc(c: ItemScores, *, average: str = "ovr", max_fpr: float = 1.0) -> Array:
    """Area under the ROC curve: the chance that scores put two items of different classes right.

    Formula: share of the pairs of an item of the class and another in which it scores higher, ties
        half
    Reference: Hanley & McNeil 1982; Hand & Till 2001 (ovo); McClish 1989 (max_fpr)
    """
    area: Curve = area_under_roc
    if max_fpr < 1:
        area = partial(partial_area_under_roc, most=max_fpr)
    return _averaged(c, area, average)


@of_order(symbol="AP", choices={"average": AGAINST_REST}, default=True)
def average_precision(c: ItemScores, *, average: str = "macro") -> Array:
    """Mean of the precision at each item of the class, from the highest score down.

    Formula: Σ over scores of (recall − recall before)·precision
    Reference: Manning, Raghavan & Schütze 2008, section 8.4; scikit-learn
    """
    return _averaged(c, mean_precision, average)


@of_order(symbol="PR-AUC", title="PR AUC by trapezoids", choices={"average": AGAINST_REST})
def pr_auc_trapezoid(c: ItemScores, *, average: str = "macro") -> Array:
    """Area under straight lines between points of precision and recall, which is too high.

    Formula: Σ over scores of (recall − recall before)·(precision + precision before) / 2
    Reference: Davis & Goadrich 2006 (why it is too high)
    """
    return _averaged(c, area_under_precision_recall, average)


def _mean_square(c: ItemScores, probabilities: Array, scale: str) -> Array:
    """The mean squared error of probabilities, halved on the scale of 1."""
    return c.mean(((probabilities - c.truth) ** 2).sum(axis=-1)) / _square_of_one(c, scale)


def _square_of_one(c: ItemScores, scale: str) -> int:
    """The sum of squares that is 1 on a scale, whose largest is 2."""
    return 2 if scale == "1" or (scale == "auto" and c.k == 2) else 1


SCALES = {"scale": ("auto", "1", "2")}


@loss(symbol="BS", title="Brier score", high=2.0, choices=SCALES, default=True, is_mean=True)
def brier(c: ItemScores, *, scale: str = "auto") -> Array:
    """Squared error of the probabilities: to 1 for two classes and to 2 for more, unless said.

    Formula: mean over items of Σ (probability − [class is true])², halved on the scale of 1
    Reference: Brier 1950
    """
    return _mean_square(c, c.scores, scale)


def _recalibrated(c: ItemScores, scale: str) -> Array:
    """The squared errors left after the best increasing change of each class's probabilities.

    By isotonic regression; its derivative in a weight is that of the mean alone, since a least
    sum of squares does not move with what it is least in.
    """
    from scipy.optimize import isotonic_regression

    squares: Array = 0.0
    for j in range(c.k):
        hits, misses = c.curve(j)
        own, sums = plain(hits), plain(hits) + plain(misses)
        known, fit = sums > 0, np.zeros(len(sums))
        shares = own[known] / sums[known]
        fit[known] = isotonic_regression(shares, weights=sums[known], increasing=False).x
        squares = squares + (hits * (1 - fit) ** 2 + misses * fit**2).sum()
    return ratio(squares, c.weight.sum(), math.nan) / _square_of_one(c, scale)


def _unconditional(c: ItemScores, scale: str) -> Array:
    """The squared errors of the class mix as everybody's probability."""
    mix = ratio(plain(c.weight) @ c.truth, plain(c.weight).sum())
    return _mean_square(c, mix, scale)


corp = partial(
    of_scores, high=2.0, choices=SCALES, reference="Dimitriadis, Gneiting & Jordan 2021 (CORP)"
)


@corp(symbol="MCB", title="Brier miscalibration", better="lower", smooth=False)
def brier_miscalibration(c: ItemScores, *, scale: str = "auto") -> Array:
    """What the Brier score would lose if the probabilities were recalibrated.

    Formula: brier − brier of the probabilities after isotonic regression
    """
    return brier(c, scale=scale) - _recalibrated(c, scale)


@corp(symbol="DSC", title="Brier discrimination")
def brier_discrimination(c: ItemScores, *, scale: str = "auto") -> Array:
    """How much better recalibrated probabilities are than the class mix for every item.

    Formula: brier_uncertainty − brier of the probabilities after isotonic regression
    """
    return _unconditional(c, scale) - _recalibrated(c, scale)


@corp(symbol="UNC", title="Brier uncertainty", better="neither")
def brier_uncertainty(c: ItemScores, *, scale: str = "auto") -> Array:
    """The Brier score of the class mix as everybody's probability.

    Formula: Σ p·(1 − p) of the shares p of the classes, halved on the scale of 1
    """
    return _unconditional(c, scale)


@loss(symbol="LL", title="Log loss", high=math.inf, default=True, is_mean=True)
def log_loss(c: ItemScores) -> Array:
    """Mean surprise at the true classes, in nats.

    Formula: −mean over items of ln(probability of the true class), none below 2.2e-16
    Reference: Good 1952
    """
    return c.mean(-np.log(np.clip((c.scores * c.truth).sum(axis=-1), LEAST, 1 - LEAST)))


@loss(symbol="ECE", title="Expected calibration error", smooth=False, least={"bins": 1.0})
def ece(c: ItemScores, *, bins: float = 15.0) -> Array:
    """Gap between confidence and accuracy by bins of confidence; too high in small samples.

    Formula: Σ over bins of |Σ (largest probability − [its class is true])| / items
    Reference: Guo et al. 2017; biased upwards: Kumar, Liang & Ma 2019
    """
    first = c.scores.argmax(axis=-1)
    rows = np.arange(len(first))
    confidence, hit = c.scores[rows, first], c.truth[rows, first]
    number = int(bins)
    code = np.clip(np.ceil(confidence * number).astype(np.int64) - 1, 0, number - 1)
    gaps = by_group(c.weight * (confidence - hit), code, number)
    return ratio(np.absolute(gaps).sum(), c.weight.sum(), math.nan)


@of_scores(symbol="top-k", title="Top-k accuracy", of_order=True, least={"k": 1.0}, is_mean=True)
def top_k_accuracy(c: ItemScores, *, k: float = 2.0) -> Array:
    """Share of items whose true class has one of the k highest scores.

    Formula: share of items whose true class is among the k of the highest scores
    Reference: Russakovsky et al. 2015; ties as scikit-learn has them
    """
    true = c.truth.argmax(axis=-1)[:, None]
    own = np.take_along_axis(c.scores, true, axis=-1)
    later = (c.scores == own) & (np.arange(c.k) > true)
    before = ((c.scores > own) | later).sum(axis=-1)
    return c.mean(1.0 * (before < k))


def _share_right(c: ItemScores) -> tuple[Array, Array]:
    """Right answers and answers of each system whose grades are 0 and 1, of unweighted items."""
    grades = (c.scores * c.truth).sum(axis=-1)
    present = ~np.isnan(grades)
    is_binary = np.all((grades == 0) | (grades == 1) | ~present, axis=-1) & np.all(c.weight == 1)
    return np.nansum(grades, axis=-1), np.where(is_binary, present.sum(axis=-1), np.nan)


@of_scores(symbol="score", title="Mean score", proportion=_share_right, is_mean=True)
def mean_score(c: ItemScores) -> Array:
    """Mean grade of answers, from 0 to 1; of class probabilities, that of the true class.

    An item without a grade is one that the system was not asked.

    Formula: Σ of the grades / items
    Reference: Miller 2024 (its error, clustered and paired)
    """
    grades = (c.scores * c.truth).sum(axis=-1)
    graded = ~np.isnan(grades)
    return ratio(c.sum(np.where(graded, grades, 0.0)), c.sum(1.0 * graded), math.nan)
