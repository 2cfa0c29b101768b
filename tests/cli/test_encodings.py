"""Text in other encodings: recognised by its first bytes, read by name, offered in the error."""

import codecs
import gzip
import json
import tempfile

import pytest
from click.testing import CliRunner

from evenhand.cli import group

GOLD, PRED = "schön\nblöd\nschön\nblöd\n", "schön\nschön\nschön\nblöd\n"
ROWS = "id,gold,system\n1,schön,schön\n2,blöd,schön\n3,schön,schön\n4,blöd,blöd\n"
COLUMNS = ("--true", "gold", "--pred", "system")


@pytest.fixture
def facts(run):
    """The numbers of a score, and what was said beside."""

    def call(*arguments):
        found = run("score", *arguments, "--format", "json")
        assert found.exit_code == 0, found.output
        told = json.loads(found.stdout)
        return {k: v for k, v in told.items() if "warning" not in k and k != "read"}, found.stderr

    return call


@pytest.fixture
def expected(facts, write):
    return facts(write("gold.txt", GOLD), write("pred.txt", PRED))[0]


MARKED = [
    ("utf-16", codecs.BOM_UTF16_LE, "utf-16-le"),
    ("utf-16", codecs.BOM_UTF16_BE, "utf-16-be"),
]


@pytest.mark.parametrize(("name", "mark", "encoding"), MARKED)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_byte_order_mark_says_it(facts, write, expected, name, mark, encoding, end):
    found, said = facts(
        write("marked.txt", mark + GOLD.replace("\n", end).encode(encoding)),
        write("other.csv", mark + ROWS.replace("\n", end).encode(encoding)),
        "--pred", "system",
    )  # fmt: skip
    assert found == expected
    assert f"note: marked.txt was read as {name}, as its first bytes suggest\n" in said
    assert f"note: other.csv was read as {name}, as its first bytes suggest\n" in said


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "mac-roman", "utf-16-le", "cp1252.gz"])
def test_by_name(facts, write, expected, encoding):
    encoding, _, packed = encoding.partition(".")
    name = f"named.csv{'.gz' if packed else ''}"
    raw = ROWS.encode(encoding)
    write(name, gzip.compress(raw) if packed else raw)
    found, said = facts(name, *COLUMNS, "--encoding", encoding)
    assert found == expected
    assert "named.csv" not in said


def test_json_lines_by_name(facts, write, expected):
    pairs = zip(GOLD.split(), PRED.split(), strict=True)
    rows = [json.dumps({"gold": g, "system": p}, ensure_ascii=False) for g, p in pairs]
    write("named.jsonl", "\n".join(rows).encode("cp1252"))
    assert facts("named.jsonl", *COLUMNS, "--encoding", "cp1252")[0] == expected


def test_what_is_in_utf_8_stays(facts, write, expected):
    """The truth is ours, the run is from an old program: one option must do for both."""
    write("old.txt", PRED.encode("cp1252"))
    found, said = facts("gold.txt", "old.txt", "--encoding", "cp1252")
    assert found == expected
    assert "note: gold.txt is UTF-8 and was read so, not as cp1252\n" in said


def test_parquet_has_no_encoding(facts, write, expected):
    import polars as pl

    pl.read_csv(ROWS.encode()).write_parquet("typed.parquet")
    assert facts("typed.parquet", *COLUMNS, "--encoding", "cp1252")[0] == expected


@pytest.mark.parametrize("name", ["old.txt", "old.csv", "old.tsv", "old.jsonl"])
def test_the_first_block_shows_it(facts, write, expected, name):
    pairs = zip(GOLD.split(), PRED.split(), strict=True)
    objects = "".join(f'{{"gold": "{g}", "system": "{p}"}}\n' for g, p in pairs)
    rows = ROWS.replace(",", "\t") if name == "old.tsv" else ROWS
    write(name, {"txt": GOLD, "jsonl": objects}.get(name[4:], rows).encode("cp1252"))
    files = ("old.txt", "pred.txt") if name == "old.txt" else (name, *COLUMNS)
    found, said = facts(*files)
    assert found == expected
    assert f"note: file layout: {name} (text in cp1252)\n" in said


