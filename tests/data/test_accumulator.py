"""An accumulator holds what one count of everything would."""

import copy
import operator
import pickle
import threading
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand import Accumulator, Confusion, InputError

RANDOM = np.random.default_rng(0)
TRUE = RANDOM.integers(0, 6, 1000)
PRED = RANDOM.integers(0, 6, 1000)


def in_batches(counter, size=64, weights=None):
    for i in range(0, len(TRUE), size):
        part = slice(i, i + size)
        counter.update(TRUE[part], PRED[part], weights=None if weights is None else weights[part])
    return counter


def same(table, other):
    return (
        table.labels == other.labels
        and np.array_equal(table.cells, other.cells)
        and np.array_equal(table.outside, other.outside)
        and (table.n, table.missing) == (other.n, other.missing)
    )


PAIRS = Counter(zip(TRUE.tolist(), PRED.tolist(), strict=True))
CELLS = [[PAIRS[i, j] for j in range(6)] for i in range(6)]


@pytest.mark.parametrize("size", [1, 7, 64, 1000, 5000])
def test_batches_are_the_whole(size):
    assert in_batches(Accumulator(), size).table.cells.tolist() == CELLS


def test_weights():
    weights = RANDOM.integers(1, 9, 1000) / 8
    table = in_batches(Accumulator(), weights=weights).table
    whole = Confusion.from_labels(TRUE, PRED, weights=weights)
    assert table.total == weights.sum()
    np.testing.assert_array_equal(table.squares, whole.squares)
    assert table.n == 1000


def test_labels_unite():
    counter = Accumulator()
    counter.update(["b"], ["c"])
    counter.update(["a"], ["a"])
    assert counter.table.labels == ("a", "b", "c")
    assert counter.table.cells.tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 0]]


def test_labels_given_keep_their_order_and_strangers_go_outside():
    counter = Accumulator(labels=(v for v in "cba"))
    counter.update(["a", "b"], ["a", "z"])
    counter.update(["c"], [None])
    assert counter.table.labels == ("c", "b", "a")
    assert counter.table.outside.tolist() == [1, 1, 0]
    assert counter.table.missing == 1
    with pytest.raises(InputError, match="must hold only the given labels"):
        counter.update(["z"], ["a"])
    assert counter.table.n == 3


@pytest.mark.parametrize(
    "empty", [[], (), np.array([]), np.array([], int), pd.Series([], dtype=str)]
)
def test_an_empty_batch_changes_nothing(empty):
    counter = Accumulator()
    counter.update(empty, empty)
    with pytest.raises(InputError, match="nothing has been counted yet"):
        _ = counter.table
    counter.update(["a"], ["a"])
    counter.update(empty, empty)
    assert counter.table.n == 1


def test_a_bad_batch_changes_nothing():
    counter = in_batches(Accumulator())
    before = counter.table
    for true, pred in (([1, 2], [1]), ([1], []), (["1"], ["1"]), ([None], [1])):
        with pytest.raises(InputError):
            counter.update(true, pred)
    assert counter.table is before


def test_reset():
    counter = in_batches(Accumulator(labels=range(6)))
    counter.reset()
    with pytest.raises(InputError, match="nothing has been counted yet"):
        _ = counter.table
    assert same(in_batches(counter).table, Confusion.from_labels(TRUE, PRED))


def test_a_table_once_taken_stays():
    counter = Accumulator()
    counter.update([1], [1])
    table = counter.table
    counter.update([1], [1])
    assert (table.n, counter.table.n) == (1, 2)


def test_sum_of_two_and_of_none():
    a, b = Accumulator(), Accumulator()
    a.update(TRUE[:300], PRED[:300])
    b.update(TRUE[300:], PRED[300:])
    assert (a + b).table.cells.tolist() == CELLS
    assert (b + Accumulator() + a).table.cells.tolist() == CELLS
    assert a.table.n == 300
    with pytest.raises(InputError):
        _ = (Accumulator() + Accumulator()).table
    with pytest.raises(TypeError):
        a + 1


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_copies_go_their_own_way(copied):
    counter = in_batches(Accumulator(labels=range(6)))
    other = copied(counter)
    other.update([0], [0])
    assert (counter.table.n, other.table.n) == (1000, 1001)
    assert other.table.labels == counter.table.labels


def test_an_empty_one_can_be_pickled():
    other = pickle.loads(pickle.dumps(Accumulator(labels=["b", "a"])))
    other.update(["a"], ["a"])
    assert other.table.labels == ("b", "a")


@pytest.mark.parametrize("labels", [None, range(6)])
def test_eight_threads(labels):
    counter = Accumulator(labels)
    start = threading.Barrier(8)

    def work(k):
        start.wait()
        for i in range(k, 1000, 8):
            counter.update(TRUE[i : i + 1], PRED[i : i + 1])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.table.cells.tolist() == CELLS


def test_processes():
    a, b = Accumulator(), Accumulator()
    a.update(TRUE[::2], PRED[::2])
    b.update(TRUE[1::2], PRED[1::2])
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(operator.add, a, b).result().table.cells.tolist() == CELLS


@given(st.lists(st.lists(st.tuples(*[st.sampled_from("abc")] * 2), max_size=5), max_size=8))
def test_any_batches(batches):
    counter = Accumulator()
    for batch in batches:
        counter.update([t for t, _ in batch], [p for _, p in batch])
    whole = [pair for batch in batches for pair in batch]
    if whole:
        table = Confusion.from_labels([t for t, _ in whole], [p for _, p in whole])
        assert same(counter.table, table)


def test_sum_admits_the_labels_of_both():
    both = Accumulator(labels=["a", "b"]) + Accumulator(labels=["c", "a"])
    both.update(["c", "a"], ["c", "b"])
    assert both.table.labels == ("a", "b", "c")
    assert (Accumulator(labels=["a"]) + Accumulator()).labels is None


def test_batches_from_iterators():
    counter = Accumulator()
    counter.update(iter("ab"), (v for v in "aa"))
    counter.update(iter(""), iter(""))
    assert counter.table.cells.tolist() == [[1, 0], [1, 0]]
