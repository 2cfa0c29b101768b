"""Files that know the types of their labels, and files that cannot be read."""

import gzip
import json
import os
from collections import Counter
from datetime import date, datetime
from decimal import Decimal

import polars as pl
import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq
import pytest

GOLD = ["a", "b", "b", "a", "c", "b"]
PRED = ["a", "b", "a", "a", "c", "c"]
PAIRS = Counter(zip(GOLD, PRED, strict=True))
COLUMNS = ("--true", "gold", "--pred", "system")


def rows(gold=GOLD, system=PRED):
    return pl.DataFrame({"id": range(len(gold)), "gold": gold, "system": system})


@pytest.mark.parametrize("kind", ["parquet", "arrow", "jsonl"])
@pytest.mark.parametrize(
    "labels", [[1, 2, 2, 1, 3, 2], [True, False, False, True, True, False], [0.5, 1.5, 1.5] * 2]
)
def test_typed_files_keep_their_types(write, count, kind, labels):
    name = write(f"x.{kind}", rows(labels, labels[::-1]), kind)
    found = count(name, *COLUMNS).cells
    assert found == Counter(zip(labels, labels[::-1], strict=True))
    assert {type(v) for cell in found for v in cell} == {type(labels[0])}


@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
@pytest.mark.parametrize("by", [("--label", "label"), ("--label", "label", "--id", "id")])
def test_text_against_integers(write, count, kind, by):
    text = write("x.csv", "id,label\n0,1\n1,2\n2,01\n")
    typed = write(f"x.{kind}", pl.DataFrame({"id": [0, 1, 2], "label": [1, 2, 1]}), kind)
    found = count(text, typed, *by)
    assert found.cells == {("1", "1"): 1, ("2", "2"): 1, ("01", "1"): 1}
    assert f"x.{kind} holds integers and x.csv text: compared as text" in found.said
    turned = count(typed, text, *by)
    assert turned.cells == {("1", "1"): 1, ("2", "2"): 1, ("1", "01"): 1}


@pytest.mark.parametrize(
    ("text", "typed", "label", "kind"),
    [
        ("1.0", 1.0, "1.0", "decimals"),
        ("1", 1.0, "1", "decimals"),
        ("0.5", 0.5, "0.5", "decimals"),
        ("True", True, "True", "booleans"),
    ],
)
def test_text_against_other_types(write, count, text, typed, label, kind):
    name = write("x.csv", f"label\n{text}\n")
    other = write("x.parquet", pl.DataFrame({"label": [typed]}), "parquet")
    found = count(name, other, "--label", "label")
    assert found.cells == {(label, label): 1}
    assert f"x.parquet holds {kind} and x.csv text: compared as text" in found.said


@pytest.mark.parametrize("given", ["true,false", "True,False"])
def test_labels_given_for_booleans(write, count, fails, given):
    name = write("x.parquet", rows([True, False], [True, True]))
    assert count(name, *COLUMNS, "--labels", given).cells == {(True, True): 1, (False, True): 1}
    assert "labels must be bool as the truth is, got 'yes'" in fails(
        "count", name, *COLUMNS, "--labels", "yes"
    )


def test_labels_given_for_integers(write, count, fails):
    name = write("x.parquet", rows([1, 2], [1, 3]), "parquet")
    assert count(name, *COLUMNS, "--labels", "2,1").cells == {(1, 1): 1, (2, None): 1}
    assert "labels must be int as the truth is" in fails("count", name, *COLUMNS, "--labels", "a,b")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (['{"gold": 1, "system": 1}', '{"gold": "1", "system": 1}'], "column 'gold'"),
        (['{"gold": "a", "system": "1"}', '{"gold": "a", "system": 1}'],
         "column 'system' must be of one type, got integers and text"),
        (['{"gold": "a", "system": "true"}', '{"gold": "a", "system": true}'],
         "column 'system' must be of one type, got booleans and text"),
        (['{"gold": 1, "system": "1"}'], "must have labels of one type, got int and str"),
        (['{"gold": "a", "system": "a"}', '{"gold": "a", '], "x.jsonl, line 2: expected JSON"),
        (['{"gold": "a", "system": "a"}', "7"], "x.jsonl, line 2: expected a JSON object, got 7"),
        (['{"gold": "a", "system": "a"}', "{]"], "x.jsonl, line 2: expected JSON"),
        (['{"gold": "a", "system": "x"}', '{"gold": ["a"], "system": "x"}'],
         "column 'gold' must be of one type, got lists and text"),
        (['{"gold": 9007199254740993, "system": 9007199254740992}', '{"gold": 0.5, "system": 0.5}'],
         "column 'gold' must be of one type, got decimals and integers beyond 2^53"),
        ([f'{{"gold": {2**63 + 1}, "system": {2**70}}}', '{"gold": 0.5, "system": 0.5}'],
         "column 'gold' must be of one type, got decimals and integers beyond 2^53"),
        (['{"gold": [9007199254740993], "system": [1]}', '{"gold": [0.5], "system": [0.5]}'],
         "column 'gold' must be of one type, got decimals and integers beyond 2^53"),
        (['{"gold": "{\\"a\\": 1}", "system": {"a": 1}}', '{"gold": "x", "system": "x"}'],
         "column 'system' must be of one type, got objects and text"),
        (['{"gold": {"x": 1}, "system": {"x": 1}}'], "must be text, integers, booleans or floats"),
    ],
)  # fmt: skip
def test_bad_json_lines(write, fails, rows, message):
    assert message in fails("count", write("x.jsonl", "\n".join(rows)), *COLUMNS)


