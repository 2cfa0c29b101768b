"""Chances of being best: shrinking against numerical integration, laws, and what is true."""

import itertools

import numpy as np
import pytest
import scipy.stats

import evenhand as eh
from evenhand.ranking.ranks import (
    FEWEST,
    MIDDLES,
    empirical_bayes,
    moments,
    own_variance,
    rank_ends,
    rank_shares,
    ranks,
)

SCORES = np.array([0.58, 0.60, 0.61, 0.615, 0.63, 0.75])
ERRORS = np.array([0.02, 0.03, 0.02, 0.01, 0.02, 0.025]) ** 2


def test_moments_are_those_of_student_s_curve_by_integration():
    """Every middle and spread alike: the true score of each, on a fine grid."""
    noise = np.sqrt(ERRORS.mean())
    theta = np.linspace(0.3, 1.1, 4001)
    likely = scipy.stats.norm.pdf(SCORES[:, None], theta, np.sqrt(ERRORS)[:, None])
    weight, first, second = 0.0, np.zeros(6), np.zeros(6)
    for middle in np.quantile(SCORES, (np.arange(MIDDLES) + 0.5) / MIDDLES):
        for spread in np.linspace(noise / 20, 2 * np.ptp(SCORES), 60):
            joint = likely * scipy.stats.t.pdf(theta, 3, middle, spread)
            whole = joint.sum(axis=1)
            chance = np.prod(whole)
            weight += chance
            first += chance * (joint @ theta) / whole
            second += chance * (joint @ theta**2) / whole
    mean, left = moments(SCORES, ERRORS)
    exact = first / weight
    assert mean == pytest.approx(exact, abs=0.1 * noise)
    assert np.sqrt(left) == pytest.approx(np.sqrt(second / weight - exact**2), rel=0.12)


def test_moments_move_and_stretch_with_the_scores():
    mean, left = moments(SCORES, ERRORS)
    other, wider = moments(3 - 40 * SCORES, 1600 * ERRORS)
    assert other == pytest.approx(3 - 40 * mean)
    assert wider == pytest.approx(1600 * left)


def test_the_far_one_stays_and_the_near_ones_meet():
    """A normal curve would pull the farther one back by more."""
    mean, left = moments(SCORES, np.full(6, 0.02**2))
    farther, _ = moments(np.append(SCORES[:5], 0.95), np.full(6, 0.02**2))
    assert 0 < 0.95 - farther[5] < SCORES[5] - mean[5] < 0.02
    assert np.ptp(mean[:5]) < 0.8 * np.ptp(SCORES[:5])
    assert (left[:5] < 0.02**2).all()


def test_own_variances_are_those_that_the_common_mean_hides():
    own = np.array([1.0, 2.0, 0.5, 4.0, 1.5])
    s = len(own)
    seen = own * (1 - 2 / s) + own.sum() / s**2
    assert own_variance(seen) == pytest.approx(own)
    assert own_variance(np.array([1.0, 1.0, 1.0, 1.0, 0.0])).min() > 0


def test_few_systems_and_systems_that_do_not_vary_are_left_alone():
    drawn = np.random.default_rng(0).normal(size=(50, FEWEST - 1))
    assert empirical_bayes(np.zeros(FEWEST - 1), drawn) is drawn
    still = np.ones((50, 6))
    assert (empirical_bayes(np.ones(6), still) == still).all()


def test_an_undefined_score_stays_undefined_and_moves_no_other():
    rng = np.random.default_rng(1)
    drawn = rng.normal(SCORES, 0.02, (500, 6))
    whole = empirical_bayes(SCORES, drawn)
    more = empirical_bayes(
        np.append(SCORES, np.nan), np.column_stack([drawn, np.full(500, np.nan)])
    )
    assert np.isnan(more[:, 6]).all()
    assert more[:, :6] == pytest.approx(whole)


