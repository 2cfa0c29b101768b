"""Text and other labels from whatever holds them: the same table, their type kept."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from evenhand import Confusion, InputError

TRUE = ["b", "a", "b", "ä c", "a", ""]
PRED = ["b", "b", "a", "ä c", "a", "a"]
CELLS = [[0, 1, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 1]]
LABELS = ("", "a", "b", "ä c")
NAN = float("nan")


class Text(str):
    """A label of a library's own type."""


def fresh(values):
    """The same texts, no two of them one object."""
    return ["".join(list(v)) for v in values]


HOLDERS = {
    "list": list,
    "distinct objects": fresh,
    "tuple": tuple,
    "deque": lambda v: __import__("collections").deque(v),
    "range of a dict": lambda v: dict(enumerate(v)).values(),
    "subclass of str": lambda v: [Text(x) for x in v],
    "numpy scalars": lambda v: [np.str_(x) for x in v],
    "U": np.array,
    "S": lambda v: np.array([x.encode() for x in v]),
    "bytes": lambda v: [x.encode() for x in v],
    "object": lambda v: np.array(v, object),
    "object of distinct": lambda v: np.array(fresh(v), object),
    "StringDType": lambda v: np.array(v, np.dtypes.StringDType()),
    "reversed view": lambda v: np.array(v[::-1])[::-1],
    "pandas": pd.Series,
    "pandas object": lambda v: pd.Series(v, dtype=object),
    "pandas string": lambda v: pd.Series(v, dtype="string"),
    "pandas arrow": lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.string())),
    "pandas category": lambda v: pd.Series(v, dtype="category"),
    "pandas Categorical": pd.Categorical,
    "pandas Index": pd.Index,
    "polars": pl.Series,
    "polars Categorical": lambda v: pl.Series(v, dtype=pl.Categorical),
    "polars Enum": lambda v: pl.Series(v, dtype=pl.Enum(["z", *LABELS])),
    "pyarrow": pa.array,
    "pyarrow chunks": lambda v: pa.chunked_array([v[:2], v[2:]]),
    "pyarrow large": lambda v: pa.array(v, pa.large_string()),
    "pyarrow view": lambda v: pa.array(v, pa.string_view()),
    "pyarrow dictionary": lambda v: pa.array(v).dictionary_encode(),
}


@pytest.mark.parametrize("hold", HOLDERS.values(), ids=HOLDERS)
def test_every_holder(hold):
    for table in (
        Confusion.from_labels(hold(TRUE), hold(PRED)),
        Confusion.from_labels(TRUE, hold(PRED)),
        Confusion.from_labels(hold(TRUE), PRED),
    ):
        assert table.labels == LABELS
        assert all(type(label) is str for label in table.labels)
        assert table.cells.tolist() == CELLS


@pytest.mark.parametrize("hold", HOLDERS.values(), ids=HOLDERS)
def test_every_holder_with_weights(hold):
    table = Confusion.from_labels(hold(TRUE), hold(PRED), weights=[1, 2, 4, 8, 16, 32])
    assert table.correct.tolist() == [0, 16, 1, 8]
    assert table.squares.sum() == 1 + 4 + 16 + 64 + 256 + 1024


NULLS = {
    "None": (list, None),
    "NaN": (list, NAN),
    "numpy NaN": (list, np.float64("nan")),
    "pandas NA": (list, pd.NA),
    "NaT": (list, pd.NaT),
    "object None": (lambda v: np.array(v, object), None),
    "object NaN": (lambda v: np.array(v, object), NAN),
    "StringDType": (lambda v: np.array(v, np.dtypes.StringDType(na_object=None)), None),
    "StringDType NaN": (lambda v: np.array(v, np.dtypes.StringDType(na_object=np.nan)), NAN),
    "pandas": (pd.Series, None),
    "pandas object": (lambda v: pd.Series(v, dtype=object), NAN),
    "pandas category": (lambda v: pd.Series(v, dtype="category"), None),
    "Categorical": (pd.Categorical, None),
    "polars": (pl.Series, None),
    "polars Categorical": (lambda v: pl.Series(v, dtype=pl.Categorical), None),
    "pyarrow": (pa.array, None),
    "pyarrow dictionary": (lambda v: pa.array(v).dictionary_encode(), None),
}


