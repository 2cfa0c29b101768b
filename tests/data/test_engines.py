"""One test on every engine: the same cells, and nothing lost, wherever the rows are."""

import math
import os
from collections import Counter, defaultdict
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from evenhand import Confusion, InputError

HEAVY = {name: [pytest.mark.engine, pytest.mark.xdist_group(name)] for name in ("dask", "spark")}
LIGHT = ["pandas", "pandas-arrow", "polars", "polars-lazy", "pyarrow", "duckdb", "ibis"]
ENGINES = [*LIGHT, *(pytest.param(name, marks=marks) for name, marks in HEAVY.items())]
NULLABLE = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}


@pytest.fixture(scope="module")
def cluster():
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as workers,
        Client(workers),
    ):
        yield


@pytest.fixture(scope="module")
def session():
    from pyspark.sql import SparkSession

    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.log.level": "OFF",
    }
    builder = SparkSession.builder.master("local[2]").appName("evenhand")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    yield spark
    spark.stop()


@pytest.fixture(params=ENGINES)
def frame(request):
    """Make a frame of this engine from an Arrow table."""
    import duckdb
    import ibis

    def on_dask(table):
        import dask.dataframe as dd

        request.getfixturevalue("cluster")
        plain = any(pa.types.is_dictionary(kind) for kind in table.schema.types)
        rows = table.to_pandas(types_mapper=None if plain else pd.ArrowDtype)
        return dd.from_pandas(rows, npartitions=2 if len(rows) else 1)

    return {
        "pandas": lambda t: t.to_pandas(types_mapper=NULLABLE.get),
        "pandas-arrow": lambda t: t.to_pandas(types_mapper=pd.ArrowDtype),
        "polars": pl.from_arrow,
        "polars-lazy": lambda t: pl.from_arrow(t).lazy(),
        "pyarrow": lambda t: t,
        "duckdb": lambda t: duckdb.connect().from_arrow(t),
        "ibis": ibis.memtable,
        "dask": on_dask,
        "spark": lambda t: request.getfixturevalue("session").createDataFrame(t),
    }[request.param]


def null(value):
    return value is None or (isinstance(value, float) and math.isnan(value))


def by_hand(columns, true, pred, weights=None, by=None, drop_null_truth=False):
    """For each table of the stack: cells, squares, items, missing and dropped, row by row."""
    systems = [pred] if isinstance(pred, str) else pred
    slices = [by] if isinstance(by, str) else by or []
    found = defaultdict(lambda: (Counter(), Counter(), Counter()))
    axes = [] if isinstance(pred, str) else [list(pred)]
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if slices:
        keys = [tuple(row[c] for c in slices) for row in rows]
        keys = sorted(set(keys), key=lambda key: [(v is None, v) for v in key])
        axes.append([key[0] if len(slices) == 1 else key for key in keys])
    for key in product(*axes):
        found[key] = (Counter(), Counter(), Counter())
    for row, system in product(rows, systems):
        key = () if isinstance(pred, str) else (system,)
        if slices:
            place = tuple(row[c] for c in slices)
            key += place if len(slices) == 1 else (place,)
        cells, squares, lost = found[key]
        if null(row[true]):
            assert drop_null_truth
            lost["dropped"] += 1
            continue
        cell = (row[true], None if null(row[system]) else row[system])
        weight = 1 if weights is None else row[weights]
        cells[cell] += weight
        squares[cell] += weight**2
        lost.update(n=1, missing=int(cell[1] is None))
    return {key: tuple({k: v for k, v in part.items() if v} for part in parts) for key, parts in
            found.items()}  # fmt: skip


def as_counted(table):
    """The same of a table."""
    names = [*table.labels, None]
    found = {}
    for key in product(*table.keys):
        one = table
        for part in key:
            one = one.at(part)
        cells, squares = {}, {}
        for i, j in product(range(table.k), range(table.k + 1)):
            if one.data.dense().weight[i, j]:
                cells[names[i], names[j]] = one.data.dense().weight[i, j]
                squares[names[i], names[j]] = one.squares[i, j]
        lost = {"n": int(one.n), "missing": int(one.missing), "dropped": int(one.dropped)}
        found[key] = cells, squares, {name: v for name, v in lost.items() if v}
    return found