def test_replicates_without_any_score_are_passed_over():
    """Two items of one class and one of another: a third of the draws has no kappa for anyone."""
    guess = {f"s{i}": [i % 2, i // 2 % 2, i // 4] for i in range(6)}
    board = eh.rank([0, 0, 1], guess, by_metric="kappa", undefined="nan", replicates=50)
    total = sum(s["kappa"].best_probability for s in board.systems)
    assert total == pytest.approx(1)
    drawn = np.random.default_rng(2).normal(SCORES, 0.02, (40, 6))
    holes = np.insert(drawn, [3, 7], np.nan, axis=0)
    assert empirical_bayes(SCORES, holes) == pytest.approx(empirical_bayes(SCORES, drawn))


@pytest.mark.parametrize("spread", [0.7, 1.0, 2.0])
def test_the_leader_is_the_best_as_often_as_is_said(spread):
    """Eight systems, 400 times; by replicates alone the leader is too sure of itself."""
    rng = np.random.default_rng(3)
    said, alone, so = [], [], []
    for _ in range(400):
        real = rng.normal(0, spread, 8)
        seen = real + rng.normal(size=8) + rng.normal()
        drawn = seen + rng.normal(size=(300, 8)) + rng.normal(size=(300, 1))
        chance, plain = (rank_shares(x)[:, 0] for x in (empirical_bayes(seen, drawn), drawn))
        said.append(chance.max())
        alone.append(plain.max())
        so.append(real.argmax() == chance.argmax())
    assert np.mean(said) == pytest.approx(np.mean(so), abs=0.08)
    assert np.mean(alone) > np.mean(said)


def test_ranks_are_shared_as_if_ties_were_broken_by_lot():
    rng = np.random.default_rng(4)
    scores = rng.integers(0, 3, (6, 5)).astype(float)
    expected = np.zeros((5, 5))
    for row in scores:
        for lot in itertools.permutations(range(5)):
            order = sorted(range(5), key=lambda i: (-row[i], lot[i]))
            for place, i in enumerate(order):
                expected[i, place] += 1 / 120 / 6
    found = rank_shares(scores)
    assert found == pytest.approx(expected)
    assert found.sum(axis=0) == pytest.approx(1) and found.sum(axis=1) == pytest.approx(1)


def test_draws_without_any_score_say_nothing_of_the_ranks():
    """Such a draw once lowered P(best), and gave every system a share of every rank."""
    drawn = np.array([[0.9, 0.5], [0.9, np.nan], [np.nan, np.nan]])
    assert rank_shares(drawn).tolist() == [[1, 0], [0, 1]]
    assert rank_shares(drawn[2:]).tolist() == [[0, 0], [0, 0]]


def test_the_ends_of_a_rank_by_counting():
    rng = np.random.default_rng(5)
    for _ in range(20):
        places = ranks(rng.integers(0, 5, 7).astype(float))
        apart = rng.random((7, 7)) < 0.4
        apart = np.triu(apart, 1) | np.triu(apart, 1).T
        low, high = rank_ends(apart, places)
        for i in range(7):
            told = [j for j in range(7) if apart[i, j]]
            assert low[i] == 1 + sum(places[j] < places[i] for j in told)
            assert high[i] == 7 - sum(places[j] > places[i] for j in told)


def test_the_chance_of_rank_one_is_the_chance_of_being_best():
    rng = np.random.default_rng(6)
    y = rng.integers(0, 3, 200)
    guess = {f"s{i}": np.where(rng.random(200) < 0.6 + 0.02 * i, y, 0) for i in range(7)}
    board = eh.rank(y, guess | {"twin": guess["s6"]}, metrics=[], replicates=150)
    table = np.array(list(board.rank_probability.values()))
    assert table.sum(axis=0) == pytest.approx(1) and table.sum(axis=1) == pytest.approx(1)
    for name, shares in board.rank_probability.items():
        assert shares[0] == pytest.approx(board[name]["macro_f1"].best_probability)
    assert board.rank_probability["twin"] == board.rank_probability["s6"]
    sure = eh.rank([0, 1] * 50, {"right": [0, 1] * 50, "wrong": [1, 0] * 50}, replicates=99)
    assert sure["right"]["macro_f1"].best_probability == pytest.approx(99.5 / 100)


def test_the_legend_counts_systems_that_have_a_score():
    """Four of these five have one: too few for their scores to be drawn towards each other."""
    true = [0, 1, 1, 0, 1, 0]
    systems = {f"s{i}": [0, 1, 1, *np.roll([0, 1, 0], i)] for i in range(3)}
    systems |= {"all": [1] * 6, "none": [0] * 6}
    for undefined, words in (("nan", "bootstrap replicates)."), (0, "shrunk towards each other).")):
        board = eh.rank(
            true, systems, by_metric="precision:label=1", undefined=undefined, replicates=20
        )
        assert words in " ".join(board.content().sheets[0].note.split())
