"""Stacks of tables: axes and keys, taking them apart and putting them together."""

import re

import numpy as np
import pytest

import evenhand as eh
from evenhand import Confusion, InputError

A = Confusion.from_matrix([[1, 2], [3, 4]], labels=["x", "y"])
B = Confusion.from_matrix([[5, 6], [7, 8]], labels=["x", "y"])
STACK = Confusion.stack({"a": A, "b": B, "ab": A + B})
HEAVY = Confusion.from_labels(list("xxz"), ["x", "z", None], weights=[1, 2, 3])


def same(made, wanted):
    return made.labels == wanted.labels and made.cells.tolist() == wanted.cells.tolist()


def test_shape_keys_and_margins():
    assert (STACK.shape, len(STACK), STACK.k) == ((3,), 3, 2)
    assert STACK.keys == (("a", "b", "ab"),)
    assert STACK.cells.shape == (3, 2, 2)
    assert STACK.outside.shape == STACK.prevalence.shape == (3, 2)
    assert STACK.total.tolist() == [10, 26, 36]


def test_leading_axes_of_an_array_are_a_stack():
    cells = np.arange(24).reshape(2, 3, 2, 2)
    stack = Confusion.from_matrix(cells)
    assert stack.shape == (2, 3)
    assert stack.keys == ((0, 1), (0, 1, 2))
    assert stack[1][2].cells.tolist() == cells[1, 2].tolist()


@pytest.mark.parametrize(
    ("index", "wanted"), [(0, A), (-2, B), (np.int64(1), B), ("b", B), ("ab", A + B)]
)
def test_one_table(index, wanted):
    assert same(STACK[index], wanted)
    assert STACK[index].shape == ()


@pytest.mark.parametrize(
    ("index", "keys"),
    [
        (slice(1, None), ("b", "ab")),
        (slice(None, None, -1), ("ab", "b", "a")),
        ([2, 0], ("ab", "a")),
        ([True, False, True], ("a", "ab")),
        (np.array([False, True, False]), ("b",)),
    ],
)
def test_part_of_a_stack(index, keys):
    part = STACK[index]
    assert part.keys == (keys,)
    assert all(same(part[key], STACK[key]) for key in keys)


def test_iteration():
    assert [int(t.total) for t in STACK] == [10, 26, 36]


def test_a_tuple_is_a_key():
    stack = Confusion.stack({("en", "news"): A, ("de", "news"): B})
    assert same(stack["de", "news"], B)


def test_integer_keys_are_reached_with_at():
    stack = Confusion.stack({2019: A, 2020: B})
    assert same(stack[1], B)
    assert same(stack.at(2020), B)


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda: STACK["c"], KeyError, "'c' is not one of 'a', 'b', 'ab'"),
        (lambda: STACK.at(0), KeyError, "0 is not one of 'a', 'b', 'ab'"),
        (lambda: STACK[3], IndexError, "position must be below 3, got 3"),
        (lambda: STACK[-4], IndexError, "position must be below 3, got -4"),
        (lambda: A[0], TypeError, "one table cannot be indexed; a stack can"),
        (lambda: len(A), TypeError, "one table has no length; a stack has"),
        (lambda: STACK.nonzero(), InputError, "nonzero() is for one table; index the stack first"),
        (lambda: Confusion.stack([]), InputError, "a stack must have at least one table, got none"),
        (
            lambda: Confusion.stack([A, B], ["a"]),
            InputError,
            "keys must be 2 different ones, got 'a'",
        ),
        (
            lambda: Confusion.stack([A, B], "aa"),
            InputError,
            "keys must be 2 different ones, got 'a', 'a'",
        ),
        (
            lambda: Confusion.stack([A, STACK]),
            InputError,
            "must have the same keys on their other axes",
        ),
        (
            lambda: A + STACK,
            InputError,
            "tables to add must have the same axes, got shapes () and (3,)",
        ),
        (lambda: A + 1, TypeError, "unsupported operand"),
        (
            lambda: A + Confusion.from_matrix([[1, 2], [3, 4]]),
            InputError,
            "one table and another must have labels of one type, got str and int",
        ),
    ],
)
def test_refused(act, error, message):
    with pytest.raises(error, match=re.escape(message)):
        act()


