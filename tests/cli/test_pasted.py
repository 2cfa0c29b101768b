"""Text that is pasted into a terminal: lines and columns from standard input."""

import json

import pytest
from click.testing import CliRunner

from evenhand.cli import group

ROWS = [("1", "a", "a"), ("2", "b", "a"), ("3", "b", "b")]
EXPECTED = [("a", "a"), ("b", "a"), ("b", "b")]


def paste(text, *arguments):
    return CliRunner().invoke(group, list(map(str, arguments)), input=text, prog_name="evenhand")


def cells(found):
    assert found.exit_code == 0, found.output
    record = json.loads(found.stdout)
    table, names = record["cells"], record["labels"]
    return sorted((names[t], names[p]) for t, p in zip(table["true"], table["pred"], strict=True))


@pytest.mark.parametrize("mark", ["\t", ",", ";", "|", " "])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
def test_columns(mark, end, last):
    text = end.join(mark.join(row) for row in ROWS) + (end if last else "")
    said = () if mark in "\t," else ("--delimiter", mark)
    found = paste(text, "count", "-", "--no-header", "--true", 2, "--pred", 3, *said)
    assert cells(found) == EXPECTED


def test_columns_with_a_header():
    text = "id\tgold\tx\n" + "\n".join("\t".join(row) for row in ROWS)
    assert cells(paste(text, "count", "-", "--true", "gold", "--pred", "x")) == EXPECTED


def test_lines(write):
    gold = write("gold.txt", "a\nb\nb\n")
    assert cells(paste("a\na\nb", "count", gold, "-")) == EXPECTED


@pytest.mark.parametrize("kind", ["jsonl", "json"])
def test_json(kind):
    rows = [{"gold": g, "x": x} for _, g, x in ROWS]
    text = json.dumps(rows) if kind == "json" else "\n".join(map(json.dumps, rows))
    assert cells(paste(text, "count", "-", "--true", "gold", "--pred", "x")) == EXPECTED


def test_columns_that_are_not_named():
    found = paste("a\ta\nb\tb\n", "score", "-")
    assert found.stderr.startswith(
        "evenhand: error: standard input has columns 'a', 'a_duplicated_0': say which with "
    )
    found = paste("a;a\nb;b\na;b\n", "score", "-", "--true", 1, "--pred", 2)
    note = "note: file layout: standard input (no header, fields between semicolons)\n"
    assert note in found.stderr
