"""Correction over metrics, pairs and slices: by hand, by loops, and the promise itself."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from evenhand.inference.multiplicity import any_of, holm, over_families, step_down


def matrices(size, seed):
    parts = np.random.default_rng(seed).normal(size=(size, 3)) + 1
    parts /= np.linalg.norm(parts, axis=1)[:, None]
    return parts @ parts.T


@given(st.integers(1, 5), st.integers(0, 2**32 - 1), st.floats(1e-6, 1.0))
def test_any_of_several_lies_between_one_and_all(size, seed, p):
    found = any_of(p, matrices(size, seed))
    assert p * (1 - 1e-9) <= found <= min(1.0, size * p) * (1 + 1e-9)


@pytest.mark.parametrize("p", [0.05, 0.3])
def test_any_of_several_is_no_less_than_what_is_drawn(p):
    for seed in range(3):
        correlation = matrices(5, seed)
        z = np.random.default_rng(seed).multivariate_normal(
            np.zeros(5), correlation, 200_000, method="eigh"
        )
        drawn = np.mean((2 * scipy.stats.norm.sf(np.abs(z)) <= p).any(axis=1))
        assert any_of(p, correlation) >= drawn - 4 * np.sqrt(drawn / 200_000)
        assert any_of(p, correlation[:2, :2]) == pytest.approx(
            np.mean((2 * scipy.stats.norm.sf(np.abs(z[:, :2])) <= p).any(axis=1)), abs=0.005
        )


@given(st.lists(st.floats(1e-6, 1), min_size=1, max_size=6))
def test_step_down_is_holm_or_nothing_at_the_ends(p):
    assert step_down(p, np.ones((len(p), len(p)))) == pytest.approx(p)
    sidak = one_by_one(p)
    assert (step_down(p, np.eye(len(p))) >= np.array(sidak) - 1e-9).all()
    assert (step_down(p, np.eye(len(p))) <= np.array(holm(p)) + 1e-9).all()


def one_by_one(p):
    """Šidák's step-down correction, which is right for independent statistics."""
    found, most = {}, 0.0
    for rank, i in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        most = max(most, 1 - (1 - p[i]) ** (len(p) - rank))
        found[i] = most
    return [found[i] for i in range(len(p))]


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
    raw = [max(p.p.values()) for p in found.pairs]
    assert [p.p_adjusted for p in found.pairs] == pytest.approx(holm(raw))
    assert found.families == 3
    assert "with Holm's correction for 3 pairs" in found.verdict[0]


def test_the_same_metric_by_other_names_changes_nothing():
    true, systems = samples()
    one = eh.compare(true, systems, metrics=["accuracy"])
    names = ["accuracy", "micro_f1", "micro_precision", "weighted_recall"]
    for tests in ("randomisation", "delta"):
        one = eh.compare(true, systems, metrics=names[:1], tests=tests)
        four = eh.compare(true, systems, metrics=names, tests=tests)
        wanted = [p.p_adjusted for p in one.pairs for _ in names]
        assert [p.p_adjusted for p in four.pairs] == pytest.approx(wanted)
    assert "with Holm's correction for 3 pairs" in four.verdict[0]


def test_the_bootstrap_draws_enough_for_its_correction():
    true, systems = samples(systems="ABCD")
    found = eh.compare(
        true, systems, metrics=["accuracy", "kappa"], tests="bootstrap", replicates=99
    )
    least = {p.p_least for p in found.pairs}
    assert min(p.p["bootstrap"] for p in found.pairs) >= 1 / 481  # 2 · 12 tests / 5 %
    undecided = sum(not found._significant(p) for p in found.primary)
    assert max(least) == pytest.approx(undecided / 481) == pytest.approx(5 / 481)