COLUMNS = {
    "gold": ["a", "b", "b", "c", "a", "b", "a", "a"],
    "system": ["a", "b", None, "a", "a", "b", "d", None],
    "other": ["b", "b", "b", None, "a", "b", "a", "c"],
    "hole": ["a", None, "b", "c", "a", None, "a", "a"],
    "int": [3, -1, 2**40, 3, 3, -1, 2**40, 3],
    "int guess": [3, None, 2**40, 3, -1, -1, 7, None],
    "bool": [True, False, True, True, False, False, True, True],
    "bool guess": [True, None, False, True, False, True, True, True],
    "float": [0.5, 1.5, -2.0, 0.5, 0.5, 1.5, 0.5, -2.0],
    "float guess": [0.5, float("nan"), -2.0, None, 1.5, 1.5, 0.5, float("nan")],
    "weight": [0.5, 2.0, 0.25, 1.0, 4.0, 0.0, 0.125, 1.0],
    "count": [100, 2, 3, 1, 200, 0, 1, 7],
    "part": [True, True, False, True, True, True, True, True],
    "lang": ["en", "de", None, "en", "de", "en", None, "de"],
    "year": [2024, 2024, 2025, None, 2025, 2024, None, 2025],
}
TABLE = pa.table(
    {name: pa.array(values, from_pandas=False) for name, values in COLUMNS.items()}
).cast(pa.schema([*pa.table(COLUMNS).schema]).set(11, pa.field("count", pa.int16())))
TEXT = {"true": "gold", "pred": "system"}
CASES = {
    "text": TEXT,
    "nulls dropped": {"true": "hole", "pred": "system", "drop_null_truth": True},
    "integers": {"true": "int", "pred": "int guess"},
    "booleans": {"true": "bool", "pred": "bool guess"},
    "floats with NaN": {"true": "float", "pred": "float guess"},
    "weights": {**TEXT, "weights": "weight"},
    "whole weights of two bytes": {**TEXT, "weights": "count"},
    "weights yes or no": {**TEXT, "weights": "part"},
    "by one": {**TEXT, "by": "lang"},
    "by an integer": {**TEXT, "by": "year"},
    "by two": {**TEXT, "by": ["lang", "year"]},
    "by the truth": {**TEXT, "by": "gold"},
    "by, weighted": {**TEXT, "by": "lang", "weights": "weight"},
    "by, nulls dropped": {**TEXT, "true": "hole", "by": "lang", "drop_null_truth": True},
    "systems": {"true": "gold", "pred": ["system", "other"]},
    "one system in a list": {"true": "gold", "pred": ["system"]},
    "the truth among the systems": {"true": "gold", "pred": ["other", "gold"]},
    "integer systems": {"true": "int", "pred": ["int guess", "int"]},
    "boolean systems": {"true": "bool", "pred": ["bool guess", "bool"]},
    "systems, weighted": {"true": "gold", "pred": ["system", "other"], "weights": "weight"},
    "systems by one": {"true": "gold", "pred": ["system", "other"], "by": "lang"},
    "systems by two": {"true": "gold", "pred": ["other", "system"], "by": ["lang", "year"]},
    "everything": {
        "true": "hole", "pred": ["other", "system"], "by": ["year"], "weights": "weight",
        "drop_null_truth": True,
    },
}  # fmt: skip


@pytest.mark.parametrize("asked", CASES.values(), ids=CASES)
def test_the_cells_are_those_counted_by_hand(frame, asked):
    assert as_counted(Confusion.from_frame(frame(TABLE), **asked)) == by_hand(COLUMNS, **asked)


def test_categories_are_labels_and_unused_ones_are_not(frame, request):
    kinds = {"gold": ["b", "a", "never"], "system": ["d", "b", "a", "unused"]}
    table = pa.table(
        {
            name: pa.DictionaryArray.from_arrays(
                pa.array([None if v is None else kind.index(v) for v in COLUMNS[name]], pa.int8()),
                kind,
            )
            for name, kind in {**kinds, "gold": [*kinds["gold"], "c"]}.items()
        }
    )
    if request.node.callspec.params["frame"] == "spark":
        table = table.cast(pa.schema([("gold", pa.string()), ("system", pa.string())]))
    assert as_counted(Confusion.from_frame(frame(table), **TEXT)) == by_hand(COLUMNS, **TEXT)


