"""Counting: from_labels against a Counter, and tables that add as their rows do."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import evenhand as eh
from tests.laws.strategies import LABELS, columns

WEIGHT = st.floats(0, 8, width=16)


def as_dict(table):
    """The non-empty cells by label; ``None`` is outside."""
    names = [*table.labels, None]
    found = table.nonzero()
    return {(names[t], names[p]): x for t, p, x in zip(*(v.tolist() for v in found), strict=True)}


@given(pair=columns())
def test_every_pair_is_counted(pair):
    true, pred = pair
    table = eh.Confusion.from_labels(true, pred)
    assert as_dict(table) == Counter(zip(true, pred, strict=True))
    assert table.labels == tuple(sorted({*true, *pred}))
    assert int(table.n) == int(table.total) == len(true)
    assert table.cells.dtype.kind == "i"


@given(pair=columns())
def test_it_is_the_matrix_of_the_counts(pair):
    true, pred = pair
    counted = Counter(zip(true, pred, strict=True))
    labels = sorted({*true, *pred})
    matrix = [[counted[t, p] for p in labels] for t in labels]
    found = eh.Confusion.from_labels(true, pred)
    given_as = eh.Confusion.from_matrix(matrix, labels=labels)
    assert np.array_equal(found.cells, given_as.cells)
    assert found.labels == given_as.labels
    turned = [list(row) for row in zip(*matrix, strict=True)]
    other = eh.Confusion.from_matrix(turned, labels=labels, rows="pred")
    assert np.array_equal(other.cells, found.cells)


@given(pair=columns(), weights=st.lists(WEIGHT, min_size=30, max_size=30))
def test_weights(pair, weights):
    true, pred = pair
    table = eh.Confusion.from_labels(true, pred, weights=weights[: len(true)])
    sums, squares = Counter(), Counter()
    for t, p, w in zip(true, pred, weights, strict=False):
        sums[t, p] += w
        squares[t, p] += w * w
    place = {v: i for i, v in enumerate(table.labels)}
    for (t, p), w in sums.items():
        assert table.cells[place[t], place[p]] == pytest.approx(w)
        assert table.squares[place[t], place[p]] == pytest.approx(squares[t, p])
    assert table.total == pytest.approx(sum(sums.values()))
    assert int(table.n) == len(true)


@given(pair=columns(), drop=st.data())
def test_null_and_unlisted_predictions_go_outside(pair, drop):
    true, pred = pair
    lost = drop.draw(st.lists(st.booleans(), min_size=len(true), max_size=len(true)))
    pred = [None if gone else p for p, gone in zip(pred, lost, strict=True)]
    listed = sorted(set(true))
    table = eh.Confusion.from_labels(true, pred, labels=listed)
    expected = Counter((t, p if p in set(true) else None) for t, p in zip(true, pred, strict=True))
    assert as_dict(table) == expected
    assert int(table.missing) == sum(lost)


@given(a=columns(labels=st.just(list("abc"))), b=columns(labels=st.just(list("bcde"))))
def test_the_sum_of_tables_is_the_table_of_all_rows(a, b):
    found = eh.Confusion.from_labels(*a) + eh.Confusion.from_labels(*b)
    whole = eh.Confusion.from_labels(a[0] + b[0], a[1] + b[1])
    assert found.labels == whole.labels
    assert np.array_equal(found.cells, whole.cells)
    assert int(found.n) == int(whole.n)


@given(pair=columns(), order=st.randoms(use_true_random=False))
def test_the_order_of_rows_is_nothing(pair, order):
    rows = list(zip(*pair, strict=True))
    order.shuffle(rows)
    before, after = (
        eh.Confusion.from_labels(*zip(*r, strict=True)) for r in (zip(*pair, strict=True), rows)
    )
    assert np.array_equal(before.cells, after.cells)


@given(pair=columns())
def test_lists_tuples_and_arrays_count_alike(pair):
    expected = as_dict(eh.Confusion.from_labels(*pair))
    assume(not any("\x00" in v for side in pair for v in side if isinstance(v, str)))
    for make in (tuple, lambda v: np.array(v, object), np.array):
        assert as_dict(eh.Confusion.from_labels(*map(make, pair))) == expected


@given(
    pair=columns(labels=st.just([0, 1, 2])),
    kind=st.sampled_from(["int8", "uint8", "int16", "uint32", "int64", "uint64"]),
)
def test_every_integer_type(pair, kind):
    table = eh.Confusion.from_labels(*(np.array(v, kind) for v in pair))
    assert as_dict(table) == Counter(zip(*pair, strict=True))
    assert {type(v) for v in table.labels} == {int}


@given(labels=LABELS, seed=st.integers(0, 9))
def test_a_chosen_order_of_labels(labels, seed):
    pred = np.random.default_rng(seed).permutation(len(labels))
    table = eh.Confusion.from_labels(labels, [labels[i] for i in pred], labels=labels)
    assert table.labels == tuple(labels)
    assert table.prevalence.tolist() == [1] * len(labels)
    assert [int(np.argmax(row)) for row in table.cells] == pred.tolist()


@given(
    pair=columns(labels=st.just(list("abc"))),
    seed=st.integers(0, 2**32 - 1),
)
def test_probabilities(pair, seed):
    true, pred = pair
    p = np.random.default_rng(seed).dirichlet([1, 1, 1], len(true))
    table = eh.Confusion.from_probabilities(true, p, labels="abc")
    expected = np.zeros((3, 3))
    for t, row in zip(true, p, strict=True):
        expected["abc".index(t)] += row
    assert np.allclose(table.cells, expected)
    sure = np.array([[float(q == v) for v in "abc"] for q in pred])
    soft = eh.Confusion.from_probabilities(true, sure, labels="abc")
    hard = eh.Confusion.from_labels(true, pred, labels="abc")
    assert np.array_equal(soft.cells, hard.cells)
