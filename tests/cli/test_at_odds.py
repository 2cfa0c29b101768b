"""Options that cannot go together, or that nothing would come of, are refused in one line."""

import json

import polars as pl
import pytest

COLUMNS = ("--true", "gold", "--pred", "a")


@pytest.fixture
def items(here):
    rows = {"id": ["1", "2", "3", "4"], "gold": list("xyxy"), "a": list("xyyy"), "b": list("xxxy")}
    more = {
        "s": ["p", "p", "q", "q"],
        "doc": ["1", "1", "2", "3"],
        "p_x": [0.5] * 4,
        "p_y": [0.5] * 4,
    }
    pl.DataFrame({**rows, **more, "evenhand:items": list("zzzz")}).write_csv("x.csv")
    return "x.csv"


@pytest.mark.parametrize(
    ("command", "asked", "said"),
    [
        ("score", ("--missing", "wrong"), "--missing wrong goes with --id COL"),
        ("score", ("--probabilities", "p_"), "stand in the place of labels: leave out --pred COL"),
        ("count", ("--pred", "b"), "count keeps the table of one system: expected one --pred"),
        ("compare", ("--pred", "b", "--system", "s"), "with --system COL one column holds all"),
        ("score", ("--by", "evenhand:items"), "must not be called 'evenhand:items'"),
        ("score", ("--separator", ""), "a separator must have a name, got an empty text"),
    ],
)
def test_refused(fails, items, command, asked, said):
    assert said in fails(command, items, *COLUMNS, *asked)


@pytest.mark.parametrize(
    ("asked", "option", "name"),
    [
        (("publish", "records", *COLUMNS, "--dataset", "d", "--organization", "o"), "--model", "a"),
        (("audit",), "--map", "gold"),
        (("audit",), "--support", "x"),
    ],
)
def test_one_name_has_one_value(fails, items, asked, option, name):
    given = (option, f"{name}=1", option, f"{name}=2")
    assert f"{option} gives {name!r} twice" in fails(*asked, items, *given)


def test_probabilities_of_one_file_have_ids_too(fails, items):
    asked = ("score", items, "--true", "gold", "--probabilities", "p_", "--id")
    assert "expected 'nope' too" in fails(*asked, "nope")
    assert "x.csv has 2 ids more than once" in fails(*asked, "s")


def test_a_slice_of_one_cluster_has_no_interval(run, items):
    found = json.loads(
        run("score", items, *COLUMNS, "--by", "s", "--cluster", "doc", "--format", "json").stdout
    )
    one, two = (s["metrics"]["accuracy"]["se"] for s in found["slices"])
    assert one is None and two is not None
    assert any("in 2 slices (p, q), such as p: only 1 cluster" in w for w in found["warnings"])


def test_slices_of_probabilities_and_tokens_are_counted(run, items, write):
    soft = run("count", items, "--true", "gold", "--probabilities", "p_", "--by", "s")
    assert json.loads(soft.stdout)["keys"] == [["p", "q"]]
    rows = [{"t": ["O", "B"], "p": ["O", "O"], "s": s} for s in "pqp"]
    name = write("t.jsonl", "\n".join(map(json.dumps, rows)))
    asked = ("--true", "t", "--pred", "p", "--kind", "tokens", "--by", "s")
    assert json.loads(run("count", name, *asked).stdout)["keys"] == [["p", "q"]]


def test_numbers_that_are_no_labels_are_no_systems(run, here):
    columns = {"id": range(40), "gold": [0, 1] * 20, "a": [0, 1] * 20, "b": [1, 1] * 20}
    pl.DataFrame({**columns, "age": [20 + i % 30 for i in range(40)]}).write_parquet("n.parquet")
    found = json.loads(
        run("rank", "n.parquet", "--true", "gold", "--replicates", "20", "--format", "json").stdout
    )
    assert [s["name"] for s in found["systems"]] == ["a", "b"]
    assert "are no systems: 'id', 'age'; name one" in found["warnings"][0]


def test_two_columns_of_one_name(fails, write):
    name = write("d.csv", "g,a,a,b\nx,x,y,x\n")
    assert fails("rank", name, "--true", "g") == "d.csv has more than one column called 'a'"


def test_a_null_sequence_is_no_empty_one(fails, write):
    name = write("t.jsonl", '{"t": ["O"], "p": ["O"]}\n{"t": null, "p": ["O"]}\n')
    message = fails("score", name, "--true", "t", "--pred", "p", "--kind", "tokens")
    assert message == "t.jsonl, column 't', row 2: expected a sequence of labels, got none"


def test_rows_are_named_where_they_are_those_of_the_file(fails, write):
    write("gold.csv", "id,gold\n1,x\n2,\n")
    write("run.csv", "id,a\n2,x\n1,y\n")
    asked = ("--true", "gold", "--pred", "a", "--id", "id")
    assert "got 1 null, the first at row 2" in fails("score", "gold.csv", "run.csv", *asked)
    write("long.csv", "id,gold,a,s\n2,x,x,one\n1,,y,one\n2,x,x,two\n1,,y,two\n")
    long = fails("compare", "long.csv", *asked, "--system", "s")
    assert "got 1 null; --drop-null-truth" in long
