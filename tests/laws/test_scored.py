"""Every metric of the registry, and every average of one, is scored on the tables that are left."""

import math

import numpy as np
import pytest

import evenhand as eh
from tests.laws.strategies import COUNTS, POLICIES, averages

EVERY = [*COUNTS, *(m.name for m in averages())]
TABLES = {
    "one class": [[5]],
    "one item": [[1, 0], [0, 0]],
    "one error": [[0, 1], [0, 0]],
    "all right": [[5, 0], [0, 7]],
    "all wrong": [[0, 5], [7, 0]],
    "all wrong, of three": [[0, 1, 0], [0, 0, 1], [1, 0, 0]],
    "one answer": [[5, 0], [7, 0]],
    "a class never true": [[5, 1, 2], [1, 6, 0], [0, 0, 0]],
    "a class never predicted": [[5, 1, 0], [1, 6, 0], [2, 3, 0]],
    "classes that are not there": [[5, 0, 0], [0, 0, 0], [0, 0, 0]],
    "beyond whole numbers of 64 bits": np.full((10, 10), 10**18, object),
    "huge beside few": np.array([[10**18, 10**18], [10**18, 2]], object),
}


@pytest.mark.parametrize("undefined", POLICIES, ids=str)
@pytest.mark.parametrize("name", TABLES)
def test_every_metric_has_a_value_and_an_interval_around_it_or_none(name, undefined):
    scores = eh.score(eh.Confusion.from_matrix(TABLES[name]), metrics=EVERY, undefined=undefined)
    assert len(scores) > 150
    odd = {
        text: score
        for text, score in scores.items()
        if (math.isnan(score.value) and not math.isnan(undefined))
        or (score.low is not None and not score.low <= score.value <= score.high)
    }
    assert odd == {}


@pytest.mark.parametrize("undefined", POLICIES, ids=str)
def test_classes_that_are_not_apart_cost_nothing(undefined):
    nowhere = eh.Distance.from_matrix(np.zeros((2, 2)))
    names = ["mean_cost", "mean_absolute_error", "macro_absolute_error", "weighted_kappa"]
    scores = eh.score([[5, 1], [2, 6]], metrics=names, distance=nowhere, undefined=undefined)
    *costs, kappa = (score.value for score in scores.values())
    assert costs == [0, 0, 0]
    assert kappa == undefined or (math.isnan(kappa) and math.isnan(undefined))
    assert all(score.low is None for score in scores.values())
