"""Averages of weighted and clustered items: never surer than what their items are worth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import evenhand as eh
from evenhand.catalogue.binding import bind
from evenhand.inference.delta import smoothed_estimate
from evenhand.inference.rows import rows_of

RANDOM = np.random.default_rng(4)
N = 120
TRUE = RANDOM.choice(3, N, p=[0.6, 0.35, 0.05])
PRED = np.where(RANDOM.random(N) < 0.8, TRUE, RANDOM.integers(0, 3, N))
AVERAGES = ["macro_f1", "f1_of_averages", "macro_precision", "macro_recall"]


def ends(found, metric):
    return found[metric].low, found[metric].high


@pytest.mark.parametrize("by_prediction", [False, True])
@pytest.mark.parametrize("metric", AVERAGES[:3])
def test_items_that_weigh_alike_are_smoothed_as_counted_ones(metric, by_prediction):
    """But for n/(n − 1), which large classes do not notice."""
    many = eh.Confusion.from_matrix(500 * np.array([[8, 1, 1], [2, 7, 1], [0, 1, 5]]))
    rows, kernel = rows_of(many), bind(metric, many)
    heavy = replace(rows, weight=3 * rows.weight, square=9 * rows.square)
    counted, weighed = (
        smoothed_estimate(x, [kernel], by_prediction=by_prediction).standard_error(x, [kernel])
        for x in (rows, heavy)
    )
    assert weighed.se == pytest.approx(counted.se, rel=1e-3)
    assert weighed.df == pytest.approx(counted.df, rel=1e-9)
    assert weighed.n_eff == pytest.approx(counted.n_eff, rel=2e-3)


@pytest.mark.parametrize("metric", AVERAGES)
@pytest.mark.parametrize("unit", [1e-9, 0.5, 1e12])
def test_the_unit_of_weights_says_nothing(metric, unit):
    weights = RANDOM.choice([0.5, 1.0, 2.0], N)
    one, other = (
        eh.score(TRUE, PRED, weights=w, metrics=[metric]) for w in (weights, unit * weights)
    )
    assert ends(one, metric) == pytest.approx(ends(other, metric), rel=1e-9)


@pytest.mark.parametrize("metric", AVERAGES)
def test_a_class_all_right_is_not_certain(metric):
    """Two items of the last class, both right: a delta error would take its recall for known."""
    true, pred = [0] * 50 + [1] * 2, [0] * 45 + [1] * 5 + [1] * 2
    weights = [1.0, 2.0] * 26
    auto, delta = (
        eh.score(true, pred, weights=weights, metrics=[metric], **more)
        for more in ({}, {"interval": "delta", "transform": "score"})
    )
    assert auto[metric].high - auto[metric].low > 1.2 * (delta[metric].high - delta[metric].low)
    assert auto[metric].low < auto[metric].value < auto[metric].high


@pytest.mark.parametrize("metric", AVERAGES)
def test_clusters_of_one_item_are_items(metric):
    alone = eh.Sample.from_labels(TRUE, {"A": PRED}, cluster=np.arange(N))
    apart = eh.Confusion.from_labels(TRUE, PRED, weights=np.full(N, 1.5))
    one, other = (eh.score(x, metrics=[metric]) for x in (alone, apart))
    assert ends(one, metric) == pytest.approx(ends(other, metric), abs=0.02)


def test_systems_of_a_clustered_sample_are_each_like_alone():
    cluster = np.arange(N) // 4
    other = np.where(RANDOM.random(N) < 0.5, TRUE, RANDOM.integers(0, 3, N))
    board = eh.rank(TRUE, {"A": PRED, "B": other}, cluster=cluster, metrics="macro_f1").to_dict()
    scores = {s["name"]: s["scores"]["macro_f1"] for s in board["systems"]}
    for name, pred in (("A", PRED), ("B", other)):
        alone = eh.score(eh.Sample.from_labels(TRUE, {name: pred}, cluster=cluster))["macro_f1"]
        assert scores[name]["low"] == pytest.approx(alone.low)
        assert scores[name]["high"] == pytest.approx(alone.high)


def test_weighted_averages_hold_where_the_delta_method_does_not():
    """A rare class of four items, weights of ½, 1 and 2 (300 data sets; docs/intervals.md)."""
    shares = np.array([[0.50, 0.04, 0.01], [0.05, 0.34, 0.02], [0.006, 0.006, 0.028]])
    true_recall = np.mean(np.diag(shares) / shares.sum(axis=1))
    held = np.zeros(2)
    rng = np.random.default_rng(11)
    for _ in range(300):
        true, pred = np.divmod(rng.choice(9, 100, p=shares.reshape(-1) / shares.sum()), 3)
        weights = rng.choice([0.5, 1.0, 2.0], 100)
        table = eh.Confusion.from_labels(true, pred, weights=weights, labels=range(3))
        for i, how in enumerate(({}, {"interval": "delta", "transform": "score"})):
            found = eh.score(table, metrics=["macro_recall"], **how)["macro_recall"]
            held[i] += found.low is not None and found.low <= true_recall <= found.high
    auto, delta = held / 300
    assert auto > 0.9 > 0.8 > delta


def test_clusters_are_left_out_one_by_one():
    """Of accuracy the error is the delete-a-cluster jackknife's, whatever the clusters' sizes."""
    cluster = np.repeat(np.arange(6), [40, 30, 20, 15, 10, 5])
    hit = TRUE == PRED
    without = np.array([hit[cluster != c].mean() for c in range(6)])
    error = np.sqrt(5 / 6 * ((without - without.mean()) ** 2).sum())
    sample = eh.Sample.from_labels(TRUE, {"A": PRED}, cluster=cluster)
    scores = eh.score(sample, metrics=["accuracy"], interval="delta")
    assert scores["accuracy"].se == pytest.approx(error, rel=0.02)
    (note,) = (w for w in scores.warnings if "cluster" in w)
    assert (
        note == "6 clusters of unequal size count as 4 equal ones: too few for a reliable interval"
    )


def test_unequal_clusters_hold():
    """Sizes by a lognormal distribution, items that share their cluster's luck (400 data sets)."""
    rng, sets, clusters = np.random.default_rng(3), 400, 20
    size = np.maximum(1, np.rint(rng.lognormal(np.log(10), 1.0, sets * clusters))).astype(int)
    cluster = np.repeat(np.arange(sets * clusters), size)
    luck = rng.random(sets * clusters)[cluster]
    hit = np.where(rng.random(len(cluster)) < 0.2, luck, rng.random(len(cluster))) < 0.8
    true = rng.integers(0, 2, len(cluster))
    scores = eh.score(
        true, np.where(hit, true, 1 - true), by=cluster // clusters, cluster=cluster,
        metrics=["accuracy", "macro_f1"],
    )  # fmt: skip
    for metric in ("accuracy", "macro_f1"):
        held = [s[metric].low <= 0.8 <= s[metric].high for s in scores.slices]
        assert np.mean(held) > 0.92
