"""Beyond the dense limit tables are sparse, and everything still holds."""

import numpy as np
import pytest

import evenhand as eh
from evenhand import Confusion
from evenhand.data.cells import DENSE_LIMIT, SparseCells

K = int(DENSE_LIMIT**0.5) + 10
RANDOM = np.random.default_rng(0)
TRUE = np.concatenate([np.arange(K), RANDOM.integers(0, 5, 500)])
PRED = np.concatenate([np.arange(K)[::-1], RANDOM.integers(0, 5, 500)])
WEIGHTS = RANDOM.random(len(TRUE))


@pytest.fixture(scope="module", params=[None, WEIGHTS], ids=["counts", "weights"])
def table(request):
    return Confusion.from_labels(TRUE, PRED, weights=request.param, labels=range(K))


@pytest.fixture(scope="module")
def small(table):
    """The same items, the classes that are each other's mirror merged."""
    return table.relabel(lambda v: min(v, 4))


def test_it_is_sparse(table):
    assert isinstance(table.data, SparseCells)
    assert repr(table).startswith("Confusion(1,458 classes, total ")


def test_margins(table):
    weight = np.ones(len(TRUE)) if table.data.square is None else WEIGHTS
    np.testing.assert_allclose(table.prevalence, np.bincount(TRUE, weight, K))
    np.testing.assert_allclose(table.bias, np.bincount(PRED, weight, K))
    hit = TRUE == PRED
    np.testing.assert_allclose(table.correct, np.bincount(TRUE[hit], weight[hit], K))
    np.testing.assert_allclose(table.total, weight.sum())


def test_relabel_and_select(table, small):
    assert small.labels == (0, 1, 2, 3, 4)
    np.testing.assert_allclose(small.total, table.total)
    part = table.select([0, 1, 2])
    np.testing.assert_allclose(part.total, table.prevalence[:3].sum())


def test_transpose_turns_margins(table):
    np.testing.assert_allclose(table.transpose().prevalence, table.bias)


def test_sum_and_stack(table):
    np.testing.assert_allclose((table + table).correct, 2 * table.correct)
    stack = Confusion.stack([table, table + table])
    np.testing.assert_allclose(stack[1].bias, 2 * table.bias)
    np.testing.assert_allclose(eh.macro_f1(stack), eh.macro_f1(table))


def test_calibrate(table):
    made = table.calibrate()
    np.testing.assert_allclose(made.prevalence, 1 / K)
    np.testing.assert_allclose(eh.macro_recall(made), eh.macro_recall(table))


def test_outside_predictions():
    lost = Confusion.from_labels(TRUE, [*PRED[:-3], None, None, None], labels=range(K))
    assert lost.outside.sum() == 3
    assert lost.missing == 3
    assert lost.bias.sum() == len(TRUE) - 3
