"""``evenhand count``: the table it writes, and how every command takes it."""

import json
import os
from pathlib import Path

import pytest

import evenhand as eh

COLUMNS = ("--true", "gold", "--pred", "system")


def test_the_table_goes_to_the_screen(run, lines):
    for more in ((), ("--output", "-")):
        done = run("count", *lines, *more)
        assert (done.exit_code, done.stderr) == (0, "")
        assert done.stdout.count("\n") == 1
        record = json.loads(done.stdout)
        assert (record["format"], record["version"]) == ("evenhand-table", 1)
        assert record["labels"] == ["a", "b"]
        assert record["cells"]["weight"] == [2, 1, 1]
        assert [source.split()[0] for source in record["sources"]] == list(lines)


@pytest.mark.parametrize("name", ["t.json", "t", "t.whatever"])
def test_a_saved_table_is_scored_as_its_labels_are(run, lines, name):
    done = run("count", *lines, "--output", name)
    assert (done.exit_code, done.output) == (0, "")
    direct, saved = (
        json.loads(run("score", *what, "--format", "json").stdout) for what in (lines, (name,))
    )
    assert saved.pop("read")["files"] == [name]
    assert direct.pop("read")["files"] == list(lines)
    assert saved == direct
    assert eh.Confusion.load(name).cells.tolist() == [[2, 0], [1, 1]]
    assert json.loads(run("twins", name, "--format", "json").stdout)["gap"] == pytest.approx(
        eh.f1_gap(eh.Confusion.load(name))
    )


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("--by", "x"), "t.json is a saved table: it has no columns to choose"),
        (("--true", "x", "--pred", "y"), "t.json is a saved table: it has no columns to choose"),
        (("--id", "x"), "t.json is a saved table: it has no columns to choose"),
        (("--labels", "b,a"), "t.json is a saved table: its labels are counted already"),
        (("--drop-null-truth",), "t.json is a saved table: its labels are counted already"),
    ],
)
def test_what_a_saved_table_cannot_do(run, fails, lines, option, message):
    run("count", *lines, "--output", "t.json")
    assert fails("score", "t.json", *option) == message


def test_a_saved_table_may_be_renamed(run, lines, write):
    run("count", *lines, "--output", "t.json")
    done = run("score", "t.json", "--map", write("m.csv", "b,a\n"), "--metric", "accuracy")
    assert "1.0000" in done.stdout
    assert "m.csv renamed 1 of 2 true and predicted labels, leaving 1" in done.stderr


def test_slices_and_weights(run, answers):
    done = run("count", answers, *COLUMNS, "--by", "language", "--weights", "weight",
               "--output", "t.json")  # fmt: skip
    assert done.exit_code == 0, done.output
    table = eh.Confusion.load("t.json")
    assert table.keys == (("de", "en"),)
    assert table.total.tolist() == [2.5, 3.0]
    assert table.missing.tolist() == [1, 0]
    scored = json.loads(run("score", "t.json", "--format", "json").stdout)
    direct = run("score", answers, *COLUMNS, "--by", "language", "--weights", "weight",
                 "--format", "json")  # fmt: skip
    assert scored["slices"] == json.loads(direct.stdout)["slices"]


def test_many_files(run, answers, write):
    text = Path(answers).read_text()
    write("more.csv", text)
    run("count", answers, "more.csv", *COLUMNS, "--output", "t.json")
    assert eh.Confusion.load("t.json").n == 10


def test_two_files_of_one_column_name_are_no_list_of_files(fails, run, write):
    names = write("g.csv", "id,label\n1,a\n2,b\n"), write("p.csv", "id,label\n2,a\n1,a\n")
    same = ("--true", "label", "--pred", "label")
    message = fails("count", *names, *same)
    assert "two files call alike is named by --label COL" in message
    done = run("count", *names, *same, "--id", "id")
    assert json.loads(done.stdout)["cells"] == {
        "table": [0, 0], "true": [0, 1], "pred": [0, 0], "weight": [1, 1], "square": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument"),
        (("gold.txt",), "or files with columns named by --true COL and --pred COL, got 1 file"),
        (("gold.txt",) * 3, "expected a file of truth and one of predictions"),
        (("gold.txt", "pred.txt", "--matrix", "1"), "A --matrix is counted already"),
        (("gold.txt", "pred.txt", "--output", ""), "an output without a name cannot be"),
        (("gold.txt", "pred.txt", "--output", "no/t.json"), "no/t.json cannot be written"),
        (("gold.txt", "pred.txt", "--output", "."), ". cannot be written: Is a directory"),
    ],
)
def test_refused(fails, lines, arguments, message):
    assert message in fails("count", *arguments)
    assert sorted(os.listdir()) == ["gold.txt", "pred.txt"]


def test_nothing_is_counted_for_an_output_that_cannot_be(fails, lines, monkeypatch):
    monkeypatch.setattr("evenhand.io.loading.read", lambda *_, **__: pytest.fail("counted"))
    fails("count", *lines, "--output", "no/t.json")


def test_an_input_is_not_overwritten(fails, lines, answers, write):
    for asked in ((*lines, "--output", lines[0]), (answers, *COLUMNS, "--output", answers)):
        before = Path(asked[-1]).read_bytes()
        message = f"{asked[-1]} is one of the files to read: name another to write"
        assert fails("count", *asked) == message
        assert Path(asked[-1]).read_bytes() == before


def test_notes_go_to_stderr(run, write):
    names = write("g.txt", "A\nb\n"), write("p.txt", "a\nb\n")
    done = run("count", *names, "--ignore-case", "--output", "t.json")
    assert (done.stdout, done.stderr) == ("", "note: ignoring case merged 3 labels into 2\n")
