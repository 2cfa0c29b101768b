"""Tables that come as tables: what is refused, and what a frame brings along."""

import re

import numpy as np
import pandas as pd
import pytest

from evenhand import Confusion, InputError

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1, 2, 3], [3, 4, 5]], "matrix must be square, k × k with k ≥ 1, got 2 × 3"),
        ([1, 2], "matrix must be square, k × k with k ≥ 1, got 2"),
        (5, "matrix must be square, k × k with k ≥ 1, got a single number"),
        ([[1, 2], [3]], "matrix must have rows of one length"),
        ([], "matrix must not be empty"),
        ([[]], "matrix must not be empty"),
        (np.zeros((0, 2, 2)), "matrix must not be empty"),
        ("6 1; 1 5", "matrix must hold numbers, got <U8"),
        ([["1", "2"], ["3", "4"]], "matrix must hold numbers, got <U1"),
        ([[1j, 0], [0, 1]], "matrix must hold numbers, got complex128"),
        ([[1, -2], [3, 4]], "matrix must hold counts ≥ 0, got -2 at (0, 1)"),
        ([[1, 2], [NAN, 4]], "matrix must hold finite counts, got nan at (1, 0)"),
        ([[1, INF], [3, 4]], "matrix must hold finite counts, got inf at (0, 1)"),
        ([[1, None], [3, 4]], "matrix must hold finite counts, got nan at (0, 1)"),
        ([[10**400, 0], [0, 1]], "matrix must hold numbers"),
    ],
)
def test_refused(matrix, message):
    with pytest.raises(InputError, match=re.escape(message)):
        Confusion.from_matrix(matrix)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a"], "labels must have length 2 (one per row of the matrix), got 1"),
        ("abc", "labels must have length 2 (one per row of the matrix), got 3"),
        (["a", "a"], "labels must be distinct, got 'a' more than once"),
        ([1, "a"], "labels must be of one type, got int and str"),
        ([1, True], "labels must be of one type, got bool and int"),
        ([NAN, 1.0], "labels must not be null, got nan"),
    ],
)
def test_labels_refused(labels, message):
    with pytest.raises(InputError, match=re.escape(message)):
        Confusion.from_matrix([[1, 2], [3, 4]], labels=labels)


@pytest.mark.parametrize(
    ("outside", "message"),
    [
        ([1], "outside must have one count for each of the 2 true classes, got shape (1,)"),
        (3, "outside must have one count for each of the 2 true classes, got shape ()"),
        ([1, -1], "outside must hold counts ≥ 0, got -1 at (1,)"),
    ],
)
def test_outside_refused(outside, message):
    with pytest.raises(InputError, match=re.escape(message)):
        Confusion.from_matrix([[1, 2], [3, 4]], outside=outside)


def test_rows_refused():
    with pytest.raises(InputError, match=r"^rows must be 'true' or 'pred', got 'predicted'$"):
        Confusion.from_matrix([[1]], rows="predicted")


def test_rows_are_true_unless_told():
    assert Confusion.from_matrix([[1, 2], [3, 4]]).prevalence.tolist() == [3, 7]
    assert Confusion.from_matrix([[1, 2], [3, 4]], rows="pred").prevalence.tolist() == [4, 6]


def test_a_frame_brings_its_labels_and_sorts_its_columns():
    frame = pd.DataFrame([[1, 2], [3, 4]], index=["a", "b"], columns=["b", "a"])
    table = Confusion.from_matrix(frame)
    assert table.labels == ("a", "b")
    assert table.cells.tolist() == [[2, 1], [4, 3]]


def test_a_crosstab_counts_as_the_labels_do():
    true, pred = list("aabcb"), list("abbca")
    made = Confusion.from_matrix(pd.crosstab(pd.Series(true), pd.Series(pred)))
    assert made.cells.tolist() == Confusion.from_labels(true, pred).cells.tolist()


def test_a_frame_whose_sides_differ():
    frame = pd.DataFrame([[1, 2], [3, 4]], index=["a", "b"], columns=["a", "c"])
    with pytest.raises(InputError, match=r"must name the same classes, got 'a', 'b' and 'a', 'c'"):
        Confusion.from_matrix(frame)


def test_whole_floats_are_counts():
    table = Confusion.from_matrix([[1.0, 2.0], [3.0, 4e15]])
    assert table.cells.dtype == np.int64
    assert table.total == 4 * 10**15 + 6


def test_huge_counts_are_summed_exactly():
    assert Confusion.from_matrix([[2**62] * 2] * 2).total == 2**64


def test_booleans_are_counts():
    assert Confusion.from_matrix([[True, False], [False, True]]).total == 2


def test_later_changes_of_the_array_do_not_reach_the_table():
    given = np.array([[1, 2], [3, 4]])
    table = Confusion.from_matrix(given)
    given[0, 0] = 99
    assert table.cells[0, 0] == 1


def test_a_table_cannot_be_changed_from_outside():
    table = Confusion.from_matrix([[1, 2], [3, 4]])
    with pytest.raises(ValueError, match="read-only"):
        table.cells[0, 0] = 99
