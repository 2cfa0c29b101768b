"""Slices and clusters as files have them: without truth, of one cluster, dates, numbers as text."""

import json

import polars as pl
import pytest

ROWS = """gold,a,b,part,doc,day
x,x,x,1,1,2020-01-01
y,x,y,1,1,2020-01-01
x,x,y,10,2,2020-01-02
y,y,y,10,3,2020-01-02
x,x,y,2,1,2020-01-03
y,y,x,2,3,2020-01-03
,x,x,9,4,2020-01-03
"""
ONE = ("score", "s.csv", "--true", "gold", "--pred", "a")
BOTH = ("s.csv", "--true", "gold", "--pred", "a", "--pred", "b", "--replicates", "50")
DROP = ("--drop-null-truth", "--by", "part", "--metric", "accuracy")


@pytest.fixture
def said(run, here):
    (here / "s.csv").write_text(ROWS)

    def call(*arguments):
        found = run(*arguments, "--format", "json")
        assert found.exit_code == 0, found.output
        return json.loads(found.stdout)

    return call


@pytest.mark.parametrize("command", [ONE, ("compare", *BOTH), ("rank", *BOTH)])
def test_a_slice_without_truth_is_none(said, command):
    found = said(*command, *DROP)
    assert [s["key"] for s in found["slices"]] == ["1", "2", "10"]
    assert "1 row without a true label was dropped" in found["warnings"]


def test_nor_in_twins(said):
    found = said("twins", *ONE[1:], "--drop-null-truth", "--by", "part")
    assert [s["key"] for s in found["slices"]] == ["1", "2", "10"]


@pytest.mark.parametrize("command", ["compare", "rank"])
def test_a_slice_of_one_cluster_is_left_out(said, command):
    found = said(command, *BOTH, *DROP, "--cluster", "doc")
    assert [s["key"] for s in found["slices"]] == ["2", "10"]
    assert (
        "slices left out: 1; a single cluster gives no variance between clusters"
        in found["warnings"]
    )


def test_clusters_may_be_dates_and_decimals(said, here):
    frame = pl.read_csv(here / "s.csv", null_values="").drop_nulls("gold")
    expected = said(*ONE, "--drop-null-truth", "--cluster", "day")["metrics"]
    for dtype in (pl.Date, pl.Datetime, pl.Decimal(10, 2)):
        held = pl.col("day").str.to_date().cast(pl.Int64 if dtype.is_decimal() else dtype)
        frame.with_columns(held.cast(dtype)).write_parquet(here / "s.parquet")
        found = said("score", "s.parquet", *ONE[2:], "--cluster", "day")["metrics"]
        assert [m["se"] for m in found.values()] == [m["se"] for m in expected.values()]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("score", "--matrix", "1 2; 3 4", "--drop-null-truth"), "leave out --drop-null-truth"),
        (
            ("rank", "--tables", "s.csv", "s.csv", "--drop-null-truth"),
            "leave out --drop-null-truth",
        ),
        ((*ONE, "--label", "b"), "--label COL names the column of labels in all files: leave out"),
    ],
)
def test_what_would_be_passed_over_is_refused(fails, here, arguments, message):
    (here / "s.csv").write_text(ROWS)
    assert message in fails(*arguments)


def test_sets_without_a_prediction_are_counted(run, here):
    (here / "g.jsonl").write_text('{"id": 1, "y": ["a"]}\n{"id": 2, "y": ["b", "c"]}\n')
    (here / "p.jsonl").write_text('{"id": 1, "y": ["a", "b"]}\n')
    found = run("score", "g.jsonl", "p.jsonl", "--label", "y", "--id", "id", "--missing", "wrong")
    assert "1 item without a prediction, taken as an empty set of labels" in found.stderr


def test_tables_in_an_archive_are_ranked(run, here):
    import zipfile

    with zipfile.ZipFile(here / "t.zip", "w") as packed:
        packed.writestr("a.txt", "5 1\n1 5\n")
        packed.writestr("b.txt", "4 2\n2 4\n")
    found = run("rank", "--tables", "t.zip", "--format", "json")
    assert found.exit_code == 0, found.output
    assert [s["name"] for s in json.loads(found.stdout)["systems"]] == ["a", "b"]


def test_one_table_is_no_ranking(fails, here):
    (here / "one.txt").write_text("5 1\n1 5\n")
    assert fails("rank", "--tables", "one.txt").startswith(
        "Expected at least two systems to rank, got 'one'"
    )


def test_tokens_do_not_depend_on_the_order_of_rows(run, here):
    rows = [(["A", "B"], ["A", "A"]), (["B"], ["B"]), (["A", "A", "B"], ["B", "A", "B"])] * 3
    lines = [json.dumps({"g": g, "p": p}) for g, p in rows]
    results = []
    for order in (lines, lines[::-1]):
        (here / "t.jsonl").write_text("\n".join(order))
        found = run("score", "t.jsonl", "--true", "g", "--pred", "p", "--kind", "tokens",
                    "--interval", "bca", "--replicates", "50", "--format", "json")  # fmt: skip
        results.append(found.stdout)
    assert results[0] == results[1]


def test_dates_and_decimals_in_messages(fails, here):
    import datetime
    from decimal import Decimal

    for values, said in (
        ([datetime.date(2020, 1, 2)] * 2, "2020-01-02"),
        ([Decimal("1.50")] * 2, "1.50"),
    ):
        pl.DataFrame({"id": values, "y": ["a", "b"]}).write_parquet(here / "x.parquet")
        error = fails("score", "x.parquet", "x.parquet", "--label", "y", "--id", "id")
        assert error.startswith(f"x.parquet has 1 id more than once: {said};")
