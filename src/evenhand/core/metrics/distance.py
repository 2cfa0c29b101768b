"""Errors that weigh as much as their classes are apart, in the order that the table has them."""

from __future__ import annotations

import math
from functools import partial

from evenhand.core.arrays import Array, namespace, real
from evenhand.core.crossed import Crossed
from evenhand.core.ratio import ratio
from evenhand.core.registry import metric

DISTANCES = ("linear", "quadratic")
ordinal = partial(metric, needs="cells", tasks=("single",), ordered=True)
of_pairs = partial(ordinal, needs="pairs", low=-1.0)


def _far(c: Crossed, distance: str) -> Array:
    """How far apart the classes of each cell are."""
    return c.apart() ** 2 if distance == "quadratic" else c.apart()


@of_pairs(
    symbol="κ_w",
    formula="1 − s·Σ d·m / Σ d·prevalence·bias, over the cells m, d = |i − j| or its square",
    choices={"distance": DISTANCES},
    reference="Cohen 1968",
    example=0.48587570621468934,
)
def weighted_kappa(c: Crossed, *, distance: str = "linear") -> Array:
    """Kappa in which an error weighs as much as its classes are apart."""
    far = _far(c, distance)
    wrong = c.sum(far * c.share(c.amount))
    chance = c.sum(far * c.share(c.true_prevalence) * c.share(c.pred_bias))
    found = 1 - ratio(wrong, chance)
    return namespace(found).where(real(chance) == 0, c.undefined, found)


@of_pairs(
    symbol="α_int",
    formula="1 − (2s − 1)·Σ d·m / Σ d·n·n′, n = prevalence + bias, d = (i − j)², over all pairs",
    size="matters",
    reference="Krippendorff 1970",
    example=0.5159796201945346,
)
def krippendorff_alpha_interval(c: Crossed) -> Array:
    """Krippendorff's alpha of labels that are numbers at equal distances."""
    far, both = _far(c, "quadratic"), 1.0 + 1.0 * (c.pred == c.k)
    xp = namespace(c.amount)
    twice = xp.asarray(both, dtype=real(c.amount).dtype)  # no class is never true: two sides of it
    own, other = c.true_prevalence + c.true_bias, c.pred_prevalence + c.pred_bias
    chance = c.sum(twice * far * own * other)
    found = 1 - 2 * (2 * c.total - 1) * ratio(c.sum(far * c.amount), chance)
    return xp.where(real(chance) == 0, c.undefined, found)


@ordinal(
    symbol="MAE",
    formula="Σ d·m / s, over the cells m, d = |i − j| or its square",
    high=math.inf,
    better="lower",
    choices={"distance": DISTANCES},
    reference="Gaudette & Japkowicz 2009",
    example=0.46428571428571425,
)
def mean_absolute_error(c: Crossed, *, distance: str = "linear") -> Array:
    """How many classes a prediction is off on average."""
    return c.sum(_far(c, distance) * c.share(c.amount))


@ordinal(
    symbol="MAE^M",
    formula="1/k · Σ over true classes of Σ d·m / prevalence, d = |i − j| or its square",
    high=math.inf,
    better="lower",
    choices={"distance": DISTANCES},
    reference="Baccianella, Esuli & Sebastiani 2009",
    example=0.4444444444444444,
)
def macro_absolute_error(c: Crossed, *, distance: str = "linear") -> Array:
    """How many classes a prediction is off, every true class weighing the same."""
    part = ratio(c.amount, c.true_prevalence)
    return ratio(c.sum(_far(c, distance) * part), c.sum(part), c.undefined)


def _near(c: Crossed) -> tuple[Array, Array]:
    """Items whose prediction is right or the next class, and all."""
    xp = namespace(c.amount)
    near = (c.apart() <= 1) & xp.asarray(c.pred < c.k)
    return c.sum(xp.where(near, c.amount, 0.0)), c.total


@ordinal(
    symbol="Acc±1",
    formula="share of items whose prediction is at most one class off",
    reference="Gaudette & Japkowicz 2009",
    proportion=_near,
    example=0.8928571428571429,
)
def off_by_one_accuracy(c: Crossed) -> Array:
    """Share of items whose prediction is right or the next class."""
    return ratio(*_near(c), c.undefined)
