"""Errors that weigh as much as their classes are apart: in order, in a tree, or by a matrix."""

from __future__ import annotations

import math
from functools import partial

from evenhand.core import table_promises as promises
from evenhand.core.arrays import Array, namespace, real
from evenhand.core.crossed import Crossed
from evenhand.core.distances import Apart, distances
from evenhand.core.ratio import ratio
from evenhand.core.registry import metric

WORDS = ("linear", "quadratic", "flat")
ORDERED, ANY = ("ordinal",), ("ordinal", "matrix", "tree")
of_cells = partial(metric, needs="cells", tasks=("single",))
ordinal = partial(of_cells, ordered=True, choices={"distance": WORDS})
costs = partial(ordinal, high=math.inf, better="lower", distances=ANY)


@ordinal(
    symbol="κ_w",
    formula="1 − s·Σ d·m / Σ d·prevalence·bias, over the cells m of classes d apart",
    needs="pairs",
    precision=1e-14,
    low=-1.0,
    distances=ANY,
    reference="Cohen 1968",
    properties=promises.weighted_kappa,
    example=0.48587570621468934,
)
def weighted_kappa(c: Crossed, *, distance: Apart = "linear") -> Array:
    """Kappa in which an error weighs as much as its classes are apart."""
    far = c.apart(distance)
    wrong = c.sum(far * c.share(c.amount))
    chance = c.sum(far * c.share(c.true_prevalence) * c.share(c.pred_bias))
    found = 1 - ratio(wrong, chance)
    return namespace(found).where(real(chance) == 0, c.undefined, found)


def _alpha(c: Crossed, true: Array, pred: Array, lost: Array) -> Array:
    """Alpha of classes at places on a line, from which no class at all is ``lost`` away."""
    xp = namespace(c.amount)
    said, m = xp.asarray(c.pred < c.k), c.share(c.amount)
    known = xp.where(said, m, 0.0)
    gone, both = c.sum(m - known), c.sum(m) + c.sum(known)
    mean = c.each(ratio(c.sum(m * true) + c.sum(known * pred), both))
    spread = c.sum(m * (true - mean) ** 2) + c.sum(known * (pred - mean) ** 2)
    wrong = c.sum(xp.where(said, m * (true - pred) ** 2, m * c.each(lost) ** 2))
    chance = both * (spread + gone * lost**2) / 2
    few = 1 - ratio(0.5 + 0 * c.total, c.total)
    return xp.where(real(chance) == 0, c.undefined, 1 - few * ratio(wrong, chance))


alpha = partial(
    of_cells, precision=1e-14, low=-1.0, ordered=True, size="matters", distances=ORDERED
)


@alpha(
    symbol="α_int",
    formula="1 − (1 − 1/2s)·Σ d·m/s / Σ d·n·n′/4s², n = prevalence + bias, d = (i − j)²",
    reference="Krippendorff 1970",
    distances=(),
    properties=promises.ALPHA,
    example=0.5159796201945346,
)
def krippendorff_alpha_interval(c: Crossed) -> Array:
    """Krippendorff's alpha of labels that are numbers at equal distances."""
    return _alpha(c, c.true, c.pred, max(c.k - 1, 1) + 0 * c.total)


@alpha(
    symbol="α_ord",
    formula="1 − (1 − 1/2s)·Σ d·m/s / Σ d·n·n′/4s², n = prevalence + bias, "
    "d = (difference of mid-ranks)²",
    reference="Krippendorff 2011",
    properties=promises.ALPHA,
    example=0.5080359559997569,
)
def krippendorff_alpha_ordinal(c: Crossed) -> Array:
    """Krippendorff's alpha of labels in order: two are apart as many labels lie between them."""
    true, pred = map(c.share, c.ranks())
    xp = namespace(c.amount)
    known = c.sum(xp.where(xp.asarray(c.pred < c.k), c.share(c.amount), 0.0))
    return _alpha(c, true, pred, 1 + known)


@costs(
    symbol="MAE",
    formula="Σ d·m / s, over the cells m of classes d apart",
    reference="Gaudette & Japkowicz 2009",
    properties=promises.mean_distance,
    example=0.46428571428571425,
)
def mean_absolute_error(c: Crossed, *, distance: Apart = "linear") -> Array:
    """How far off a prediction is on average: how many classes, where they are in order."""
    return c.sum(c.apart(distance) * c.share(c.amount))


@costs(
    symbol="MAE^M",
    formula="1/k · Σ over true classes of Σ d·m / prevalence, over the cells m of classes d apart",
    reference="Baccianella, Esuli & Sebastiani 2009",
    properties=promises.macro_distance,
    example=0.4444444444444444,
)
def macro_absolute_error(c: Crossed, *, distance: Apart = "linear") -> Array:
    """How far off a prediction is, every true class weighing the same."""
    part = ratio(c.amount, c.true_prevalence)
    return ratio(c.sum(c.apart(distance) * part), c.sum(part), c.undefined)


