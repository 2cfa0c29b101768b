"""Metrics that know how far classes are apart."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

from evenhand.core.arrays import Array, namespace, within_one
from evenhand.core.contingency import AnyDistances, Contingency, distances
from evenhand.core.metrics.agreement import KAPPA
from evenhand.core.properties import RECALL, Properties, derived, of_accuracy, same_as
from evenhand.core.ratio import Share, ratio, share
from evenhand.core.registry import metric

WORDS = ("linear", "quadratic", "flat")
ORDERED, ANY = ("ordinal",), ("ordinal", "matrix", "tree")
of_cells = partial(metric, family="distance", needs="cells")
ordinal = partial(of_cells, ordered=True, choices={"distance": WORDS})
costs = partial(ordinal, high=math.inf, better="lower", distances=ANY)


def _distance_properties(distance: object = "linear") -> Properties:
    """Of the mean distance of prediction and truth: the share of errors where all are 1 apart."""
    if distance == "flat":
        return of_accuracy("1 − Acc", even="1 − 1/k, strict")
    return derived(note="an error that is less bad than the mean of all makes it better")


def _kappa_properties(distance: object = "linear") -> Properties:
    """Of weighted kappa, which is kappa where all errors are 1 apart."""
    why = "Σ d·m/s = Σ d·π·z for random predictions: nothing is spared"
    return KAPPA if distance == "flat" else derived("0, complete", why)


def _macro_distance_properties(distance: object = "linear") -> Properties:
    """Of the mean distance where every true class weighs the same."""
    if distance == "flat":
        of_recalls = partial(same_as, RECALL, "1 − macR", "1 − 1/k, strict")
        note = "a mean over the classes that are true of some item, which an item can add one to"
        return replace(of_recalls(note, without="class_decomposability"), even=of_recalls())
    return derived(
        "⌊k²/4⌋/k" if distance == "linear" else "a function of k",
        "Σ z·(mean distance of the predicted class from all) depends on z alone, and is least "
        "where the class nearest to all is predicted",
        "an error that is less bad than the mean of its class makes it better",
        prevalence_invariance="scaling a true row multiplies its cells and its prevalence alike",
    )


def _tree_properties(distance: object = "flat", beta: float = 1.0) -> Properties:
    if distance == "flat":
        return of_accuracy("without a tree it is accuracy", even="1/k, strict")
    return derived(note="an error that shares more classes than most items do makes it better")


@ordinal(symbol="κ_w", needs="pairs", low=-1.0, distances=ANY, properties=_kappa_properties)
def weighted_kappa(c: Contingency, *, distance: AnyDistances = "linear") -> Array:
    """Kappa in which an error weighs as much as its classes are apart.

    Formula: 1 − s·Σ d·m / Σ d·prevalence·bias, over the cells m of classes d apart
    Reference: Cohen 1968
    """
    far = c.distance(distance)
    wrong = c.sum(far * c.share(c.amount))
    chance = c.sum(far * c.share(c.true_prevalence) * c.share(c.pred_bias))
    beyond = within_one(1 - ratio(wrong, chance), 1e-12)  # by a matrix of costs far below −1
    return namespace(beyond).where(chance == 0, c.undefined, beyond)


def _alpha(c: Contingency, true: Array, pred: Array, lost: Array) -> Array:
    """Alpha of classes at places on a line, from which no class at all is ``lost`` away."""
    xp = namespace(c.amount)
    predicted, m = xp.asarray(c.pred < c.k), c.share(c.amount)
    known = xp.where(predicted, m, 0.0)
    gone, both = c.sum(m - known), c.sum(m) + c.sum(known)
    mean = c.each(ratio(c.sum(m * true) + c.sum(known * pred), both))
    spread = c.sum(m * (true - mean) ** 2) + c.sum(known * (pred - mean) ** 2)
    wrong = c.sum(xp.where(predicted, m * (true - pred) ** 2, m * c.each(lost) ** 2))
    chance = both * (spread + gone * lost**2) / 2
    correction = 1 - ratio(0.5 + 0 * c.total, c.total)
    return xp.where(chance == 0, c.undefined, 1 - correction * ratio(wrong, chance))


alpha = partial(of_cells, low=-1.0, ordered=True, size="matters", distances=ORDERED)


@alpha(symbol="α_int", distances=(), properties=derived())
def krippendorff_alpha_interval(c: Contingency) -> Array:
    """Krippendorff's alpha of labels that are numbers at equal distances.

    Formula: 1 − (1 − 1/2s)·Σ d·m/s / Σ d·n·n′/4s², n = prevalence + bias, d = (i − j)²
    Reference: Krippendorff 1970
    """
    return _alpha(c, c.true, c.pred, max(c.k - 1, 1) + 0 * c.total)


@alpha(symbol="α_ord", properties=derived())
def krippendorff_alpha_ordinal(c: Contingency) -> Array:
    """Krippendorff's alpha of labels in order: two are apart as many labels lie between them.

    Formula: 1 − (1 − 1/2s)·Σ d·m/s / Σ d·n·n′/4s², n = prevalence + bias, d = (difference of
        mid-ranks)²
    Reference: Krippendorff 2011
    """
    true, pred = map(c.share, c.ranks())
    xp = namespace(c.amount)
    known = c.sum(xp.where(xp.asarray(c.pred < c.k), c.share(c.amount), 0.0))
    return _alpha(c, true, pred, 1 + known)


@costs(symbol="MAE", properties=_distance_properties)
def mean_absolute_error(c: Contingency, *, distance: AnyDistances = "linear") -> Array:
    """How far off a prediction is on average: how many classes, where they are in order.

    Formula: Σ d·m / s, over the cells m of classes d apart
    Reference: Gaudette & Japkowicz 2009
    """
    return c.sum(c.distance(distance) * c.share(c.amount))


@costs(symbol="MAE^M", properties=_macro_distance_properties)
def macro_absolute_error(c: Contingency, *, distance: AnyDistances = "linear") -> Array:
    """How far off a prediction is, every true class weighing the same.

    Formula: 1/k · Σ over true classes of Σ d·m / prevalence, over the cells m of classes d apart
    Reference: Baccianella, Esuli & Sebastiani 2009
    """
    part = ratio(c.amount, c.true_prevalence)
    return ratio(c.sum(c.distance(distance) * part), c.sum(part), c.undefined)


@of_cells(
    symbol="cost",
    high=math.inf,
    better="lower",
    choices={"distance": ("flat",)},
    distances=("matrix",),
    properties=partial(_distance_properties, distance="flat"),
)
def mean_cost(c: Contingency, *, distance: AnyDistances = "flat") -> Array:
    """What the errors cost an item; 1 each unless a cost matrix is given.

    Formula: Σ d·m / s, over the cells m, d what such an error costs
    Reference: Elkan 2001
    """
    return mean_absolute_error(c, distance=distance)


@ordinal(
    symbol="Acc±1",
    distances=("ordinal", "tree"),
    properties=derived(note="an error of one step counts as a hit"),
    choices={"distance": ("linear",)},
)
@share
def off_by_one_accuracy(c: Contingency, *, distance: AnyDistances = "linear") -> Share:
    """Share of items whose prediction is right or the next class.

    Formula: share of items whose prediction is at most one class off
    Reference: Gaudette & Japkowicz 2009
    """
    xp = namespace(c.amount)
    near = (c.distance(distance) <= 1) & xp.asarray(c.pred < c.k)
    hits = c.sum(xp.where(near, c.amount, 0.0))
    return hits, hits + c.sum(xp.where(near, 0.0, c.amount))


hierarchical = partial(of_cells, choices={"distance": ("flat",)}, distances=("tree",))


def _hierarchy_sums(c: Contingency, distance: AnyDistances) -> tuple[Array, Array, Array]:
    """Classes that truth and prediction share, those of the prediction, those of the truth.

    Each is taken with all classes above it; only classes that items are of can be shared.
    """
    d = distances(distance, c.k)
    truth, guess = d.sizes
    shared, predicted, true = (c.sum(c.at_cells(x) * c.amount) for x in (d.shared, guess, truth))
    return shared, predicted, true


@hierarchical(symbol="hP", properties=_tree_properties)
def hierarchical_precision(c: Contingency, *, distance: AnyDistances = "flat") -> Array:
    """Share of the predicted classes, with all above them in a tree, that are right.

    Formula: Σ |P̂ ∩ T̂| / Σ |P̂|, P̂ and T̂ an item's prediction and truth with all classes above
    Reference: Kiritchenko, Matwin, Nock & Famili 2006
    """
    shared, predicted, _ = _hierarchy_sums(c, distance)
    return ratio(shared, predicted, c.undefined)


@hierarchical(symbol="hR", properties=_tree_properties)
def hierarchical_recall(c: Contingency, *, distance: AnyDistances = "flat") -> Array:
    """Share of the true classes, with all above them in a tree, that are predicted.

    Formula: Σ |P̂ ∩ T̂| / Σ |T̂|, P̂ and T̂ an item's prediction and truth with all classes above
    Reference: Kiritchenko, Matwin, Nock & Famili 2006
    """
    shared, _, true = _hierarchy_sums(c, distance)
    return ratio(shared, true, c.undefined)


def _f(c: Contingency, distance: AnyDistances, square: float) -> Array:
    shared, predicted, true = _hierarchy_sums(c, distance)
    return ratio((1 + square) * shared, square * true + predicted, c.undefined)


@hierarchical(symbol="hF1", properties=_tree_properties)
def hierarchical_f1(c: Contingency, *, distance: AnyDistances = "flat") -> Array:
    """Harmonic mean of hierarchical precision and recall.

    Formula: 2·Σ |P̂ ∩ T̂| / (Σ |T̂| + Σ |P̂|), P̂ and T̂ as of hP and hR
    Reference: Kiritchenko, Matwin, Nock & Famili 2006
    """
    return _f(c, distance, 1.0)


@hierarchical(
    symbol="hFβ", least={"beta": 0.0}, variant_of="hierarchical_f1", properties=_tree_properties
)
def hierarchical_fbeta(
    c: Contingency, *, distance: AnyDistances = "flat", beta: float = 1.0
) -> Array:
    """Fβ of hierarchical precision and recall: β times as much weight on recall.

    Formula: (1 + β²)·Σ |P̂ ∩ T̂| / (β²·Σ |T̂| + Σ |P̂|), P̂ and T̂ as of hP and hR
    Reference: Kiritchenko, Matwin, Nock & Famili 2006
    """
    return _f(c, distance, beta * beta)
