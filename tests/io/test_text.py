"""Text is read as text: no types are guessed, nothing is lost."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

import evenhand

GOLD = ["a", "b", "b", "a", "c", "b"]
PRED = ["a", "b", "a", "a", "c", "c"]
PAIRS = Counter(zip(GOLD, PRED, strict=True))
COLUMNS = ("--true", "gold", "--pred", "system")


def rows(gold=GOLD, system=PRED):
    return pl.DataFrame({"id": range(len(gold)), "gold": gold, "system": system})


@pytest.mark.parametrize(
    "content",
    [
        b"a\nb\n", b"a\nb", b"a\r\nb\r\n", b"a\r\nb", b"\xef\xbb\xbfa\nb\n", b" a \nb\t\n",
        b"\xef\xbb\xbf a\r\n b",
    ],
    ids=repr,
)  # fmt: skip
def test_lines(write, count, content):
    assert count(write("g.txt", content), write("p.txt", "a\nb\n")).cells == {
        ("a", "a"): 1, ("b", "b"): 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    "content",
    [
        b"gold,system\na,b\n", b"gold,system\na,b", b"gold,system\r\na,b\r\n",
        b"\xef\xbb\xbfgold,system\na,b\n", b'"gold","system"\n"a","b"\n',
        b'\xef\xbb\xbf"gold",system\r\n"a",b', b"gold,system\n a , b \n", b"system,gold\nb,a\n",
        b'gold,text,system\na,"x, ""y""\nz",b\n', b"gold,x,system\na,,b\n",
    ],
    ids=repr,
)  # fmt: skip
def test_csv(write, count, content):
    assert count(write("x.csv", content), *COLUMNS).cells == {("a", "b"): 1}


@pytest.mark.parametrize(
    "content",
    [
        'gold\tsystem\na\tb\n', '"gold"\t"system"\n"a"\t"b"\n', 'gold\ttext\tsystem\na\t5" x\tb\n',
        'gold\ttext\tsystem\na\t"so\tb\n', 'gold\tsystem\r\na\tb\r\n', 'gold\tsystem\na\t b ',
    ],
    ids=repr,
)  # fmt: skip
def test_tsv(write, count, content):
    assert count(write("x.tsv", content), *COLUMNS).cells == {("a", "b"): 1}


def test_a_label_that_is_one_quote(write, count):
    found = count(write("x.tsv", 'gold\tsystem\nb\t"\n"\t"\n'), *COLUMNS)
    assert found.cells == {("b", '"'): 1, ('"', '"'): 1}


def test_a_quote_in_a_tsv_joins_no_lines(write, count):
    rows = 'a\t"oh\tb\nb\tno"\tb\na\t"\ta\n'
    assert count(write("x.tsv", "gold\ttext\tsystem\n" + rows), *COLUMNS).n == 3


def test_quoted_labels(write, count):
    name = write("x.csv", 'gold,system\n"a, b","a ""b"""\n"x\ny",z\n')
    assert count(name, *COLUMNS).cells == {("a, b", 'a "b"'): 1, ("x\ny", "z"): 1}
    name = write("x.tsv", 'gold\tsystem\n"a, b"\t"a ""b"""\n')
    assert count(name, *COLUMNS).cells == {("a, b", 'a "b"'): 1}


TEXT_LABELS = ["01", "1", "1.0", "1e5", "100000", "NA", "null", "None", "nan", "True", "true", "-",
               "2020-01-01", "#N/A", "inf", "+1", "٣"]  # fmt: skip


def test_text_is_text(write, count):
    same = {(v, v): 1 for v in TEXT_LABELS}
    lines = "\n".join(TEXT_LABELS)
    assert count(write("g.txt", lines), write("p.txt", lines)).cells == same
    for mark, ending in ((",", "csv"), ("\t", "tsv")):
        rows = "\n".join(f"{v}{mark}{v}" for v in TEXT_LABELS)
        name = write(f"x.{ending}", f"gold{mark}system\n{rows}\n")
        assert count(name, *COLUMNS).cells == same


def test_text_after_many_integers(write, count):
    rows = ["1,1"] * 3000 + ["x,1", "1,y"]
    found = count(write("x.csv", "gold,system\n" + "\n".join(rows)), *COLUMNS)
    assert found.cells == {("1", "1"): 3000, ("x", "1"): 1, ("1", "y"): 1}


@pytest.mark.parametrize("empty", ["", " ", '""'])
def test_an_empty_field_is_no_answer(write, count, fails, empty):
    name = write("x.csv", f"gold,system\na,b\na,{empty}\n")
    found = count(name, *COLUMNS)
    assert found.cells == {("a", "b"): 1, ("a", None): 1}
    assert found.missing == 1
    name = write("x.csv", f"gold,system\na,b\n{empty},a\n")
    assert "'gold' must not be null, got 1 null" in fails("count", name, *COLUMNS)
    dropped = count(name, *COLUMNS, "--drop-null-truth")
    assert (dropped.cells, dropped.dropped) == ({("a", "b"): 1}, 1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("gold,system\na,a\nb\n", "x.csv, line 3: expected 2 fields as in the header, got 1"),
        ("gold,system\na,a\nb,b,b\n", "x.csv, line 3: expected 2 fields as in the header, got 3"),
        ("gold,system\na,a\n\nb,b\n", "line 3: expected 2 fields as in the header, got an empty"),
        ("gold,system\n", "has no rows: there is no item to count"),
        ("gold,system", "has no rows: there is no item to count"),
        ("", "x.csv is empty, expected a header and rows"),
        ("\n\n", "x.csv"),
        ("gold,gold,system\na,a,a\n", "x.csv has more than one column called 'gold'"),
        ('gold,system\n"a,a\n', "x.csv"),
    ],
)  # fmt: skip
def test_bad_csv(write, fails, content, message):
    assert message in fails("count", write("x.csv", content), *COLUMNS)


