"""Averages over the items of a multi-label task."""

from __future__ import annotations

from functools import partial

from evenhand.core.arrays import Array, floating
from evenhand.core.kernel import ItemArrays
from evenhand.core.ratio import ratio
from evenhand.core.registry import metric

over_items = partial(metric, needs="items", default=True, reference="Wu & Zhou 2017")


@over_items(symbol="sAcc", smooth=False)
def subset_accuracy(c: ItemArrays) -> Array:
    """Share of items whose whole set of labels is right.

    Formula: mean over items of [predicted set = true set]
    """
    return c.mean(floating((c.correct == c.predicted) & (c.correct == c.true)))


@over_items(symbol="HL", better="lower")
def hamming_loss(c: ItemArrays) -> Array:
    """Share of item-label decisions that are wrong.

    Formula: mean over items of |predicted Δ true| / k
    """
    return c.mean(floating(c.predicted + c.true - 2 * c.correct)) / c.classes


@over_items(symbol="sP", title="Precision of items", signature="item-mean-of-precision")
def samples_precision(c: ItemArrays) -> Array:
    """Mean over items of the precision of the item's labels.

    Formula: mean over items of hits / predicted
    """
    return c.mean(ratio(c.correct, c.predicted, c.undefined))


@over_items(symbol="sR", title="Recall of items", signature="item-mean-of-recall")
def samples_recall(c: ItemArrays) -> Array:
    """Mean over items of the recall of the item's labels.

    Formula: mean over items of hits / true
    """
    return c.mean(ratio(c.correct, c.true, c.undefined))


@over_items(symbol="sJ", signature="item-mean-of-jaccard", default=False)
def samples_jaccard(c: ItemArrays) -> Array:
    """Mean over items of the Jaccard index of the item's labels.

    Formula: mean over items of hits / (predicted + true − hits)
    Reference: Godbole & Sarawagi 2004
    """
    return c.mean(ratio(c.correct, c.predicted + c.true - c.correct, c.undefined))


@over_items(symbol="sF1", title="F1 of items", signature="item-mean-of-f1")
def samples_f1(c: ItemArrays) -> Array:
    """Mean over items of the F1 of the item's labels.

    Formula: mean over items of 2·hits / (predicted + true)
    """
    return c.mean(ratio(2 * c.correct, c.predicted + c.true, c.undefined))