def test_a_table_is_true_even_though_it_has_no_length():
    assert bool(A)


def test_stack_unites_labels():
    stack = Confusion.stack([A, HEAVY], keys=["plain", "heavy"])
    assert stack.labels == ("x", "y", "z")
    assert stack["plain"].cells.tolist() == [[1, 2, 0], [3, 4, 0], [0, 0, 0]]
    assert stack["heavy"].cells.tolist() == [[1, 0, 2], [0, 0, 0], [0, 0, 0]]
    assert stack["heavy"].outside.tolist() == [0, 0, 3]
    assert stack.n.tolist() == [10, 3]
    assert stack.missing.tolist() == [0, 1]


def test_stack_keeps_the_squares_of_weights_beside_plain_counts():
    stack = Confusion.stack([A, HEAVY])
    assert stack.squares[0].tolist() == [[1, 2, 0, 0], [3, 4, 0, 0], [0, 0, 0, 0]]
    assert stack.squares[1].tolist() == [[1, 0, 4, 0], [0, 0, 0, 0], [0, 0, 0, 9]]


def test_a_stack_of_stacks():
    deep = Confusion.stack({"one": STACK, "two": STACK + STACK})
    assert deep.shape == (2, 3)
    assert deep["two"]["b"].total == 52
    assert eh.macro_f1(deep).shape == (2, 3)


def test_addition():
    assert (A + B).cells.tolist() == [[6, 8], [10, 12]]
    assert (A + B).n == 36


def test_addition_unites_labels_and_keeps_squares():
    made = A + HEAVY
    assert made.labels == ("x", "y", "z")
    assert made.cells.tolist() == [[2, 2, 2], [3, 4, 0], [0, 0, 0]]
    assert made.squares.tolist() == [[2, 2, 4, 0], [3, 4, 0, 0], [0, 0, 0, 9]]
    assert (made.outside.tolist(), made.missing, made.n) == ([0, 0, 3], 1, 13)


def test_a_given_order_of_labels_survives_addition():
    turned = Confusion.from_labels(["y", "x"], ["y", "x"], labels=["y", "x"])
    assert (turned + A).labels == ("y", "x")
    assert (turned + A).cells.tolist() == [[5, 3], [2, 2]]
    assert (turned + HEAVY).labels == ("y", "x", "z")


def test_sums_of_weighted_tables_are_the_table_of_all_items():
    rows = [("x", "y", 0.5), ("y", "y", 2.0), ("y", None, 1.5), ("x", "z", 1.0), ("z", "y", 4.0)]

    def count(part):
        true, pred, weight = zip(*part, strict=True)
        return Confusion.from_labels(true, pred, weights=weight)

    whole, parts = count(rows), count(rows[:2]) + count(rows[2:])
    assert parts.labels == whole.labels
    assert parts.cells.tolist() == whole.cells.tolist()
    assert parts.squares.tolist() == whole.squares.tolist()
    assert (parts.n, parts.missing) == (whole.n, whole.missing)


def test_stacks_with_other_keys_and_labels_add():
    made = Confusion.stack({"a": A, "b": B}) + Confusion.stack({"b": HEAVY, "c": HEAVY})
    assert made.keys == (("a", "b", "c"),)
    assert made.labels == ("x", "y", "z")
    assert made["a"].total == 10
    assert made["b"].cells.tolist() == [[6, 6, 2], [7, 8, 0], [0, 0, 0]]
    assert made["c"].squares.tolist() == [[1, 0, 4, 0], [0, 0, 0, 0], [0, 0, 0, 9]]
    assert made.n.tolist() == [10, 29, 3]
    assert made.missing.tolist() == [0, 1, 1]


def test_dropped_rows_add_up():
    table = Confusion.from_labels(["x", None], ["x", "x"], drop_null_truth=True)
    assert (table + table).dropped == 2
    assert Confusion.stack([table, A])[0].dropped == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.select(["y"]),
        lambda t: t.relabel({"x": "y"}),
        lambda t: t.transpose(),
    ],
)
def test_a_change_of_a_stack_is_the_change_of_each_table(change):
    made = change(STACK)
    assert made.keys == STACK.keys
    assert all(same(made[key], change(STACK[key])) for key in STACK.keys[0])
