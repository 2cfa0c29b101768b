"""Weights: what they must be, and that their squares are kept."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from evenhand import Confusion, InputError, MultiLabel, Sample

DOORS = {
    "labels": lambda w: Confusion.from_labels([1, 2], [2, 1], weights=w),
    "sample": lambda w: Sample.from_labels([1, 2], {"A": [2, 1]}, weights=w),
    "sets": lambda w: MultiLabel.from_indicators([{1}, {2}], [{2}, {1}], weights=w),
    "probabilities": lambda w: Confusion.from_probabilities(
        [1, 2], [[0.5, 0.5], [0, 1]], labels=[1, 2], weights=w
    ),
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1], "weights must be 2 numbers, one per item, got shape (1,)"),
        ([[1], [2]], "weights must be 2 numbers, one per item, got shape (2, 1)"),
        (3, "weights must be 2 numbers, one per item, got shape ()"),
        (["1", "2"], "weights must be 2 numbers, one per item, got "),
        ([1, None], "weights must be "),
        ([1, [2]], "weights must have rows of one length"),
        ([1, -1], "weights must be 0 or from 1e-150 to 1e+150, got -1 at item 1"),
        ([1, np.nan], "weights must be 0 or from 1e-150 to 1e+150, got nan at item 1"),
        ([np.inf, 1], "weights must be 0 or from 1e-150 to 1e+150, got inf at item 0"),
    ],
)
def test_refused(door, weights, message):
    with pytest.raises(InputError, match=re.escape(message)):
        door(weights)


@pytest.mark.parametrize("column", [list, tuple, np.array, pd.Series, pl.Series, pa.array])
def test_any_column_of_numbers(column):
    table = Confusion.from_labels(list("aab"), list("abb"), weights=column([1.0, 2.0, 0.5]))
    assert table.cells.tolist() == [[1, 2], [0, 0.5]]
    assert table.squares.tolist() == [[1, 4, 0], [0, 0.25, 0]]
    assert (table.n, table.total) == (3, 3.5)


def test_squares_add_up_inside_a_cell():
    table = Confusion.from_labels(["a"] * 3, ["a"] * 3, weights=[1, 2, 3])
    assert (table.cells.tolist(), table.squares.tolist()) == ([[6]], [[14, 0]])


def test_an_outside_prediction_keeps_weight_and_square():
    table = Confusion.from_labels(["a", "a"], ["a", None], weights=[1, 3])
    assert (table.outside.tolist(), table.squares.tolist(), table.missing) == ([3], [[1, 9]], 1)


def test_plain_counts_are_their_own_squares():
    table = Confusion.from_labels(["a", "a"], ["a", None])
    assert table.squares.tolist() == [[1, 1]]


def test_a_matrix_of_fractions_knows_no_squares():
    assert Confusion.from_matrix([[0.5, 1], [1, 2]]).squares is None
