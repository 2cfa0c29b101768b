"""Counts of several files: every one is counted once, and those without rows are told of."""

import json
import os
from collections import Counter

import pytest

COLUMNS = ("--true", "gold", "--pred", "system")
FILES = [f"part{i}.csv" for i in range(5)]
ALL = ("count", *FILES, *COLUMNS, "--output", "all.json")


def expected(parts):
    return Counter({("a", "b"): len(parts), ("b", "b"): sum(i + 1 for i in parts)})


@pytest.fixture
def parts(write):
    for i, name in enumerate(FILES):
        write(name, "gold,system\na,b\n" + "b,b\n" * (i + 1))


@pytest.fixture
def read(here):
    def call(name="all.json"):
        record = json.loads((here / name).read_text())
        cells = record["cells"]
        names = record["labels"]
        return {
            (names[t], names[p]): w
            for t, p, w in zip(cells["true"], cells["pred"], cells["weight"], strict=True)
        }

    return call


def test_a_file_with_labels_of_another_type_is_named(write, fails):
    names = write("text.csv", "gold,system\na,a\n"), write("x.jsonl", '{"gold": 1, "system": 1}\n')
    message = fails("count", *names, *COLUMNS)
    assert message.startswith("x.jsonl: ")
    assert "labels of one type, got str and int" in message


def test_files_without_rows_are_passed_over(parts, write, run, read):
    write("part2.csv", "gold,system\n")
    done = run(*ALL)
    assert (done.exit_code, read()) == (0, expected([0, 1, 3, 4]))
    assert "1 of 5 files have no rows: 'part2.csv'" in done.stderr
    write("part0.csv", "gold,system\n")
    assert "nothing to count" in run("count", *FILES[:3:2], *COLUMNS).output


def test_a_file_without_rows_may_hold_any_type(here, run, read, write):
    import polars as pl

    pl.DataFrame(
        {"gold": [], "system": []}, schema={"gold": pl.Int64, "system": pl.Int64}
    ).write_parquet("0.parquet")
    pl.DataFrame({"gold": ["a", "b"], "system": ["a", "a"]}).write_parquet("1.parquet")
    done = run("count", "?.parquet", *COLUMNS, "--labels", "b,a", "--output", "all.json")
    assert (done.exit_code, read()) == (0, {("a", "a"): 1, ("b", "a"): 1})
    assert "1 of 2 files have no rows: '0.parquet'" in done.stderr


@pytest.mark.parametrize("again", ["part0.csv", "./part0.csv", "part*.csv", "link.csv"])
def test_a_file_given_twice(parts, fails, again):
    os.symlink("part0.csv", "link.csv")
    message = fails("count", "part0.csv", again, *COLUMNS, "--output", "all.json")
    assert message.endswith("is given more than once")
