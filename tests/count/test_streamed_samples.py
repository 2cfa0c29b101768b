"""Samples of files, counted as they stream by: the same as item by item."""

import io

import numpy as np
import polars as pl
import pytest

from evenhand.errors import InputError
from evenhand.files.reading import Reading
from evenhand.files.systems import panel_of_columns, sample_of_columns


def written(folder, ending, **columns):
    frame = pl.DataFrame(columns)
    path = folder / f"items.{ending}"
    {"csv": frame.write_csv, "parquet": frame.write_parquet, "jsonl": frame.write_ndjson}[ending](
        path
    )
    return str(path)


def items(n=500, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.array(["a", "b", " c", None], object)
    return {
        "gold": rng.choice(labels[:3], n).tolist(),
        "x": rng.choice(labels, n).tolist(),
        "y": rng.choice(labels, n).tolist(),
        "doc": [f"d{i}" for i in rng.integers(0, 7, n)],
        "w": rng.choice([0.5, 1.0, 2.0], n).tolist(),
    }


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize(
    "beside", [{}, {"cluster": "doc"}, {"weights": "w"}, {"cluster": "doc", "weights": "w"}]
)
def test_it_is_the_sample_of_the_items(tmp_path, ending, beside):
    path, reading = written(tmp_path, ending, **items()), Reading(true="gold", **beside)
    streamed = sample_of_columns(reading, path, ["x", "y"])
    assert streamed == panel_of_columns(reading, path, ["x", "y"]).sample(reading)
    assert streamed.n == 500
    assert streamed.missing.tolist() == [items()[s].count(None) for s in ("x", "y")]


def test_only_distinct_rows_are_kept(tmp_path):
    columns = {"gold": ["a", "b"] * 500, "x": ["a", "a"] * 500}
    path = written(tmp_path, "parquet", **columns)
    sample = sample_of_columns(Reading(true="gold"), path, ["x"])
    assert sample.weight.tolist() == [500, 500]


def test_a_stream_is_looked_at_once_more_too(tmp_path, monkeypatch):
    rows = ["gold,x", *["a,a", "b,a"] * 30, ",b"]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("\n".join(rows).encode())))
    with pytest.raises(InputError, match=r"got 1 null.*, the first at item 60"):
        sample_of_columns(Reading(true="gold"), "-", ["x"])


def test_any_column_may_be_called_anything(tmp_path):
    path = written(tmp_path, "csv", gold=["a", "b"], **{"evenhand:times": ["a", "a"]})
    assert sample_of_columns(Reading(true="gold"), path, ["evenhand:times"]).n == 2


def test_what_is_amiss_is_named_by_its_place(tmp_path):
    columns = items()
    columns["doc"][41] = None
    path = written(tmp_path, "parquet", **columns)
    with pytest.raises(InputError, match="cluster must not be null, got a null at item 41"):
        sample_of_columns(Reading(true="gold", cluster="doc"), path, ["x"])