def test_systems_with_different_categories(frame, request):
    names = ["gold", "system", "other"]
    table = TABLE.select(names)
    if request.node.callspec.params["frame"] != "spark":
        table = pa.table({name: TABLE[name].dictionary_encode() for name in names})
    asked = {"true": "gold", "pred": ["system", "other"]}
    assert as_counted(Confusion.from_frame(frame(table), **asked)) == by_hand(COLUMNS, **asked)


def test_names_may_be_ours(frame):
    ours = ["true", "pred", "by0", "weight", "items", "system", "pred0"]
    columns = dict(zip(ours, [COLUMNS[c] for c in ("gold", "system", "lang", "weight", "year",
                   "other", "other")], strict=True))  # fmt: skip
    for asked in (
        {"true": "true", "pred": "pred", "by": ["by0", "items"], "weights": "weight"},
        {"true": "pred0", "pred": ["true", "system"], "drop_null_truth": True},
    ):
        assert as_counted(Confusion.from_frame(frame(pa.table(columns)), **asked)) == by_hand(
            columns, **asked
        )


@pytest.mark.parametrize("name", ['a"b', "a.b", "a b", "select", "`x`", "a'b", "naïve", "%s",
                                  "\x1b[2J", "x\ny", "; drop table x", "items", "*",
                                  "^p$", "^.*$"])  # fmt: skip
def test_any_name(frame, name):
    table = pa.table({name: COLUMNS["gold"], "p": COLUMNS["other"], f"{name}2": COLUMNS["lang"]})
    columns = {column: table[column].to_pylist() for column in table.column_names}
    if name == "*" and type(frame(table)).__name__ == "DuckDBPyRelation":
        with pytest.raises(InputError, match=r"none may be '\*', got '\*'"):
            Confusion.from_frame(frame(table), true=name, pred="p")
        return
    for asked in (
        {"true": name, "pred": "p", "by": f"{name}2"},
        {"true": "p", "pred": [name, f"{name}2"], "drop_null_truth": True},
    ):
        assert as_counted(Confusion.from_frame(frame(table), **asked)) == by_hand(columns, **asked)


def test_names_that_differ_only_in_case_are_not_confused(frame):
    table = pa.table({"gold": ["a", "b"], "GOLD": ["b", "b"]})
    try:
        cells = Confusion.from_frame(frame(table), true="gold", pred="GOLD").cells.tolist()
    except InputError as e:
        assert "GOLD" in str(e)
    else:
        assert cells == [[0, 1], [0, 1]]


def test_the_order_of_labels_is_natural_or_as_given(frame):
    assert Confusion.from_frame(frame(TABLE), true="int", pred="int guess").labels == (
        -1, 3, 7, 2**40,
    )  # fmt: skip
    given = Confusion.from_frame(frame(TABLE), **TEXT, labels=["c", "b", "a"])
    assert given.labels == ("c", "b", "a")
    assert given.outside.tolist() == [0, 1, 2]
    assert given.missing == 2


BAD = {
    "no such column": (
        {**TEXT, "weights": "heft", "by": "language"}, "expected 'language', 'heft' too"),
    "null truth": ({**TEXT, "true": "hole"}, "column 'hole' must not be null, got 2 null"),
    "null weights": (
        {**TEXT, "weights": "year"},
        "column 'year' must hold weights that are 0 or from 1e-150 to 1e+150, got 2"),
    "NaN weights": ({**TEXT, "weights": "float guess"}, "column 'float guess' must hold"),
    "negative weights": (
        {**TEXT, "weights": "float"},
        "column 'float' must hold weights that are 0 or from 1e-150 to 1e+150"),
    "weights of text": ({**TEXT, "weights": "lang"}, "column 'lang' must hold numbers, got String"),
    "integers and text": (
        {"true": "gold", "pred": "int"}, "must have labels of one type, got str and int"),
    "systems of different kinds": (
        {"true": "gold", "pred": ["system", "int"]},
        "column 'gold' and column 'int' must have labels of one type, got str and int"),
    "no systems": ({"true": "gold", "pred": []}, "pred must name different columns, got nothing"),
    "a system twice": (
        {"true": "gold", "pred": ["system", "system"]}, "pred must name different columns"),
    "a label not given": ({**TEXT, "labels": ["a", "b"]}, "must hold only the given labels"),
    "no name": ({"true": None, "pred": "system"}, "the names of columns must be text, got None"),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "message"), BAD.values(), ids=BAD)
