"""Metrics over all items: accuracy, micro averages, gain."""

from __future__ import annotations

import math
from functools import partial

from evenhand.core.arrays import Array, namespace
from evenhand.core.margins import Counts
from evenhand.core.properties import ACCURACY, MICRO
from evenhand.core.ratio import Share, ratio, share
from evenhand.core.registry import metric

micro = partial(
    metric,
    family="micro",
    classes="seen",
    default=True,
    reference="Opitz 2022, appendix A",
    properties=MICRO,
)


@metric(
    family="micro",
    symbol="Acc",
    tasks=("single",),
    all_classes=True,
    properties=ACCURACY,
    proportion=lambda c: (c.all_classes.sum(c.correct), c.total),
    default=True,
)
def accuracy(c: Counts) -> Array:
    """Share of items predicted right; always of the whole table.

    Formula: Σ correct / total
    Reference: Opitz 2022, eq. 7
    """
    hits = c.all_classes.sum(c.correct)
    items = namespace(hits).where(hits > c.total, hits, c.total)  # weights add up with rounding
    return ratio(hits, items, c.undefined)


@micro(symbol="micP")
@share
def micro_precision(c: Counts) -> Share:
    """Precision of the averaged classes thrown together.

    Formula: Σ correct / Σ bias, over the averaged classes
    """
    return c.sum(c.correct), c.sum(c.bias)


@micro(symbol="micR")
@share
def micro_recall(c: Counts) -> Share:
    """Recall of the averaged classes thrown together.

    Formula: Σ correct / Σ prevalence, over the averaged classes
    """
    return c.sum(c.correct), c.sum(c.prevalence)


def _share_of_all(c: Counts) -> tuple[Array, Array]:
    """Micro F1 is accuracy while every class is averaged and nothing is outside, else no share."""
    all_of = (c.sum(c.bias) == c.total) & (c.sum(c.prevalence) == c.total)
    return c.sum(c.correct), namespace(c.correct).where(all_of, 1.0 * c.total, math.nan)


@micro(symbol="micF1", proportion=_share_of_all)
def micro_f1(c: Counts) -> Array:
    """F1 of the averaged classes thrown together; accuracy when these are all.

    Formula: 2·Σ correct / (Σ bias + Σ prevalence), over the averaged classes
    """
    return ratio(2 * c.sum(c.correct), c.sum(c.bias) + c.sum(c.prevalence), c.undefined)
