"""Ranks, letters, agreement, flips: small parts against known answers."""

import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from evenhand.inference.jackknife import PairDifferences
from evenhand.inference.permutation import SystemPairs
from evenhand.ranking.rank import kendall, spearman
from evenhand.ranking.ranks import (
    average_ranks,
    flips,
    letters,
    ranks,
    share_letter,
)
from evenhand.ranking.runs import runs_of

few = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]), min_size=2, max_size=8)


@given(few)
def test_ties_share_the_smallest_rank(values):
    expected = scipy.stats.rankdata([-v for v in values], method="min")
    assert ranks(np.array(values)).tolist() == expected.astype(int).tolist()
    lower = scipy.stats.rankdata(values, method="min")
    assert ranks(np.array(values), "lower").tolist() == lower.astype(int).tolist()
    assert (
        average_ranks(np.array(values)).tolist()
        == scipy.stats.rankdata([-v for v in values], method="average").tolist()
    )


def test_noise_of_the_last_digit_is_a_tie_and_the_undefined_is_last():
    assert ranks(np.array([0.1 + 0.2, 0.3, 0.2])).tolist() == [1, 1, 3]
    assert ranks(np.array([np.nan, 0.3, np.nan, 0.2])).tolist() == [3, 1, 3, 2]
    assert ranks(np.array([1e9 + 1e-7, 1e9])).tolist() == [1, 1]
    assert ranks(np.array([np.nan, np.nan])).tolist() == [1, 1]
    assert ranks(np.array([[1, 2], [2, 1.0]])).tolist() == [[2, 1], [1, 2]]


@given(st.integers(1, 9), st.randoms(use_true_random=False))
def test_letters_are_shared_exactly_where_nothing_is_told_apart(n, random):
    apart = np.zeros((n, n), bool)
    for i, j in itertools.combinations(range(n), 2):
        apart[i, j] = apart[j, i] = random.random() < 0.5
    found = letters(apart)
    assert all(found)
    for i, j in itertools.combinations(range(n), 2):
        assert share_letter(found[i], found[j]) != apart[i, j]


def test_letters_of_known_displays():
    no = np.zeros((3, 3), bool)
    assert letters(no) == ["a", "a", "a"]
    assert letters(~no & ~np.eye(3, dtype=bool)) == ["a", "b", "c"]
    many = ~np.eye(60, dtype=bool)
    assert letters(many)[-1] == "(60)" and len(set(letters(many))) == 60


@given(st.lists(few.filter(lambda v: len(v) >= 5).map(lambda v: v[:5]), min_size=2, max_size=4))
def test_correlations_are_those_of_scipy(rows):
    values = np.array(rows)
    better = ["higher"] * len(values)
    rho, tau = spearman(values, better), kendall(values, better)
    for i, j in itertools.combinations(range(len(values)), 2):
        if len(set(rows[i])) == 1 or len(set(rows[j])) == 1:
            assert np.isnan(rho[i, j]) and np.isnan(tau[i, j])
            continue
        assert rho[i, j] == pytest.approx(scipy.stats.spearmanr(rows[i], rows[j])[0])
        assert tau[i, j] == pytest.approx(scipy.stats.kendalltau(rows[i], rows[j])[0])


def test_flips_name_two_systems_and_two_metrics():
    values = np.array([[0.9, 0.8, 0.8], [0.5, 0.6, 0.4], [0.5, 0.4, 0.6]])
    places = np.stack([ranks(v) for v in values])
    found = flips(("A", "B", "C"), ["m", "n", "o"], places, values, None)
    assert [(f.systems, f.metrics) for f in found] == [
        (("A", "B"), ("m", "n")),
        (("A", "C"), ("m", "o")),
    ]  # B and C are equal on the chosen metric
    assert found[0].differences == pytest.approx((0.1, -0.1))
    assert found[0].significant == (None, None)


def test_metrics_that_make_the_same_order_flip_once_and_by_the_surer_one():
    values = np.array([[0.9, 0.8], [0.5, 0.6], [0.1, 0.4]])
    places = np.stack([ranks(v) for v in values])
    items = PairDifferences(np.array([0.01]), np.array([np.inf]))
    told = [
        SystemPairs(2, *(np.array([x]) for x in (0.1, p, p, np.inf)), items)
        for p in (0.5, 0.5, 0.001)
    ]
    apart = np.stack([pairs.apart(0.95) for pairs in told])
    (found,) = flips(("A", "B"), ["m", "n", "o"], places, values, apart)
    assert found.metrics == ("m", "o") and found.significant == (False, True)
    (found,) = flips(("A", "B"), ["m", "n", "o"], places, values, None)
    assert found.metrics == ("m", "n")


def test_runs_by_pattern_by_mapping_and_wrongly():
    names = ["b-1", "a-2", "a-1", "solo"]
    found = runs_of(names, "{system}-{run}")
    assert found.systems == ("a", "b", "solo")
    assert found.names[0] == ("a-1", "a-2")
    assert found.mean(np.array([1.0, 2.0, 4.0, 7.0])).tolist() == [3, 1, 7]
    assert found.spread(np.array([1.0, 2.0, 4.0, 7.0])).tolist() == pytest.approx([2**0.5, 0, 0])
    for wrong in ({"a": ["a-1"]}, {"x": names, "y": ["nobody"]}, "{system}", "{system}+{run}"):
        with pytest.raises(ValueError, match=r"runs must|pattern"):
            runs_of(names, wrong)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"a": ["a-1", "a-1"], "b": ["b-1"]}, "not so 'a-1'"),
        ({"a": ["a-1", "x"]}, "not so 'x', 'b-1'"),
        ({"a": ["a-1"], "b": ["b-1"], "c": []}, "not so 'c'"),
    ],
)
def test_what_is_wrong_with_runs_is_said_and_no_more(wrong, words):
    with pytest.raises(ValueError) as caught:
        runs_of(["a-1", "b-1"], wrong)
    assert str(caught.value) == f"runs must name every run once, under its system; {words}"
