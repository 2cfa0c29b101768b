"""What the predictions tell of the truth, in bits. No class at all is a prediction like others."""

from __future__ import annotations

import math
from functools import partial

from evenhand.core.arrays import Array, namespace, not_below_zero, within_one
from evenhand.core.contingency import Contingency
from evenhand.core.margins import Counts
from evenhand.core.properties import DESCRIBES, FIXED, by_rows, derived
from evenhand.core.ratio import ratio
from evenhand.core.registry import metric

bits = partial(metric, tasks=("single",), high=math.inf, better="neither", reference="Shannon 1948")
of_cells = partial(bits, needs="cells")
INDEPENDENT = "truth and prediction are independent: every cell is π·z,"
INFORMATION = derived("0, complete", f"{INDEPENDENT} so that log(m/(p·b)) = 0 everywhere")
ROW_ENTROPY = derived(
    note=DESCRIBES.note, even=by_rows("log₂ k and the mean of the entropies of the true rows", None)
)


def log2(x: Array) -> Array:
    """log₂ x, and 0 where x is 0: such a share does not count."""
    xp = namespace(x)
    none = x <= 0
    return xp.where(none, 0.0, xp.log(xp.where(none, 1.0, x)) / math.log(2))


@bits(symbol="H(T)", properties=FIXED)
def entropy_true(c: Counts) -> Array:
    """Bits that the true class of an item is worth.

    Formula: −Σ p·log₂ p, with p = prevalence / s
    """
    p = c.share(c.prevalence)
    return 0.0 - c.all_classes.sum(p * log2(p))


@bits(symbol="H(P)", properties=DESCRIBES)
def entropy_pred(c: Counts) -> Array:
    """Bits that a prediction is worth.

    Formula: −Σ b·log₂ b, with b = bias / s
    """
    b, lost = c.share(c.bias), c.outside_share
    return 0.0 - c.all_classes.sum(b * log2(b)) - lost * log2(lost)


def _cross(c: Counts, numerator: Array, b: Array) -> Array:
    """Σ p·log₂(numerator / b), infinite where a class that is true is never predicted."""
    p = c.share(c.prevalence)
    xp = namespace(p)
    never = (p > 0) & (b == 0)
    divergence = c.all_classes.sum(xp.where(never, 0.0, p * (log2(numerator) - log2(b))))
    return xp.where(c.all_classes.sum(xp.where(never, 1.0, 0.0)) > 0, math.inf, divergence)


@bits(symbol="H(T;P)", properties=DESCRIBES)
def cross_entropy(c: Counts) -> Array:
    """Bits that the true classes cost in a code made for the mix of the predictions.

    Formula: −Σ p·log₂ b, with p = prevalence / s, b = bias / s
    """
    b = c.share(c.bias)
    return _cross(c, 0 * b + 1.0, b)


@bits(
    symbol="D(T‖P)",
    better="lower",
    properties=derived("0", "predictions of the mix of the classes, z = π, have none"),
)
def kl_divergence(c: Counts) -> Array:
    """Bits lost by taking the mix of the predictions for the mix of the classes.

    Formula: Σ p·log₂(p / b), with p = prevalence / s, b = bias / s
    Reference: Kullback & Leibler 1951
    """
    return not_below_zero(_cross(c, c.share(c.prevalence), c.share(c.bias)))


@of_cells(symbol="H(T,P)", properties=ROW_ENTROPY)
def joint_entropy(c: Contingency) -> Array:
    """Bits that an item's true class and prediction are worth together.

    Formula: −Σ m·log₂ m, over the cells m as shares of s
    """
    m = c.share(c.amount)
    return 0.0 - c.sum(m * log2(m))


@of_cells(symbol="H(P|T)", properties=ROW_ENTROPY)
def conditional_entropy(c: Contingency) -> Array:
    """Bits that a prediction is worth to whom the true class is known.

    Formula: −Σ m·log₂(m / p), with cells m and p = prevalence / s
    """
    return 0.0 - c.sum(c.share(c.amount) * log2(ratio(c.amount, c.true_prevalence)))


@of_cells(symbol="I", better="higher", properties=INFORMATION)
def mutual_information(c: Contingency) -> Array:
    """Bits that a prediction tells of the true class.

    Formula: Σ m·log₂(m / (p·b)), with cells m, p = prevalence / s, b = bias / s
    """
    # how many times as often a cell is met as two independent labels would meet
    lift = ratio(ratio(c.amount, c.true_prevalence), c.share(c.pred_bias))
    return not_below_zero(c.sum(c.share(c.amount) * log2(lift)))


@of_cells(symbol="RCI", high=1.0, better="higher", properties=INFORMATION)
def relative_classifier_information(c: Contingency) -> Array:
    """Share of the true classes' entropy that the predictions explain.

    Formula: mutual_information / entropy_true
    Reference: Sindhwani, Bhattacharyya & Rakshit 2001
    """
    truth = 0.0 - c.sum(c.share(c.amount) * log2(c.share(c.true_prevalence)))
    return within_one(ratio(mutual_information(c), truth, c.undefined))


def _confusion(c: Contingency, hits: float, weight: Array) -> Array:
    """Entropy of the errors, each a share of its true and of its predicted class.

    ``hits`` is how much of a class's hits is left out of what its errors are shares of, ``weight``
    what the classes have in common.
    """
    both = c.prevalence + c.bias - hits * c.correct
    own, other = c.at_label(both, "true"), c.at_label(both, "pred")
    xp = namespace(c.amount)
    wrong = xp.where(xp.asarray(c.hit), 0.0, c.amount)
    spread = c.sum(wrong * (log2(ratio(wrong, own)) + log2(ratio(wrong, other))))
    alone = c.seen <= 1
    base = log2(2 * (xp.where(alone, 2.0, c.seen) - 1))
    return xp.where(alone, c.undefined, 0.0 - ratio(spread, weight * base))


confused = partial(of_cells, better="lower")


@confused(symbol="CEN", high=1.0614760713834, properties=derived())
def confusion_entropy(c: Contingency) -> Array:
    """How unforeseeable errors are: 0 without any; above 1 only for two classes.

    Formula: −Σ errors of m/2s·(log m/D_true + log m/D_pred), D = prevalence + bias, base 2(k − 1)
    Reference: Wei, Yuan, Hu & Wang 2010
    """
    return _confusion(c, 0.0, 2 * c.total)


@confused(symbol="MCEN", high=1.0, properties=derived())
def modified_confusion_entropy(c: Contingency) -> Array:
    """Confusion entropy in which a class's hits count once, not for its row and its column.

    Formula: as CEN, with D = prevalence + bias − correct and 2s − Σ correct for 2s (not if k = 2)
    Reference: Delgado & Núñez-González 2019
    """
    xp = namespace(c.amount)
    hits = c.sum(xp.where(xp.asarray(c.hit), c.amount, 0.0))
    return _confusion(c, 1.0, 2 * c.total - xp.where(c.seen > 2, hits, 0.0))
