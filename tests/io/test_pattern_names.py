"""Columns whose names Polars would take for patterns are columns like any other."""

import json

import polars as pl
import pytest

from evenhand import Confusion, Sample, macro_recall
from evenhand.io.columns import ReadOptions
from evenhand.io.loading import read
from evenhand.io.ratings import read_predictions

NAMES = ["*", "^x$", "^.*$", "^a b\n\t#-(é$"]
PAIRS = {("a", "b"): 1, ("b", "b"): 1}

pytestmark = pytest.mark.parametrize("name", NAMES)


def test_the_truth_the_prediction_and_a_slice(write, count, name):
    rows = pl.DataFrame({name: ["a", "b"], "x": ["b", "b"]})
    for kind in ("csv", "jsonl", "parquet", "arrow"):
        file = write(f"x.{kind}", rows)
        assert count(file, "--true", name, "--pred", "x").cells == PAIRS
        assert count(file, "--true", "x", "--pred", name).cells == {("b", "a"): 1, ("b", "b"): 1}
    sliced = count(file, "--true", name, "--pred", "x", "--by", name)
    assert sliced.cells == {("a", "a", "b"): 1, ("b", "b", "b"): 1}


def test_weights(write, count, name):
    rows = pl.DataFrame({"gold": ["a", "b"], "x": ["b", "b"], name: ["0.5", "2"]})
    file = write("x.csv", rows)
    found = count(file, "--true", "gold", "--pred", "x", "--weights", name)
    assert found.cells == {("a", "b"): 0.5, ("b", "b"): 2}


def test_two_files_joined(write, count, fails, name):
    write("gold.csv", pl.DataFrame({"x": ["8", "8"], name: ["1", "2"], "label": ["a", "b"]}))
    write("pred.parquet", pl.DataFrame({"x": [9, 9], name: [2, 1], "label": ["b", "b"]}))
    asked = ("gold.csv", "pred.parquet", "--id", name)
    assert count(*asked, "--label", "label").cells == PAIRS
    assert count(*asked, "--label", name).cells == {("1", "1"): 1, ("2", "2"): 1}
    write("pred.parquet", pl.DataFrame({name: [2, 2, 3], "x": [1, 2, 3], "label": ["b"] * 3}))
    message = fails("count", *asked, "--label", "label")
    assert message == (
        "pred.parquet has 1 id more than once: '2'; several rows per item need "
        "--system, --sample COL, --run or --cluster COL"
    )


def test_lists_of_labels(write, run, name):
    row = {"id": 1, name: ["a", "b"], "x": ["b"], "w": 2}
    asked = ("--true", name, "--pred", "x", "--weights", "w", "--format", "json")
    done = run("score", write("x.jsonl", json.dumps(row)), *asked)
    classes = json.loads(done.stdout)["classes"]
    assert [(c["label"], c["prevalence"], c["bias"]) for c in classes] == [("a", 2, 0), ("b", 2, 2)]
    write("pred.jsonl", '{"id": 2, "x": []}\n')
    assert "not in" in run("score", "x.jsonl", "pred.jsonl", "--id", "id", *asked[:4]).stderr


def test_systems_in_columns(write, name):
    rows = pl.DataFrame({"gold": ["a", "b"], "x": ["b", "b"], name: ["a", "a"]})
    file = write("x.parquet", rows)
    sample = read(ReadOptions((file,), true="gold"), several=True).data
    assert (sample.systems, sample.tables().bias.tolist()) == (("x", name), [[0, 2], [2, 0]])
    sliced = ReadOptions((file,), true=name, pred=("x",), by=("gold",))
    sliced = read(sliced, rows=True, is_part=True).data
    assert [(key, s.n) for key, s in sliced.slices] == [("a", 1), ("b", 1)]
    assert sliced.table("x").prevalence.tolist() == [2, 0]


def test_systems_in_rows(write, name):
    rows = pl.DataFrame(
        {"gold": ["a", "b"] * 2, "x": ["b", "b", "a", "a"], name: ["s", "s", "t", "t"]}
    )
    file = write("x.parquet", rows)
    sample = read(ReadOptions((file,), true="gold", pred=("x",), system=name), several=True).data
    assert (sample.systems, sample.tables().bias.tolist()) == (("s", "t"), [[0, 2], [2, 0]])
    same = rows.rename({name: "who"}).with_columns(pl.Series(name, [1, 2, 2, 1]))
    same = same.with_columns(gold=pl.Series(["a", "b", "b", "a"]))
    file = write("y.parquet", same)
    reading = ReadOptions((file,), true="gold", pred=("x",), id=name, system="who")
    sample = read(reading, several=True).data
    assert (sample.systems, sample.n) == (("s", "t"), 2)
    assert sample.tables().correct.tolist() == [[0, 1], [1, 0]]


def test_systems_in_files(write, name):
    gold = write("gold.csv", pl.DataFrame({"x": ["1", "2"], name: ["a", "b"]}))
    run = write("run.csv", pl.DataFrame({"x": ["2", "1"], name: ["b", "b"]}))
    table = read(ReadOptions((gold, run), label=name, id="x")).data
    assert table.cells.tolist() == [[0, 1], [0, 1]]


def test_predictions_without_truth(write, name):
    file = write("x.csv", pl.DataFrame({"x": ["0.25"], name: ["0.75"]}))
    assert read_predictions(file, ("a",), column=name).data.to_list() == ["0.75"]
    assert read_predictions(file, (name, "x")).data.tolist() == [[0.75, 0.25]]


def test_a_series_of_that_name(name):
    true, pred = pl.Series(name, [1.0, 2.0]), pl.Series(name, [1.0, None])
    table = Confusion.from_labels(true, pred)
    assert (table.labels, table.correct.tolist(), table.missing) == ((1.0, 2.0), [1, 0], 1)
    texts = pl.Series(name, ["a", "b"])
    assert Sample.from_labels(texts, {"system": texts}).labels == ("a", "b")


def test_clusters(write, run, fails, name):
    rows = pl.DataFrame({"gold": ["a", "b"], "x": ["b", "b"], name: ["c", "d"]})
    asked = ("--true", "gold", "--cluster", name, "--format", "json")
    done = run("score", write("x.csv", rows), *asked, "--pred", "x")
    assert json.loads(done.stdout)["n"] == 2
    soft = rows.with_columns(a=pl.lit("0.5"), b=pl.lit("0.5"))
    done = run("score", write("soft.csv", soft), *asked, "--probabilities", "a,b")
    assert json.loads(done.stdout)["n"] == 2
    lost = write("lost.csv", rows.with_columns(pl.Series(name, ["c", ""])))
    message = fails("score", lost, *asked, "--pred", "x")
    assert message.endswith(", row 2: expected a cluster, got none")


def test_label_sets_of_a_frame(name):
    sides, weights = ([["a"], ["a", "b"]], [["a"], ["b"]]), [1.0, 2.0]
    wanted = macro_recall(*sides, weights=weights)
    assert wanted == pytest.approx((1 / 3 + 1) / 2)
    for make in (pl.DataFrame, pl.LazyFrame):
        named = make({"y": [1, 2], name: sides[0], "x": sides[1], "w": weights})
        assert macro_recall(named, true=name, pred="x", weights="w") == wanted
        weighed = make({"t": sides[0], "x": sides[1], name: weights})
        assert macro_recall(weighed, true="t", pred="x", weights=name) == wanted
