"""Association of truth and prediction as two sets of labels, whatever they are called."""

from __future__ import annotations

import math
from functools import partial

from evenhand.core.arrays import Array, floating, namespace, not_below_zero, within_one
from evenhand.core.contingency import Contingency, Side
from evenhand.core.metrics.information import INDEPENDENT
from evenhand.core.metrics.per_class import root
from evenhand.core.properties import DESCRIBES, derived
from evenhand.core.ratio import ratio
from evenhand.core.registry import metric

ROUNDED = 1e-14
"""Share of all pairs of labels below which a difference is rounding."""
ROUNDING = 1e-100
"""Squared numbers of pairs of items below which there are none."""

of_cells = partial(metric, needs="cells")
AS_EXPECTED = derived("0, complete", f"{INDEPENDENT} as χ² expects")
SPARES_NONE = derived(
    "0, complete", f"{INDEPENDENT} so that the best guess is the same whatever is known"
)


def _squares(c: Contingency) -> Array:
    """Σ (p·b)·(m / (p·b) − 1)² over all cells, with p, b and m as shares.

    An empty cell adds p·b; where cells are sparse, the empty ones add what the others leave of 1,
    unless that is rounding alone.
    """
    p, b = c.share(c.true_prevalence), c.share(c.pred_bias)
    deviations = p * ratio((ratio(c.amount, c.true_prevalence) - b) ** 2, b)
    if c.table is None:
        return c.sum(deviations)
    pairs = floating(c.total) ** 2
    nonzero = c.sum(floating(c.true_prevalence) * floating(c.pred_bias))
    left = ratio(pairs - nonzero, pairs)
    return c.sum(deviations) + left * (left > ROUNDED)


@of_cells(symbol="φ²", high=math.inf, properties=AS_EXPECTED)
def phi2(c: Contingency) -> Array:
    """χ² an item: how far cells are from those of independent labels.

    Formula: Σ m² / (prevalence·bias) − 1, over the cells m
    Reference: Pearson 1904
    """
    return not_below_zero(_squares(c))


@of_cells(symbol="χ²", high=math.inf, size="factor", properties=AS_EXPECTED)
def chi2(c: Contingency) -> Array:
    """Pearson's χ² of independence of truth and prediction.

    Formula: s·(Σ m² / (prevalence·bias) − 1), over the cells m
    Reference: Pearson 1900
    """
    return c.total * phi2(c)


@of_cells(symbol="V", properties=AS_EXPECTED)
def cramers_v(c: Contingency) -> Array:
    """Cramér's V: the root of φ² as a share of its largest value.

    Formula: √(φ² / (k − 1)), k the categories that occur
    Reference: Cramér 1946
    """
    square = ratio(phi2(c), c.seen - 1)
    return namespace(square).where(c.seen <= 1, c.undefined, root(within_one(square)))


@of_cells(symbol="C", better="neither", properties=DESCRIBES)
def pearson_c(c: Contingency) -> Array:
    """Pearson's contingency coefficient, whose largest value depends on the classes.

    Formula: √(φ² / (1 + φ²))
    Reference: Pearson 1904
    """
    square = phi2(c)
    return root(square / (1 + square))


def _lambda(c: Contingency, known: Side, guessed: Side) -> Array:
    """Share of the errors of the best guess that knowing the other label spares."""
    xp = namespace(c.amount)
    still = c.sum(xp.where(c.largest_in(known), 0.0, c.amount))
    wrong = c.sum(xp.where(c.most_frequent(guessed), 0.0, c.amount))
    return ratio(not_below_zero(wrong - still), wrong, c.undefined)


@of_cells(symbol="λ_A", properties=SPARES_NONE)
def lambda_a(c: Contingency) -> Array:
    """Goodman and Kruskal's λ: errors in guessing the truth that the prediction spares.

    Formula: (Σ over predictions of the largest cell − max prevalence) / (s − max prevalence)
    Reference: Goodman & Kruskal 1954
    """
    return _lambda(c, "pred", "true")


@of_cells(symbol="λ_B", properties=SPARES_NONE)
def lambda_b(c: Contingency) -> Array:
    """Goodman and Kruskal's λ: errors in guessing the prediction that the truth spares.

    Formula: (Σ over true classes of the largest cell − max bias) / (s − max bias)
    Reference: Goodman & Kruskal 1954
    """
    return _lambda(c, "true", "pred")


@of_cells(
    symbol="ARI",
    low=-1.0,
    size="matters",
    properties=derived(
        "0",
        "with x = s·Σp² and y = s·Σb² of margins p and b as shares, the agreement of pairs less "
        "that by chance has the sign of −(s² − x·s)(s² − y·s) ≤ 0, and is 0 where one class is "
        "predicted",
    ),
)
def adjusted_rand_index(c: Contingency) -> Array:
    """Adjusted Rand index: pairs of items that truth and prediction both keep together or apart.

    Formula: (Σ C(m, 2) − E) / ((Σ C(p, 2) + Σ C(b, 2)) / 2 − E), with E = Σ C(p, 2)·Σ C(b, 2) /
        C(s, 2), p and b the margins
    Reference: Hubert & Arabie 1985
    """
    row, column, neither = c.other_cells()
    both = c.sum(c.amount * (c.amount - 1))
    truth, guess, none = (c.sum(c.amount * x) for x in (row, column, neither))
    right = both * none - truth * guess
    chance = (both + truth) * (truth + none) + (both + guess) * (guess + none)
    # of one soft item, rounding alone is left, too small to be squared by a gradient
    return ratio(2 * right, chance * (abs(chance) > ROUNDING), 1.0)