@pytest.mark.parametrize("place", [0, 1, 3])
@pytest.mark.parametrize(("hold", "null"), NULLS.values(), ids=NULLS)
def test_nulls(hold, null, place):
    holed = ["b", "a", "b", "a"]
    holed[place] = null
    table = Confusion.from_labels(["b", "a", "b", "a"], hold(holed))
    assert table.labels == ("a", "b")
    assert table.outside.sum() == table.missing == 1
    assert table.correct.sum() == 3
    with pytest.raises(InputError, match="y_true must not be null, got 1 null"):
        Confusion.from_labels(hold(holed), ["b", "a", "b", "a"])
    dropped = Confusion.from_labels(hold(holed), ["b", "a", "b", "a"], drop_null_truth=True)
    assert (dropped.dropped, dropped.n) == (1, 3)


@pytest.mark.parametrize("hold", [list, pd.Series, pl.Series, np.array])
def test_floats_keep_their_type_and_nan_is_null(hold):
    table = Confusion.from_labels(hold([0.5, 2.0, 0.5]), hold([0.5, NAN, 2.0]))
    assert table.labels == (0.5, 2.0)
    assert table.missing == 1


@pytest.mark.parametrize("hold", [list, pd.Series, pl.Series, np.array, pa.array])
@pytest.mark.parametrize("values", [[True, False, True], [3, 1, 3], [0.5, -1.5, 0.5]])
def test_other_types_are_kept(hold, values):
    table = Confusion.from_labels(hold(values), hold(values[::-1]))
    assert table.labels == tuple(sorted(set(values)))
    assert {type(label) for label in table.labels} == {type(values[0])}


@pytest.mark.parametrize("hold", [lambda v: pd.Series(v, dtype="category"),
                                  lambda v: pa.array(v).dictionary_encode()])  # fmt: skip
@pytest.mark.parametrize("values", [[3, 1, 3], [True, False, True], [0.5, 2.5, 0.5]])
def test_categories_keep_their_type(hold, values):
    table = Confusion.from_labels(hold(values), values)
    assert table.labels == tuple(sorted(set(values)))
    assert {type(label) for label in table.labels} == {type(values[0])}


@pytest.mark.parametrize("hold", [list, lambda v: np.array(v, object),
                                  lambda v: pd.Series(v, dtype=object)])  # fmt: skip
@pytest.mark.parametrize(
    ("values", "kinds"),
    [
        ([1, "1"], "int and str"), (["1", 1], "int and str"), (["a", True], "bool and str"),
        ([1, True], "bool and int"), ([1, 1.5], "float and int"), ([2.5, "a"], "float and str"),
        (["a", b"a", 1], "int and str"),
    ],
)  # fmt: skip
def test_mixed_types_within_one_side(hold, values, kinds):
    message = f"must be of one type, got {kinds}; 1, '1', 1.0 and True are different labels"
    with pytest.raises(InputError, match=f"y_true {message}"):
        Confusion.from_labels(hold(values), ["a"] * len(values))
    with pytest.raises(InputError, match=f"y_pred {message}"):
        Confusion.from_labels(["a"] * len(values), hold(values))


@pytest.mark.parametrize("hold", [list, np.array, pd.Series, pl.Series, pa.array])
@pytest.mark.parametrize(
    ("true", "pred", "kinds"),
    [
        ([1, 2], ["1", "2"], "int and str"), (["1", "2"], [1, 2], "str and int"),
        ([1, 0], [True, False], "int and bool"), ([1, 2], [1.0, 2.5], "int and float"),
        ([1.0, 2.0], ["1.0", "2.0"], "float and str"), ([True], ["yes"], "bool and str"),
    ],
)  # fmt: skip
def test_mixed_types_between_the_sides(hold, true, pred, kinds):
    message = f"y_true and y_pred must have labels of one type, got {kinds}"
    with pytest.raises(InputError, match=message):
        Confusion.from_labels(hold(true), hold(pred))


