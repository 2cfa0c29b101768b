"""All pairs of systems at once, against each pair by itself."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
import evenhand.inference.jackknife as varied
import evenhand.inference.multiplicity as pvalue
from evenhand.inference import delta
from evenhand.inference.delta import VarianceEstimate
from evenhand.inference.multiplicity import holm, two_sided
from evenhand.inference.permutation import pairs_of

RANDOM = np.random.default_rng(5)


def estimate(units, own):
    return VarianceEstimate(units, own, np.zeros(len(own)), np.full(len(own), np.inf))


def one_by_one(p):
    """Holm's adjustment as it is written down: from the smallest p up."""
    adjusted, largest = [0.0] * len(p), 0.0
    for rank, i in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        largest = max(largest, min(1.0, (len(p) - rank) * p[i]))
        adjusted[i] = largest
    return adjusted


@given(st.lists(st.floats(0, 1), max_size=30))
def test_holm_is_the_loop_from_the_smallest_up(p):
    assert holm(p) == one_by_one(p)
    assert holm(np.array(p)) == one_by_one(p)


def test_normal_and_student_side_by_side():
    found = two_sided(np.array([1.5, -1.5, 0.0]), np.array([math.inf, 4.0, math.inf]))
    assert found[0] == two_sided(1.5) == pytest.approx(math.erfc(1.5 / math.sqrt(2)), rel=1e-14)
    assert found[1] == pytest.approx(2 * scipy.stats.t.sf(1.5, 4))
    assert found[2] == 1.0


def test_pairs_that_cancel_are_compared_row_by_row(monkeypatch):
    monkeypatch.setattr(delta, "BLOCK", 100)
    parts = RANDOM.normal(size=(6, 50))
    parts[1:4] = parts[0] + 1e-7 * RANDOM.normal(size=(3, 50))
    value = RANDOM.random(6)
    seen = varied.ScoreCovariance((estimate(parts, np.zeros(6)),))
    found = pairs_of(value, seen.between(), np.zeros(6), np.ones(6), np.zeros(6))
    for i in range(6):
        for j in range(i):
            exact = math.sqrt(math.fsum((parts[i] - parts[j]) ** 2))
            at = found.at(i, j)
            assert at == found.at(j, i)
            assert found.se[at] == pytest.approx(exact, rel=1e-9)
            p = two_sided((value[i] - value[j]) / found.se[at])
            assert found.p[at] == pytest.approx(p, rel=1e-6)


def test_tests_are_made_for_all_pairs_of_a_metric_at_once(monkeypatch):
    calls = []
    monkeypatch.setattr(pvalue, "two_sided", lambda *a: calls.append(1) or two_sided(*a))
    true = RANDOM.integers(0, 3, 60)
    systems = {f"s{i}": np.where(RANDOM.random(60) < 0.6, true, 0) for i in range(8)}
    eh.rank(true, systems, metrics=["accuracy"], replicates=10)
    assert len(calls) == 2  # one for each metric, where there are 28 pairs


@pytest.mark.parametrize("weights", [None, RANDOM.uniform(0.5, 2, 80)])
def test_metrics_in_blocks_are_as_all_at_once(monkeypatch, weights):
    true = RANDOM.integers(0, 4, 80)
    systems = {f"s{i}": np.where(RANDOM.random(80) < 0.6, true, 0) for i in range(3)}
    names = ["macro_f1", "accuracy", "macro_f1@uniform", "mcc", "geometric_macro_recall"]

    def found():
        return eh.rank(true, systems, weights=weights, metrics=names, replicates=10).to_dict()

    whole = found()
    monkeypatch.setattr(delta, "BLOCK", 1)
    assert found() == whole


def test_what_does_not_vary_and_what_is_not_known():
    """Equal: p 1; always apart: p 0; an unknown error: no p, and the others' Holm ignores it."""
    parts = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [np.nan, np.nan]])
    ways = (estimate(parts, np.zeros(4)), estimate(parts + 1, np.ones(4)))
    seen = varied.ScoreCovariance(ways)
    found = pairs_of(
        np.array([0.5, 0.5, 0.9, 0.1]), seen.between(), np.zeros(4), np.ones(4), np.zeros(4)
    )
    assert found.p[:2].tolist() == [1.0, 0.0] and found.p[found.at(1, 2)] == 0.0
    assert all(math.isnan(found.p[found.at(i, 3)]) for i in range(3))
    assert found.p_adjusted[:2].tolist() == [1.0, 0.0]
    assert found.apart(0.95).tolist() == [
        [False, False, True, False],
        [False, False, True, False],
        [True, True, False, False],
        [False, False, False, False],
    ]