def test_refused(frame, asked, message):
    with pytest.raises(InputError) as caught:
        Confusion.from_frame(frame(TABLE), **asked)
    assert message in str(caught.value)


def test_a_negative_weight_does_not_hide_in_a_sum(frame):
    table = pa.table({"gold": ["a", "a"], "system": ["a", "a"], "w": [3.0, -1.0]})
    with pytest.raises(InputError, match="must hold weights that are 0 or from"):
        Confusion.from_frame(frame(table), **TEXT, weights="w")


@pytest.mark.parametrize("more", [{}, {"by": "lang"}, {"pred": ["system", "other"]}])
def test_an_empty_frame(frame, more):
    with pytest.raises(InputError, match="the frame has no rows: there is no item to count"):
        Confusion.from_frame(frame(TABLE.slice(0, 0)), **{**TEXT, **more})


def test_nothing_but_null_truth(frame):
    table = pa.table({"gold": pa.array([None, None], pa.string()), "system": ["a", "b"]})
    with pytest.raises(InputError, match="'gold' must not be null"):
        Confusion.from_frame(frame(table), **TEXT)
    with pytest.raises(InputError, match="no item is left to count"):
        Confusion.from_frame(frame(table), **TEXT, drop_null_truth=True)


@pytest.mark.parametrize("thing", [COLUMNS, [1, 2], "frame", None, 3])
def test_what_is_no_frame(thing):
    with pytest.raises(InputError, match="frame must be one of pandas, Polars, PyArrow, DuckDB"):
        Confusion.from_frame(thing, **TEXT)


def test_enumerations():
    kinds = {"gold": pl.Enum(list("abc")), "system": pl.Enum(list("dba"))}
    rows = pl.DataFrame({name: COLUMNS[name] for name in ("gold", "system", "other")})
    asked = {"true": "gold", "pred": ["system", "other"]}
    for frame in (rows.cast(kinds), rows.cast({"other": pl.Categorical})):
        assert as_counted(Confusion.from_frame(frame, **asked)) == by_hand(COLUMNS, **asked)


def test_categories_of_integers_stay_integers():
    frame = pd.DataFrame({"gold": [1, 2], "system": [1, 3], "other": [2, 2]})
    for made in (frame.astype("category"), frame.astype({"other": "category"})):
        for table in (made, pa.Table.from_pandas(made)):
            stack = Confusion.from_frame(table, true="gold", pred=["system", "other"])
            assert stack.labels == (1, 2, 3)


def test_two_columns_of_one_name():
    frame = pd.DataFrame([["a", "b", "c"]], columns=["gold", "system", "system"])
    with pytest.raises(InputError, match="a different name for every column"):
        Confusion.from_frame(frame, **TEXT)


def test_columns_without_names():
    with pytest.raises(InputError, match="the names of columns must be text, got 0, 1"):
        Confusion.from_frame(pd.DataFrame([["a", "b"]]), true=0, pred=1)


def test_slices_of_lists():
    frame = pl.DataFrame({"gold": ["a"], "system": ["a"], "tags": [["x"]]})
    with pytest.raises(InputError, match="column 'tags' must hold plain values to group items by"):
        Confusion.from_frame(frame, **TEXT, by="tags")


@pytest.mark.parametrize("values", [[1, "1"], ["a", 2.5], [True, "a"]])
def test_a_pandas_column_of_several_types(values):
    frame = pd.DataFrame({"gold": pd.Series(values, dtype=object), "system": ["a", "b"]})
    with pytest.raises(InputError, match="column 'gold' must be of one type"):
        Confusion.from_frame(frame, **TEXT)


