"""Generalised means: the named ones, the limits, large powers, zeros."""

import math

import numpy as np
import pytest

import evenhand as eh
from evenhand.core.margins import Counts, generalised, harmonic
from tests import oracle

RECALLS = [0.5, 0.25, 1.0]


def mean(values, p, averaged=None, undefined=0.0):
    x = np.asarray(values, float)
    return float(generalised(Counts(x, x, x, x.sum(), 0, averaged, undefined), x, p))


def test_named_means_by_hand():
    assert mean(RECALLS, 1) == pytest.approx(7 / 12)
    assert mean(RECALLS, 0) == pytest.approx(0.5)
    assert mean(RECALLS, -1) == pytest.approx(3 / 7)
    assert mean(RECALLS, 2) == pytest.approx(math.sqrt((1 / 4 + 1 / 16 + 1) / 3))
    assert mean(RECALLS, math.inf) == 1
    assert mean(RECALLS, -math.inf) == 0.25


@pytest.mark.parametrize("p", [-300.0, -7.5, -1.0, -0.5, -1e-9, 1e-9, 0.25, 0.5, 2.0, 3.0, 300.0])
def test_against_fifty_digits(p):
    cells = [[5, 3, 1], [2, 7, 5], [9, 4, 6]]
    exact = oracle.value("macro_recall", cells, p=p)
    assert eh.macro_recall(cells, p=p) == pytest.approx(exact, rel=1e-12)


def test_the_mean_grows_with_p_between_smallest_and_largest():
    powers = [-math.inf, -1e9, -1e3, -30, -1, -1e-6, 0, 1e-6, 0.5, 1, 2, 30, 1e3, 1e9, math.inf]
    found = [mean(RECALLS, p) for p in powers]
    assert found == sorted(found)
    assert (found[0], found[-1]) == (0.25, 1)


@pytest.mark.parametrize("p", [1e-12, -1e-12, 1e-17, -1e-17, 1e-300])
def test_powers_near_zero_are_the_geometric_mean(p):
    assert mean([0.1, 0.9, 0.4], p) == pytest.approx(0.036 ** (1 / 3), rel=1e-11)


@pytest.mark.parametrize("p", [50, 1e3, 1e6, 1e300])
def test_large_powers_neither_overflow_nor_vanish(p):
    """(1/k)^(1/p) times the value that decides, the others being nothing beside it."""
    share = (1 / 2) ** (1 / p)
    assert mean([1e-5, 1e-300], p) == pytest.approx(1e-5 * share, rel=1e-12)
    assert mean([1e-5, 1.0], -p) == pytest.approx(1e-5 / share, rel=1e-12)
    assert mean([1e-5, 0.0], p) == pytest.approx(1e-5 * share, rel=1e-12)


@pytest.mark.parametrize("p", [0, -0.5, -1, -40, -math.inf])
def test_one_zero_decides_for_p_up_to_zero(p):
    assert mean([0.9, 0.0, 0.8], p) == 0


@pytest.mark.parametrize(
    ("p", "expected"), [(1, 0.45), (2, 0.9 / 2**0.5), (0.5, 0.225), (math.inf, 0.9)]
)
def test_a_zero_counts_for_p_above_zero(p, expected):
    assert mean([0.9, 0.0], p) == pytest.approx(expected)


@pytest.mark.parametrize("p", [-math.inf, -2, 0, 0.5, 1, 3, math.inf])
def test_all_zero(p):
    assert mean([0.0, 0.0], p) == 0


@pytest.mark.parametrize("p", [-500, -2, 0, 2, 500, math.inf, -math.inf])
def test_classes_left_out_have_no_say(p):
    """Not even by overflowing: the one left out is the smallest, then the largest, then 0."""
    for other in (1e-9, 1.0, 0.0):
        averaged = np.array([True, True, False])
        assert mean([0.5, 0.5, other], p, averaged) == pytest.approx(0.5)


@pytest.mark.parametrize("p", [-3, 0, 1, 3, math.inf, -math.inf])
def test_nan_leaves_a_class_out(p):
    found = mean([0.3, math.nan, 0.6], p, undefined=math.nan)
    assert found == pytest.approx(mean([0.3, 0.6], p))


def test_a_stack_has_a_mean_each():
    x = np.array([[0.5, 0.25, 1.0], [0.0, 0.5, 0.5], [1.0, 1.0, 1.0]])
    c = Counts(x, x, x, x.sum(axis=-1))
    for p in (-2, -1, 0, 0.5, 1, 2, math.inf, -math.inf):
        assert generalised(c, x, p) == pytest.approx([mean(row, p) for row in x])


def test_harmonic_of_two():
    assert harmonic(np.array([0.5, 0.0, 1.0]), np.array([0.25, 0.0, 0.0])) == pytest.approx(
        [1 / 3, 0, 0]
    )
    assert harmonic(0.5, 0.25, beta=2) == pytest.approx(5 * 0.125 / (4 * 0.5 + 0.25))
    assert harmonic(0.5, 0.25, beta=0) == 0.5


@pytest.mark.parametrize("bad", [-1, math.nan, math.inf])
def test_beta_that_makes_no_sense(bad):
    for name in ("macro_fbeta", "fbeta_of_averages"):
        with pytest.raises(eh.MetricError, match="beta"):
            getattr(eh, name)([[1, 2], [3, 4]], beta=bad)


@pytest.mark.parametrize("beta", [0, 0.5, 1, 2, 30])
def test_beta(beta):
    cells = [[5, 3, 1], [2, 7, 5], [9, 4, 6]]
    for name in ("macro_fbeta", "fbeta_of_averages"):
        exact = oracle.value(name, cells, beta=beta)
        assert getattr(eh, name)(cells, beta=beta) == pytest.approx(exact, rel=1e-13)
