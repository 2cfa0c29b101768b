"""Folders of Parquet written with Hive partitions: their names are columns of text."""

import json
import os

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evenhand import Confusion
from evenhand.io.columns import ReadOptions
from evenhand.io.loading import read
from evenhand.io.ratings import read_predictions

COLUMNS = ("--true", "gold", "--pred", "system")
ROWS = pl.DataFrame({"gold": ["a", "b"], "system": ["a", "a"]})


@pytest.fixture
def slices(run):
    """The items of each slice that ``evenhand score`` finds, all files at once."""

    def call(*arguments):
        done = run("score", *arguments, "--format", "json")
        assert done.exit_code == 0, done.output
        return {s["key"]: s["n"] for s in json.loads(done.stdout)["slices"]}

    return call


def test_a_slice(write, count, slices):
    write("data/lang=de/part-0.parquet", ROWS)
    write("data/lang=de/part-1.parquet", ROWS[:1])
    write("data/lang=en/part-0.parquet", ROWS)
    assert count("data", *COLUMNS, "--by", "lang").cells == {
        ("de", "a", "a"): 2,
        ("de", "b", "a"): 1,
        ("en", "a", "a"): 1,
        ("en", "b", "a"): 1,
    }
    assert slices("data", *COLUMNS, "--by", "lang") == {"de": 3, "en": 2}
    assert slices("data/*/part-0.parquet", *COLUMNS, "--by", "lang") == {"de": 2, "en": 2}


def test_truth_and_prediction(write, count):
    write("data/gold=a/system=b/x.parquet", pl.DataFrame({"id": [1, 2]}))
    write("data/gold=b/system=b/x.parquet", pl.DataFrame({"id": [3]}))
    assert count("data", *COLUMNS).cells == {("a", "b"): 2, ("b", "b"): 1}


@pytest.mark.parametrize(
    ("folder", "value"),
    [
        ("01", "01"), ("1.0", "1.0"), ("2020-01-01", "2020-01-01"), ("true", "true"),
        ("a%2Fb%20c", "a/b c"), ("%C3%A4", "ä"), ("ä", "ä"), ("50%25", "50%"), ("a+b", "a+b"),
        ("", None), ("__HIVE_DEFAULT_PARTITION__", None),
    ],
)  # fmt: skip
def test_values_are_text(write, count, slices, folder, value):
    write(f"data/lang={folder}/part.parquet", ROWS)
    write("data/lang=zz/part.parquet", ROWS)
    by = (*COLUMNS, "--by", "lang")
    assert count("data", *by).cells == {
        (key, gold, "a"): 1 for key in (value, "zz") for gold in "ab"
    }
    assert list(slices("data", *by).values()) == [2, 2]


def test_what_pyarrow_writes_is_what_is_read(here, count):
    langs = ["a/b", "ä", "x=y", None, "50%", "a b", "01", "*"]
    table = pa.table({"lang": langs, "gold": langs[::-1], "system": langs[::-1]})
    pq.write_to_dataset(table.drop_null(), here / "data", partition_cols=["lang"])
    found = count("data", *COLUMNS, "--by", "lang").cells
    pairs = zip(langs, langs[::-1], strict=True)
    assert found == {(a, b, b): 1 for a, b in pairs if a is not None and b is not None}


def test_nested_folders(write, slices):
    for lang in ("de", "en"):
        for day in (1, 2):
            write(f"out=3/data/lang={lang}/sub/day={day}/x.parquet", ROWS[:day])
    assert slices("out=3/data", *COLUMNS, "--by", "lang") == {"de": 3, "en": 3}
    assert slices("out=3/data", *COLUMNS, "--by", "day") == {"1": 2, "2": 4}


def test_a_column_of_the_file_is_kept(write, count, slices):
    write("data/lang=1/system=bert/x.parquet", ROWS.with_columns(lang=7))
    assert count("data", *COLUMNS).cells == {("a", "a"): 1, ("b", "a"): 1}
    write("data/lang=2/system=other/x.parquet", ROWS.with_columns(lang=8))
    assert slices("data", *COLUMNS, "--by", "lang") == {7: 2, 8: 2}


def test_a_key_that_some_files_lack(write, count, fails):
    write("data/lang=de/x.parquet", ROWS)
    write("data/x.parquet", ROWS)
    assert count("data", *COLUMNS).cells == {("a", "a"): 2, ("b", "a"): 2}
    for command in ("count", "score"):
        assert "expected 'lang' too" in fails(command, "data", *COLUMNS, "--by", "lang")


def test_a_key_that_begins_as_hidden_files_do(write, slices):
    write("data/_lang=de/x.parquet", ROWS)
    assert slices("data", *COLUMNS, "--by", "_lang") == {"de": 2}


def test_a_file_without_rows(write, slices):
    write("data/lang=de/x.parquet", ROWS)
    write("data/lang=en/x.parquet", ROWS[:0])
    assert slices("data", *COLUMNS, "--by", "lang") == {"de": 2}


def test_systems_in_folders(write):
    write("data/system=x/a.parquet", pl.DataFrame({"gold": ["a", "b"], "label": ["a", "a"]}))
    write("data/system=y/a.parquet", pl.DataFrame({"gold": ["a", "b"], "label": ["b", "b"]}))
    reading = ReadOptions(("data",), true="gold", pred=("label",), system="system")
    sample = read(reading, several=True).data
    assert sample.systems == ("x", "y")
    assert sample.tables().bias.tolist() == [[2, 0], [0, 2]]


def test_a_folder_is_no_system_and_no_prediction(write):
    write("data/lang=de/x.parquet", ROWS)
    assert read(ReadOptions(("data",), true="gold"), several=True).data.systems == ("system",)
    write("new/lang=de/x.parquet", ROWS.select("system"))
    assert read_predictions("new", ("a", "b")).data.to_list() == ["a", "a"]


def test_a_system_called_like_a_folder(here, run):
    rows = pl.DataFrame({"gold": ["x", "y"] * 9, "a": ["x", "y"] * 9, "b": ["x", "x"] * 9})
    (here / "own" / "a=1").mkdir(parents=True)
    rows.write_parquet("own/a=1/f.parquet")
    options = ("--true", "gold", "--replicates", "10", "--format", "json")
    found = json.loads(run("rank", "own/a=1/f.parquet", *options).stdout)
    assert [system["name"] for system in found["systems"]] == ["a", "b"]


def test_partitions_that_hold_the_same_rows(write, run, count):
    rows = pl.DataFrame({"gold": ["a", "b"], "system": ["a", "a"]})
    for lang in ("de", "en"):
        write(f"data/lang={lang}/part-0.parquet", rows)
        os.utime(f"data/lang={lang}/part-0.parquet", (1, 1))
    asked = ("--true", "gold", "--pred", "system", "--by", "lang")
    assert run("count", "data", *asked, "--output", "all.json").exit_code == 0
    table = Confusion.load("all.json")
    assert (table.keys, table.total.tolist()) == ((("de", "en"),), [2, 2])
    for lang in ("de", "en"):
        part = run("count", f"data/lang={lang}", *asked, "--output", f"{lang}.json")
        assert part.exit_code == 0
    assert run("merge", "de.json", "en.json", "--output", "both.json").exit_code == 0
    assert "would be counted twice" in run("merge", "all.json", "en.json").stderr
    os.chdir("data/lang=en")
    inside = run("count", "part-0.parquet", *asked[:4], "--output", "../../inside.json")
    assert inside.exit_code == 0
    os.chdir("../..")
    assert "would be counted twice" in run("merge", "inside.json", "en.json").stderr
