"""The table's digest is that of the data: not of the order of items, nor of signs of zero."""

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.catalogue.signature import digest
from tests.laws.strategies import sparse

RNG = np.random.default_rng(0)
N = 3000
TRUE, PRED = RNG.integers(0, 3, (2, N))
WEIGHT = RNG.uniform(0.1, 3, N).round(3) / 7


def table(order, weight=WEIGHT):
    return eh.Confusion.from_labels(TRUE[order], PRED[order], weights=weight[order])


def test_items_in_another_order_are_the_same_table():
    forwards, backwards = table(np.arange(N)), table(np.arange(N)[::-1])
    assert (forwards.cells != backwards.cells).any()  # the sums differ in their last digits
    orders = [RNG.permutation(N) for _ in range(20)]
    assert {digest(table(o)) for o in orders} == {digest(forwards)} == {digest(backwards)}


def test_two_items_in_another_order():
    a, b = ["x", "x", "x"], ["x", "x", "x"]
    one = eh.Confusion.from_labels(a, b, weights=[0.1, 0.2, 0.3])
    two = eh.Confusion.from_labels(a, b, weights=[0.3, 0.2, 0.1])
    assert one.cells[0, 0] != two.cells[0, 0] and digest(one) == digest(two)


def test_an_engine_adds_up_in_its_own_order():
    frame = pl.DataFrame({"t": TRUE, "p": PRED, "w": WEIGHT})
    options = {"true": "t", "pred": "p", "weights": "w"}
    found = eh.Confusion.from_frame(frame.lazy(), **options)
    shuffled = eh.Confusion.from_frame(frame.sample(fraction=1, shuffle=True, seed=1), **options)
    assert digest(found) == digest(shuffled) == digest(table(np.arange(N)))


def test_zero_has_no_sign_and_no_cell():
    labels = [0, 1, 2]
    weights = np.array([1.5, 2.5, 0.0])
    plus = eh.Confusion.from_labels([0, 1, 2], [0, 1, 1], labels=labels, weights=weights)
    weights[2] = -0.0
    minus = eh.Confusion.from_labels([0, 1, 2], [0, 1, 1], labels=labels, weights=weights)
    without = eh.Confusion.from_labels([0, 1], [0, 1], labels=labels, weights=[1.5, 2.5])
    assert digest(plus) == digest(minus) == digest(without) == digest(sparse(plus))
    matrix = [[1.5, -0.0], [0.0, 2.5]]
    assert digest(eh.Confusion.from_matrix(matrix)) == digest(
        eh.Confusion.from_matrix(np.abs(matrix))
    )


@pytest.mark.parametrize("change", [1e-8, -1e-8, 0.5])
def test_other_weights_are_another_table(change):
    other = WEIGHT.copy()
    other[7] += change * other.sum()
    every = np.arange(N)
    assert digest(table(every)) != digest(table(every, other))


def test_a_weight_just_below_a_power_of_two():
    one, two = (eh.Confusion.from_matrix([[x, 0.5], [1, 1]]) for x in (1 - 1e-16, 1.0))
    assert digest(one) == digest(two)


def test_multi_label_items_in_another_order():
    true = [{"a"}, {"a", "b"}, set(), {"c"}]
    pred = [{"a"}, {"b"}, {"c"}, {"c", "a"}]
    order = [2, 0, 3, 1]
    weights = [0.5, 0.25, 1.0, 0.1]

    def made(order, weights=None):
        return eh.MultiLabel.from_indicators(
            [true[i] for i in order],
            [pred[i] for i in order],
            labels="abc",
            weights=None if weights is None else [weights[i] for i in order],
        )

    same = [0, 1, 2, 3]
    assert digest(made(order)) == digest(made(same))
    assert digest(made(order, weights)) == digest(made(same, weights))
    assert digest(made(same, weights)) != digest(made(same, weights[::-1]))
    turned = eh.MultiLabel.from_indicators(pred, true, labels="abc")
    assert digest(turned) != digest(made(same))