def test_utf_16_without_a_mark(facts, write, expected):
    for encoding in ("utf-16-le", "utf-16-be"):
        found, said = facts("gold.txt", write("bare.txt", PRED.encode(encoding)))
        assert found == expected
        assert f"note: file layout: bare.txt (text in {encoding})\n" in said


@pytest.mark.parametrize("name", ["old.txt", "old.csv", "old.tsv", "old.jsonl"])
def test_it_shows_beyond_the_first_block(facts, run, write, name):
    rows = [("plain", "plain")] * 20_000 + [("schön", "schön"), ("plain", "schön")]
    objects = "".join(f'{{"gold": "{g}", "system": "{p}"}}\n' for g, p in rows)
    mark = "\t" if name == "old.tsv" else ","
    table = f"gold{mark}system\n" + "".join(f"{g}{mark}{p}\n" for g, p in rows)
    lines = ["".join(f"{row[i]}\n" for row in rows) for i in (0, 1)]
    write("late.txt", lines[1])
    write(name, {"txt": lines[0], "jsonl": objects}.get(name[4:], table).encode("cp1252"))
    files = ("old.txt", "late.txt") if name == "old.txt" else (name, *COLUMNS)
    found, said = facts(*files)
    assert found["metrics"]["accuracy"]["value"] == 20_001 / 20_002
    assert f"note: file layout: {name} (text in cp1252)\n" in said
    assert json.loads(run("look", name, "--format", "json").stdout)["encoding"] == "cp1252"


def test_a_stream_beyond_the_first_block(write):
    text = ("a\nb\n" * 20_000 + "schön\n" * 2).encode("cp1252")
    write("late.txt", text)
    command = ["score", "-", "late.txt", "--metric", "accuracy"]
    result = CliRunner().invoke(group, command, input=text)
    assert "layout: standard input, late.txt (text in cp1252)" in result.stderr
    assert "1.0000" in result.stdout


def test_text_in_two_encodings_is_refused(fails, write, expected):
    text = "schön\n" * 20_000
    write("old.txt", text.encode() + GOLD.encode("cp1252"))
    assert fails("score", "old.txt", "pred.txt") == (
        "old.txt, line 20001: expected UTF-8 text, got byte 0xf6; --encoding cp1252 would read it"
    )


def test_what_cp1252_would_not_read_either(fails, write, expected):
    write("bad.txt", b"a\n\x81\xff\n")
    assert fails("score", "bad.txt", "pred.txt").endswith("expected UTF-8 text, got byte 0x81")


def test_bytes_that_are_not_in_it(fails, write, expected):
    write("bad.txt", b"a\nb\n\x81\xff\n")
    error = fails("score", "bad.txt", "pred.txt", "--encoding", "cp1252")
    assert error == "bad.txt, line 3: expected cp1252 text, got byte 0x81"
    write("half.txt", codecs.BOM_UTF16_LE + "a\nb".encode("utf-16-le") + b"\0")
    error = fails("score", "half.txt", "pred.txt")
    assert error == "half.txt, line 2: expected utf-16 text, got byte 0x00"


@pytest.mark.parametrize("name", ["cp9999", "base64", "", "a\0b", "rot13"])
def test_no_such_encoding(fails, lines, name):
    assert "is not known as an --encoding" in fails("score", *lines, "--encoding", name)


def test_nothing_is_left_behind(facts, fails, write, expected, here, monkeypatch):
    (here / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(here / "tmp"))
    write("wide.txt", GOLD.encode("utf-16"))
    facts("wide.txt", "pred.txt")
    fails("score", "wide.txt", "nowhere.txt")
    assert list((here / "tmp").iterdir()) == []


def test_several_are_counted(run, write):
    write("a.csv", ROWS.encode("utf-16"))
    write("b.csv", ROWS.encode("utf-16").replace(b"4", b"5"))
    found = run("count", "*.csv", *COLUMNS, "--output", "all.json")
    assert found.exit_code == 0, found.output
    assert json.loads(run("score", "all.json", "--format", "json").stdout)["n"] == 8