@pytest.mark.parametrize(
    "content",
    [
        b'{"gold": "a", "system": "1"}', b'\xef\xbb\xbf{"gold": "a", "system": "1"}\n',
        b'{"gold": "a", "system": "1"}\r\n\r\n', b' {"system": "1",  "gold": "\\u0061"} ',
    ],
)  # fmt: skip
def test_json_lines(write, count, content):
    for name in ("x.jsonl", "x.dat"):
        assert count(write(name, content), *COLUMNS).cells == {("a", "1"): 1}


def test_large_integers_in_json_lines(write, count):
    rows = f'{{"gold": 1, "system": {2**64}}}\n'
    assert count(write("x.jsonl", rows), *COLUMNS).cells == {(1, 2**64): 1}


def test_numbers_as_text_in_json_lines(write, count):
    rows = '{"gold": "1", "system": "1"}\n{"gold": "true", "system": "2.5", "more": 7}\n'
    assert count(write("x.jsonl", rows), *COLUMNS).cells == {("1", "1"): 1, ("true", "2.5"): 1}


def test_integers_beside_decimals_in_json_lines(write, count):
    rows = '{"gold": 1, "system": 1.0}\n{"gold": 1.5, "system": 2}\n'
    assert count(write("x.jsonl", rows), *COLUMNS).cells == {(1.0, 1.0): 1, (1.5, 2.0): 1}


def test_text_that_looks_like_lists(write, count):
    rows = '{"gold": "[1]", "system": "[1]"}\n{"gold": "{}", "system": "9e99"}\n'
    assert count(write("x.jsonl", rows), *COLUMNS).cells == {("[1]", "[1]"): 1, ("{}", "9e99"): 1}


MIXED = '{"gold": "1", "a": "1", "b": "1"}\n{"gold": "2", "a": 1, "b": "2"}\n'


@pytest.mark.parametrize(
    "arguments",
    [
        ("rank", "x.jsonl", "--true", "gold"),
        ("compare", "x.jsonl", "--true", "gold", "--pred", "a", "--pred", "b"),
        ("rank", "gold.txt", "x.jsonl", "y.jsonl", "--pred", "a"),
        ("count", "x.jsonl", "--true", "gold", "--pred", "b", "--by", "a"),
        ("score", "x.jsonl", "y.jsonl", "--label", "b", "--cluster", "a"),
        ("rank", "x.jsonl", "y.jsonl", "z.jsonl", "--label", "b", "--by", "a"),
    ],
)
def test_mixed_json_lines_of_several_systems(write, fails, arguments):
    write("x.jsonl", MIXED)
    for name in ("y.jsonl", "z.jsonl"):
        write(name, MIXED.replace('"a": 1', '"a": "1"'))
    write("gold.txt", "1\n2\n")
    message = "x.jsonl, column 'a' must be of one type, got integers and text"
    assert message in fails(*arguments)


def test_json_lines_without_a_key_or_with_null(write, count):
    rows = '{"gold": "a", "system": "a"}\n{"gold": "b"}\n\n{"system": null, "gold": "b"}\n'
    found = count(write("x.jsonl", rows), *COLUMNS)
    assert (found.cells, found.missing) == ({("a", "a"): 1, ("b", None): 2}, 2)


@pytest.mark.parametrize(
    "rows",
    [
        {"gold": [date(2020, 1, 1)]}, {"gold": [["a"]], "system": ["a"]},
        {"gold": [Decimal("1.5")]}, {"gold": [{"a": 1}]},
        {"gold": [datetime(2020, 1, 1)]},
    ],
    ids=repr,
)  # fmt: skip
def test_parquet_of_what_is_no_label(write, fails, rows):
    rows = pl.DataFrame({"system": rows["gold"], **rows})
    message = fails("count", write("x.parquet", rows, "parquet"), *COLUMNS)
    assert "must be text, integers, booleans or floats" in message or "neither" in message


