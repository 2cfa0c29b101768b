"""Every kind of column that holds the same labels gives the same table."""

import enum

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from evenhand import Confusion

TRUE, PRED = [3, 10, 3, 200, 10, 3], [3, 3, 10, 200, 10, 3]
CELLS = [[2, 1, 0], [1, 1, 0], [0, 0, 1]]

TEXT = {3: "ant", 10: "bee", 200: "cat"}

INTEGERS = {
    "list": list,
    "tuple": tuple,
    "iterator": iter,
    **{
        kind: lambda v, kind=kind: np.array(v, kind)
        for kind in ("uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
    },
    "big-endian": lambda v: np.array(v, ">i4"),
    "strided": lambda v: np.repeat(np.array(v), 2)[::2],
    "object": lambda v: np.array(v, object),
    "numpy scalars": lambda v: [np.int16(x) for x in v],
    "pandas": pd.Series,
    "pandas index": pd.Index,
    "pandas Int64": lambda v: pd.Series(v, dtype="Int64"),
    "pandas arrow": lambda v: pd.Series(v, dtype="int64[pyarrow]"),
    "pandas category": lambda v: pd.Series(v, dtype="category"),
    "polars": pl.Series,
    "polars small": lambda v: pl.Series(v, dtype=pl.UInt8),
    "arrow": pa.array,
    "arrow chunks": lambda v: pa.chunked_array([v[:2], v[2:]]),
    "arrow dictionary": lambda v: pa.array(v).dictionary_encode(),
}

STRINGS = {
    "list": list,
    "U": np.array,
    "S": lambda v: np.array(v, "S"),
    "bytes": lambda v: [x.encode() for x in v],
    "object": lambda v: np.array(v, object),
    "StringDType": lambda v: np.array(v, np.dtypes.StringDType()),
    "numpy scalars": lambda v: [np.str_(x) for x in v],
    "str subclass": lambda v: [enum.StrEnum("E", {x: x for x in dict.fromkeys(v)})(x) for x in v],
    "pandas": pd.Series,
    "pandas object": lambda v: pd.Series(v, dtype=object),
    "pandas string": lambda v: pd.Series(v, dtype="string"),
    "pandas categories unused": lambda v: pd.Series(
        v, dtype=pd.CategoricalDtype(["zoo", "cat", "bee", "ant"])
    ),
    "pandas Categorical": pd.Categorical,
    "polars": pl.Series,
    "polars Categorical": lambda v: pl.Series(v, dtype=pl.Categorical),
    "polars Enum": lambda v: pl.Series(v, dtype=pl.Enum(["zoo", "cat", "bee", "ant"])),
    "arrow": pa.array,
    "arrow large": lambda v: pa.array(v, pa.large_string()),
    "arrow view": lambda v: pa.array(v, pa.string_view()),
    "arrow chunks": lambda v: pa.chunked_array([v[:2], v[2:]]),
    "arrow dictionary": lambda v: pa.array(v).dictionary_encode(),
    "arrow dictionary chunks": lambda v: pa.chunked_array(
        [pa.array(v[:3]).dictionary_encode(), pa.array(v[3:]).dictionary_encode()]
    ),
}

BOOLEANS = {
    "list": list,
    "bool": np.array,
    "object": lambda v: np.array(v, object),
    "pandas": pd.Series,
    "pandas boolean": lambda v: pd.Series(v, dtype="boolean"),
    "polars": pl.Series,
    "arrow": pa.array,
}


@pytest.mark.parametrize("column", INTEGERS.values(), ids=INTEGERS)
def test_integers(column):
    table = Confusion.from_labels(column(TRUE), column(PRED))
    assert table.labels == (3, 10, 200)
    assert {type(v) for v in table.labels} == {int}
    assert table.cells.tolist() == CELLS


@pytest.mark.parametrize("column", STRINGS.values(), ids=STRINGS)
def test_strings(column):
    table = Confusion.from_labels(column([TEXT[v] for v in TRUE]), column([TEXT[v] for v in PRED]))
    assert table.labels == ("ant", "bee", "cat")
    assert {type(v) for v in table.labels} == {str}
    assert table.cells.tolist() == CELLS


@pytest.mark.parametrize("column", BOOLEANS.values(), ids=BOOLEANS)
def test_booleans(column):
    table = Confusion.from_labels(column([True, False, True]), column([True, True, True]))
    assert table.labels == (False, True)
    assert {type(v) for v in table.labels} == {bool}
    assert table.cells.tolist() == [[0, 1], [0, 2]]


def test_int8_holds_negative_labels():
    table = Confusion.from_labels(np.array([-1, 1, 0], "int8"), np.array([1, 1, 0], "int8"))
    assert table.labels == (-1, 0, 1)
    assert table.cells.tolist() == [[0, 0, 1], [0, 1, 0], [0, 0, 1]]


def test_kinds_may_differ_where_labels_do_not():
    table = Confusion.from_labels(np.array(TRUE, "uint8"), pd.Series(PRED))
    assert table.cells.tolist() == CELLS


@pytest.mark.parametrize("wide", [[2**64 - 1, 0], [-(2**63), 2**63 - 1], [2**70, -(2**70)]])
def test_integers_of_any_size(wide):
    table = Confusion.from_labels(wide, wide[::-1])
    assert table.labels == tuple(sorted(wide))
    assert table.cells.tolist() == [[0, 1], [1, 0]]


def test_the_widest_unsigned_array():
    wide = np.array([2**64 - 1, 0], np.uint64)
    assert Confusion.from_labels(wide, wide).labels == (0, 2**64 - 1)


def test_integers_sort_as_numbers_and_so_does_their_text():
    numbers, text = [10, 9, 100], ["10", "9", "100"]
    assert Confusion.from_labels(numbers, numbers).labels == (9, 10, 100)
    assert Confusion.from_labels(text, text).labels == ("9", "10", "100")


def test_floats_are_labels_too():
    table = Confusion.from_labels([1.5, float("inf")], [1.5, 1.5])
    assert table.labels == (1.5, float("inf"))


def test_a_given_order_stays():
    table = Confusion.from_labels(["b", "a"], ["a", "a"], labels=["b", "a", "never"])
    assert table.labels == ("b", "a", "never")
    assert table.cells.tolist() == [[0, 1, 0], [0, 1, 0], [0, 0, 0]]


def test_an_empty_string_is_a_label():
    assert Confusion.from_labels(["", "a"], ["", ""]).labels == ("", "a")


def test_labels_are_compared_as_they_are_written():
    composed, decomposed = "\u00e9", "e\u0301"
    table = Confusion.from_labels([composed], [decomposed], labels=[composed, decomposed])
    assert table.correct.tolist() == [0, 0]
