"""Columns by number, files without a header, and other marks between fields: in every command."""

import json

import pytest
from click.testing import CliRunner

from evenhand.cli import group

ROWS = [("Hallo, \"du", "OFF", "INS"), ("nett", "OTHER", "OTHER"), ("doof; ja", "OFF", "PROF"),
        ("ja|nein", "OTHER", "OTHER")]  # fmt: skip
GUESSES = ["OFF", "OFF", "OFF", "OTHER"]
BOTH = ("--no-header", "--true", "2", "--pred", "2")


@pytest.fixture
def shared_task(write):
    """Three columns without a header: text, coarse, fine."""
    for name, labels in (("gold", [r[1] for r in ROWS]), ("run", GUESSES), ("more", GUESSES[::-1])):
        rows = [(r[0], label, r[2]) for r, label in zip(ROWS, labels, strict=True)]
        write(f"{name}.tsv", "".join("\t".join(r) + "\n" for r in rows))
        write(f"{name}.txt", "".join("\t".join(r) + "\n" for r in rows))
        write(f"{name}.labels", "".join(f"{label}\n" for label in labels))


@pytest.fixture
def facts(run):
    """The numbers of a command."""

    def call(*arguments):
        found = run(*arguments, "--format", "json")
        assert found.exit_code == 0, found.output
        return {
            k: v for k, v in json.loads(found.stdout).items() if "warning" not in k and k != "read"
        }

    return call


@pytest.mark.parametrize("ending", ["tsv", "txt"])
def test_a_shared_task_without_headers_is_one_command(facts, shared_task, ending):
    expected = facts("score", "gold.labels", "run.labels")
    assert expected["n"] == 4
    assert facts("score", f"gold.{ending}", f"run.{ending}", *BOTH) == expected
    assert facts("score", f"gold.{ending}", "run.labels", "--no-header", "--true", 2) == expected


@pytest.mark.parametrize("command", ["compare", "rank"])
def test_several_runs_without_headers(facts, shared_task, command):
    few = ("--replicates", "20")
    expected = facts(command, "gold.labels", "run.labels", "more.labels", *few)
    assert facts(command, "gold.tsv", "run.tsv", "more.tsv", *BOTH, *few) == expected


def test_one_file_without_a_header(facts, write):
    write("all.csv", "1,a,a,2,de\n2,b,a,1,de\n3,b,b,1,en\n4,a,b,1,en\n")
    write("named.csv", "id,gold,x,w,lang\n1,a,a,2,de\n2,b,a,1,de\n3,b,b,1,en\n4,a,b,1,en\n")
    numbers = ("--true", 2, "--pred", 3, "--weights", 4, "--by", 5, "--id", 1)
    named = ("--true", "gold", "--pred", "x", "--weights", "w", "--by", "lang", "--id", "id")
    expected = facts("score", "named.csv", *named)
    assert facts("score", "all.csv", "--no-header", *numbers) == expected
    assert facts("score", "named.csv", *numbers) == expected


def test_a_long_file_by_numbers(facts, write):
    pairs = list(enumerate(["aa", "ba", "bb"]))
    rows = "".join(f"{i},{t},{p},{s}\n" for s in "xy" for i, (t, p) in pairs)
    write("long.csv", rows)
    write("named.csv", "id,gold,label,team\n" + rows)
    few = ("--replicates", "20")
    numbers = ("--true", 2, "--pred", 3, "--system", 4, "--id", 1)
    expected = facts("rank", "named.csv", "--true", "gold", "--pred", "label", "--system", "team",
                     "--id", "id", *few)  # fmt: skip
    assert facts("rank", "long.csv", "--no-header", *numbers, *few) == expected


def test_systems_by_number_have_their_names(run, write):
    write("wide.csv", "gold,x,y\na,a,b\nb,b,b\n")
    asked = ("--pred", 2, "--pred", 3, "--replicates", "20", "--format", "json")
    found = run("rank", "wide.csv", "--true", 1, *asked)
    assert [s["name"] for s in json.loads(found.stdout)["systems"]] == ["x", "y"]
    assert "note: column 2 is 'x'\n" in found.stderr