def test_an_empty_parquet_file(write, fails):
    name = write("x.parquet", rows()[:0], "parquet")
    assert "has no rows: there is no item to count" in fails("count", name, *COLUMNS)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.csv", b"gold,system\n\xff,a\n", "x.csv, line 2: expected UTF-8 text, got byte 0xff"),
        ("x.csv", b"\0\1\2", "x.csv is a binary file, expected text"),
        ("x.csv", b"gold,x\na,\0b\n", "x.csv is a binary file, expected text"),
        ("x.csv", "gold,x\na,\1\n".encode("utf-16-le"), "x.csv is a binary file, expected text"),
        ("x.csv", "gold,x\na,b\n".encode("utf-16-le"), "x.csv has columns 'gold', 'x', expected"),
        ("x.parquet", b"PAR1 nonsense \0", "x.parquet cannot be read"),
        ("x.parquet", b"", "x.parquet is empty"),
        ("x.arrow", b"ARROW1\0\0", "x.arrow cannot be read"),
        ("x.csv.gz", gzip.compress(b"gold,system\na,b\n", mtime=0)[:-9], "x.csv.gz cannot be read"),
        ("x.csv.gz", b"\x1f\x8b\x08nonsense", "x.csv.gz cannot be read"),
        ("x.csv.zst", b"\x28\xb5\x2f\xfdnonsense", "x.csv.zst cannot be read"),
        ("x.jsonl", b"\xff{}\n", "x.jsonl, line 1: expected UTF-8 text, got byte 0xff"),
    ],
)  # fmt: skip
def test_unreadable(write, fails, name, content, message):
    assert message in fails("count", write(name, content), *COLUMNS)


def test_a_column_of_several_types_that_nobody_uses(write, run):
    rows = '{"gold": "a", "system": "b", "model": 1}\n{"gold": "b", "system": "b", "model": "x"}\n'
    name, other = write("x.jsonl", rows.encode()), write("other.csv", b"gold\na\nb\n")
    for files in ((name, *COLUMNS), (other, name), (name, other, "--label", "gold")):
        assert json.loads(run("score", *files, "--format", "json").stdout)["n"] == 2


LABELS = ("--label", "gold", "--id", "id")


def latin(kind):
    """Three labels of an Arrow column that says it is text in UTF-8, and is not."""
    texts = pa.array([b"a", b"\xff", b"b"]).view(pa.string())
    return {
        "text": texts,
        "dictionary": pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), texts),
        "lists": pa.ListArray.from_arrays(pa.array([0, 1, 2, 3], pa.int32()), texts),
    }[kind]


@pytest.mark.parametrize("kind", ["text", "dictionary", "lists"])
@pytest.mark.parametrize(
    ("name", "written"), [("x.parquet", pq.write_table), ("x.arrow", pf.write_feather)]
)
def test_text_that_is_not_utf_8(here, fails, kind, name, written):
    good = pa.array([["a"]] * 3) if kind == "lists" else pa.array(["a"] * 3)
    written(pa.table({"id": [1, 2, 3], "gold": latin(kind), "system": good}), here / name)
    for asked in (COLUMNS, ("--true", "system", "--pred", "gold"), (name, *LABELS)):
        message = fails("score", name, *asked)
        assert message.startswith(f"{name}") and "cannot be read: " in message
        assert "invalid UTF-8" in message or "invalid utf8" in message


def test_one_file_of_many_that_is_not_utf_8(here, write, fails):
    write("many/a.parquet", rows().select("gold", "system"))
    table = pa.table({"gold": ["a"] * 3, "system": latin("text")})
    pq.write_table(table, here / "many/b.parquet")
    for command in ("count", "score"):
        message = fails(command, "many", *COLUMNS)
        assert " cannot be read: " in message and "invalid UTF-8" in message


def test_a_secret_file(here, write, fails):
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    (here / write("x.csv", "gold,system\na,a\n")).chmod(0)
    assert fails("count", "x.csv", *COLUMNS) == "x.csv cannot be read: Permission denied"


@pytest.mark.parametrize("label", ["PAR1", "ARROW1", "{a", "\x1f", "evenhand-table"])
def test_labels_that_look_like_another_kind(write, count, label):
    files = [write(name, f"{label}\nb\n") for name in ("g.txt", "p.txt")]
    assert count(*files).cells == {(label, label): 1, ("b", "b"): 1}


def test_a_column_with_a_hostile_name(write, fails, count):
    name = write("x.csv", '"go\x1b[2Jld",system\na,a\n')
    assert "\x1b" not in fails("count", name, *COLUMNS)
    assert count(name, "--true", "go\x1b[2Jld", "--pred", "system").cells == {("a", "a"): 1}


def test_ids_of_json_are_of_one_type(write, fails):
    gold = write("g.jsonl", '{"id": "0", "y": "a"}\n{"id": "é", "y": "a"}\n')
    pred = write("p.jsonl", '{"id": 0.0, "y": "a"}\n{"id": "é", "y": "a"}\n')
    said = fails("count", gold, pred, "--label", "y", "--id", "id")
    assert "p.jsonl, column 'id' must be of one type, got decimals and text" in said
