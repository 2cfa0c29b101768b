"""Correction over metrics, pairs and slices: by hand, by loops, and the promise itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from evenhand.infer.pvalue import balanced, holm, over_families, step_down

STATISTICS = st.integers(0, 2**32 - 1).map(
    lambda seed: np.random.default_rng(seed).integers(0, 6, (24, 4)).astype(float)
)
EVEN = np.full(24, 1 / 24)


def one_by_one(statistics):
    """The step-down procedure as it is written down, for even chances."""
    s = balanced(statistics, np.full(len(statistics), 1 / len(statistics)), 0.95)
    left, most, found = list(range(s.shape[1])), 0.0, {}
    while left:
        best = max(left, key=lambda j: s[0, j])
        reach = [max(row[j] for j in left) >= s[0, best] - 1e-12 for row in s]
        most = max(most, sum(reach) / len(reach))
        found[best] = most
        left.remove(best)
    return [found[j] for j in range(s.shape[1])]


@given(STATISTICS)
def test_step_down_is_the_loop_from_the_largest_down(statistics):
    assert step_down(statistics, EVEN, 0.95) == pytest.approx(one_by_one(statistics))


@given(STATISTICS, st.booleans())
def test_no_level_is_exceeded_whichever_outcome_is_the_observed_one(statistics, endless):
    if endless:
        statistics[statistics == 5] = np.inf
    least = []
    for i in range(len(statistics)):
        order = [i, *(j for j in range(len(statistics)) if j != i)]
        least.append(step_down(statistics[order], EVEN, 0.95).min())
    for p in set(least):
        assert np.mean(np.array(least) <= p + 1e-12) <= p + 1e-9


def test_columns_that_say_the_same_cost_nothing_and_wild_ones_little():
    rng = np.random.default_rng(0)
    one = np.abs(rng.normal(size=(2001, 1)))
    one[0] = 4.5
    chance = np.full(2001, 1 / 2001)
    assert step_down(one, chance, 0.95)[0] == 1 / 2001
    again = np.hstack([one, 3 * one, one + 1e-14])
    assert step_down(again, chance, 0.95) == pytest.approx([1 / 2001] * 3)
    wild = np.where(rng.random((2001, 1)) < 0.3, np.inf, one)
    both = step_down(np.hstack([one, wild]), chance, 0.95)
    assert both[0] < 0.002 < 0.25 < both[1]


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 4)), min_size=1, max_size=20))
def test_families_are_faced_from_the_smallest_p_up(given_):
    p, family = zip(*given_, strict=True)
    adjusted = over_families(p, family)
    most, done = 0.0, set()
    for i in sorted(range(len(p)), key=p.__getitem__):
        left = {family[j] for j in range(len(p)) if j not in done}
        most = max(most, min(1.0, len(left) * p[i]))
        assert adjusted[i] == most
        done.add(i)
    assert over_families(p, range(len(p))).tolist() == holm(p)


def samples(n=300, seed=0, systems="ABC"):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 3, n)
    return true, {
        s: np.where(rng.random(n) < 0.7 - 0.06 * i, true, rng.integers(0, 3, n))
        for i, s in enumerate(systems)
    }


def test_one_metric_is_corrected_by_holm_over_pairs():
    true, systems = samples()
    found = eh.compare(true, systems, metrics=["macro_f1"])
    raw = [p.p["randomisation"] for p in found.pairs]
    assert [p.p_adjusted for p in found.pairs] == pytest.approx(holm(raw))
    assert found.families == 3
    assert "after Holm's correction over 3 distinct tests" in found.verdict[-1]


def test_the_same_metric_by_other_names_changes_nothing():
    true, systems = samples()
    one = eh.compare(true, systems, metrics=["accuracy"])
    names = ["accuracy", "micro_f1", "micro_precision", "weighted_recall"]
    for tests in ("randomisation", "delta"):
        one = eh.compare(true, systems, metrics=names[:1], tests=tests)
        four = eh.compare(true, systems, metrics=names, tests=tests)
        wanted = [p.p_adjusted for p in one.pairs for _ in names]
        assert [p.p_adjusted for p in four.pairs] == pytest.approx(wanted)
    assert "over 3 distinct tests" in four.verdict[-1]


def test_the_bootstrap_draws_enough_for_its_correction():
    true, systems = samples(systems="ABCD")
    found = eh.compare(
        true, systems, metrics=["accuracy", "kappa"], tests="bootstrap", replicates=99
    )
    least = {p.p_least for p in found.pairs}
    assert min(p.p["bootstrap"] for p in found.pairs) >= 1 / 481  # 2 · 12 tests / 5 %
    assert max(least) == pytest.approx(12 / 481)
