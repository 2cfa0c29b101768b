"""Chances of being best: shrinking against numerical integration, laws, and what is true."""

import itertools

import numpy as np
import pytest
import scipy.stats

import evenhand as eh
from evenhand.ranking.ranks import best_shares, own_variance, rank_ends, ranks, true_scores

SCORES = np.array([0.58, 0.60, 0.61, 0.615, 0.63, 0.68])


def draws(scores, errors, seed=0, count=4000):
    return np.random.default_rng(seed).normal(scores, errors, (count, len(scores)))


def test_the_normal_curve_s_mean_is_that_of_an_integral():
    """Every log spread and every middle of the grid alike, by a finer grid of true scores."""
    errors = np.array([0.02, 0.03, 0.02, 0.01, 0.02, 0.025])
    drawn = draws(SCORES, errors, count=20_000)
    c = drawn - drawn.mean(axis=0)
    own = own_variance((c - c.mean(axis=1, keepdims=True)).var(axis=0))
    weight, first = 0.0, np.zeros(6)
    noise = np.sqrt(own.mean())
    for middle in np.quantile(SCORES, (np.arange(9) + 0.5) / 9):
        for spread in np.geomspace(noise / 20, 2 * np.ptp(SCORES), 60):
            likely = scipy.stats.norm.pdf(SCORES, middle, np.sqrt(spread**2 + own)).prod()
            weight += likely
            first += likely * (middle + spread**2 / (spread**2 + own) * (SCORES - middle))
    mean = true_scores(SCORES, drawn, np.random.default_rng(1)).mean(axis=0)
    assert mean == pytest.approx(first / weight, abs=0.1 * noise)


@pytest.mark.parametrize("close", [False, True])
def test_true_scores_move_and_stretch_with_the_scores(close):
    drawn = draws(SCORES, 0.02, count=300)
    one = true_scores(SCORES, drawn, np.random.default_rng(1), close=close)
    other = true_scores(3 + 40 * SCORES, 3 + 40 * drawn, np.random.default_rng(1), close=close)
    assert other == pytest.approx(3 + 40 * one)


def test_the_far_one_stays_and_the_near_ones_meet():
    """And they meet more closely where true scores are as close together as is plausible."""
    drawn = draws(SCORES, 0.02)
    mean, close = (
        true_scores(SCORES, drawn, np.random.default_rng(1), close=close).mean(axis=0)
        for close in (False, True)
    )
    assert 0 < SCORES[5] - mean[5] < SCORES[5] - close[5] < 0.07
    assert np.ptp(close[:5]) < np.ptp(mean[:5]) < 0.9 * np.ptp(SCORES[:5])


def test_own_variances_are_those_that_the_common_mean_hides():
    own = np.array([1.0, 2.0, 0.5, 4.0, 1.5])
    s = len(own)
    seen = own * (1 - 2 / s) + own.sum() / s**2
    assert own_variance(seen) == pytest.approx(own)
    assert own_variance(np.array([1.0, 1.0, 1.0, 1.0, 0.0])).min() > 0


def test_systems_that_do_not_vary_are_left_alone():
    still = np.ones((50, 6))
    assert (true_scores(np.ones(6), still, np.random.default_rng(0)) == still).all()


def test_where_nobody_has_a_score_nobody_is_the_best():
    nobody = eh.rank([0] * 4, {name: [0] * 4 for name in "ABC"}, by_metric="kappa",
                     undefined="nan", metrics=[], replicates=20)  # fmt: skip
    assert {s["kappa"].best_probability for s in nobody.systems} == {0.0}
    one = np.array([0.5, np.nan, np.nan]), np.array([[0.4, np.nan, np.nan]] * 9)
    assert true_scores(*one, np.random.default_rng(0)) is one[1]
    endless = np.array([1.0, 2.0, np.inf]), np.ones((9, 3))
    assert true_scores(*endless, np.random.default_rng(0)) is endless[1]


def test_systems_far_behind_make_the_leaders_no_surer():
    """Four equal systems, alone and above four that are hopeless."""
    rng = np.random.default_rng(7)
    scores = np.concatenate([rng.normal(0, 1, 4), rng.normal(-50, 9, 4)])
    drawn = draws(scores, 1.0, count=2000)
    for close in (False, True):
        alone = best_shares(true_scores(scores[:4], drawn[:, :4], rng, close=close))
        among = best_shares(true_scores(scores, drawn, rng, close=close))
        assert among == pytest.approx([*alone, 0, 0, 0, 0], abs=0.05)