@of_cells(
    symbol="cost",
    formula="Σ d·m / s, over the cells m, d what such an error costs",
    high=math.inf,
    better="lower",
    choices={"distance": ("flat",)},
    distances=("matrix",),
    reference="Elkan 2001",
    properties=promises.mean_cost,
    example=0.35714285714285715,
)
def mean_cost(c: Crossed, *, distance: Apart = "flat") -> Array:
    """What the errors cost an item; 1 each unless a cost matrix is given."""
    return mean_absolute_error(c, distance=distance)


def _near(c: Crossed, distance: Apart) -> tuple[Array, Array]:
    """Items whose prediction is right or one step off, and all."""
    xp = namespace(c.amount)
    near = (c.apart(distance) <= 1) & xp.asarray(c.pred < c.k)
    return c.sum(xp.where(near, c.amount, 0.0)), c.total


@ordinal(
    symbol="Acc±1",
    formula="share of items whose prediction is at most one class off",
    distances=("ordinal", "tree"),
    reference="Gaudette & Japkowicz 2009",
    proportion=partial(_near, distance="linear"),
    properties=promises.near,
    example=0.8928571428571429,
    choices={"distance": ("linear",)},
)
def off_by_one_accuracy(c: Crossed, *, distance: Apart = "linear") -> Array:
    """Share of items whose prediction is right or the next class."""
    return ratio(*_near(c, distance), c.undefined)


hierarchical = partial(of_cells, choices={"distance": ("flat",)}, distances=("tree",))


def _held(c: Crossed, distance: Apart) -> tuple[Array, Array, Array]:
    """Classes that truth and prediction share, those of the prediction, those of the truth.

    Each is taken with all classes above it; only classes that items are of can be shared.
    """
    d = distances(distance, c.k)
    truth, guess = d.sizes
    shared, said, true = (c.sum(c.of_pairs(x) * c.amount) for x in (d.shared, guess, truth))
    return shared, said, true


@hierarchical(
    symbol="hP",
    formula="Σ |P̂ ∩ T̂| / Σ |P̂|, P̂ and T̂ an item's prediction and truth with all classes above",
    reference="Kiritchenko, Matwin, Nock & Famili 2006",
    properties=promises.hierarchical,
    example=0.6428571428571429,
)
def hierarchical_precision(c: Crossed, *, distance: Apart = "flat") -> Array:
    """Share of the predicted classes, with all above them in a tree, that are right."""
    shared, said, _ = _held(c, distance)
    return ratio(shared, said, c.undefined)


@hierarchical(
    symbol="hR",
    formula="Σ |P̂ ∩ T̂| / Σ |T̂|, P̂ and T̂ an item's prediction and truth with all classes above",
    reference="Kiritchenko, Matwin, Nock & Famili 2006",
    properties=promises.hierarchical,
    example=0.6428571428571429,
)
def hierarchical_recall(c: Crossed, *, distance: Apart = "flat") -> Array:
    """Share of the true classes, with all above them in a tree, that are predicted."""
    shared, _, true = _held(c, distance)
    return ratio(shared, true, c.undefined)


def _f(c: Crossed, distance: Apart, square: float) -> Array:
    shared, said, true = _held(c, distance)
    return ratio((1 + square) * shared, square * true + said, c.undefined)


@hierarchical(
    symbol="hF1",
    formula="2·Σ |P̂ ∩ T̂| / (Σ |T̂| + Σ |P̂|), P̂ and T̂ as of hP and hR",
    reference="Kiritchenko, Matwin, Nock & Famili 2006",
    properties=promises.hierarchical,
    example=0.6428571428571429,
)
def hierarchical_f1(c: Crossed, *, distance: Apart = "flat") -> Array:
    """Harmonic mean of hierarchical precision and recall."""
    return _f(c, distance, 1.0)


@hierarchical(
    symbol="hFβ",
    formula="(1 + β²)·Σ |P̂ ∩ T̂| / (β²·Σ |T̂| + Σ |P̂|), P̂ and T̂ as of hP and hR",
    reference="Kiritchenko, Matwin, Nock & Famili 2006",
    least={"beta": 0.0},
    variant_of="hierarchical_f1",
    properties=promises.hierarchical,
    example=0.6428571428571429,
)
def hierarchical_fbeta(c: Crossed, *, distance: Apart = "flat", beta: float = 1.0) -> Array:
    """Fβ of hierarchical precision and recall: β times as much weight on recall."""
    return _f(c, distance, beta * beta)
