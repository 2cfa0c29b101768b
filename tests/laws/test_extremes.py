"""Every metric on weights over fifteen orders of magnitude, against exact fractions."""

from fractions import Fraction
from math import isinf, isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from evenhand.catalogue.binding import evaluate
from evenhand.catalogue.lists import table_metrics
from evenhand.core.derivatives import gradient
from evenhand.core.margins import Counts
from evenhand.core.registry import find
from tests import oracle
from tests.laws.strategies import precision, sparse, wide

METRICS = table_metrics()
NAMES = sorted(n for n in oracle.METRICS if METRICS[n].size != "matters")
"""All that are defined on weights."""
POLICIES = st.sampled_from([0.0, 1.0, float("nan")])


def exact(name, table, **options):
    cells, outside = table.cells.tolist(), table.outside.tolist()
    return oracle.fraction(name, cells, outside=outside, **options)


def both_kinds(name, table, **options):
    return [float(evaluate(name, t, **options)) for t in (table, sparse(table))]


def law(name, table, undefined, off):
    """A value, item by item where it grows with them, against the fraction and its range."""
    record = METRICS[name]
    items = Fraction(float(table.total)) if record.size == "factor" else 1
    right = exact(name, table, undefined=undefined)
    for found in both_kinds(name, table, undefined=undefined):
        if right is None:
            assert isnan(found)
            continue
        assert record.low <= found <= record.high
        if isinf(right) or isinf(found):
            assert found == right
            continue
        beside = float(Fraction(right) / items)
        assert float(Fraction(found) / items) == pytest.approx(beside, rel=1e-12, abs=off)


@pytest.mark.parametrize("name", NAMES)
@given(table=wide(), undefined=POLICIES)
@settings(max_examples=25, deadline=None)
def test_digits_hold_as_far_as_they_can(name, table, undefined):
    """Sums, products and quotients of numbers ≥ 0 keep every digit, however small the value;
    where agreement and chance cancel, what is left is right beside the range."""
    law(name, table, undefined, precision(METRICS[name]))


@pytest.mark.parametrize("name", NAMES)
@given(table=wide(6), undefined=POLICIES)
@settings(max_examples=15, deadline=None)
def test_weights_of_like_size_leave_digits_to_all(name, table, undefined):
    law(name, table, undefined, 1e-7)


def test_what_most_metrics_keep():
    """Precision is no way out: nearly all metrics are right to the last digits."""
    assert sum(precision(METRICS[n]) <= 1e-12 for n in NAMES) >= len(NAMES) - 4


def slopes(name, table):
    """Cell by cell, the weight times the derivative in it, from the formulas of kappa and MCC."""
    m = [[Fraction(x) for x in row] for row in table.cells.tolist()]
    k = range(table.k)
    p = [sum(row) for row in m]
    b = [sum(m[i][j] for i in k) for j in k]
    s, c = sum(p), sum(m[i][i] for i in k)
    chance = sum(x * y for x, y in zip(p, b, strict=True))
    top, unlike = c * s - chance, s * s - chance
    truth, guess = (s * s - sum(x * x for x in v) for v in (p, b))
    found = np.zeros((table.k, table.k))
    for t in k:
        for q in k:
            rise = (t == q) * s + c - b[t] - p[q]
            if name == "kappa":
                x = (rise - top / unlike * (2 * s - b[t] - p[q])) / unlike * m[t][q]
                found[t, q] = float(x)
            else:
                x = (rise - top * ((s - p[t]) / truth + (s - b[q]) / guess)) * m[t][q]
                size = float(oracle.power(x * x / (truth * guess), Fraction(1, 2)))
                found[t, q] = size if x > 0 else -size
    return found


@pytest.mark.parametrize("name", ["kappa", "mcc"])
@given(table=wide())
@settings(max_examples=80, deadline=None)
def test_what_each_cell_moves(name, table):
    """The influence of a cell, its weight times its slope, is right beside the range."""
    table = eh.Confusion.from_matrix(table.cells + np.eye(table.k)[::-1] * 1e-3)
    if np.sum(table.prevalence > 0) < 2 or np.sum(table.bias > 0) < 2:
        return
    c = Counts.from_cells(table.cells)
    found = gradient(find(name).function, c).dense()[:, :-1] * table.cells
    np.testing.assert_allclose(found, slopes(name, table), rtol=1e-9, atol=1e-13)
