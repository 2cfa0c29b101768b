"""Nulls: a null prediction goes outside and is missing; a null truth is refused or counted."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from evenhand import Confusion, InputError, Sample

STRINGS = np.dtypes.StringDType
COLUMNS = {
    "None": ["a", None],
    "nan in a list": ["a", math.nan],
    "pandas NA in a list": ["a", pd.NA],
    "object": np.array(["a", None], object),
    "StringDType None": np.array(["a", None], STRINGS(na_object=None)),
    "StringDType nan": np.array(["a", math.nan], STRINGS(na_object=math.nan)),
    "pandas": pd.Series(["a", None]),
    "pandas string": pd.Series(["a", pd.NA], dtype="string"),
    "pandas category": pd.Series(["a", None], dtype="category"),
    "polars": pl.Series(["a", None]),
    "polars Enum": pl.Series(["a", None], dtype=pl.Enum(["a", "b"])),
    "polars Categorical": pl.Series(["a", None], dtype=pl.Categorical),
    "arrow": pa.array(["a", None]),
    "arrow chunks": pa.chunked_array([["a"], [None]], pa.string()),
    "arrow dictionary": pa.array(["a", None]).dictionary_encode(),
}
INTEGERS = {
    "list": [1, None],
    "pandas Int64": pd.Series([1, None], dtype="Int64"),
    "pandas arrow": pd.Series([1, None], dtype="int64[pyarrow]"),
    "pandas category": pd.Series([1, None], dtype="category"),
    "polars": pl.Series([1, None]),
    "arrow": pa.array([1, None]),
}
BOOLEANS = {
    "list": [True, None],
    "pandas boolean": pd.Series([True, None], dtype="boolean"),
    "polars": pl.Series([True, None]),
    "arrow": pa.array([True, None]),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_a_null_prediction_is_outside_and_missing(column):
    table = Confusion.from_labels(["a", "b"], column)
    assert table.labels == ("a", "b")
    assert table.cells.tolist() == [[1, 0], [0, 0]]
    assert table.outside.tolist() == [0, 1]
    assert (table.missing, table.n, table.total) == (1, 2, 2)


@pytest.mark.parametrize("column", INTEGERS.values(), ids=INTEGERS)
def test_integers_stay_integers_beside_a_null(column):
    table = Confusion.from_labels([1, 2], column)
    assert table.labels == (1, 2)
    assert (table.outside.tolist(), table.missing) == ([0, 1], 1)


@pytest.mark.parametrize("column", BOOLEANS.values(), ids=BOOLEANS)
def test_booleans_stay_booleans_beside_a_null(column):
    table = Confusion.from_labels([True, False], column)
    assert table.labels == (False, True)
    assert (table.outside.tolist(), table.missing) == ([1, 0], 1)


@pytest.mark.parametrize(
    "column",
    [
        [None, None],
        [math.nan, math.nan],
        np.array([math.nan, math.nan]),
        pd.Series([None, None]),
        pd.Series([math.nan, math.nan]),
        pl.Series([None, None]),
        pa.array([None, None]),
    ],
    ids=["None", "nan", "float array", "pandas object", "pandas float", "polars", "arrow"],
)
def test_a_system_that_never_answers(column):
    table = Confusion.from_labels(["a", "b"], column)
    assert table.outside.tolist() == [1, 1]
    assert table.missing == 2


def test_an_unlisted_prediction_is_outside_but_not_missing():
    table = Confusion.from_labels([1, 2], [1, 3], labels=[1, 2])
    assert (table.outside.tolist(), table.missing) == ([0, 1], 0)


def test_a_null_truth_is_refused():
    message = r"^y_true must not be null, got 2 null"
    with pytest.raises(InputError, match=message):
        Confusion.from_labels(["a", None, None], ["a", "b", "c"])


def test_a_null_truth_is_dropped_on_request_and_counted():
    table = Confusion.from_labels(
        ["a", None, "b", None], ["a", None, None, "b"], drop_null_truth=True
    )
    assert table.cells.tolist() == [[1, 0], [0, 0]]
    assert (table.n, table.dropped, table.missing) == (2, 2, 1)


def test_weights_go_with_the_dropped_rows():
    table = Confusion.from_labels(["a", None], ["a", "a"], weights=[3, 5], drop_null_truth=True)
    assert (table.total, table.squares.tolist()) == (3, [[9, 0]])


@pytest.mark.parametrize(
    "make", [Confusion.from_labels, lambda t, p, **o: Sample.from_labels(t, {"A": p}, **o)]
)
def test_nothing_is_left(make):
    with pytest.raises(InputError, match=r"^y_true must not be null everywhere"):
        make([None, None], [1, 2], drop_null_truth=True)


def test_no_class_at_all():
    with pytest.raises(InputError, match=r"^y_true must not be null everywhere: there is no class"):
        Confusion.from_labels([None], [None])


def test_dropping_does_not_excuse_an_unlisted_truth():
    with pytest.raises(InputError, match=r"y_true must hold only the given labels 'a', got 'b'"):
        Confusion.from_labels(["a", "b", None], ["a"] * 3, labels=["a"], drop_null_truth=True)


def test_a_masked_item_is_null():
    truth = np.array([1, 2])
    table = Confusion.from_labels(truth, np.ma.array([1, 2], mask=[False, True]))
    assert (table.outside.tolist(), table.missing) == ([0, 1], 1)


def test_a_masked_weight_is_no_weight():
    weights = np.ma.array([1.0, 999.0], mask=[False, True])
    with pytest.raises(InputError, match="weights must hold a number everywhere"):
        Confusion.from_labels(["a", "b"], ["a", "b"], weights=weights)
    whole = np.ma.array([1.0, 2.0])
    assert Confusion.from_labels(["a", "b"], ["a", "b"], weights=whole).total == 3


def test_a_weight_that_is_no_number():
    with pytest.raises(InputError, match="2 numbers, one per item, got None"):
        Confusion.from_labels(["a", "b"], ["a", "b"], weights=[1, None])
    with pytest.raises(InputError, match="2 numbers, one per item, got 'x', 'y'"):
        Confusion.from_labels(["a", "b"], ["a", "b"], weights=["x", "y"])


def test_a_null_beside_several_systems_is_one():
    frame = pl.DataFrame({"t": ["a", None], "x": ["a", "a"], "y": ["b", "a"], "w": [1.0, None]})
    with pytest.raises(InputError, match=r"must not be null, got 1 null;"):
        Confusion.from_frame(frame, true="t", pred=["x", "y"])
    with pytest.raises(InputError, match=r"weights that are .*, got 1 that"):
        Confusion.from_frame(frame, true="x", pred=["x", "y"], weights="w")