def test_labels_given_are_of_the_same_type():
    with pytest.raises(InputError, match="labels and y_true must have labels of one type"):
        Confusion.from_labels([1, 2], [1, 2], labels=["1", "2"])


def test_one_text_is_no_list_of_labels():
    for true, pred in (("ab", ["a", "b"]), (["a", "b"], "ab")):
        with pytest.raises(InputError, match="must be a sequence of labels, got str"):
            Confusion.from_labels(true, pred)


@pytest.mark.parametrize(
    "thing", [pd.DataFrame({"a": [1]}), pl.DataFrame({"a": [1]}), pl.LazyFrame({"a": [1]}),
              pa.table({"a": [1]})],
)  # fmt: skip
def test_a_frame_is_no_column(thing):
    name = type(thing).__name__
    with pytest.raises(InputError, match=f"y_true must be one column, got a {name}"):
        Confusion.from_labels(thing, [1])


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(pd.to_datetime(["2020-01-01"])), pd.Series(pd.to_timedelta([1])),
        pl.Series([__import__("datetime").date(2020, 1, 1)]), pl.Series([["a"]]),
        pl.Series([{"a": 1}]), pa.array([__import__("decimal").Decimal(1)]),
        [__import__("decimal").Decimal(1)], [("a",)], [1j], np.array([1j]),
        pd.Series(pd.interval_range(0, 1)), np.array(["2020"], "M8[Y]"),
    ],
    ids=lambda v: f"{type(v).__module__}.{type(v).__name__} {getattr(v, 'dtype', v)}",
)  # fmt: skip
def test_what_cannot_be_a_label(values):
    with pytest.raises(InputError, match="y_true must be text, integers, booleans or floats, got"):
        Confusion.from_labels(values, values)


def test_integers_of_any_size():
    column = pl.Series([1, 10**30], dtype=pl.Int128)
    for true in (column, [1, 10**30], np.array([1, 10**30], object)):
        assert Confusion.from_labels(true, [1, 1]).labels == (1, 10**30)


def test_long_floats_are_floats():
    table = Confusion.from_labels(np.array([0.5], np.longdouble), np.array([0.5], np.float16))
    assert (table.labels, type(table.labels[0])) == ((0.5,), float)


def test_bytes_that_are_no_text():
    with pytest.raises(InputError, match=r"labels must be text in UTF-8, got b'\\xff'"):
        Confusion.from_labels([b"\xff"], [b"a"])


def test_two_indexes_go_by_position():
    true = pd.Series(["a", "b"], index=[1, 0])
    pred = pd.Series(["a", "b"], index=[0, 1])
    assert Confusion.from_labels(true, pred).correct.tolist() == [1, 1]


def test_masked_arrays():
    pred = np.ma.array([1, 2, 2], mask=[0, 1, 0])
    table = Confusion.from_labels([1, 2, 2], pred)
    assert (table.labels, table.missing) == ((1, 2), 1)


def test_hostile_text_is_kept_as_it_is():
    labels = ["\0", "\x1b[2J", "\u202e", "a\nb", " a", "a ", "NA", "null", "None", "nan", "\ud7ff"]
    table = Confusion.from_labels(labels, labels)
    assert table.labels == tuple(sorted(labels))
    assert table.correct.tolist() == [1] * len(labels)


def test_a_huge_label():
    huge = "x" * 10**6
    assert Confusion.from_labels([huge, "a"], [huge + "y", "a"]).labels == ("a", huge, huge + "y")


def test_texts_that_unicode_calls_equal_are_different_labels():
    assert Confusion.from_labels(["é", "e\u0301"], ["é", "é"]).k == 2
