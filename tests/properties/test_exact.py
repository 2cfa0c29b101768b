"""The kernels in exact fractions agree with the kernels in floats."""

import math
from fractions import Fraction

import numpy as np
import pytest

from evenhand.catalogue.lists import table_metrics
from evenhand.core.margins import Counts
from evenhand.properties.decomposability import contradicts, excess, extreme, solved
from evenhand.properties.exact import ExactArray, fraction
from evenhand.properties.search import shrunk, small_tables
from evenhand.properties.subject import subject_of

TABLES = [m for m in table_metrics().values() if m.needs == "counts" and m.smooth]


@pytest.mark.parametrize("metric", TABLES, ids=lambda m: m.name)
def test_fractions_and_floats(metric):
    cells = np.concatenate([small_tables(3)[::7], np.array([[[6, 1, 1], [1, 5, 2], [2, 3, 7]]])])
    exact = metric.function(Counts.from_cells(ExactArray(cells)))
    plain = metric.function(Counts.from_cells(cells))
    assert np.allclose(exact.values.astype(float), plain, atol=1e-12)


def test_published_fractions():
    m = np.array([[[6, 1, 1], [1, 5, 2], [2, 3, 7]]])
    assert subject_of("weighted_f1").exact(m) == [Fraction(841, 1309)]
    assert subject_of("f1_gap").exact(m) == [Fraction(686, 213741)]
    assert subject_of("mcc").exact(np.array([[[0, 1], [5, 0]]])) == [Fraction(-1)]


def test_infinity_stays():
    assert fraction(math.inf) == math.inf
    assert fraction(0.5) == Fraction(1, 2)


def four(p, a, b, c):
    """Scores of a mean with exponent p of class values that two items raise."""

    def mean(x, y):
        values = (x, y, c)
        if p == 0:
            return math.prod(values) ** (1 / 3)
        return (sum(v**p for v in values) / 3) ** (1 / p)

    return [mean(*x) for x in ((a, b), (a * 1.5, b), (a, b * 1.3), (a * 1.5, b * 1.3))]


@pytest.mark.parametrize("p", [1, 2, -1, 0.3, -2.5, 7])
def test_the_exponent_is_found(p):
    f = [Fraction(x) for x in four(p, 0.2, 0.5, 0.4)]
    assert solved(f) == pytest.approx(p, abs=1e-6)


def test_exact_exponents():
    f = [Fraction(x, 12) for x in (3, 6, 4, 7)]
    assert excess(f, 1) == 0 and solved(f) == 1
    assert solved([Fraction(x) for x in (1, 2, 3, 6)]) == 0  # products: the geometric mean
    assert solved([Fraction(0), Fraction(1, 5), Fraction(1, 5), Fraction(5, 12)]) == pytest.approx(
        math.log(2) / math.log(25 / 12)
    )


def test_contradictions_and_extremes():
    f = np.array([[1, 1, 0.5, 0.6], [0.2, 0.3, 0.4, 0.5], [0, 0, 0.2, 0.1]])
    assert contradicts(f, 1e-9).tolist() == [True, False, False]
    least = np.array([[0.2, 0.2, 0.2, 0.3], [0.2, 0.3, 0.25, 0.4]])
    assert extreme(least, 1e-9)[0].tolist() == [True, False]


def test_shrinking_keeps_what_is_shown():
    m = np.array([[40, 7], [3, 90]])
    assert shrunk(m, lambda x: x[0, 0] > 2).tolist() == [[3, 0], [0, 1]]


def test_powers_stay_fractions():
    thirds = ExactArray(np.array([[2, 3], [3, 1]])) ** 2
    assert thirds.values.tolist() == [[4, 9], [9, 1]]
    root = ExactArray(np.array([2])) ** 0.5
    assert type(root.values[0]) is Fraction
    assert abs(root.values[0] ** 2 - 2) < Fraction(1, 10**70)
    assert (ExactArray(np.array([0])) ** 0.5).values[0] == 0
