"""Simulated tasks have the mix, the accuracy and the size that were asked for."""

import numpy as np
import pytest

import evenhand as eh


def rng():
    return np.random.default_rng(0)


def test_families():
    s = eh.simulate
    assert s.graded_mix(4, 0.0).tolist() == [0.25] * 4
    assert np.allclose(s.graded_mix(3, [0, 1]), [[1 / 3] * 3, [1 / 6, 1 / 3, 1 / 2]])
    q = s.graded_errors(4, 0.7, 1.0)
    assert np.allclose(q.sum(axis=1), 1) and np.allclose(np.diag(q), 0.7)
    assert q[0, 3] == pytest.approx(4 * 0.3 / (10 - 1))  # j(1 − x)/(Σj − i), i = 1
    assert np.allclose(s.even_errors(4, 0.7)[0], [0.7, 0.1, 0.1, 0.1])
    assert np.allclose(s.random_guess([0.2, 0.8]), [[0.2, 0.8]] * 2)


def test_tables():
    s = eh.simulate
    made = s.tables(s.graded_mix(3, 1.0), s.even_errors(3, 0.8), items=5000, draws=400, rng=rng())
    assert made.shape == (400,)
    assert (made.total == 5000).all()
    assert eh.accuracy(made).mean() == pytest.approx(0.8, abs=0.002)
    assert np.allclose(made.prevalence.mean(axis=0) / 5000, [1 / 6, 1 / 3, 1 / 2], atol=0.003)
    assert made.prevalence[:, 0].std() > 0


def test_grids_broadcast():
    s = eh.simulate
    y, x = np.linspace(0, 1, 4), np.linspace(0.4, 1, 5)
    made = s.tables(
        s.graded_mix(3, y[:, None]), s.even_errors(3, x[None, :]), items=50, draws=2, rng=rng()
    )
    assert made.shape == (2, 4, 5)
    assert (eh.accuracy(made)[..., -1] == 1).all()


def test_the_same_generator_gives_the_same_tables():
    s = eh.simulate
    a, b = (
        s.tables([0.5, 0.5], s.uniform_guess(2), items=100, draws=5, rng=rng()).cells
        for _ in range(2)
    )
    assert (a == b).all()


@pytest.mark.parametrize(
    ("mix", "channel", "message"),
    [
        ([0.5, 0.6], [[1, 0], [0, 1]], r"^mix must be .* sum to 1, got \[0\.5, 0\.6\]"),
        ([0.5, float("nan")], [[1, 0], [0, 1]], "^mix must hold finite counts, got nan"),
        ([0.5, 0.5], [[1, 1], [0, 1]], "^every row of channel must be"),
        ([0.5, 0.5], [[0, 1], [2, -1]], "^channel must hold counts ≥ 0, got -1 at"),
        ([0.5, 0.5], np.eye(3), "2 × 2"),
    ],
)
def test_what_makes_no_task(mix, channel, message):
    with pytest.raises(eh.InputError, match=message):
        eh.simulate.tables(mix, channel, items=10, rng=rng())
