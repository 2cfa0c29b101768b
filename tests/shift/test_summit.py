"""The most likely class mix is truly reached, at the edge of the simplex too."""

import numpy as np
import pytest
from scipy.optimize import minimize

import evenhand as eh
from evenhand.shift.estimators import TOP, likelihood, saerens, shortfall

EDGE = [[125, 2, 9, 32], [10, 15, 5, 33], [25, 17, 98, 7], [27, 31, 11, 68]]
SEEN = {"a": 412, "b": 326, "c": 679, "d": 583}


def lack(rates, shares, mix):
    return float(shortfall(rates[None], shares[None], mix[None])[0])


def test_a_maximum_at_the_edge():
    """Where EM would stop at b 0.348, d 0.145."""
    table = eh.Confusion.from_matrix(EDGE, labels="abcd")
    found = eh.shift.estimate_prevalence(table, predicted=SEEN, replicates=50, metrics=["accuracy"])
    shares = found.by("likelihood")
    expected = {"a": 0.0731866, "b": 0.4831268, "c": 0.4436866, "d": 0}
    assert shares == pytest.approx(expected, abs=1e-6)
    rates = np.array(EDGE) / np.sum(EDGE, axis=1, keepdims=True)
    seen = np.array(list(SEEN.values())) / 2000
    assert lack(rates, seen, np.array(list(shares.values()))) < 1e-11


def problem(seed):
    """Rates of 2 to 11 classes, sharp or flat, with or without an outside column, and shares."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 12))
    rates = rng.dirichlet(np.full(k + 1, rng.choice([0.05, 0.3, 1, 5])), k)
    rates += rng.uniform(0, 3) * np.eye(k, k + 1)
    if seed % 3 == 0:
        rates[:, -1] = 0
    rates /= rates.sum(axis=1, keepdims=True)
    shares = rng.dirichlet(np.full(k + 1, rng.choice([0.1, 1, 10])))
    if seed % 2:
        shares = rng.multinomial(50, shares) / 50
    shares = np.where(rates.any(axis=0), shares, 0)
    return rates, shares / shares.sum()


def best_by_slsqp(rates, shares):
    k = len(rates)
    told = shares > 0

    def height(x):
        return -shares[told] @ np.log(np.maximum(x @ rates[:, told], 1e-300))

    return -minimize(
        height,
        np.full(k, 1 / k),
        method="SLSQP",
        bounds=[(0, 1)] * k,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
        options={"ftol": 1e-14, "maxiter": 500},
    ).fun, lambda x: -height(x)


@pytest.mark.parametrize("seed", range(60))
def test_no_other_optimiser_finds_more(seed):
    rates, shares = problem(seed)
    if not shares.sum() > 0:
        pytest.skip("no prediction says anything")
    found = likelihood(rates, shares)
    assert found.min() >= 0 and found.sum() == pytest.approx(1, abs=1e-12)
    assert lack(rates, shares, found) <= TOP
    best, height = best_by_slsqp(rates, shares)
    assert height(found) >= best - 1e-12


@pytest.mark.parametrize("seed", range(20))
def test_probabilities_reach_the_top_too(seed):
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(2, 7)), 40
    p = rng.dirichlet(np.full(k, 0.5), n)
    prior = rng.dirichlet(np.full(k, 2.0))
    found = saerens(p, np.ones(n), prior)
    rates, shares = (p / prior).T, np.full(n, 1 / n)
    assert lack(rates, shares, found) <= TOP
    best, height = best_by_slsqp(rates, shares)
    assert height(found) >= best - 1e-12


def test_draws_are_taken_to_the_top_as_well():
    rates = np.stack([problem(s)[0] for s in range(400) if problem(s)[0].shape == (4, 5)])
    shares = np.stack([problem(s)[1] for s in range(400) if problem(s)[0].shape == (4, 5)])
    found = likelihood(rates, shares)
    assert len(found) > 20 and shortfall(rates, shares, found).max() <= TOP


def test_hundreds_of_classes():
    rng = np.random.default_rng(0)
    k = 300
    rates = rng.dirichlet(np.full(k + 1, 0.05), k) + np.eye(k, k + 1)
    rates /= rates.sum(axis=1, keepdims=True)
    shares = rng.multinomial(5000, rng.dirichlet(np.ones(k + 1))) / 5000
    found = likelihood(rates, shares)
    assert lack(rates, shares, found) <= TOP and (found < 1e-9).sum() > 50
