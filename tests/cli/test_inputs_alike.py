"""Every command that reads labels reads them alike: the same options, the same numbers."""

import json

import polars as pl
import pytest

from evenhand.cli import group

READ = {"true", "pred", "label", "id", "missing", "drop_null_truth", "weights", "cluster", "by",
        "labels", "mapping", "ignore_case", "no_header", "delimiter", "encoding"}  # fmt: skip
COMMANDS = (
    "score", "twins", "compare", "gate", "plan", "rank", "report", "calibrate",
    "shift", "count",
)  # fmt: skip
SEVERAL = ("compare", "gate", "rank")
MORE = {
    "compare": ("--replicates", "20"),
    "gate": ("--margin", "0.9"),
    "plan": ("--width", "0.1"),
    "rank": ("--replicates", "20"),
    "report": ("--replicates", "20", "--format", "markdown", "--output", "-"),
    "shift": ("--to", "uniform"),
}
WHY = {
    ("twins", "cluster"): "--cluster changes intervals, and twins has none",
    ("count", "cluster"): "A table keeps no items and so no clusters",
    ("calibrate", "by"): "evenhand score … --by lang --metric macro_f1@uniform",
    ("shift", "by"): "evenhand score … --by lang --metric macro_f1@A=0.2,B=0.8",
    ("plan", "by"): "plan looks at all items together: leave out --by",
    ("compare", "lists"): "every item must have one label here",
    ("gate", "lists"): "every item must have one label here",
    ("rank", "lists"): "every item must have one label here",
    ("count", "lists"): "multi-label data cannot be saved as a table",
    ("calibrate", "lists"): "a class mix needs one label per item, got lists of labels",
    ("shift", "lists"): "a class mix needs one label per item, got lists of labels",
}
"""What a command does not do, and what it says instead."""

UNREAD = {"read": None}
"""What tells apart files that hold the same."""


@pytest.fixture
def files(here, write):
    gold = list("aabbabABabba") * 4
    columns = {
        "id": [str(i) for i in range(48)],
        "gold": gold,
        "x": list("aabbbbABabaa") * 4,
        "y": list("ababbbABbbba") * 4,
        "lang": ["de", "de", "en"] * 16,
        "doc": [f"d{i // 4}" for i in range(48)],
        "w": [str(0.5 + i % 3) for i in range(48)],
        "g": [[v, "c"] for v in gold],
        "s": [[v] for v in "aabbbbABabaa" * 4],
        "t": [[v, "a"] for v in "ababbbABbbba" * 4],
    }
    frame = pl.DataFrame(columns)
    frame.write_parquet("one.parquet")
    plain = frame.drop("g", "s", "t")
    plain.drop("x", "y").rename({"gold": "label"}).write_csv("gold.csv")
    for name in ("x", "y"):
        plain.select("id", label=name).reverse().write_csv(f"{name}.csv")
    write("map.csv", "A,a\nB,b\n")


OPTIONS = {
    "by": ("--by", "lang"),
    "weights": ("--weights", "w"),
    "cluster": ("--cluster", "doc"),
    "id": ("--id", "id"),
    "map": ("--map", "map.csv"),
    "case": ("--ignore-case",),
    "labels": ("--labels", "b,a,B,A"),
    "all": ("--weights", "w", "--cluster", "doc", "--ignore-case"),
}


def one_file(command, *columns):
    true, first, second = columns or ("gold", "x", "y")
    more = ("--pred", second) if command in SEVERAL else ()
    return (command, "one.parquet", "--true", true, "--pred", first, *more)


@pytest.mark.parametrize("command", COMMANDS)
def test_options(command):
    found = group.get_command(None, command)
    assert {p.name for p in found.params} >= READ


@pytest.mark.parametrize("option", [*OPTIONS, "lists"])
@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_in_every_command(run, files, command, option):
    given = OPTIONS.get(option, ())
    columns = ("g", "s", "t") if option == "lists" else ()
    found = run(*one_file(command, *columns), *MORE.get(command, ()), *given)
    if option == "all" and (command, "cluster") in WHY:
        option = "cluster"
    why = WHY.get((command, option))
    assert found.exit_code == (0 if why is None else 2), found.output
    if why is not None:
        assert why in found.stderr and len(found.stderr.splitlines()) == 1


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("command", ["score", "compare", "gate", "plan", "rank"])
def test_one_file_or_several_joined_by_id(run, files, command, option):
    """The same items in one file and in files of another order give the same JSON."""
    asked = (*MORE.get(command, ()), "--format", "json", "--metric", "macro_f1")
    both = ("x.csv", "y.csv") if command in SEVERAL else ("x.csv",)
    one = run(*one_file(command), *OPTIONS[option], *asked)
    given = tuple(v for v in OPTIONS[option] if v not in ("--id", "id"))
    other = run(command, "gold.csv", *both, "--label", "label", "--id", "id", *given, *asked)
    if (command, option) in WHY:
        assert (one.exit_code, other.exit_code) == (2, 2)
        return
    assert (one.exit_code, other.exit_code) == (0, 0), one.output + other.output
    assert json.loads(one.stdout) | UNREAD == json.loads(other.stdout) | UNREAD


def test_a_long_file_is_compared_too(run, files):
    wide = pl.read_parquet("one.parquet", columns=["id", "gold", "x", "y"])
    wide.unpivot(["x", "y"], index=["id", "gold"], variable_name="team").write_csv("long.csv")
    asked = ("--format", "json", "--replicates", "20")
    one = run(*one_file("compare"), *asked)
    columns = ("--true", "gold", "--pred", "value", "--system", "team", "--id", "id")
    other = run("compare", "long.csv", *columns, *asked)
    assert json.loads(one.stdout) | UNREAD == json.loads(other.stdout) | UNREAD


def test_a_gate_of_a_long_file_is_told_which_is_old(run, files):
    wide = pl.read_parquet("one.parquet", columns=["id", "gold", "x", "y"])
    wide.unpivot(["x", "y"], index=["id", "gold"], variable_name="team").write_csv("long.csv")
    asked = ("--format", "json", "--margin", "0.9", "--baseline", "y")
    one = run(*one_file("gate"), *asked)
    columns = ("--true", "gold", "--pred", "value", "--system", "team", "--id", "id")
    other = json.loads(run("gate", "long.csv", *columns, *asked).stdout) | UNREAD
    assert json.loads(one.stdout) | UNREAD == other and (other["old"], other["new"]) == ("y", "x")


def test_compare_goes_on_without_a_file_that_does_not_fit(run, files, write):
    write("short.csv", "id,label\n1,a\n")
    columns = ("--label", "label", "--id", "id", "--replicates", "20")
    found = run("compare", "gold.csv", "x.csv", "short.csv", "y.csv", *columns, "--keep-going")
    assert found.exit_code == 1
    assert "left out short: short.csv lacks 47 ids" in found.stderr
    assert "--missing wrong counts them as errors" in found.stderr
    assert "2 systems" in found.stdout
