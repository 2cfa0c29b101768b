"""Tables: what each operation does to the cells, dense and sparse alike, against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import evenhand as eh
from evenhand.catalogue.signature import digest
from evenhand.data.cells import SparseCells
from tests.laws.strategies import cells, sparse, tables

BOTH = pytest.mark.parametrize("as_cells", [lambda t: t, sparse], ids=["dense", "sparse"])


def whole(table):
    """Cells with the outside column."""
    return np.concatenate([table.cells, table.outside[..., None]], axis=-1)


@BOTH
class TestDenseAndSparse:
    @given(table=tables())
    def test_margins(self, as_cells, table):
        m, lost = table.cells, table.outside
        found = as_cells(table)
        assert np.array_equal(found.cells, m)
        assert np.array_equal(found.outside, lost)
        assert np.array_equal(found.correct, np.diagonal(m))
        assert np.allclose(found.bias, m.sum(axis=0))
        assert np.allclose(found.prevalence, m.sum(axis=1) + lost)
        assert np.allclose(found.total, m.sum() + lost.sum())
        assert np.allclose(found.counts().outside, lost.sum(), rtol=0, atol=0)
        assert digest(found) == digest(table)

    @given(table=tables(), names=st.lists(st.sampled_from("xyz"), min_size=5, max_size=5))
    def test_relabel_merges(self, as_cells, table, names):
        names = names[: table.k]
        found = as_cells(table).relabel(dict(zip(table.labels, names, strict=True)))
        assert found.labels == tuple(dict.fromkeys(names))
        expected = np.zeros((len(found.labels), len(found.labels) + 1))
        at = [found.labels.index(name) for name in names] + [len(found.labels)]
        for (i, j), x in np.ndenumerate(whole(table)):
            expected[at[i], at[j]] += x
        assert np.allclose(whole(found), expected)

    @given(table=tables(min_k=2), data=st.data())
    def test_select_drops_rows_and_sends_columns_outside(self, as_cells, table, data):
        chosen = data.draw(st.lists(st.sampled_from(table.labels), min_size=1, unique=True))
        found = as_cells(table).select(chosen)
        assert found.labels == tuple(chosen)
        assert np.array_equal(found.cells, table.cells[np.ix_(chosen, chosen)])
        rest = [i for i in range(table.k) if i not in chosen]
        lost = table.cells[np.ix_(chosen, rest)].sum(axis=1) + table.outside[chosen]
        assert np.allclose(found.outside, lost)

    @given(table=tables(outside=False))
    def test_transpose(self, as_cells, table):
        found = as_cells(table).transpose()
        assert np.array_equal(found.cells, table.cells.T)
        assert np.array_equal(found.transpose().cells, table.cells)

    @given(table=tables(), factors=st.lists(st.floats(0, 9), min_size=5, max_size=5))
    def test_scale(self, as_cells, table, factors):
        by = np.array(factors[: table.k])
        found = as_cells(table).scale(by)
        assert np.allclose(whole(found), whole(table) * by[:, None])
        if table.squares is not None:
            assert np.allclose(found.squares, table.squares * by[:, None] ** 2)

    @given(stack=cells(shape=(3,), max_k=3), index=st.lists(st.integers(-3, 2), max_size=5))
    def test_indexing_a_stack(self, as_cells, stack, index):
        table = as_cells(eh.Confusion.from_matrix(stack))
        for i in range(3):
            assert np.array_equal(table[i].cells, stack[i])
            assert np.array_equal(table[i].correct, np.diagonal(stack[i]))
            assert table[i].keys == ()
        assert np.array_equal(table[1:].cells, stack[1:])
        assert np.array_equal(table[::-1].cells, stack[::-1])
        assert table[::-1].keys == ((2, 1, 0),)
        found = table[index]
        assert np.array_equal(found.cells, stack[index])
        assert np.array_equal(found.prevalence, stack[index].sum(axis=-1))
        assert np.array_equal(table[np.array([True, False, True])].cells, stack[[0, 2]])
        assert [t.cells.tolist() for t in table] == stack.tolist()

    @given(stack=cells(shape=(2, 3), max_k=3))
    def test_a_stack_of_stacks(self, as_cells, stack):
        table = as_cells(eh.Confusion.from_matrix(stack))
        assert table.shape == (2, 3)
        assert table[1].shape == (3,)
        assert np.array_equal(table[1][2].cells, stack[1, 2])
        scaled = table.calibrate()
        assert np.allclose(scaled.total, 1)
        assert np.allclose(scaled[1][2].cells, table[1][2].calibrate().cells)

    @given(a=tables(max_k=3), b=tables(max_k=3))
    def test_stack(self, as_cells, a, b):
        one = eh.Confusion.stack({"a": as_cells(a), "b": b})
        assert one.keys == (("a", "b"),)
        assert one.labels == tuple(range(max(a.k, b.k)))
        for key, part in (("a", a), ("b", b)):
            inside = one[key].cells
            assert np.array_equal(inside[: part.k, : part.k], part.cells)
            assert inside.sum() == pytest.approx(part.cells.sum())
            assert np.array_equal(one[key].outside[: part.k], part.outside)


def expected_sum(parts, labels):
    """Cells of a sum, as a loop."""
    out = np.zeros((len(labels), len(labels) + 1))
    for t in parts:
        at = [labels.index(v) for v in t.labels] + [len(labels)]
        for (i, j), x in np.ndenumerate(whole(t)):
            out[at[i], at[j]] += x
    return out


@st.composite
def labelled(draw):
    """A table on some of four labels, dense or sparse, with squares or without."""
    labels = draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4, unique=True))
    k = len(labels)
    m = draw(hnp.arrays(np.int64, (k, k), elements=st.integers(0, 9)))
    lost = draw(hnp.arrays(np.int64, k, elements=st.integers(0, 3)))
    table = eh.Confusion.from_matrix(m, labels=sorted(labels), outside=lost)
    return sparse(table) if draw(st.booleans()) else table


@given(a=labelled(), b=labelled(), c=labelled())
def test_addition(a, b, c):
    """Labels unite, cells add; in any order and any grouping."""
    union = sorted({*a.labels, *b.labels})
    found = a + b
    assert found.labels == tuple(union)
    assert np.array_equal(whole(found), expected_sum([a, b], union))
    assert np.array_equal(found.squares, whole(found))  # plain counts are their own squares
    assert found.n == a.n + b.n
    other = b + a
    assert other.labels == found.labels
    assert np.array_equal(whole(other), whole(found))
    left, right = (a + b) + c, a + (b + c)
    assert left.labels == right.labels
    assert np.array_equal(whole(left), whole(right))
    assert digest(left) == digest(right)


@given(a=labelled(), b=labelled())
def test_addition_keeps_an_order_that_was_chosen(a, b):
    """Labels in an order of one's own stay in it; new ones follow."""
    a, b = (t.select(t.labels[::-1]) for t in (a, b))
    if a.k > 1:
        assert (a + b).labels == (*a.labels, *(v for v in b.labels if v not in a.labels))


