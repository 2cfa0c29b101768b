"""Averages over the items of a multi-label task."""

from __future__ import annotations

from functools import partial

from evenhand.core.arrays import Array, floating
from evenhand.core.kernel import ItemArrays
from evenhand.core.ratio import ratio
from evenhand.core.registry import metric

over_items = partial(metric, needs="items", default=True, reference="Wu & Zhou 2017")


@over_items(
    symbol="sAcc",
    formula="mean over items of [predicted set = true set]",
    smooth=False,
)
def subset_accuracy(c: ItemArrays) -> Array:
    """Share of items whose whole set of labels is right."""
    return c.mean(floating((c.correct == c.predicted) & (c.correct == c.true)))


@over_items(
    symbol="HL",
    formula="mean over items of |predicted Δ true| / k",
    better="lower",
)
def hamming_loss(c: ItemArrays) -> Array:
    """Share of item-label decisions that are wrong."""
    return c.mean(floating(c.predicted + c.true - 2 * c.correct)) / c.classes


@over_items(
    symbol="sP",
    title="Precision of items",
    formula="mean over items of hits / predicted",
    signature="item-mean-of-precision",
)
def samples_precision(c: ItemArrays) -> Array:
    """Mean over items of the precision of the item's labels."""
    return c.mean(ratio(c.correct, c.predicted, c.undefined))


@over_items(
    symbol="sR",
    title="Recall of items",
    formula="mean over items of hits / true",
    signature="item-mean-of-recall",
)
def samples_recall(c: ItemArrays) -> Array:
    """Mean over items of the recall of the item's labels."""
    return c.mean(ratio(c.correct, c.true, c.undefined))


@over_items(
    symbol="sJ",
    formula="mean over items of hits / (predicted + true − hits)",
    signature="item-mean-of-jaccard",
    default=False,
    reference="Godbole & Sarawagi 2004",
)
def samples_jaccard(c: ItemArrays) -> Array:
    """Mean over items of the Jaccard index of the item's labels."""
    return c.mean(ratio(c.correct, c.predicted + c.true - c.correct, c.undefined))


@over_items(
    symbol="sF1",
    title="F1 of items",
    formula="mean over items of 2·hits / (predicted + true)",
    signature="item-mean-of-f1",
)
def samples_f1(c: ItemArrays) -> Array:
    """Mean over items of the F1 of the item's labels."""
    return c.mean(ratio(2 * c.correct, c.predicted + c.true, c.undefined))
