"""Baselines for orientation: what guessing would score, from the true labels alone."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from evenhand.catalogue.binding import bind_all, values_of
from evenhand.catalogue.naming import AnyMetric
from evenhand.tables.confusion import Classes, Confusion
from evenhand.tables.dense import DenseCells

BASELINES = ("majority", "uniform", "prevalence")


def baselines(table: Confusion) -> Confusion:
    """The expected tables of classifiers that do not look at the items.

    ``majority`` always names the most frequent class, ``uniform`` every true class equally
    often, ``prevalence`` each as often as it is true.

    >>> table = Confusion.from_matrix([[3, 1], [0, 2]], labels="ab")
    >>> baselines(table).at("uniform").cells.tolist()
    [[2.0, 2.0], [1.0, 1.0]]
    """
    truth = np.asarray(table.prevalence, np.float64)
    guess = np.zeros((len(BASELINES), table.k + 1))
    guess[0, int(np.argmax(truth))] = 1.0
    guess[1, :-1] = (truth > 0) / max(int((truth > 0).sum()), 1)
    guess[2, :-1] = truth / truth.sum()
    cells = DenseCells(truth[:, None] * guess[:, None])
    return Confusion.of(table.labels, cells, n=np.repeat(table.n, len(guess)), keys=(BASELINES,))


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
    expected = baselines(table)
    kernels = bind_all(wanted, expected, classes=classes, undefined=undefined, expected=True)
    values = np.array(values_of(kernels, expected), np.float64).T.tolist()
    rows = zip(BASELINES, values, strict=True)
    return {kind: dict(zip(names, row, strict=True)) for kind, row in rows}
