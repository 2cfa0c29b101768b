"""Huge and tiny counts: every digit against exact fractions."""

from fractions import Fraction

import numpy as np
import pytest

import evenhand as eh
from evenhand.catalogue.binding import bind, evaluate
from evenhand.catalogue.lists import table_metrics
from evenhand.core.margins import Counts
from evenhand.data.cells import coalesce
from evenhand.inference.delta import at_mix
from evenhand.inference.rows import rows_of
from tests import oracle
from tests.laws.strategies import precision, sparse

METRICS = table_metrics()
NAMES = sorted(n for n in oracle.METRICS if METRICS[n].size != "factor")
"""All but sums, which grow with the items; where the number of items matters, weights are none."""
SHARES = [n for n in NAMES if METRICS[n].size == "nothing"]
MARGINS = [n for n in NAMES if METRICS[n].needs == "counts"]


def test_three_cells_of_a_trillion_million():
    assert eh.mcc([[1e18, 1e18], [1e18, 2]]) == -0.5


def test_squares_that_cancel():
    """The naive formula gives 0.567."""
    cells = [[10**16, 3], [2, 5]]
    assert eh.mcc(cells) == pytest.approx(oracle.value("mcc", cells), rel=1e-12)
    assert eh.mcc(cells) == pytest.approx(0.6681531047810609, rel=1e-12)
    assert eh.kappa(cells) == pytest.approx(oracle.value("kappa", cells), rel=1e-12)


HUGE = {
    "ten cells of 1e18": np.pad(np.full((2, 5), 10**18), ((0, 3), (0, 0))),
    "all of 1e18": np.full((10, 10), 10**18),
    "a diagonal of 1e18": np.eye(10, dtype=np.int64) * 10**18,
    "the largest integers": np.array([[2**63 - 1, 1], [3, 2**63 - 1]]),
    "near the largest": np.array([[2**62, 2**62 - 1, 5], [1, 2**62, 0], [7, 0, 2**62]]),
    "one rare class": np.array([[10**18, 1], [1, 1]]),
    "a rare hit among errors": np.array([[2, 10**18], [10**18, 10**18]]),
    "beyond integers": np.array([[1e19, 4096.0], [0.0, 1e19]]),
    "1e149": np.array([[3e148, 1e148], [2e148, 5e148]]),
}


def rounding(name):
    """How far off counts may leave a metric; weights are another matter."""
    record = METRICS[name]
    return max(precision(record), 1e-14) if record.size == "matters" else 1e-14


@pytest.mark.parametrize("case", HUGE)
@pytest.mark.parametrize("name", NAMES)
def test_huge_counts(case, name):
    cells = HUGE[case]
    k = len(cells)
    if METRICS[name].size == "matters" and cells.dtype.kind == "f":
        return  # weights, of which it is not defined
    exact = oracle.value(name, cells.tolist(), averaged=range(k))
    table = eh.Confusion.from_matrix(cells)
    close = pytest.approx(exact, rel=1e-12, abs=rounding(name))
    assert evaluate(name, table, classes=range(k)) == close


