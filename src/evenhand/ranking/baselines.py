"""Baselines for orientation: what guessing would score, from the true labels alone."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from evenhand.catalogue.binding import AnyMetric, bind_all, values_of
from evenhand.tables.confusion import Classes, Confusion
from evenhand.tables.dense import DenseCells

BASELINES = ("majority", "uniform", "prevalence")


def baseline(table: Confusion, kind: str) -> Confusion:
    """The expected table of a classifier that does not look at the items.

    ``majority`` always names the most frequent class, ``uniform`` every true class equally
    often, ``prevalence`` each as often as it is true.

    >>> table = Confusion.from_matrix([[3, 1], [0, 2]], labels="ab")
    >>> baseline(table, "uniform").cells.tolist()
    [[2.0, 2.0], [1.0, 1.0]]
    """
    truth = np.asarray(table.prevalence, np.float64)
    guess = np.zeros(table.k + 1)
    if kind == "majority":
        guess[int(np.argmax(truth))] = 1.0
    elif kind == "uniform":
        guess[:-1] = (truth > 0) / max(int((truth > 0).sum()), 1)
    else:
        guess[:-1] = truth / truth.sum()
    return Confusion.of(table.labels, DenseCells(np.outer(truth, guess)), n=table.n)


def baseline_scores(
    table: Confusion,
    metrics: Iterable[tuple[str, AnyMetric]],
    *,
    classes: Classes,
    undefined: float,
) -> dict[str, dict[str, float]]:
    """Each baseline's score on its expected table, by metric.

    It is the expected score where the metric is linear in the predictions (accuracy, the
    recalls); elsewhere the expected score comes to it as the items grow many.
    """
    names, wanted = zip(*metrics, strict=True)
    found: dict[str, dict[str, float]] = {}
    for kind in BASELINES:
        expected = baseline(table, kind)
        kernels = bind_all(wanted, expected, classes=classes, undefined=undefined)
        found[kind] = dict(zip(names, map(float, values_of(kernels, expected)), strict=True))
    return found