@given(a=labelled(), b=labelled())
def test_addition_of_stacks_by_key(a, b):
    """What one stack lacks is an empty table there."""
    one = eh.Confusion.stack({"x": a, "y": b})
    two = eh.Confusion.stack({"z": a, "x": b})
    found = one + two
    assert found.keys == (("x", "y", "z"),)
    labels = list(found.labels)
    for key, parts in (("x", [a, b]), ("y", [b]), ("z", [a])):
        assert np.array_equal(whole(found[key]), expected_sum(parts, labels))
        assert found[key].n == sum(t.n for t in parts)


@given(m=cells(max_k=3, dtype=np.float64), n=cells(max_k=3))
def test_squares_of_sums(m, n):
    """Weights without squares make a sum without squares; counts and counts keep them."""
    weights, counts = eh.Confusion.from_matrix(m + 1 / 3), eh.Confusion.from_matrix(n)
    assert weights.squares is None
    assert (weights + counts).squares is None
    assert (counts + counts).squares is not None


@given(
    n=st.integers(1, 20),
    weights=st.lists(st.floats(0.125, 4, width=16), min_size=20, max_size=20),
    data=st.data(),
)
def test_squared_weights_add(n, weights, data):
    true, pred = (data.draw(st.lists(st.sampled_from("ab"), min_size=n, max_size=n)) for _ in "tp")
    w = np.array(weights[:n])
    one = eh.Confusion.from_labels(true, pred, weights=w, labels="ab")
    other = eh.Confusion.from_labels(true, pred, labels="ab")
    expected = np.zeros((2, 3))
    for t, p, x in zip(true, pred, w, strict=True):
        expected["ab".index(t), "ab".index(p)] += x**2
    assert np.allclose(one.squares, expected)
    for a, b in ((one, other), (sparse(one), other), (one, sparse(other))):
        assert np.allclose((a + b).squares, expected + other.squares)
        stack = eh.Confusion.stack([a, b])
        assert np.allclose(stack[0].squares, expected)
        assert np.allclose(stack[1].squares, other.squares)


def test_huge_sums_do_not_overflow():
    huge = eh.Confusion.from_matrix([[9e18, 1], [2, 9e18]], labels="ab")
    for table in (huge, sparse(huge)):
        assert (table + table).cells.tolist() == [[1.8e19, 2], [4, 1.8e19]]
        merged = table.relabel({"a": "x", "b": "x"})
        assert merged.cells == pytest.approx(1.8e19)
        assert eh.accuracy(table + table) == 1


def test_a_sparse_side_makes_the_sum_sparse():
    table = eh.Confusion.from_matrix([[1, 2], [3, 4]])
    assert isinstance((table + sparse(table)).data, SparseCells)
    assert isinstance(eh.Confusion.stack([sparse(table), table]).data, SparseCells)


def test_many_classes_stay_sparse():
    """Twenty thousand classes: dense cells would not fit."""
    labels = np.arange(20_000)
    table = eh.Confusion.from_labels(labels, np.roll(labels, 1) // 2 * 2)
    moved = [
        table + table,
        table.transpose(),
        table.calibrate(),
        table.select(range(10_000)),
        eh.Confusion.stack([table, table])[1],
    ]
    for other in moved:
        assert isinstance(other.data, SparseCells)
        assert len(other.nonzero()[0]) <= 20_000
    assert eh.accuracy(table) == pytest.approx(np.mean(labels == np.roll(labels, 1) // 2 * 2))


def test_names_given_as_text_rename_other_types():
    """A label may be named by the text that shows it, here as everywhere."""
    assert eh.Confusion.from_matrix([[1, 2], [3, 4]]).relabel({"0": 7}).labels == (7, 1)


def test_factors_must_fit():
    table = eh.Confusion.from_matrix([[1, 2], [3, 4]])
    for bad in ([1], [1, 2, 3], [[1, 2], [3, 4]], [1, -1], [1, float("nan")]):
        with pytest.raises(eh.InputError, match="factors must be 2 finite numbers"):
            table.scale(bad)
