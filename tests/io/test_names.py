"""What a name stands for: patterns, folders, streams."""

import gzip
import json
import os
from collections import Counter

import polars as pl
import pytest

from evenhand import InputError
from evenhand.io.columns import ReadOptions
from evenhand.io.loading import read

GOLD = ["a", "b", "b", "a", "c", "b"]
PRED = ["a", "b", "a", "a", "c", "c"]
PAIRS = Counter(zip(GOLD, PRED, strict=True))
COLUMNS = ("--true", "gold", "--pred", "system")


def rows(gold=GOLD, system=PRED):
    return pl.DataFrame({"id": range(len(gold)), "gold": gold, "system": system})


KINDS = ["csv", "tsv", "jsonl", "parquet", "arrow"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_pattern(write, run, count, kind):
    for i in range(3):
        write(f"part{i}.{kind}", rows()[2 * i : 2 * i + 2], kind)
    write("other.csv", "x")
    assert count(f"part*.{kind}", *COLUMNS).cells == PAIRS
    assert count(f"part[0-1].{kind}", f"part2.{kind}", *COLUMNS).cells == PAIRS
    done = run("score", f"part?.{kind}", *COLUMNS, "--format", "json")
    assert json.loads(done.stdout)["n"] == 6


def test_a_pattern_of_lines(write, count):
    for side, labels in (("gold", GOLD), ("pred", PRED)):
        for i in range(2):
            write(f"{side}{i}.txt", "\n".join(labels[3 * i : 3 * i + 3]) + "\n")
    assert count("gold*.txt", "pred*.txt").cells == PAIRS


def test_a_pattern_goes_into_folders(write, count):
    write("a/b/x.csv", rows()[:4], "csv")
    write("a/x.csv", rows()[4:], "csv")
    assert count("a/**/*.csv", *COLUMNS).cells == PAIRS


def test_a_pattern_of_one_kind_in_two_packings(written, write, count):
    write("x1.csv", rows()[:4], "csv")
    write("x2.csv.gz", gzip.compress(written("csv", rows()[4:])))
    assert count("x*", *COLUMNS).cells == PAIRS


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "arrow", "tsv"])
def test_a_name_that_looks_like_a_pattern(write, count, ending):
    write(f"x1.{ending}", rows(gold=["z"] * 6), ending)
    for name in ("x[1]", "x*", "x?"):
        assert count(write(f"{name}.{ending}", rows(), ending), *COLUMNS).cells == PAIRS


def test_lines_in_a_name_that_looks_like_a_pattern(write, count):
    write("g1.txt", "z\n" * 6)
    assert count(write("g[1].txt", "\n".join(GOLD)), write("p", "\n".join(PRED))).cells == PAIRS


def test_a_folder_of_parquet(write, count):
    for i in range(3):
        write(f"run/day={i}/part.parquet", rows()[2 * i : 2 * i + 2], "parquet")
    write("run/_SUCCESS", "")
    write("run/_temporary/0/part.parquet", rows(), "parquet")
    write("run/.part.parquet.crc", "x")
    write("run/_delta_log/1.checkpoint.parquet", rows(), "parquet")
    assert count("run", *COLUMNS).cells == PAIRS


def test_a_folder_of_something_else(write, fails):
    write("folder/x.csv", rows(), "csv")
    message = "folder is a folder without Parquet files: name the files in it, such as folder/*"
    assert fails("count", "folder", *COLUMNS) == message
    assert fails("score", "folder", "folder") == message


def test_files_of_different_kinds(write, fails):
    write("x1.csv", rows(), "csv")
    write("x2.parquet", rows(), "parquet")
    assert fails("count", "x*", *COLUMNS) == "x* matches files of different kinds: 'csv', 'parquet'"


def test_files_with_different_columns(write, fails, count):
    write("x1.csv", "gold,system\na,b\n")
    write("x2.csv", "system,gold\na,b\n")
    assert fails("score", "x*.csv", *COLUMNS) == (
        "x2.csv has columns 'system', 'gold', expected those of x1.csv: 'gold', 'system'"
    )
    assert count("x*.csv", *COLUMNS).cells == {("a", "b"): 1, ("b", "a"): 1}  # one by one


def test_a_pattern_without_files(fails):
    assert fails("count", "nothing*.csv", *COLUMNS) == "nothing*.csv matches no file"


@pytest.mark.parametrize("kind", KINDS)
def test_standard_input(written, count, kind):
    assert count("-", *COLUMNS, input=written(kind, rows())).cells == PAIRS


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="needs /dev/fd")
@pytest.mark.parametrize("kind", KINDS)
def test_a_pipe_from_another_program(written, count, kind):
    reader, writer = os.pipe()
    with open(writer, "wb") as file:
        file.write(written(kind, rows()))
    assert count(f"/dev/fd/{reader}", *COLUMNS).cells == PAIRS
    os.close(reader)


def test_standard_input_for_one_of_two(write, count):
    gold = write("gold.txt", "\n".join(GOLD))
    assert count(gold, "-", input="\n".join(PRED)).cells == PAIRS
    assert count("-", gold, input="\n".join(GOLD)).cells == {(v, v): n for v, n in
                                                             Counter(GOLD).items()}  # fmt: skip


def test_no_standard_input(fails, monkeypatch):
    monkeypatch.setattr("evenhand.io.sources.sys", type("Closed", (), {"stdin": None}))
    assert fails("count", "-", *COLUMNS) == "standard input is closed"


def test_packed_standard_input(written, count):
    packed = gzip.compress(written("csv", rows()))
    assert count("-", *COLUMNS, input=packed).cells == PAIRS


def test_errors_name_standard_input(fails):
    assert (
        fails("count", "-", *COLUMNS, input="")
        == "standard input is empty, expected a header and rows"
    )
    message = fails("count", "-", *COLUMNS, input="gold,system\na,a\n,b\n")
    assert message.startswith("standard input, column 'gold' must not be null")
    assert (
        fails("count", "-", *COLUMNS, input=b"\0\1")
        == "standard input is a binary file, expected text"
    )
    message = fails("score", "-", input="x,y\na,a\n")
    assert (
        message
        == "standard input holds one label per line: give a file of truth and one of predictions, "
        "or say which columns it has with --true COL and --pred COL"
    )


def test_a_saved_table_comes_through_a_pipe(write, run, fails):
    name = write("x.csv", rows())
    table = run("count", name, *COLUMNS).stdout
    scored = run("score", "-", "--format", "json", input=table)
    assert json.loads(scored.stdout)["n"] == 6
    message = fails("score", "-", input=table[:99])
    assert message.startswith("standard input is a damaged saved table")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("parquet", "arrow")])
def test_a_name_that_is_no_text(here, written, count, kind):
    name = os.fsdecode(b"\xff") + f".{kind}"
    (here / name).write_bytes(written(kind, rows()))
    assert count(name, *COLUMNS).cells == PAIRS


def test_a_name_too_long_for_a_file(write, fails):
    name = "a" * 300
    assert (
        fails("score", name, write("g.txt", "a\n")) == f"{name} cannot be read: File name too long"
    )


def test_a_long_matrix_is_no_name_of_a_file(run):
    rows = "; ".join(" ".join(["1"] * 40) for _ in range(40))
    assert run("score", "--matrix", rows, "--metric", "accuracy").exit_code == 0


def test_no_name_is_no_folder(here):
    rows().write_parquet(here / "x.parquet")
    with pytest.raises(InputError, match="a file must have a name, got an empty one"):
        read(ReadOptions(("",), true="gold", pred=("system",)))
