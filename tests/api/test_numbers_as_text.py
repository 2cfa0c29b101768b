"""Labels that are whole numbers written as text stand in the order of numbers."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli import group
from evenhand.data.labels import is_ordered, ordered

NUMBERS = ["0", "1", "2", "9", "10", "11", "100"]
TRUE = ["10", "2", "0", "9", "1", "11", "100"] * 3
PRED = [*TRUE[:-1], "2"]
AS_TEXT = ["0", "1", "10", "100", "11", "2", "9"]


def test_order():
    assert ordered(reversed(NUMBERS)) == NUMBERS
    assert ordered(["1", "-2", "+1", "01"]) == ["-2", "+1", "01", "1"]
    assert ordered(["10", "2", "x"]) == ["10", "2", "x"]
    assert ordered(["10", "2", "1.5"]) == ["1.5", "10", "2"]
    assert ordered(["٣", "10", "2"]) == ["10", "2", "٣"]  # as Python's text
    assert ordered(["9" * 5000, "2"]) == ["2", "9" * 5000]
    assert ordered([10, 2]) == [2, 10]
    assert ordered([]) == []
    assert is_ordered(NUMBERS) and is_ordered(AS_TEXT) and not is_ordered(["2", "1"])


def test_tables_samples_and_sets():
    assert list(eh.Confusion.from_labels(TRUE, PRED).labels) == NUMBERS
    assert list(eh.Sample.from_labels(TRUE, {"a": PRED}).labels) == NUMBERS
    found = eh.MultiLabel.from_indicators([[v] for v in TRUE], [[v] for v in PRED])
    assert list(found.labels) == NUMBERS
    assert list(eh.score(TRUE, PRED).labels) == NUMBERS


def test_sums_and_stacks():
    low, high = ["2", "10"] * 2, ["1", "9"] * 2
    tables = [eh.Confusion.from_labels(y, y) for y in (low, high)]
    assert list((tables[0] + tables[1]).labels) == ["1", "2", "9", "10"]
    assert list(eh.Confusion.stack(dict(zip("ab", tables, strict=True))).labels) == [
        "1",
        "2",
        "9",
        "10",
    ]
    text = eh.Confusion.from_labels(["a"], ["a"])
    assert list((tables[0] + text).labels) == ["10", "2", "a"]


def test_a_table_in_the_order_of_text_is_added():
    """As those saved by versions before."""
    before = eh.Confusion.from_labels(TRUE, PRED, labels=AS_TEXT)
    now = eh.Confusion.from_labels(TRUE, [*PRED[:-1], "11"])
    both = before + now
    assert list(before.labels) == AS_TEXT
    assert list(both.labels) == NUMBERS == list((now + before).labels)
    assert (both.n, both.cells[4, 4]) == (42, 6)
    assert eh.macro_f1(before) == pytest.approx(eh.macro_f1(TRUE, PRED), abs=1e-15)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.txt").write_text("\n".join(TRUE) + "\n")
    (tmp_path / "a.txt").write_text("\n".join(PRED) + "\n")
    (tmp_path / "b.txt").write_text("\n".join([*PRED[1:], "10"]) + "\n")
    return "gold.txt", "a.txt", "b.txt"


def run(*asked):
    result = CliRunner().invoke(group, list(asked), prog_name="evenhand")
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_commands(files):
    found = json.loads(run("score", *files[:2], "--format", "json"))
    assert found["labels"] == NUMBERS
    assert json.loads(run("count", *files[:2]))["labels"] == NUMBERS


def test_a_map(files):
    Path("map.csv").write_text("0,20\n100,3\n")
    wanted = ["1", "2", "3", "9", "10", "11", "20"]
    found = json.loads(run("score", *files[:2], "--map", "map.csv", "--format", "json"))
    assert found["labels"] == wanted
    assert json.loads(run("count", *files[:2], "--map", "map.csv"))["labels"] == wanted


def test_charts(files):
    run("score", *files[:2], "--plot", "c.json", "--chart", "confusion")
    spec = "".join(Path("c.json").read_text().split())
    assert json.dumps(NUMBERS, separators=(",", ":")) in spec