@pytest.mark.parametrize("blank", ["", "  ", "\t", "\u3000"])
@pytest.mark.parametrize("more", [(), ("--labels", "a,b"), ("--drop-null-truth",)])
def test_an_empty_line_is_named(write, fails, count, blank, more):
    bad, good = write("bad.txt", f"a\n{blank}\nb\n"), write("good.txt", "a\nb\nb\n")
    message = "bad.txt, line 2: expected a label, got an empty line"
    if more == ("--drop-null-truth",):
        assert count(bad, good, *more).dropped == 1
    else:
        assert fails("count", bad, good, *more) == message
    for found in (
        count(good, bad, *more),
        count(write("x.csv", "gold\na\nb\nb\n"), bad, "--true", "gold", *more),
    ):  # an empty prediction is an error of its item
        assert found.cells == {("a", "a"): 1, ("b", None): 1, ("b", "b"): 1}
    short = write("short.txt", "a\nb\n")
    assert fails("count", short, bad, *more) == message


@pytest.mark.parametrize("more", [(), ("--labels", "a,b"), ("--drop-null-truth",)])
def test_files_of_different_lengths(write, fails, more):
    two, three = write("two.txt", "a\nb\n"), write("three.txt", "a\nb\nb\n")
    assert fails("count", two, three, *more) == (
        "two.txt has 2 labels and three.txt has 3: they must have one each for the same items"
    )
    assert "three.txt has 3 labels and two.txt has 2" in fails("count", three, two, *more)
    for kind in ("csv", "parquet"):
        x = write(f"x.{kind}", rows(), kind)
        y = write(f"y.{kind}", rows()[:4], kind)
        for a, b in ((x, y), (y, x)):
            message = fails(
                "count", a, b, "--label", "gold", "--labels", "a,b,c", "--by-row", *more[2:]
            )
            assert message.endswith("for the same items, or --id COL to match them by")


def test_a_million_lines_piped_to_a_reader_that_leaves(here):
    rows = b"".join(b"a,a\nb,a\n" for _ in range(500_000))
    (here / "x.csv").write_bytes(b"gold,system\n" + rows)
    environment = {**os.environ, "PYTHONPATH": str(Path(evenhand.__file__).parents[1])}
    command = f"'{sys.executable}' -m evenhand count x.csv {' '.join(COLUMNS)} | head -c 9"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        capture_output=True,
        env=environment,
        check=True,
    )
    assert (done.stdout, done.stderr) == (b'{"format"', b"")


def test_a_long_field_beside_an_empty_one(write, count):
    name = write("x.csv", f"gold,text,system\na,{'z' * 200_000},\n")
    assert count(name, *COLUMNS).cells == {("a", None): 1}


def test_only_the_first_mark_of_a_file_is_a_byte_order_mark(write, count):
    """Further on U+FEFF is a character, as in every other kind of file."""
    mark = "\ufeff"
    same = {("a", "a"): 1, (f"{mark}b", f"{mark}b"): 1, (mark, mark): 1}
    lines = [write(name, f"{mark}a\n{mark}b\n{mark}\n") for name in ("x.txt", "y.txt")]
    assert count(*lines).cells == same
    values = ["a", f"{mark}b", mark]
    for kind in ("csv", "tsv", "jsonl", "parquet", "arrow"):
        assert count(write(f"x.{kind}", rows(values, values)), *COLUMNS).cells == same


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_tab_in_a_field_makes_no_tsv(count, end):
    """Neither on standard input, whose name does not tell, nor where lines end with CR."""
    text = end.join(["gold,text,system", "a,one\ttwo,b", ""])
    assert count("-", *COLUMNS, input=text.encode()).cells == {("a", "b"): 1}


def test_a_short_row_goes_into_no_slice(write, fails, run):
    """A row that lacks its last field is refused; an empty field is a slice of its own."""
    short = write("x.csv", "gold,system,lang\na,a,de\nb,b\na,b,en\n")
    message = "x.csv, line 3: expected 3 fields as in the header, got 2"
    for command in (("score",), ("count",), ("twins",)):
        assert fails(*command, short, *COLUMNS, "--by", "lang") == message
    assert fails("compare", short, "--true", "gold", "--by", "lang") == message
    whole = write("y.csv", "gold,system,lang\na,a,de\nb,b,\na,b,en\n")
    found = run("count", whole, *COLUMNS, "--by", "lang").stdout
    assert json.loads(found)["keys"] == [["de", "en", None]]