@pytest.mark.parametrize("counts", [eh.Confusion.from_matrix, eh.Counts.from_cells])
def test_huge_counts_outside(counts):
    c = counts(np.array([[1, 2], [3, 4]]), outside=np.array([2**63 - 1, 2**63 - 2]))
    assert int(c.total) == 2**64 + 7
    assert [int(x) for x in c.prevalence] == [2**63 + 2, 2**63 + 5]
    assert 0 < eh.accuracy(c) == pytest.approx(5 / 2**64, rel=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_huge_counts_in_sparse_cells(name):
    for case in ("a diagonal of 1e18", "the largest integers", "near the largest"):
        cells = HUGE[case]
        true, pred = np.nonzero(cells)
        data = coalesce((np.zeros_like(true), true, pred, cells[true, pred], None), k=len(cells))
        table = eh.Confusion.from_cells(tuple(range(len(cells))), data)
        exact = oracle.value(name, cells.tolist())
        close = pytest.approx(exact, rel=1e-12, abs=rounding(name))
        assert evaluate(name, table) == close


@pytest.mark.parametrize("name", MARGINS)
def test_huge_counts_as_bare_margins(name):
    cells = HUGE["near the largest"]
    found = evaluate(name, Counts.from_cells(cells))
    close = pytest.approx(oracle.value(name, cells.tolist()), rel=1e-12, abs=rounding(name))
    assert found == close


def test_a_test_of_many_items():
    """Where the fraction converges slowly, and where few are expected to go one way."""
    for cells in ([[100_300, 99_650], [50, 0]], [[7 * 10**8, 10**4], [2 * 10**8, 10**8]],
                  [[10**6, 3], [2, 1]], [[10**12, 10**6], [10**6, 10**12 + 10**6]]):  # fmt: skip
        exact = oracle.value("p_above_no_information_rate", cells)
        assert eh.p_above_no_information_rate(cells) == pytest.approx(exact, abs=1e-7)


def test_huge_counts_beside_small_ones_in_a_stack():
    stack = np.array([[[10**18, 10**18], [10**18, 2]], [[10**16, 3], [2, 5]], [[6, 1], [1, 5]]])
    for name in ("mcc", "kappa", "accuracy"):
        exact = [oracle.value(name, cells) for cells in stack.tolist()]
        assert getattr(eh, name)(stack) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("unit", [1e-140, 3e-17, 1e140])
@pytest.mark.parametrize("name", SHARES)
def test_tiny_weights(name, unit):
    """A common factor changes nothing, however small."""
    cells = [[6.5, 1.25, 1.0], [1.5, 5.0, 2.0], [2.0, 3.0, 7.75]]
    tiny = [[unit * x for x in row] for row in cells]
    assert getattr(eh, name)(tiny) == pytest.approx(oracle.value(name, cells), rel=1e-12)


def test_tiny_beside_large_weights():
    """A class of weight 1e-200 beside one of weight 1, both always right."""
    assert eh.mcc([[1, 0], [0, 1e-200]]) == 1
    assert eh.kappa([[1, 0], [0, 1e-200]]) == 1
    assert eh.macro_f1([[1, 0], [0, 1e-200]]) == 1


@pytest.mark.parametrize("name", ["kappa", "mcc"])
@pytest.mark.parametrize("seed", range(40))
def test_random_tables_of_wide_range(name, seed):
    """Cells of 0 to 18 digits, 2 to 6 classes, now and then an outside column."""
    draw = np.random.default_rng(seed)
    k = int(draw.integers(2, 7))
    cells = [[int(10.0 ** draw.uniform(-1, 18.5)) for _ in range(k)] for _ in range(k)]
    outside = [int(10.0 ** draw.uniform(0, 18)) if seed % 3 == 0 else 0 for _ in range(k)]
    exact = oracle.value(name, cells, outside=outside)
    table = eh.Confusion.from_matrix(cells, outside=outside)
    assert float(evaluate(name, table)) == pytest.approx(exact, rel=1e-11, abs=1e-15)


@pytest.mark.parametrize("name", ["kappa", "mcc"])
@pytest.mark.parametrize("seed", range(20))
def test_random_tables_close_to_chance(name, seed):
    """Rows almost in proportion: the numerator is a tiny difference of huge products."""
    draw = np.random.default_rng(seed)
    row, column = (draw.integers(1, 10**8, 3) for _ in range(2))
    cells = (np.multiply.outer(row, column) + draw.integers(0, 3, (3, 3))).tolist()
    exact = oracle.value(name, cells)
    assert float(evaluate(name, eh.Confusion.from_matrix(cells))) == pytest.approx(exact, abs=1e-15)


LOPSIDED = {
    "one class 10^27 times as heavy": [[1e19, 0], [1e-6, 1e-8]],
    "one class 10^16 times as heavy": [[1e16, 3.5], [2.5, 5.5]],
    "10^9 to 1": [[1e9 + 0.5, 1.25], [0.75, 2.5]],
    "everything taken for one class": [[1e19, 0, 0], [1e19, 1e-3, 2e-3], [1e19, 1e-3, 5e-3]],
    "everything true of one class": [[1e19, 1e19, 1e19], [0, 1e-3, 1e-3], [0, 2e-3, 5e-3]],
    "errors that outweigh": [[1.5, 1e10, 3], [1e-11, 1, 1e-11], [2, 1e10, 0.5]],
    "weights of 1e-150": [[1e150, 1e-150], [3e-150, 2e-150]],
}
"""Tables of weights in which prevalence − correct has no digit left."""


@pytest.mark.parametrize("case", LOPSIDED)
@pytest.mark.parametrize("name", ["kappa", "mcc"])
def test_lopsided_weights(name, case):
    cells = LOPSIDED[case]
    exact = oracle.value(name, cells)
    near = pytest.approx(exact, rel=1e-12, abs=1e-15)
    table = eh.Confusion.from_matrix(np.array(cells, float) + 0.0)
    assert getattr(eh, name)(cells) == near
    assert evaluate(name, sparse(table)) == near
    assert evaluate(name, Counts.from_cells(np.array(cells, float))) == near
    stack = np.stack([cells, np.eye(len(cells)) * 1.5]).astype(float)
    assert getattr(eh, name)(stack) == pytest.approx([exact, 1], rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("name", ["kappa", "mcc"])
def test_lopsided_weights_with_outside_predictions(name):
    cells, outside = [[1e19, 0.5], [1e-6, 1e-8]], [1e-7, 2e-3]
    exact = oracle.value(name, cells, outside=outside)
    table = eh.Confusion.from_matrix(cells, outside=outside)
    assert evaluate(name, table) == pytest.approx(exact, rel=1e-12)
    assert evaluate(name, sparse(table)) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("name", ["kappa", "mcc"])
def test_lopsided_items_and_their_replicates(name):
    """Rows of items, as bootstrap and delta see them, add up as the table does."""
    true, pred = np.array([0, 0, 1, 1, 1]), np.array([0, 1, 0, 1, 1])
    weight = np.array([1e19, 0.5, 1e-6, 1e-8, 3e-8])
    sample = eh.Sample.from_labels(true, {"a": pred, "b": pred[::-1]}, weights=weight)
    rows, table = rows_of(sample), sample.tables()
    kernel = bind(name, table)
    found = rows.values([kernel], rows.weight[None])[0][0]
    exact = []
    for p in (pred, pred[::-1]):
        cells = np.zeros((2, 2), object) + Fraction(0)
        for t, q, w in zip(true, p, weight, strict=True):
            cells[t, q] += Fraction(w)
        exact.append(oracle.value(name, cells.tolist()))
    assert found == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("name", ["kappa", "mcc"])
def test_soft_items_of_lopsided_weight(name):
    p = np.array([[0.75, 0.25], [0.5, 0.5], [0.125, 0.875]])
    true, weight = [0, 1, 1], [1e19, 1e-6, 1e-8]
    sample = eh.Sample.from_probabilities(true, {"a": p}, labels=[0, 1], weights=weight)
    cells = [[Fraction(0)] * 2 for _ in range(2)]
    for t, row, w in zip(true, p, weight, strict=True):
        for j in range(2):
            cells[t][j] += Fraction(row[j]) * Fraction(w)
    exact = oracle.value(name, cells)
    rows = rows_of(sample)
    found = rows.values([bind(name, sample.tables())], rows.weight[None])[0].item()
    assert found == pytest.approx(exact, rel=1e-12)


def test_a_mix_of_one_class_in_ten_billion():
    table = eh.Confusion.from_matrix([[90, 10], [20, 80]])
    shares = [Fraction(10**10 - 1, 10**10), Fraction(1, 10**10)]
    rows = zip(shares, [[90, 10], [20, 80]], strict=True)
    exact = [[s * Fraction(x, 100) for x in row] for s, row in rows]
    for name in ("kappa", "mcc"):
        value = evaluate(f"{name}@0=0.9999999999,1=0.0000000001", table)
        assert value == pytest.approx(oracle.value(name, exact), rel=1e-6)
        mixed = at_mix(
            np.array([[0.9, 0.1, 0], [0.2, 0.8, 0]]), np.array([float(s) for s in shares])
        )
        assert evaluate(name, mixed) == pytest.approx(oracle.value(name, exact), rel=1e-6)
