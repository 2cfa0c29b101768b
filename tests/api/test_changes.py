"""Other tables from a table: select, relabel, normalised, transpose."""

import re

import pytest

from evenhand import Confusion, InputError

TABLE = Confusion.from_matrix([[6, 1, 1], [1, 5, 2], [2, 3, 7]], labels=["bird", "cat", "dog"])
NUMBERS = Confusion.from_matrix([[1, 2], [3, 4]])
LOST = Confusion.from_labels(list("aabb"), ["a", "b", None, "b"])


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        (["cow"], "classes must be among 'bird', 'cat', 'dog', got 'cow'"),
        ([1], "classes must be among 'bird', 'cat', 'dog', got 1"),
        (["cat", "cat"], "labels must be distinct, got 'cat' more than once"),
        ([], "must name at least one class, got none"),
        ("cat", "classes must be a list of labels, got the text 'cat'"),
        (5, "classes must be a list of labels, got 5"),
    ],
)
def test_select_refused(classes, message):
    with pytest.raises(InputError, match=re.escape(message)):
        TABLE.select(classes)


def test_select_keeps_true_rows_and_sends_other_predictions_outside():
    made = TABLE.select(["dog", "cat"])
    assert made.labels == ("dog", "cat")
    assert made.cells.tolist() == [[7, 3], [2, 5]]
    assert made.outside.tolist() == [2, 1]
    assert (made.total, made.n) == (20, 20)


def test_select_keeps_weights_and_squares():
    table = Confusion.from_labels(list("aab"), list("abb"), weights=[1, 2, 3]).select(["a"])
    assert (table.cells.tolist(), table.outside.tolist()) == ([[1]], [2])
    assert table.squares.tolist() == [[1, 4]]


def test_select_finds_a_number_by_its_text_but_not_by_a_boolean():
    assert NUMBERS.select(["1"]).labels == (1,)
    with pytest.raises(InputError, match=r"must be among 0, 1, got True$"):
        NUMBERS.select([True])


def test_missing_is_never_more_than_outside():
    part = Confusion.from_labels(["a", "b"], ["a", None]).select(["a"])
    assert (part.outside.tolist(), part.missing) == ([0], 0)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"cow": "dog"}, "labels to rename must be among 'bird', 'cat', 'dog', got 'cow'"),
        ({"cat": 1}, "new labels must be of one type, got int and str"),
        ({"cat": None}, "labels must not be null, got None"),
    ],
)
def test_relabel_refused(names, message):
    with pytest.raises(InputError, match=re.escape(message)):
        TABLE.relabel(names)


def test_relabel_merges_what_gets_one_name():
    made = TABLE.relabel({"cat": "pet", "dog": "pet"})
    assert made.labels == ("bird", "pet")
    assert made.cells.tolist() == [[6, 2], [3, 17]]


def test_relabel_may_swap_and_takes_a_function():
    swapped = TABLE.relabel({"cat": "dog", "dog": "cat"})
    assert swapped.labels == ("bird", "dog", "cat")
    assert swapped.cells.tolist() == TABLE.cells.tolist()
    assert TABLE.relabel(str.upper).labels == ("BIRD", "CAT", "DOG")


def test_relabel_does_what_it_accepts():
    assert NUMBERS.relabel({0: "a", 1: "b"}).labels == ("a", "b")
    assert NUMBERS.relabel({"0": "a", "1": "b"}).labels == ("a", "b")


def test_merged_squares_add():
    table = Confusion.from_labels(list("ab"), list("bb"), weights=[2, 3])
    assert table.relabel({"a": "b"}).squares.tolist() == [[13, 0]]


def test_relabel_keeps_the_outside_column():
    assert LOST.relabel({"a": "b"}).outside.tolist() == [1]


def test_transpose():
    assert TABLE.transpose().cells.tolist() == TABLE.cells.T.tolist()
    assert TABLE.transpose().transpose().cells.tolist() == TABLE.cells.tolist()


def test_transpose_keeps_squares():
    table = Confusion.from_labels(["a", "b"], ["b", "b"], weights=[2, 3])
    assert table.transpose().squares.tolist() == [[0, 0, 0], [4, 9, 0]]


def test_transpose_has_no_place_for_outside_predictions():
    with pytest.raises(InputError, match=r"^a table with outside predictions cannot be transposed"):
        LOST.transpose()
