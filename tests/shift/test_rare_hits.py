"""A class that is hardly ever right, at a mix where nearly all items are of it, is warned of."""

from __future__ import annotations

import numpy as np

import evenhand as eh


def test_few_hits_are_warned_of_at_a_mix():
    """The cell in which the interval of macro F1 holds least (docs/prevalence.md)."""
    k, n = 8, 20
    rng = np.random.default_rng(5)
    right = np.r_[0.02, rng.uniform(0.5, 0.9, k - 1)]
    rates = np.diag(right)
    for i in range(k):
        rates[i, np.arange(k) != i] = (1 - right[i]) * rng.dirichlet(np.full(k - 1, 0.5))
    mix = dict(enumerate([0.99, *[0.01 / (k - 1)] * (k - 1)]))
    for _ in range(20):
        table = eh.Confusion.from_matrix([rng.multinomial(n, row) for row in rates])
        found = eh.shift.extrapolate(table, to=mix, metrics=["macro_f1"])
        assert any("fewer than 10 predictions or 5 correct ones (0" in w for w in found.warnings)


def test_a_class_that_gets_no_share_is_not_warned_of():
    table = eh.Confusion.from_matrix([[30, 2, 1], [3, 40, 2], [15, 15, 1]])
    at, without = (
        eh.shift.extrapolate(table, to={0: 0.5, 1: 0.5 - p, 2: p}, metrics=["macro_f1"])
        for p in (0.1, 0)
    )
    assert any("5 correct ones (2)" in w for w in at.warnings)
    assert not any("5 correct ones" in w for w in without.warnings)