ALIKE = pytest.mark.parametrize(
    ("values", "kinds"),
    [
        ([1, True], "bool and int"),
        ([False, 0], "bool and int"),
        ([1, 1.0], "float and int"),
        ([1.0, True], "bool and float"),
        ([np.int64(1), np.True_], "bool and int"),
        ([1, None, 1.0], "float and int"),
    ],
)


@ALIKE
@pytest.mark.parametrize(
    "asked",
    [
        {"true": "x", "pred": "y"},
        {"true": "y", "pred": "x"},
        {"true": "y", "pred": ["y", "x"]},
        {"true": "y", "pred": "y", "by": "x"},
    ],
)
def test_what_pandas_takes_for_equal_is_not_merged(values, kinds, asked):
    frame = pd.DataFrame({"x": pd.Series(values, dtype=object)}).assign(y=1)
    with pytest.raises(InputError, match=f"column 'x' must be of one type, got {kinds}"):
        Confusion.from_frame(frame, **asked)


@pytest.mark.engine
@pytest.mark.xdist_group("dask")
@ALIKE
def test_what_dask_takes_for_equal_is_not_merged(cluster, values, kinds):
    import dask
    import dask.dataframe as dd

    frame = pd.DataFrame({"x": pd.Series(values, dtype=object)}).assign(y=1)
    with dask.config.set({"dataframe.convert-string": False}):
        parts = dd.from_pandas(frame, npartitions=2)
        with pytest.raises(InputError, match=f"column 'x' must be of one type, got {kinds}"):
            Confusion.from_frame(parts, true="y", pred="x")


def test_pandas_objects_of_one_type():
    x = pd.Series([1, np.int64(1), 2, 1], dtype=object)
    by = pd.Series([1, "1", None, float("nan")], dtype=object)
    table = Confusion.from_frame(pd.DataFrame({"x": x, "by": by}), true="x", pred="x", by="by")
    assert (table.labels, table.keys, table.n.tolist()) == ((1, 2), ((1, "1", None),), [1, 1, 2])


def test_rows_go_by_position_not_by_index():
    frame = pd.DataFrame({"gold": list("abc"), "system": list("abd")}, index=[5, 5, 1])
    assert Confusion.from_frame(frame, **TEXT).correct.tolist() == [1, 1, 0, 0]


def test_rows_that_were_counted_elsewhere(frame):
    """A query's own counts: the same table as from the rows, slices and systems too."""
    rows = {"gold": list("aabbb"), "one": ["a", "b", "b", None, "c"], "two": list("ababb"),
            "n": [3, 1, 4, 2, 5], "lang": list("xxyyy")}  # fmt: skip
    each = {c: [v for v, n in zip(rows[c], rows["n"], strict=True) for _ in range(n)] for c in rows}
    grouped, single = frame(pa.table(rows)), frame(pa.table(each))
    for how in ({"pred": "one"}, {"pred": ["one", "two"]}, {"pred": "two", "by": "lang"}):
        found = Confusion.from_frame(grouped, true="gold", counts="n", **how)
        wanted = Confusion.from_frame(single, true="gold", **how)
        assert found == wanted
        assert np.array_equal(found.n, wanted.n)


@pytest.mark.parametrize(
    ("counts", "words"),
    [([1, -1], "numbers of items ≥ 0"), ([1, None], "numbers of items ≥ 0"),
     ([1.5, 2.0], "whole numbers of items")],
)  # fmt: skip
def test_counts_that_are_none(counts, words):
    rows = pl.DataFrame({"gold": ["a", "b"], "one": ["a", "b"], "n": counts})
    with pytest.raises(InputError, match=words):
        Confusion.from_frame(rows, true="gold", pred="one", counts="n")


def test_counts_go_without_weights():
    rows = pl.DataFrame({"gold": ["a", "b"], "one": ["a", "b"], "n": [1, 2], "w": [1.0, 2.0]})
    with pytest.raises(InputError, match="counts go without weights"):
        Confusion.from_frame(rows, true="gold", pred="one", counts="n", weights="w")