def test_an_undefined_score_stays_undefined_and_moves_no_other():
    rng = np.random.default_rng(1)
    drawn = rng.normal(SCORES, 0.02, (500, 6))
    whole = true_scores(SCORES, drawn, np.random.default_rng(2))
    undefined = np.append(SCORES, np.nan), np.column_stack([drawn, np.full(500, np.nan)])
    more = true_scores(*undefined, np.random.default_rng(2))
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
    one, other = (true_scores(SCORES, x, np.random.default_rng(0)) for x in (holes, drawn))
    assert one == pytest.approx(other)


@pytest.mark.parametrize("spread", [0.0, 0.7, 1.0, 2.0])
def test_the_ends_hold_how_often_the_leader_is_the_best(spread):
    """Eight systems, 200 times; by replicates alone the leader is too sure of itself."""
    rng = np.random.default_rng(3)
    ends, best = [], []
    for _ in range(200):
        real = rng.normal(0, spread, 8)
        seen = real + rng.normal(size=8) + rng.normal()
        drawn = seen + rng.normal(size=(200, 8)) + rng.normal(size=(200, 1))
        curves = (true_scores(seen, drawn, rng, close=close) for close in (True, False))
        ends.append([best_shares(x)[seen.argmax()] for x in (*curves, drawn)])
        best.append(1 / 8 if not spread else real.argmax() == seen.argmax())
    low, middle, high = np.mean(ends, axis=0)
    assert low < middle < high
    assert low - 0.08 < np.mean(best) < high + 0.08
    assert middle == pytest.approx(np.mean(best), abs=0.15)


def test_ranks_are_shared_as_if_ties_were_broken_by_lot():
    rng = np.random.default_rng(4)
    scores = rng.integers(0, 3, (6, 5)).astype(float)
    expected = np.zeros(5)
    for row in scores:
        for lot in itertools.permutations(range(5)):
            expected[max(range(5), key=lambda i: (row[i], -lot[i]))] += 1 / 120 / 6
    found = best_shares(scores)
    assert found == pytest.approx(expected)
    assert found.sum() == pytest.approx(1)


def test_draws_without_any_score_say_nothing_of_the_ranks():
    """Such a draw once lowered P(best), and gave every system a share of every rank."""
    drawn = np.array([[0.9, 0.5], [0.9, np.nan], [np.nan, np.nan]])
    assert best_shares(drawn).tolist() == [1, 0]
    assert best_shares(drawn[2:]).tolist() == [0, 0]


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


def test_one_system_is_the_best_and_equal_ones_share_that():
    rng = np.random.default_rng(6)
    y = rng.integers(0, 3, 200)
    guess = {f"s{i}": np.where(rng.random(200) < 0.6 + 0.02 * i, y, 0) for i in range(7)}
    board = eh.rank(y, guess | {"twin": guess["s6"]}, metrics=[], replicates=150)
    best = {s.name: s["macro_f1"].best_probability for s in board.systems}
    assert sum(best.values()) == pytest.approx(1)
    assert best["twin"] == best["s6"]
    sure = eh.rank([0, 1] * 50, {"right": [0, 1] * 50, "wrong": [1, 0] * 50}, replicates=99)
    assert sure["right"]["macro_f1"].best_probability == pytest.approx(99.5 / 100)


def test_p_best_is_shown_from_end_to_end():
    rng = np.random.default_rng(6)
    y = rng.integers(0, 3, 200)
    guess = {f"s{i}": np.where(rng.random(200) < 0.6 + 0.01 * i, y, 0) for i in range(7)}
    board = eh.rank(y, guess, metrics=[], replicates=150)
    x = board.systems[0]["macro_f1"]
    assert 1 / 8 < x.best_low < x.best_probability < x.best_high < 1
    for s in board.systems:
        assert s["macro_f1"].best_low <= s["macro_f1"].best_probability <= s["macro_f1"].best_high
    shown = f"P(best) {100 * x.best_low:.0f}–{100 * x.best_high:.0f} %"
    assert shown in board.verdict and shown[8:] in str(board)
    facts = board.to_dict()["systems"][0]
    assert (facts["best_low"], facts["best_high"]) == (x.best_low, x.best_high)
    assert {"best_low", "best_high"} <= set(board.to_pandas().columns)