def test_a_column_of_that_name_comes_first(facts, write):
    write("odd.csv", "2,1,3\na,b,a\nb,b,b\n")
    write("even.csv", "gold,x\na,a\nb,b\n")
    odd = facts("score", "odd.csv", "--true", 2, "--pred", 3)
    assert odd == facts("score", "even.csv", "--true", "gold", "--pred", "x")


def test_two_columns_of_one_name_have_numbers(fails, run, write):
    write("twice.csv", "label,label\na,a\nb,b\n")
    assert "more than one column" in fails("score", "twice.csv", "--true", "label", "--pred", 2)
    assert run("score", "twice.csv", "--true", 1, "--pred", 2).exit_code == 0


def test_a_first_row_of_data_is_an_item(fails, facts, run, shared_task):
    error = fails("score", "gold.tsv", "run.tsv", "--true", "coarse", "--pred", "coarse")
    assert error == "gold.tsv has columns '1', '2', '3', expected 'coarse' too"
    numbers = ("gold.tsv", "run.tsv", "--true", 2, "--pred", 2)
    assert facts("score", *numbers) == facts("score", "gold.labels", "run.labels")
    note = "note: file layout: gold.tsv, run.tsv (no header)\n"
    assert note in run("score", *numbers).stderr
    assert note not in run("score", "gold.tsv", "run.tsv", *BOTH).stderr


def test_a_row_of_another_length(fails, write):
    write("short.csv", "a,b\na\n")
    error = fails("score", "short.csv", "--no-header", "--true", 1, "--pred", 2)
    assert error == "short.csv, line 2: expected 2 fields as in the first row, got 1"


def test_no_such_number(fails, write):
    write("two.csv", "x,y\na,b\n")
    assert "expected '3' too" in fails("score", "two.csv", "--true", 1, "--pred", 3)
    assert "expected '0' too" in fails("score", "two.csv", "--true", 1, "--pred", 0)


def test_fields_of_json_have_no_numbers(fails, write):
    write("two.jsonl", '{"x": "a", "y": "b"}\n')
    assert "expected '1', '2' too" in fails("score", "two.jsonl", "--true", 1, "--pred", 2)


@pytest.mark.parametrize("mark", [";", "|", "\t", " ", ":"])
@pytest.mark.parametrize("name", ["all.csv", "all.txt", "all.dat", "all.tsv"])
def test_any_mark_between_fields(facts, write, mark, name):
    write(name, f"gold{mark}x\na{mark}a\nb{mark}a\nb{mark}b\n")
    write("expected.csv", "gold,x\na,a\nb,a\nb,b\n")
    columns = ("--true", "gold", "--pred", "x")
    expected = facts("score", "expected.csv", *columns)
    assert facts("score", name, *columns, "--delimiter", mark) == expected
    if mark == "\t":
        assert facts("score", name, *columns, "--delimiter", r"\t") == expected


@pytest.mark.parametrize("mark", ["", "ab", "ä", '"', "\n"])
def test_what_cannot_separate(fails, write, mark):
    write("all.csv", "gold,x\na,a\n")
    error = fails("score", "all.csv", "--true", "gold", "--pred", "x", "--delimiter", mark)
    assert "fields must be separated by one ASCII character" in error


def test_unlabelled_predictions_by_number(run, write):
    gold, pred = write("gold.txt", "a\nb\n" * 9), write("pred.txt", "a\nb\n" * 8 + "b\nb\n")
    write("live.txt", "text;a\nmore;b\n" * 9)
    asked = ("--unlabelled", "live.txt", "--unlabelled-pred", 2, "--no-header", "--delimiter", ";")
    found = run("shift", gold, pred, *asked, "--replicates", 20)
    assert found.exit_code == 0, found.output
    write("named.csv", "text,answer\nx,a\ny,b\n")
    found = run("shift", gold, pred, "--unlabelled", "named.csv", "--unlabelled-pred", 2)
    assert "note: column 2 is 'answer'\n" in found.stderr


@pytest.mark.parametrize("command", ["score", "rank", "count"])
def test_it_is_in_the_help(command):
    assert "--no-header" in CliRunner().invoke(group, [command, "--help-all"]).output
