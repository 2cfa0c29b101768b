"""Gradients and errors of metrics of cells."""

import numpy as np
import pytest

import evenhand as eh
from evenhand.core.contingency import Contingency
from evenhand.core.derivatives import cell_gradient
from evenhand.core.registry import all_metrics

METRICS = [m for m in all_metrics() if m.needs in ("cells", "pairs")]
CELLS = np.array([[9.0, 1, 2, 1], [3, 12, 4, 2], [2, 5, 17, 1.5]])


def crossed(cells):
    return Contingency.from_cells(cells[..., :-1], cells[..., -1])


@pytest.mark.parametrize("m", METRICS, ids=lambda m: m.name)
def test_finite_differences(m):
    found = cell_gradient(m.function, crossed(CELLS)).dense()
    for at in np.ndindex(CELLS.shape):
        step = np.zeros(CELLS.shape)
        step[at] = 1e-5
        ends = [float(m.function(crossed(CELLS + sign * step))) for sign in (1, -1)]
        assert found[at] == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("sums", [1, 12, 13, 40])
def test_a_metric_may_have_any_number_of_sums(sums):
    def squares(c):
        return sum(c.sum(c.share(c.amount) ** 2 * c.hit) / sums for _ in range(sums))

    shares, total = CELLS / CELLS.sum(), CELLS.sum()
    hit = np.eye(3, 4)
    expected = 2 * (shares * hit - np.sum(shares**2 * hit)) / total
    assert cell_gradient(squares, crossed(CELLS)).dense() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("m", [m for m in METRICS if m.needs == "cells"], ids=lambda m: m.name)
def test_cells_that_hold_something_are_enough(m):
    """Two tables, of which each leaves cells empty, one after another and all at once."""
    stack = np.stack([CELLS * (CELLS > 1), CELLS * (CELLS != 2)])
    table, true, pred = np.nonzero(stack)
    amount = stack[table, true, pred].astype(float)
    some = Contingency(amount, true, pred, 3, table=table, shape=(2,))
    assert m.function(some) == pytest.approx(m.function(crossed(stack)), rel=1e-13)
    ours, all_of = (
        cell_gradient(m.function, c).at(table, true, pred) for c in (some, crossed(stack))
    )
    assert ours == pytest.approx(all_of, rel=1e-10, abs=1e-13)


@pytest.mark.parametrize("m", [m for m in METRICS if m.smooth], ids=lambda m: m.name)
def test_the_delta_method_is_the_bootstrap_of_many_items(m):
    cells = np.random.default_rng(1).multinomial(4000, CELLS[:, :-1].ravel() / CELLS[:, :-1].sum())
    table = cells.reshape(3, 3)
    delta = eh.score(table, metrics=[m.name], interval="delta")[m.name].se
    drawn = eh.score(table, metrics=[m.name], interval="bootstrap", replicates=1500)[m.name].se
    assert delta == pytest.approx(drawn, rel=0.12)


def test_paired_systems_have_tests():
    rng = np.random.default_rng(0)
    true = rng.integers(0, 3, 400)
    a, b = (np.where(rng.random(400) < p, true, rng.integers(0, 3, 400)) for p in (0.8, 0.5))
    found = eh.compare(true, a, b, metrics=["cramers_v"])
    assert found["A", "B"].to_dict()["p_adjusted"] < 0.01
