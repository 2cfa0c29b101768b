"""Samples of files, counted as they stream by: the same as item by item."""

import io

import numpy as np
import polars as pl
import pytest

from evenhand.data.sample import Sample
from evenhand.errors import InputError
from evenhand.io.columns import ReadOptions
from evenhand.io.loading import read


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


def sample(path, *systems, **beside):
    reading = ReadOptions((path,), true="gold", pred=systems, **beside)
    return read(reading, rows=True).data


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize(
    "beside", [{}, {"cluster": "doc"}, {"weights": "w"}, {"cluster": "doc", "weights": "w"}]
)
def test_it_is_the_sample_of_the_items(tmp_path, ending, beside):
    rows = items()
    streamed = sample(written(tmp_path, ending, **rows), "x", "y", **beside)
    bare = {c: [v if v is None else v.strip() for v in rows[c]] for c in ("gold", "x", "y")}
    columns = {option: rows[c] for option, c in beside.items()}
    wanted = Sample.from_labels(bare["gold"], {s: bare[s] for s in ("x", "y")}, **columns)
    assert streamed == wanted
    assert streamed.n == 500
    assert streamed.missing.tolist() == [items()[s].count(None) for s in ("x", "y")]


def test_only_distinct_rows_are_kept(tmp_path):
    columns = {"gold": ["a", "b"] * 500, "x": ["a", "a"] * 500}
    path = written(tmp_path, "parquet", **columns)
    assert sample(path, "x").weight.tolist() == [500, 500]


def test_a_stream_is_looked_at_once_more_too(tmp_path, monkeypatch):
    rows = ["gold,x", *["a,a", "b,a"] * 30, ",b"]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("\n".join(rows).encode())))
    with pytest.raises(InputError, match=r"got 1 null.*, the first at row 61"):
        sample("-", "x")


def test_any_column_may_be_called_anything(tmp_path):
    path = written(tmp_path, "csv", gold=["a", "b"], **{"evenhand:items": ["a", "a"]})
    assert sample(path, "evenhand:items").n == 2


def test_what_is_amiss_is_named_by_its_place(tmp_path):
    columns = items()
    columns["doc"][41] = None
    path = written(tmp_path, "parquet", **columns)
    with pytest.raises(
        InputError, match=r"items\.parquet, column doc, row 42: expected a cluster, got none"
    ):
        sample(path, "x", cluster="doc")
